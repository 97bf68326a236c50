---The keys of a review in the buffers of code: set where there are changes to decide on,
---and taken away again, with what the user had there given back.
local config = require('acp.config')

local M = {}
local api = vim.api

---@class acp.Mapped
---@field actions table<string, function|table> what our keys do
---@field before table[] what they did before
---@field resting boolean? there is nothing to decide

---@type table<integer, acp.Mapped> by buffer
local mapped = {}

---Calls fn for each of our keys in code.
---@param actions table<string, function|table> by the name of the key, see config.map
---@param fn fun(mode: string, lhs: string)
local function each_key(actions, fn)
  local keys = config.get().keys.review
  for name, action in pairs(keys and actions or {}) do
    for _, mode in ipairs(type(action) == 'table' and action[1] or { 'n' }) do
      for _, lhs in ipairs(config.lhs(keys[name])) do
        fn(mode, lhs)
      end
    end
  end
end

---Calls fn for what our keys begin with where that is a command of its own: `gh` selects, and
---the key behind it would replace what is selected.
---@param actions table<string, function|table>
---@param fn fun(mode: string, lhs: string)
local function each_beginning(actions, fn)
  local seen = {}
  each_key(actions, function(mode, lhs)
    local begins = lhs:sub(1, -2)
    if #begins > 1 and not lhs:find('<') and not seen[mode .. begins] then
      seen[mode .. begins] = true
      fn(mode, begins)
    end
  end)
end

---Waits for the rest of a key that was begun longer ago than 'timeoutlen'.
---@param mode string
---@param begins string
local function go_on(mode, begins)
  local ok, key = pcall(vim.fn.getcharstr)
  if ok and config.is_ours(vim.fn.maparg(begins .. key, mode, false, true)) then
    api.nvim_feedkeys(begins .. key, 'mi', false)
  end
end

---@param bufnr integer the current one
---@param actions table<string, function|table>
local function map_beginnings(bufnr, actions)
  each_beginning(actions, function(mode, begins)
    if not next(vim.fn.maparg(begins, mode, false, true)) then
      vim.keymap.set(mode, begins, function()
        go_on(mode, begins)
      end, { buffer = bufnr, silent = true, desc = 'acp: keys' })
    end
  end)
end

---Takes our keys from a buffer, and gives those back that the user had there.
---@param bufnr integer
local function unmap(bufnr)
  local before, actions = mapped[bufnr].before, mapped[bufnr].actions
  mapped[bufnr] = nil
  if not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  api.nvim_buf_call(bufnr, function()
    for _, each in ipairs({ each_key, each_beginning }) do
      each(actions, function(mode, lhs)
        if config.is_ours(vim.fn.maparg(lhs, mode, false, true)) then
          vim.keymap.del(mode, lhs, { buffer = bufnr })
        end
      end)
    end
    for _, old in ipairs(before) do
      if vim.fn.maparg(old.lhs, old.mode, false, true).buffer ~= 1 then
        vim.fn.mapset(old.mode, false, old)
      end
    end
  end)
end

---Sets our keys in a buffer with hunks.
---@param bufnr integer
---@param actions table<string, function|table>
function M.map(bufnr, actions)
  if mapped[bufnr] and not mapped[bufnr].resting then
    return
  elseif mapped[bufnr] then
    unmap(bufnr)
  end
  local before = {}
  api.nvim_buf_call(bufnr, function()
    each_key(actions, function(mode, lhs)
      local old = vim.fn.maparg(lhs, mode, false, true)
      if old.buffer == 1 then
        before[#before + 1] = old
      end
    end)
  end)
  mapped[bufnr] = { actions = actions, before = before }
  config.map('review', bufnr, actions)
  api.nvim_buf_call(bufnr, function()
    map_beginnings(bufnr, actions)
  end)
end

---Whether keys, and those they begin with, mean nothing of the user's.
---@param mode string
---@param lhs string
---@return boolean
local function free(mode, lhs)
  for i = 1, #lhs do
    local old = vim.fn.maparg(lhs:sub(1, i), mode, false, true)
    if next(old) and not config.is_ours(old) then -- ours outlive a buffer that is read anew
      return false
    end
  end
  return true
end

---Sets those of our keys in a buffer that mean nothing else to the user, where there is
---nothing to decide: `ghu` is for what was rejected, and `ghr` pressed once more must not be
---what it is to Neovim, which is to select and to replace.
---@param bufnr integer
---@param actions table<string, function|table>
function M.offer(bufnr, actions)
  if mapped[bufnr] or not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  mapped[bufnr] = { actions = actions, before = {}, resting = true }
  api.nvim_buf_call(bufnr, function()
    config.map('review', bufnr, actions, free)
    map_beginnings(bufnr, actions)
  end)
end

---Gives back the keys that mean something else to the user, when the last hunk is
---decided. The others stay.
---@param bufnr integer
---@param actions table<string, function|table>
function M.rest(bufnr, actions)
  if not mapped[bufnr] or mapped[bufnr].resting then
    return
  end
  unmap(bufnr)
  M.offer(bufnr, actions)
end

---Forgets a buffer that is unloaded: its keys are gone with it.
---@param bufnr integer
function M.forget(bufnr)
  mapped[bufnr] = nil
end

---When acp-ls has ended: what was to decide on is not known any more, and the keys say so.
---@param actions table<string, function|table>
function M.rest_all(actions)
  for _, bufnr in ipairs(vim.tbl_keys(mapped)) do
    M.rest(bufnr, actions)
  end
end

return M
