---The chat with a session: which one, starting it, sending to it.
local bars = require('acp.bars')
local client = require('acp.client')
local config = require('acp.config')
local editor = require('acp.editor')
local panel = require('acp.panel')
local questions = require('acp.questions')
local review = require('acp.review')
local sessions = require('acp.session')
local transcript = require('acp.transcript')
local util = require('acp.util')

local M = {}
local api = vim.api

---@class acp.Selection
---@field uri string
---@field range table LSP range
---@field label string
---@field mark string? of acp.mark: where its text is by now

---@class acp.Outgoing
---@field prompt table argument of acp.prompt
---@field selection acp.Selection? to be given back if it cannot be sent
---@field unsay fun()? takes back what is said of its waiting

local current ---@type string? session shown, once there is one
local agent ---@type string? that the user asked for
local starting ---@type table<string, true>? sessions there were when one was asked for
local started = 0 -- how often one was
local awaited ---@type string? session shown whose start has not been answered yet
local unsent = {} ---@type acp.Outgoing[] waits for the session
local waiting = 0 -- how many prompts it was said of that they wait
local soon = 1000 -- milliseconds in which a session is expected to be there
local selection ---@type acp.Selection? goes with the next prompt
local blank ---@type acp.Transcript? shown until there is a session
local errors = 0

---@return acp.Session?
function M.current()
  return current and sessions.all[current] or nil
end

---@return string?
function M.session_id()
  return current
end

---The agent of the chat; empty if it is the default one.
---@return string
function M.agent_name()
  local session = M.current()
  return session and session.info.agent or agent or config.get().agent or ''
end

---@param session acp.Session?
---@return boolean
local function alive(session)
  if not session or session.lost or session.info.state == 'closed' then
    return false
  end
  -- one whose agent has died goes on with the next prompt, if it had begun
  return session.info.state ~= 'failed' or (session.info.sessionId or '') ~= ''
end

---@return acp.Transcript
local function shown()
  local session = M.current()
  if session then
    return sessions.transcript(session.id)
  end
  if not blank or not blank:alive() then
    blank = transcript.new('new')
  end
  return blank
end

---@return table SessionInfo, or as much as is known
local function info()
  local session = M.current()
  return session and session.info
    or {
      agent = agent or config.get().agent or 'agent',
      state = starting and 'starting' or nil,
    }
end

panel.hooks = {
  send = function()
    M.send_input()
  end,
  stop = function()
    M.stop()
  end,
  focus = function()
    M.open()
  end,
  closed = questions.update,
  top = function(width)
    return bars.transcript(info(), width)
  end,
  bottom = function()
    return bars.input(info(), selection and selection.label)
  end,
  placeholder = function()
    return 'Ask ' .. info().agent
  end,
}
questions.beside = panel.left
questions.session = function()
  return current
end
questions.listen(panel.refresh)
review.listen(panel.refresh)
editor.track()

sessions.listen(function(session, old)
  local state = session.info.state
  if session.id == current then
    panel.refresh()
  elseif not current and starting and not starting[session.id] then
    M.show(session.id) -- the one we wait for says how it starts
    awaited = session.id
  end
  local was_busy = old == 'running' or old == 'waiting'
  if was_busy and state == 'idle' and not panel.is_open() then
    util.notify(('%s is done'):format(session.info.agent))
  end
end)

---@return boolean
function M.is_open()
  return panel.is_open()
end

---Opens the chat and goes to its input.
---@param opts {focus: boolean?, agent: string?}?
function M.open(opts)
  opts = opts or {}
  require('acp.highlight').setup()
  panel.open(shown().buf)
  if opts.focus ~= false then
    panel.focus()
  end
  questions.update()
  if starting or not config.get().chat.start then
    return
  end
  local session = M.current()
  if not session then
    M.start(opts.agent)
  elseif session.lost and not client.running() then
    -- acp-ls has ended with it. Started again, it has the hunks of then.
    client.start(function(_, err)
      if err then
        util.warn(err)
      end
    end)
  end
end

function M.close()
  panel.close()
end

function M.toggle()
  if panel.is_open() then
    panel.close()
  else
    M.open()
  end
end

---Shows a session in the chat.
---@param id string
function M.show(id)
  local session = sessions.all[id]
  if not session then
    return
  end
  current, starting = id, nil
  panel.show(sessions.transcript(id).buf)
  questions.update()
  if blank and #vim.fn.win_findbuf(blank.buf) == 0 then
    pcall(api.nvim_buf_delete, blank.buf, { force = true })
    blank = nil
  end
end

---@param message string
local function show_error(message)
  errors = errors + 1
  shown():entry({ id = 'acp-error-' .. errors, kind = 'error', text = message })
  if not panel.is_open() then
    util.warn(message)
  end
end

---Puts back into the input what could not be sent.
---@param items acp.Outgoing[]
local function give_back(items)
  local text = {}
  for _, item in ipairs(items) do
    vim.list_extend(text, vim.split(item.prompt.text, '\n', { plain = true }))
    selection = selection or item.selection
  end
  if #text > 0 then
    panel.set_lines(vim.list_extend(text, panel.lines()))
  end
end

---@return acp.Outgoing[] # what has waited for the session, and waits no more
local function take_unsent()
  local items = unsent
  unsent = {}
  for _, item in ipairs(items) do
    if item.unsay then
      item.unsay()
    end
  end
  return items
end

---Puts prompts into the input that waited for their turn when acp-ls, or the agent, ended.
---@param waited string[]
---@param why string
function M.take_back(waited, why)
  local items = vim.tbl_map(function(text)
    return { prompt = { text = text } }
  end, waited)
  give_back(items)
  util.warn(('not sent, as %s: what waited is in the input again'):format(why))
end

---@param item acp.Outgoing
local function send(item)
  item.prompt.session = current
  local told = sessions.sending(current)
  client.execute('acp.prompt', item.prompt, function(err, result)
    if err or result.session ~= item.prompt.session then
      told()
    end
    if err then
      give_back({ item })
      panel.refresh()
      if err.kind ~= 'ended' then -- the session says that itself
        show_error(err.message)
      end
    elseif result.session and result.session ~= current then
      M.show(result.session)
    end
  end)
end

---Notes that a session has been asked for.
---@return fun(): boolean # whether it still is the last one that was
local function begin()
  starting, awaited = {}, nil
  for _, id in ipairs(sessions.order) do
    starting[id] = true
  end
  started = started + 1
  local this = started
  return function()
    return this == started
  end
end

---Shows a session that is there now, and sends what has waited for it.
---@param new table SessionInfo
---@param note string? what is to be said first
local function begun(new, note)
  starting, awaited = nil, nil
  local items = take_unsent()
  local session = sessions.on_session(new)
  session.lost = nil
  M.show(new.session)
  if note then
    session.transcript:entry({ id = 'acp-begun', kind = 'notice', text = note })
  end
  for _, item in ipairs(items) do
    send(item)
  end
end

---Starts a new session, or opens one that its agent has stored.
---@param name string? of the agent
---@param lost acp.Session? in the place of this one
---@param stored table? SessionInfo
function M.start(name, lost, stored)
  local before = { agent = agent, current = current }
  agent = name or agent
  current, blank = nil, nil
  local wanted = begin()
  panel.show(shown().buf)
  local file_win = editor.file_window()
  local cwd = client.root(file_win and api.nvim_win_get_buf(file_win) or nil)
  local function on_reply(err, new)
    if not wanted() then -- another has been asked for since
      if not err then
        client.execute('acp.session.close', { session = new.session })
      end
      return
    end
    if err then
      starting, awaited = nil, nil
      give_back(take_unsent())
      if stored or err.kind == 'unknownAgent' then -- a name is misspelled: what there was goes on
        agent, current = before.agent, before.current
        panel.show(shown().buf)
      end
      panel.refresh()
      local hint = err.kind == 'authRequired' and 'Log in with :Acp login' or nil
      local session = M.current()
      if session and session.info.error == err.message then -- it says so itself
        if hint then
          show_error(hint)
        end
        return
      end
      return show_error(hint and err.message .. '\n' .. hint or err.message)
    end
    local note = lost
      and (
        'acp-ls has ended. This is a new session: %s does not know what was said before. '
        .. 'The old one: :buffer acp://session/%s'
      ):format(new.agent, lost.id)
    begun(new, note)
  end
  vim.schedule(function() -- the windows first: starting acp-ls takes a moment
    if stored then
      local arg = { agent = stored.agent, sessionId = stored.sessionId, cwd = stored.cwd }
      return client.execute('acp.session.load', arg, on_reply)
    end
    client.execute('acp.session.new', { agent = agent, cwd = cwd }, on_reply)
  end)
end

---Takes up a session that has ended with acp-ls: with the agent's own record, if it
---has one, else a new one, and says which it is.
---@param session acp.Session
local function resume(session)
  local old = session.info
  if (old.sessionId or '') == '' then
    return M.start(old.agent, session)
  end
  local wanted = begin()
  old.state = 'starting'
  panel.refresh()
  local arg = { agent = old.agent, sessionId = old.sessionId, cwd = old.cwd }
  client.execute('acp.session.load', arg, function(err, loaded)
    if not wanted() then
      return
    end
    old.state = 'failed'
    if err and (err.kind == 'ended' or err.kind == 'stopped') then
      starting = nil
      give_back(take_unsent())
      panel.refresh()
    elseif err then
      M.start(old.agent, session)
    else
      if loaded.session == session.id then
        sessions.fetch(session.id) -- it is not to be there twice
      end
      begun(loaded, ('acp-ls has ended. The session goes on as %s has it'):format(loaded.agent))
    end
  end)
end

---Sends a prompt to the session of the chat, or to a new one.
---@param text string
---@param opts {selection: acp.Selection?, context: table[]?, when: 'queue'|'now'?}?
function M.prompt(text, opts)
  opts = opts or {}
  local with = opts.selection
  local item = {
    prompt = {
      text = text,
      selection = with and { uri = with.uri, range = with.range, mark = with.mark } or nil,
      context = opts.context,
      when = opts.when,
    },
    selection = with,
  }
  local waits = awaited ~= nil and awaited == current -- behind those sent before
  if alive(M.current()) and not waits then
    return send(item)
  end
  unsent[#unsent + 1] = item
  local session = M.current()
  vim.defer_fn(function()
    if vim.tbl_contains(unsent, item) then
      waiting = waiting + 1
      local note = ('waits until %s has started (:Acp stop takes it back): %s'):format(
        info().agent,
        text
      )
      local chat, id = shown(), 'acp-waiting-' .. waiting
      chat:entry({ id = id, kind = 'notice', text = note })
      item.unsay = function()
        chat:remove(id)
      end
    end
  end, soon)
  if starting or waits then
    return
  elseif session and session.lost then
    resume(session)
  else
    M.start()
  end
end

---Sends what stands in the input.
function M.send_input()
  local text = vim.trim(table.concat(panel.lines(), '\n'))
  if text == '' then
    return
  end
  panel.set_lines({})
  M.prompt(text, { selection = M.take_selection() })
  panel.to_end() -- whoever sends wants to see the answer
  panel.refresh()
end

---What goes with the next prompt.
---@return acp.Selection?
function M.kept_selection()
  return selection
end

---Takes the selection that was kept for the next prompt.
---@return acp.Selection?
function M.take_selection()
  local with = selection
  selection = nil
  return with
end

---Keeps a selection for the next prompt. Until then it is its text, and not its rows.
---@param picked acp.Selection
function M.attach_selection(picked)
  selection = picked
  client.execute('acp.mark', { uri = picked.uri, range = picked.range }, function(err, result)
    picked.mark = not err and result.mark or nil
  end)
  M.open()
  panel.refresh()
end

---Stops the turn that runs, or takes back what waits for a session to start.
function M.stop()
  local session = M.current()
  if #unsent > 0 then
    give_back(take_unsent())
    panel.refresh()
    local name = info().agent
    util.notify(('not sent, it is in the input again: %s is still starting'):format(name))
    return -- once more stops that too
  end
  local at_rest = { idle = true, closed = true, failed = true }
  if not starting and (not session or at_rest[session.info.state]) then
    util.notify('nothing to stop: no agent is at work here')
  end
  if current then -- whatever we know
    client.execute('acp.cancel', { session = current })
  end
end

---Puts text into the input, at its end.
---@param text string
function M.insert(text)
  local before = table.concat(panel.lines(), '\n')
  panel.set_lines(vim.split(before .. text, '\n', { plain = true }))
end

---Short text for a status line: nothing, or what there is to know.
---@return string
function M.status()
  local session = M.current()
  return bars.status(session and session.info)
end

return M
