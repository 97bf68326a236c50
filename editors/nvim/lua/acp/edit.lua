---Changes of buffers on behalf of acp-ls: edits, saves, reloads. All of them
---answer what really happened. Neovim's own handler says applied:true of an edit
---it has dropped.
local client = require('acp.client')
local documents = require('acp.documents')
local textedit = require('acp.textedit')

local M = {}
local ns = vim.api.nvim_create_namespace('acp.edit')

---Closes the undo step that is open, so that what follows is a step of its own
---and the user's typing stays another. (Setting the option does it.)
---@param bufnr integer
local function break_undo(bufnr)
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
end

---Runs fn as one undo step. While the buffer is read-only Neovim would show a
---warning and wait a second at the first change.
---@param bufnr integer
---@param fn fun()
local function as_one_change(bufnr, fn)
  local readonly = vim.bo[bufnr].readonly
  break_undo(bufnr)
  vim.bo[bufnr].readonly = false
  local ok, err = pcall(documents.as_one_change, fn)
  vim.bo[bufnr].readonly = readonly
  break_undo(bufnr)
  if not ok then
    error(err, 0)
  end
end

---@class acp.TextDocumentEdit
---@field textDocument {uri: string, version: integer?}
---@field edits table[]
---@field kind string?

---Why an edit cannot be applied as it stands; nil if it can.
---@param change acp.TextDocumentEdit
---@return string?
---@return acp.Document?
local function refusal(change)
  if change.kind then
    return ('%s of files is left to acp-ls'):format(change.kind)
  end
  local doc = documents.by_uri(change.textDocument.uri)
  if not doc then
    return change.textDocument.uri .. ' is not open'
  end
  local version = change.textDocument.version
  if not version then
    return 'the edit has no version'
  end
  local current = documents.version(doc)
  if not current then
    return 'the buffer has just been changed'
  end
  if version ~= current then
    return ('the edit is for version %d, the buffer is at %d'):format(version, current)
  end
  if not vim.bo[doc.bufnr].modifiable then
    return 'the buffer is not modifiable'
  end
  return nil, doc
end

---Keeps the cursors of a buffer's windows with their text while fn changes it, as
---formatters do that move the cursor of whoever is typing.
---@param bufnr integer
---@param fn fun()
local function keep_cursors(bufnr, fn)
  local saved = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local cursor = vim.api.nvim_win_get_cursor(win)
    local line = vim.api.nvim_buf_get_lines(bufnr, cursor[1] - 1, cursor[1], false)[1] or ''
    local top = vim.fn.getwininfo(win)[1].topline
    saved[win] = {
      cursor = vim.api.nvim_buf_set_extmark(
        bufnr,
        ns,
        cursor[1] - 1,
        math.min(cursor[2], #line),
        {}
      ),
      top = vim.api.nvim_buf_set_extmark(bufnr, ns, top - 1, 0, {}),
    }
  end
  local ok, err = pcall(fn)
  for win, marks in pairs(saved) do
    local at = vim.api.nvim_buf_get_extmark_by_id(bufnr, ns, marks.cursor, {})
    local top = vim.api.nvim_buf_get_extmark_by_id(bufnr, ns, marks.top, {})
    if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == bufnr and at[1] then
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview({ lnum = at[1] + 1, col = at[2], topline = (top[1] or 0) + 1 })
      end)
    end
  end
  vim.api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
  if not ok then
    error(err, 0)
  end
end

---workspace/applyEdit. All of it is checked before any of it is applied.
---@param params {label: string?, edit: table}
---@param reply fun(result: table)
function M.on_apply_edit(params, reply)
  local edit = params.edit or {}
  ---@type acp.TextDocumentEdit[]
  local changes = edit.documentChanges or {}
  if edit.changes and next(edit.changes) then
    return reply({ applied = false, failureReason = 'an edit without versions is not applied' })
  end
  local docs, seen = {}, {}
  for i, change in ipairs(changes) do
    local why, doc = refusal(change)
    if doc and seen[doc.bufnr] then
      why = 'one document is edited twice'
    end
    if why then
      client.flush() -- so that acp-ls can try again at once
      return reply({ applied = false, failureReason = why, failedChange = i - 1 })
    end
    docs[i] = doc
    seen[docs[i].bufnr] = true
  end
  local lsp = client.get()
  local encoding = lsp and lsp.offset_encoding or 'utf-16'
  for i, change in ipairs(changes) do
    local ok, err = pcall(as_one_change, docs[i].bufnr, function()
      textedit.apply(docs[i].bufnr, change.edits, encoding)
    end)
    if not ok then
      client.flush()
      return reply({ applied = false, failureReason = tostring(err), failedChange = i - 1 })
    end
  end
  client.flush()
  reply({ applied = true })
end

---What is done about a file that has changed on disk, while we look at it ourselves.
---@type ''|'reload'|nil
local choice
---@type string? v:fcs_reason of the last time
local reason

---Whether someone else decides, too.
---@param bufnr integer
---@return boolean
local function others_decide(bufnr)
  for _, autocmd in ipairs(vim.api.nvim_get_autocmds({ event = 'FileChangedShell' })) do
    local ours = autocmd.group_name == 'acp.edit'
    if not ours and (not autocmd.buflocal or autocmd.buffer == bufnr) then
      return true
    end
  end
  return false
end

---Answers Neovim's question what to do about a file that has changed on disk under
---unsaved changes, which would take the user's keys: nothing. acp-ls has seen the
---change too, and merges it (acp/adopt).
---@param bufnr integer
function M.watch_disk(bufnr)
  local group = vim.api.nvim_create_augroup('acp.edit', { clear = false })
  vim.api.nvim_clear_autocmds({ group = group, buffer = bufnr })
  vim.api.nvim_create_autocmd('FileChangedShell', {
    group = group,
    buffer = bufnr,
    callback = function()
      reason = vim.v.fcs_reason
      if choice then
        vim.v.fcs_choice = reason == 'deleted' and '' or choice
      elseif reason == 'conflict' then
        vim.v.fcs_choice = ''
      elseif not others_decide(bufnr) then
        vim.v.fcs_choice = 'ask' -- as if we were not here
      end
    end,
  })
end

---Looks whether a buffer's file has changed.
---@param bufnr integer
---@param answer ''|'reload' what to do if Neovim would ask
---@return string? reason why it would have
local function checktime(bufnr, answer)
  choice, reason = answer, nil
  pcall(vim.cmd, ('silent! checktime %d'):format(bufnr))
  choice = nil
  return reason
end

---acp/save: as the user would, autocommands and all. A file that has changed on
---disk is not written: Neovim would ask, and what is there would be lost.
---@param params {uri: string}
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
  local moved = checktime(bufnr, '')
  if moved and moved ~= 'time' and moved ~= 'mode' then
    return reply({ saved = false, reason = 'the file has changed on disk' })
  end
  local ok, err = pcall(keep_cursors, bufnr, function()
    vim.api.nvim_buf_call(bufnr, function()
      vim.cmd('silent update')
    end)
  end)
  client.flush()
  if not ok or vim.bo[bufnr].modified then
    local why = ok and 'the buffer is still modified' or tostring(err):gsub('^.*(E%d+:)', '%1')
    return reply({ saved = false, reason = why })
  end
  reply({ saved = true })
end

---@param a string[]
---@param b string[]
---@return integer[][] hunks of vim.diff: start and count of old, then of new lines
local function differences(a, b)
  local diff = vim.text and vim.text.diff or vim.diff
  local old, new = table.concat(a, '\n') .. '\n', table.concat(b, '\n') .. '\n'
  return diff(old, new, { result_type = 'indices' }) --[[@as integer[][] ]]
end

---Where a line of the old text is in the new one.
---@param hunks integer[][]
---@param lnum integer 1-based
---@return integer
function M.map_line(hunks, lnum)
  local shift = 0
  for _, hunk in ipairs(hunks) do
    local old_start, old_count, _, new_count = unpack(hunk)
    local first = old_count == 0 and old_start + 1 or old_start
    if lnum < first then
      break
    end
    if lnum < first + old_count then -- inside: as far down as the new lines go
      return first + shift + math.min(lnum - first, math.max(new_count - 1, 0))
    end
    shift = shift + new_count - old_count
  end
  return lnum + shift
end

---Runs fn, which replaces the text of a buffer, and puts what the buffer's windows
---show back to where that text is then.
---@param bufnr integer
---@param fn fun()
local function keep_views(bufnr, fn)
  local before = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    views[win] = vim.api.nvim_win_call(win, vim.fn.winsaveview)
  end
  fn()
  local hunks = differences(before, vim.api.nvim_buf_get_lines(bufnr, 0, -1, false))
  for win, view in pairs(views) do
    if vim.api.nvim_win_is_valid(win) and vim.api.nvim_win_get_buf(win) == bufnr then
      view.topline = math.max(M.map_line(hunks, view.topline), 1)
      view.lnum = math.max(M.map_line(hunks, view.lnum), 1)
      vim.api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
end

---acp/reload
---@param params {uri: string}
---@param reply fun(result: table)
function M.on_reload(params, reply)
  local doc = documents.by_uri(params.uri)
  if not doc or vim.bo[doc.bufnr].modified then
    return reply({ reloaded = false })
  end
  local why
  keep_views(doc.bufnr, function()
    why = checktime(doc.bufnr, 'reload')
  end)
  reply({ reloaded = why ~= 'deleted' and not vim.bo[doc.bufnr].modified })
end

---Replaces the lines of a buffer, touching only those that differ, so that
---marks elsewhere stay.
---@param bufnr integer
---@param lines string[]
local function set_lines(bufnr, lines)
  local hunks = differences(vim.api.nvim_buf_get_lines(bufnr, 0, -1, false), lines)
  for i = #hunks, 1, -1 do
    local old_start, old_count, new_start, new_count = unpack(hunks[i])
    local first = old_count == 0 and old_start or old_start - 1
    local new = vim.list_slice(lines, new_start, new_start + new_count - 1)
    vim.api.nvim_buf_set_lines(bufnr, first, first + old_count, false, new_count == 0 and {} or new)
  end
end

---Reads a buffer's file anew although Neovim takes it for known. With its
---autocommands: `:edit` detaches every language server and parser from the buffer,
---and it is by these events that they come back.
---@param bufnr integer
local function reread(bufnr)
  pcall(vim.api.nvim_buf_call, bufnr, function()
    vim.cmd('silent edit!')
  end)
  client.attach(bufnr)
end

---Makes what the disk has the text of a buffer, whatever is in it, as a step that
---can be undone.
---@param bufnr integer
---@return boolean
local function take_disk(bufnr)
  local undoreload = vim.o.undoreload
  vim.o.undoreload = -1 -- keep the old text, however long it is
  local why = checktime(bufnr, 'reload')
  if not why then -- Neovim knew of the change: it does not read the file for that
    reread(bufnr)
  end
  vim.o.undoreload = undoreload
  return why ~= 'deleted'
end

---acp/adopt: the disk's state becomes the base, text the content, in one tick.
---@param params {uri: string, version: integer, text: string}
---@param reply fun(result: table)
function M.on_adopt(params, reply)
  local doc = documents.by_uri(params.uri)
  if not doc or documents.version(doc) ~= params.version or not vim.bo[doc.bufnr].modifiable then
    client.flush()
    return reply({ adopted = false })
  end
  local bufnr = doc.bufnr
  local text = params.text:gsub('\r\n', '\n')
  local eol = text:sub(-1) == '\n'
  local lines = vim.split(eol and text:sub(1, -2) or text, '\n', { plain = true })
  local adopted = false
  break_undo(bufnr)
  keep_views(bufnr, function()
    if take_disk(bufnr) then
      adopted = pcall(documents.as_one_change, function()
        set_lines(bufnr, lines)
      end)
      vim.bo[bufnr].endofline = eol
    end
  end)
  break_undo(bufnr)
  client.flush()
  reply({ adopted = adopted })
end

return M
