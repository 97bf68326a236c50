---The sessions acp-ls has told of, and their transcripts.
local client = require('acp.client')
local transcript = require('acp.transcript')

local M = {}

---@class acp.Session
---@field id string
---@field info table SessionInfo of the contract
---@field lost boolean? acp-ls has ended, and does not know it any more
---@field sending boolean? a prompt was sent, and its state has not been told since
---@field unsent table<string, true>? ids of the prompts that were given up with its agent
---@field transcript acp.Transcript

---@type table<string, acp.Session>
M.all = {}
---@type string[] ids, oldest first
M.order = {}

---@type fun(session: acp.Session, old_state: string?)[]
local listeners = {}

---Calls fn after every change of a session's info.
---@param fn fun(session: acp.Session, old_state: string?)
function M.listen(fn)
  listeners[#listeners + 1] = fn
end

---@param id string
---@return acp.Session
local function ensure(id)
  local session = M.all[id]
  if not session then
    session = {
      id = id,
      info = { session = id, state = 'starting', agent = '', queue = {}, questions = {} },
      transcript = transcript.new(id),
    }
    M.all[id] = session
    M.order[#M.order + 1] = id
  end
  return session
end

---Puts the prompts that were given up with the agent or the session into the input, each once.
---@param session acp.Session
local function take_back(session)
  local before = session.unsent or {}
  session.unsent = {}
  local waited = {} ---@type string[]
  for _, item in ipairs(session.info.unsent or {}) do
    session.unsent[item.id] = true
    if not before[item.id] then
      waited[#waited + 1] = item.text
    end
  end
  if #waited > 0 then
    local failed = session.info.state == 'failed'
    local why = failed and '%s cannot take it now' or 'the session of %s was closed'
    require('acp.chat').take_back(waited, why:format(session.info.agent))
  end
end

---Tells whoever listens (|AcpState|) that a session has another state.
---@param info table SessionInfo
local function tell_state(info)
  vim.api.nvim_exec_autocmds('User', {
    pattern = 'AcpState',
    modeline = false,
    data = { session = info.session, state = info.state, stopReason = info.stopReason },
  })
end

---@param info table SessionInfo
---@return acp.Session
function M.on_session(info)
  local session = ensure(info.session)
  local old = session.info.state
  session.info, session.sending = info, nil
  session.transcript.agent = info.agent
  if info.state ~= 'running' and info.state ~= 'waiting' then
    session.transcript:finish()
  end
  for _, fn in ipairs(listeners) do
    fn(session, old)
  end
  take_back(session)
  if old ~= info.state then
    tell_state(info)
  end
  return session
end

---Notes that a prompt is being sent: its agent may be at work before we are told so.
---@param id string
---@return fun() # takes it back
function M.sending(id)
  local session = ensure(id)
  session.sending = true
  return function()
    session.sending = nil
  end
end

---Whether an agent works. While one does, acp-ls looks after what changes on disk.
---@return boolean
function M.working()
  for _, session in pairs(M.all) do
    local state = session.info.state
    local works = session.sending or state == 'running' or state == 'waiting'
    if works and not session.lost then
      return true
    end
  end
  return false
end

---@param params {session: string, entry: table}
function M.on_entry(params)
  ensure(params.session).transcript:entry(params.entry)
end

---@param params {session: string, id: string, text: string}
function M.on_chunk(params)
  ensure(params.session).transcript:chunk(params.id, params.text)
end

---@param params {session: string, terminal: string, output: string, exit: table?}
function M.on_terminal(params)
  ensure(params.session).transcript:terminal(params.terminal, params.output or '', params.exit)
end

---A session's transcript; made anew from what acp-ls keeps if its buffer is gone.
---@param id string
---@return acp.Transcript
function M.transcript(id)
  local session = ensure(id)
  if not session.transcript:alive() then
    pcall(vim.api.nvim_buf_delete, session.transcript.buf, { force = true })
    session.transcript = transcript.new(id)
    session.transcript.agent = session.info.agent
    M.fetch(id)
  end
  return session.transcript
end

---Fetches what a session's transcript held before we listened.
---@param id string
function M.fetch(id)
  client.execute('acp.session.entries', { session = id }, function(err, result)
    if not err then
      M.all[id].transcript:replace(result.entries or {})
    end
  end)
end

---Draws a session's transcript again, if acp-ls still knows of it.
---@param id string
function M.read_anew(id)
  if M.all[id] and not M.all[id].lost then
    M.fetch(id)
  end
end

---@param reason string? nil if the user ended acp-ls
function M.on_exit(reason)
  local waited = {} ---@type string[] prompts that nobody will send now
  for _, id in ipairs(M.order) do
    local session = M.all[id]
    local info = session.info
    if info.state ~= 'closed' then
      local old = info.state
      info.state = reason and 'failed' or 'closed'
      info.error = reason
      session.lost, session.sending = true, nil
      session.transcript:interrupt()
      for _, item in ipairs(info.queue or {}) do
        waited[#waited + 1] = item.text
      end
      info.queue, info.questions = {}, {}
      if reason then
        session.transcript:entry({ id = 'acp-exit', kind = 'error', text = reason })
      end
      for _, fn in ipairs(listeners) do
        fn(session)
      end
      if old ~= info.state then
        tell_state(info)
      end
    end
  end
  if #waited > 0 then
    require('acp.chat').take_back(waited, 'acp-ls has ended')
  end
end

return M
