---Markdown by line, for text that streams in. A line is looked at once, when it
---is finished, whatever came before it; a parser would read the whole text again
---with every piece.
local M = {}

---What has to be known of the lines before.
---@class acp.MarkdownState
---@field fence string? the fence that would close the block, e.g. ```
---@field lang string?
---@field first integer? row of the first line in the block

---@return acp.MarkdownState
function M.new()
  return {}
end

---@class acp.Span
---@field [1] integer first byte, 0-based
---@field [2] integer end, exclusive
---@field [3] string? highlight group
---@field [4] string? what is shown in its place ('' hides it)

---@param spans acp.Span[]
local function add(spans, from, to, group, conceal)
  spans[#spans + 1] = { from, to, group, conceal }
end

---Spans of paired markers, such as **bold**.
---@param line string
---@param spans acp.Span[]
---@param taken boolean[] bytes that are code
---@param marker string
---@param group string
local function paired(line, spans, taken, marker, group)
  local n, pos = #marker, 1
  while true do
    local from = line:find(marker, pos, true)
    if not from then
      return
    end
    local before, after = line:sub(from - 1, from - 1), line:sub(from + n, from + n)
    local opens = not taken[from] and after:match('[^%s%*_]') and not before:match('[%w\\%*_]')
    local to = opens and line:find(marker, from + n + 1, true)
    while
      to
      and (
        taken[to]
        or line:sub(to - 1, to - 1):match('%s')
        or line:sub(to + n, to + n):match('%w')
      )
    do
      to = line:find(marker, to + n, true)
    end
    if to then
      add(spans, from - 1, from - 1 + n, nil, '')
      add(spans, from - 1 + n, to - 1, group)
      add(spans, to - 1, to - 1 + n, nil, '')
      for i = from, to + n - 1 do
        if line:sub(i, i) == marker:sub(1, 1) then
          taken[i] = true
        end
      end
      pos = to + n
    else
      pos = from + n
    end
  end
end

---@param line string
---@param spans acp.Span[]
local function inline(line, spans)
  if not line:find('[`*_%[]') then
    return
  end
  local taken = {} ---@type boolean[]
  local pos = 1
  while true do -- code first: nothing in it means anything
    local from, open = line:find('`+', pos)
    if not from then
      break
    end
    local ticks = line:sub(from, open)
    local to = open + 1
    local close
    repeat
      to, close = line:find('`+', to)
      local found = to and close - to == open - from
      if to and not found then
        to = close + 1
      end
    until not to or found
    if to then
      add(spans, from - 1, open, nil, '')
      add(spans, open, to - 1, 'AcpInlineCode')
      add(spans, to - 1, close, nil, '')
      for i = from, close do
        taken[i] = true
      end
      pos = close + 1
    else
      pos = open + #ticks
    end
  end
  pos = 1
  while true do
    local from, to, text = line:find('%[([^%[%]]+)%]%([^%s()]+%)', pos)
    if not from then
      break
    end
    if not taken[from] then
      add(spans, from - 1, from, nil, '')
      add(spans, from, from + #text, 'AcpLink')
      add(spans, from + #text, to, nil, '')
      for i = from + #text, to do
        taken[i] = true
      end
    end
    pos = to + 1
  end
  paired(line, spans, taken, '**', 'AcpBold')
  paired(line, spans, taken, '__', 'AcpBold')
  paired(line, spans, taken, '*', 'AcpItalic')
  paired(line, spans, taken, '_', 'AcpItalic')
end

---Looks at one finished line and moves the state past it.
---@param state acp.MarkdownState
---@param line string
---@param row integer
---@return acp.Span[] spans
---@return 'code'|'fence'|nil kind of the line
---@return string? lang of a code block that ends here
function M.line(state, line, row)
  local spans = {} ---@type acp.Span[]
  if state.fence then
    local close = line:match('^%s*(' .. state.fence:sub(1, 1) .. '+)%s*$')
    if close and #close >= #state.fence then
      local block = state.lang
      state.fence, state.lang, state.first = nil, nil, nil
      add(spans, 0, #line, 'AcpFence')
      return spans, 'fence', block
    end
    return spans, 'code'
  end
  local fence, lang = line:match('^%s*(```+)%s*([%w_+#-]*)')
  if not fence then
    fence, lang = line:match('^%s*(~~~+)%s*([%w_+#-]*)')
  end
  if fence and not line:sub(select(2, line:find(fence, 1, true)) + 1):find('`', 1, true) then
    state.fence, state.lang, state.first = fence, lang:lower(), row + 1
    add(spans, 0, #line, 'AcpFence')
    return spans, 'fence'
  end
  local hashes, gap = line:match('^(#+)(%s+)%S')
  if hashes and #hashes <= 6 then
    add(spans, 0, #hashes + #gap, nil, '')
    add(spans, #hashes + #gap, #line, 'AcpHeading')
    inline(line, spans)
    return spans
  end
  local marks = line:gsub('%s', '')
  if #marks >= 3 and marks:match('^[-*_]') and marks == marks:sub(1, 1):rep(#marks) then
    add(spans, 0, #line, 'AcpRule')
    return spans
  end
  local indent, bullet = line:match('^(%s*)([-*+])%s')
  if bullet then
    add(spans, #indent, #indent + 1, 'AcpBullet', '•')
  else
    local before, number = line:match('^(%s*)(%d+[.)])%s')
    if number then
      add(spans, #before, #before + #number, 'AcpBullet')
    elseif line:match('^%s*>') then
      add(spans, 0, #line, 'AcpQuote')
    end
  end
  inline(line, spans)
  return spans
end

return M
