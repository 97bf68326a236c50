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

---Whether messages go to the message line: nobody has put another vim.notify in
---place. (Neovim's own is compiled in, and comes from no file.)
---@return boolean
function M.default_notify()
  local source = debug.getinfo(vim.notify, 'S').source
  return not (source:match('^@[/~]') or source:match('^@%a:'))
end

---@type {text: string, level: integer}[] messages that wait to be shown
local messages = {}

---Shows what waits in the message line. Neovim would ask for a key, which the user
---may be typing, if a message were longer than that, if two came without the screen
---being drawn between them, or during a command line.
local function show_messages()
  if #messages == 0 then
    return
  end
  if vim.api.nvim_get_mode().mode:match('^[cr]') then
    vim.api.nvim_create_autocmd('ModeChanged', {
      once = true,
      callback = vim.schedule_wrap(show_messages),
    })
    return
  end
  local list = messages
  messages = {}
  local worst = list[1]
  for _, message in ipairs(list) do
    worst = message.level >= worst.level and message or worst
  end
  -- the message line also holds the ruler and pending keys, if they are shown
  local room = vim.v.echospace
  local more = #list > 1 and (' (+%d, see :Acp log)'):format(#list - 1) or ''
  local shown = M.truncate(worst.text, math.max(room - #more, 20))
  if #list == 1 and shown ~= worst.text then -- where the rest of it is
    more = ' (see :Acp log)'
    shown = M.truncate(worst.text, math.max(room - #more, 20))
  end
  for _, message in ipairs(list) do
    if message ~= worst or shown ~= message.text then
      vim.lsp.log.warn(message.text)
    end
  end
  vim.cmd.redraw()
  vim.notify(shown .. more, worst.level)
end

---Tells the user something, without ever taking a key.
---@param message string
---@param level integer?
function M.notify(message, level)
  message = 'acp: ' .. message:gsub('%s*\n%s*', ' ')
  level = level or vim.log.levels.INFO
  if not M.default_notify() then
    return vim.notify(message, level)
  end
  messages[#messages + 1] = { text = message, level = level }
  if #messages == 1 then
    vim.schedule(show_messages)
  end
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

---What two lines have in common at their start and at their end, in bytes. It does
---not end within a character.
---@param a string
---@param b string
---@return integer from
---@return integer back
function M.common(a, b)
  local limit = math.min(#a, #b)
  local from = 0
  while from < limit and a:byte(from + 1) == b:byte(from + 1) do
    from = from + 1
  end
  local back = 0
  while back < limit - from and a:byte(#a - back) == b:byte(#b - back) do
    back = back + 1
  end
  local function inside(line, at)
    local byte = line:byte(at + 1)
    return byte and byte >= 0x80 and byte < 0xC0
  end
  while from > 0 and (inside(a, from) or inside(b, from)) do
    from = from - 1
  end
  while back > 0 and (inside(a, #a - back) or inside(b, #b - back)) do
    back = back - 1
  end
  return from, back
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

---Bytes: of larger files acp-ls looks at no text.
local max_text = 2 ^ 20

---@param path string
---@return string? # what a file holds, if that is text
function M.file_text(path)
  local stat = vim.uv.fs_stat(path)
  local file = stat and stat.type == 'file' and stat.size <= max_text and io.open(path, 'rb')
  if not file then
    return nil
  end
  local text = file:read('*a')
  file:close()
  local odd = not text or text:gsub('[\194-\244][\128-\191]+', ''):find('[%z\128-\255]')
  return not odd and text or nil
end

---Lets a buffer that is no file keep its text when it is "read anew" (`:edit!`), as there is
---nothing to read it from.
---@param bufnr integer
---@param again fun()? called when that has happened
function M.keep_on_reload(bufnr, again)
  local lines ---@type string[]?
  vim.api.nvim_create_autocmd('BufUnload', {
    buffer = bufnr,
    callback = function()
      lines = vim.api.nvim_buf_get_lines(bufnr, 0, -1, false)
    end,
  })
  vim.api.nvim_create_autocmd('BufReadCmd', {
    buffer = bufnr,
    callback = function()
      local bo = vim.bo[bufnr]
      local modifiable = bo.modifiable
      bo.modifiable = true
      vim.api.nvim_buf_set_lines(bufnr, 0, -1, false, lines or {})
      bo.modifiable, bo.modified = modifiable, false
      if again then
        again()
      end
    end,
  })
end

---@param bufnr integer
---@return string? # bytes of its file; nil if that cannot be read
function M.file_bytes(bufnr)
  local file = io.open(vim.api.nvim_buf_get_name(bufnr), 'rb')
  local bytes = file and file:read('*a')
  if file then
    file:close()
  end
  return bytes
end

return M
