---What the user looks at and does (acp/editor), and programs that need the
---user's hands (acp/run).
local client = require('acp.client')
local util = require('acp.util')

local M = {}

---@type number?
local last_key
---@type number?
local last_undo

---Keys that undo and redo, among other things.
local undoes = { u = true, U = true, ['\18'] = true, ['-'] = true, ['+'] = true }

---Notes when the user last typed. Costs one call a key, only while acp-ls runs.
function M.watch_keys()
  vim.on_key(function(key)
    last_key = vim.uv.now()
    if undoes[key] then
      last_undo = last_key
    end
  end, vim.api.nvim_create_namespace('acp.keys'))
end

---Milliseconds since the user last typed what may have been undo or redo.
---@return number
function M.since_undone()
  return last_undo and vim.uv.now() - last_undo or math.huge
end

---Milliseconds since the user last typed.
---@return number
function M.since_typed()
  return last_key and vim.uv.now() - last_key or math.huge
end

---@type integer? window of the file last worked on
local last_win

function M.track()
  vim.api.nvim_create_autocmd('WinLeave', {
    group = vim.api.nvim_create_augroup('acp.editor', {}),
    callback = function()
      local win = vim.api.nvim_get_current_win()
      if util.is_file_buffer(vim.api.nvim_win_get_buf(win)) then
        last_win = win
      end
    end,
  })
end

---A window with a file in it: the current one, the one last left, or any.
---@return integer?
function M.file_window()
  local function good(win)
    return win
      and vim.api.nvim_win_is_valid(win)
      and vim.api.nvim_win_get_config(win).relative == ''
      and util.is_file_buffer(vim.api.nvim_win_get_buf(win))
  end
  local current = vim.api.nvim_get_current_win()
  if good(current) then
    return current
  end
  if
    good(last_win)
    and vim.api.nvim_win_get_tabpage(last_win) == vim.api.nvim_get_current_tabpage()
  then
    return last_win
  end
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if good(win) then
      return win
    end
  end
end

---A window to show a file in: one with a file, else any ordinary one that is not
---of the chat, else a new one beside it.
---@return integer
function M.target_window()
  local win = M.file_window()
  if win then
    return win
  end
  for _, w in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local buf = vim.api.nvim_win_get_buf(w)
    local plain = vim.api.nvim_win_get_config(w).relative == '' and vim.bo[buf].buftype == ''
    if plain and not vim.wo[w].winfixbuf then
      return w
    end
  end
  return vim.api.nvim_open_win(vim.api.nvim_create_buf(true, false), false, {
    split = 'left',
    win = -1,
  })
end

---Shows a place of a file in a window for code, and goes there.
---@param path string
---@param line integer? 1-based
---@return boolean
function M.jump(path, line)
  local bufnr = vim.fn.bufadd(path)
  local win = M.target_window()
  vim.api.nvim_set_current_win(win)
  if vim.api.nvim_win_get_buf(win) ~= bufnr then
    local ok, err = pcall(vim.cmd.buffer, { bufnr, mods = { silent = true } })
    if not ok then
      util.warn(tostring(err):gsub('^.*(E%d+:)', '%1'))
      return false
    end
    vim.bo[bufnr].buflisted = true
  end
  if line and line > 0 then
    vim.cmd("normal! m'")
    vim.api.nvim_win_set_cursor(0, { math.min(line, vim.api.nvim_buf_line_count(0)), 0 })
    vim.cmd('normal! zv')
  end
  return true
end

---@param win integer
---@return table # the selection, or the cursor, as an LSP range
local function selection(win, encoding)
  local bufnr = vim.api.nvim_win_get_buf(win)
  local cursor = vim.api.nvim_win_get_cursor(win)
  local mode = vim.api.nvim_get_mode().mode
  if win == vim.api.nvim_get_current_win() and mode:match('^[vV\22]') then
    local from, to = vim.fn.getpos('v'), vim.fn.getpos('.')
    if from[2] > to[2] or from[2] == to[2] and from[3] > to[3] then
      from, to = to, from
    end
    if mode == 'V' then
      return {
        start = { line = from[2] - 1, character = 0 },
        ['end'] = { line = to[2], character = 0 },
      }
    end
    return vim.lsp.util.make_given_range_params(
      { from[2], from[3] - 1 },
      { to[2], to[3] - 1 },
      bufnr,
      encoding
    ).range
  end
  local line = vim.api.nvim_buf_get_lines(bufnr, cursor[1] - 1, cursor[1], false)[1] or ''
  local character = M.column(line, cursor[2], encoding)
  local at = { line = cursor[1] - 1, character = character }
  return { start = at, ['end'] = at }
end

---Column of a byte offset in the units of an encoding.
---@param line string
---@param byte integer
---@param encoding string
---@return integer
function M.column(line, byte, encoding)
  byte = math.min(byte, #line)
  if encoding == 'utf-8' then
    return byte
  end
  local utf32, utf16 = vim.str_utfindex(line, byte) -- luacheck: ignore
  return encoding == 'utf-32' and utf32 or utf16 --[[@as integer]]
end

---acp/editor
---@param _ table
---@param reply fun(result: table)
function M.on_editor(_, reply)
  local lsp = client.get()
  local encoding = lsp and lsp.offset_encoding or 'utf-16'
  local result = { visible = {} }
  local idle = M.since_typed()
  result.lastTyped = idle == math.huge and 2 ^ 31 or math.floor(idle)
  local win = M.file_window()
  if win then
    local info = vim.fn.getwininfo(win)[1]
    result.active = {
      uri = vim.uri_from_bufnr(vim.api.nvim_win_get_buf(win)),
      ranges = { selection(win, encoding) },
      viewport = {
        start = { line = info.topline - 1, character = 0 },
        ['end'] = { line = info.botline, character = 0 },
      },
    }
  end
  local seen = {}
  for _, w in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    local bufnr = vim.api.nvim_win_get_buf(w)
    if util.is_file_buffer(bufnr) and not seen[bufnr] then
      seen[bufnr] = true
      result.visible[#result.visible + 1] = vim.uri_from_bufnr(bufnr)
    end
  end
  reply(result)
end

---acp/run: a terminal below, which the user enters when ready. It is not
---entered for them: they may be in the middle of a word.
---@param params {title: string, command: string, args: string[]?, env: table?, cwd: string?}
---@param reply fun(result: table?)
function M.on_run(params, reply)
  local bufnr = vim.api.nvim_create_buf(false, true)
  local ok, win =
    pcall(vim.api.nvim_open_win, bufnr, false, { split = 'below', win = -1, height = 12 })
  if not ok then
    util.warn('no room for a terminal: ' .. tostring(win))
    return reply({ exitCode = -1 })
  end
  vim.wo[win].winbar = ('%%#AcpTitle# %s %%#AcpDim# click or go here, then type i'):format(
    util.escape_statusline(params.title or params.command)
  )
  local cmd = { params.command }
  vim.list_extend(cmd, params.args or {})
  local opts = {
    cwd = params.cwd,
    env = params.env and next(params.env) and params.env or nil,
    on_exit = function(_, code)
      reply({ exitCode = code })
    end,
  }
  local job
  ok, job = pcall(vim.api.nvim_buf_call, bufnr, function()
    if vim.fn.has('nvim-0.11') == 1 then
      opts.term = true
      return vim.fn.jobstart(cmd, opts)
    end
    return vim.fn.termopen(cmd, opts)
  end)
  if not ok or job <= 0 then
    pcall(vim.api.nvim_win_close, win, true)
    util.warn(('%s cannot be run: is it installed?'):format(params.command))
    return reply({ exitCode = -1 })
  end
  util.notify(('%s needs you: go to the terminal below'):format(params.title or params.command))
end

return M
