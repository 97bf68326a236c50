local check = require('check')
local complete = require('acp.complete')

local T = {}

function T.wanted()
  for _, case in ipairs({
    { '@', 1, true },
    { 'see @src/ma', 2, true },
    { 'me@example', 1, false },
    { 'see @src and', 1, false },
    { '/', 1, true },
    { '/pl', 1, true },
    { '/pl', 2, false },
    { 'a /pl', 1, false },
    { '', 1, false },
  }) do
    check.equal(case[3], complete.wanted(case[1], case[2]), case[1])
  end
end

function T.translate()
  local got = complete.translate({
    items = {
      { label = 'main.go', kind = 'file', detail = 'src', insertText = '@src/main.go', start = 10 },
      { label = 'elsewhere', kind = 'file', insertText = 'x', start = 3 },
    },
  }, 6)
  check.equal(4, got.start)
  check.equal(1, #got.items)
  check.equal('@src/main.go', got.items[1].word)
  check.equal('main.go', got.items[1].abbr)
  check.equal(nil, complete.translate({ items = {} }, 0))
  check.equal(nil, complete.translate({}, 0))
end

return T
