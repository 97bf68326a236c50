local check = require('check')
local markdown = require('acp.markdown')

local T = {}

---The line as it is shown, and which of its parts are of which group.
local function shown(line, state)
  local spans, kind = markdown.line(state or markdown.new(), line, 0)
  local hidden, groups = {}, {}
  for _, span in ipairs(spans) do
    if span[4] == '' then
      for i = span[1] + 1, span[2] do
        hidden[i] = true
      end
    end
    if span[3] then
      groups[#groups + 1] = span[3]:gsub('^Acp', '') .. '=' .. line:sub(span[1] + 1, span[2])
    end
  end
  local text = {}
  for i = 1, #line do
    if not hidden[i] then
      text[#text + 1] = line:sub(i, i)
    end
  end
  table.sort(groups)
  return table.concat(text), table.concat(groups, ' '), kind
end

function T.inline()
  for _, case in ipairs({
    { 'plain', 'plain', '' },
    { 'a **b c** d', 'a b c d', 'Bold=b c' },
    { 'a __b__', 'a b', 'Bold=b' },
    { 'an *i* and _j_', 'an i and j', 'Italic=i Italic=j' },
    { '`x` and ``y`z``', 'x and y`z', 'InlineCode=x InlineCode=y`z' },
    { '`a **b** c`', 'a **b** c', 'InlineCode=a **b** c' },
    { 'snake_case_name', 'snake_case_name', '' },
    { '2 * 3 * 4', '2 * 3 * 4', '' },
    { 'not **closed', 'not **closed', '' },
    { 'not `closed', 'not `closed', '' },
    { '[text](http://x/y)', 'text', 'Link=text' },
    { '[x] done', '[x] done', '' },
    { 'über **größer** ü', 'über größer ü', 'Bold=größer' },
    { '', '', '' },
    { '****', '****', 'Rule=****' },
    { '-*-', '-*-', '' },
    { '- - -', '- - -', 'Rule=- - -' },
    { '***', '***', 'Rule=***' },
  }) do
    local text, groups = shown(case[1])
    check.equal(case[2], text, case[1])
    check.equal(case[3], groups, case[1])
  end
end

function T.lines()
  for _, case in ipairs({
    { '# Head', 'Head', 'Heading=Head' },
    { '###### Six', 'Six', 'Heading=Six' },
    { '####### Seven', '####### Seven', '' },
    { '#nohead', '#nohead', '' },
    { '- item', '- item', 'Bullet=-' },
    { '  * item', '  * item', 'Bullet=*' },
    { '12. item', '12. item', 'Bullet=12.' },
    { '> quoted', '> quoted', 'Quote=> quoted' },
    { '---', '---', 'Rule=---' },
  }) do
    local text, groups = shown(case[1])
    check.equal(case[2], text, case[1])
    check.equal(case[3], groups, case[1])
  end
end

function T.fences()
  local state = markdown.new()
  local kinds, langs = {}, {}
  for i, line in ipairs({
    'before',
    '```lua',
    '# **not** markdown',
    '~~~',
    '````', -- longer closes as well
    'after',
    '~~~~ go',
    '~~~',
    '~~~~',
    '```not `a` fence```',
  }) do
    local _, kind, lang = markdown.line(state, line, i - 1)
    kinds[i] = kind or '-'
    langs[#langs + 1] = lang
  end
  check.equal({ '-', 'fence', 'code', 'code', 'fence', '-', 'fence', 'code', 'fence', '-' }, kinds)
  check.equal({ 'lua', 'go' }, langs)
end

-- No line, however odd, fails, or gets a span outside of it.
function T.any_line()
  math.randomseed(7)
  local alphabet = { '*', '_', '`', '[', ']', '(', ')', '#', '-', ' ', 'a', '\\', '~', '>', 'é' }
  for _ = 1, 20000 do
    local parts = {}
    for i = 1, math.random(0, 14) do
      parts[i] = alphabet[math.random(#alphabet)]
    end
    local line = table.concat(parts)
    for _, span in ipairs((markdown.line(markdown.new(), line, 0))) do
      assert(0 <= span[1] and span[1] <= span[2] and span[2] <= #line, line)
    end
  end
end

return T
