---LSP text edits in a buffer, exactly. Neovim's own function guesses at the end of a
---file: 0.10 leaves an empty line behind what is added there, later ones take an
---empty line away and put it back.
local documents = require('acp.documents')
local formats = require('acp.formats')
local util = require('acp.util')

local M = {}
local api = vim.api
local ns = api.nvim_create_namespace('acp.textedit')

---@class acp.Replacement
---@field row integer 0-based
---@field col integer bytes
---@field end_row integer
---@field end_col integer
---@field lines string[]

---Byte offset of a column given in the units of an encoding; the line's end if it is
---past that.
---@param line string
---@param character integer
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return integer
local function byte(line, character, encoding)
  if encoding == 'utf-8' then
    return math.min(character, #line)
  end
  local ok, index
  if vim.fn.has('nvim-0.11') == 1 then
    ok, index = pcall(vim.str_byteindex, line, encoding, character, false)
  else
    ok, index = pcall(vim.str_byteindex, line, character, encoding == 'utf-16')
  end
  return ok and index or #line
end

---@param a {line: integer, character: integer}
---@param b {line: integer, character: integer}
---@return boolean
local function before(a, b)
  return a.line < b.line or a.line == b.line and a.character < b.character
end

---A text as a buffer of a file format has it, with "\n" between rows. In all formats but
---DOS a carriage return is a character as any other.
---@param text string
---@param format string
---@return string
local function feeds_only(text, format)
  return format == 'dos' and (text:gsub('\r\n', '\n')) or text
end

---The format in which a buffer can hold a text: DOS if all its rows end so, never if one
---does not; else the one it has.
---@param text string
---@param format string
---@return string
function M.format_for(text, format)
  local _, feeds = text:gsub('\n', '')
  local _, pairs = text:gsub('\r\n', '')
  if format == 'mac' or feeds == 0 then
    return format
  end
  return feeds == pairs and 'dos' or 'unix'
end

---The edits in ascending order, with byte columns. Those at one place keep the order
---they were given in.
---@param edits table[] LSP TextEdit, without the carriage returns of line ends
---@param line fun(row: integer): string
---@param count integer
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return {from: integer[], to: integer[], text: string}[]
local function resolve(edits, line, count, encoding)
  local order = {}
  for i, edit in ipairs(edits) do
    local from, to = edit.range.start, edit.range['end']
    if before(to, from) then
      from, to = to, from
    end
    order[i] = { from = from, to = to, text = edit.newText, index = i }
  end
  table.sort(order, function(a, b)
    if before(a.from, b.from) or before(b.from, a.from) then
      return before(a.from, b.from)
    end
    return a.index < b.index
  end)
  local function place(position)
    if position.line >= count then
      return { count, 0 }
    end
    return { position.line, byte(line(position.line), position.character, encoding) }
  end
  for i, edit in ipairs(order) do
    order[i] = {
      from = place(edit.from),
      to = place(edit.to),
      text = edit.text,
    }
  end
  return order
end

---What edits of a text come to in a buffer with its lines. The last line of a text
---that ends in a line end is empty, and no line of the buffer: the edits that touch
---it become one, of the buffer's last lines.
---@param edits table[] LSP TextEdit, without the carriage returns of line ends
---@param line fun(row: integer): string
---@param count integer
---@param eol boolean the text ends in a line end
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return acp.Replacement[] from the last to the first
---@return boolean eol of the text after it
---@return boolean empty nothing is left of it
function M.plan(edits, line, count, eol, encoding)
  local order = resolve(edits, line, count, encoding)
  local last = { count - 1, #line(count - 1) }
  local result = {}
  local function replace(from, to, text)
    result[#result + 1] = {
      row = from[1],
      col = from[2],
      end_row = to[1],
      end_col = to[2],
      lines = vim.split(text, '\n', { plain = true }),
    }
  end

  local start, tail ---@type integer[]?, string
  local empty = false
  local function at_end(place)
    return place[1] == count or not eol and vim.deep_equal(place, last)
  end
  while #order > 0 and at_end(order[#order].to) do
    local edit = table.remove(order)
    start, tail = edit.from, edit.text .. (tail or '')
  end
  if start then
    if start[1] == count then -- behind the text: its line end stays before it
      start, tail = last, (eol and '\n' or '') .. tail
    end
    -- what borders on it is one with it
    while #order > 0 and vim.deep_equal(order[#order].to, start) do
      local edit = table.remove(order)
      start, tail = edit.from, edit.text .. tail
    end
    if tail:sub(-1) == '\n' then
      eol, tail = true, tail:sub(1, -2)
    elseif tail == '' and start[2] == 0 and start[1] > 0 then
      start, eol = { start[1] - 1, #line(start[1] - 1) }, true
    elseif tail ~= '' or start[1] > 0 or start[2] > 0 then
      eol = false
    else
      empty = true
    end
    replace(start, last, tail)
  end
  for i = #order, 1, -1 do
    replace(order[i].from, order[i].to, order[i].text)
  end
  return result, eol, empty
end

---A replacement as one of whole rows, if it is that: from a row to another, exclusive,
---and what they become.
---@param r acp.Replacement
---@param line fun(row: integer): string
---@return integer? first
---@return integer? last
---@return string[]? lines
local function whole_rows(r, line)
  local n = #r.lines
  if r.col == 0 and r.end_col == 0 and r.lines[n] == '' then
    return r.row, r.end_row, vim.list_slice(r.lines, 1, n - 1)
  end
  if r.end_col == #line(r.end_row) then
    if r.col == 0 then
      return r.row, r.end_row + 1, r.lines
    elseif r.lines[1] == '' and r.col == #line(r.row) then
      return r.row + 1, r.end_row + 1, vim.list_slice(r.lines, 2)
    end
  end
end

---Whether a row can be said to have become another: half of it is the same.
---@param a string
---@param b string
---@return boolean
local function alike(a, b)
  local from, back = util.common(a, b)
  return (from + back) * 2 >= math.max(#a, #b)
end

---Rows that become others: those at the start, and those at the end.
---@param old string[]
---@param new string[]
---@return integer head
---@return integer tail
local function pairs_of(old, new)
  local most = math.min(#old, #new)
  local head, tail = 0, 0
  while head < most and alike(old[head + 1], new[head + 1]) do
    head = head + 1
  end
  while tail < most - head and alike(old[#old - tail], new[#new - tail]) do
    tail = tail + 1
  end
  return head, tail
end

---Makes a row another, where they differ only.
---@param bufnr integer
---@param row integer
---@param old string
---@param new string
local function change_row(bufnr, row, old, new)
  local from, back = util.common(old, new)
  if from + back < math.max(#old, #new) then
    local text = new:sub(from + 1, #new - back)
    api.nvim_buf_set_text(bufnr, row, from, row, #old - back, { text })
  end
end

---Longest run of rows that are changed one by one: each is a change of its own to all
---that listen, and each costs a walk over the buffer.
local few = 64

---Makes rows others of the same number. Rows that somebody is in are changed where
---they differ, the others as well unless there are too many.
---@param bufnr integer
---@param first integer
---@param old string[]
---@param new string[]
---@param watched table<integer, true> rows that somebody is in
local function change_rows(bufnr, first, old, new, watched)
  if #old <= few then
    for i = 1, #old do
      change_row(bufnr, first + i - 1, old[i], new[i])
    end
    return
  end
  local from = 1
  for i = 1, #old + 1 do
    local alone = watched[first + i - 1]
    if (alone or i > #old) and from < i then
      local run = vim.list_slice(new, from, i - 1)
      api.nvim_buf_set_lines(bufnr, first + from - 1, first + i - 1, true, run)
    end
    if alone and i <= #old then
      change_row(bufnr, first + i - 1, old[i], new[i])
    end
    from = alone and i + 1 or from
  end
end

---@param bufnr integer
---@return table<integer, true>
local function rows_of_users(bufnr)
  local rows = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    rows[api.nvim_win_get_cursor(win)[1] - 1] = true
  end
  if api.nvim_get_current_buf() == bufnr then
    rows[vim.fn.line('v') - 1] = true
  end
  return rows
end

---Where a row of the old text is in the new one, and whether it is still there: if
---not, the row is where it would be.
---@alias acp.Moved fun(row: integer): integer, boolean

---@param gone {[1]: integer, [2]: integer, [3]: integer}[] first row, last (exclusive), new
---rows; from the last to the first
---@return acp.Moved
local function mover(gone)
  return function(row)
    local shift = 0
    for i = #gone, 1, -1 do
      local first, last, count = unpack(gone[i])
      if row < first then
        break
      elseif row < last then
        return first + shift + math.min(row - first + 1, count), false
      end
      shift = shift + count - (last - first)
    end
    return row + shift, true
  end
end

---@param bufnr integer
---@return table<string, integer> # extmarks where the user's marks are
local function note_marks(bufnr)
  local marks = {}
  local count = api.nvim_buf_line_count(bufnr)
  for _, mark in ipairs(vim.fn.getmarklist(bufnr)) do
    local name, row = mark.mark:match("^'(%l)$"), mark.pos[2]
    if name and row >= 1 and row <= count then
      local line = api.nvim_buf_get_lines(bufnr, row - 1, row, false)[1]
      local col = math.min(math.max(mark.pos[3] - 1, 0), #line)
      marks[name] = api.nvim_buf_set_extmark(bufnr, ns, row - 1, col, {})
    end
  end
  return marks
end

---Sets anew the marks that are gone with their text.
---@param bufnr integer
---@param marks table<string, integer>
local function keep_marks(bufnr, marks)
  for _, mark in ipairs(vim.fn.getmarklist(bufnr)) do
    marks[mark.mark:sub(2)] = nil -- it is still there
  end
  local count = api.nvim_buf_line_count(bufnr)
  for name, id in pairs(marks) do
    local at = api.nvim_buf_get_extmark_by_id(bufnr, ns, id, {})
    api.nvim_buf_set_mark(bufnr, name, math.min((at[1] or 0) + 1, count), at[2] or 0, {})
  end
  api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
end

---Edits a text that is empty.
---@param bufnr integer
---@param edits table[] LSP TextEdit
local function fill(bufnr, edits)
  local text = ''
  for _, edit in ipairs(edits) do
    text = text .. edit.newText
  end
  if text ~= '' then
    local lines, eol = M.take_format(bufnr, text)
    api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
    vim.bo[bufnr].endofline = eol
  end
end

---@param bufnr integer
---@param from string format that it had
---@param to string? format that it has now; nil if it is not loaded any more
function M.turned(bufnr, from, to)
  local was_dos = formats.was_dos
  was_dos[bufnr] = to == 'unix' and (from == 'dos' or was_dos[bufnr]) or nil
end

---Gives a buffer the format that its next text needs.
---@param bufnr integer
---@param text string not empty
---@return string[] lines of it
---@return boolean eol it ends in a line end
function M.take_format(bufnr, text)
  local was = vim.bo[bufnr].fileformat
  local format = M.format_for(text, was)
  if was ~= format then
    vim.bo[bufnr].fileformat = format
    M.turned(bufnr, was, format)
  end
  text = feeds_only(text, format)
  local eol = text:sub(-1) == '\n'
  return vim.split(eol and text:sub(1, -2) or text, '\n', { plain = true }), eol
end

---Changes the end of every row that has a line end. The user's marks stay where they are.
---@param bufnr integer
---@param format string that the buffer has then
---@param change fun(line: string): string
local function respell(bufnr, format, change)
  local lines = api.nvim_buf_get_lines(bufnr, 0, -1, false)
  for i = 1, vim.bo[bufnr].endofline and #lines or #lines - 1 do
    lines[i] = change(lines[i])
  end
  local marks = vim.fn.getmarklist(bufnr)
  api.nvim_buf_set_lines(bufnr, 0, -1, true, lines)
  M.turned(bufnr, vim.bo[bufnr].fileformat, format)
  vim.bo[bufnr].fileformat = format
  for _, mark in ipairs(marks) do
    local name = mark.mark:match("^'(%l)$")
    if name then
      api.nvim_buf_set_mark(bufnr, name, mark.pos[2], mark.pos[3] - 1, {})
    end
  end
end

---How many rows have a line end, and how many of them one with a carriage return, as far
---as that is in the rows.
---@param bufnr integer
---@return integer ended
---@return integer returns
function M.count_ends(bufnr)
  local count, returns = api.nvim_buf_line_count(bufnr), 0
  local ended = vim.bo[bufnr].endofline and count or count - 1
  for first = 0, ended - 1, 1000 do
    local last = math.min(first + 1000, ended)
    for _, line in ipairs(api.nvim_buf_get_lines(bufnr, first, last, false)) do
      returns = returns + (line:sub(-1) == '\r' and 1 or 0)
    end
  end
  return ended, returns
end

---Whether edits bring a row that ends as one of a DOS text, or one that does not.
---@param edits table[] LSP TextEdit
---@return boolean dos
---@return boolean other
local function ends_of(edits)
  local dos, other = false, false
  for _, edit in ipairs(edits) do
    local rest, pairs = edit.newText:gsub('\r\n', '')
    dos, other = dos or pairs > 0, other or rest:find('\n', 1, true) ~= nil
  end
  return dos, other
end

---Applies edits of a text that is not empty to a buffer whose format can hold what they
---bring.
---@param bufnr integer
---@param edits table[] LSP TextEdit
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return acp.Moved
local function replace_rows(bufnr, edits, encoding)
  local function line(row)
    return api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
  end
  local count = api.nvim_buf_line_count(bufnr)
  local format = vim.bo[bufnr].fileformat
  edits = vim.tbl_map(function(edit)
    return { range = edit.range, newText = feeds_only(edit.newText, format) }
  end, edits)
  local plan, eol, empty = M.plan(edits, line, count, vim.bo[bufnr].endofline, encoding)
  if empty then
    api.nvim_buf_set_lines(bufnr, 0, -1, true, {}) -- not even a line
    return mover({ { 0, count, 0 } })
  end
  local marks, watched = note_marks(bufnr), rows_of_users(bufnr)
  local gone, tick = {}, api.nvim_buf_get_changedtick(bufnr)
  for _, r in ipairs(plan) do
    local first, last, new = whole_rows(r, line)
    if first and last and new then
      local old = api.nvim_buf_get_lines(bufnr, first, last, false)
      local head, tail = pairs_of(old, new)
      local function change(from, old_from, new_from, n)
        local a = vim.list_slice(old, old_from, old_from + n - 1)
        local b = vim.list_slice(new, new_from, new_from + n - 1)
        change_rows(bufnr, from, a, b, watched)
      end
      change(last - tail, #old - tail + 1, #new - tail + 1, tail)
      local middle = vim.list_slice(new, head + 1, #new - tail)
      if #middle > 0 or head + tail < #old then
        api.nvim_buf_set_lines(bufnr, first + head, last - tail, true, middle)
        gone[#gone + 1] = { first + head, last - tail, #middle }
      end
      change(first, 1, 1, head)
    else
      api.nvim_buf_set_text(bufnr, r.row, r.col, r.end_row, r.end_col, r.lines)
      gone[#gone + 1] = { r.row + 1, r.end_row + 1, #r.lines - 1 }
    end
  end
  if vim.bo[bufnr].endofline ~= eol then
    if api.nvim_buf_get_changedtick(bufnr) == tick then
      -- no row is another one, and yet it can be undone
      api.nvim_buf_set_text(bufnr, -1, 0, -1, 0, { '' })
    end
    vim.bo[bufnr].endofline = eol
    vim.bo[bufnr].modified = true
  end
  keep_marks(bufnr, marks)
  return mover(gone)
end

---@param bufnr integer
---@param edits table[] LSP TextEdit
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return acp.Moved
local function apply(bufnr, edits, encoding)
  if documents.is_empty(bufnr) then
    fill(bufnr, edits)
    return mover({})
  end
  local dos, other = ends_of(edits)
  local turns = false
  if vim.bo[bufnr].fileformat == 'dos' then
    turns = other
    if turns then -- the carriage returns have to be seen where some rows have none
      respell(bufnr, 'unix', function(line)
        return line .. '\r'
      end)
    end
  elseif vim.bo[bufnr].fileformat == 'unix' and dos and not other then
    local ended, returns = M.count_ends(bufnr)
    turns = returns == 0 or formats.was_dos[bufnr] ~= nil and returns < ended
  end
  local moved = replace_rows(bufnr, edits, encoding)
  local ended, returns = 0, 0
  if turns then
    ended, returns = M.count_ends(bufnr)
  end
  if ended > 0 and returns == ended then
    respell(bufnr, 'dos', function(line)
      return line:sub(1, -2)
    end)
  end
  return moved
end

---Applies edits to a loaded buffer. Marks and cursors stay with their text: a row
---that becomes another is changed only where they differ, and new rows are put in as
---such. (Put in as text, they would take the cursor of whoever types at the start of
---the row below.) The text is afterwards what the edits say to the byte: each row ends as
---they say, whatever the buffer's format has to become for that.
---@param bufnr integer
---@param edits table[] LSP TextEdit
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return acp.Moved
function M.apply(bufnr, edits, encoding)
  return formats.turn(bufnr, function()
    return apply(bufnr, edits, encoding)
  end)
end

return M
