---Which rows of a text have changed since it was last looked at.
local M = {}

---Rows of the old text, and those that are in their place. Ends are exclusive, rows
---0-based.
---@class acp.Rows
---@field old_first integer
---@field old_last integer
---@field first integer
---@field last integer

---Most that are told apart; more are one, from the first to the last.
local most = 200

---Notes that rows have become others. Between two of the list there is a row at least
---that has not changed.
---@param list acp.Rows[] ascending
---@param first integer
---@param last integer
---@param new_last integer
---@return acp.Rows[]
function M.note(list, first, last, new_last)
  local result = {}
  local before, within = 0, 0 -- rows more than in the old text
  local rows = { first = first, last = last }
  local behind = {}
  for _, r in ipairs(list) do
    local more = (r.last - r.first) - (r.old_last - r.old_first)
    if r.last < first then
      before = before + more
      result[#result + 1] = r
    elseif r.first > last then
      behind[#behind + 1] = r
    else
      within = within + more
      rows.first, rows.last = math.min(rows.first, r.first), math.max(rows.last, r.last)
    end
  end
  rows.old_first, rows.old_last = rows.first - before, rows.last - before - within
  rows.last = rows.last + new_last - last
  result[#result + 1] = rows
  for _, r in ipairs(behind) do
    r.first, r.last = r.first + new_last - last, r.last + new_last - last
    result[#result + 1] = r
  end
  if #result > most then
    local low, high = result[1], result[#result]
    low.old_last, low.last = high.old_last, high.last
    return { low }
  end
  return result
end

return M
