local check = require('check')
local disk = require('acp.disk')

local T = {}

function T.map_line_follows_the_text()
  math.randomseed(3)
  local diff = vim.text and vim.text.diff or vim.diff
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
    local hunks = diff(
      table.concat(old, '\n') .. '\n',
      table.concat(new, '\n') .. '\n',
      { result_type = 'indices' }
    )
    for i in ipairs(old) do
      local got = disk.map_line(hunks, i)
      if at[i] then
        check.equal(at[i], got, ('round %d line %d'):format(round, i))
      end
      assert(got >= 0 and got <= #new + 1, 'out of the text')
    end
  end
end

return T
