---What the user writes while no acp-ls runs: one that was killed, or ended in the middle of a
---turn, is followed by one to which that would look like what an unknown program has written
---meanwhile. It is told in `initialize`, as `acp.written`.
local documents = require('acp.documents')
local util = require('acp.util')

local M = {}
local api = vim.api

---Milliseconds: so long before it is known to have ended acp-ls may not have heard of a write any
---more, or not have written down whose it is what a buffer has read.
local lately = 3000

---@class acp.Read what a buffer has read of its file
---@field text string? if that is text
---@field at integer

---@class acp.Away
---@field text string
---@field at integer
---@field read acp.Read? what its buffer had read before

---@type table<string, acp.Away> what files were given, by path
local files = {}
---@type table<integer, acp.Read> by buffer
local read = {}
---@type integer? when acp-ls ended; nil: it runs, or never has
local since

---@param list table<any, {at: integer}>
local function forget_old(list)
  for key, item in pairs(list) do
    if item.at < (since or vim.uv.now()) - lately then
      list[key] = nil
    end
  end
end

---@param args {buf: integer, match: string, event: string} of the autocommand
local function on_write(args)
  local path = args.match
  local own = vim.uv.fs_realpath(api.nvim_buf_get_name(args.buf))
  own = own and own == vim.uv.fs_realpath(path)
  if own and vim.bo[args.buf].modified or path:match('^%a[%w+.-]+://') then
    return -- not written: the user has said no to Neovim's question; or no file
  end
  -- What a file has that is appended to, and what is saved for acp-ls, is not the user's.
  local theirs = args.event == 'FileAppendPost' or documents.is_saving(args.buf)
  local text = not theirs and util.file_text(path)
  files[path] = nil
  if text then
    files[path] = { text = text, at = vim.uv.now(), read = own and read[args.buf] or nil }
  end
  forget_old(files)
end

---@param args {buf: integer, match: string} of the autocommand
local function on_read(args)
  local text, wrote = util.file_text(args.match), files[args.match]
  if wrote and wrote.text == text then -- nobody else has written there
    read[args.buf] = wrote.read
  else
    read[args.buf] = { text = text, at = vim.uv.now() }
  end
  forget_old(read)
end

---Listens, as long as this Neovim lives.
function M.watch()
  local group = api.nvim_create_augroup('acp.away', {})
  api.nvim_create_autocmd({ 'BufWritePost', 'FileWritePost', 'FileAppendPost' }, {
    group = group,
    desc = 'acp: note what is written',
    callback = on_write,
  })
  api.nvim_create_autocmd('BufReadPost', {
    group = group,
    desc = 'acp: note what is read',
    callback = on_read,
  })
  api.nvim_create_autocmd('BufUnload', {
    group = group,
    desc = 'acp: forget what was read',
    callback = function(args)
      read[args.buf] = nil
    end,
  })
end

---acp-ls has ended.
function M.ended()
  since = since or vim.uv.now()
end

---acp-ls runs, and has been told.
function M.began()
  since = nil
end

---What acp-ls is told when it starts.
---@return {written: {uri: string, text: string, read: string?}[]}?
function M.told()
  local list = {}
  for path, file in pairs(since and files or {}) do
    local from, known = since - lately, file.read
    known = known and known.at >= from and known or nil
    if file.at >= from and (not known or known.text) then
      local uri = vim.uri_from_fname(path)
      list[#list + 1] = { uri = uri, text = file.text, read = known and known.text }
    end
  end
  return list[1] and { written = list } or nil
end

return M
