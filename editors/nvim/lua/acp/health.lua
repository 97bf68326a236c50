local M = {}
local health = vim.health

---Waits for a command of acp-ls: a report cannot be added to later.
---@param command string
---@return table? result
---@return string? err
local function ask(command)
  local done, result, failure = false, nil, nil
  require('acp.client').execute(command, nil, function(err, value)
    done, result, failure = true, value, err and err.message
  end)
  vim.wait(5000, function()
    return done
  end, 10)
  if not done then
    return nil, 'no answer for 5 s'
  end
  return result, failure
end

local function check_neovim()
  health.start('Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    health.ok(('Neovim %s'):format(tostring(vim.version())))
  else
    health.error('Neovim 0.10 or newer is needed')
  end
end

---@return boolean
local function check_program()
  health.start('acp-ls')
  local cmd, err = require('acp.client').command()
  if not cmd then
    health.error(err or 'acp-ls not found', {
      'Put acp-ls on PATH, or build it with `make build` in its checkout',
      "or name it: require('acp').setup({ cmd = { '/path/to/acp-ls' } })",
    })
    return false
  end
  local ok, process = pcall(vim.system, { cmd[1], 'version' }, { text = true, timeout = 5000 })
  local out = ok and process:wait() or nil
  if out and out.code == 0 then
    health.ok(('%s: %s'):format(cmd[1], vim.trim(out.stdout or '')))
  else
    health.warn(('%s does not tell its version'):format(cmd[1]))
  end
  return true
end

---@return string[]? problems with the settings, as far as acp-ls tells
local function check_agents()
  health.start('Agents')
  local result, err = ask('acp.agent.list')
  if not result then
    health.error('acp-ls does not answer: ' .. (err or ''), { 'See :Acp log' })
    return
  end
  local installed = 0
  for _, agent in ipairs(result.agents or {}) do
    if agent.installed then
      installed = installed + 1
      health.ok(agent.name .. (agent.running and ' (running)' or ''))
    else
      health.info(('%s: not installed%s'):format(agent.name, agent.how and ', ' .. agent.how or ''))
    end
  end
  if installed == 0 then
    health.warn('no agent is installed')
  end
  return result.problems
end

local flat = { newline = ' ', indent = '' }

---What differs from the defaults.
---@param value table
---@param default table
---@return table?
local function changed(value, default)
  local result
  for name, v in pairs(value) do
    local d = default[name]
    if type(v) == 'table' and type(d) == 'table' and not vim.islist(v) then
      v = changed(v, d)
    elseif vim.deep_equal(v, d) then
      v = nil
    end
    if v ~= nil then
      result = result or {}
      result[name] = v
    end
  end
  return result
end

---@param problems string[]?
local function check_settings(problems)
  health.start('Settings')
  for _, problem in ipairs(problems or {}) do
    health.warn(problem)
  end
  local config = require('acp.config')
  local own = changed(config.get(), config.defaults)
  health.info('options that are set: ' .. (own and vim.inspect(own, flat) or 'none'))
  health.info('settings of acp-ls: ' .. vim.inspect(require('acp.client').settings(), flat))
  local log = vim.lsp.log and vim.lsp.log.get_filename and vim.lsp.log.get_filename()
    or vim.lsp.get_log_path()
  health.info('log: ' .. log)
  local client = require('acp.client').get()
  if client then
    health.info(
      ('attached to %d buffers, positions in %s'):format(
        vim.tbl_count(client.attached_buffers),
        client.offset_encoding
      )
    )
  else
    health.info('acp-ls does not run yet: it starts with the first :Acp')
  end
end

function M.check()
  check_neovim()
  check_settings(check_program() and check_agents() or nil)
end

return M
