---Takes back what the agent has changed: in its last turn, or in the whole session.
local M = {}
local client = require('acp.client')
local util = require('acp.util')

---@param n integer
---@param of string
---@return string
local function number(n, of)
  return ('%d %s%s'):format(n, of, n == 1 and '' or 's')
end

---Says what was taken back, and what was not.
---@param result table
---@param of string
local function report(result, of)
  local names, torn, conflicts = {}, {}, 0
  for _, review in ipairs(result.files or {}) do
    require('acp.review').on_review(review)
    local before = conflicts
    for _, hunk in ipairs(review.hunks or {}) do
      conflicts = conflicts + (hunk.state == 'conflict' and 1 or 0)
    end
    local list = conflicts > before and torn or names
    list[#list + 1] = util.short_path(vim.uri_to_fname(review.uri))
  end
  local refused = result.refused or {}
  if #refused > 0 then
    local what = #refused == 1 and 'a change' or number(#refused, 'change')
    util.warn(('%s not undone: %s'):format(what, refused[1].reason or 'it has changed'))
  end
  if #names + #torn == 0 then
    return #refused == 0 and util.notify(('nothing undone: nothing is left of %s'):format(of))
  end
  table.sort(names)
  table.sort(torn)
  local text = of .. ' undone'
  if #names > 0 then
    text = ('%s in %s'):format(text, table.concat(names, ', '))
  end
  if #torn > 0 then
    local what = number(conflicts, 'conflict')
    text = ('%s, with %s to settle in %s'):format(text, what, table.concat(torn, ', '))
  end
  util.notify(text)
end

---@param session string
---@param turn string?
---@param of string
local function undo(session, turn, of)
  client.execute('acp.review.undo', { session = session, turn = turn }, function(err, result)
    if err then
      return util.warn(err.message)
    end
    report(result, of)
  end)
end

---@param whole boolean of the session, not only of its last turn
function M.run(whole)
  local session = require('acp.chat').current()
  if not session then
    return util.notify('nothing to undo: this chat has no session yet')
  end
  if session.info.turn and session.info.turn ~= '' then
    return util.warn('the agent is at work: stop it first, with :Acp stop')
  end
  if whole then
    return undo(session.id, nil, 'the session')
  end
  client.execute('acp.session.entries', { session = session.id }, function(err, result)
    if err then
      return util.warn(err.message)
    end
    local turn
    for _, entry in ipairs(result.entries or {}) do
      turn = entry.kind == 'user' and entry.turn or turn
    end
    if not turn then
      return util.notify('nothing to undo: there was no turn yet')
    end
    undo(session.id, turn, 'the last turn')
  end)
end

return M
