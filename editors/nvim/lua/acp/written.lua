---Files that the user writes and that are no buffer's own: `:w copy.txt`, `:3,5w part.txt`,
---`:1w >> log.txt`. To acp-ls they look like what an agent does on disk, so it is told, as
---if the file had been opened, changed, saved and closed.
local documents = require('acp.documents')
local session = require('acp.session')

local M = {}
local api = vim.api

---Bytes: of larger files acp-ls looks at no text.
local max_size = 2 ^ 20

---@class acp.Written
---@field path string
---@field there boolean it is a file
---@field text string? what it holds, if that is text

---@param path string
---@return acp.Written
local function look(path)
  local stat = vim.uv.fs_stat(path)
  if not stat then
    return { path = path, there = false, text = '' }
  end
  local file = stat.type == 'file' and stat.size <= max_size and io.open(path, 'rb')
  if not file then
    return { path = path, there = true }
  end
  local text = file:read('*a')
  file:close()
  local odd = not text or text:gsub('[\194-\244][\128-\191]+', ''):find('[%z\128-\255]')
  return { path = path, there = true, text = not odd and text or nil }
end

---The file that a write is about to make or has made, if acp-ls does not know of it anyway.
---@param args {buf: integer, match: string} of the autocommand
---@return string? path
local function target(args)
  local path = args.match
  if path == '' or path:match('^%a[%w+.-]+://') or not session.working() then
    return nil
  end
  local real = vim.uv.fs_realpath(path)
  if
    documents.by_uri(vim.uri_from_fname(path))
    or real and documents.by_uri(vim.uri_from_fname(real))
  then
    return nil
  end
  return path
end

---@param before acp.Written
---@param now acp.Written
local function tell(before, now)
  local uri = vim.uri_from_fname(now.path)
  local send = documents.send
  if before.text and now.text then
    send('textDocument/didOpen', {
      textDocument = { uri = uri, languageId = '', version = 0, text = before.text },
    })
    send('textDocument/didChange', {
      textDocument = { uri = uri, version = 1 },
      contentChanges = { { text = now.text } },
    })
    send('textDocument/didSave', { textDocument = { uri = uri }, text = now.text })
    send('textDocument/didClose', { textDocument = { uri = uri } })
  end
  if not before.there or not now.text then -- one that is no text is the user's as a whole
    send('workspace/didCreateFiles', { files = { { uri = uri } } })
  end
end

---@param group integer
function M.watch(group)
  ---@type acp.Written? of the write that is under way
  local before
  api.nvim_create_autocmd({ 'BufWritePre', 'FileWritePre', 'FileAppendPre' }, {
    group = group,
    desc = 'acp: look at a file that is written',
    callback = function(args)
      local path = target(args)
      before = path and look(path)
    end,
  })
  api.nvim_create_autocmd({ 'BufWritePost', 'FileWritePost', 'FileAppendPost' }, {
    group = group,
    desc = 'acp: tell of a file that was written',
    callback = function(args)
      local was = before
      before = nil
      if was and target(args) == was.path then
        tell(was, look(was.path))
      end
    end,
  })
end

return M
