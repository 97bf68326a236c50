---Keeps windows at the end of a buffer that grows, if that is where they are.
local M = {}
local api = vim.api

---Windows whose cursor is on the last line.
---@param buf integer
---@return integer[]
function M.windows(buf)
  local last = api.nvim_buf_line_count(buf)
  return vim.tbl_filter(function(win)
    return api.nvim_win_get_cursor(win)[1] == last
  end, vim.fn.win_findbuf(buf))
end

---The first line to show if the last one is to be at the bottom.
---@param win integer
---@param last integer 1-based
---@return integer
local function top_for(win, last)
  local height, used, top = api.nvim_win_get_height(win), 0, last
  while top >= 1 do
    used = used + api.nvim_win_text_height(win, { start_row = top - 1, end_row = top - 1 }).all
    if used > height - 1 then -- the window's bar takes a line
      break
    end
    top = top - 1
  end
  return math.min(top + 1, last)
end

---Moves windows to the end.
---@param buf integer
---@param wins integer[]
---@param before integer lines there were
function M.go(buf, wins, before)
  local last = api.nvim_buf_line_count(buf)
  for _, win in ipairs(wins) do
    api.nvim_win_set_cursor(win, { last, 0 })
    if last - before > 3 then
      -- a cursor that jumps far would be put in the middle of the window
      local top = top_for(win, last)
      api.nvim_win_call(win, function()
        vim.fn.winrestview({ topline = top })
      end)
    end
  end
end

return M
