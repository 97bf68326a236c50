local check = require('check')
local rows = require('acp.rows')

local T = {}

-- What is noted of any changes makes the new text of the old one.
function T.make_the_new_of_the_old()
  math.randomseed(11)
  local serial, largest = 0, 0
  local function new_rows(n)
    local list = {}
    for i = 1, n do
      serial = serial + 1
      list[i] = serial
    end
    return list
  end
  for round = 1, 2000 do
    local many = round % 500 == 0 -- so that there is too much to be told apart
    local old = new_rows(many and 2000 or math.random(0, 12))
    local text, noted = vim.list_slice(old), {}
    for _ = 1, many and 250 or math.random(6) do
      local first = math.random(0, #text)
      local last = math.random(first, math.min(#text, first + 3))
      local new = new_rows(math.random(0, 3))
      noted = rows.note(noted, first, last, first + #new)
      local after = vim.list_slice(text, 1, first)
      vim.list_extend(after, new)
      text = vim.list_extend(after, vim.list_slice(text, last + 1))
    end
    largest = math.max(largest, #noted)
    local got = vim.list_slice(old)
    local behind = math.huge
    for i = #noted, 1, -1 do
      local r = noted[i]
      assert(r.old_last < behind, 'rows that touch are not one')
      behind = r.old_first
      local after = vim.list_slice(got, 1, r.old_first)
      vim.list_extend(after, vim.list_slice(text, r.first + 1, r.last))
      got = vim.list_extend(after, vim.list_slice(got, r.old_last + 1))
    end
    check.equal(text, got, 'round ' .. round)
  end
  assert(largest > 100 and largest <= 200, 'told apart: ' .. largest)
end

return T
