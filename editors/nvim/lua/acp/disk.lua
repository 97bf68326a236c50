---Files behind buffers: saves, reloads, and changes on disk under unsaved text. All
---requests are answered with what really happened.
local client = require('acp.client')
local documents = require('acp.documents')
local edit = require('acp.edit')
local formats = require('acp.formats')
local lines = require('acp.lines')
local overwrite = require('acp.overwrite')
local reading = require('acp.reading')
local textedit = require('acp.textedit')
local typing = require('acp.typing')
local util = require('acp.util')
local views = require('acp.views')

local M = {}
local api = vim.api

---What belongs to a file beside its rows.
local options = { 'fileformat', 'fileencoding', 'bomb' }
---@type table<integer, table<string, any>> those of buffers, as last read or written
local saved_options = {}

---@param bufnr integer
local function note_options(bufnr)
  saved_options[bufnr] = {}
  for _, name in ipairs(options) do
    saved_options[bufnr][name] = vim.bo[bufnr][name]
  end
end

---The options that the user has set and not saved yet. (A file of the format mac is not known
---by itself: it is left aside.)
---@param bufnr integer
---@return table<string, any>
local function unsaved_options(bufnr)
  local unsaved = {}
  for name, value in pairs(saved_options[bufnr] or {}) do
    local now = vim.bo[bufnr][name]
    if now ~= value and now ~= 'mac' and value ~= 'mac' then
      unsaved[name] = now
    end
  end
  return unsaved
end

local saving = false -- for acp-ls, which waits for it

---Answers Neovim's question what to do about a file that has changed on disk under
---unsaved changes, which would take the user's keys: nothing. acp-ls has seen the
---change too, and merges it (acp/adopt). While no agent works it is the user's own
---affair, and Neovim asks.
---@param bufnr integer
function M.watch(bufnr)
  local group = api.nvim_create_augroup('acp.disk', { clear = false })
  api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  reading.opened(bufnr)
  if not vim.bo[bufnr].modified or not saved_options[bufnr] then
    note_options(bufnr)
  end
  overwrite.meet(bufnr)
  api.nvim_create_autocmd('BufReadPre', {
    group = group,
    buffer = bufnr,
    callback = function(args)
      overwrite.note(bufnr, args.event)
    end,
  })
  api.nvim_create_autocmd('BufWritePre', {
    group = group,
    buffer = bufnr,
    nested = true, -- the file may be read, as by :edit
    callback = function(args)
      if not saving then
        overwrite.before_write(bufnr, args.match, M.take_base)
      end
    end,
  })
  api.nvim_create_autocmd({ 'ModeChanged', 'SafeState' }, {
    group = group,
    buffer = bufnr,
    callback = function()
      overwrite.guard(bufnr)
    end,
  })
  api.nvim_create_autocmd({ 'BufReadPost', 'BufWritePost', 'BufUnload' }, {
    group = group,
    buffer = bufnr,
    callback = function(args)
      local own = vim.uv.fs_realpath(api.nvim_buf_get_name(bufnr))
      if args.event == 'BufUnload' then
        reading.known(bufnr)
        saved_options[bufnr] = nil
        textedit.turned(bufnr, '', nil)
        overwrite.forget(bufnr)
      elseif args.event == 'BufWritePost' and vim.bo[bufnr].modified then
        return -- not written: Neovim tells so as well if the user has said no to its question
      elseif args.event == 'BufReadPost' or own and own == vim.uv.fs_realpath(args.match) then
        reading.known(bufnr)
        note_options(bufnr)
        overwrite.note(bufnr, args.event)
      end
    end,
  })
  api.nvim_create_autocmd('FileChangedShell', {
    group = group,
    buffer = bufnr,
    callback = function()
      reading.decide(bufnr)
    end,
  })
end

---Writes a buffer as the user would, autocommands and all, but for the end: a file
---without a line end there stays without.
---@param bufnr integer
---@param format boolean else without what is done before a write, which is to format the text
local function write(bufnr, format)
  local bo = vim.bo[bufnr]
  local ignored = vim.o.eventignore
  if not format then
    vim.opt.eventignore:append('BufWritePre')
  end
  local fix = bo.fixendofline
  if not bo.endofline then
    bo.fixendofline = false
  end
  local writeany = vim.o.writeany
  if overwrite.renew(bufnr) then
    vim.o.writeany = true
  end
  saving = true
  local ok, err = pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd('silent update')
  end)
  saving, vim.o.writeany = false, writeany
  if not format then
    vim.o.eventignore = ignored
  end
  if bo.fixendofline ~= fix then
    bo.fixendofline = fix
  end
  if not ok then
    error(err, 0)
  end
end

---What has failed, in a line, without the ways that Neovim took there.
---@param err any
---@return string
local function reason_of(err)
  local line = tostring(err):match('[^\n]*'):gsub('^.*Autocommands for "[^"]*": ', '')
  return (line:gsub('^Vim%(%a+%):', ''):gsub('^.*(E%d+:)', '%1'))
end

---Why the last save of a buffer for acp-ls failed, which the user has been told of.
---@type table<integer, string>
local failed = {}

---acp/save. A file that has changed on disk is not written: Neovim would ask, and what
---is there would be lost.
---@param params {uri: string, version: integer?, format: boolean?} without format as it is
---@param reply fun(result: table)
function M.on_save(params, reply)
  local doc = documents.by_uri(params.uri)
  if not doc then
    return reply({ saved = false, reason = 'not open' })
  end
  local bufnr = doc.bufnr
  if not vim.bo[bufnr].modified then
    client.flush()
    return reply({ saved = true })
  end
  -- It cannot wait: what the user does until then would be taken for a formatter's.
  local busy = typing.busy(bufnr, {})
  if busy then
    return reply({ saved = false, reason = busy })
  end
  local moved = reading.checktime(bufnr, '')
  local changed = moved and moved ~= 'time' and moved ~= 'mode' and not overwrite.same(bufnr)
  if changed or overwrite.lacks(bufnr) then
    return reply({ saved = false, reason = 'the file has changed on disk' })
  end
  if params.version and documents.version(doc) ~= params.version then
    client.flush() -- so that acp-ls knows what has been typed
    return reply({ saved = false, reason = 'the buffer has changed meanwhile' })
  end
  local ok, err = pcall(typing.keep, bufnr, function(user_is_there)
    local before = user_is_there and api.nvim_buf_get_lines(bufnr, 0, -1, false)
    views.keep_cursors(bufnr, function()
      documents.as_saving(bufnr, function()
        write(bufnr, params.format ~= false)
      end)
    end)
    if before then
      local now = api.nvim_buf_get_lines(bufnr, 0, -1, false)
      return lines.mover(lines.differences(before, now))
    end
  end)
  client.flush()
  if not ok or vim.bo[bufnr].modified then
    local why = ok and 'the buffer is still modified' or reason_of(err)
    if failed[bufnr] ~= why then -- by what runs before it is written, as formatters do
      failed[bufnr] = why
      util.warn(
        ('%s is not saved: %s'):format(
          vim.fn.fnamemodify(api.nvim_buf_get_name(bufnr), ':~:.'),
          why
        )
      )
    end
    return reply({ saved = false, reason = why })
  end
  failed[bufnr] = nil
  reply({ saved = true })
end

---acp/reload
---@param params {uri: string}
---@param reply fun(result: table)
function M.on_reload(params, reply)
  local doc = documents.by_uri(params.uri)
  if not doc or vim.bo[doc.bufnr].modified then
    return reply({ reloaded = false })
  end
  typing.when_free({ { bufnr = doc.bufnr } }, function()
    doc = documents.by_uri(params.uri)
    if not doc or vim.bo[doc.bufnr].modified then
      return reply({ reloaded = false })
    end
    local why
    views.keep_insertion(doc.bufnr, function()
      why = reading.reload(doc.bufnr)
    end)
    reply({ reloaded = why ~= 'deleted' and not vim.bo[doc.bufnr].modified })
  end)
end

---Makes what the disk has the text of a buffer, whatever is in it, as a step that
---can be undone.
---@param bufnr integer
---@param unsaved table<string, any> options: 'reload' would read the file as if it had them
---@return boolean
local function take_disk(bufnr, unsaved)
  local undoreload = vim.o.undoreload
  vim.o.undoreload = -1 -- keep the old text, however long it is
  local answer = (unsaved.fileformat or unsaved.fileencoding) and 'edit' or 'reload'
  local why = reading.checktime(bufnr, answer)
  if not why or why == 'created' then -- Neovim knew of the change, or must not look
    reading.reread(bufnr)
  end
  vim.o.undoreload = undoreload
  return why ~= 'deleted'
end

---@param bufnr integer
---@param text string
---@return boolean
local function adopt(bufnr, text)
  local adopted, unsaved = false, unsaved_options(bufnr)
  local before = api.nvim_buf_get_lines(bufnr, 0, -1, false)
  edit.break_undo(bufnr)
  views.keep_insertion(bufnr, function()
    adopted = formats.turn(bufnr, function()
      return take_disk(bufnr, unsaved)
        and pcall(documents.as_one_change, function()
          local rows, eol = {}, vim.bo[bufnr].endofline
          if text ~= '' then -- in the format that the file now has, if it can be
            rows, eol = textedit.take_format(bufnr, text)
          end
          -- The marks are on the numbers of their rows in the text that was there: from that they
          -- are moved, as the places in the quickfix and the jump list are.
          lines.set_under('keepjumps lockmarks', bufnr, before)
          lines.set_under('keepjumps', bufnr, rows)
          vim.bo[bufnr].endofline = eol
        end)
    end)
    unsaved.fileformat = nil -- the text says it
    for name, value in pairs(unsaved) do
      vim.bo[bufnr][name] = value
    end
  end)
  edit.break_undo(bufnr)
  return adopted
end

---Makes the disk's state the base of a text that has taken it in already.
---@param bufnr integer
function M.take_base(bufnr)
  adopt(bufnr, documents.whole_text(bufnr))
end

---acp/adopt: the disk's state becomes the base, text the content, in one tick. If the disk has
---gone on since the text was made that is not done.
---@param params {uri: string, version: integer, text: string, disk: string?}
---@param reply fun(result: table)
function M.on_adopt(params, reply)
  local function ready()
    local doc = documents.by_uri(params.uri)
    local there = doc and documents.version(doc) == params.version
    if doc and there and vim.bo[doc.bufnr].modifiable and overwrite.has(doc.bufnr, params.disk) then
      return doc
    end
    client.flush()
    reply({ adopted = false })
  end
  local doc = ready()
  if doc then
    typing.when_free({ { bufnr = doc.bufnr } }, function()
      doc = ready()
      if doc then
        local adopted = adopt(doc.bufnr, params.text)
        overwrite.contains(doc.bufnr, params.disk) -- it may have gone on just before it was read
        client.flush()
        reply({ adopted = adopted })
      end
    end)
  end
end

return M
