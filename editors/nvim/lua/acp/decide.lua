---Accepting, rejecting and settling what agents have changed: at the cursor, in a file, or all.
local client = require('acp.client')
local config = require('acp.config')
local documents = require('acp.documents')
local hunks = require('acp.hunks')
local review = require('acp.review')
local util = require('acp.util')

local M = {}
local api = vim.api

local open = { count = 0 } -- what acp-ls was asked as a part of decisions and has not answered yet
---@type fun()[] called when all is answered
local waiting = {}

---Whether acp-ls can be asked for a decision. If it has ended the keys are still there, and say so.
---@return boolean
function M.at_hand()
  if client.get() then
    return true
  end
  util.warn(
    client.running() and 'acp-ls is starting: a moment'
      or 'acp-ls is not running: :Acp starts it, and what is undecided comes back'
  )
  return false
end

---Says that there is nothing to decide on, or why that is not known.
function M.tell_none()
  if M.at_hand() then
    util.notify('no hunks')
  end
end

---Has fn called when all is answered that was asked, unless all is.
---@param fn fun()
---@return boolean # whether something is not
function M.later(fn)
  if open.count == 0 then
    return false
  end
  waiting[#waiting + 1] = fn
  return true
end

---How long keys wait for the decision that is in front of them, in milliseconds.
local longest_wait = 2000

---Asks acp-ls something that is a part of a decision, and waits for it if keys follow that are
---already there: those behind `ghr` in a macro or a mapping, or typed ahead, are meant for the
---text after it.
---@param command string
---@param arg table?
---@param fn fun(err: table?, result: table)
function M.ask(command, arg, fn)
  local of = open
  of.count = of.count + 1
  client.execute(command, arg, function(err, result)
    of.count = of.count - 1
    fn(err, result)
    while open.count == 0 and #waiting > 0 do
      table.remove(waiting, 1)()
    end
  end)
  if vim.fn.state('m') ~= '' or vim.fn.reg_executing() ~= '' then
    vim.wait(longest_wait, function()
      return of.count == 0
    end, 2)
  end
end

---acp-ls has ended, and what it was asked is not answered any more.
function M.forget()
  open, waiting = { count = 0 }, {}
end

local verbs =
  { accept = 'accepted', reject = 'rejected', restore = 'restored', resolve = 'settled' }

---@param result table
---@param verb string
---@param hint string? what to do about what is refused
local function report(result, verb, hint)
  for _, now in ipairs(result.files or {}) do
    review.on_review(now)
  end
  local refused = result.refused or {}
  if #refused > 0 then
    local reason = refused[1].reason or 'it has changed'
    local what = #refused == 1 and 'a hunk' or ('%d hunks'):format(#refused)
    util.warn(('%s not %s%s: %s'):format(what, verb, hint and (' (%s)'):format(hint) or '', reason))
  end
end

---Decides, and says what acp-ls says of that.
---@param command 'accept'|'reject'|'restore'|'resolve'
---@param arg table
---@param done fun(result: table)?
---@param tells boolean? what was decided is not all in sight: it is said how much that is
---@param hint (fun(refused: {id: string, reason: string?}[]): string?)? see report
function M.command(command, arg, done, tells, hint)
  local proposed = {} -- what is discarded was never there, and cannot be restored
  for _, file in ipairs(review.files()) do
    for _, hunk in ipairs(file.review.hunks or {}) do
      proposed[hunk.id] = hunk.state == 'proposed'
    end
  end
  M.ask('acp.review.' .. command, arg, function(err, result)
    if err then
      return util.warn(err.message)
    end
    local n = #(result.decided or {})
    local rejected = vim.iter(result.decided or {}):any(function(id)
      return not proposed[id]
    end)
    if rejected and (command == 'reject' or arg.take == 'mine') then
      for _, now in ipairs(result.files or {}) do
        review.can_restore(now.uri)
      end
    end
    if tells and (n > 0 or #(result.refused or {}) == 0) then -- else that is what there is to say
      util.notify(('%d %s %s'):format(n, n == 1 and 'change' or 'changes', verbs[command]))
    end
    report(result, verbs[command], hint and hint(result.refused or {}))
    if done then
      done(result)
    end
  end)
end

---Calls fn when what is known of all files is of the texts that are there, as when_current does of
---one. What has come to others meanwhile nobody has seen.
---@param fn fun()
local function when_all_current(fn)
  local old, here = {}, vim.uri_from_bufnr(0)
  if documents.by_uri(here) and not review.of(here) then
    old[1] = here
  end
  for _, file in ipairs(review.files()) do
    if review.is_old(file.uri) then
      old[#old + 1] = file.uri
    end
  end
  if #old == 0 then
    return fn()
  end
  client.flush()
  M.ask('acp.review.list', nil, function(err, result)
    if not err then
      local now = {}
      for _, file in ipairs(result.files or {}) do
        now[util.normal_uri(file.uri)] = file
      end
      for _, uri in ipairs(old) do
        review.on_review(now[uri] or { uri = uri, hunks = {} })
      end
    end
    fn() -- which says what is wrong, if something is
  end)
end

---Calls fn when what is shown of a buffer's review is of the text that is in it: at once,
---unless somebody has typed there a moment ago and acp-ls is yet to tell of it. Where nothing is
---shown something may be on its way, as after an undo.
---@param bufnr integer
---@param fn fun()
local function when_current(bufnr, fn)
  local uri = vim.uri_from_bufnr(bufnr)
  local known = review.of(uri)
  if known and not review.is_old(uri) or not documents.by_uri(uri) then
    return fn()
  end
  uri = known and known.uri or uri
  client.flush()
  M.ask('acp.review.list', { uri = uri }, function(err, result)
    if not err then
      review.on_review(result.files and result.files[1] or { uri = uri, hunks = {} })
    end
    if api.nvim_get_current_buf() == bufnr then
      fn() -- which says what is wrong, if something is
    end
  end)
end

---Whether what is decided at a hunk is decided of the file as a whole: one that is new, or
---gone, is so with its only hunk; a name or a mode is another thing than rows.
---@param changes table Review of the contract
---@return boolean
local function whole_file(changes)
  local file, n = changes.file, #(changes.hunks or {})
  return file ~= nil
    and (n == 0 or n == 1 and not file.mode and (file.op == 'create' or file.op == 'delete'))
end

---Decides the hunks at the cursor, or in some lines.
---@param command 'accept'|'reject'
---@param from integer? 1-based
---@param to integer?
function M.here(command, from, to)
  if not M.at_hand() then
    return
  end
  local bufnr = api.nvim_get_current_buf()
  local row = api.nvim_win_get_cursor(0)[1]
  from, to = from or row, to or row
  when_current(bufnr, function()
    local changes = review.of(vim.uri_from_bufnr(bufnr))
    local ids = {}
    for _, p in ipairs(hunks.at(bufnr, from - 1, to - 1)) do
      ids[#ids + 1] = p.hunk.id
    end
    if changes and whole_file(changes) and (#ids > 0 or #(changes.hunks or {}) == 0) then
      ids[#ids + 1] = changes.file.id
    end
    if #ids == 0 then
      return util.notify('no hunk here')
    end
    local advance = config.get().review.advance
    M.command(command, { hunks = ids }, function()
      if advance and api.nvim_get_current_buf() == bufnr and hunks.drawn(bufnr) then
        require('acp.navigate').go(1, true)
      end
    end)
  end)
end

---Decides all hunks of the current buffer.
---@param command 'accept'|'reject'
function M.file(command)
  if not M.at_hand() then
    return
  end
  local bufnr = api.nvim_get_current_buf()
  when_current(bufnr, function()
    local changes = review.of(vim.uri_from_bufnr(bufnr))
    if not changes then
      return util.notify('no hunks in this file')
    end
    M.command(command, { uri = changes.uri, rev = changes.rev })
  end)
end

---Decides all that there is to decide on: at once, for a file may be in the way of another.
---@param command 'accept'|'reject'
local function all_known(command)
  local ids, left = {}, 0
  for _, known in ipairs(review.files()) do
    for _, hunk in ipairs(known.review.hunks or {}) do
      if command == 'accept' and hunk.state == 'conflict' then
        left = left + 1 -- the user's text would go, and not all of it may be in sight
      else
        ids[#ids + 1] = hunk.id
      end
    end
    local file = known.review.file
    ids[#ids + 1] = file and file.id
  end
  if left > 0 then
    local what = left == 1 and 'a conflict is left' or ('%d conflicts are left'):format(left)
    util.warn(what .. ': take mine, theirs or both')
  elseif #ids == 0 then
    return util.notify('no hunks')
  end
  if #ids > 0 then
    M.command(command, { hunks = ids }, nil, true)
  end
end

---@param command 'accept'|'reject'
function M.all(command)
  if M.at_hand() then
    when_all_current(function()
      all_known(command)
    end)
  end
end

---@param take_side 'mine'|'theirs'|'both'
function M.resolve(take_side)
  if not M.at_hand() then
    return
  end
  local bufnr, row = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1
  when_current(bufnr, function()
    for _, placed in ipairs(hunks.at(bufnr, row, row)) do
      if placed.hunk.state == 'conflict' then
        return M.command('resolve', { hunk = placed.hunk.id, take = take_side })
      end
    end
    util.notify('no conflict here')
  end)
end

---Decides in the selection, or at the cursor.
---@param command 'accept'|'reject'
local function selected(command)
  return {
    { 'n', 'x' },
    function()
      if not vim.fn.mode():match('^[vV\22]') then
        return M.here(command)
      end
      local from, to = vim.fn.line('v'), vim.fn.line('.')
      vim.cmd('normal! \27')
      M.here(command, math.min(from, to), math.max(from, to))
    end,
  }
end

---What the keys do, by their names: see config.map.
---@type table<string, function|table>
M.actions = {
  next = function()
    require('acp.navigate').go(1)
  end,
  prev = function()
    require('acp.navigate').go(-1)
  end,
  accept = selected('accept'),
  reject = selected('reject'),
  ['accept-file'] = function()
    M.file('accept')
  end,
  ['reject-file'] = function()
    M.file('reject')
  end,
  restore = function()
    require('acp.restore').here()
  end,
  mine = function()
    M.resolve('mine')
  end,
  theirs = function()
    M.resolve('theirs')
  end,
  both = function()
    M.resolve('both')
  end,
}

return M
