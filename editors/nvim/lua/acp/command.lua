---:Acp and its subcommands.
local M = {}
local api = vim.api

local function chat()
  return require('acp.chat')
end
local function decide()
  return require('acp.decide')
end
local function util()
  return require('acp.util')
end

---@param args table of nvim_create_user_command
---@return {uri: string, range: table, label: string, text: string?}?
local function selection(args)
  if args.range == 0 then
    return
  end
  local bufnr = api.nvim_get_current_buf()
  local first, last = args.line1, args.line2
  local name = api.nvim_buf_get_name(bufnr)
  local label = ('%s:%d'):format(name ~= '' and util().short_path(name) or 'text', first)
  if last > first then
    label = label .. '-' .. last
  end
  local range = {
    start = { line = first - 1, character = 0 },
    ['end'] = { line = last, character = 0 },
  }
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if args.range == 2 and vim.fn.visualmode() == 'v' and from[2] == first and to[2] == last then
    local lsp = require('acp.client').get()
    range = vim.lsp.util.make_given_range_params(
      { from[2], from[3] - 1 },
      { to[2], math.min(to[3], 2 ^ 30) - 1 },
      bufnr,
      lsp and lsp.offset_encoding or 'utf-16'
    ).range
  end
  local result = { uri = vim.uri_from_bufnr(bufnr), range = range, label = label }
  if not util().is_file_buffer(bufnr) then -- it has no URI anyone could look up
    local lines = api.nvim_buf_get_lines(bufnr, first - 1, last, false)
    result.text = ('```%s\n%s\n```'):format(vim.bo[bufnr].filetype, table.concat(lines, '\n'))
  end
  return result
end

---@param names fun(): string[]
local function candidates(names)
  return function(lead)
    return vim.tbl_filter(function(name)
      return vim.startswith(name, lead)
    end, names())
  end
end

---@type table[]
local agents = {}

---@return table[] # the agents that can be named, or those there were if it takes long to ask
local function known_agents()
  if require('acp.client').get() then
    local answered = false
    require('acp.client').execute('acp.agent.list', nil, function(err, result)
      answered = true
      if not err then
        agents = result.agents or {}
      end
    end)
    vim.wait(200, function()
      return answered
    end, 5)
  end
  return agents
end

local function agent_names()
  return vim.tbl_map(function(agent)
    return agent.name
  end, known_agents())
end

---The ways to log in to an agent: it has told them if it runs.
---@param name string
---@return fun(): string[]
local function method_ids(name)
  return function()
    for _, agent in ipairs(known_agents()) do
      if agent.name == name then
        return vim.tbl_map(function(method)
          return method.id
        end, agent.methods or {})
      end
    end
    return {}
  end
end

---@class acp.Subcommand
---@field run fun(args: table, rest: string)
---@field complete (fun(lead: string, line: string): string[])?
---@field help string

---@param command 'accept'|'reject'
local function at_cursor(command)
  return function(args)
    if args.range > 0 then
      decide().here(command, args.line1, args.line2)
    else
      decide().here(command)
    end
  end
end

---@type table<string, acp.Subcommand>
M.subcommands = {
  open = {
    help = 'Open the chat',
    run = function()
      chat().open()
    end,
  },
  toggle = {
    help = 'Open or close the chat',
    run = function()
      chat().toggle()
    end,
  },
  close = {
    help = 'Close the chat; the agent goes on',
    run = function()
      chat().close()
    end,
  },
  send = {
    help = 'Send a text, with the selected lines (! at once); without text keep them for later',
    run = function(args, rest)
      local picked = selection(args)
      if rest ~= '' then
        local with = picked
        if not picked then
          with = chat().take_selection()
        elseif picked.text then
          with = nil
        end
        local text = picked and picked.text and (rest .. '\n\n' .. picked.text) or rest
        chat().open({ focus = false })
        return chat().prompt(text, { selection = with, when = args.bang and 'now' or nil })
      end
      if not picked then
        return chat().open()
      end
      if picked.text then
        chat().open()
        return chat().insert(picked.text .. '\n')
      end
      chat().attach_selection(picked)
    end,
  },
  new = {
    help = 'Start a new session, with an agent by name',
    complete = candidates(agent_names),
    run = function(_, rest)
      chat().start(rest ~= '' and rest or nil)
      chat().open()
    end,
  },
  agent = {
    help = 'Start a new session with another agent',
    complete = candidates(agent_names),
    run = function(_, rest)
      if rest ~= '' then
        chat().start(rest)
        return chat().open()
      end
      require('acp.pick').agent()
    end,
  },
  login = {
    help = 'Log in to an agent',
    complete = function(lead, line)
      local agent = line:match('login%s+(%S+)%s')
      return candidates(agent and method_ids(agent) or agent_names)(lead)
    end,
    run = function(_, rest)
      local session = chat().current()
      local named, method = rest:match('^(%S+)%s*(%S*)')
      require('acp.pick').login(
        named or session and session.info.agent or nil,
        method ~= '' and method or nil
      )
    end,
  },
  stop = {
    help = 'Stop the running turn',
    run = function()
      chat().stop()
    end,
  },
  sessions = {
    help = 'Go to another session',
    run = function()
      require('acp.pick').session()
    end,
  },
  option = {
    help = 'Set an option of the session, such as its mode or model',
    complete = function(lead, line)
      local session = chat().current()
      local options = session and session.info.options or {}
      local name = line:match('option%s+(%S+)%s')
      local words = {}
      for _, option in ipairs(options) do
        if not name then
          words[#words + 1] = option.id
        elseif option.id == name then
          words = option.type == 'boolean' and { 'on', 'off' } or {}
          for _, choice in ipairs(option.choices or {}) do
            words[#words + 1] = tostring(choice.value)
          end
          break
        end
      end
      return vim.tbl_filter(function(word)
        return vim.startswith(word, lead)
      end, words)
    end,
    run = function(_, rest)
      local name, value = rest:match('^(%S+)%s*(.-)$')
      require('acp.pick').option(name, value ~= '' and value or nil)
    end,
  },
  queue = {
    help = 'Take back a prompt that waits',
    run = function()
      require('acp.pick').queued()
    end,
  },
  next = {
    help = 'Go to the next hunk, in any file',
    run = function()
      require('acp.navigate').go(1)
    end,
  },
  prev = {
    help = 'Go to the previous hunk, in any file',
    run = function()
      require('acp.navigate').go(-1)
    end,
  },
  hunks = {
    help = 'All hunks in the quickfix list',
    run = function()
      require('acp.navigate').quickfix()
    end,
  },
  accept = { help = 'Accept the hunk at the cursor, or in a range', run = at_cursor('accept') },
  reject = { help = 'Reject the hunk at the cursor, or in a range', run = at_cursor('reject') },
  ['accept-file'] = {
    help = 'Accept all hunks of this file',
    run = function()
      decide().file('accept')
    end,
  },
  ['reject-file'] = {
    help = 'Reject all hunks of this file',
    run = function()
      decide().file('reject')
    end,
  },
  ['accept-all'] = {
    help = 'Accept all hunks of all files',
    run = function()
      decide().all('accept')
    end,
  },
  ['reject-all'] = {
    help = 'Reject all hunks of all files',
    run = function()
      decide().all('reject')
    end,
  },
  restore = {
    help = 'Bring back the hunk rejected last, in whatever file, or choose one',
    run = function()
      require('acp.restore').last()
    end,
  },
  resolve = {
    help = 'Settle the conflict at the cursor: mine, theirs or both',
    complete = candidates(function()
      return { 'mine', 'theirs', 'both' }
    end),
    run = function(_, rest)
      if rest ~= 'mine' and rest ~= 'theirs' and rest ~= 'both' then
        return util().warn('resolve what? mine, theirs or both')
      end
      decide().resolve(rest)
    end,
  },
  undo = {
    help = 'Take back all that the last turn has changed, the session, or an earlier one',
    complete = candidates(function()
      return { 'turn', 'session', 'sessions' }
    end),
    run = function(_, rest)
      local what = rest == '' and 'turn' or rest
      if what ~= 'turn' and what ~= 'session' and what ~= 'sessions' then
        return util().warn('undo what? turn, session or sessions')
      end
      require('acp.undo').run(what)
    end,
  },
  permission = {
    help = 'Go to the open question',
    run = function()
      require('acp.permission').focus()
    end,
  },
  log = {
    help = "Open the log of Neovim's language clients",
    run = function()
      vim.cmd.tabnew(
        vim.fn.fnameescape(
          vim.lsp.log.get_filename and vim.lsp.log.get_filename() or vim.lsp.get_log_path()
        )
      )
      vim.cmd('normal! G')
    end,
  },
  health = {
    help = 'Check the installation',
    run = function()
      vim.cmd.checkhealth('acp')
    end,
  },
  restart = {
    help = 'End acp-ls and its agents, and start acp-ls again; or an agent by name',
    complete = candidates(agent_names),
    run = function(_, rest)
      if rest == '' then
        return require('acp.client').restart()
      end
      require('acp.client').execute('acp.agent.restart', { agent = rest }, function(err)
        util().notify(err and err.message or ('%s was ended'):format(rest))
      end)
    end,
  },
}

---@return string[]
local function names()
  local list = vim.tbl_keys(M.subcommands)
  table.sort(list)
  return list
end

---@param args table of nvim_create_user_command
function M.run(args)
  local name, rest = args.args:match('^(%S*)%s*(.-)%s*$')
  if name == '' then
    name = args.range > 0 and 'send' or 'open'
  end
  local subcommand = M.subcommands[name]
  if not subcommand then
    return util().warn(('no command %s: :Acp and <Tab> shows all'):format(name))
  end
  subcommand.run(args, rest)
end

---@param lead string
---@param line string
---@return string[]
function M.complete(lead, line)
  local name = line:match('Acp!?%s+(%S+)%s')
  if not name then
    return candidates(names)(lead)
  end
  local subcommand = M.subcommands[name]
  return subcommand and subcommand.complete and subcommand.complete(lead, line) or {}
end

return M
