---Questions of agents: a list, and a window that shows the oldest one.
---
---The window never takes the focus, and no key: it is there to be seen. The user
---answers by going to it. A key that was already on its way then does nothing:
---for half a second a question takes no answer.
local config = require('acp.config')
local layout = require('acp.question_layout')
local sessions = require('acp.session')

local M = {}
local api = vim.api
local ns = api.nvim_create_namespace('acp.questions')

---@class acp.Question
---@field id string
---@field session string? that asks
---@field who string? name of the agent; by default the session's
---@field text string
---@field options {name: string, value: any}[]
---@field choose fun(value: any) called once, with what was chosen
---@field later fun()? called when the user puts it off
---@field put_off boolean?

---@type acp.Question[]
local list = {}

---@class acp.QuestionWindow
local view = {
  buf = nil, ---@type integer?
  win = nil, ---@type integer?
  from = nil, ---@type integer? window the user came from
  since = 0, ---@type number when the shown question could first be answered
  shown = nil, ---@type acp.Question?
  rows = {}, ---@type table<integer, integer> line -> option
}

---@type fun()[]
local listeners = {}

---Calls fn when the list changes.
---@param fn fun()
function M.listen(fn)
  listeners[#listeners + 1] = fn
end

---@return integer
function M.count()
  return #list
end

---The session the user is in: its questions come first.
---@type fun(): string?
M.session = function() end

---@return acp.Question?
---@return integer count of those to show
local function first()
  local found, own, count = nil, nil, 0
  local session = M.session()
  for _, question in ipairs(list) do
    if not question.put_off then
      count = count + 1
      found = found or question
      own = own or (session and question.session == session and question or nil)
    end
  end
  return own or found, count
end

---@return boolean
local function focused()
  return view.win ~= nil and api.nvim_get_current_win() == view.win
end

---Whether the user can have meant a key they press now.
---@return boolean
local function ready()
  return vim.uv.now() - view.since >= config.get().permission.guard
end

---@param question acp.Question
local function remove(question)
  for i, q in ipairs(list) do
    if q == question then
      table.remove(list, i)
      return
    end
  end
end

local function leave()
  if focused() then
    local to = view.from
    if to and api.nvim_win_is_valid(to) and to ~= view.win then
      api.nvim_set_current_win(to)
    else
      vim.cmd('wincmd p')
    end
    -- a window without a status line has left its ruler in the message line
    api.nvim_echo({ { '' } }, false, {})
  end
end

---@param question acp.Question
---@param value any
local function choose(question, value)
  remove(question)
  question.choose(value)
  M.update()
end

---@param index integer?
local function answer(index)
  local question = view.shown
  local option = question and index and question.options[index]
  if not option or not ready() then
    return
  end
  choose(question, option.value)
end

local function later()
  local question = view.shown
  if not question then
    return
  end
  question.put_off = true
  if question.later then
    question.later()
  end
  M.update()
end

local function buffer()
  if view.buf and api.nvim_buf_is_valid(view.buf) then
    return view.buf
  end
  local buf = api.nvim_create_buf(false, true)
  view.buf = buf
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].filetype = 'acp-question'
  for i = 1, 9 do
    vim.keymap.set('n', tostring(i), function()
      answer(i)
    end, { buffer = buf, nowait = true, desc = 'acp: choose' })
  end
  config.map('permission', buf, {
    choose = function()
      answer(view.rows[api.nvim_win_get_cursor(0)[1]])
    end,
    later = later,
  })
  vim.keymap.set('n', '<LeftRelease>', function()
    local mouse = vim.fn.getmousepos()
    if mouse.winid == view.win then
      answer(view.rows[mouse.line])
    end
  end, { buffer = buf, desc = 'acp: choose' })
  api.nvim_create_autocmd('WinEnter', {
    buffer = buf,
    callback = function()
      view.from = vim.fn.win_getid(vim.fn.winnr('#'))
      view.since = vim.uv.now()
      vim.cmd.stopinsert()
      M.update()
    end,
  })
  api.nvim_create_autocmd('WinLeave', {
    buffer = buf,
    callback = vim.schedule_wrap(function()
      M.update()
    end),
  })
  return buf
end

---Where the chat stands that shows the questions too, if it does: the column of its
---left edge. The window is then put beside it, and is without the options until it is entered.
---@type fun(): integer?
M.beside = function() end

local function close()
  leave()
  local win = view.win
  view.win, view.shown = nil, nil
  if win and api.nvim_win_is_valid(win) then
    pcall(api.nvim_win_close, win, true)
  end
end

local function paint(first_option)
  local buf = view.buf --[[@as integer]]
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  view.rows = {}
  local dim = focused() and not ready()
  for i in ipairs(view.shown.options) do
    local row = first_option - 1 + i - 1
    local line = api.nvim_buf_get_lines(buf, row, row + 1, false)[1]
    if not line then
      break
    end
    view.rows[row + 1] = i
    api.nvim_buf_set_extmark(buf, ns, row, 1, {
      end_col = 2,
      hl_group = dim and 'AcpDim' or 'AcpKey',
    })
    api.nvim_buf_set_extmark(buf, ns, row, 4, {
      end_col = #line,
      hl_group = dim and 'AcpDim' or 'AcpOption',
    })
  end
end

---Shows what there is to show.
function M.update()
  for _, fn in ipairs(listeners) do
    fn()
  end
  local question, count = first()
  if view.win and not api.nvim_win_is_valid(view.win) then
    view.win, view.shown = nil, nil
  end
  if view.shown and view.win and focused() then
    for _, q in ipairs(list) do -- the one the user reads stays
      if q == view.shown and not q.put_off then
        question = q
      end
    end
  end
  if not question or not (config.get().permission.float or view.win or view.wanted) then
    return close()
  end
  if vim.fn.getcmdwintype() ~= '' then
    view.retry = view.retry
      or api.nvim_create_autocmd('CmdwinLeave', {
        once = true,
        callback = vim.schedule_wrap(function()
          view.retry = nil
          M.update()
        end),
      })
    return
  end
  local buf = buffer()
  if view.shown ~= question then
    view.since = vim.uv.now()
  end
  view.shown = question
  local small = not focused() and M.beside() ~= nil
  local lines, first_option = layout.text(question, small, M.beside())
  vim.bo[buf].modifiable = true
  api.nvim_buf_set_lines(buf, 0, -1, false, lines)
  vim.bo[buf].modifiable = false
  local session = sessions.all[question.session]
  local place = layout.window(question, lines, {
    who = question.who or session and session.info.agent or 'The agent',
    about = session and session.info.title or '',
    count = count,
    focused = focused(),
    right = M.beside(),
    elsewhere = M.session() ~= nil and question.session ~= M.session(),
  })
  if view.win and api.nvim_win_get_tabpage(view.win) ~= api.nvim_get_current_tabpage() then
    api.nvim_win_close(view.win, true)
    view.win = nil
  end
  if view.win then
    api.nvim_win_set_config(view.win, place)
  else
    place.noautocmd = true
    view.win = api.nvim_open_win(buf, false, place)
    for name, value in pairs({
      wrap = true,
      linebreak = false,
      cursorline = false,
      winhighlight = 'NormalFloat:Normal,FloatBorder:AcpQuestion',
      winfixbuf = true,
    }) do
      api.nvim_set_option_value(name, value, { win = view.win, scope = 'local' })
    end
  end
  vim.wo[view.win].cursorline = focused()
  paint(first_option)
  if focused() then
    local row = api.nvim_win_get_cursor(view.win)[1]
    if not view.rows[row] then
      api.nvim_win_call(view.win, function() -- with all options to be seen, as far as they can be
        vim.cmd('normal! Gzb')
      end)
      api.nvim_win_set_cursor(view.win, { math.min(first_option, #lines), 0 })
    end
    if not ready() and not view.timer then
      view.timer = true
      vim.defer_fn(function()
        view.timer = nil
        if view.win and api.nvim_win_is_valid(view.win) then
          M.update()
        end
      end, math.max(config.get().permission.guard - (vim.uv.now() - view.since), 1))
    end
  elseif vim.fn.mode():match('^c') then
    vim.cmd.redraw() -- a window opened during a command line is not drawn by itself
  end
end

local watching = false

---@param question acp.Question
function M.add(question)
  for i, q in ipairs(list) do -- shown again
    if q.id == question.id then
      table.remove(list, i)
      break
    end
  end
  list[#list + 1] = question
  if not watching then
    watching = true
    api.nvim_create_autocmd({ 'VimResized', 'TabEnter' }, {
      group = api.nvim_create_augroup('acp.questions', {}),
      callback = function()
        if #list > 0 then
          M.update()
        end
      end,
    })
  end
  M.update()
end

---Takes a question off the list; it is not asked any more.
---@param id string
---@return acp.Question?
function M.drop(id)
  for i, question in ipairs(list) do
    if question.id == id then
      table.remove(list, i)
      M.update()
      return question
    end
  end
end

---Answers a question of the list from elsewhere, such as the chat.
---@param id string
---@param value any
---@return boolean
function M.answer(id, value)
  for _, question in ipairs(list) do
    if question.id == id then
      choose(question, value)
      return true
    end
  end
  return false
end

---Goes to the question, and shows again what was put off.
---@return boolean
function M.focus()
  if #list == 0 then
    return false
  end
  if not first() then
    for _, question in ipairs(list) do
      question.put_off = nil
    end
  end
  view.wanted = true
  M.update()
  view.wanted = nil
  if view.win then
    api.nvim_set_current_win(view.win)
  end
  return view.win ~= nil
end

---When (vim.uv.now) the question shown could first have been answered.
---@return number
function M.since()
  return view.since
end

function M.clear()
  list = {}
  M.update()
end

return M
