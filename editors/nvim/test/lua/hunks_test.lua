local check = require('check')
local hunks = require('acp.hunks')
local virtual = require('acp.virtual')

local T = {}

local function range(l1, c1, l2, c2)
  return { start = { line = l1, character = c1 }, ['end'] = { line = l2, character = c2 } }
end

function T.rows()
  for _, case in ipairs({
    { range(0, 0, 2, 0), 5, 0, 2 },
    { range(2, 0, 2, 0), 5, 2, 2 },
    { range(3, 0, 4, 7), 5, 3, 5 }, -- the last line has no line end
    { range(5, 0, 5, 0), 5, 5, 5 }, -- after the last line
    { range(9, 0, 12, 0), 5, 5, 5 }, -- of an older text
  }) do
    check.equal({ case[3], case[4] }, { hunks.rows(case[1], case[2]) })
  end
end

function T.difference()
  for _, case in ipairs({
    { 'count := 1', 'total := 1', 0, 5, 5 },
    { 'f(a, b)', 'f(a, c, b)', 5, 5, 8 },
    { 'f(größe)', 'f(große)', 4, 6, 5 },
    { 'f(aé)', 'f(aè)', 3, 5, 5 }, -- é and è share their first byte
    { 'same', 'same' },
    { 'quite', 'other things' },
    { '', 'x' },
  }) do
    check.equal({ case[3], case[4], case[5] }, { virtual.difference(case[1], case[2]) }, case[1])
  end
end

function T.who()
  local function origin(agent, sure, author)
    return { agent = agent, sure = sure, author = author }
  end
  check.equal('demo', hunks.who({ origins = { origin('demo', true), origin('demo', true) } }))
  check.equal(
    'demo, other?',
    hunks.who({ origins = { origin('demo', true), origin('other', false) } })
  )
  check.equal('disk', hunks.who({ origins = { origin('', nil, 'disk') } }))
  check.equal('', hunks.who({}))
end

---Draws a review in a buffer and says for each extmark of virtual lines where it is.
local function virtual_lines(lines, list)
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  hunks.draw(buf, { uri = 'file:///x', hunks = list })
  local result = {}
  for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(buf, hunks.ns, 0, -1, { details = true })) do
    local virt = mark[4].virt_lines
    if virt then
      local text = {}
      for i, chunks in ipairs(virt) do
        text[i] = vim.trim(chunks[1][1])
      end
      result[#result + 1] = ('%d%s %s'):format(
        mark[2],
        mark[4].virt_lines_above and '^' or 'v',
        table.concat(text, '|')
      )
    end
  end
  return result, buf
end

local function hunk(state, from, to, base, text)
  return {
    id = state .. from,
    state = state,
    origins = {},
    range = range(from, 0, to, 0),
    baseText = base,
    text = text,
  }
end

function T.deleted_lines_stand_where_they_were()
  local lines = { 'a', 'b', 'c' }
  check.equal({ '0^ x|y' }, (virtual_lines(lines, { hunk('pending', 0, 0, 'x\ny\n', '') })))
  check.equal({ '1^ x' }, (virtual_lines(lines, { hunk('pending', 1, 2, 'x\n', 'b\n') })))
  check.equal({ '2v x' }, (virtual_lines(lines, { hunk('pending', 3, 3, 'x\n', '') })))
  check.equal({}, (virtual_lines(lines, { hunk('pending', 1, 2, '', 'b\n') })))
  check.equal({ '1v x' }, (virtual_lines(lines, { hunk('proposed', 1, 2, 'b\n', 'x\n') })))
  check.equal({ '1^ x' }, (virtual_lines(lines, { hunk('proposed', 1, 1, '', 'x\n') })))
  check.equal({ '2v x' }, (virtual_lines(lines, { hunk('conflict', 2, 3, 'c\n', 'x\n') })))
  check.equal({ '0^ x' }, (virtual_lines({ '' }, { hunk('pending', 0, 0, 'x\n', '') })))
end

function T.long_deletions_are_cut()
  local text = {}
  for i = 1, 500 do
    text[i] = 'line ' .. i
  end
  local base = table.concat(text, '\n') .. '\n'
  local got = virtual_lines({ 'a', 'b' }, { hunk('pending', 1, 1, base, '') })
  local max = require('acp.config').get().review.max_deleted
  local rows = vim.split(got[1], '|', { plain = true })
  check.equal(max, #rows)
  check.equal(('… %d more lines'):format(500 - max + 1), rows[max])
end

function T.hunks_are_found_by_row_and_move_with_the_text()
  local _, buf = virtual_lines({ 'a', 'b', 'c', 'd', 'e' }, {
    hunk('pending', 1, 3, 'x\n', 'b\nc\n'),
    hunk('pending', 4, 4, 'y\n', ''),
  })
  local function at(from, to)
    return vim.tbl_map(function(placed)
      return placed.hunk.id
    end, hunks.at(buf, from, to or from))
  end
  check.equal({}, at(0))
  check.equal({ 'pending1' }, at(1))
  check.equal({ 'pending1' }, at(2))
  check.equal({ 'pending4' }, at(3)) -- just above a deletion
  check.equal({ 'pending4' }, at(4))
  check.equal({ 'pending1', 'pending4' }, at(0, 4))
  check.equal({ 1, 4 }, hunks.starts(buf))
  vim.api.nvim_buf_set_lines(buf, 0, 0, false, { 'new', 'new' })
  check.equal({ 3, 6 }, hunks.starts(buf))
  check.equal({ 'pending1' }, at(4))
  hunks.clear(buf)
  check.equal({}, hunks.starts(buf))
end

return T
