---Where an insertion began. Neovim keeps it as a row and a column (|i_CTRL-U|, |i_CTRL-W| and,
---by 'backspace', |i_<BS>| stop there, and the mark '[ is set there when it ends), and does not
---move it when rows above come or go by the API: what was in the row before would be deleted.
---Nothing that can be called or typed sets it without ending the insertion, and so what a count,
---|.| and a recording repeat. It is a variable of the program that LuaJIT can see.
local M = {}

---@class acp.Begin a pos_T
---@field lnum integer 1-based
---@field col integer bytes

---@type {Insstart: acp.Begin, Insstart_orig: acp.Begin}|false|nil nil: not looked for yet
local program

---@return {Insstart: acp.Begin, Insstart_orig: acp.Begin}|false
local function look()
  local ok, ffi = pcall(require, 'ffi')
  if not ok then
    return false -- a Neovim without LuaJIT
  end
  local found = pcall(function()
    ffi.cdef([[
      typedef struct { int32_t lnum; int32_t col; int32_t coladd; } acp_pos_T;
      extern acp_pos_T Insstart;
      extern acp_pos_T Insstart_orig;
    ]])
    return ffi.C.Insstart.lnum + ffi.C.Insstart_orig.lnum
  end)
  return found and ffi.C or false
end

---@param row integer 0-based
---@return string?
local function line(row)
  return vim.api.nvim_buf_get_lines(0, row, row + 1, false)[1]
end

---Where a place in a row is when the row has become another; nil if that cannot be said.
---@param old string
---@param new string
---@param col integer
---@return integer?
local function follow(old, new, col)
  if new:sub(1, col) == old:sub(1, col) then
    return col
  end
  local rest = old:sub(col + 1)
  return vim.endswith(new, rest) and #new - #rest or nil
end

---Calls fn, which changes the current buffer and tells where its rows are then. If its user
---inserts text, that is known to have begun where it did.
---@param fn fun(): acp.Moved?
---@return acp.Moved?
function M.keep(fn)
  if not vim.api.nvim_get_mode().mode:match('^i') then
    return fn()
  end
  program = program == nil and look() or program
  local began = program and { program.Insstart, program.Insstart_orig } or {}
  local noted = {} ---@type {at: acp.Begin, row: integer, text: string}[]
  for _, at in ipairs(began) do
    local text = at.lnum >= 1 and line(at.lnum - 1)
    if text and at.col >= 0 and at.col <= #text then
      noted[#noted + 1] = { at = at, row = at.lnum - 1, text = text }
    end
  end
  local moved = fn()
  for _, was in ipairs(moved and noted or {}) do
    local row, kept = moved(was.row)
    local now = kept and line(row)
    local col = now and follow(was.text, now, was.at.col)
    if col then
      was.at.lnum, was.at.col = row + 1, col
    end
  end
  return moved
end

return M
