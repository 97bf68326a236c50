local check = require('check')

local T = {}

local path = vim.api.nvim_get_runtime_file('doc/acp.txt', false)[1]
local lines = vim.fn.readfile(path)
local text = table.concat(lines, '\n')

---@param word string
local function documented(word)
  assert(text:find(word, 1, true), word .. ' is not in doc/acp.txt')
end

function T.commands()
  for name in pairs(require('acp.command').subcommands) do
    documented(name)
  end
end

function T.options_and_keys()
  local function walk(options)
    for name, value in pairs(options) do
      documented(name)
      if type(value) == 'table' then
        walk(value)
      elseif type(value) == 'string' then
        documented(value)
      end
    end
  end
  for name, value in pairs(require('acp.config').defaults) do
    documented(name)
    if type(value) == 'table' and not vim.islist(value) then
      walk(value)
    end
  end
end

function T.plug_mappings()
  vim.cmd.runtime('plugin/acp.lua')
  local found = 0
  for _, mode in ipairs({ 'n', 'x' }) do
    for _, map in ipairs(vim.api.nvim_get_keymap(mode)) do
      if map.lhs:match('^<Plug>%(acp%-') then
        found = found + 1
        documented(map.lhs)
        local name = map.lhs:match('acp%-(.+)%)')
        assert(require('acp.command').subcommands[name], name .. ' is no command')
      end
    end
  end
  assert(found > 10)
end

function T.highlights()
  for name in pairs(require('acp.highlight').groups) do
    documented(name)
  end
end

function T.shape()
  for i, line in ipairs(lines) do
    assert(vim.fn.strdisplaywidth(line) <= 78, ('line %d is too long'):format(i))
  end
  local tags = {}
  for tag in text:gmatch('%s%*([^%s*]+)%*') do
    tags[tag] = true
  end
  for link in text:gmatch('|(acp[^%s|]*)|') do
    check.equal(true, tags[link] or false, 'tag of |' .. link .. '|')
  end
end

return T
