local check = require('check')
local transcript = require('acp.transcript')

local T = {}

local count = 0

local function new()
  count = count + 1
  return transcript.new('test' .. count)
end

local function text(t)
  vim.wait(10000, function()
    return t.head > #t.queue and not t.waiting
  end, 1)
  return table.concat(vim.api.nvim_buf_get_lines(t.buf, 0, -1, false), '\n')
end

function T.entries_stand_in_order()
  local t = new()
  t:entry({ id = '1', kind = 'user', text = 'do it\nnow' })
  t:entry({ id = '2', kind = 'thought', text = 'hm' })
  t:entry({ id = '3', kind = 'tool', tool = { title = 'Read x', status = 'pending' } })
  t:entry({ id = '4', kind = 'agent', text = '' })
  t:chunk('4', 'Well')
  t:chunk('4', ', done.\nBye')
  t:entry({ id = '5', kind = 'error', text = 'broken' })
  check.equal('do it\nnow\n\n▸ Thought\n○ Read x\n\nWell, done.\nBye\n\n✗ broken', text(t))
  t:entry({ id = '3', kind = 'tool', tool = { title = 'Read x', status = 'completed' } })
  check.equal('do it\nnow\n\n▸ Thought\n✓ Read x\n\nWell, done.\nBye\n\n✗ broken', text(t))
end

function T.text_for_an_older_entry_goes_there()
  local t = new()
  t:entry({ id = '1', kind = 'agent', text = 'one' })
  t:entry({ id = '2', kind = 'tool', tool = { title = 'x', status = 'pending' } })
  t:chunk('1', ' and\nmore')
  t:entry({ id = '3', kind = 'agent', text = 'three' })
  t:chunk('1', '!')
  check.equal('one and\nmore!\n\n○ x\n\nthree', text(t))
end

function T.an_entry_that_says_the_same_again_changes_nothing()
  local t = new()
  t:chunk('1', 'a\nb')
  text(t)
  local tick = vim.api.nvim_buf_get_changedtick(t.buf)
  t:entry({ id = '1', kind = 'agent', text = 'a\nb' })
  check.equal('a\nb', text(t))
  check.equal(tick, vim.api.nvim_buf_get_changedtick(t.buf))
  t:entry({ id = '1', kind = 'agent', text = 'a\nc' })
  check.equal('a\nc', text(t))
end

function T.thoughts_fold()
  local t = new()
  t:entry({ id = '1', kind = 'thought', text = 'first' })
  check.equal('▸ Thinking', text(t))
  t:chunk('1', '\nsecond')
  check.equal('▸ Thinking', text(t))
  assert(t:toggle(0))
  check.equal('▾ Thinking\nfirst\nsecond', text(t))
  t:chunk('1', ' third')
  check.equal('▾ Thinking\nfirst\nsecond third', text(t))
  t:finish()
  check.equal('▾ Thought\nfirst\nsecond third', text(t))
  assert(t:toggle(1))
  check.equal('▸ Thought', text(t))
end

function T.rows_know_their_blocks()
  local t = new()
  t:entry({ id = '1', kind = 'user', text = 'a' })
  t:entry({ id = '2', kind = 'agent', text = 'b\nc' })
  t:entry({ id = '3', kind = 'user', text = 'd' })
  text(t)
  local ids = {}
  for row = 0, 6 do
    local block = t.blocks:at(row)
    ids[row + 1] = block and block.id or '-'
  end
  check.equal({ '1', '2', '2', '2', '3', '3', '-' }, ids)
  check.equal(5, t.blocks:turn(0, 1))
  check.equal(0, t.blocks:turn(5, -1))
  check.equal(nil, t.blocks:turn(5, 1))
end

function T.terminals_show_in_their_tool_call()
  local t = new()
  t:terminal('t1', 'early\n')
  t:entry({
    id = '1',
    kind = 'tool',
    tool = {
      title = 'Run',
      status = 'in_progress',
      content = { { type = 'terminal', terminal = 't1' } },
    },
  })
  t:entry({ id = '2', kind = 'agent', text = 'after' })
  check.equal('● Run  ▸\n\nafter', text(t))
  t:toggle(0)
  check.equal('● Run\n    early\n\nafter', text(t))
  t:terminal('t1', 'late\n', { exitCode = 2 })
  vim.wait(5000, function()
    return text(t):find('late') ~= nil
  end, 5)
  check.equal('● Run\n    early\n    late\n    exit code 2\n\nafter', text(t))
end

function T.starting_over()
  local t = new()
  t:entry({ id = '1', kind = 'agent', text = 'old' })
  t:chunk('1', ' text\n**x**')
  t:replace({ { id = '1', kind = 'user', text = 'new' }, { id = '2', kind = 'agent', text = 'a' } })
  t:chunk('2', 'b')
  check.equal('new\n\nab', text(t))
end

-- Whatever comes in whatever pieces, the buffer is what a naive rendering gives.
function T.random_streams()
  math.randomseed(11)
  local words =
    { 'a', 'bé', '\n', '\n\n', '**x**', '`y`', '```\n', '日本', ' ', '# ', '- ', '\n```' }
  for round = 1, 40 do
    local t = new()
    local texts, order = {}, {}
    for _ = 1, math.random(5, 60) do
      if #order == 0 or math.random(8) == 1 then
        local id = tostring(#order + 1)
        order[#order + 1] = id
        texts[id] = {}
        t:entry({ id = id, kind = 'agent', text = '' })
      end
      local id = order[math.random(5) == 1 and math.random(#order) or #order]
      local parts = {}
      for i = 1, math.random(1, math.random(10) == 1 and 4000 or 8) do
        parts[i] = words[math.random(#words)]
      end
      local chunk = table.concat(parts)
      table.insert(texts[id], chunk)
      t:chunk(id, chunk)
    end
    local want = {}
    for i, id in ipairs(order) do
      want[i] = table.concat(texts[id])
    end
    check.equal(table.concat(want, '\n\n'), text(t), 'round ' .. round)
    local row = 0
    for _, block in ipairs(t.blocks.list) do
      check.equal(row, block.row, 'round ' .. round)
      row = row + block.rows
    end
    check.equal(vim.api.nvim_buf_line_count(t.buf), row, 'round ' .. round)
    vim.api.nvim_buf_delete(t.buf, { force = true })
  end
end

return T
