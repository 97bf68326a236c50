---Forms that agents ask the user to fill in (acp/ask), one question after the
---other, once the user has said that they want to.
local questions = require('acp.questions')

local M = {}

---@type table<string, fun(result: table?)>
local owed = {}

local function settle(id, result)
  local reply = owed[id]
  owed[id] = nil
  if reply then
    reply(result)
  end
end

---@param item table FormQuestion
---@param text string
---@return any value
---@return string? problem
local function parse(item, text)
  if text == '' then
    if item.required then
      return nil, 'an answer is needed'
    end
    return nil
  end
  if item.type == 'number' or item.type == 'integer' then
    local number = tonumber(text)
    if not number or item.type == 'integer' and number % 1 ~= 0 then
      return nil, 'not a number'
    end
    return number
  end
  return text
end

---@param item table FormQuestion
---@param done fun(given: boolean, value: any)
local function choose(item, done)
  local chosen = {} ---@type table<string, boolean>
  local order = {}
  for _, option in ipairs(item.options or {}) do
    order[#order + 1] = option
  end
  local function again()
    local rows = vim.list_extend({}, order)
    if item.multiple then
      rows[#rows + 1] = { done = true, label = 'Done' }
    end
    vim.ui.select(rows, {
      prompt = item.prompt,
      format_item = function(option)
        local mark = item.multiple and not option.done and (chosen[option.id] and '[x] ' or '[ ] ')
        return (mark or '') .. option.label
      end,
    }, function(option)
      if not option then
        return done(false)
      end
      if not item.multiple then
        return done(true, { option.id })
      end
      if option.done then
        local ids = {}
        for _, o in ipairs(order) do
          if chosen[o.id] then
            ids[#ids + 1] = o.id
          end
        end
        return done(true, ids)
      end
      chosen[option.id] = not chosen[option.id]
      vim.schedule(again)
    end)
  end
  again()
end

---@param item table FormQuestion
---@param done fun(given: boolean, value: any)
local function one(item, done)
  if item.options and #item.options > 0 then
    return choose(item, done)
  end
  if item.type == 'boolean' then
    return vim.ui.select({ 'Yes', 'No' }, { prompt = item.prompt }, function(answer)
      done(answer ~= nil, answer == 'Yes')
    end)
  end
  local default = item.default ~= nil and tostring(item.default) or nil
  vim.ui.input({ prompt = item.prompt .. ': ', default = default }, function(text)
    if not text then
      return done(false)
    end
    local value, problem = parse(item, text)
    if problem then
      return vim.schedule(function()
        one(vim.tbl_extend('force', item, { prompt = item.prompt .. ' (' .. problem .. ')' }), done)
      end)
    end
    done(true, value)
  end)
end

---@param params table
---@param done fun(answers: table?)
local function fill(params, done)
  local answers, i = {}, 0
  local function next_one()
    i = i + 1
    local item = params.questions[i]
    if not item then
      return done(answers)
    end
    one(item, function(given, value)
      if not given then
        return done(nil)
      end
      answers[item.id] = value
      vim.schedule(next_one)
    end)
  end
  next_one()
end

---acp/ask
---@param params table
---@param reply fun(result: table?)
function M.on_ask(params, reply)
  owed[params.id] = reply
  local text = { params.title or 'A form to fill in' }
  for _, item in ipairs(params.questions or {}) do
    text[#text + 1] = '· ' .. item.prompt
  end
  local function show()
    questions.add({
      id = params.id,
      session = params.session,
      who = params.agent,
      text = table.concat(text, '\n'),
      options = { { name = 'Answer', value = 'accept' }, { name = 'Decline', value = 'decline' } },
      choose = function(value)
        if value == 'decline' then
          return settle(params.id, { action = 'decline', answers = vim.empty_dict() })
        end
        vim.schedule(function()
          fill(params, function(answers)
            if answers then
              local given = next(answers) and answers or vim.empty_dict()
              settle(params.id, { action = 'accept', answers = given })
            elseif owed[params.id] then
              show() -- broken off: it is still open
            end
          end)
        end)
      end,
    })
  end
  show()
end

---The form is not wanted any more.
---@param id string
function M.dismiss(id)
  settle(id, { action = 'cancel', answers = vim.empty_dict() })
end

function M.on_exit()
  local replies = owed
  owed = {}
  for id, reply in pairs(replies) do
    questions.drop(id)
    pcall(reply, { action = 'cancel', answers = vim.empty_dict() })
  end
end

return M
