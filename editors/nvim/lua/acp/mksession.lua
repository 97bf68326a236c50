---Sessions of Neovim (:mksession) that were written while the chat was open. They say of its
---windows that there are empty buffers in them of such and such names. When such a session is
---loaded these go, with their windows; and the chat that there may be is left alone.
local M = {}
local api = vim.api

---@param buf integer
---@return boolean
local function is_ours(buf)
  return api.nvim_buf_get_name(buf):match('^acp://') ~= nil
end

---@param buf integer
local function take_name(buf)
  local name = api.nvim_buf_get_name(buf)
  pcall(api.nvim_buf_set_name, buf, '')
  for _, other in ipairs(api.nvim_list_bufs()) do -- Neovim keeps it, as that of another buffer
    if not api.nvim_buf_is_loaded(other) and api.nvim_buf_get_name(other) == name then
      pcall(api.nvim_buf_delete, other, { force = true })
    end
  end
end

---@type table<integer, true> buffers that a session has made
local made = {}
---@type table<integer, string> names of the chat's own buffers, while a session is loaded
local names = {}
local waiting = false

---@param buf integer
local function close(buf)
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    pcall(api.nvim_win_close, win, true) -- the last one stays, and is empty
  end
  pcall(api.nvim_buf_delete, buf, { force = true })
end

---Once the session is loaded: its script counts windows.
local function finish()
  waiting = false
  for buf in pairs(made) do
    close(buf)
  end
  made = {}
  for buf, name in pairs(names) do
    if api.nvim_buf_is_valid(buf) then
      pcall(api.nvim_buf_set_name, buf, name)
    end
  end
  names = {}
end

local function wait()
  if not waiting then
    waiting = true
    vim.schedule(finish)
  end
end

---A buffer is about to get a name. The chat's own have theirs no more, or that would be an error.
function M.before_name()
  for _, buf in ipairs(api.nvim_list_bufs()) do
    if not made[buf] and not names[buf] and api.nvim_buf_is_loaded(buf) and is_ours(buf) then
      names[buf] = api.nvim_buf_get_name(buf)
      take_name(buf)
      wait()
    end
  end
end

---A buffer has got a name.
---@param buf integer
function M.after_name(buf)
  if is_ours(buf) then
    made[buf] = true
    take_name(buf) -- there may be another one in the session
    wait()
  end
end

return M
