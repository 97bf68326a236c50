---Going from hunk to hunk, also across files.
local hunks = require('acp.hunks')
local review = require('acp.review')
local util = require('acp.util')

local M = {}
local api = vim.api

---@param changes table Review of the contract
---@param step 1|-1
---@return integer lnum 1-based
local function edge(changes, step)
  local list = changes.hunks or {}
  local hunk = list[step > 0 and 1 or #list]
  return hunk and hunk.range.start.line + 1 or 1
end

---Goes to the next or previous hunk, across files.
---@param step 1|-1
---@param here boolean? stay in this file
function M.go(step, here)
  local win = api.nvim_get_current_win()
  local bufnr = api.nvim_win_get_buf(win)
  local row = api.nvim_win_get_cursor(win)[1] - 1
  local count = api.nvim_buf_line_count(bufnr)
  local target
  for _, start in ipairs(hunks.starts(bufnr)) do
    start = math.min(start, count - 1)
    if step > 0 and start > row then
      target = start
      break
    elseif step < 0 and start < row then
      target = start
    end
  end
  if target then
    vim.cmd("normal! m'")
    api.nvim_win_set_cursor(win, { target + 1, 0 })
    vim.cmd('normal! zv')
    return
  end
  local list = review.files()
  if #list == 0 then
    return require('acp.decide').tell_none()
  end
  local uri = vim.uri_from_bufnr(bufnr)
  local at
  for i, file in ipairs(list) do
    if file.uri == uri then
      at = i
    end
  end
  if here or (at and #list == 1) then
    if at and not here then
      local rows = hunks.starts(bufnr)
      local to = rows[step > 0 and 1 or #rows]
      if to then
        api.nvim_win_set_cursor(win, { math.min(to, count - 1) + 1, 0 })
      end
    end
    return
  end
  local file = list[at and (at - 1 + step) % #list + 1 or (step > 0 and 1 or #list)]
  if require('acp.editor').jump(file.path, edge(file.review, step)) then
    review.draw(file.uri) -- at once: keys that are there already are meant for its hunks
  end
end

---The quickfix list that is ours.
local title = 'Hunks of agents'

---All hunks in the quickfix list.
function M.quickfix()
  local items = {}
  for _, file in ipairs(review.files()) do
    for i, hunk in ipairs(file.review.hunks or {}) do
      local text = util.lines(hunk.text)[1] or util.lines(hunk.baseText or '')[1] or ''
      items[#items + 1] = {
        filename = file.path,
        lnum = hunk.range.start.line + 1,
        text = ('%d/%d %s: %s'):format(i, #file.review.hunks, hunks.who(hunk), vim.trim(text)),
        type = hunk.state == 'conflict' and 'W' or 'I',
      }
    end
    local change, n = file.review.file, #(file.review.hunks or {})
    -- Rows say that a file is new or gone, but nothing of its name and mode.
    local beside = change and (change.op == 'rename' or change.mode)
    if change and (n == 0 or beside) and not review.moved_away(file.review) then
      local text = hunks.file_text(change)
      items[#items + 1] = { filename = file.path, lnum = 1, text = text, type = 'I' }
    end
  end
  if #items == 0 then
    if vim.fn.getqflist({ title = true }).title == title then -- what it has is decided by now
      vim.fn.setqflist({}, 'r', { title = title, items = {} })
    end
    return require('acp.decide').tell_none()
  end
  vim.fn.setqflist({}, ' ', { title = title, items = items })
  vim.cmd('botright copen')
end

return M
