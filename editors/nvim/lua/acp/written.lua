---Files that the user writes and that are no buffer's own: `:w copy.txt`, `:3,5w part.txt`,
---`:1w >> log.txt`. To acp-ls they look like what an agent does on disk, so it is told that
---they were saved here, whoever has them open.
local documents = require('acp.documents')
local session = require('acp.session')
local util = require('acp.util')

local M = {}
local api = vim.api

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

---@param path string
---@param new boolean it was not there before
local function tell(path, new)
  local uri, text = vim.uri_from_fname(path), util.file_text(path)
  if text then
    documents.send('textDocument/didSave', { textDocument = { uri = uri }, text = text })
  end
  if new or not text then -- one that is no text is the user's as a whole
    documents.send('workspace/didCreateFiles', { files = { { uri = uri } } })
  end
end

---@param group integer
function M.watch(group)
  ---@type {path: string, new: boolean}? the write that is under way
  local writing
  api.nvim_create_autocmd({ 'BufWritePre', 'FileWritePre', 'FileAppendPre' }, {
    group = group,
    desc = 'acp: look at a file that is written',
    callback = function(args)
      local path = target(args)
      writing = path and { path = path, new = not vim.uv.fs_stat(path) }
    end,
  })
  api.nvim_create_autocmd({ 'BufWritePost', 'FileWritePost', 'FileAppendPost' }, {
    group = group,
    desc = 'acp: tell of a file that was written',
    callback = function(args)
      local was = writing
      writing = nil
      if was and target(args) == was.path then
        tell(was.path, was.new)
      end
    end,
  })
end

return M
