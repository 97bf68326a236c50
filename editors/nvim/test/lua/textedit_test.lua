local check = require('check')
local documents = require('acp.documents')
local textedit = require('acp.textedit')

local T = {}

---The text of a buffer as a language server has it.
local function text_of(buf)
  if documents.is_empty(buf) then
    return ''
  end
  local line_end = vim.bo[buf].fileformat == 'dos' and '\r\n' or '\n'
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), line_end)
  return vim.bo[buf].endofline and text .. line_end or text
end

---A buffer as Neovim reads a file of that text.
local function buffer_with(text)
  local buf = vim.api.nvim_create_buf(true, false)
  vim.bo[buf].fileformat = textedit.format_for(text, 'unix')
  if vim.bo[buf].fileformat == 'dos' then
    text = text:gsub('\r\n', '\n')
  end
  local eol = text:sub(-1) == '\n'
  local lines = vim.split(eol and text:sub(1, -2) or text, '\n', { plain = true })
  if text ~= '' then
    vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
    vim.bo[buf].endofline = eol
  end
  return buf
end

---@param text string
---@param offset integer bytes
local function position(text, offset, encoding)
  local before = text:sub(1, offset)
  local _, line = before:gsub('\n', '')
  local prefix = before:match('([^\n]*)$')
  local character = #prefix
  if encoding ~= 'utf-8' then
    local utf32, utf16 = vim.str_utfindex(prefix, #prefix) -- luacheck: ignore
    character = encoding == 'utf-16' and utf16 or utf32
  end
  return { line = line, character = character }
end

---@param text string
---@param edits {[1]: integer, [2]: integer, [3]: string}[] byte offsets, ascending
local function naive(text, edits)
  local out, at = {}, 0
  for _, edit in ipairs(edits) do
    out[#out + 1] = text:sub(at + 1, edit[1])
    out[#out + 1] = edit[3]
    at = edit[2]
  end
  out[#out + 1] = text:sub(at + 1)
  return table.concat(out)
end

local function apply(text, edits, encoding)
  local list = {}
  for i, edit in ipairs(edits) do
    list[i] = {
      range = {
        start = position(text, edit[1], encoding),
        ['end'] = position(text, edit[2], encoding),
      },
      newText = edit[3],
    }
  end
  local buf = buffer_with(text)
  textedit.apply(buf, list, encoding)
  local got = text_of(buf)
  vim.api.nvim_buf_delete(buf, { force = true })
  return got
end

function T.at_the_end()
  for _, case in ipairs({
    { 'a\n', { { 2, 2, 'b\n' } } },
    { 'a\n', { { 2, 2, 'b' } } },
    { 'a\n', { { 2, 2, '\n' } } },
    { 'a\n', { { 1, 1, '\nb' } } },
    { 'a\nb\n', { { 2, 4, '' } } },
    { 'a\nb\n', { { 2, 4, 'c\n' } } },
    { 'a\nb\n', { { 2, 4, 'c' } } },
    { 'a\nb\n', { { 3, 4, '' } } },
    { 'a\nb\n', { { 1, 4, '\n' } } },
    { 'a\nb', { { 3, 3, '\nc' } } },
    { 'a\n', { { 0, 2, 'x\n\n' } } },
    { 'a\n', { { 0, 1, 'x' }, { 2, 2, 'y\n' } } },
    { 'a\n', { { 2, 2, 'x\n' }, { 2, 2, 'y\n' } } },
    { 'a\n', { { 2, 2, 'x\n' }, { 2, 2, 'y' } } },
    { 'a', { { 0, 1, '' } } },
    { 'a\n', { { 0, 2, '' } } },
    { '\na\n', { { 0, 3, '' } } },
    { '\n', { { 0, 1, '' } } },
    { '', { { 0, 0, 'a\n' } } },
    { '', { { 0, 0, '\n' } } },
    { '', { { 0, 0, 'a' } } },
    { '', { { 0, 0, 'a\n' }, { 0, 0, 'b' } } },
  }) do
    check.equal(naive(case[1], case[2]), apply(case[1], case[2], 'utf-8'), vim.inspect(case))
  end
end

-- Carriage returns stay what they are, whatever the buffer's format has to be for that.
function T.line_ends()
  for _, case in ipairs({
    { 'a\r\nb\nc\r\n', { { 3, 4, 'B' } } },
    { 'a\r\nb\nc\r\n', { { 3, 5, 'B\r\n' } } },
    { 'a\r\nb\nc\r\n', { { 0, 3, 'A\n' } } },
    { 'a\r\nb\nc\r\n', { { 0, 8, '' } } },
    { 'a\rb\rc\r', { { 2, 4, 'B\r' } } },
    { 'a\rb\rc\r', { { 0, 6, '' } } },
    { 'a\r\nb\r\n', { { 3, 6, 'b\n' } } },
    { 'a\r\nb\r\n', { { 0, 6, 'a\nb\n' } } },
    { 'a\r\nb\r\n', { { 3, 4, 'x\ry' } } },
    { 'a\nb\n', { { 0, 4, 'a\r\nb\r\n' } } },
    { 'a\nb', { { 0, 3, 'a\r\nb' } } },
    { '', { { 0, 0, 'a\r\nb\r\n' } } },
    { '', { { 0, 0, 'a\r\nb\n' } } },
    { '', { { 0, 0, 'a\rb\r' } } },
  }) do
    check.equal(naive(case[1], case[2]), apply(case[1], case[2], 'utf-8'), vim.inspect(case))
  end
end

-- A buffer that an edit has brought to one kind of line end, or to more, has the format
-- in which Neovim would show that text.
function T.formats()
  local function format(text, edits)
    local buf = buffer_with(text)
    local range = {
      start = { line = 0, character = 0 },
      ['end'] = { line = vim.api.nvim_buf_line_count(buf), character = 0 },
    }
    textedit.apply(buf, { { range = range, newText = edits } }, 'utf-8')
    local got = vim.bo[buf].fileformat
    vim.api.nvim_buf_delete(buf, { force = true })
    return got
  end
  check.equal('dos', format('a\nb\n', 'a\r\nb\r\n'))
  check.equal('unix', format('a\r\nb\r\n', 'a\nb\n'))
  check.equal('unix', format('a\r\nb\r\n', 'a\r\nb\n'))
  check.equal('dos', format('', 'a\r\nb\r\n'))
  check.equal('unix', format('a\nb\r\n', 'a\r\nb\r\n')) -- the user has seen the ^M
end

-- The user's marks stay in their rows when the format changes.
function T.marks_when_the_format_changes()
  local buf = buffer_with('a\r\nbb\r\nc\r\n')
  vim.api.nvim_buf_set_mark(buf, 'm', 2, 1, {})
  local range = { start = { line = 2, character = 0 }, ['end'] = { line = 3, character = 0 } }
  textedit.apply(buf, { { range = range, newText = 'c\n' } }, 'utf-8')
  check.equal('a\r\nbb\r\nc\n', text_of(buf))
  check.equal({ 2, 1 }, vim.api.nvim_buf_get_mark(buf, 'm'))
  vim.api.nvim_buf_delete(buf, { force = true })
end

-- Any edits give what they give in a string.
function T.random()
  math.randomseed(5)
  local plain = { 'a', 'b', '\n', '\n', 'é', '😀', ' ' }
  local returns = { 'a', 'b', '\n', '\r\n', '\r', 'é', '😀' }
  local dos = { 'a', 'b', '\r\n', '\r\n', '\r', 'é', '😀' }
  local letters = plain
  local function random_text(max)
    local parts = {}
    for i = 1, math.random(0, max) do
      parts[i] = letters[math.random(#letters)]
    end
    return table.concat(parts)
  end
  for round = 1, 6000 do
    letters = round <= 3000 and plain or round % 2 == 0 and returns or dos
    local text = random_text(14)
    if round > 3000 and round % 3 == 0 then
      letters = returns
    end
    local bounds = {}
    for i = 0, #text do
      local b = text:byte(i + 1)
      local within = b == 10 and i > 0 and text:byte(i) == 13 -- which is no place
      if not within and (not b or b < 0x80 or b >= 0xC0) then
        bounds[#bounds + 1] = i
      end
    end
    local points = {}
    for _ = 1, 2 * math.random(3) do
      points[#points + 1] = bounds[math.random(#bounds)]
    end
    table.sort(points)
    local edits = {}
    for i = 1, #points, 2 do
      edits[#edits + 1] = { points[i], points[i + 1], random_text(4) }
    end
    local encoding = ({ 'utf-8', 'utf-16', 'utf-32' })[math.random(3)]
    local want, got = naive(text, edits), apply(text, edits, encoding)
    check.equal(
      want,
      got,
      ('round %d: %s of %s'):format(round, vim.inspect(edits), vim.inspect(text))
    )
  end
end

return T
