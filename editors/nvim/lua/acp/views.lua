---What windows show, and where somebody works in them, while the text below is replaced.
local insertion = require('acp.insertion')
local lines = require('acp.lines')

local M = {}
local api = vim.api
local ns = api.nvim_create_namespace('acp.views')

---Keeps the cursors of a buffer's windows with their text while fn changes it, as
---formatters do that move the cursor of whoever is typing.
---@param bufnr integer
---@param fn fun()
function M.keep_cursors(bufnr, fn)
  local saved = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    local cursor = api.nvim_win_get_cursor(win)
    local line = api.nvim_buf_get_lines(bufnr, cursor[1] - 1, cursor[1], false)[1] or ''
    local top = vim.fn.getwininfo(win)[1].topline
    saved[win] = {
      cursor = api.nvim_buf_set_extmark(bufnr, ns, cursor[1] - 1, math.min(cursor[2], #line), {}),
      top = api.nvim_buf_set_extmark(bufnr, ns, top - 1, 0, {}),
    }
  end
  local ok, err = pcall(fn)
  for win, marks in pairs(saved) do
    local at = api.nvim_buf_get_extmark_by_id(bufnr, ns, marks.cursor, {})
    local top = api.nvim_buf_get_extmark_by_id(bufnr, ns, marks.top, {})
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == bufnr and at[1] then
      api.nvim_win_call(win, function()
        vim.fn.winrestview({ lnum = at[1] + 1, col = at[2], topline = (top[1] or 0) + 1 })
      end)
    end
  end
  api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
  if not ok then
    error(err, 0)
  end
end

---Puts a buffer's marks to where their lines are now: Neovim leaves them where they are in a file
---that it reads anew. (The places of the last insertion and of the last change cannot be set.)
---@param bufnr integer
---@param marks table[] as they were, of getmarklist()
---@param hunks integer[][]
local function move_marks(bufnr, marks, hunks)
  local last = api.nvim_buf_line_count(bufnr)
  for _, mark in ipairs(marks) do
    local name, _, lnum, col = mark.mark:sub(2), unpack(mark.pos)
    if name:match('[%l%[%]<>]') then
      lnum = math.min(math.max(lines.map_line(hunks, lnum), 1), last)
      pcall(api.nvim_buf_set_mark, bufnr, name, lnum, math.max(col - 1, 0), {})
    end
  end
end

---Runs fn, which replaces the text of a buffer, and puts what the buffer's windows
---show, and its marks, back to where that text is then.
---@param bufnr integer
---@param fn fun()
---@return integer[][] what has changed, as of differences
local function keep_views(bufnr, fn)
  local marks = vim.fn.getmarklist(bufnr)
  local before = api.nvim_buf_get_lines(bufnr, 0, -1, false)
  local views = {}
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    views[win] = api.nvim_win_call(win, vim.fn.winsaveview)
  end
  fn()
  local hunks = lines.differences(before, api.nvim_buf_get_lines(bufnr, 0, -1, false))
  move_marks(bufnr, marks, hunks)
  for win, view in pairs(views) do
    if api.nvim_win_is_valid(win) and api.nvim_win_get_buf(win) == bufnr then
      view.topline = math.max(lines.map_line(hunks, view.topline), 1)
      view.lnum = math.max(lines.map_line(hunks, view.lnum), 1)
      api.nvim_win_call(win, function()
        vim.fn.winrestview(view)
      end)
    end
  end
  return hunks
end

---keep_views, for somebody who may be inserting text as well.
---@param bufnr integer
---@param fn fun()
function M.keep_insertion(bufnr, fn)
  if bufnr ~= api.nvim_get_current_buf() then
    keep_views(bufnr, fn)
  else
    insertion.keep(function()
      return lines.mover(keep_views(bufnr, fn))
    end)
  end
end

return M
