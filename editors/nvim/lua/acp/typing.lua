---What the user is in the middle of. An edit that would spoil it waits, and one that
---comes meanwhile leaves it as it was: a selection stays on its text, and what is
---typed does not end in somebody else's row.
---
---Neovim keeps row numbers where a buffer must not be changed under them: of the rows
---in which an insertion is repeated at its end, of where an operator began, of what a
---completion replaces. It keeps others to itself that a user has in mind: of a
---command being typed, of a question whether to substitute.
local editor = require('acp.editor')
local insertion = require('acp.insertion')
local util = require('acp.util')

local M = {}
local api = vim.api
local ns = api.nvim_create_namespace('acp.typing')
local ns_keys = api.nvim_create_namespace('acp.typing.keys')

---Milliseconds without a key after which a row, or a selection, is not being worked on.
M.pause = 1500

---Milliseconds after an undo in which it may be redone, as long as nobody has changed the text.
M.undo_pause = 5000

---An insertion is under way that is repeated in other rows when it ends: true, or b:changedtick
---when its mode has ended and nothing is repeated yet (|InsertLeave| comes in between).
---@type boolean|integer
local block = false

---@param bufnr integer
---@return boolean
local function repeating(bufnr)
  if type(block) == 'number' then
    return block == api.nvim_buf_get_changedtick(bufnr)
  end
  return block --[[@as boolean]]
end

---@class acp.Held
---@field what {bufnr: integer, edits: table[]?}[]
---@field fn fun()

---@type acp.Held[]
local held = {}

---Rows that an edit changes: from one to another, exclusive. New rows change none.
---@param edit table LSP TextEdit
---@return integer
---@return integer
local function rows(edit)
  local from, to = edit.range.start, edit.range['end']
  return from.line, to.character > 0 and to.line + 1 or to.line
end

---@param edits table[]
---@param from integer
---@param to integer inclusive
---@return boolean
local function touches(edits, from, to)
  for _, edit in ipairs(edits) do
    local first, last = rows(edit)
    if first <= to and last > from then
      return true
    end
  end
  return false
end

---@param edits table[]
---@param row integer
---@return boolean # whether one of them may move a row
local function moves(edits, row)
  for _, edit in ipairs(edits) do
    if edit.range.start.line <= row then
      return true
    end
  end
  return false
end

---@param mode string
---@return boolean
local function selecting(mode)
  return mode:match('^[vVsS\22\19]') ~= nil
end

---Whether what a command that is being typed would do may be shown ('inccommand'). Neovim tells
---of no change that is made in any buffer then, and acp-ls would not know of it.
---@return boolean
local function previewing()
  return vim.o.inccommand ~= ''
    and api.nvim_get_mode().mode:match('^c') ~= nil
    and vim.fn.getcmdtype() == ':'
end

---Why the user must not be disturbed in a buffer; nil if they may be.
---@param bufnr integer
---@param edits table[]? LSP TextEdits; nil: all of it may become another
---@return string?
function M.busy(bufnr, edits)
  if previewing() then
    return 'a command is being typed'
  elseif bufnr ~= api.nvim_get_current_buf() then
    return
  end
  local mode = api.nvim_get_mode().mode
  if mode:match('^no') then
    return 'an operator waits for its motion'
  elseif mode:match('^c') or mode == 'r?' then
    return 'a command is being typed'
  elseif repeating(bufnr) then
    return 'an insertion in several rows is under way'
  elseif mode:match('^R') then
    return 'text is being replaced'
  elseif not edits and selecting(mode) then
    return 'text is selected'
  end
  local from, to = vim.fn.line('v') - 1, vim.fn.line('.') - 1
  if from > to then
    from, to = to, from
  end
  if mode:match('^i[cx]') and (not edits or moves(edits, to)) then
    return 'a completion is under way'
  end
  local working = mode:match('^i') or selecting(mode)
  if working and edits and editor.since_typed() < M.pause and touches(edits, from, to) then
    return 'you are working on these lines'
  end
end

---Whether the user has undone something a moment ago, and can redo it. A change by somebody else
---would be the newest one: <C-r> would bring back nothing then.
---@param bufnr integer
---@return boolean
local function undoing(bufnr)
  if
    bufnr ~= api.nvim_get_current_buf()
    or editor.since_undone() >= M.undo_pause
    or require('acp.client').deciding()
    or require('acp.overwrite').writing(bufnr)
  then
    return false
  end
  local tree = vim.fn.undotree()
  return tree.seq_cur < tree.seq_last
end

---@param item acp.Held
---@return string?
local function reason(item)
  for _, what in ipairs(item.what) do
    local why = M.busy(what.bufnr, what.edits)
      or undoing(what.bufnr) and 'you have just undone something'
      or nil
    if why then
      return why
    end
  end
end

local due = false

---Lets go what may be made now.
local function release()
  due = false
  local list = held
  held = {}
  for _, item in ipairs(list) do
    if reason(item) then
      held[#held + 1] = item
    else
      item.fn()
    end
  end
  if #held > 0 then
    M.look_again(M.pause)
  end
end

---@param after integer milliseconds
function M.look_again(after)
  if not due then
    due = true
    vim.defer_fn(release, after)
  end
end

---Calls fn, now or when the user may be disturbed in all of the buffers.
---@param what {bufnr: integer, edits: table[]?}[]
---@param fn fun()
function M.when_free(what, fn)
  local item = { what = what, fn = fn }
  if not reason(item) then
    return fn()
  end
  held[#held + 1] = item
  M.look_again(M.pause)
  vim.defer_fn(function()
    if vim.tbl_contains(held, item) then
      local why = reason(item)
      if why and not api.nvim_get_mode().mode:match('^[cr]') then -- there nothing can be shown
        util.notify('a change by an agent waits: ' .. why)
      end
    end
  end, 2 * M.pause)
end

---How many changes wait.
---@return integer
function M.held()
  return #held
end

---Has to be called before there is anything to be disturbed.
function M.watch()
  local group = api.nvim_create_augroup('acp.typing', {})
  api.nvim_create_autocmd('ModeChanged', {
    group = group,
    callback = function()
      local old, new = vim.v.event.old_mode, vim.v.event.new_mode
      if new:match('^[iR]') then
        block = old == '\22' or block == true
      elseif block == true then
        block = api.nvim_buf_get_changedtick(0)
      else
        block = false
      end
      if #held > 0 then
        vim.schedule(release) -- an insertion is repeated right after its mode has ended
      end
    end,
  })
  api.nvim_create_autocmd('SafeState', {
    group = group,
    callback = function()
      if type(block) == 'number' then -- nothing was to be repeated
        block = false
      end
    end,
  })
  api.nvim_create_autocmd({ 'BufEnter', 'WinEnter' }, {
    group = group,
    callback = function()
      if #held > 0 then
        vim.schedule(release)
      end
    end,
  })
end

---Puts the ends of the selection where they belong. The cursor's end is set last.
---@param anchor integer[] row (0-based), byte
---@param cursor integer[]
---@param curswant integer
local function set_selection(anchor, cursor, curswant)
  local mode = api.nvim_get_mode().mode
  local swap = 'normal! o'
  if mode:match('^[sS\19]') then -- there the key would replace what is selected
    swap = 'normal! \7o\7'
  end
  vim.fn.winrestview({ lnum = anchor[1] + 1, col = anchor[2] })
  vim.cmd(swap)
  vim.fn.winrestview({ lnum = cursor[1] + 1, col = cursor[2], curswant = curswant })
end

---@param bufnr integer
---@param apply fun(user_is_there: boolean): acp.Moved?
local function keep_selection(bufnr, apply)
  local function note(name)
    local at = vim.fn.getpos(name)
    local line = api.nvim_buf_get_lines(bufnr, at[2] - 1, at[2], false)[1] or ''
    local col = math.min(math.max(at[3] - 1, 0), #line)
    return { row = at[2] - 1, mark = api.nvim_buf_set_extmark(bufnr, ns, at[2] - 1, col, {}) }
  end
  local anchor, cursor = note('v'), note('.')
  local curswant = vim.fn.winsaveview().curswant
  local low, high = math.min(anchor.row, cursor.row), math.max(anchor.row, cursor.row)
  local moved = assert(apply(true))
  local first, last = nil, nil -- of the rows that are still there
  for row = low, high do
    local now, kept = moved(row)
    if kept then
      first = first or now
      last = now
    end
  end
  local function place(noted)
    local at = api.nvim_buf_get_extmark_by_id(bufnr, ns, noted.mark, {})
    local _, kept = moved(noted.row)
    if kept then
      return at
    elseif noted.row == low then
      return { first, 0 }
    end
    return { last, math.max(#api.nvim_buf_get_lines(bufnr, last, last + 1, false)[1] - 1, 0) }
  end
  if first then
    set_selection(place(anchor), place(cursor), curswant)
  else
    vim.cmd('normal! \27') -- nothing of it is left
    local row = math.min((moved(low)), api.nvim_buf_line_count(bufnr) - 1)
    api.nvim_win_set_cursor(0, { row + 1, 0 })
  end
  api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
end

---@class acp.Place a row that was taken from under whoever was typing in it
---@field bufnr integer
---@field mark integer
---@field below boolean it was the last one

local lost ---@type acp.Place?
local paste, paste_there ---@type function?, function? what vim.paste was, and is for us

local function forget_place()
  vim.on_key(nil, ns_keys)
  if paste and vim.paste == paste_there then
    vim.paste = paste
  end
  paste, paste_there = nil, nil
  if lost and api.nvim_buf_is_valid(lost.bufnr) then
    api.nvim_buf_del_extmark(lost.bufnr, ns_keys, lost.mark)
  end
  lost = nil
end

---Whether a key puts something into the text, or takes something out of it.
---@param key string
---@return boolean
local function writes(key)
  if key:sub(1, 1) == '\128' then -- a special key
    return key == '\128kb' or key == '\128kD'
  end
  return key ~= '\27' and key ~= '\3' and key ~= '\15'
end

---The row where the row was that was taken away, if whoever typed in it is still there.
---@return integer?
local function still_there()
  local place = assert(lost)
  if api.nvim_get_current_buf() == place.bufnr and api.nvim_get_mode().mode:match('^i') then
    local row = api.nvim_buf_get_extmark_by_id(place.bufnr, ns_keys, place.mark, {})[1]
    return row == api.nvim_win_get_cursor(0)[1] - 1 and row or nil
  end
end

---@param row integer
local function open_row(row)
  local place = assert(lost)
  forget_place()
  row = place.below and row + 1 or row
  api.nvim_buf_set_lines(place.bufnr, row, row, true, { '' })
  api.nvim_win_set_cursor(0, { row + 1, 0 })
end

---@param key string
local function on_key(key)
  if not lost or key == '' then
    return
  end
  local row = still_there()
  if not row then
    forget_place()
  elseif writes(key) then
    open_row(row)
  end
end

---A paste comes without keys.
local function watch_paste()
  local real = vim.paste
  paste = real
  paste_there = function(...)
    local row = lost and still_there()
    if row then
      open_row(row)
    else
      forget_place()
    end
    return real(...)
  end
  vim.paste = paste_there
end

---Whoever types in a row that is taken away goes on in a row of their own: it is put
---in with the first key, where the row was.
---@param bufnr integer
---@param apply fun(user_is_there: boolean): acp.Moved?
local function keep_row(bufnr, apply)
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local moved = assert(insertion.keep(function()
    return apply(true)
  end))
  local kept
  row, kept = moved(row)
  if kept then
    return
  end
  forget_place()
  local last = api.nvim_buf_line_count(bufnr) - 1
  local at = math.min(row, last)
  api.nvim_win_set_cursor(0, { at + 1, 0 })
  lost = {
    bufnr = bufnr,
    mark = api.nvim_buf_set_extmark(bufnr, ns_keys, at, 0, {}),
    below = row > last,
  }
  vim.on_key(on_key, ns_keys)
  watch_paste()
end

---Calls apply, which changes a buffer and tells where its rows are then, at least if it
---is called with true. What the user is in the middle of stays with its text.
---@param bufnr integer
---@param apply fun(user_is_there: boolean): acp.Moved?
function M.keep(bufnr, apply)
  if bufnr ~= api.nvim_get_current_buf() then
    apply(false)
    return
  end
  local mode = api.nvim_get_mode().mode
  if selecting(mode) then
    keep_selection(bufnr, apply)
  elseif mode:match('^i') then
    keep_row(bufnr, apply)
  else
    apply(false)
  end
end

return M
