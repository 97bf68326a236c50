---What acp-ls knows of the buffers, and telling it what has changed in them.
---
---Neovim's own way of telling is not used: some changes around empty lines, and at the
---end of a file without a line end, it does not tell right, it shows a file of no bytes
---as an empty line, and the versions it counts are set back by other servers.
local config = require('acp.config')
local formats = require('acp.formats')
local rows = require('acp.rows')
local util = require('acp.util')

local M = {}
local api = vim.api

---@class acp.Document
---@field uri string
---@field bufnr integer
---@field language string
---@field version integer as last sent
---@field tick integer 'changedtick' of the buffer when it was opened
---@field lines integer that it had then
---@field form string what else its text depends on: line ends, none at the end, no line
---@field count integer lines, as far as the changes tell
---@field changed acp.Rows[] since then
---@field due boolean? they will be sent in a moment

---@type table<integer, acp.Document>
local by_buf = {}
---@type table<string, acp.Document>
local by_uri = {}
---@type table<integer, true>
local listening = {}
---@type fun(method: string, params: table): boolean?
local send
---@type integer? the buffer that is being saved for acp-ls
local saving

---Whether a buffer has no text: it shows an empty line all the same.
---@param bufnr integer
---@return boolean
function M.is_empty(bufnr)
  if api.nvim_buf_line_count(bufnr) > 1 or api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] ~= '' then
    return false
  end
  return api.nvim_buf_call(bufnr, vim.fn.wordcount).bytes == 0
end

---How rows end in what is sent. In a text of the format mac, which no editor but this
---knows, carriage returns and line feeds have changed places: so its rows are rows to
---acp-ls as well, and a line feed within one, which Neovim has as a carriage return, is a
---character as any other. What kind of line end a file has is not compared.
local line_ends = { unix = '\n', dos = '\r\n', mac = '\n' }

---@param bufnr integer
---@return string
local function form(bufnr)
  local bo = vim.bo[bufnr]
  return M.is_empty(bufnr) and 'empty' or bo.fileformat .. (bo.endofline and ' eol' or '')
end

---@param bufnr integer
---@param first integer
---@param last integer
---@return string # the rows, with line ends between them
local function text_of(bufnr, first, last)
  local lines = api.nvim_buf_get_lines(bufnr, first, last, false)
  for i, line in ipairs(lines) do
    if line:find('\n', 1, true) then -- that is how a NUL is shown
      lines[i] = line:gsub('\n', '\0')
    end
  end
  return table.concat(lines, line_ends[vim.bo[bufnr].fileformat])
end

---@param bufnr integer
---@return string # what would be written, but for the format mac
function M.whole_text(bufnr)
  if M.is_empty(bufnr) then
    return ''
  end
  local bo = vim.bo[bufnr]
  return text_of(bufnr, 0, -1) .. (bo.endofline and line_ends[bo.fileformat] or '')
end

---@param doc acp.Document
---@return table[] # LSP's content changes, from the last to the first
local function changes(doc)
  local bufnr = doc.bufnr
  local now = form(bufnr)
  if now ~= doc.form or now == 'empty' or doc.count ~= api.nvim_buf_line_count(bufnr) then
    return { { text = M.whole_text(bufnr) } }
  end
  local list = {}
  for i = #doc.changed, 1, -1 do
    local r = doc.changed[i]
    local from, to = r.old_first, { line = r.old_last, character = 0 }
    local text
    if r.old_last < doc.lines or vim.bo[bufnr].endofline then
      text = text_of(bufnr, r.first, r.last)
      text = r.first < r.last and text .. line_ends[vim.bo[bufnr].fileformat] or ''
    elseif from > 0 then -- to the end of the text, which is in a line
      from, to = from - 1, { line = doc.lines - 1, character = 2 ^ 31 - 1 }
      text = text_of(bufnr, r.first - 1, r.last)
    else
      return { { text = M.whole_text(bufnr) } }
    end
    list[#list + 1] = {
      range = { start = { line = from, character = 0 }, ['end'] = to },
      text = text,
    }
  end
  return list
end

---@param doc acp.Document
local function note(doc)
  doc.changed = {}
  doc.lines = api.nvim_buf_line_count(doc.bufnr)
  doc.count = doc.lines
  doc.form = form(doc.bufnr)
end

---@param doc acp.Document
local function flush(doc)
  if not api.nvim_buf_is_loaded(doc.bufnr) then
    return
  end
  formats.settle(doc.bufnr)
  if #doc.changed == 0 and doc.form == form(doc.bufnr) then
    return
  end
  local params = {
    textDocument = { uri = doc.uri, version = doc.version + 1 },
    contentChanges = changes(doc),
    acp = doc.bufnr == saving and { save = true } or nil, -- not the user
  }
  note(doc)
  doc.version = doc.version + 1
  send('textDocument/didChange', params)
end

---Sends what has changed and has not been sent yet.
---@param bufnr integer? by default in all buffers
function M.flush(bufnr)
  for b, doc in pairs(by_buf) do
    if not bufnr or b == bufnr then
      flush(doc)
    end
  end
end

---@param doc acp.Document
local function send_soon(doc)
  if doc.due then
    return
  end
  doc.due = true
  vim.defer_fn(function()
    doc.due = nil
    if by_buf[doc.bufnr] == doc then
      flush(doc)
    end
  end, config.get().debounce)
end

---@param uri string
---@return integer?
local function loaded_buffer(uri)
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_is_loaded(bufnr) and vim.uri_from_bufnr(bufnr) == uri then
      return bufnr
    end
  end
end

---@param doc acp.Document
local function close(doc)
  by_uri[doc.uri] = nil
  if by_buf[doc.bufnr] == doc then
    by_buf[doc.bufnr] = nil
  end
end

local listen ---@type fun(bufnr: integer)

---@param item table TextDocumentItem
local function open(item)
  local bufnr = loaded_buffer(item.uri)
  if not bufnr then
    return
  end
  local doc = { uri = item.uri, bufnr = bufnr, version = item.version, language = item.languageId }
  doc.tick = api.nvim_buf_get_changedtick(bufnr)
  note(doc)
  by_uri[doc.uri], by_buf[bufnr] = doc, doc
  item.text = M.whole_text(bufnr)
  listen(bufnr)
  formats.track(bufnr)
  require('acp.disk').watch(bufnr)
  require('acp.review').recall(item.uri)
end

---Closes and opens a document whose buffer has been read anew, as Neovim does that by itself. But
---once text was changed while no server was there, Neovim listens to that buffer no more.
---@param doc acp.Document
local function reopen(doc)
  close(doc)
  M.flush()
  send('textDocument/didClose', { textDocument = { uri = doc.uri } })
  local item = { uri = doc.uri, languageId = doc.language, version = doc.version + 1 }
  open(item)
  send('textDocument/didOpen', { textDocument = item })
end

---@param bufnr integer
listen = function(bufnr)
  if listening[bufnr] then
    return
  end
  listening[bufnr] = true
  api.nvim_buf_attach(bufnr, false, {
    on_lines = function(_, _, _, first, last, new_last)
      local doc = by_buf[bufnr]
      if doc then
        doc.changed = rows.note(doc.changed, first, last, new_last)
        doc.count = doc.count + new_last - last
        send_soon(doc)
      end
    end,
    on_reload = function()
      local doc = by_buf[bufnr]
      if doc and doc.tick ~= api.nvim_buf_get_changedtick(bufnr) then
        reopen(doc)
      end
    end,
    on_detach = function()
      listening[bufnr] = nil
      if by_buf[bufnr] then -- Neovim does not tell: see reopen
        for _, client in ipairs(vim.lsp.get_clients({ bufnr = bufnr, name = 'acp-ls' })) do
          vim.lsp.buf_detach_client(bufnr, client.id)
        end
      end
    end,
  })
end

---Has documents told whose line ends the user has turned, which changes no line of a buffer.
---@param group integer
function M.watch_line_ends(group)
  api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = { 'fileformat', 'endofline' },
    callback = function()
      for _, doc in pairs(by_buf) do
        if api.nvim_buf_is_loaded(doc.bufnr) and doc.form ~= form(doc.bufnr) then
          send_soon(doc)
        end
      end
    end,
  })
end

---Wraps what sends notifications to acp-ls.
---@param notify fun(method: string, params: table): boolean?
---@return fun(method: string, params: table): boolean?
function M.notifier(notify)
  send = notify
  return function(method, params)
    if method == 'textDocument/didChange' then
      return true -- it is told in our own way
    end
    local doc = params and params.textDocument and by_uri[params.textDocument.uri]
    if method == 'textDocument/didClose' and doc then
      close(doc) -- what was not sent may be in the next one
    end
    M.flush()
    if method == 'textDocument/didOpen' then
      open(params.textDocument)
    elseif method == 'textDocument/didSave' and doc and params.text then
      params.text = M.whole_text(doc.bufnr)
    end
    return notify(method, params)
  end
end

---Runs fn; what it changes in a document goes to acp-ls as one change.
---@param fn fun()
function M.as_one_change(fn)
  M.flush()
  local ok, err = pcall(fn)
  M.flush()
  if not ok then
    error(err, 0)
  end
end

---Runs fn, which saves a buffer; what that changes in it goes to acp-ls as done by the save.
---@param bufnr integer
---@param fn fun()
function M.as_saving(bufnr, fn)
  M.flush()
  local outer = saving -- which has let requests of acp-ls in
  saving = bufnr
  local ok, err = pcall(fn)
  M.flush(bufnr)
  saving = outer
  if not ok then
    error(err, 0)
  end
end

---Whether a buffer is being saved for acp-ls.
---@param bufnr integer
---@return boolean
function M.is_saving(bufnr)
  return bufnr == saving
end

---Sends what is about no buffer.
---@param method string
---@param params table
function M.send(method, params)
  M.flush()
  send(method, params)
end

---@param uri string
---@return acp.Document?
function M.by_uri(uri)
  local doc = by_uri[uri] or by_uri[util.normal_uri(uri)]
  return doc and api.nvim_buf_is_loaded(doc.bufnr) and doc or nil
end

---@param bufnr integer
---@return acp.Document?
function M.by_buf(bufnr)
  return by_buf[bufnr]
end

---The version of the text in the buffer right now; nil while it has changes
---that acp-ls has not been sent.
---@param doc acp.Document
---@return integer?
function M.version(doc)
  formats.settle(doc.bufnr)
  return #doc.changed == 0 and doc.form == form(doc.bufnr) and doc.version or nil
end

function M.reset()
  by_buf, by_uri = {}, {}
end

return M
