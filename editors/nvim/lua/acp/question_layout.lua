---How a question is laid out: its text, and the window it stands in.
local config = require('acp.config')
local util = require('acp.util')

local M = {}
local api = vim.api

---How wide a window may be.
---@param left integer? column that it is to end at, if there is room before it
---@return integer
local function widest(left)
  local width = math.min(76, math.max(vim.o.columns - 4, 10))
  return left and left >= 34 and math.min(width, left - 2) or width
end

---@param line string
---@param width integer
---@return integer # rows that it takes if it is wrapped
local function rows_of(line, width)
  return math.max(1, math.ceil(api.nvim_strwidth(line) / width))
end

---As many of the lines as have room in so many rows, and a mark if more follow.
---@param lines string[]
---@param width integer
---@param room integer
---@return string[]
local function cut(lines, width, room)
  local shown = {}
  for i, line in ipairs(lines) do
    local rows = rows_of(line, width)
    if rows > room or rows == room and i < #lines then
      local whole = vim.fn.strcharpart(line, 0, room * width)
      shown[i] = util.truncate(whole .. ' …', room * width)
      break
    end
    shown[i], room = line, room - rows
  end
  return shown
end

---@param question acp.Question
---@param small boolean without the options, which stand elsewhere
---@param left integer? column that a small one is to end at
---@return string[] lines
---@return integer first_option line of the first option, 1-based
function M.text(question, small, left)
  local lines = {}
  for i, line in ipairs(util.lines(question.text)) do
    lines[i] = ' ' .. line
  end
  if small then
    lines = cut(lines, widest(left), math.max(3, math.floor(vim.o.lines / 3)))
    return lines, #lines + 1
  end
  lines[#lines + 1] = ''
  local first_option = #lines + 1
  for i, option in ipairs(question.options) do
    lines[#lines + 1] = (' %d  %s'):format(i, option.name)
  end
  return lines, first_option
end

---@param lines string[]
---@param title integer columns of the window's title
---@param left integer? column that it is to end at
---@return integer width
---@return integer height with long lines wrapped
local function size(lines, title, left)
  local width = math.max(30, math.min(title, 50))
  for _, line in ipairs(lines) do
    width = math.max(width, api.nvim_strwidth(line) + 1)
  end
  width = math.min(width, widest(left))
  local height = 0
  for _, line in ipairs(lines) do
    height = height + rows_of(line, width)
  end
  return width, math.max(1, math.min(height, vim.o.lines - vim.o.cmdheight - 6))
end

---@return boolean
local function has_tabline()
  local tabs = #api.nvim_list_tabpages()
  return vim.o.showtabline == 2 or vim.o.showtabline == 1 and tabs > 1
end

---@class acp.QuestionPlace
---@field who string
---@field about string what its session is about
---@field elsewhere boolean it is of another session than the one the user is in
---@field count integer of questions
---@field focused boolean
---@field right integer?

---The window's configuration: at the top, as far right as it may be.
---@param question acp.Question
---@param lines string[]
---@param how acp.QuestionPlace
---@return table
function M.window(question, lines, how)
  local who = (' %s asks '):format(how.who)
  local count = how.count > 1 and ('1/%d '):format(how.count) or ''
  local about = how.about
  if how.elsewhere then
    about = about ~= '' and 'in ' .. about or 'in another session'
  elseif about ~= '' then
    about = '· ' .. about
  end
  about = about:gsub('[%c%s]+', ' ')
  local title = api.nvim_strwidth(who .. count .. about) + 1
  local width, height = size(lines, title, not how.focused and how.right or nil)
  local room = width - api.nvim_strwidth(who .. count) - 1
  about = (about ~= '' and room > 3) and util.truncate(about, room) .. ' ' or ''
  local right = how.right
  if not right or right < width + 2 then
    right = vim.o.columns - 1
  end
  local footer
  if how.focused then
    footer = (' 1-%d answers, %s later '):format(
      math.min(#question.options, 9),
      config.key('permission', 'later') or ':q'
    )
  else
    footer = (' %s answers '):format(config.key('global', 'permission') or ':Acp permission')
  end
  return {
    relative = 'editor',
    anchor = 'NE',
    row = has_tabline() and 1 or 0,
    col = right,
    width = width,
    height = height,
    style = 'minimal',
    border = 'rounded',
    title = {
      { who, 'AcpQuestion' },
      { count, 'AcpDim' },
      { about, 'AcpPlace' },
    },
    footer = { { footer, 'AcpDim' } },
    footer_pos = 'right',
    focusable = true,
    zindex = 60,
  }
end

return M
