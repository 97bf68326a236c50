---Which lines of a text are others in another one, and where its lines are there.
local M = {}
local api = vim.api

---@param a string[]
---@param b string[]
---@return integer[][] hunks of vim.diff: start and count of old, then of new lines
function M.differences(a, b)
  -- Only what lies between the first and the last line that differ: a text can be large.
  local most = math.min(#a, #b)
  local head, tail = 0, 0
  while head < most and a[head + 1] == b[head + 1] do
    head = head + 1
  end
  while tail < most - head and a[#a - tail] == b[#b - tail] do
    tail = tail + 1
  end
  local old_count, new_count = #a - tail - head, #b - tail - head
  if old_count == 0 and new_count == 0 then
    return {}
  elseif old_count == 0 or new_count == 0 then
    local old_start, new_start = math.min(old_count, 1), math.min(new_count, 1)
    return { { head + old_start, old_count, head + new_start, new_count } }
  end
  local diff = vim.text and vim.text.diff or vim.diff
  local old = table.concat(a, '\n', head + 1, #a - tail) .. '\n'
  local new = table.concat(b, '\n', head + 1, #b - tail) .. '\n'
  local hunks = diff(old, new, { result_type = 'indices' }) --[[@as integer[][] ]]
  for _, hunk in ipairs(hunks) do
    hunk[1], hunk[3] = hunk[1] + head, hunk[3] + head
  end
  return hunks
end

---Where a line of the old text is in the new one.
---@param hunks integer[][]
---@param lnum integer 1-based
---@return integer
function M.map_line(hunks, lnum)
  local shift = 0
  for _, hunk in ipairs(hunks) do
    local old_start, old_count, _, new_count = unpack(hunk)
    local first = old_count == 0 and old_start + 1 or old_start
    if lnum < first then
      break
    end
    if lnum < first + old_count then -- inside: as far down as the new lines go
      return first + shift + math.min(lnum - first, math.max(new_count - 1, 0))
    end
    shift = shift + new_count - old_count
  end
  return lnum + shift
end

---@param hunks integer[][]
---@return acp.Moved
function M.mover(hunks)
  return function(row)
    local kept = true
    for _, hunk in ipairs(hunks) do
      local first, count, _, new_count = unpack(hunk)
      if count > 0 and row + 1 >= first + new_count and row + 1 < first + count then
        kept = false
      end
    end
    return M.map_line(hunks, row + 1) - 1, kept
  end
end

---Replaces the lines of a buffer, touching only those that differ, so that
---marks elsewhere stay.
---@param bufnr integer
---@param lines string[]
function M.set(bufnr, lines)
  local hunks = M.differences(api.nvim_buf_get_lines(bufnr, 0, -1, false), lines)
  for i = #hunks, 1, -1 do
    local old_start, old_count, new_start, new_count = unpack(hunks[i])
    local first = old_count == 0 and old_start or old_start - 1
    local new = vim.list_slice(lines, new_start, new_start + new_count - 1)
    api.nvim_buf_set_lines(bufnr, first, first + old_count, false, new_count == 0 and {} or new)
  end
end

M.modified = function() end -- what M.set_under has :lua run

---Replaces the lines of a buffer under modifiers of a command, such as :lockmarks.
---@param modifiers string
---@param bufnr integer
---@param lines string[]
function M.set_under(modifiers, bufnr, lines)
  M.modified = function()
    M.set(bufnr, lines)
  end
  vim.cmd(modifiers .. " lua require('acp.lines').modified()")
end

return M
