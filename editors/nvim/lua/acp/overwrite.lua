---What is written over a file that has changed on disk. Neovim asks then ("The file has been
---changed since reading it"), and takes the key that is typed next, by whoever is writing
---meanwhile, for the answer. acp-ls is asked first: what an agent has written comes into the
---buffer before it is written, or is known to be there.
local client = require('acp.client')
local documents = require('acp.documents')
local session = require('acp.session')
local typing = require('acp.typing')
local util = require('acp.util')

local M = {}
local api = vim.api

---How long a write waits for that, in milliseconds.
M.longest = 2000

---What the files of buffers were when Neovim has last read or written them. It looks at the time
---alone, of which two can be the same if one comes right after the other.
---@type table<integer, string>
local known = {}

---What those files had then, to their bytes: a file that was touched, or written again as it was,
---has changed for Neovim alone.
---@type table<integer, string?>
local had = {}

---Buffers that have got a name and were not written yet: for Neovim they are of no file that it
---has read, and to write one must be forced.
---@type table<integer, true?>
local named = {}

---SHA-256 of what the disk had that a buffer contains, of those for which Neovim may have read
---more: it takes a file for known as it is when it is read, and the text was made of what the file
---had a moment before.
---@type table<integer, string?>
local behind = {}

---@class acp.Asked of acp-ls, before a buffer is written
---@field done boolean
---@field taken boolean what the disk has is in the buffer, but Neovim has not read it

---@type table<integer, acp.Asked> by buffer that is being written
local asked = {}

---@param bufnr integer
---@return string? # nil if there is no file
local function stamp_of(bufnr)
  local stat = vim.uv.fs_stat(api.nvim_buf_get_name(bufnr))
  return stat and ('%d.%d %d %d'):format(stat.mtime.sec, stat.mtime.nsec, stat.size, stat.ino)
end

---@param bufnr integer
---@return string? # SHA-256 of its file, in hexadecimal; nil if that cannot be read
local function sum_of(bufnr)
  local bytes = util.file_bytes(bufnr)
  local ok, sum = pcall(vim.fn.sha256, bytes)
  return bytes and ok and sum or nil
end

---Whether the file of a buffer has the bytes of that SHA-256; true if it is not known which.
---@param bufnr integer
---@param disk string?
---@return boolean
function M.has(bufnr, disk)
  return disk == nil or sum_of(bufnr) == disk
end

---Notes what of the disk a buffer contains that Neovim has just read, and whose text was replaced
---then. If the disk has gone on since that text was made the file is not known: what has come
---there would be written over, and nobody asked.
---@param bufnr integer
---@param disk string?
function M.contains(bufnr, disk)
  if not M.has(bufnr, disk) then
    behind[bufnr] = disk
    M.guard(bufnr)
  end
end

---Whether the disk has something that a buffer lacks, though Neovim has read the file.
---@param bufnr integer
---@return boolean
function M.lacks(bufnr)
  if behind[bufnr] and M.has(bufnr, behind[bufnr]) then
    behind[bufnr] = nil -- it was put back
  end
  return behind[bufnr] ~= nil
end

---@type table<integer, string?> of files that are just being read
local reading = {}

---The state of a file that another program has replaced before it could be noted what was written.
local replaced = 'replaced'

---What the file of a buffer has that was just read or written. It is told from the text: the file
---may have gone on since. Of a text that says nothing of its bytes it is the file, if it is still
---the one that is known.
---@param bufnr integer
---@param written boolean?
---@return string?
local function bytes_known(bufnr, written)
  local bo = vim.bo[bufnr]
  if bo.fileformat == 'mac' or bo.fileencoding ~= '' and bo.fileencoding ~= 'utf-8' then
    local bytes = util.file_bytes(bufnr)
    return stamp_of(bufnr) == known[bufnr] and bytes or nil
  end
  local text = documents.whole_text(bufnr)
  if written and text ~= '' and not bo.endofline and bo.fixendofline and not bo.binary then
    text = text .. (bo.fileformat == 'dos' and '\r\n' or '\n')
  end
  return (bo.bomb and '\239\187\191' or '') .. text
end

---Notes what the file of a buffer is: when the buffer is about to be read, and when it has been
---read (another program may have written the file meanwhile) or written.
---@param bufnr integer
---@param event 'BufReadPre'|'BufReadPost'|'BufWritePost'
function M.note(bufnr, event)
  if event == 'BufReadPre' then
    reading[bufnr] = stamp_of(bufnr)
    return
  end
  local written = event == 'BufWritePost'
  known[bufnr] = not written and reading[bufnr] or stamp_of(bufnr)
  reading[bufnr], behind[bufnr], named[bufnr] = nil, nil, nil
  had[bufnr] = bytes_known(bufnr, written)
  if written and had[bufnr] and util.file_bytes(bufnr) ~= had[bufnr] then
    known[bufnr] = replaced -- Neovim may take it for its own
  end
end

---A buffer that was read before it was known. Another program may have written the file after
---Neovim had looked at its time, and before it read it.
---@param bufnr integer
function M.meet(bufnr)
  if known[bufnr] then
    return
  end
  known[bufnr] = reading[bufnr] or stamp_of(bufnr)
  reading[bufnr] = nil
  had[bufnr] = known[bufnr] and not vim.bo[bufnr].modified and bytes_known(bufnr) or nil
end

---@param bufnr integer
function M.forget(bufnr)
  known[bufnr], had[bufnr], behind[bufnr], named[bufnr] = nil, nil, nil, nil
end

---Whether a buffer's file is the one that Neovim has last read or written, or has the same bytes.
---If Neovim calls it changed all the same, that is its mode, or its time: unsaved changes are in
---no conflict with that, though Neovim says so (it looks at what has changed only if there are
---none).
---@param bufnr integer
---@return boolean
function M.same(bufnr)
  local stamp = stamp_of(bufnr)
  return stamp ~= nil
    and known[bufnr] ~= nil
    and (stamp == known[bufnr] or had[bufnr] ~= nil and util.file_bytes(bufnr) == had[bufnr])
    and not M.lacks(bufnr)
end

---Whether a buffer is being written, when Neovim does not look whether its file has changed
---(checktime).
---@param bufnr integer
---@return boolean
function M.writing(bufnr)
  return asked[bufnr] ~= nil
end

---@param bufnr integer
---@param path string
---@return boolean # whether that is its file, and there is one
local function own(bufnr, path)
  local file = vim.uv.fs_realpath(api.nvim_buf_get_name(bufnr))
  return file ~= nil and file == vim.uv.fs_realpath(path)
end

---Has Neovim know the time of a buffer's file if that alone has changed, or it would ask when the
---buffer is written. It looks at the time when a buffer is given a name, and neither text nor undo
---have part in that.
---@param bufnr integer that is about to be written
---@return boolean # whether writing it must be forced
function M.renew(bufnr)
  local stamp, name = stamp_of(bufnr), api.nvim_buf_get_name(bufnr)
  if stamp == known[bufnr] or not M.same(bufnr) or stamp_of(bufnr) ~= stamp then
    return named[bufnr] ~= nil
  end
  local shortmess = vim.o.shortmess
  vim.opt.shortmess:append('A') -- it looks for another's swap file, too
  named[bufnr] = true
  local ok = pcall(api.nvim_buf_call, bufnr, function()
    local short = vim.fn.bufname() -- what is shown stays as it is
    vim.cmd.file({
      args = { own(bufnr, vim.fn.fnamemodify(short, ':p')) and short or name },
      magic = { file = false, bar = false },
      mods = { noautocmd = true, keepalt = true, silent = true },
    })
  end)
  vim.o.shortmess = shortmess
  if ok then
    known[bufnr] = stamp
  end
  return true
end

---Whether Neovim would ask, or should, about a file that acp-ls looks after.
---@param bufnr integer
---@param path string that is written
---@return boolean
local function would_ask(bufnr, path)
  if not known[bufnr] or vim.v.cmdbang == 1 then
    return false
  end
  return stamp_of(bufnr) ~= nil and not M.same(bufnr) and own(bufnr, path)
end

---Asks acp-ls to bring a buffer up to date with the disk.
---@param bufnr integer
---@return acp.Asked?
local function ask(bufnr)
  local lsp = client.get()
  if not lsp then
    return nil
  end
  local question = { done = false, taken = false }
  local params = { textDocument = { uri = vim.uri_from_bufnr(bufnr) }, reason = 1 }
  local function on_reply(err, result)
    question.done, question.taken = true, not err and type(result) == 'table'
  end
  if vim.fn.has('nvim-0.11') == 1 then
    lsp:request('textDocument/willSaveWaitUntil', params, on_reply, bufnr)
  else
    lsp.request('textDocument/willSaveWaitUntil', params, on_reply, bufnr) -- luacheck: ignore
  end
  return question
end

---Has what an agent has written come into a buffer.
---@param bufnr integer
---@param path string that is about to be written
---@param take_disk fun(bufnr: integer) makes the disk's state the base of the text as it is
---@param left integer milliseconds that this may take
---@return boolean # whether more can come, if the agent writes once more
local function bring_in(bufnr, path, take_disk, left)
  local began, longest = vim.uv.hrtime(), left
  while left > 0 and would_ask(bufnr, path) do -- an agent may write again as well
    local was = stamp_of(bufnr)
    local question = asked[bufnr]
    if not question or question.done then
      question = ask(bufnr)
    end
    if not question then
      return false
    end
    asked[bufnr] = question
    vim.wait(left, function()
      return question.done
    end, 2)
    if stamp_of(bufnr) == was and not M.same(bufnr) then
      if question.taken then
        take_disk(bufnr)
      end
      return question.taken
    end
    left = longest - math.floor((vim.uv.hrtime() - began) / 1e6)
  end
  return left > 0
end

---Has a buffer and Neovim know the file, before the buffer is written.
---@param bufnr integer
---@param path string that is about to be written
---@param take_disk fun(bufnr: integer) makes the disk's state the base of the text as it is
function M.before_write(bufnr, path, take_disk)
  local first = not asked[bufnr] -- what saves by itself may write again while we wait
  local began, left = vim.uv.hrtime(), M.longest
  repeat -- an agent may write at any moment
    -- While nothing can come into the buffer it would be waited for in vain.
    local more = not typing.busy(bufnr) and bring_in(bufnr, path, take_disk, left)
    if vim.v.cmdbang == 0 and own(bufnr, path) then
      M.renew(bufnr)
    end
    left = M.longest - math.floor((vim.uv.hrtime() - began) / 1e6)
  until not more or not would_ask(bufnr, path)
  if first then
    asked[bufnr] = nil
  end
end

---While nothing can come into a buffer, a write over what an agent has just written is left
---out: a question would take what is typed. What saves by itself will do so again.
---@type table<integer, integer?> autocommands by buffer
local guards = {}

---@param bufnr integer
local function unguard(bufnr)
  if guards[bufnr] then
    pcall(api.nvim_del_autocmd, guards[bufnr]) -- it may have gone with its buffer
    guards[bufnr] = nil
  end
end

---@param bufnr integer
local function guard(bufnr)
  guards[bufnr] = api.nvim_create_autocmd('BufWriteCmd', {
    buffer = bufnr,
    nested = true, -- all that happens with a write is to happen
    callback = function(args)
      local ours = vim.v.cmdbang == 0 and own(bufnr, args.match)
      if ours and M.lacks(bufnr) then
        M.before_write(bufnr, args.match, require('acp.disk').take_base)
      end
      if ours and M.lacks(bufnr) then -- Neovim would not ask
        local name = vim.fn.fnamemodify(api.nvim_buf_get_name(bufnr), ':~:.')
        util.warn(name .. ' is not written: write again, or :w! (it has just changed on disk)')
        return
      elseif session.working() and typing.busy(bufnr) and would_ask(bufnr, args.match) then
        return
      end
      unguard(bufnr)
      local bang = vim.v.cmdbang == 1 and '!' or ''
      local name = args.match == api.nvim_buf_get_name(bufnr) and ''
        or vim.fn.fnameescape(args.match)
      local ok, err = pcall(vim.cmd, ('write%s %s %s'):format(bang, vim.v.cmdarg, name))
      M.guard(bufnr)
      if not ok then
        error(err, 0)
      end
    end,
  })
end

---Guards a buffer if the user is in the middle of what must not be disturbed, or the disk has what
---the buffer lacks, and ends that if not.
---@param bufnr integer
function M.guard(bufnr)
  local busy = known[bufnr] and (typing.busy(bufnr) or M.lacks(bufnr))
  if not busy then
    unguard(bufnr)
  elseif not guards[bufnr] then
    guard(bufnr)
  end
end

return M
