-- Only what has to exist before the first use: one command, the <Plug> maps.
-- Nothing is required until one of them is used; see |acp-lazy|.
if vim.g.loaded_acp then
  return
end
vim.g.loaded_acp = 1

if vim.fn.has('nvim-0.10') == 0 then
  vim.api.nvim_create_user_command('Acp', function()
    vim.api.nvim_err_writeln('acp: Neovim 0.10 or newer is needed')
  end, { nargs = '*', range = true })
  return
end

vim.api.nvim_create_user_command('Acp', function(args)
  require('acp.command').run(args)
end, {
  nargs = '*',
  range = true,
  bang = true,
  desc = 'Work with coding agents',
  complete = function(...)
    return require('acp.command').complete(...)
  end,
})

for name, modes in pairs({
  open = 'n',
  toggle = 'n',
  send = 'nx',
  new = 'n',
  stop = 'n',
  sessions = 'n',
  permission = 'n',
  next = 'n',
  prev = 'n',
  accept = 'nx',
  reject = 'nx',
  ['accept-file'] = 'n',
  ['reject-file'] = 'n',
  restore = 'n',
  hunks = 'n',
}) do
  for mode in modes:gmatch('.') do
    local rhs = mode == 'x' and ':Acp %s<CR>' or '<Cmd>Acp %s<CR>'
    vim.api.nvim_set_keymap(
      mode,
      ('<Plug>(acp-%s)'):format(name),
      rhs:format(name),
      { noremap = true, silent = true }
    )
  end
end

-- Only :file in a session (:mksession) gives names while one is loaded.
vim.api.nvim_create_autocmd({ 'BufFilePre', 'BufFilePost' }, {
  group = vim.api.nvim_create_augroup('acp.mksession', {}),
  desc = 'acp: restore no windows of the chat',
  callback = function(args)
    if vim.g.SessionLoad ~= 1 then
      return
    elseif args.event == 'BufFilePre' then
      require('acp.mksession').before_name()
    else
      require('acp.mksession').after_name(args.buf)
    end
  end,
})
