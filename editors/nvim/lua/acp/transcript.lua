---A session's conversation in a buffer. Entries are blocks of lines, one under
---the other. Text that streams in is written at the end of its block, in slices
---that leave Neovim free for keys between them; no line is written twice.
local blocks = require('acp.blocks')
local config = require('acp.config')
local follow = require('acp.follow')
local markdown = require('acp.markdown')
local render = require('acp.render')
local util = require('acp.util')

---@class acp.Transcript
---@field buf integer
---@field session string
---@field agent string?
---@field blocks acp.Blocks
---@field by_terminal table<string, acp.Block>
---@field terminals table<string, {output: string, exit: table?}>
---@field queue table[] operations that wait
---@field head integer the first of them
---@field waiting boolean a slice is due
local T = {}
T.__index = T

local M = {}
local api = vim.api
local ns = api.nvim_create_namespace('acp.transcript')
local ns_tail = api.nvim_create_namespace('acp.transcript.tail')
M.ns = ns

---Milliseconds of work before keys are let through, and the pause for them. What
---comes during the pause is written together.
local slice, pause = 3, 10
---Bytes written at once.
local piece = 4096
---Output kept of one terminal.
local terminal_limit = 64 * 1024

---@type table<integer, acp.Transcript>
local by_buf = {}

---@param session string
---@return acp.Transcript
function M.new(session)
  local buf = api.nvim_create_buf(false, true)
  pcall(api.nvim_buf_set_name, buf, 'acp://session/' .. session)
  local bo = vim.bo[buf]
  bo.bufhidden, bo.buftype, bo.swapfile = 'hide', 'nofile', false
  bo.undolevels = -1
  bo.modifiable = false
  local self = setmetatable({
    buf = buf,
    session = session,
    blocks = blocks.new(),
    by_terminal = {},
    terminals = {},
    queue = {},
    head = 1,
    waiting = false,
  }, T)
  by_buf[buf] = self
  api.nvim_create_autocmd('BufWipeout', {
    buffer = buf,
    callback = function()
      by_buf[buf] = nil
    end,
  })
  util.keep_on_reload(buf, function()
    require('acp.session').read_anew(session)
  end)
  vim.bo[buf].filetype = 'acp-transcript'
  return self
end

---@param buf integer
---@return acp.Transcript?
function M.of(buf)
  return by_buf[buf]
end

---Whether its buffer still is what it was: the user may have deleted it.
---@return boolean
function T:alive()
  return api.nvim_buf_is_loaded(self.buf)
end

---@param row integer
---@param spans acp.Span[]
---@param space integer namespace
function T:paint(row, spans, space)
  for _, span in ipairs(spans) do
    if span[1] < span[2] then
      api.nvim_buf_set_extmark(self.buf, space, row, span[1], {
        end_col = span[2],
        hl_group = span[3],
        conceal = span[4],
      })
    end
  end
end

---Highlights the text lines of a block that are finished: all but the last one,
---unless the block is.
---@param block acp.Block
---@param all boolean?
function T:highlight(block, all)
  if not block.state then
    return
  end
  local first = block.row + block.gap + block.head + block.done
  local last = block.row + block.rows - (all and 0 or 1)
  if last <= first then
    return
  end
  local lines = api.nvim_buf_get_lines(self.buf, first, last, false)
  for i, line in ipairs(lines) do
    local row = first + i - 1
    local opened = block.state.first
    local spans, kind, code = markdown.line(block.state, line, row)
    self:paint(row, spans, ns)
    if kind == 'code' then
      block.code_mark = api.nvim_buf_set_extmark(self.buf, ns, opened, 0, {
        id = block.code_mark,
        end_row = row + 1,
        hl_group = 'AcpCode',
        hl_eol = true,
        priority = 90,
        strict = false,
      })
    elseif code and block.code_mark then
      self:push({ op = 'code', mark = block.code_mark, lang = code })
      block.code_mark = nil
    end
  end
  block.done = block.done + #lines
end

---Highlights the unfinished last line of the newest block, for the time being.
function T:highlight_tail()
  api.nvim_buf_clear_namespace(self.buf, ns_tail, 0, -1)
  local block = self.blocks:last()
  if not block or not block.state or block.rows == 0 then
    return
  end
  local row = block.row + block.rows - 1
  if row < block.row + block.gap + block.head + block.done then
    return
  end
  local line = api.nvim_buf_get_lines(self.buf, row, row + 1, false)[1] or ''
  if #line > 2000 then
    return
  end
  local spans = markdown.line(vim.deepcopy(block.state), line, row)
  self:paint(row, spans, ns_tail)
end

---Writes text at the end of a block.
---@param block acp.Block
---@param text string
function T:append(block, text)
  block.pieces[#block.pieces + 1] = text
  block.size = block.size + #text
  if block.kind == 'thought' and not block.open then
    return
  end
  local lines = vim.split(text, '\n', { plain = true })
  local row = block.row + block.rows - 1
  local line = api.nvim_buf_get_lines(self.buf, row, row + 1, false)[1]
  api.nvim_buf_set_text(self.buf, row, #line, row, #line, lines)
  self.blocks:grow(block, #lines - 1)
  self:highlight(block, block.closed)
end

---@param block acp.Block
---@return boolean
local function is_text(block)
  return block.kind == 'agent' or block.kind == 'thought' and block.open
end

---Writes all of a block anew.
---@param block acp.Block
function T:redraw(block)
  local out = render.block(self, block)
  local lines = {}
  if block.gap == 1 then
    lines[1] = ''
  end
  vim.list_extend(lines, out.lines)
  local first, last = block.row, block.row + block.rows
  if block.index == 1 and block.rows == 0 then
    last = api.nvim_buf_line_count(self.buf) -- the empty line of an empty buffer
  end
  api.nvim_buf_clear_namespace(self.buf, ns, block.row, block.row + block.rows)
  api.nvim_buf_set_lines(self.buf, first, last, false, lines)
  self.blocks:grow(block, #lines - block.rows)
  local top = block.row + block.gap
  for _, mark in ipairs(out.marks) do
    local opts = vim.deepcopy(mark[3])
    if opts.end_row then
      opts.end_row = opts.end_row + top
    end
    api.nvim_buf_set_extmark(self.buf, ns, top + mark[1], mark[2], opts)
  end
  block.actions, block.action = {}, out.action
  for row, action in pairs(out.actions) do
    block.actions[row + block.gap] = action
  end
  block.head = out.head
  block.done, block.code_mark = 0, nil
  block.state = is_text(block) and markdown.new() or nil
  if block.state then
    self:highlight(block, block.closed)
  end
end

---@param entry table
---@return acp.Block
function T:add(entry)
  local before = self.blocks:last()
  if before then
    self:close(before)
  end
  local block = self.blocks:add(entry)
  block.open = entry.kind == 'thought' and config.get().chat.thoughts
  return block
end

---The newest block is not the newest any more: its last line is finished.
---@param block acp.Block
function T:close(block)
  if block.closed then
    return
  end
  block.closed = true
  if block.kind == 'thought' then -- its first line says whether it goes on
    self:redraw(block)
  elseif block.state then
    self:highlight(block, true)
  end
end

---@param entry table
function T:apply_entry(entry)
  local block = self.blocks.by_id[entry.id]
  if not block then
    block = self:add(entry)
    if entry.text and entry.text ~= '' then
      block.pieces, block.size = { entry.text }, #entry.text
    end
    self:link_terminals(block)
    self:redraw(block)
    return
  end
  local old = block.entry
  block.entry = entry
  if entry.text and (block.kind == 'agent' or block.kind == 'thought') then
    if #entry.text == block.size and table.concat(block.pieces) == entry.text then
      return -- it is all there
    end
  end
  if entry.text then
    block.pieces, block.size = { entry.text }, #entry.text
  end
  -- a question that has just been answered folds into one line
  if old.kind ~= entry.kind then
    block.kind = entry.kind
  end
  self:link_terminals(block)
  self:redraw(block)
end

---@param id string
function T:take_out(id)
  local block = self.blocks.by_id[id]
  if not block then
    return
  end
  api.nvim_buf_clear_namespace(self.buf, ns, block.row, block.row + block.rows)
  api.nvim_buf_set_lines(self.buf, block.row, block.row + block.rows, false, {})
  local behind = self.blocks:remove(block)
  if behind then
    self:redraw(behind)
  end
end

---@param block acp.Block
function T:link_terminals(block)
  local tool = block.entry.tool
  for _, content in ipairs(tool and tool.content or {}) do
    if content.terminal then
      self.by_terminal[content.terminal] = block
    end
  end
end

---@param op table
function T:push(op)
  if self:alive() then
    self.queue[#self.queue + 1] = op
  end
end

---Does what waits, for a few milliseconds; the rest after a pause.
function T:pump()
  if self.waiting or self.head > #self.queue or not self:alive() then
    return
  end
  self.waiting = true
  vim.defer_fn(function()
    self.waiting = false
    self:pump()
  end, pause)
  local started = vim.uv.hrtime()
  local wins = follow.windows(self.buf)
  local count = api.nvim_buf_line_count(self.buf)
  local bo = vim.bo[self.buf]
  bo.modifiable = true
  local ok, err
  repeat
    ok, err = pcall(self.step, self)
  until not ok or self.head > #self.queue or (vim.uv.hrtime() - started) / 1e6 > slice
  if ok then
    ok, err = pcall(self.highlight_tail, self)
  end
  bo.modifiable = false
  follow.go(self.buf, wins, count)
  if self.head > #self.queue then
    self.queue, self.head = {}, 1
  end
  if not ok then
    error(err, 0)
  end
end

---Does one thing, or one piece of a long one.
function T:step()
  local op = self.queue[self.head]
  if op.op == 'chunk' then
    op.text = op.text or table.concat(op.parts)
    local text = op.text
    local from = op.from or 1
    local to = from + piece - 1
    if to < #text then
      while to > from and text:byte(to + 1) >= 0x80 and text:byte(to + 1) < 0xC0 do
        to = to - 1 -- not within a character
      end
      op.from = to + 1
    else
      to = #text
      self.head = self.head + 1
    end
    local block = self.blocks.by_id[op.id]
    if not block then
      block = self:add({ id = op.id, kind = 'agent' })
      self:redraw(block)
    end
    self:append(block, text:sub(from, to))
    return
  end
  self.head = self.head + 1
  if op.op == 'entry' then
    self:apply_entry(op.entry)
  elseif op.op == 'remove' then
    self:take_out(op.id)
  elseif op.op == 'redraw' then
    op.block.dirty = false
    self:redraw(op.block)
  elseif op.op == 'code' then
    render.code(self.buf, ns, op.mark, op.lang)
  elseif op.op == 'finish' then
    local last = self.blocks:last()
    if last then
      self:close(last)
    end
  elseif op.op == 'interrupt' then
    for _, block in ipairs(self.blocks.list) do
      if blocks.interrupt(block) then
        self:redraw(block)
      end
    end
  end
end

---@param entry table Entry of the contract
function T:entry(entry)
  self:push({ op = 'entry', entry = entry })
  self:pump()
end

---Takes an entry out that is not true any more.
---@param id string
function T:remove(id)
  self:push({ op = 'remove', id = id })
  self:pump()
end

---Starts over, with all entries there have been.
---@param entries table[]
function T:replace(entries)
  if not self:alive() then
    return
  end
  self.blocks, self.by_terminal = blocks.new(), {}
  self.queue, self.head = {}, 1
  local bo = vim.bo[self.buf]
  bo.modifiable = true
  api.nvim_buf_clear_namespace(self.buf, ns, 0, -1)
  api.nvim_buf_set_lines(self.buf, 0, -1, false, {})
  bo.modifiable = false
  for _, entry in ipairs(entries) do
    self:push({ op = 'entry', entry = entry })
  end
  self:pump()
end

---@param id string
---@param text string
function T:chunk(id, text)
  local last = self.queue[#self.queue]
  if last and last.op == 'chunk' and last.id == id and not last.text then
    last.parts[#last.parts + 1] = text
  else
    self:push({ op = 'chunk', id = id, parts = { text } })
  end
  self:pump()
end

---The turn is over: nothing is unfinished any more.
function T:finish()
  self:push({ op = 'finish' })
  self:pump()
end

---Nobody goes on with what is under way, or waits for an answer.
function T:interrupt()
  self:finish()
  self:push({ op = 'interrupt' })
  self:pump()
end

---@param block acp.Block
function T:refresh(block)
  if not block.dirty then
    block.dirty = true
    self:push({ op = 'redraw', block = block })
    self:pump()
  end
end

---@param id string
---@param output string
---@param exit table?
function T:terminal(id, output, exit)
  local terminal = self.terminals[id] or { output = '' }
  self.terminals[id] = terminal
  terminal.output = (terminal.output .. output):sub(-terminal_limit)
  terminal.exit = exit or terminal.exit
  local block = self.by_terminal[id]
  if block and not block.timer then
    block.timer = true
    vim.defer_fn(function()
      block.timer = nil
      self:refresh(block)
    end, 100)
  end
end

---Folds or unfolds the block at a row.
---@param row integer 0-based
---@return boolean
function T:toggle(row)
  local block = self.blocks:at(row)
  if not block or not (block.kind == 'thought' or block.kind == 'tool') then
    return false
  end
  block.open = not block.open
  self:refresh(block)
  return true
end

---What <CR> does at a row. A question that has only just come takes no answer: the
---key may have been meant for what was there before.
---@param row integer 0-based
---@return table?
function T:action(row)
  local block = self.blocks:at(row)
  if not block then
    return
  end
  local action = block.actions[row - block.row] or block.action
  local young = vim.uv.now() - block.since < config.get().permission.guard
  return not (action and action.answer and young) and action or nil
end

return M
