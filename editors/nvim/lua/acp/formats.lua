---The 'fileformat' and 'endofline' of buffers along their undo trees. Neovim's undo gives back
---text, and not the format that it had: rows that showed their carriage returns would be written
---with two of them, and line ends that an agent has changed would come back unseen. So where the
---format was turned together with the text, by acp-ls or as a file was read anew, undo and redo
---turn it as well.
local M = {}
local api = vim.api

---A part of an undo tree in which the format is one: from the step that has turned it on.
---@class acp.Format
---@field fileformat string as last set there
---@field endofline boolean
---@field was_dos true? see textedit

---@class acp.Formats
---@field parts table<integer, acp.Format> by the steps that have turned it
---@field root acp.Format before any of them
---@field part acp.Format that the buffer is in
---@field path table<integer, true> the steps of parts that lead there
---@field seq integer? where in the undo tree that is
---@field busy integer changes of the format under way that are noted when they are done

---@type table<integer, acp.Formats>
local formats = {}

---Buffers that were DOS until an agent's line ends were not. When all rows end so again, their
---carriage returns are hidden again: of others the user has seen them all along.
---@type table<integer, true?>
M.was_dos = {}

---@param bufnr integer
---@return acp.Format
local function format_of(bufnr)
  return { fileformat = vim.bo[bufnr].fileformat, endofline = vim.bo[bufnr].endofline }
end

---@param a acp.Format
---@param b acp.Format
---@return boolean
local function equal(a, b)
  return a.fileformat == b.fileformat and a.endofline == b.endofline
end

---@param bufnr integer
---@return acp.Formats
local function formats_of(bufnr)
  if not formats[bufnr] then
    local part = format_of(bufnr)
    formats[bufnr] = { parts = {}, root = part, part = part, path = {}, busy = 0 }
  end
  return formats[bufnr]
end

---@param entries table[] of undotree()
---@param parent integer
---@param parents table<integer, integer>
---@return table<integer, integer> # the step before each
local function parents_of(entries, parent, parents)
  for _, entry in ipairs(entries) do
    parents[entry.seq] = parent
    if entry.alt then
      parents_of(entry.alt, parent, parents)
    end
    parent = entry.seq
  end
  return parents
end

---Finds out which part of its undo tree a buffer is in.
---@param bufnr integer
---@param f acp.Formats
---@param anew boolean? also if it is where it was
local function locate(bufnr, f, anew)
  local tree = vim.fn.undotree(bufnr)
  if tree.seq_cur == f.seq and not anew then
    return
  end
  local parents = parents_of(tree.entries, 0, {})
  local newest = 0
  for step, part in pairs(f.parts) do
    if not parents[step] then -- it cannot be undone any more
      if f.path[step] and step > newest then
        newest, f.root = step, part
      end
      f.parts[step] = nil
    end
  end
  f.seq, f.path = tree.seq_cur, {}
  local part
  local step = tree.seq_cur
  while step and step > 0 do
    if f.parts[step] then
      f.path[step] = true
      part = part or f.parts[step]
    end
    step = parents[step]
  end
  f.part = part or f.root
end

---Gives a buffer whose text was undone or redone the format that belongs to it.
---@param bufnr integer
function M.settle(bufnr)
  local f = formats[bufnr]
  if not f or f.busy > 0 or not next(f.parts) or not api.nvim_buf_is_loaded(bufnr) then
    return
  end
  local was = f.part
  locate(bufnr, f)
  if f.part == was then
    return
  end
  was.was_dos, M.was_dos[bufnr] = M.was_dos[bufnr], f.part.was_dos
  f.busy = f.busy + 1
  pcall(function()
    for _, name in ipairs({ 'fileformat', 'endofline' }) do
      if vim.bo[bufnr][name] ~= f.part[name] then
        vim.bo[bufnr][name] = f.part[name]
      end
    end
  end)
  f.busy = f.busy - 1
end

---Notes that a buffer's format has been turned, if it has.
---@param bufnr integer
---@param f acp.Formats
---@param seq integer? where in the undo tree it was before
---@param was_dos true? what it was before
local function note(bufnr, f, seq, was_dos)
  local format, now = format_of(bufnr), vim.fn.undotree(bufnr).seq_cur
  if equal(format, f.part) then
    return
  elseif now == seq then -- with no step that could be undone
    f.part.fileformat, f.part.endofline = format.fileformat, format.endofline
    return
  end
  f.part.was_dos = was_dos
  f.part = format
  f.parts[now], f.path[now], f.seq = f.part, true, now
end

---Runs fn, which may change the text of a buffer and its format with it.
---@generic T
---@param bufnr integer
---@param fn fun(): T
---@return T
function M.turn(bufnr, fn)
  M.settle(bufnr)
  local f = formats_of(bufnr)
  local seq, was_dos = vim.fn.undotree(bufnr).seq_cur, M.was_dos[bufnr]
  f.busy = f.busy + 1
  local ok, result = pcall(fn)
  f.busy = f.busy - 1
  if formats[bufnr] == f and api.nvim_buf_is_loaded(bufnr) then
    note(bufnr, f, seq, was_dos)
  end
  if not ok then
    error(result, 0)
  end
  return result
end

---Has formats told what the user does to a buffer.
---@param bufnr integer
function M.track(bufnr)
  formats_of(bufnr)
end

---@param group integer
function M.watch(group)
  local function on(events, fn)
    api.nvim_create_autocmd(events, {
      group = group,
      callback = function(args)
        local f = formats[args.buf]
        if f and f.busy == 0 then
          fn(args.buf, f)
        end
      end,
    })
  end
  on({ 'TextChanged', 'TextChangedI', 'TextChangedP', 'BufWritePre', 'FileWritePre' }, M.settle)
  on('BufReadPost', function(bufnr, f)
    local seq = f.seq
    locate(bufnr, f, true) -- it may be another tree
    local tree = vim.fn.undotree(bufnr)
    note(bufnr, f, #tree.entries == 0 and tree.seq_cur or seq, M.was_dos[bufnr])
  end)
  api.nvim_create_autocmd('OptionSet', {
    group = group,
    pattern = { 'fileformat', 'endofline' },
    callback = function()
      for bufnr, f in pairs(formats) do
        if f.busy == 0 and api.nvim_buf_is_loaded(bufnr) then
          local format = format_of(bufnr)
          if not equal(format, f.part) then -- the user has, here and from here on
            locate(bufnr, f)
            f.part.fileformat, f.part.endofline = format.fileformat, format.endofline
          end
        end
      end
    end,
  })
  api.nvim_create_autocmd('BufWipeout', {
    group = group,
    callback = function(args)
      formats[args.buf], M.was_dos[args.buf] = nil, nil
    end,
  })
end

return M
