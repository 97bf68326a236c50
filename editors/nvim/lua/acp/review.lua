---Changes of agents that wait for a decision: what acp-ls says of them, and where they are drawn.
local client = require('acp.client')
local documents = require('acp.documents')
local hunks = require('acp.hunks')
local keys = require('acp.review_keys')
local util = require('acp.util')

local M = {}
local api = vim.api

---@type table<string, table> Review of the contract, by URI in Neovim's spelling
local reviews = {}
---@type table<string, integer> which of all reviews was taken last, by the same URI
local taken = {}
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

---@return table<string, function|table> what the keys do
local function actions()
  return require('acp.decide').actions
end

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
        keys.offer(args.buf, actions())
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
    return keys.rest(bufnr, actions())
  end
  hunks.draw(bufnr, review)
  keys.map(bufnr, actions())
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
---Then a newer one is on its way; should it not come, it is asked for. The answer to a decision may
---come after a newer one, and is left then.
---@param review table
local function take(review)
  local uri = util.normal_uri(review.uri)
  if review.seq and review.seq < (taken[uri] or 0) then
    return
  end
  taken[uri] = review.seq or taken[uri]
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
        keys.offer(bufnr, actions())
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

---What there is to decide on in a file.
---@param uri string in Neovim's spelling
---@return table? review
function M.of(uri)
  return reviews[uri]
end

---Notes that something of a file can be brought back.
---@param uri string
function M.can_restore(uri)
  restorable[util.normal_uri(uri)] = true
end

---Whether a review is of another text than its buffer has.
---@param uri string
---@return boolean
function M.is_old(uri)
  local review, doc = reviews[uri], documents.by_uri(uri)
  return review ~= nil
    and review.version ~= nil
    and doc ~= nil
    and documents.version(doc) ~= review.version
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
  keys.rest_all(actions())
  require('acp.decide').forget()
  reviews, taken, listed = {}, {}, false
  for _, fn in ipairs(listeners) do
    fn()
  end
end

return M
