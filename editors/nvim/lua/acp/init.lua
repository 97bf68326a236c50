---acp: coding agents in Neovim. See |acp.txt|.
local M = {}

---Sets options; none has to be. May be called again.
---@param opts acp.Config?
function M.setup(opts)
  local config = require('acp.config')
  config.set(opts)
  for name, keys in pairs(config.get().keys.global or {}) do
    for _, lhs in ipairs(config.lhs(keys)) do
      local map = { desc = 'acp: ' .. name, silent = true }
      vim.keymap.set('n', lhs, ('<Cmd>Acp %s<CR>'):format(name), map)
      if name == 'send' or name == 'accept' or name == 'reject' then
        vim.keymap.set('x', lhs, (':Acp %s<CR>'):format(name), map)
      end
    end
  end
  local client = package.loaded['acp.client']
  if client then
    client.configure()
  end
  if config.get().autostart then
    vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
      group = vim.api.nvim_create_augroup('acp.autostart', {}),
      once = true,
      callback = vim.schedule_wrap(function()
        require('acp.client').start(function(_, err)
          if err then
            require('acp.util').warn(err)
          end
        end)
      end),
    })
  end
end

---Opens the chat.
function M.open()
  require('acp.chat').open()
end

---Opens or closes the chat.
function M.toggle()
  require('acp.chat').toggle()
end

---Sends a prompt.
---@param text string
---@param opts {selection: {uri: string, range: table}?, context: table[]?, when: 'queue'|'now'?}?
function M.prompt(text, opts)
  require('acp.chat').prompt(text, opts)
end

---Stops the running turn.
function M.stop()
  require('acp.chat').stop()
end

---Short text for a status line; empty while there is nothing to say.
---@return string
function M.status()
  local chat = package.loaded['acp.chat']
  return chat and chat.status() or ''
end

---Whether an agent works, and may write files: what saves by itself had better wait.
---@return boolean
function M.working()
  local session = package.loaded['acp.session']
  return session ~= nil and session.working()
end

---Runs a command of acp-ls, such as acp.session.list.
---@param command string
---@param arg table?
---@param fn fun(err: {message: string, kind: string?}?, result: any)?
function M.execute(command, arg, fn)
  require('acp.client').execute(command, arg, fn)
end

return M
