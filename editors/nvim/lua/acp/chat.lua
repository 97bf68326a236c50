---The chat: a session's transcript, and under it the text to send next.
local client = require('acp.client')
local config = require('acp.config')
local editor = require('acp.editor')
local questions = require('acp.questions')
local review = require('acp.review')
local sessions = require('acp.session')
local transcript = require('acp.transcript')
local util = require('acp.util')

local M = {}
local api = vim.api

---@class acp.Chat
local chat = {
  session = nil, ---@type string? shown, once there is one
  starting = false,
  agent = nil, ---@type string? asked for by the user
  unsent = {}, ---@type table[] prompts that wait for the session
  selection = nil, ---@type {uri: string, range: table, label: string}? goes with the next prompt
  blank = nil, ---@type acp.Transcript? shown until there is a session
  input = nil, ---@type integer? buffer
  win = nil, ---@type integer? transcript's window
  input_win = nil, ---@type integer?
  started = 0,
}

---@param win integer?
---@return boolean
local function valid(win)
  return win ~= nil and api.nvim_win_is_valid(win)
end

---@return acp.Session?
local function current()
  return chat.session and sessions.all[chat.session]
end

---@return acp.Transcript
local function shown()
  local session = current()
  if session then
    return session.transcript
  end
  if not chat.blank or not api.nvim_buf_is_valid(chat.blank.buf) then
    chat.blank = transcript.new('new')
    M.dress_transcript(chat.blank.buf)
  end
  return chat.blank
end

local state_words = {
  starting = { 'starting', 'AcpRunning' },
  idle = { '', 'AcpDim' },
  running = { '● working', 'AcpRunning' },
  waiting = { '? waiting for you', 'AcpQuestion' },
  closed = { 'closed', 'AcpDim' },
  failed = { '✗ failed', 'AcpFailed' },
}

---@param tokens number
---@return string
local function short_number(tokens)
  if tokens >= 1e6 then
    return ('%.1fM'):format(tokens / 1e6)
  elseif tokens >= 1000 then
    return ('%.0fk'):format(tokens / 1000)
  end
  return tostring(tokens)
end

---@param usage table?
---@return string?
local function usage_text(usage)
  if not usage or not usage.used or usage.used == 0 then
    return
  end
  local text = short_number(usage.used)
  if usage.size and usage.size > 0 then
    text = ('%s of %s'):format(text, short_number(usage.size))
  end
  if usage.cost and usage.cost > 0 then
    text = ('%s · %.2f %s'):format(text, usage.cost, usage.currency or '')
  end
  return text
end

---@return string
local function top_bar()
  local session = current()
  local info = session and session.info or {}
  local name = info.agent or chat.agent or config.get().agent or 'agent'
  local title = info.title and info.title ~= '' and info.title or ''
  local word = state_words[info.state or (chat.starting and 'starting' or 'idle')]
    or state_words.idle
  local right = {}
  if word[1] ~= '' then
    right[1] = ('%%#%s#%s'):format(word[2], word[1])
  end
  if info.queue and #info.queue > 0 then
    right[#right + 1] = ('%%#AcpDim#%d queued'):format(#info.queue)
  end
  for _, option in ipairs(info.options or {}) do
    if option.id == 'mode' or option.category == 'mode' then
      local value = option.value
      for _, choice in ipairs(option.choices or {}) do
        if choice.value == option.value then
          value = choice.name
        end
      end
      right[#right + 1] = '%#AcpDim#' .. util.escape_statusline(tostring(value))
    end
  end
  return (' %%#AcpTitle#%s%%#AcpDim# %%<%s%%=%s '):format(
    util.escape_statusline(name),
    util.escape_statusline(title),
    table.concat(right, ' %#AcpDim#· ')
  )
end

---@return string
local function input_bar()
  local session = current()
  local left, right = {}, {}
  if chat.selection then
    left[#left + 1] = '%#AcpPlace#⧉ ' .. util.escape_statusline(chat.selection.label)
  else
    local send = config.key('input', 'send')
    left[#left + 1] = '%#AcpDim#'
      .. util.escape_statusline(
        send and (send .. ' sends · @ context · / commands') or '@ context'
      )
  end
  local n = review.count()
  if n > 0 then
    local key = config.key('review', 'next')
    right[#right + 1] = ('%%#AcpAddedSign#%d hunk%s%%#AcpDim#%s'):format(
      n,
      n == 1 and '' or 's',
      key and util.escape_statusline(' ' .. key) or ''
    )
  end
  local asked = questions.count()
  if asked > 0 then
    right[#right + 1] = ('%%#AcpQuestion#%d question%s'):format(asked, asked == 1 and '' or 's')
  end
  local used = usage_text(session and session.info.usage)
  if used then
    right[#right + 1] = '%#AcpDim#' .. util.escape_statusline(used)
  end
  return (' %s%%=%%<%s '):format(table.concat(left, ' '), table.concat(right, ' %#AcpDim#· '))
end

local show_placeholder

local function refresh_bars()
  show_placeholder()
  if valid(chat.win) then
    vim.wo[chat.win].winbar = top_bar()
  end
  if valid(chat.input_win) then
    vim.wo[chat.input_win].winbar = input_bar()
  end
end

local listening = false

local function listen()
  if listening then
    return
  end
  listening = true
  sessions.listen(function(session, old)
    if session.id == chat.session then
      refresh_bars()
    elseif not chat.session and chat.starting then
      M.show(session.id) -- the one we wait for says how it starts
    end
    if old and old ~= session.info.state and session.info.state == 'idle' and not M.is_open() then
      if old == 'running' or old == 'waiting' then
        util.notify(('%s is done'):format(session.info.agent))
      end
    end
  end)
  questions.beside = function()
    if M.is_open() then
      return api.nvim_win_get_position(chat.win)[2] - 1
    end
  end
  review.listen(refresh_bars)
  questions.listen(refresh_bars)
end

---Keys of a transcript.
---@param buf integer
function M.dress_transcript(buf)
  if vim.b[buf].acp_dressed then
    return
  end
  vim.b[buf].acp_dressed = true
  local function row()
    return api.nvim_win_get_cursor(0)[1] - 1
  end
  local function this()
    return transcript.of(api.nvim_get_current_buf())
  end
  local function turn(step)
    return function()
      local t = this()
      local to = t and t.blocks:turn(row(), step)
      if to then
        api.nvim_win_set_cursor(0, { to + 1, 0 })
      elseif step > 0 then
        vim.cmd('normal! G')
      end
    end
  end
  config.map('transcript', buf, {
    jump = function()
      local t = this()
      local action = t and t:action(row())
      if not action then
        return
      elseif action.answer then
        require('acp.permission').answer(action.answer.id, action.answer.option)
      elseif action.jump then
        editor.jump(action.jump.path, action.jump.line)
      elseif action.toggle then
        t:toggle(row())
      end
    end,
    fold = function()
      local t = this()
      if t then
        t:toggle(row())
      end
    end,
    next = turn(1),
    prev = turn(-1),
    input = function()
      M.open()
      vim.cmd.startinsert({ bang = true })
    end,
    stop = M.stop,
    close = M.close,
  })
end

local ns = api.nvim_create_namespace('acp.chat')

---What stands in an empty input.
show_placeholder = function()
  local buf = chat.input
  if not buf or not api.nvim_buf_is_valid(buf) then
    return
  end
  api.nvim_buf_clear_namespace(buf, ns, 0, -1)
  local empty = api.nvim_buf_line_count(buf) == 1
    and api.nvim_buf_get_lines(buf, 0, 1, false)[1] == ''
  if empty then
    local session = current()
    local agent = session and session.info.agent or chat.agent or config.get().agent or 'the agent'
    api.nvim_buf_set_extmark(buf, ns, 0, 0, {
      virt_text = { { ('Ask %s'):format(agent), 'AcpDim' } },
      virt_text_pos = 'overlay',
    })
  end
end

---@return integer
local function input_buffer()
  if chat.input and api.nvim_buf_is_valid(chat.input) then
    return chat.input
  end
  local buf = api.nvim_create_buf(false, true)
  chat.input = buf
  pcall(api.nvim_buf_set_name, buf, 'acp://prompt')
  local bo = vim.bo[buf]
  bo.buftype, bo.bufhidden, bo.swapfile = 'nofile', 'hide', false
  bo.filetype = 'acp-prompt'
  require('acp.complete').attach(buf)
  api.nvim_buf_attach(buf, false, { on_lines = vim.schedule_wrap(show_placeholder) })
  config.map('input', buf, {
    send = M.send_input,
    submit = { { 'n', 'i' }, M.send_input },
    stop = M.stop,
    close = M.close,
  })
  return buf
end

---@param win integer
---@param options table
local function set_options(win, options)
  for name, value in pairs(options) do
    api.nvim_set_option_value(name, value, { win = win, scope = 'local' })
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
}

---What the windows look like. Set after every change of buffer: a buffer that
---is new to a window brings the global values along.
---@param win integer
---@param options table
local function dress_window(win, options)
  set_options(win, plain)
  set_options(win, options)
  if vim.o.laststatus ~= 3 then -- the status line is a thin line, without a name
    set_options(win, {
      statusline = '%#AcpRule#',
      fillchars = 'stl:─,stlnc:─,eob: ',
      winhighlight = 'WinBar:Normal,WinBarNC:Normal,StatusLine:AcpRule,StatusLineNC:AcpRule',
    })
  else
    set_options(win, { fillchars = 'eob: ', winhighlight = 'WinBar:Normal,WinBarNC:Normal' })
  end
end

---Shows a transcript in the chat, at its end.
---@param buf integer
local function show_buffer(buf)
  local win = chat.win
  if not win or not valid(win) then
    return
  end
  M.dress_transcript(buf)
  if api.nvim_win_get_buf(win) ~= buf then
    vim.wo[win].winfixbuf = false
    api.nvim_win_set_buf(win, buf)
  end
  dress_window(win, {
    conceallevel = 2,
    concealcursor = 'nvc',
    winfixwidth = true,
    scrolloff = 0,
  })
  api.nvim_win_set_cursor(win, { api.nvim_buf_line_count(buf), 0 })
end

---@return integer
local function width()
  local w = config.get().chat.width
  if w < 1 then
    w = math.floor(vim.o.columns * w)
  end
  return math.max(20, math.min(w, vim.o.columns - 20))
end

---@return boolean
function M.is_open()
  return valid(chat.win) and api.nvim_win_get_tabpage(chat.win) == api.nvim_get_current_tabpage()
end

local function open_windows()
  local buf = shown().buf
  chat.win = api.nvim_open_win(buf, false, { split = 'right', win = -1, width = width() })
  show_buffer(buf)
  chat.input_win = api.nvim_open_win(input_buffer(), false, {
    split = 'below',
    win = chat.win,
    height = config.get().chat.input_height,
  })
  dress_window(chat.input_win, { winfixheight = true, winfixwidth = true })
  local group = api.nvim_create_augroup('acp.chat', {})
  api.nvim_create_autocmd('WinClosed', { -- the two belong together
    group = group,
    pattern = { tostring(chat.win), tostring(chat.input_win) },
    callback = vim.schedule_wrap(function()
      M.close()
    end),
  })
  questions.update()
  refresh_bars()
end

---Opens the chat and goes to its input.
---@param opts {focus: boolean?, agent: string?}?
function M.open(opts)
  opts = opts or {}
  require('acp.highlight').setup()
  listen()
  editor.track()
  if valid(chat.win) and not M.is_open() then
    M.close() -- it was open in another tab page
  end
  if not M.is_open() then
    open_windows()
  end
  if opts.focus ~= false then
    api.nvim_set_current_win(chat.input_win)
  end
  local session = current()
  if session and (session.info.state == 'closed' or session.info.state == 'failed') then
    session = nil
  end
  if not session and not chat.starting and config.get().chat.start then
    M.start(opts.agent)
  end
end

function M.close()
  pcall(api.nvim_del_augroup_by_name, 'acp.chat')
  local win, input_win = chat.win, chat.input_win
  chat.win, chat.input_win = nil, nil
  for _, w in ipairs({ input_win, win }) do
    if valid(w) then
      if #api.nvim_list_wins() == 1 then
        vim.wo[w].winfixbuf = false
        vim.cmd.enew()
      else
        pcall(api.nvim_win_close, w, true)
      end
    end
  end
  questions.update()
end

function M.toggle()
  if M.is_open() then
    M.close()
  else
    M.open()
  end
end

---Shows a session in the chat.
---@param id string
function M.show(id)
  chat.session = id
  chat.starting = false
  local session = sessions.all[id]
  if not session then
    return
  end
  show_buffer(session.transcript.buf)
  refresh_bars()
end

---@param message string
local function show_error(message)
  chat.started = chat.started + 1
  shown():entry({ id = 'acp-error-' .. chat.started, kind = 'error', text = message })
  if not M.is_open() then
    util.warn(message)
  end
end

---Gives back to the input what could not be sent.
---@param prompts table[]
local function give_back(prompts)
  local buf = input_buffer()
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  if #lines == 1 and lines[1] == '' then
    lines = {}
  end
  local text = {}
  for _, prompt in ipairs(prompts) do
    vim.list_extend(text, vim.split(prompt.text, '\n', { plain = true }))
  end
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.list_extend(text, lines))
end

---@param prompt table
local function send(prompt)
  prompt.session = chat.session
  client.execute('acp.prompt', prompt, function(err, result)
    if err then
      give_back({ prompt })
      if err.kind ~= 'ended' then -- the session says that itself
        show_error(err.message)
      end
      return
    end
    if result.session and result.session ~= chat.session then
      M.show(result.session)
    end
  end)
end

---Starts a new session.
---@param agent string?
function M.start(agent)
  listen()
  chat.agent = agent or chat.agent
  chat.session = nil
  chat.starting = true
  chat.blank = nil
  chat.started = chat.started + 1
  local this = chat.started
  show_buffer(shown().buf)
  refresh_bars()
  local file_win = editor.file_window()
  local bufnr = file_win and api.nvim_win_get_buf(file_win) or nil
  local arg = { agent = chat.agent, cwd = client.root(bufnr) }
  client.execute('acp.session.new', arg, function(err, info)
    if this ~= chat.started then
      return -- another has been started since
    end
    chat.starting = false
    local unsent = chat.unsent
    chat.unsent = {}
    if err then
      give_back(unsent)
      refresh_bars()
      local hint = err.kind == 'authRequired' and '\nLog in with :Acp login' or ''
      return show_error(err.message .. hint)
    end
    sessions.on_session(info)
    M.show(info.session)
    for _, prompt in ipairs(unsent) do
      send(prompt)
    end
  end)
end

---Sends a prompt to the session of the chat, or to a new one.
---@param text string
---@param opts {selection: table?, context: table[]?, when: string?}?
function M.prompt(text, opts)
  opts = opts or {}
  listen()
  local prompt = {
    text = text,
    selection = opts.selection,
    context = opts.context,
    when = opts.when,
  }
  local session = current()
  if session and session.info.state ~= 'closed' and session.info.state ~= 'failed' then
    return send(prompt)
  end
  chat.unsent[#chat.unsent + 1] = prompt
  if not chat.starting then
    M.start()
  end
end

---Sends what stands in the input.
function M.send_input()
  local buf = input_buffer()
  local text = vim.trim(table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n'))
  if text == '' then
    return
  end
  api.nvim_buf_set_lines(buf, 0, -1, false, {})
  local selection = chat.selection
  chat.selection = nil
  M.prompt(text, {
    selection = selection and { uri = selection.uri, range = selection.range } or nil,
  })
  if valid(chat.win) then -- whoever sends wants to see the answer
    api.nvim_win_set_cursor(chat.win, { api.nvim_buf_line_count(shown().buf), 0 })
  end
  refresh_bars()
end

---Keeps a selection for the next prompt.
---@param selection {uri: string, range: table, label: string}
function M.attach_selection(selection)
  chat.selection = selection
  M.open()
  refresh_bars()
end

---Stops the turn that runs.
function M.stop()
  local session = current()
  if not session then
    return
  end
  client.execute('acp.cancel', { session = session.id })
end

---@return string?
function M.session_id()
  return chat.session
end

---@return acp.Session?
function M.current()
  return current()
end

---Puts text into the input, at its end.
---@param text string
function M.insert(text)
  local buf = input_buffer()
  local lines = api.nvim_buf_get_lines(buf, 0, -1, false)
  lines[#lines] = lines[#lines] .. text
  api.nvim_buf_set_lines(buf, 0, -1, false, vim.split(table.concat(lines, '\n'), '\n'))
end

---Short text for a status line: nothing, or what the agents do.
---@return string
function M.status()
  local parts = {}
  local session = current()
  if session then
    local word = (state_words[session.info.state] or state_words.idle)[1]
    if word ~= '' then
      parts[#parts + 1] = ('%s %s'):format(session.info.agent, word)
    end
  end
  local n = review.count()
  if n > 0 then
    parts[#parts + 1] = ('%d hunk%s'):format(n, n == 1 and '' or 's')
  end
  if questions.count() > 0 then
    parts[#parts + 1] = ('%d?'):format(questions.count())
  end
  return table.concat(parts, ' · ')
end

return M
