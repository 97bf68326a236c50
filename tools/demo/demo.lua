-- What both ways of the demonstration start with: the plugin, the guide, and a
-- file with changes that are not saved.
local opts = ...

require('acp').setup({ cmd = { opts.program }, agent = 'demo' })
vim.o.number = true
vim.o.termguicolors = true
vim.cmd.syntax('on')

vim.cmd.edit('greet.go')
vim.api.nvim_buf_set_lines(0, 0, -1, true, opts.unsaved)
vim.api.nvim_win_set_cursor(0, { #opts.unsaved - 2, 0 })

local code = vim.api.nvim_get_current_win()
vim.cmd('topleft new')
vim.api.nvim_buf_set_lines(0, 0, -1, true, opts.guide)
vim.api.nvim_win_set_height(0, #opts.guide)
vim.bo.buftype = 'nofile'
vim.bo.bufhidden = 'wipe'
vim.bo.modified = false
vim.bo.modifiable = false
vim.wo.number = false
vim.wo.winfixheight = true
vim.wo.statusline = ' guide'
vim.api.nvim_set_current_win(code)
