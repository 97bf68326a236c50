---Changes of agents that wait for a decision: what acp-ls says of them, going from
---one to the next, accepting and rejecting.
local client = require('acp.client')
local config = require('acp.config')
local documents = require('acp.documents')
local hunks = require('acp.hunks')
local keys = require('acp.review_keys')
local util = require('acp.util')

local M = {}
local api = vim.api

---@type table<string, table> Review of the contract, by URI in Neovim's spelling
local reviews = {}
---@type string[][] ids of what each decision rejected, newest last, whatever became of it
local rejected = {}
---@type table<string, true> of these files something can be brought back, as far as is known
local restorable = {}
---@type fun()[]
local listeners = {}

---Calls fn when there is something else to decide on.
---@param fn fun()
function M.listen(fn)
  listeners[#listeners + 1] = fn
end

---Whether a review only says where the file of a buffer has gone: that is decided there.
---@param review table
---@return boolean
function M.moved_away(review)
  local file = review.file
  return file ~= nil
    and file.op == 'rename'
    and file.to ~= nil
    and file.state ~= 'proposed'
    and #(review.hunks or {}) == 0
end

---@return integer hunks
---@return integer files
function M.count()
  local n, files = 0, 0
  for _, review in pairs(reviews) do
    local k = #(review.hunks or {})
    if k == 0 and review.file then
      k = 1
    end
    if not M.moved_away(review) then
      n, files = n + k, files + 1
    end
  end
  return n, files
end

---@param uri string
---@return integer?
local function buffer_of(uri)
  local doc = documents.by_uri(uri)
  return doc and doc.bufnr
end

local actions ---@type table<string, function|table>

local watched = false

local function watch()
  if watched then
    return
  end
  watched = true
  local group = api.nvim_create_augroup('acp.review', {})
  api.nvim_create_autocmd({ 'CursorMoved', 'CursorMovedI', 'BufEnter' }, {
    group = group,
    callback = function(args)
      if hunks.drawn(args.buf) then
        hunks.show_keys(args.buf)
        if api.nvim_win_get_cursor(0)[1] == 1 then
          hunks.show_top(args.buf, api.nvim_get_current_win())
        end
      end
    end,
  })
  -- before keys that are behind the command which opens it, whether acp-ls runs or not
  api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
    group = group,
    callback = function(args)
      if restorable[vim.uri_from_bufnr(args.buf)] then
        keys.offer(args.buf, actions)
      end
    end,
  })
  -- a buffer just opened, or read anew: what is known of it is drawn again
  api.nvim_create_autocmd({ 'BufReadPost', 'BufWinEnter' }, {
    group = group,
    callback = function(args)
      vim.schedule(function()
        if api.nvim_buf_is_loaded(args.buf) then
          local uri = vim.uri_from_bufnr(args.buf)
          if reviews[uri] and (args.event == 'BufReadPost' or not hunks.drawn(args.buf)) then
            M.draw(uri)
          end
        end
      end)
    end,
  })
  api.nvim_create_autocmd('BufUnload', {
    group = group,
    callback = function(args)
      keys.forget(args.buf)
      hunks.clear(args.buf)
    end,
  })
end

---@param uri string
function M.draw(uri)
  local bufnr = buffer_of(uri)
  if not bufnr then
    return
  end
  local review = reviews[uri]
  if not review then
    hunks.clear(bufnr)
    return keys.rest(bufnr, actions)
  end
  hunks.draw(bufnr, review)
  keys.map(bufnr, actions)
end

---Says that the file of a buffer is gone, when it goes: the text shows nothing of that.
---@param uri string
---@param file table? of its Review
local function tell_gone(uri, file)
  local known = reviews[uri] and reviews[uri].file
  local gone = file and file.op == 'delete' and file.state ~= 'proposed'
  if gone and not (known and known.op == 'delete') and buffer_of(uri) then
    local name = vim.fs.basename(vim.uri_to_fname(uri))
    util.notify(('%s is deleted: :Acp reject-file restores it'):format(name))
  end
end

---Keeps and draws a review, unless it is of a text that is not there any more.
---Then a newer one is on its way; should it not come, it is asked for.
---@param review table
local function take(review)
  local uri = util.normal_uri(review.uri)
  local empty = #(review.hunks or {}) == 0 and not review.file
  tell_gone(uri, review.file)
  if empty and not reviews[uri] then -- an earlier acp-ls may have left something
    M.recall(uri)
  end
  reviews[uri] = not empty and review or nil
  local doc = documents.by_uri(uri)
  if doc and not empty and review.version and documents.version(doc) ~= review.version then
    review.stale = true
    vim.defer_fn(function()
      if reviews[uri] == review then
        client.execute('acp.review.list', { uri = review.uri }, function(err, result)
          if not err and reviews[uri] == review then
            local newest = result.files and result.files[1] or { uri = uri, hunks = {} }
            reviews[uri] = (#(newest.hunks or {}) > 0 or newest.file) and newest or nil
            M.draw(uri)
          end
        end)
      end
    end, 400)
    return
  end
  M.draw(uri)
end

---Notes of which files something can be brought back, and sets the keys there.
---@param files table[] Reviews, of acp.review.list with state rejected
---@param uri string? the file it was asked of; all if nil
local function note_rejected(files, uri)
  if uri then
    restorable[uri] = nil
  else
    restorable = {}
  end
  for _, review in ipairs(files) do
    local file = review.file
    if #(review.hunks or {}) > 0 or file and file.state == 'rejected' then
      local known = util.normal_uri(review.uri)
      restorable[known] = true
      local bufnr = buffer_of(known)
      if bufnr then
        keys.offer(bufnr, actions)
      end
    end
  end
end

local listed = false -- what can be brought back of all files, by the acp-ls that runs
local asked ---@type string[]? files, in this turn of the event loop

---Asks whether something of a file can be brought back, which has its keys set.
---@param uri string
function M.recall(uri)
  watch()
  if asked then
    asked[#asked + 1] = uri
    return
  end
  asked = { uri }
  vim.schedule(function()
    local one = listed and #asked == 1 and asked[1] or nil
    asked = nil
    if not client.running() then
      return
    end
    listed = true
    client.execute('acp.review.list', { state = 'rejected', uri = one }, function(err, result)
      if not err then
        note_rejected(result.files or {}, one)
      end
    end)
  end)
end

---acp/review
---@param review table Review of the contract
function M.on_review(review)
  watch()
  take(review)
  for _, fn in ipairs(listeners) do
    fn()
  end
end

---@param result table
---@param verb string
local function report(result, verb)
  for _, review in ipairs(result.files or {}) do
    M.on_review(review)
  end
  local refused = result.refused or {}
  if #refused > 0 then
    local reason = refused[1].reason or 'it has changed'
    local what = #refused == 1 and 'a hunk' or ('%d hunks'):format(#refused)
    util.warn(('%s not %s: %s'):format(what, verb, reason))
  end
end

local verbs =
  { accept = 'accepted', reject = 'rejected', restore = 'restored', resolve = 'settled' }

local deciding = 0 -- decisions that are not answered yet
---@type fun()[] bring back what was rejected last, which is not known before that
local restoring = {}

local function after_decision()
  while deciding == 0 and #restoring > 0 do
    table.remove(restoring, 1)()
  end
end

---Whether acp-ls can be asked for a decision. If it has ended the keys are still there, and say so.
---@return boolean
local function at_hand()
  if client.get() then
    return true
  end
  util.warn(
    client.running() and 'acp-ls is starting: a moment'
      or 'acp-ls is not running: :Acp starts it, and what is undecided comes back'
  )
  return false
end

---Says that there is nothing to go to, or why that is not known.
function M.tell_none()
  if at_hand() then
    util.notify('no hunks')
  end
end

---How long keys wait for the decision that is in front of them, in milliseconds.
local longest_wait = 2000

---Waits for what is being decided, if keys follow that are already there: those behind `ghr`
---in a macro or a mapping, or typed ahead, are meant for the text after it.
local function before_next_keys()
  if vim.fn.state('m') ~= '' or vim.fn.reg_executing() ~= '' then
    vim.wait(longest_wait, function()
      return deciding == 0
    end, 2)
  end
end

---@param command 'accept'|'reject'|'restore'|'resolve'
---@param arg table
---@param done fun()?
---@param tells boolean? what was decided is not all in sight: it is said how much that is
local function decide(command, arg, done, tells)
  deciding = deciding + 1
  local proposed = {} -- what is discarded was never there, and cannot be restored
  for _, review in pairs(reviews) do
    for _, hunk in ipairs(review.hunks or {}) do
      proposed[hunk.id] = hunk.state == 'proposed'
    end
  end
  local ids = {} -- which is the last is by when it was asked for: an answer may overtake another
  if command == 'reject' or arg.take == 'mine' then
    rejected[#rejected + 1] = ids
  end
  client.execute('acp.review.' .. command, arg, function(err, result)
    deciding = deciding - 1
    if err then
      util.warn(err.message)
      return after_decision()
    end
    if command == 'reject' or arg.take == 'mine' then
      for _, id in ipairs(result.decided or {}) do
        if not proposed[id] then
          ids[#ids + 1] = id
        end
      end
      if #ids > 0 then
        for _, review in ipairs(result.files or {}) do
          restorable[util.normal_uri(review.uri)] = true
        end
      end
    end
    local n = #(result.decided or {})
    if tells and (n > 0 or #(result.refused or {}) == 0) then -- else that is what there is to say
      util.notify(('%d %s %s'):format(n, n == 1 and 'change' or 'changes', verbs[command]))
    end
    report(result, verbs[command])
    if done then
      done()
    end
    after_decision()
  end)
  before_next_keys()
end

---Whether a review is of another text than its buffer has.
---@param uri string
---@return boolean
local function is_old(uri)
  local review, doc = reviews[uri], documents.by_uri(uri)
  return review ~= nil
    and review.version ~= nil
    and doc ~= nil
    and documents.version(doc) ~= review.version
end

---Calls fn when what is known of all files is of the texts that are there, as when_current does of
---one. What has come to others meanwhile nobody has seen.
---@param fn fun()
local function when_all_current(fn)
  local old = vim.tbl_filter(is_old, vim.tbl_keys(reviews))
  if #old == 0 then
    return fn()
  end
  deciding = deciding + 1
  client.flush()
  client.execute('acp.review.list', nil, function(err, result)
    deciding = deciding - 1
    if not err then
      local now = {}
      for _, review in ipairs(result.files or {}) do
        now[util.normal_uri(review.uri)] = review
      end
      for _, uri in ipairs(old) do
        M.on_review(now[uri] or { uri = uri, hunks = {} })
      end
    end
    fn() -- which says what is wrong, if something is
    after_decision()
  end)
  before_next_keys()
end

---Calls fn when what is shown of a buffer's review is of the text that is in it: at once,
---unless somebody has typed there a moment ago and acp-ls is yet to tell of it.
---@param bufnr integer
---@param fn fun()
local function when_current(bufnr, fn)
  local uri = vim.uri_from_bufnr(bufnr)
  local review = reviews[uri]
  if not review or not is_old(uri) then
    return fn()
  end
  deciding = deciding + 1
  client.flush()
  client.execute('acp.review.list', { uri = review.uri }, function(err, result)
    deciding = deciding - 1
    if not err then
      M.on_review(result.files and result.files[1] or { uri = review.uri, hunks = {} })
    end
    if api.nvim_get_current_buf() == bufnr then
      fn() -- which says what is wrong, if something is
    end
    after_decision()
  end)
  before_next_keys()
end

---Whether what is decided at a hunk is decided of the file as a whole: one that is new, or
---gone, is so with its only hunk; a name or a mode is another thing than rows.
---@param review table
---@return boolean
local function whole_file(review)
  local file, n = review.file, #(review.hunks or {})
  return file ~= nil
    and (n == 0 or n == 1 and not file.mode and (file.op == 'create' or file.op == 'delete'))
end

---Decides the hunks at the cursor, or in some lines.
---@param command 'accept'|'reject'
---@param from integer? 1-based
---@param to integer?
function M.decide(command, from, to)
  if not at_hand() then
    return
  end
  local bufnr = api.nvim_get_current_buf()
  local row = api.nvim_win_get_cursor(0)[1]
  from, to = from or row, to or row
  when_current(bufnr, function()
    local review = reviews[vim.uri_from_bufnr(bufnr)]
    local ids = {}
    for _, p in ipairs(hunks.at(bufnr, from - 1, to - 1)) do
      ids[#ids + 1] = p.hunk.id
    end
    if review and whole_file(review) and (#ids > 0 or #(review.hunks or {}) == 0) then
      ids[#ids + 1] = review.file.id
    end
    if #ids == 0 then
      return util.notify('no hunk here')
    end
    local advance = config.get().review.advance
    decide(command, { hunks = ids }, function()
      if advance and api.nvim_get_current_buf() == bufnr and hunks.drawn(bufnr) then
        require('acp.navigate').go(1, true)
      end
    end)
  end)
end

---@param command 'accept'|'reject'
function M.decide_file(command)
  if not at_hand() then
    return
  end
  local bufnr = api.nvim_get_current_buf()
  when_current(bufnr, function()
    local review = reviews[vim.uri_from_bufnr(bufnr)]
    if not review then
      return util.notify('no hunks in this file')
    end
    decide(command, { uri = review.uri, rev = review.rev })
  end)
end

---Decides all that there is to decide on: at once, for a file may be in the way of another.
---@param command 'accept'|'reject'
local function decide_known(command)
  local ids, uris, left = {}, vim.tbl_keys(reviews), 0
  table.sort(uris)
  for _, uri in ipairs(uris) do
    for _, hunk in ipairs(reviews[uri].hunks or {}) do
      if command == 'accept' and hunk.state == 'conflict' then
        left = left + 1 -- the user's text would go, and not all of it may be in sight
      else
        ids[#ids + 1] = hunk.id
      end
    end
    local file = reviews[uri].file
    ids[#ids + 1] = file and file.id
  end
  if left > 0 then
    local what = left == 1 and 'a conflict is left' or ('%d conflicts are left'):format(left)
    util.warn(what .. ': take mine, theirs or both')
  elseif #ids == 0 then
    return util.notify('no hunks')
  end
  if #ids > 0 then
    decide(command, { hunks = ids }, nil, true)
  end
end

---@param command 'accept'|'reject'
function M.decide_all(command)
  if at_hand() then
    when_all_current(function()
      decide_known(command)
    end)
  end
end

---@class acp.Rejected
---@field id string
---@field uri string
---@field label string where it is, and what

---Calls fn with what is rejected now, of one file or of all.
---@param uri string?
---@param fn fun(list: acp.Rejected[])
local function with_rejected(uri, fn)
  deciding = deciding + 1
  client.execute('acp.review.list', { state = 'rejected', uri = uri }, function(err, result)
    deciding = deciding - 1
    if err then
      util.warn(err.message)
      return after_decision()
    end
    local list = {}
    for _, review in ipairs(result.files or {}) do
      local path = util.short_path(vim.uri_to_fname(review.uri))
      for _, hunk in ipairs(review.hunks or {}) do
        local text = util.lines(hunk.text)[1] or '(deleted lines)'
        local label = ('%s:%d  %s'):format(path, hunk.range.start.line + 1, vim.trim(text))
        list[#list + 1] = { id = hunk.id, uri = review.uri, label = label }
      end
      local file = review.file
      if file and file.state == 'rejected' then
        local label = ('%s  (%s)'):format(path, file.op)
        list[#list + 1] = { id = file.id, uri = review.uri, label = label }
      end
    end
    fn(list)
    after_decision()
  end)
  before_next_keys()
end

---@param list acp.Rejected[]
---@return acp.Rejected[] # what the last decision that rejected any of it did, or the one there is
local function newest(list)
  for i = #rejected, 1, -1 do
    local of = vim.tbl_filter(function(one)
      return vim.tbl_contains(rejected[i], one.id)
    end, list)
    if #of > 0 then
      return of
    end
  end
  return #list == 1 and list or {}
end

---Brings back what is listed, with one decision.
---@param list acp.Rejected[]
---@param done fun()?
local function bring_back(list, done)
  local ids = vim.tbl_map(function(one)
    return one.id
  end, list)
  decide('restore', { hunks = ids }, done)
end

---Brings back what was rejected last in the file of the buffer, all that one decision did. It asks
---nothing: the keys behind it would be taken for the answer.
function M.restore_here()
  if not at_hand() then
    return
  elseif deciding > 0 then
    restoring[#restoring + 1] = M.restore_here
    return
  end
  with_rejected(vim.uri_from_bufnr(api.nvim_get_current_buf()), function(list)
    local last = newest(list)
    if #last > 0 then
      bring_back(last)
    elseif #list > 0 then
      util.notify(
        ('%d hunks of this file were rejected: :Acp restore lets you choose'):format(#list)
      )
    else
      util.notify('nothing of this file was rejected: see :Acp restore for others')
    end
  end)
end

---Brings back what the last decision rejected, or what the user chooses if that is not known.
function M.restore()
  if deciding > 0 then
    restoring[#restoring + 1] = M.restore
    return
  end
  with_rejected(nil, function(list)
    local last = newest(list)
    if #last > 0 then
      return bring_back(last, function()
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
        bring_back({ row })
      end
    end)
  end)
end

---@param take_side 'mine'|'theirs'|'both'
function M.resolve(take_side)
  if not at_hand() then
    return
  end
  local bufnr, row = api.nvim_get_current_buf(), api.nvim_win_get_cursor(0)[1] - 1
  when_current(bufnr, function()
    for _, placed in ipairs(hunks.at(bufnr, row, row)) do
      if placed.hunk.state == 'conflict' then
        return decide('resolve', { hunk = placed.hunk.id, take = take_side })
      end
    end
    util.notify('no conflict here')
  end)
end

---Files with hunks, by path.
---@return {uri: string, path: string, review: table}[]
function M.files()
  local list = {}
  for uri, review in pairs(reviews) do
    local ok, path = pcall(vim.uri_to_fname, uri)
    if ok then
      list[#list + 1] = { uri = uri, path = path, review = review }
    end
  end
  table.sort(list, function(a, b)
    return a.path < b.path
  end)
  return list
end

function M.on_exit()
  hunks.clear_all()
  keys.rest_all(actions)
  reviews, rejected, deciding, restoring, listed = {}, {}, 0, {}, false
  for _, fn in ipairs(listeners) do
    fn()
  end
end

---Decides in the selection, or at the cursor.
---@param command 'accept'|'reject'
local function here(command)
  return {
    { 'n', 'x' },
    function()
      if not vim.fn.mode():match('^[vV\22]') then
        return M.decide(command)
      end
      local from, to = vim.fn.line('v'), vim.fn.line('.')
      vim.cmd('normal! \27')
      M.decide(command, math.min(from, to), math.max(from, to))
    end,
  }
end

actions = {
  next = function()
    require('acp.navigate').go(1)
  end,
  prev = function()
    require('acp.navigate').go(-1)
  end,
  accept = here('accept'),
  reject = here('reject'),
  ['accept-file'] = function()
    M.decide_file('accept')
  end,
  ['reject-file'] = function()
    M.decide_file('reject')
  end,
  restore = M.restore_here,
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
