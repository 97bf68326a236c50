---What agents ask leave for (acp/permission).
local client = require('acp.client')
local questions = require('acp.questions')
local util = require('acp.util')

local M = {}

---@type table<string, fun(result: any)> replies still owed, by question
local owed = {}

---@param id string
---@param result any
---@return boolean
local function settle(id, result)
  local reply = owed[id]
  owed[id] = nil
  if reply then
    reply(result)
  end
  return reply ~= nil
end

---@param params table Question of the contract
---@param make fun(option: table): any
local function ask(params, make)
  local options = {}
  for _, option in ipairs(params.options or {}) do
    options[#options + 1] = { name = option.name or option.title, value = option.optionId }
  end
  local call = params.toolCall or {}
  questions.add({
    id = params.id,
    session = params.session,
    who = params.agent,
    text = params.message or call.title or '',
    options = options,
    choose = function(value)
      if not settle(params.id, make(value)) then
        client.execute('acp.permission.answer', { id = params.id, optionId = value }, function(err)
          if err then
            util.warn(err.message)
          end
        end)
      end
    end,
    later = function()
      settle(params.id, nil)
    end,
  })
end

---@param value string
---@return {optionId: string}
local function as_answer(value)
  return { optionId = value }
end

---acp/permission. Answered when the user has, or with null when they put it off.
---@param params table Question of the contract
---@param reply fun(result: table?)
function M.on_permission(params, reply)
  settle(params.id, nil) -- asked again: the old request is void
  owed[params.id] = reply
  ask(params, as_answer)
end

---window/showMessageRequest that carries a permission.
---@param params table
---@param reply fun(action: table?)
function M.on_message_request(params, reply)
  local question = params.acp
  settle(question.id, nil)
  owed[question.id] = reply
  ask({
    id = question.id,
    session = question.session,
    toolCall = question.toolCall,
    options = question.options,
    message = params.message,
  }, function(value)
    for _, action in ipairs(params.actions or {}) do
      if action.optionId == value then
        return action
      end
    end
  end)
end

---acp/dismiss
---@param params {id: string}
function M.on_dismiss(params)
  questions.drop(params.id)
  settle(params.id, nil)
  local forms = package.loaded['acp.ask']
  if forms then
    forms.dismiss(params.id)
  end
end

---Answers from the chat, where the question stands as well.
---@param id string
---@param option string
function M.answer(id, option)
  if not questions.answer(id, option) then
    client.execute('acp.permission.answer', { id = id, optionId = option })
  end
end

---Goes to the open question.
function M.focus()
  if questions.focus() then
    return
  end
  if not client.get() then
    return util.notify('no questions')
  end
  -- one put off before this window knew of it
  client.execute('acp.permission.list', nil, function(err, result)
    local open = not err and result.questions or {}
    if #open == 0 then
      return util.notify('no questions')
    end
    for _, question in ipairs(open) do
      ask(question, as_answer) -- it may have come by itself meanwhile
    end
    questions.focus()
  end)
end

function M.on_exit()
  local replies = owed
  owed = {}
  questions.clear()
  for _, reply in pairs(replies) do
    pcall(reply, nil)
  end
end

return M
