---What the user chooses from lists.
local chat = require('acp.chat')
local client = require('acp.client')
local sessions = require('acp.session')
local util = require('acp.util')

local M = {}

---@param info table
---@return string
local function session_label(info)
  local title = info.title and info.title ~= '' and info.title or info.session
  local state = info.state and info.state ~= 'idle' and (' · ' .. info.state) or ''
  local mark = info.session == chat.session_id() and '● ' or '  '
  return ('%s%s  %s%s'):format(mark, info.agent or '', title, state)
end

---Adds the sessions that have ended with acp-ls, which their chats still show and the next prompt
---goes on with, in the place of what their agents have stored of them.
---@param rows table[] SessionInfo
local function add_lost(rows)
  local stored = {} ---@type table<string, integer>
  local function key(info)
    return (info.agent or '') .. '\0' .. (info.sessionId or '')
  end
  for i, info in ipairs(rows) do
    stored[key(info)] = i
  end
  for i = #sessions.order, 1, -1 do
    local session = sessions.all[sessions.order[i]]
    local at = stored[key(session.info)] or #rows + 1
    local live = rows[at] and rows[at].session ~= ''
    if session.lost and (session.info.sessionId or '') ~= '' and not live then
      rows[at], stored[key(session.info)] = session.info, at
    end
  end
end

---Goes to a session that the user chooses.
function M.session()
  client.execute('acp.session.list', { also = chat.agent_name() }, function(err, result)
    local rows = result and result.sessions or {}
    add_lost(rows)
    if err and #rows == 0 then
      return util.warn(err.message)
    elseif #rows == 0 then
      return util.notify('no sessions: :Acp new starts one')
    end
    vim.ui.select(rows, { prompt = 'Sessions', format_item = session_label }, function(info)
      if not info then
        return
      end
      if sessions.all[info.session] then
        chat.show(info.session)
      elseif info.state and info.state ~= 'closed' then
        sessions.on_session(info)
        sessions.fetch(info.session)
        chat.show(info.session)
      else
        chat.start(info.agent, nil, info)
      end
      chat.open()
    end)
  end)
end

---Sets an option of the session.
---@param name string?
---@param value string?
function M.option(name, value)
  local session = chat.current()
  if not session then
    return util.notify('no session')
  end
  local options = session.info.options or {}
  local function apply(option, v)
    if option.type == 'boolean' then
      v = v == true or v == 'true' or v == 'on'
    end
    client.execute(
      'acp.session.setOption',
      { session = session.id, option = option.id, value = v },
      function(err, info)
        if err then
          return util.warn(err.message)
        end
        sessions.on_session(info)
      end
    )
  end
  local function choose(option)
    if value then
      return apply(option, value)
    end
    local rows = option.choices
    if option.type == 'boolean' then
      rows = { { value = true, name = 'on' }, { value = false, name = 'off' } }
    end
    vim.ui.select(rows or {}, {
      prompt = option.name,
      format_item = function(choice)
        return (choice.value == option.value and '● ' or '  ') .. (choice.name or choice.value)
      end,
    }, function(choice)
      if choice then
        apply(option, choice.value)
      end
    end)
  end
  for _, option in ipairs(options) do
    if option.id == name then
      return choose(option)
    end
  end
  if name or #options == 0 then
    return util.notify(name and ('no option ' .. name) or 'this agent has no options')
  end
  vim.ui.select(options, {
    prompt = 'Options',
    format_item = function(option)
      return ('%s: %s'):format(option.name, tostring(option.value))
    end,
  }, function(option)
    if option then
      choose(option)
    end
  end)
end

---Takes back a prompt that waits, into the input.
function M.queued()
  local session = chat.current()
  local rows = session and session.info.queue or {}
  if not session or #rows == 0 then
    return util.notify('nothing is queued')
  end
  vim.ui.select(rows, {
    prompt = 'Take back',
    format_item = function(item)
      return (item.text:gsub('%s+', ' '))
    end,
  }, function(item)
    if item then
      client.execute('acp.prompt.remove', { session = session.id, id = item.id }, function(err)
        if err then
          return util.warn(err.message)
        end
        chat.open()
        chat.insert(item.text)
      end)
    end
  end)
end

---Starts a session with an agent that the user chooses.
function M.agent()
  client.execute('acp.agent.list', nil, function(err, result)
    if err then
      return util.warn(err.message)
    end
    vim.ui.select(result.agents or {}, {
      prompt = 'Agents',
      format_item = function(agent)
        local note = agent.running and ' · running'
          or not agent.installed and (' · not installed: %s'):format(agent.how or '')
          or ''
        return agent.name .. note
      end,
    }, function(agent)
      if agent then
        chat.start(agent.name)
        chat.open()
      end
    end)
  end)
end

---@param agent string? its name, else it is the default one
---@param fn fun(methods: table[]) called with the ways to log in to it
local function with_methods(agent, fn)
  client.execute('acp.agent.list', nil, function(_, result)
    for _, one in ipairs(result and result.agents or {}) do
      if one.name == agent or not agent and one.default then
        return fn(one.methods or {})
      end
    end
    fn({})
  end)
end

---Logs in to an agent, by the method that the user chooses if it has several and none is named.
---@param agent string?
---@param method string?
function M.login(agent, method)
  client.execute('acp.agent.authenticate', { agent = agent, method = method }, function(err)
    if not err then
      return util.notify('logged in')
    elseif method or err.kind ~= 'invalid' then
      return util.warn(err.message)
    end
    with_methods(agent, function(methods) -- which are known now that it runs
      if #methods < 2 then
        return util.warn(err.message)
      end
      vim.ui.select(methods, {
        prompt = 'Log in by',
        format_item = function(one)
          return ('%s (%s)'):format(one.name, one.id)
        end,
      }, function(one)
        if one then
          M.login(agent, one.id)
        end
      end)
    end)
  end)
end

return M
