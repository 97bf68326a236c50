---What acp-ls knows of the buffers: the version it was last sent of each, and
---whether the buffer has changed since. Neovim's own vim.lsp.util.buf_versions
---cannot tell: it is shared by all clients, and any of them resets it to 0.
local config = require('acp.config')
local util = require('acp.util')

local M = {}

---@class acp.Document
---@field uri string
---@field bufnr integer
---@field version integer as last sent
---@field sent integer b:changedtick when it was sent
---@field changed integer b:changedtick of the newest change of the text
---@field due boolean? it will be looked at whether the change has been sent

---@type table<integer, acp.Document>
local by_buf = {}
---@type table<string, acp.Document>
local by_uri = {}
---@type table<integer, true>
local listening = {}

---Sees to it that a change is sent in time. Neovim puts the first ones of a buffer
---off for as long as keys follow one another: whoever types fast is not heard of.
---@param doc acp.Document
function M.send_soon(doc)
  if doc.due then
    return
  end
  doc.due = true
  vim.defer_fn(function()
    doc.due = nil
    if by_buf[doc.bufnr] == doc and doc.changed > doc.sent then
      require('acp.client').flush(doc.bufnr)
    end
  end, config.get().debounce)
end

---@param bufnr integer
local function listen(bufnr)
  if listening[bufnr] then
    return
  end
  listening[bufnr] = true
  vim.api.nvim_buf_attach(bufnr, false, {
    on_lines = function(_, _, tick)
      local doc = by_buf[bufnr]
      if doc then
        doc.changed = tick
        M.send_soon(doc)
      end
    end,
    on_reload = function() end, -- stay attached: close and open are sent
    on_detach = function()
      listening[bufnr] = nil
    end,
  })
end

---@param uri string
---@return integer?
local function loaded_buffer(uri)
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_is_loaded(bufnr) and vim.uri_from_bufnr(bufnr) == uri then
      return bufnr
    end
  end
end

---Sees every notification that goes to acp-ls.
---@param method string
---@param params table
function M.on_notify(method, params)
  if method == 'textDocument/didOpen' or method == 'textDocument/didChange' then
    local text_document = params.textDocument
    local doc = by_uri[text_document.uri]
    if not doc then
      local bufnr = loaded_buffer(text_document.uri)
      if not bufnr then
        return
      end
      doc = { uri = text_document.uri, bufnr = bufnr, version = 0, sent = 0, changed = 0 }
      by_uri[doc.uri], by_buf[bufnr] = doc, doc
      listen(bufnr)
      require('acp.edit').watch_disk(bufnr)
    end
    doc.version = text_document.version
    doc.sent = vim.api.nvim_buf_get_changedtick(doc.bufnr)
  elseif method == 'textDocument/didClose' then
    local doc = by_uri[params.textDocument.uri]
    if doc then
      by_uri[doc.uri] = nil
      if by_buf[doc.bufnr] == doc then
        by_buf[doc.bufnr] = nil
      end
    end
  end
end

---@type fun(method: string, params: table): boolean?
local send
---@type table? a didChange that is held back
local held
---@type boolean
local holding = false

local function release()
  local params = held
  held = nil
  if params then
    M.on_notify('textDocument/didChange', params)
    send('textDocument/didChange', params)
  end
end

---Wraps what sends notifications to acp-ls.
---@param notify fun(method: string, params: table): boolean?
---@return fun(method: string, params: table): boolean?
function M.listen_to(notify)
  send = notify
  return function(method, params)
    if holding and method == 'textDocument/didChange' then
      if held and held.textDocument.uri == params.textDocument.uri then
        vim.list_extend(held.contentChanges, params.contentChanges)
        held.textDocument = params.textDocument
      else
        release()
        held = params
      end
      return true
    end
    release()
    M.on_notify(method, params)
    return notify(method, params)
  end
end

---Runs fn; what it changes in a document goes to acp-ls as one change. Neovim would
---send each of its steps, and with them texts that nobody has seen.
---@param fn fun()
function M.as_one_change(fn)
  local client = require('acp.client')
  client.flush()
  holding = true
  local ok, err = pcall(fn)
  client.flush()
  holding = false
  release()
  if not ok then
    error(err, 0)
  end
end

---@param uri string
---@return acp.Document?
function M.by_uri(uri)
  local doc = by_uri[uri] or by_uri[util.normal_uri(uri)]
  return doc and vim.api.nvim_buf_is_loaded(doc.bufnr) and doc or nil
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
  return doc.changed <= doc.sent and doc.version or nil
end

function M.reset()
  by_buf, by_uri, held = {}, {}, nil
end

return M
