local check = require('check')
local render = require('acp.render')

local T = {}

function T.plain_terminal_output()
  for _, case in ipairs({
    { '', {} },
    { 'a\nb\n', { 'a', 'b' } },
    { 'a\r\nb', { 'a', 'b' } },
    { '\27[1;32mok\27[0m done', { 'ok done' } },
    { '10%\r50%\r100%\nnext', { '100%', 'next' } },
    { 'half\r', { 'half' } },
    { '\27]0;title\7text', { 'text' } },
    { '\27]8;;http://x\27\\link\27]8;;\27\\', { 'link' } },
    { 'bell\7 back\8', { 'bell back' } },
    { 'tab\there', { 'tab\there' } },
  }) do
    check.equal(case[2], render.plain(case[1]), vim.inspect(case[1]))
  end
end

local function block(entry)
  return { kind = entry.kind, entry = entry, pieces = { entry.text or '' }, open = entry.open }
end

local function lines(entry)
  return render.block({ terminals = {} }, block(entry)).lines
end

function T.tools()
  local function tool(call)
    return lines({ kind = 'tool', tool = call })[1]
  end
  local path = vim.fn.getcwd() .. '/src/a.go'
  check.equal(
    '✓ Read src/a.go:3',
    tool({
      title = 'Read src/a.go',
      status = 'completed',
      locations = { { path = path, line = 3 } },
    })
  )
  check.equal(
    '● Look around src/a.go',
    tool({
      title = 'Look around',
      status = 'in_progress',
      locations = { { path = path } },
    })
  )
  check.equal('✗ shell', tool({ title = '', name = 'shell', status = 'failed' }))
  check.equal('■ shell', tool({ title = 'shell', status = 'cancelled' }))
  check.equal('○ first line', tool({ title = 'first line\nsecond', status = 'pending' }))
  check.equal(
    '✓ Edit src/a.go  +2 −1  ▸',
    tool({
      title = 'Edit',
      status = 'completed',
      content = { { type = 'diff', path = path, oldText = 'a\n', newText = 'b\nc\n' } },
    })
  )
end

function T.questions()
  local entry = {
    kind = 'permission',
    question = {
      id = 'q',
      agent = 'demo',
      message = 'Run it\nmake',
      toolCall = { title = 'Run it' },
      options = { { optionId = 'y', name = 'Yes' }, { optionId = 'n', name = 'No' } },
    },
  }
  local out = render.block({ terminals = {} }, block(entry))
  check.equal({ '? demo asks', '  Run it', '  make', '  1 Yes', '  2 No' }, out.lines)
  check.equal({ answer = { id = 'q', option = 'y' } }, out.actions[3])
  check.equal({ answer = { id = 'q', option = 'n' } }, out.actions[4])
  entry.answer = 'Yes'
  out = render.block({ terminals = {} }, block(entry))
  check.equal({ '? Run it: Yes' }, out.lines)
  check.equal({}, out.actions)
end

function T.anything_that_is_missing_is_done_without()
  for _, kind in ipairs({ 'tool', 'plan', 'permission', 'notice', 'error', 'user', 'thought' }) do
    local got = lines({ kind = kind })
    assert(#got > 0, kind)
    for _, line in ipairs(got) do
      assert(not line:find('\n'), kind)
    end
  end
end

return T
