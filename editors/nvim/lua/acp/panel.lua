---The two windows of the chat: a transcript, and under it the input.
local config = require('acp.config')
local editor = require('acp.editor')
local transcript = require('acp.transcript')
local util = require('acp.util')

local M = {}
local api = vim.api
local ns = api.nvim_create_namespace('acp.panel')

local win ---@type integer? transcript's
local input_win ---@type integer?
local input ---@type integer? buffer

---What the chat does when keys are pressed, and what it shows; set by it.
---@class acp.PanelHooks
---@field send fun()
---@field stop fun()
---@field focus fun()
---@field closed fun()
---@field top fun(width: integer): string
---@field bottom fun(): string
---@field placeholder fun(): string
M.hooks = {}

---@param w integer?
---@return boolean
local function valid(w)
  return w ~= nil and api.nvim_win_is_valid(w)
end

---Keys of a transcript.
---@param buf integer
local function dress_buffer(buf)
  if vim.b[buf].acp_dressed then
    return
  end
  vim.b[buf].acp_dressed = true
  local this = assert(transcript.of(buf))
  local function row()
    return api.nvim_win_get_cursor(0)[1] - 1
  end
  local function turn(step)
    return function()
      local to = this.blocks:turn(row(), step)
      if to then
        api.nvim_win_set_cursor(0, { to + 1, 0 })
      elseif step > 0 then
        vim.cmd('normal! G')
      end
    end
  end
  config.map('transcript', buf, {
    jump = function()
      local action = this:action(row())
      if not action then
        return
      elseif action.answer then
        require('acp.permission').answer(action.answer.id, action.answer.option)
      elseif action.jump then
        editor.jump(action.jump.path, action.jump.line)
      elseif action.toggle then
        this:toggle(row())
      end
    end,
    fold = function()
      this:toggle(row())
    end,
    next = turn(1),
    prev = turn(-1),
    input = function()
      M.hooks.focus()
      vim.cmd.startinsert({ bang = true })
    end,
    stop = function()
      M.hooks.stop()
    end,
    close = M.close,
  })
end

---What stands in an empty input.
local function show_placeholder()
  if not input or not api.nvim_buf_is_valid(input) then
    return
  end
  api.nvim_buf_clear_namespace(input, ns, 0, -1)
  local lines = api.nvim_buf_get_lines(input, 0, 2, false)
  if #lines == 1 and lines[1] == '' then
    api.nvim_buf_set_extmark(input, ns, 0, 0, {
      virt_text = { { M.hooks.placeholder(), 'AcpDim' } },
      virt_text_pos = 'overlay',
    })
  end
end

---The input's buffer.
---@return integer
function M.input()
  if input and api.nvim_buf_is_loaded(input) then
    return input
  end
  if input then -- the user has deleted it
    pcall(api.nvim_buf_delete, input, { force = true })
  end
  local buf = api.nvim_create_buf(false, true)
  input = buf
  pcall(api.nvim_buf_set_name, buf, 'acp://prompt')
  local bo = vim.bo[buf]
  bo.buftype, bo.bufhidden, bo.swapfile = 'nofile', 'hide', false
  bo.filetype = 'acp-prompt'
  require('acp.complete').attach(buf)
  local function watch()
    api.nvim_buf_attach(buf, false, { on_lines = vim.schedule_wrap(show_placeholder) })
  end
  watch()
  util.keep_on_reload(buf, watch)
  local function send()
    M.hooks.send()
  end
  config.map('input', buf, {
    send = send,
    submit = { { 'n', 'i' }, send },
    stop = function()
      M.hooks.stop()
    end,
    close = M.close,
  })
  return buf
end

---@return string[]
function M.lines()
  local lines = api.nvim_buf_get_lines(M.input(), 0, -1, false)
  return (#lines == 1 and lines[1] == '') and {} or lines
end

---@param lines string[]
function M.set_lines(lines)
  if vim.fn.pumvisible() == 1 and api.nvim_get_current_buf() == input then
    vim.fn.complete(vim.fn.col('.'), {}) -- what it offers is for the text that goes
  end
  api.nvim_buf_set_lines(M.input(), 0, -1, false, lines)
end

---@param w integer
---@param options table
local function set_options(w, options)
  for name, value in pairs(options) do
    api.nvim_set_option_value(name, value, { win = w, scope = 'local' })
  end
end

local plain = {
  number = false,
  relativenumber = false,
  signcolumn = 'no',
  foldcolumn = '0',
  foldenable = false,
  statuscolumn = '',
  list = false,
  spell = false,
  cursorline = false,
  cursorcolumn = false,
  colorcolumn = '',
  wrap = true,
  linebreak = true,
  breakindent = true,
  winfixbuf = true,
  winfixwidth = true,
}

---What a window looks like. Set after every change of its buffer: a buffer that is
---new to a window brings the global values along.
---@param w integer
---@param options table
local function dress_window(w, options)
  set_options(w, plain)
  set_options(w, options)
  local fillchars, highlights = 'eob: ', 'WinBar:Normal,WinBarNC:Normal'
  if vim.o.laststatus ~= 3 then -- the status line is a thin line, without a name
    vim.wo[w].statusline = '%#AcpRule#'
    fillchars = 'stl:─,stlnc:─,' .. fillchars
    highlights = highlights .. ',StatusLine:AcpRule,StatusLineNC:AcpRule'
  end
  set_options(w, { fillchars = fillchars, winhighlight = highlights })
end

---Brings the bars up to date.
function M.refresh()
  show_placeholder()
  if valid(win) then
    vim.wo[win].winbar = M.hooks.top(api.nvim_win_get_width(win --[[@as integer]]))
  end
  if valid(input_win) then
    vim.wo[input_win].winbar = M.hooks.bottom()
  end
end

---Puts the transcript's cursor on its end.
function M.to_end()
  if valid(win) then
    local buf = api.nvim_win_get_buf(win --[[@as integer]])
    api.nvim_win_set_cursor(win --[[@as integer]], { api.nvim_buf_line_count(buf), 0 })
  end
end

---Shows a transcript, at its end.
---@param buf integer
function M.show(buf)
  dress_buffer(buf)
  if not win or not valid(win) then
    return
  end
  if api.nvim_win_get_buf(win) ~= buf then
    vim.wo[win].winfixbuf = false
    api.nvim_win_set_buf(win, buf)
  end
  dress_window(win, { conceallevel = 2, concealcursor = 'nvc', scrolloff = 0 })
  M.to_end()
  M.refresh()
end

---@return integer
local function width()
  local w = config.get().chat.width
  if w < 1 then
    w = math.floor(vim.o.columns * w)
  end
  return math.max(20, math.min(w, vim.o.columns - 20))
end

---Whether the chat is to be seen in this tab page.
---@return boolean
function M.is_open()
  return valid(win)
    and valid(input_win)
    and api.nvim_win_get_tabpage(win --[[@as integer]]) == api.nvim_get_current_tabpage()
end

---Leaves the windows to a session (:mksession) that is being loaded: it takes the one that was
---the current one for a file.
local function give_up()
  for _, w in pairs({ win, input_win }) do
    if valid(w) then
      vim.wo[w].winfixbuf = false
    end
  end
  win, input_win = nil, nil
end

---Opens the windows, with a transcript.
---@param buf integer
function M.open(buf)
  if M.is_open() then
    return
  end
  M.close() -- it may be open in another tab page
  win = api.nvim_open_win(buf, false, { split = 'right', win = -1, width = width() })
  input_win = api.nvim_open_win(M.input(), false, {
    split = 'below',
    win = win,
    height = config.get().chat.input_height,
  })
  dress_window(input_win, { winfixheight = true })
  M.show(buf)
  local group = api.nvim_create_augroup('acp.panel', {})
  api.nvim_create_autocmd('WinResized', { group = group, callback = M.refresh })
  api.nvim_create_autocmd('WinClosed', { -- the two belong together
    group = group,
    pattern = { tostring(win), tostring(input_win) },
    callback = function()
      if vim.g.SessionLoad == 1 then
        give_up()
      end
      vim.schedule(M.close)
    end,
  })
end

---Goes to the input.
function M.focus()
  if valid(input_win) then
    api.nvim_set_current_win(input_win --[[@as integer]])
  end
end

function M.close()
  pcall(api.nvim_del_augroup_by_name, 'acp.panel')
  local wins = { input_win, win }
  win, input_win = nil, nil
  for _, w in pairs(wins) do
    if valid(w) then
      if #api.nvim_tabpage_list_wins(api.nvim_win_get_tabpage(w)) == 1 then
        vim.wo[w].winfixbuf = false
        api.nvim_win_call(w, vim.cmd.enew) -- the last window cannot be closed
      else
        pcall(api.nvim_win_close, w, true)
      end
    end
  end
  if M.hooks.closed then
    M.hooks.closed()
  end
end

---The column of the chat's left edge, while it is to be seen.
---@return integer?
function M.left()
  if M.is_open() then
    return api.nvim_win_get_position(win --[[@as integer]])[2] - 1
  end
end

return M
