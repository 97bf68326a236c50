---Completion in the input: what can be named after @, and the agent's commands
---after /.
local client = require('acp.client')

local M = {}
local api = vim.api

---@class acp.Completion
---@field start integer byte column where the word starts, 0-based
---@field items table[] for complete()

---Turns the answer of acp.complete into Neovim's items. Offsets are bytes of the
---whole text; a word never spans lines.
---@param result table
---@param line_start integer offset of the line in the text
---@return acp.Completion?
function M.translate(result, line_start)
  local items, start = {}, nil
  for _, item in ipairs(result.items or {}) do
    start = start or item.start - line_start
    if item.start - line_start == start and start >= 0 then
      items[#items + 1] = {
        word = item.insertText,
        abbr = item.label,
        menu = item.detail,
        icase = 1,
        dup = 1,
      }
    end
  end
  return start and { start = start, items = items } or nil
end

---@param buf integer
---@return table params, integer line_start
local function question(buf)
  local cursor = api.nvim_win_get_cursor(0)
  local before = api.nvim_buf_get_lines(buf, 0, cursor[1] - 1, false)
  local line_start = 0
  for _, line in ipairs(before) do
    line_start = line_start + #line + 1
  end
  return {
    session = require('acp.chat').session_id(),
    text = table.concat(api.nvim_buf_get_lines(buf, 0, -1, false), '\n'),
    offset = line_start + cursor[2],
  },
    line_start
end

---Whether the cursor is in something to complete: @ at the start of a word, or /
---at the start of the text.
---@param line string up to the cursor
---@param row integer 1-based
---@return boolean
function M.wanted(line, row)
  return line:match('^@%S*$') ~= nil
    or line:match('%s@%S*$') ~= nil
    or row == 1 and line:match('^/%S*$') ~= nil
end

---Shows a menu in which nothing is chosen, and so nothing inserted, before the user does that.
---Neovim 0.10 has the option that says so for all buffers alone: the user's is back at once.
---@param completion acp.Completion
local function show(completion)
  local options = 'menuone,noselect'
  if vim.fn.has('nvim-0.11') == 1 then
    vim.cmd('noautocmd setlocal completeopt=' .. options)
    return vim.fn.complete(completion.start + 1, completion.items)
  end
  local users = vim.o.completeopt
  vim.cmd('noautocmd set completeopt=' .. options)
  local ok, err = pcall(vim.fn.complete, completion.start + 1, completion.items)
  vim.cmd('noautocmd set completeopt=' .. users)
  if not ok then
    error(err, 0)
  end
end

---Asks, and shows the answer if the user is still where they were.
---@param buf integer
function M.trigger(buf)
  local params, line_start = question(buf)
  local cursor = api.nvim_win_get_cursor(0)
  client.execute('acp.complete', params, function(err, result)
    if err or api.nvim_get_current_buf() ~= buf or vim.fn.mode() ~= 'i' then
      return
    end
    local now = api.nvim_win_get_cursor(0)
    if now[1] ~= cursor[1] or now[2] ~= cursor[2] then
      return
    end
    local completion = M.translate(result, line_start)
    if completion and #completion.items > 0 then
      show(completion)
    end
  end)
end

---'completefunc' and 'omnifunc'.
---@param findstart 0|1
---@return any
function M.func(findstart)
  if findstart == 1 then
    M.trigger(api.nvim_get_current_buf())
    return -2 -- the answer is shown when it is there
  end
  return {}
end

---@param buf integer
function M.attach(buf)
  vim.bo[buf].completefunc = "v:lua.require'acp.complete'.func"
  vim.bo[buf].omnifunc = "v:lua.require'acp.complete'.func"
  local chosen ---@type string? line up to the cursor when something had been chosen
  local function before_cursor()
    return api.nvim_get_current_line():sub(1, api.nvim_win_get_cursor(0)[2])
  end
  api.nvim_create_autocmd('CompleteDone', {
    buffer = buf,
    callback = function()
      chosen = (vim.v.completed_item.word or '') ~= '' and before_cursor() or nil
    end,
  })
  api.nvim_create_autocmd('TextChangedI', {
    buffer = buf,
    desc = 'acp: complete after @ and /',
    callback = function()
      local cursor = api.nvim_win_get_cursor(0)
      local line = before_cursor()
      if line ~= chosen and client.get() and M.wanted(line, cursor[1]) then
        M.trigger(buf)
      end
    end,
  })
end

return M
