---Files behind buffers: saves, reloads, and changes on disk under unsaved text. All
---requests are answered with what really happened.
local client = require('acp.client')
local documents = require('acp.documents')
local edit = require('acp.edit')
local formats = require('acp.formats')
local insertion = require('acp.insertion')
local overwrite = require('acp.overwrite')
local textedit = require('acp.textedit')
local typing = require('acp.typing')
local util = require('acp.util')

local M = {}
local api = vim.api
local ns = api.nvim_create_namespace('acp.disk')

---Keeps the cursors of a buffer's windows with their text while fn changes it, as
---formatters do that move the cursor of whoever is typing.
---@param bufnr integer
---@param fn fun()
local function keep_cursors(bufnr, fn)
  local saved = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local cursor = api.nvim_win_get_cursor(win)
    local line = api.nvim_buf_get_lines(bufnr, cursor[1] - 1, cursor[1], false)[1] or ''
    local top = vim.fn.getwininfo(win)[1].topline
    saved[win] = {
      cursor = api.nvim_buf_set_extmark(bufnr, ns, cursor[1] - 1, math.min(cursor[2], #line), {}),
      top = api.nvim_buf_set_extmark(bufnr, ns, top - 1, 0, {}),
    }
  end
  local ok, err = pcall(fn)
  for win, marks in pairs(saved) do
    local at = api.nvim_buf_get_extmark_by_id(bufnr, ns, marks.cursor, {})
    local top = api.nvim_buf_get_extmark_by_id(bufnr, ns, marks.top, {})
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == bufnr and at[1] then
      api.nvim_win_call(win, function()
        vim.fn.winrestview({ lnum = at[1] + 1, col = at[2], topline = (top[1] or 0) + 1 })
      end)
    end
  end
  api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
  if not ok then
    error(err, 0)
  end
end

---What is done about a file that has changed on disk, while we look at it ourselves.
---@type ''|'reload'|'edit'|nil
local choice
---@type string? v:fcs_reason of the last time
local reason

---Whether someone else decides, too.
---@param bufnr integer
---@return boolean
local function others_decide(bufnr)
  for _, autocmd in ipairs(api.nvim_get_autocmds({ event = 'FileChangedShell' })) do
    local ours = autocmd.group_name == 'acp.disk'
    if not ours and (not autocmd.buflocal or autocmd.buffer == bufnr) then
      return true
    end
  end
  return false
end

---Buffers that were opened when there was no file of their name, and have been neither
---written nor read since.
---@type table<integer, true>
local fresh = {}

---Whether there is a file by now that a buffer was opened without. Neovim must not look
---(checktime): it would ask whether to load it (W13), of which no event tells, and take the
---user's keys.
---@param bufnr integer
---@return boolean
local function created(bufnr)
  return fresh[bufnr] ~= nil and vim.uv.fs_stat(api.nvim_buf_get_name(bufnr)) ~= nil
end

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
  if not vim.uv.fs_stat(api.nvim_buf_get_name(bufnr)) then
    fresh[bufnr] = true
  end
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
        fresh[bufnr], saved_options[bufnr] = nil, nil
        textedit.turned(bufnr, '', nil)
        overwrite.forget(bufnr)
      elseif args.event == 'BufWritePost' and vim.bo[bufnr].modified then
        return -- not written: Neovim tells so as well if the user has said no to its question
      elseif args.event == 'BufReadPost' or own and own == vim.uv.fs_realpath(args.match) then
        fresh[bufnr] = nil
        note_options(bufnr)
        overwrite.note(bufnr, args.event)
      end
    end,
  })
  api.nvim_create_autocmd('FileChangedShell', {
    group = group,
    buffer = bufnr,
    callback = function()
      reason = vim.v.fcs_reason
      if choice then
        vim.v.fcs_choice = reason == 'deleted' and '' or choice
      elseif reason == 'conflict' and require('acp.session').working() then
        vim.v.fcs_choice = ''
      elseif not others_decide(bufnr) then
        -- As if we were not here, but for a mode that was rejected, or comes from an agent.
        vim.v.fcs_choice = reason == 'conflict' and overwrite.same(bufnr) and '' or 'ask'
      end
    end,
  })
end

---Looks whether a buffer's file has changed.
---@param bufnr integer
---@param answer ''|'reload'|'edit' what to do if Neovim would ask
---@return string? reason why it would have; or 'created', and it has not looked
local function checktime(bufnr, answer)
  if created(bufnr) then
    return 'created'
  elseif overwrite.writing(bufnr) then
    return not vim.uv.fs_stat(api.nvim_buf_get_name(bufnr)) and 'deleted' or nil -- it does nothing
  end
  choice, reason = answer, nil
  local autoread = vim.bo[bufnr].autoread
  if answer == 'edit' then
    vim.bo[bufnr].autoread = false -- or it does not ask, and keeps the encoding
  end
  pcall(vim.cmd, ('silent! checktime %d'):format(bufnr))
  if answer == 'edit' then
    api.nvim_buf_call(bufnr, function()
      vim.cmd(autoread == vim.go.autoread and 'setlocal autoread<' or 'setlocal autoread')
    end)
  end
  choice = nil
  return reason
end

---@param a string[]
---@param b string[]
---@return integer[][] hunks of vim.diff: start and count of old, then of new lines
local function differences(a, b)
  -- Only what lies between the first and the last line that differ: a text can be large.
  local most = math.min(#a, #b)
  local head, tail = 0, 0
  while head < most and a[head + 1] == b[head + 1] do
    head = head + 1
  end
  while tail < most - head and a[#a - tail] == b[#b - tail] do
    tail = tail + 1
  end
  local old_count, new_count = #a - tail - head, #b - tail - head
  if old_count == 0 and new_count == 0 then
    return {}
  elseif old_count == 0 or new_count == 0 then
    local old_start, new_start = math.min(old_count, 1), math.min(new_count, 1)
    return { { head + old_start, old_count, head + new_start, new_count } }
  end
  local diff = vim.text and vim.text.diff or vim.diff
  local old = table.concat(a, '\n', head + 1, #a - tail) .. '\n'
  local new = table.concat(b, '\n', head + 1, #b - tail) .. '\n'
  local hunks = diff(old, new, { result_type = 'indices' }) --[[@as integer[][] ]]
  for _, hunk in ipairs(hunks) do
    hunk[1], hunk[3] = hunk[1] + head, hunk[3] + head
  end
  return hunks
end
M.differences = differences

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

---@param hunks integer[][]
---@return acp.Moved
local function mover(hunks)
  return function(row)
    local kept = true
    for _, hunk in ipairs(hunks) do
      local first, count, _, new_count = unpack(hunk)
      if count > 0 and row + 1 >= first + new_count and row + 1 < first + count then
        kept = false
      end
    end
    return M.map_line(hunks, row + 1) - 1, kept
  end
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
  saving = true
  local ok, err = pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd('silent update')
  end)
  saving = false
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
  local moved = checktime(bufnr, '')
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
    keep_cursors(bufnr, function()
      documents.as_saving(bufnr, function()
        write(bufnr, params.format ~= false)
      end)
    end)
    return before and mover(differences(before, api.nvim_buf_get_lines(bufnr, 0, -1, false)))
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

---Runs fn, which replaces the text of a buffer, and puts what the buffer's windows
---show back to where that text is then.
---@param bufnr integer
---@param fn fun()
---@return integer[][] what has changed, as of differences
local function keep_views(bufnr, fn)
  local before = api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    views[win] = api.nvim_win_call(win, vim.fn.winsaveview)
  end
  fn()
  local hunks = differences(before, api.nvim_buf_get_lines(bufnr, 0, -1, false))
  for win, view in pairs(views) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == bufnr then
      view.topline = math.max(M.map_line(hunks, view.topline), 1)
      view.lnum = math.max(M.map_line(hunks, view.lnum), 1)
      api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
  return hunks
end

---keep_views, for somebody who may be inserting text as well.
---@param bufnr integer
---@param fn fun()
local function keep_insertion(bufnr, fn)
  if #vim.fn.win_findbuf(bufnr) == 0 then
    fn() -- nobody sees it
  elseif bufnr ~= api.nvim_get_current_buf() then
    keep_views(bufnr, fn)
  else
    insertion.keep(function()
      return mover(keep_views(bufnr, fn))
    end)
  end
end

---@param bufnr integer
---@return string? bytes of its file
local function file_bytes(bufnr)
  local file = io.open(api.nvim_buf_get_name(bufnr), 'rb')
  local bytes = file and file:read('*a')
  if file then
    file:close()
  end
  return bytes
end

---The format in which a buffer shows the line ends that its file has now; nil if that is the
---one it has. A file that is read anew keeps the format, and in DOS shows no row that has no
---carriage return, nor would it be written so again. Files of the format mac, and rows that
---the user has opened with their carriage returns in them, are left as they are.
---@param bufnr integer
---@return 'dos'|'unix'|nil
local function format_needed(bufnr)
  local bo = vim.bo[bufnr]
  local format = bo.fileformat
  if format == 'mac' or bo.fileencoding:find('^u[ct][sf]%-?[1-4]') then
    return nil -- in wide characters line ends are not these bytes
  end
  local bytes = file_bytes(bufnr)
  if not bytes or not bytes:find('\n', 1, true) then
    return nil
  end
  local bare = bytes:sub(1, 1) == '\n' or bytes:find('[^\r]\n') ~= nil
  if bare == (format == 'unix') then
    return nil
  elseif bare then
    return 'unix'
  end
  local ended, returns = textedit.count_ends(bufnr)
  return (ended == 0 or returns < ended) and 'dos' or nil
end

---Runs fn, which has Neovim read a buffer's file anew, so that it is read in a format.
---@param bufnr integer
---@param format string?
---@param fn fun(): string?
---@return string?
local function in_format(bufnr, format, fn)
  local was, ignored = vim.bo[bufnr].fileformat, vim.o.eventignore
  if not format then
    return fn()
  end
  vim.opt.eventignore:append('OptionSet') -- the text is not turned, it is read
  vim.bo[bufnr].fileformat = format
  vim.o.eventignore = ignored
  local why = fn()
  if why == 'deleted' or not why then
    vim.opt.eventignore:append('OptionSet')
    vim.bo[bufnr].fileformat = was
    vim.o.eventignore = ignored
  else
    textedit.turned(bufnr, was, format)
  end
  return why
end

---Reads a buffer's file anew although Neovim takes it for known. With its
---autocommands: `:edit` detaches every language server and parser from the buffer,
---and it is by these events that they come back. The format mac is not found out by
---itself, mostly: it is kept.
---@param bufnr integer
---@param format string?
local function reread(bufnr, format)
  format = vim.bo[bufnr].fileformat == 'mac' and 'mac' or format
  pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd(format and 'silent edit! ++ff=' .. format or 'silent edit!')
  end)
  client.attach(bufnr)
end

---Whether a buffer that is UTF-8 has a file which is not any more: read as before it
---would be full of question marks, and readonly.
---@param bufnr integer
---@return boolean
local function lost_encoding(bufnr)
  local encoding = vim.bo[bufnr].fileencoding
  local bytes = (encoding == '' or encoding == 'utf-8') and file_bytes(bufnr)
  if not bytes or not bytes:find('[\128-\255]') then
    return false
  end
  local rest = bytes
    :gsub('[\194-\223][\128-\191]', ' ')
    :gsub('[\224-\239][\128-\191][\128-\191]', ' ')
    :gsub('[\240-\244][\128-\191][\128-\191][\128-\191]', ' ')
  return rest:find('[\128-\255]') ~= nil
end

---@param bufnr integer
---@param answer 'reload'|'edit'
---@param format string?
---@return string? reason of checktime
local function read_anew(bufnr, answer, format)
  local why = in_format(bufnr, format, function()
    return checktime(bufnr, answer)
  end)
  if why == 'created' or overwrite.writing(bufnr) then
    reread(bufnr)
  elseif not why and format_needed(bufnr) then
    local was, now = vim.bo[bufnr].fileformat, format_needed(bufnr)
    reread(bufnr, now) -- Neovim has read it by itself
    textedit.turned(bufnr, was, now)
  end
  return why
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
    keep_insertion(doc.bufnr, function()
      -- 'edit' finds the encoding out anew; the user may have chosen what 'reload' keeps.
      local answer = lost_encoding(doc.bufnr) and 'edit' or 'reload'
      local format = answer == 'reload' and format_needed(doc.bufnr) or nil
      why = formats.turn(doc.bufnr, function()
        return read_anew(doc.bufnr, answer, format)
      end)
    end)
    reply({ reloaded = why ~= 'deleted' and not vim.bo[doc.bufnr].modified })
  end)
end

---Replaces the lines of a buffer, touching only those that differ, so that
---marks elsewhere stay.
---@param bufnr integer
---@param lines string[]
local function set_lines(bufnr, lines)
  local hunks = differences(api.nvim_buf_get_lines(bufnr, 0, -1, false), lines)
  for i = #hunks, 1, -1 do
    local old_start, old_count, new_start, new_count = unpack(hunks[i])
    local first = old_count == 0 and old_start or old_start - 1
    local new = vim.list_slice(lines, new_start, new_start + new_count - 1)
    api.nvim_buf_set_lines(bufnr, first, first + old_count, false, new_count == 0 and {} or new)
  end
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
  local why = checktime(bufnr, answer)
  if not why or why == 'created' then -- Neovim knew of the change, or must not look
    reread(bufnr)
  end
  vim.o.undoreload = undoreload
  return why ~= 'deleted'
end

---@param bufnr integer
---@param text string
---@return boolean
local function adopt(bufnr, text)
  local adopted, unsaved = false, unsaved_options(bufnr)
  edit.break_undo(bufnr)
  keep_insertion(bufnr, function()
    adopted = formats.turn(bufnr, function()
      return take_disk(bufnr, unsaved)
        and pcall(documents.as_one_change, function()
          local lines, eol = {}, vim.bo[bufnr].endofline
          if text ~= '' then -- in the format that the file now has, if it can be
            lines, eol = textedit.take_format(bufnr, text)
          end
          set_lines(bufnr, lines)
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
