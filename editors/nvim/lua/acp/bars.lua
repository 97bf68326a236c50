---What is said in the bars of the chat's windows, and in the user's status line.
local config = require('acp.config')
local questions = require('acp.questions')
local review = require('acp.review')
local util = require('acp.util')

local M = {}

local states = {
  starting = { 'starting', 'AcpRunning' },
  idle = { '', 'AcpDim' },
  running = { '● working', 'AcpRunning' },
  stopping = { '● stopping', 'AcpRunning' },
  waiting = { '? waiting for you', 'AcpQuestion' },
  closed = { 'closed', 'AcpDim' },
  failed = { '✗ failed', 'AcpFailed' },
}

---@param group string
---@param text string
---@return string
local function part(group, text)
  return ('%%#%s#%s'):format(group, util.escape_statusline(text))
end

---@param n integer
---@param noun string
---@return string
local function count(n, noun)
  return ('%d %s%s'):format(n, noun, n == 1 and '' or 's')
end

---@param parts string[]
---@return string
local function join(parts)
  return table.concat(parts, ' %#AcpDim#· ')
end

---@param tokens number
---@return string
local function short_number(tokens)
  if tokens >= 1e6 then
    return ('%.1fM'):format(tokens / 1e6)
  elseif tokens >= 1000 then
    return ('%.0fk'):format(tokens / 1000)
  end
  return tostring(tokens)
end

---@param usage table?
---@return string?
local function usage_text(usage)
  if not usage or not usage.used or usage.used == 0 then
    return
  end
  local text = short_number(usage.used)
  if usage.size and usage.size > 0 then
    text = ('%s of %s'):format(text, short_number(usage.size))
  end
  if usage.cost and usage.cost > 0 then
    text = ('%s · %.2f %s'):format(text, usage.cost, usage.currency or '')
  end
  return text
end

---@param info table SessionInfo
---@return string?
local function mode(info)
  for _, option in ipairs(info.options or {}) do
    if option.id == 'mode' or option.category == 'mode' then
      for _, choice in ipairs(option.choices or {}) do
        if choice.value == option.value then
          return choice.name
        end
      end
      return tostring(option.value)
    end
  end
end

---Over the transcript: who, what about, and what is going on.
---@param info table SessionInfo, or what is known before there is one
---@param width integer of the window
---@return string
function M.transcript(info, width)
  local right = {}
  local state = states[info.stopping and 'stopping' or info.state] or states.idle
  if state[1] ~= '' then
    right[#right + 1] = part(state[2], state[1])
  end
  if info.queue and #info.queue > 0 then
    right[#right + 1] = part('AcpDim', ('%d queued'):format(#info.queue))
  end
  local in_mode = mode(info)
  if in_mode then
    right[#right + 1] = part('AcpDim', in_mode)
  end
  local agent, state_text = info.agent or 'agent', join(right)
  local taken = vim.api.nvim_strwidth(agent .. state_text:gsub('%%#%w+#', '')) + 5
  local title = util.truncate((info.title or ''):gsub('%s+', ' '), math.max(width - taken, 1))
  return (' %s %s %%=%s '):format(part('AcpTitle', agent), part('AcpDim', title), state_text)
end

---Over the input: what goes along, and what waits for the user.
---@param info table SessionInfo
---@param selection string? that goes with the next prompt
---@return string
function M.input(info, selection)
  local left
  if selection then
    left = part('AcpPlace', '⧉ ' .. selection)
  else
    local send = config.key('input', 'send')
    left = part('AcpDim', (send and send .. ' sends · ' or '') .. '@ context · / commands')
  end
  local right = {}
  local hunks = review.count()
  if hunks > 0 then
    local key = config.key('review', 'next')
    right[#right + 1] = part('AcpAddedSign', count(hunks, 'hunk'))
      .. part('AcpDim', key and ' ' .. key or '')
  end
  if questions.count() > 0 then
    right[#right + 1] = part('AcpQuestion', count(questions.count(), 'question'))
  end
  local used = usage_text(info.usage)
  if used then
    right[#right + 1] = part('AcpDim', used)
  end
  return (' %s%%=%%<%s '):format(left, join(right))
end

---For the user's own status line: empty while there is nothing to say.
---@param info table? SessionInfo
---@return string
function M.status(info)
  local parts = {}
  local state = info and states[info.state]
  if info and state and state[1] ~= '' then
    parts[#parts + 1] = ('%s %s'):format(info.agent, state[1])
  end
  local hunks = review.count()
  if hunks > 0 then
    parts[#parts + 1] = count(hunks, 'hunk')
  end
  if questions.count() > 0 then
    parts[#parts + 1] = count(questions.count(), 'question')
  end
  return table.concat(parts, ' · ')
end

return M
