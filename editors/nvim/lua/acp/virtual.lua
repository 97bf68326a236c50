---Texts that are not in a buffer, as virtual lines, and what in them differs from
---what is.
local config = require('acp.config')
local util = require('acp.util')

local M = {}
local api = vim.api

---Where two lines differ: what is between their common start and end, in bytes.
---Nothing if too little is common to be of help.
---@param a string
---@param b string
---@return integer? from 0-based
---@return integer? a_to exclusive
---@return integer? b_to exclusive
function M.difference(a, b)
  local from, back = util.common(a, b)
  local a_to, b_to = #a - back, #b - back
  if a_to == from and b_to == from or (from + back) * 2 < math.max(#a, #b) then
    return
  end
  return from, a_to, b_to
end

---Splits text into lines as a buffer of a file format would have them; a final line end
---does not make another line.
---@param text string
---@param format string
---@return string[]
function M.rows(text, format)
  if format == 'dos' then
    text = text:gsub('\r\n', '\n')
  end
  local lines = vim.split(text, '\n', { plain = true })
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  return lines
end

---Longest hunk whose lines are compared one by one.
local compared = 30

---The pairs of lines of a hunk that replaces as many lines as it takes.
---@param hunk table
---@param format string of the buffer
---@return {[1]: integer, [2]: integer, [3]: integer}[]|nil # by line: from, old end, new end
function M.differences(hunk, format)
  local old, new = M.rows(hunk.baseText or '', format), M.rows(hunk.text or '', format)
  if #old ~= #new or #old > compared then
    return
  end
  local result = {}
  for i = 1, #old do
    local from, old_to, new_to = M.difference(old[i], new[i])
    result[i] = from and { from, old_to, new_to } or false
  end
  return result
end

---Virtual lines for a text that is not in the buffer.
---@param text string
---@param group string
---@param bufnr integer in which they are to be shown
---@param marked (fun(i: integer): integer?, integer?)? bytes of a line to stress
---@return table[]
function M.lines(text, group, bufnr, marked)
  local lines = M.rows(text, vim.bo[bufnr].fileformat)
  local function shown(line)
    return util.expand_tabs((line:gsub('\r', '^M')), vim.bo[bufnr].tabstop)
  end
  local max = config.get().review.max_deleted
  local more = #lines > max and #lines - max + 1 or 0
  local result = {}
  local width = vim.o.columns
  for i, line in ipairs(lines) do
    if more > 0 and i == max then
      result[i] = { { ('… %d more lines'):format(more), 'AcpHint' } }
      break
    end
    local from, to
    if marked then
      from, to = marked(i)
    end
    local whole = shown(line)
    local pad = (' '):rep(math.max(width - api.nvim_strwidth(whole), 0))
    if from and to > from then
      local before = shown(line:sub(1, from))
      local upto = shown(line:sub(1, to))
      result[i] = {
        { before, group },
        { upto:sub(#before + 1), { group, group .. 'Text' } },
        { whole:sub(#upto + 1) .. pad, group },
      }
    else
      result[i] = { { whole .. pad, group } }
    end
  end
  return result
end

return M
