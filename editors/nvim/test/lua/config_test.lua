local check = require('check')
local config = require('acp.config')

local T = {}

function T.defaults_need_no_setup()
  package.loaded['acp.config'] = nil
  check.equal('<CR>', require('acp.config').key('input', 'send'))
  package.loaded['acp.config'] = config
end

function T.options_are_merged()
  config.set({ chat = { width = 80 }, keys = { review = { next = { ']x', ']y' } } } })
  check.equal(80, config.get().chat.width)
  check.equal(5, config.get().chat.input_height)
  check.equal({ ']x', ']y' }, config.lhs(config.get().keys.review.next))
  check.equal(']x', config.key('review', 'next'))
  check.equal('[h', config.key('review', 'prev'))
  config.set({})
end

function T.keys_can_be_turned_off()
  config.set({ keys = { review = false, input = { send = false } } })
  check.equal(nil, config.key('review', 'next'))
  check.equal(nil, config.key('input', 'send'))
  check.equal('<C-s>', config.key('input', 'submit'))
  config.set({})
end

function T.settings_hold_anything_and_global_keys_name_commands()
  config.set({
    cmd = { 'x' },
    agent = 'demo',
    settings = { agents = { mine = { command = 'y' } } },
    keys = { global = { toggle = '<leader>a', ['reject-all'] = { 'x', 'y' }, send = false } },
  })
  config.set({ keys = { global = false } })
  config.set({})
end

function T.mistakes_are_named()
  for _, case in ipairs({
    { { chats = {} }, 'unknown option chats' },
    { { chat = { widht = 1 } }, 'unknown option chat.widht' },
    { { chat = { width = 'wide' } }, 'option chat.width must be a number' },
    { { chat = false }, 'option chat must be a table' },
    { { cmd = 'acp-ls' }, 'option cmd must be a table' },
    { { keys = { input = { sned = 'x' } } }, 'unknown option keys.input.sned' },
    { { keys = { inptu = {} } }, 'unknown option keys.inptu' },
    { { keys = { global = { bogus = 'x' } } }, 'unknown option keys.global.bogus' },
  }) do
    check.fails(case[2], function()
      config.set(case[1])
    end)
  end
  config.set({})
end

return T
