local check = require('check')
local documents = require('acp.documents')
local textedit = require('acp.textedit')

local T = {}

---The text of a buffer as a language server has it.
local function text_of(buf)
  if documents.is_empty(buf) then
    return ''
  end
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n')
  return vim.bo[buf].endofline and text .. '\n' or text
end

local function buffer_with(text)
  local buf = vim.api.nvim_create_buf(true, false)
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

-- Any edits give what they give in a string.
function T.random()
  math.randomseed(5)
  local letters = { 'a', 'b', '\n', '\n', 'é', '😀', ' ' }
  local function random_text(max)
    local parts = {}
    for i = 1, math.random(0, max) do
      parts[i] = letters[math.random(#letters)]
    end
    return table.concat(parts)
  end
  for round = 1, 3000 do
    local text = random_text(14)
    local bounds = {}
    for i = 0, #text do
      local b = text:byte(i + 1)
      if not b or b < 0x80 or b >= 0xC0 then
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
