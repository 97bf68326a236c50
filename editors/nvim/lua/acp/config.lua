---Options of the plugin. They are read when they are used, so that setup() may
---be called at any time, or never.
local M = {}

---Keys are given as one lhs, a list of them, or false for none.
---@alias acp.Keys string|string[]|false

---@class acp.Config
---@field cmd string[]? program and arguments; by default acp-ls from PATH or from this checkout
---@field agent string? agent of new chats; by default the server's `defaultAgent`
---@field settings table settings of acp-ls, as under its `acp` section
---@field autostart boolean start with the first file instead of the first :Acp
---@field root_markers string[] what marks the folder a new chat works in
---@field debounce integer milliseconds after which acp-ls has been sent what was typed
---@field chat acp.Config.Chat
---@field permission acp.Config.Permission
---@field review acp.Config.Review
---@field keys acp.Config.Keys

---@class acp.Config.Chat
---@field width number share of the columns (below 1), or columns
---@field input_height integer lines
---@field thoughts boolean show thoughts unfolded
---@field start boolean start the agent when the chat opens, not with the first prompt

---@class acp.Config.Permission
---@field float boolean show questions in a window; false: in the chat only
---@field guard integer milliseconds in which a question just entered takes no key

---@class acp.Config.Review
---@field signs boolean
---@field max_deleted integer deleted lines shown of one hunk
---@field advance boolean go to the next hunk of the file after a decision

---@class acp.Config.Keys
---@field global table<string, acp.Keys> none by default; names as of :Acp subcommands
---@field input table<string, acp.Keys>|false
---@field transcript table<string, acp.Keys>|false
---@field review table<string, acp.Keys>|false
---@field permission table<string, acp.Keys>|false

---@type acp.Config
M.defaults = {
  cmd = nil,
  agent = nil,
  settings = {},
  autostart = false,
  root_markers = { '.git' },
  debounce = 20,
  chat = { width = 0.42, input_height = 5, thoughts = false, start = true },
  permission = { float = true, guard = 500 },
  review = { signs = true, max_deleted = 40, advance = false },
  keys = {
    global = {},
    input = { send = '<CR>', submit = '<C-s>', stop = '<C-c>', close = false },
    transcript = {
      jump = '<CR>',
      fold = { '<Tab>', 'za' },
      next = ']]',
      prev = '[[',
      input = 'i',
      stop = '<C-c>',
      close = 'q',
    },
    review = {
      next = ']h',
      prev = '[h',
      accept = 'gha',
      reject = 'ghr',
      ['accept-file'] = 'ghA',
      ['reject-file'] = 'ghR',
      restore = 'ghu',
      mine = 'ghm',
      theirs = 'ght',
      both = 'ghb',
    },
    permission = { choose = '<CR>', later = { 'q', '<Esc>' } },
  },
}

---@type acp.Config?
local current

---Names of options that hold any key: acp-ls says what is wrong with its settings.
local open = { settings = true }

---@param opts table
---@param defaults table
---@param path string
local function check(opts, defaults, path)
  for name, value in pairs(opts) do
    local where = path == '' and tostring(name) or path .. '.' .. tostring(name)
    local default = defaults[name]
    if path == '' and (name == 'cmd' or name == 'agent') then
      local want = name == 'cmd' and 'table' or 'string'
      if type(value) ~= want then
        error(('acp: option %s must be a %s'):format(where, want), 0)
      end
    elseif path == 'keys.global' then
      if not require('acp.command').subcommands[name] then
        error(('acp: unknown option %s: it names a command of :Acp'):format(where), 0)
      end
    elseif path:match('^keys%.') then
      if default == nil then
        error(('acp: unknown option %s'):format(where), 0)
      end
    elseif default == nil then
      error(('acp: unknown option %s'):format(where), 0)
    elseif path == 'keys' and value == false then -- a whole group turned off
      default = nil
    elseif type(value) ~= type(default) then
      error(('acp: option %s must be a %s'):format(where, type(default)), 0)
    end
    if type(value) == 'table' and type(default) == 'table' and not open[where] then
      if not vim.islist(default) or next(default) == nil then
        check(value, default, where)
      end
    end
  end
end

---@param opts table?
function M.set(opts)
  opts = opts or {}
  check(opts, M.defaults, '')
  current = vim.tbl_deep_extend('force', vim.deepcopy(M.defaults), opts)
end

---@return acp.Config
function M.get()
  if not current then
    M.set(vim.g.acp)
  end
  return current --[[@as acp.Config]]
end

---@param keys acp.Keys
---@return string[]
function M.lhs(keys)
  if not keys then
    return {}
  end
  return type(keys) == 'table' and keys or {
    keys --[[@as string]],
  }
end

---Sets the keys of a group in a buffer.
---@param group string
---@param bufnr integer
---@param actions table<string, function|table> name -> function, or {modes, function}
---@param wanted (fun(mode: string, lhs: string): boolean)? which of them; all if nil
function M.map(group, bufnr, actions, wanted)
  local keys = M.get().keys[group]
  if not keys then
    return
  end
  for name, action in pairs(actions) do
    local modes, fn = { 'n' }, action
    if type(action) == 'table' then
      modes, fn = action[1], action[2]
    end
    for _, mode in ipairs(modes) do
      for _, lhs in ipairs(M.lhs(keys[name])) do
        if not wanted or wanted(mode, lhs) then
          vim.keymap.set(mode, lhs, fn, {
            buffer = bufnr,
            nowait = group ~= 'review',
            silent = true,
            desc = ('acp: %s'):format(name),
          })
        end
      end
    end
  end
end

---Whether a key is mapped, in a buffer, by M.map.
---@param mapping table as maparg() returns it
---@return boolean
function M.is_ours(mapping)
  return mapping.buffer == 1 and vim.startswith(mapping.desc or '', 'acp: ')
end

---The first key of an action, for hints; nil if it has none.
---@param group string
---@param name string
---@return string?
function M.key(group, name)
  local keys = M.get().keys[group]
  return keys and M.lhs(keys[name])[1] or nil
end

return M
