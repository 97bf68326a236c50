local M = {}

---Makes JSON's null nil, everywhere in a decoded message. (Neovim 0.10 decodes
---it to nil, later ones to vim.NIL.)
---@generic T
---@param value T
---@return T?
function M.denull(value)
  if value == vim.NIL then
    return nil
  end
  if type(value) == 'table' then
    for k, v in pairs(value) do
      if v == vim.NIL then
        value[k] = nil
      elseif type(v) == 'table' then
        M.denull(v)
      end
    end
  end
  return value
end

---Tells the user something. One line at most: a longer message would make
---Neovim wait for a key, and the user may be typing.
---@param message string
---@param level integer?
function M.notify(message, level)
  message = 'acp: ' .. message:gsub('%s*\n%s*', ' ')
  local source = debug.getinfo(vim.notify, 'S').source
  if source:find('_editor', 1, true) or source:find('_core', 1, true) then
    -- the message line also holds the ruler and pending keys
    local room = math.max(vim.o.columns - 24, 20)
    message = M.truncate(message, room)
  end
  vim.notify(message, level or vim.log.levels.INFO)
end

---@param message string
function M.warn(message)
  M.notify(message, vim.log.levels.WARN)
end

---Runs start(reply) and gives what reply is called with. The caller is a
---coroutine; it is suspended until then, without holding up Neovim.
---@param start fun(reply: fun(value: any))
---@return any
function M.await(start)
  local co = assert(coroutine.running(), 'await needs a coroutine')
  local done, waiting, value = false, false, nil
  start(function(v)
    if done then
      return
    end
    done, value = true, v
    if waiting then
      local ok, err = coroutine.resume(co)
      if not ok then
        error(err, 0)
      end
    end
  end)
  if not done then
    waiting = true
    coroutine.yield()
  end
  return value
end

---Expands tabs, for places where Neovim does not: virtual lines.
---@param line string
---@param tabstop integer
---@return string
function M.expand_tabs(line, tabstop)
  if not line:find('\t', 1, true) then
    return line
  end
  local width = 0
  return (
    line:gsub('([^\t]*)(\t?)', function(text, tab)
      width = width + vim.api.nvim_strwidth(text)
      if tab == '' then
        return text
      end
      local n = tabstop - width % tabstop
      width = width + n
      return text .. (' '):rep(n)
    end)
  )
end

---Splits text into lines; a final line end does not make another line.
---@param text string
---@return string[]
function M.lines(text)
  if text == '' then
    return {}
  end
  local lines = vim.split((text:gsub('\r\n?', '\n')), '\n', { plain = true })
  if lines[#lines] == '' then
    lines[#lines] = nil
  end
  return lines
end

---Cuts a text to a number of screen columns.
---@param text string
---@param width integer
---@return string
function M.truncate(text, width)
  if vim.api.nvim_strwidth(text) <= width then
    return text
  end
  local n = vim.fn.strchars(text)
  while n > 0 and vim.api.nvim_strwidth(vim.fn.strcharpart(text, 0, n)) > width - 1 do
    n = n - 1
  end
  return vim.fn.strcharpart(text, 0, n) .. '…'
end

---A URI in Neovim's own spelling: another program may escape other characters.
---@param uri string
---@return string
function M.normal_uri(uri)
  if not vim.startswith(uri, 'file:') then
    return uri
  end
  local ok, path = pcall(vim.uri_to_fname, uri)
  return ok and vim.uri_from_fname(path) or uri
end

---Path as the user would write it.
---@param path string
---@return string
function M.short_path(path)
  return vim.fn.fnamemodify(path, ':~:.')
end

---Text for a 'winbar' or 'statusline', where % is special.
---@param text string
---@return string
function M.escape_statusline(text)
  return (text:gsub('[%c]', ' '):gsub('%%', '%%%%'))
end

---Whether a buffer is a file the user edits.
---@param bufnr integer
---@return boolean
function M.is_file_buffer(bufnr)
  return vim.api.nvim_buf_is_loaded(bufnr)
    and vim.bo[bufnr].buftype == ''
    and vim.api.nvim_buf_get_name(bufnr) ~= ''
    and not vim.api.nvim_buf_get_name(bufnr):match('^%a[%w+.-]+://')
end

return M
