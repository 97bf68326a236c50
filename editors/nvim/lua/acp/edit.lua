---Edits of buffers on behalf of acp-ls. They answer what really happened: Neovim's own
---handler says applied:true of an edit it has dropped.
local client = require('acp.client')
local documents = require('acp.documents')
local textedit = require('acp.textedit')
local typing = require('acp.typing')

local M = {}

---Closes the undo step that is open, so that what follows is a step of its own
---and the user's typing stays another. (Setting the option does it.)
---@param bufnr integer
function M.break_undo(bufnr)
  vim.bo[bufnr].undolevels = vim.bo[bufnr].undolevels
end

---Runs fn as one undo step. While the buffer is read-only Neovim would show a
---warning and wait a second at the first change.
---@param bufnr integer
---@param fn fun()
local function as_one_change(bufnr, fn)
  local readonly = vim.bo[bufnr].readonly
  M.break_undo(bufnr)
  vim.bo[bufnr].readonly = false
  local ok, err = pcall(documents.as_one_change, fn)
  vim.bo[bufnr].readonly = readonly
  M.break_undo(bufnr)
  if not ok then
    error(err, 0)
  end
end

---@class acp.TextDocumentEdit
---@field textDocument {uri: string, version: integer?}
---@field edits table[]
---@field kind string?

---Why an edit cannot be applied as it stands; nil if it can.
---@param change acp.TextDocumentEdit
---@return string?
---@return acp.Document?
---@return boolean? held the buffer is not to be changed
local function refusal(change)
  if change.kind then
    return ('%s of files is left to acp-ls'):format(change.kind)
  end
  local doc = documents.by_uri(change.textDocument.uri)
  if not doc then
    return change.textDocument.uri .. ' is not open'
  end
  local version = change.textDocument.version
  if not version then
    return 'the edit has no version'
  end
  local current = documents.version(doc)
  if not current then
    return 'the buffer has just been changed'
  end
  if version ~= current then
    return ('the edit is for version %d, the buffer is at %d'):format(version, current)
  end
  local bo = vim.bo[doc.bufnr]
  if not bo.modifiable then
    return "'nomodifiable' is set", nil, true
  end
  if bo.readonly and not bo.modified then -- what is unsaved already the user sees to
    return "'readonly' is set", nil, true
  end
  return nil, doc
end

---Why a list of edits cannot be made as they stand; nil if they can.
---@param changes acp.TextDocumentEdit[]
---@return {reason: string, index: integer, held: boolean?}?
---@return acp.Document[] docs
local function check(changes)
  local docs, seen = {}, {}
  for i, change in ipairs(changes) do
    local why, doc, held = refusal(change)
    if doc and seen[doc.bufnr] then
      why = 'one document is edited twice'
    end
    if why then
      return { reason = why, index = i - 1, held = held }, {}
    end
    docs[i] = doc
    seen[docs[i].bufnr] = true
  end
  return nil, docs
end

---workspace/applyEdit. All of it is checked before any of it is applied; what would
---disturb the user waits first.
---@param params {label: string?, edit: table}
---@param reply fun(result: table)
function M.on_apply_edit(params, reply)
  local edit = params.edit or {}
  ---@type acp.TextDocumentEdit[]
  local changes = edit.documentChanges or {}
  if edit.changes and next(edit.changes) then
    return reply({ applied = false, failureReason = 'an edit without versions is not applied' })
  end
  local function refuse(why, index, held)
    client.flush() -- so that acp-ls can try again at once
    local acp = held and { readOnly = true }
    reply({ applied = false, failureReason = why, failedChange = index, acp = acp or nil })
  end
  local wrong, docs = check(changes)
  if wrong then
    return refuse(wrong.reason, wrong.index, wrong.held)
  end
  local lsp = client.get()
  local encoding = lsp and lsp.offset_encoding or 'utf-16'
  local what = {}
  for i, change in ipairs(changes) do
    what[i] = { bufnr = docs[i].bufnr, edits = change.edits }
  end
  typing.when_free(what, function()
    wrong, docs = check(changes) -- the user may have typed
    if wrong then
      return refuse(wrong.reason, wrong.index, wrong.held)
    end
    for i, change in ipairs(changes) do
      local bufnr = docs[i].bufnr
      local ok, err = pcall(as_one_change, bufnr, function()
        typing.keep(bufnr, function()
          return textedit.apply(bufnr, change.edits, encoding)
        end)
      end)
      if not ok then
        return refuse(tostring(err), i - 1)
      end
    end
    client.flush()
    reply({ applied = true })
  end)
end

return M
