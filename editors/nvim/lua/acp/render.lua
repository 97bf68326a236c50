---How the entries of a transcript look: lines, their highlights, and what <CR>
---does on them. Nothing here writes to a buffer but code().
local util = require('acp.util')

local M = {}

---@class acp.Rendered
---@field lines string[]
---@field marks table[] {row, col, extmark options}, rows within the block
---@field actions table<integer, table> row -> what <CR> does there
---@field action table? what it does on the other rows
---@field head integer rows before the text

---@return acp.Rendered
local function new()
  return { lines = {}, marks = {}, actions = {}, head = 0 }
end

---Adds a line made of {text, group} chunks.
---@param out acp.Rendered
---@param chunks {[1]: string, [2]: string?}[]
local function add(out, chunks)
  local row, col, text = #out.lines, 0, ''
  for _, chunk in ipairs(chunks) do
    local part = chunk[1]:gsub('[\n\r]', ' ')
    text = text .. part
    if chunk[2] and part ~= '' then
      out.marks[#out.marks + 1] = { row, col, { end_col = col + #part, hl_group = chunk[2] } }
    end
    col = col + #part
  end
  out.lines[row + 1] = text
end

---@param out acp.Rendered
---@param text string
---@param group string?
---@param indent string?
local function text_lines(out, text, group, indent)
  for _, l in ipairs(util.lines(text)) do
    add(out, { { (indent or '') .. l, group } })
  end
end

local icons = {
  pending = { '○', 'AcpPending' },
  in_progress = { '●', 'AcpRunning' },
  completed = { '✓', 'AcpDone' },
  failed = { '✗', 'AcpFailed' },
  cancelled = { '■', 'AcpDim' }, -- with its turn
  interrupted = { '■', 'AcpFailed' }, -- our own: acp-ls has ended
}

---Lines added and removed by a diff, for small texts.
---@param content table ToolContent of type diff
---@return integer?, integer?
local function diffstat(content)
  local old, new_text = content.oldText or '', content.newText or ''
  if #old + #new_text > 100 * 1024 then
    return
  end
  local diff = vim.text and vim.text.diff or vim.diff
  local added, removed = 0, 0
  for _, hunk in
    ipairs(diff(old, new_text, { result_type = 'indices' }) --[[@as integer[][] ]])
  do
    removed, added = removed + hunk[2], added + hunk[4]
  end
  return added, removed
end

---@param out acp.Rendered
---@param content table
local function diff_lines(out, content)
  local old, new_text = content.oldText or '', content.newText or ''
  if #old + #new_text > 100 * 1024 then
    add(out, { { '    (a large change: see the file)', 'AcpDim' } })
    return
  end
  local diff = vim.text and vim.text.diff or vim.diff
  local unified = diff(old, new_text, { ctxlen = 2 }) --[[@as string]]
  for _, l in ipairs(util.lines(unified)) do
    local sign = l:sub(1, 1)
    if sign == '+' then
      add(out, { { '    ' .. l, 'AcpAdded' } })
    elseif sign == '-' then
      add(out, { { '    ' .. l, 'AcpDeleted' } })
    elseif sign ~= '\\' then
      add(out, { { '    ' .. l, 'AcpDim' } })
    end
  end
end

---The text of a terminal's output, without escape sequences. What follows a
---carriage return is written over what was there.
---@param output string
---@return string[]
function M.plain(output)
  output = output
    :gsub('\27%][^\7\27]*\7', '')
    :gsub('\27%][^\27]*\27\\', '')
    :gsub('\27%[[0-9;?<=>]*[@-~]', '')
    :gsub('\27[@-Z\\-_]', '')
    :gsub('\r+\n', '\n')
    :gsub('\n$', '')
  if output == '' then
    return {}
  end
  local lines = vim.split(output, '\n', { plain = true })
  for i, line in ipairs(lines) do
    lines[i] = (line:match('([^\r]*)\r*$'):gsub('[%z\1-\8\11-\31\127]', ''))
  end
  return lines
end

local shown_output = 200

---@param out acp.Rendered
---@param transcript acp.Transcript
---@param id string
local function terminal_lines(out, transcript, id)
  local terminal = transcript.terminals[id]
  if not terminal then
    return
  end
  local lines = M.plain(terminal.output)
  if #lines > shown_output then
    add(out, { { ('    … %d lines above'):format(#lines - shown_output), 'AcpDim' } })
    lines = vim.list_slice(lines, #lines - shown_output + 1)
  end
  for _, l in ipairs(lines) do
    add(out, { { '    ' .. l, 'AcpDim' } })
  end
  local exit = terminal.exit
  if exit and (exit.signal or (exit.exitCode or 0) ~= 0) then
    local how = exit.signal and 'signal ' .. exit.signal or 'exit code ' .. exit.exitCode
    add(out, { { '    ' .. how, 'AcpFailed' } })
  end
end

---The place a tool call works at.
---@param tool table
---@return {path: string, line: integer?}?
local function place(tool)
  local location = tool.locations and tool.locations[1]
  if location then
    return location
  end
  for _, content in ipairs(tool.content or {}) do
    if content.type == 'diff' and content.path then
      return { path = content.path }
    end
  end
end

---@param out acp.Rendered
---@param transcript acp.Transcript
---@param block acp.Block
local function tool(out, transcript, block)
  local call = block.entry.tool or {}
  local icon = icons[call.status] or icons.pending
  local at = place(call)
  local title = (call.title and call.title ~= '') and call.title or call.name or call.kind or 'tool'
  title = util.lines(title)[1] or title
  local chunks = { { icon[1] .. ' ', icon[2] }, { title, 'AcpTool' } }
  if at then
    local short = util.short_path(at.path)
    local suffix = (at.line or 0) > 0 and ':' .. at.line or ''
    local named = title:find(short, 1, true) or title:find(at.path, 1, true)
    if not named then
      chunks[#chunks + 1] = { ' ' .. short .. suffix, 'AcpPlace' }
    elseif suffix ~= '' and not title:find(suffix, 1, true) then
      local ends = vim.endswith(title, short) or vim.endswith(title, at.path)
      chunks[#chunks + 1] = { (ends and '' or ' ') .. suffix, 'AcpPlace' }
    end
  end
  local details = false
  for _, content in ipairs(call.content or {}) do
    details = true
    if content.type == 'diff' then
      local added, removed = diffstat(content)
      if added then
        chunks[#chunks + 1] = { ('  +%d'):format(added), 'AcpAddedSign' }
        chunks[#chunks + 1] = { (' −%d'):format(removed), 'AcpDeletedSign' }
      end
    end
  end
  if details and not block.open then
    chunks[#chunks + 1] = { '  ▸', 'AcpDim' }
  end
  add(out, chunks)
  if at then
    out.action = { jump = at }
  elseif details then
    out.action = { toggle = true }
  end
  if not block.open then
    return
  end
  if call.command and call.command ~= '' and not title:find(call.command, 1, true) then
    text_lines(out, call.command, 'AcpInlineCode', '    $ ')
  end
  for _, content in ipairs(call.content or {}) do
    if content.type == 'diff' then
      diff_lines(out, content)
    elseif content.type == 'terminal' and content.terminal then
      terminal_lines(out, transcript, content.terminal)
    elseif content.text then
      text_lines(out, content.text, 'AcpDim', '    ')
    end
  end
end

---@param out acp.Rendered
---@param block acp.Block
local function thought(out, block)
  local text = table.concat(block.pieces)
  local words = block.closed and 'Thought' or 'Thinking'
  add(out, { { block.open and '▾ ' or '▸ ', 'AcpDim' }, { words, 'AcpThought' } })
  out.action = { toggle = true }
  if block.open then
    out.head = 1
    local lines = vim.split(text, '\n', { plain = true })
    for _, l in ipairs(lines) do
      add(out, { { l, 'AcpThought' } })
    end
  end
end

local steps = {
  completed = { '✓', 'AcpDone' },
  in_progress = { '●', 'AcpRunning' },
  pending = { '○', 'AcpPending' },
}

---@param out acp.Rendered
---@param block acp.Block
local function plan(out, block)
  add(out, { { 'Plan', 'AcpTitle' } })
  for _, item in ipairs(block.entry.plan or {}) do
    local icon = steps[item.status] or steps.pending
    local group = item.status == 'completed' and 'AcpDim' or nil
    add(out, { { '  ' .. icon[1] .. ' ', icon[2] }, { item.content or '', group } })
  end
end

---@param out acp.Rendered
---@param block acp.Block
local function permission(out, block)
  local entry = block.entry
  local question = entry.question or {}
  local title = question.toolCall and question.toolCall.title or 'permission'
  if entry.answer and entry.answer ~= '' then
    add(out, {
      { '? ', 'AcpDim' },
      { (util.lines(title)[1] or title) .. ': ', 'AcpDim' },
      { entry.answer, 'AcpNotice' },
    })
    return
  end
  add(
    out,
    { { '? ', 'AcpQuestion' }, { (question.agent or 'The agent') .. ' asks', 'AcpQuestion' } }
  )
  text_lines(out, question.message or title, nil, '  ')
  for i, option in ipairs(question.options or {}) do
    out.actions[#out.lines] =
      { answer = { id = question.id, option = option.optionId or option.id } }
    add(out, { { ('  %d '):format(i), 'AcpKey' }, { option.name or option.optionId, 'AcpOption' } })
  end
end

---@param transcript acp.Transcript
---@param block acp.Block
---@return acp.Rendered
function M.block(transcript, block)
  local out = new()
  local entry = block.entry
  if block.kind == 'tool' then
    tool(out, transcript, block)
  elseif block.kind == 'thought' then
    thought(out, block)
  elseif block.kind == 'plan' then
    plan(out, block)
  elseif block.kind == 'permission' then
    permission(out, block)
  elseif block.kind == 'user' then
    text_lines(out, entry.text or '')
    if #out.lines == 0 then
      out.lines[1] = ''
    end
    for row = 0, #out.lines - 1 do
      out.marks[#out.marks + 1] = { row, 0, { line_hl_group = 'AcpUser' } }
      out.marks[#out.marks + 1] = {
        row,
        0,
        {
          virt_text = { { row == 0 and '❯ ' or '  ', 'AcpUserMark' } },
          virt_text_pos = 'inline',
          right_gravity = false,
        },
      }
    end
  elseif block.kind == 'error' then
    local lines = util.lines(entry.text or 'error')
    for i, l in ipairs(lines) do
      add(out, { { (i == 1 and '✗ ' or '  ') .. l, 'AcpError' } })
    end
  elseif block.kind == 'notice' then
    local text = entry.text or ''
    if entry.restart then -- what it tells of only that ends
      text = ('%s (:Acp restart %s)'):format(text, entry.restart)
    end
    for i, l in ipairs(util.lines(text)) do
      add(out, { { (i == 1 and '· ' or '  ') .. l, 'AcpNotice' } })
    end
  else
    out.lines = vim.split(table.concat(block.pieces), '\n', { plain = true })
  end
  if #out.lines == 0 then
    out.lines[1] = ''
  end
  return out
end

---Longest code block that a parser is asked about, in bytes.
local code_limit = 8 * 1024

---Highlights a finished code block as its language, if Neovim has a parser for it.
---@param buf integer
---@param ns integer
---@param mark integer extmark over its lines
---@param name string what the fence says
function M.code(buf, ns, mark, name)
  local at = vim.api.nvim_buf_get_extmark_by_id(buf, ns, mark, { details = true })
  if name == '' or not at[1] then
    return
  end
  local first, last = at[1], at[3].end_row
  local text = table.concat(vim.api.nvim_buf_get_lines(buf, first, last, false), '\n')
  local lang = vim.treesitter.language.get_lang(name) or name
  local ok, added = pcall(vim.treesitter.language.add, lang)
  if #text > code_limit or not ok or added == false then
    return
  end
  pcall(function()
    local query = vim.treesitter.query.get(lang, 'highlights')
    local tree = vim.treesitter.get_string_parser(text, lang):parse()[1]
    for id, node in query:iter_captures(tree:root(), text) do
      local capture = query.captures[id]
      if not capture:match('^_') and not capture:match('^n?o?spell$') then
        local row, col, end_row, end_col = node:range()
        vim.api.nvim_buf_set_extmark(buf, ns, first + row, col, {
          end_row = first + end_row,
          end_col = end_col,
          hl_group = ('@%s.%s'):format(capture, lang),
          priority = 100,
          strict = false,
        })
      end
    end
  end)
end

return M
