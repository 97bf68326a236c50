local check = require('check')
local lines = require('acp.lines')

local T = {}

function T.map_line_follows_the_text()
  math.randomseed(3)
  for round = 1, 300 do
    -- unique lines, so that where a line went is beyond doubt
    local old, new, at = {}, {}, {}
    for i = 1, math.random(1, 12) do
      old[i] = 'old ' .. i
    end
    for i, line in ipairs(old) do
      for j = 1, math.random(0, 3) == 0 and math.random(3) or 0 do
        new[#new + 1] = ('new %d %d'):format(i, j)
      end
      if math.random(4) > 1 then
        new[#new + 1] = line
        at[i] = #new
      end
    end
    if #new == 0 then
      new = { 'new' }
    end
    local hunks = lines.differences(old, new)
    for i in ipairs(old) do
      local got = lines.map_line(hunks, i)
      if at[i] then
        check.equal(at[i], got, ('round %d line %d'):format(round, i))
      end
      assert(got >= 0 and got <= #new + 1, 'out of the text')
    end
  end
end

-- What differs is found whether or not the texts begin and end alike, and makes one of the other.
function T.differences_make_the_text()
  math.randomseed(5)
  local function some()
    local some_lines = {}
    for i = 1, math.random(0, 6) do
      some_lines[i] = ('line %d'):format(math.random(3))
    end
    return some_lines
  end
  for round = 1, 500 do
    local head, tail = some(), some()
    local old = vim.iter({ head, some(), tail }):flatten():totable()
    local new = vim.iter({ head, some(), tail }):flatten():totable()
    local made, at = {}, 1
    for _, hunk in ipairs(lines.differences(old, new)) do
      local old_start, old_count, new_start, new_count = unpack(hunk)
      vim.list_extend(made, old, at, old_count == 0 and old_start or old_start - 1)
      vim.list_extend(made, new, new_start, new_start + new_count - 1)
      at = old_count == 0 and old_start + 1 or old_start + old_count
    end
    vim.list_extend(made, old, at, #old)
    check.equal(new, made, ('round %d'):format(round))
  end
end

return T
