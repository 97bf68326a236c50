---Files that Neovim reads anew because they have changed on disk: in which line ends and which
---encoding, and what it is told where it would ask the user.
local client = require('acp.client')
local formats = require('acp.formats')
local overwrite = require('acp.overwrite')
local textedit = require('acp.textedit')
local util = require('acp.util')

local M = {}
local api = vim.api

---What is done about a file that has changed on disk, while we look at it ourselves.
---@type ''|'reload'|'edit'|nil
local choice
---@type string? v:fcs_reason of the last time
local reason

---Whether someone else decides, too.
---@param bufnr integer
---@return boolean
local function others_decide(bufnr)
  for _, autocmd in ipairs(api.nvim_get_autocmds({ event = 'FileChangedShell' })) do
    local ours = autocmd.group_name == 'acp.disk'
    if not ours and (not autocmd.buflocal or autocmd.buffer == bufnr) then
      return true
    end
  end
  return false
end

---Buffers that were opened when there was no file of their name, and have been neither
---written nor read since.
---@type table<integer, true>
local fresh = {}

---Whether there is a file by now that a buffer was opened without. Neovim must not look
---(checktime): it would ask whether to load it (W13), of which no event tells, and take the
---user's keys.
---@param bufnr integer
---@return boolean
local function created(bufnr)
  return fresh[bufnr] ~= nil and vim.uv.fs_stat(api.nvim_buf_get_name(bufnr)) ~= nil
end

---Notes that a buffer has been opened.
---@param bufnr integer
function M.opened(bufnr)
  if not vim.uv.fs_stat(api.nvim_buf_get_name(bufnr)) then
    fresh[bufnr] = true
  end
end

---Notes that a buffer's file has been read or written, or that the buffer is gone.
---@param bufnr integer
function M.known(bufnr)
  fresh[bufnr] = nil
end

---Whether Unicode in units of two or four bytes is the encoding of that name.
---@param encoding string
---@return boolean
local function is_wide(encoding)
  return encoding:find('^u[ct][sf]%-?[1-4]') ~= nil
end

---@param encoding string
---@return boolean
local function is_utf8(encoding)
  return encoding == '' or encoding == 'utf-8'
end

---The byte order mark that bytes begin with.
---@param bytes string
---@return 'utf-8'|'le'|'be'|nil
local function mark_of(bytes)
  local two = bytes:sub(1, 2)
  if bytes:sub(1, 3) == '\239\187\191' then
    return 'utf-8'
  end
  return two == '\255\254' and 'le' or two == '\254\255' and 'be' or nil
end

---Encodings that were found out anew, as buffers had lost theirs: nobody has chosen these.
---@type table<integer, string>
local found = {}

---Whether a buffer's file is not in the encoding any more in which it was read: read as before it
---would be full of question marks, and readonly. That is not known where all bytes are characters.
---@param bufnr integer
---@return boolean
local function lost_encoding(bufnr)
  local bo = vim.bo[bufnr]
  local encoding, wide = bo.fileencoding, is_wide(bo.fileencoding)
  local utf8 = is_utf8(encoding)
  local bytes = util.file_bytes(bufnr)
  if not bytes or bytes == '' then
    return false
  elseif found[bufnr] == encoding then
    return true -- so it is found out once more
  end
  local mark = mark_of(bytes)
  if wide then
    local was = bo.bomb and (encoding:find('le$') and 'le' or 'be') or nil
    return mark ~= was or not mark and not bytes:find('\0', 1, true)
  elseif mark == 'utf-8' or not utf8 or not bytes:find('[\128-\255]') then
    return mark ~= nil and not utf8
  end
  local rest = bytes
    :gsub('[\194-\223][\128-\191]', ' ')
    :gsub('[\224-\239][\128-\191][\128-\191]', ' ')
    :gsub('[\240-\244][\128-\191][\128-\191][\128-\191]', ' ')
  return rest:find('[\128-\255]') ~= nil
end

---How a buffer's file is read anew: 'edit' finds the encoding out anew; the user may have chosen
---what 'reload' keeps.
---@param bufnr integer
---@return 'reload'|'edit'
local function how_to_read(bufnr)
  return lost_encoding(bufnr) and 'edit' or 'reload'
end

---Notes the encoding in which a file was read.
---@param bufnr integer
---@param answer 'reload'|'edit'
local function note_encoding(bufnr, answer)
  local encoding = vim.bo[bufnr].fileencoding
  found[bufnr] = answer == 'edit' and not is_utf8(encoding) and encoding or nil
end

---Has Neovim read a file that has changed while an agent works, and not ask ('noautoread'), which
---would take a key of the user's: acp-ls has it read in a moment anyway (acp/reload).
---@param bufnr integer
local function read_now(bufnr)
  local answer = how_to_read(bufnr)
  vim.v.fcs_choice = answer
  vim.schedule(function() -- when it has been read
    if api.nvim_buf_is_loaded(bufnr) then
      note_encoding(bufnr, answer)
    end
  end)
end

---Answers Neovim's question what to do about a file that has changed on disk
---(|FileChangedShell|).
---@param bufnr integer
function M.decide(bufnr)
  reason = vim.v.fcs_reason
  local working = not choice and require('acp.session').working()
  if choice then
    vim.v.fcs_choice = reason == 'deleted' and '' or choice
  elseif working and reason == 'conflict' then
    vim.v.fcs_choice = ''
  elseif others_decide(bufnr) then
    return
  elseif working and (reason == 'changed' or reason == 'mode') then
    read_now(bufnr)
  else
    -- As if we were not here, but for a mode that was rejected, or comes from an agent.
    vim.v.fcs_choice = reason == 'conflict' and overwrite.same(bufnr) and '' or 'ask'
  end
end

---Looks whether a buffer's file has changed.
---@param bufnr integer
---@param answer ''|'reload'|'edit' what to do if Neovim would ask
---@return string? reason why it would have; or 'created', and it has not looked
function M.checktime(bufnr, answer)
  if created(bufnr) then
    return 'created'
  elseif overwrite.writing(bufnr) then
    return not vim.uv.fs_stat(api.nvim_buf_get_name(bufnr)) and 'deleted' or nil -- it does nothing
  end
  choice, reason = answer, nil
  local autoread = vim.bo[bufnr].autoread
  if answer == 'edit' then
    vim.bo[bufnr].autoread = false -- or it does not ask, and keeps the encoding
  end
  pcall(vim.cmd, ('silent! checktime %d'):format(bufnr))
  if answer == 'edit' then
    api.nvim_buf_call(bufnr, function()
      vim.cmd(autoread == vim.go.autoread and 'setlocal autoread<' or 'setlocal autoread')
    end)
  end
  choice = nil
  return reason
end

---The format in which a buffer shows the line ends that its file has now; nil if that is the
---one it has. A file that is read anew keeps the format, and in DOS shows no row that has no
---carriage return, nor would it be written so again. Files of the format mac, and rows that
---the user has opened with their carriage returns in them, are left as they are.
---@param bufnr integer
---@return 'dos'|'unix'|nil
local function format_needed(bufnr)
  local bo = vim.bo[bufnr]
  local format = bo.fileformat
  if format == 'mac' or is_wide(bo.fileencoding) then
    return nil -- in wide characters line ends are not these bytes
  end
  local bytes = util.file_bytes(bufnr)
  if not bytes or not bytes:find('\n', 1, true) then
    return nil
  end
  local bare = bytes:sub(1, 1) == '\n' or bytes:find('[^\r]\n') ~= nil
  if bare == (format == 'unix') then
    return nil
  elseif bare then
    return 'unix'
  end
  local ended, returns = textedit.count_ends(bufnr)
  return (ended == 0 or returns < ended) and 'dos' or nil
end

---Runs fn, which has Neovim read a buffer's file anew, so that it is read in a format.
---@param bufnr integer
---@param format string?
---@param fn fun(): string?
---@return string?
local function in_format(bufnr, format, fn)
  local was, ignored = vim.bo[bufnr].fileformat, vim.o.eventignore
  if not format then
    return fn()
  end
  vim.opt.eventignore:append('OptionSet') -- the text is not turned, it is read
  vim.bo[bufnr].fileformat = format
  vim.o.eventignore = ignored
  local why = fn()
  if why == 'deleted' or not why then
    vim.opt.eventignore:append('OptionSet')
    vim.bo[bufnr].fileformat = was
    vim.o.eventignore = ignored
  else
    textedit.turned(bufnr, was, format)
  end
  return why
end

---Reads a buffer's file anew although Neovim takes it for known. With its
---autocommands: `:edit` detaches every language server and parser from the buffer,
---and it is by these events that they come back. The format mac is not found out by
---itself, mostly: it is kept.
---@param bufnr integer
---@param format string?
function M.reread(bufnr, format)
  format = vim.bo[bufnr].fileformat == 'mac' and 'mac' or format
  pcall(api.nvim_buf_call, bufnr, function()
    vim.cmd(format and 'silent edit! ++ff=' .. format or 'silent edit!')
  end)
  client.attach(bufnr)
end

---@param bufnr integer
---@param answer 'reload'|'edit'
---@param format string?
---@return string? reason of checktime
local function read_anew(bufnr, answer, format)
  local why = in_format(bufnr, format, function()
    return M.checktime(bufnr, answer)
  end)
  if why == 'created' or overwrite.writing(bufnr) then
    M.reread(bufnr)
  elseif not why and format_needed(bufnr) then
    local was, now = vim.bo[bufnr].fileformat, format_needed(bufnr)
    M.reread(bufnr, now) -- Neovim has read it by itself
    textedit.turned(bufnr, was, now)
  end
  return why
end

---Reads a buffer's file anew if it has changed.
---@param bufnr integer
---@return string? reason of checktime
function M.reload(bufnr)
  local answer = how_to_read(bufnr)
  local format = answer == 'reload' and format_needed(bufnr) or nil
  return formats.turn(bufnr, function()
    local why = read_anew(bufnr, answer, format)
    note_encoding(bufnr, answer)
    return why
  end)
end

return M
