---Bringing back what was rejected.
local decide = require('acp.decide')
local documents = require('acp.documents')
local util = require('acp.util')

local M = {}

---@class acp.Rejected
---@field id string
---@field uri string
---@field label string where it is, and what
---@field decided integer? the number of the decision that has rejected it, greater for a later one

---@class acp.Discarded what the user has discarded of a proposal last
---@field decided integer as of what is rejected
---@field message string what can be done about it

---Calls fn with what is rejected now, of one file or of all.
---@param uri string?
---@param fn fun(list: acp.Rejected[], discarded: acp.Discarded?)
local function with_rejected(uri, fn)
  decide.ask('acp.review.list', { state = 'rejected', uri = uri }, function(err, result)
    if err then
      return util.warn(err.message)
    end
    local list = {}
    for _, review in ipairs(result.files or {}) do
      local path = util.short_path(vim.uri_to_fname(review.uri))
      for _, hunk in ipairs(review.hunks or {}) do
        local text = util.lines(hunk.text)[1] or '(deleted lines)'
        local label = hunk.deletes and ('%s  (delete)'):format(path)
          or ('%s:%d  %s'):format(path, hunk.range.start.line + 1, vim.trim(text))
        list[#list + 1] = { id = hunk.id, uri = review.uri, label = label, decided = hunk.decided }
      end
      local file = review.file
      if file and file.state == 'rejected' then
        local label = ('%s  (%s)'):format(path, file.op)
        list[#list + 1] = { id = file.id, uri = review.uri, label = label, decided = file.decided }
      end
    end
    fn(list, result.discarded)
  end)
end

local told = 0 ---@type integer the number of what was discarded, and said to be gone, last

---Says that the last decision has discarded a proposal, if it has, and that this cannot be taken
---back: an older one is only if the user asks again.
---@param last acp.Rejected[]
---@param discarded acp.Discarded?
---@return boolean # whether that was said
local function tell_discarded(last, discarded)
  if not discarded or discarded.decided <= math.max(last[1] and last[1].decided or 0, told) then
    return false
  end
  told = discarded.decided
  local again = #last > 0 and '. Once more: what you rejected before' or ''
  util.warn(discarded.message .. again)
  return true
end

---@type table<string, {decided: integer?, tick: integer}> what could not be brought back, by id
local refused = {}

---@param uri string
---@return integer # another one when the text of the file's buffer has changed
local function tick_of(uri)
  local doc = documents.by_uri(uri)
  return doc and vim.api.nvim_buf_get_changedtick(doc.bufnr) or 0
end

---Whether something could not be brought back, and nothing has changed in its file since.
---@param one acp.Rejected
---@return boolean
local function is_refused(one)
  local known = refused[one.id]
  return known ~= nil and known.decided == one.decided and known.tick == tick_of(one.uri)
end

---Leaves out what was refused, as long as there is anything else: what was rejected before it
---would not be reached.
---@param list acp.Rejected[]
---@return acp.Rejected[]
local function possible(list)
  local rest = vim.tbl_filter(function(one)
    return not is_refused(one)
  end, list)
  return #rest > 0 and rest or list
end

---@param list acp.Rejected[]
---@return acp.Rejected[] # what the last decision that rejected any of it did, or the one there is
local function newest(list)
  list = possible(list)
  local last = 0
  for _, one in ipairs(list) do
    last = math.max(last, one.decided or 0)
  end
  if last == 0 then -- something else has taken it all away
    return #list == 1 and list or {}
  end
  return vim.tbl_filter(function(one)
    return one.decided == last
  end, list)
end

---Brings back what is listed, with one decision. What is refused is passed over the next time.
---@param list acp.Rejected[]
---@param all acp.Rejected[] what could be brought back
---@param done fun(result: table)?
local function bring_back(list, all, done)
  local ids, passed = {}, vim.tbl_filter(is_refused, all)
  for _, one in ipairs(list) do
    ids[#ids + 1] = one.id
  end
  decide.command('restore', { hunks = ids }, done, nil, function(refusals)
    for _, refusal in ipairs(refusals) do
      vim.list_extend(
        passed,
        vim.tbl_filter(function(one)
          return one.id == refusal.id
        end, list)
      )
    end
    refused = {}
    for _, one in ipairs(passed) do -- as the text is with what has come back
      refused[one.id] = { decided = one.decided, tick = tick_of(one.uri) }
    end
    local before = vim.tbl_filter(function(one)
      return not vim.list_contains(ids, one.id) and not is_refused(one)
    end, all)
    return #before > 0 and 'once more: what you rejected before' or nil
  end)
end

---Brings back what was rejected last in the file of the buffer, all that one decision did. It asks
---nothing: the keys behind it would be taken for the answer.
function M.here()
  -- which was the last is not known before all is answered
  if not decide.at_hand() or decide.later(M.here) then
    return
  end
  with_rejected(vim.uri_from_bufnr(vim.api.nvim_get_current_buf()), function(list, discarded)
    local last = newest(list)
    if tell_discarded(last, discarded) then
      return
    elseif #last > 0 then
      bring_back(last, list)
    elseif #list > 0 then
      util.notify(('%d hunks were rejected here: :Acp restore lets you choose'):format(#list))
    else
      util.notify('nothing was rejected here: :Acp restore has others')
    end
  end)
end

---Brings back what the last decision rejected, or what the user chooses if that is not known.
function M.last()
  if decide.later(M.last) then
    return
  end
  with_rejected(nil, function(list, discarded)
    local last = newest(list)
    if tell_discarded(last, discarded) then
      return
    elseif #last > 0 then
      return bring_back(last, list, function(result)
        if #(result.decided or {}) == 0 then
          return
        end
        local others = #last > 1 and (' and %d more'):format(#last - 1) or ''
        util.notify('pending again: ' .. last[1].label .. others)
      end)
    elseif #list == 0 then
      return util.notify('nothing was rejected')
    end
    vim.ui.select(list, {
      prompt = 'Restore',
      format_item = function(row)
        return row.label
      end,
    }, function(row)
      if row then
        bring_back({ row }, list)
      end
    end)
  end)
end

return M
