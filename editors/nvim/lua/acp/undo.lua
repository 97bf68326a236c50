---Takes back what the agent has changed: in its last turn, in the whole session, or in another one.
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
---@param otherwise fun(nothing: string) is called where there was nothing to take back
local function report(result, of, otherwise)
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
    if #refused == 0 then
      otherwise(('nothing undone: nothing is left of %s'):format(of))
    end
    return
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
---@param otherwise fun(nothing: string)?
local function undo(session, turn, of, otherwise)
  client.execute('acp.review.undo', { session = session, turn = turn }, function(err, result)
    if err then
      return util.warn(err.message)
    end
    report(result, of, otherwise or util.notify)
  end)
end

---@param info table a session
---@return boolean
local function is_at_work(info)
  if not info.turn or info.turn == '' then
    return false
  end
  util.warn('the agent is at work: stop it first, with :Acp stop')
  return true
end

---How a session is offered: by its title or first prompt, its agent, and when it was at work last.
---@param one table
---@return string
local function label(one)
  local words = { one.agent, number(one.files, 'file') }
  if one.time then
    table.insert(words, 2, os.date('%Y-%m-%d %H:%M', math.floor(one.time / 1000)))
  end
  local mark = one.session == require('acp.chat').session_id() and '● ' or '  '
  return ('%s%s  (%s)'):format(mark, one.title, table.concat(words, ', '))
end

---Undoes a session that the user chooses, be it of an earlier run.
---@param nothing string what is said if there is none
local function choose(nothing)
  client.execute('acp.review.undoable', nil, function(err, result)
    if err then
      return util.warn(err.message)
    end
    local rows = result.sessions or {}
    if #rows == 0 then
      return util.notify(nothing)
    end
    local options = { prompt = 'Undo all changes of', format_item = label }
    vim.ui.select(rows, options, function(one)
      if one and not is_at_work(one) then
        undo(one.session, nil, ('"%s"'):format(one.title))
      end
    end)
  end)
end

---@param what 'turn'|'session'|'sessions' its last one, or all of them; or of a session to choose
function M.run(what)
  if what == 'sessions' then
    return choose('nothing to undo: no session has changed anything that is left')
  end
  local session = require('acp.chat').current()
  if not session then
    return choose('nothing to undo: this chat has no session yet')
  end
  if is_at_work(session.info) then
    return
  end
  if what == 'session' then
    return undo(session.id, nil, 'the session', choose)
  end
  client.execute('acp.session.entries', { session = session.id }, function(err, result)
    if err then -- of an earlier run, whose turns are not known any more
      return choose(err.message)
    end
    local turn
    for _, entry in ipairs(result.entries or {}) do
      turn = entry.kind == 'user' and entry.turn or turn
    end
    if not turn then
      return choose('nothing to undo: there was no turn yet')
    end
    undo(session.id, turn, 'the last turn')
  end)
end

return M
