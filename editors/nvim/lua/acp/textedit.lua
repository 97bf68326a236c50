---LSP text edits in a buffer, exactly. Neovim's own function guesses at the end of a
---file: 0.10 leaves an empty line behind what is added there, later ones take an
---empty line away and put it back.
local M = {}
local api = vim.api

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

---The edits in ascending order, with byte columns. Those at one place keep the order
---they were given in.
---@param edits table[] LSP TextEdit
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
      text = (edit.text:gsub('\r\n?', '\n')),
    }
  end
  return order
end

---What edits of a text come to in a buffer with its lines. The last line of a text
---that ends in a line end is empty, and no line of the buffer: the edits that touch
---it become one, of the buffer's last lines.
---@param edits table[] LSP TextEdit
---@param line fun(row: integer): string
---@param count integer
---@param eol boolean the text ends in a line end
---@param encoding 'utf-8'|'utf-16'|'utf-32'
---@return acp.Replacement[] from the last to the first
---@return boolean eol of the text after it
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
  while #order > 0 and order[#order].to[1] == count do
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
    end
    replace(start, last, tail)
  end
  for i = #order, 1, -1 do
    replace(order[i].from, order[i].to, order[i].text)
  end
  return result, eol
end

---Applies edits to a loaded buffer. Marks and cursors stay with their text.
---@param bufnr integer
---@param edits table[] LSP TextEdit
---@param encoding 'utf-8'|'utf-16'|'utf-32'
function M.apply(bufnr, edits, encoding)
  local plan, eol = M.plan(edits, function(row)
    return api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1] or ''
  end, api.nvim_buf_line_count(bufnr), vim.bo[bufnr].endofline, encoding)
  local marks = {}
  for _, mark in ipairs(vim.fn.getmarklist(bufnr)) do
    local name = mark.mark:match("^'(%l)$")
    if name then
      marks[name] = { mark.pos[2], mark.pos[3] - 1 }
    end
  end
  for _, r in ipairs(plan) do
    local rows = r.row == r.end_row and r.col == 0 and r.end_col == 0 and r.lines[#r.lines] == ''
    if rows then
      -- Whole new rows, put in as such: a user who types at the start of the row
      -- below them stays there. (With set_text they would be in the first of them.)
      api.nvim_buf_set_lines(bufnr, r.row, r.row, true, vim.list_slice(r.lines, 1, #r.lines - 1))
    else
      api.nvim_buf_set_text(bufnr, r.row, r.col, r.end_row, r.end_col, r.lines)
    end
  end
  if vim.bo[bufnr].endofline ~= eol then
    vim.bo[bufnr].endofline = eol
  end
  for _, mark in ipairs(vim.fn.getmarklist(bufnr)) do
    marks[mark.mark:sub(2)] = nil -- it is still there
  end
  local count = api.nvim_buf_line_count(bufnr)
  for name, at in pairs(marks) do
    api.nvim_buf_set_mark(bufnr, name, math.min(at[1], count), 0, {})
  end
end

return M
