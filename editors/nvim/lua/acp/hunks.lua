---Draws the hunks of one buffer: added lines highlighted, deleted ones as virtual
---lines where they stood, a hint at the first line.
local config = require('acp.config')
local util = require('acp.util')
local virtual = require('acp.virtual')

local M = {}
local api = vim.api
local ns = api.nvim_create_namespace('acp.hunks')
local ns_hint = api.nvim_create_namespace('acp.hunks.hint')
M.ns = ns

---@class acp.PlacedHunk
---@field hunk table Hunk of the contract
---@field index integer
---@field mark integer extmark that moves with the text: from the first row to past the last

---@class acp.Drawn
---@field placed acp.PlacedHunk[]
---@field topfill integer virtual lines above the first line
---@field total integer

---@type table<integer, acp.Drawn>
local drawn = {}

---Rows of a hunk: whole lines, end exclusive. An empty range is between lines.
---@param range table LSP range
---@param count integer lines of the buffer
---@return integer first
---@return integer last
function M.rows(range, count)
  local first, last = range.start.line, range['end'].line
  if range['end'].character > 0 then
    last = last + 1
  end
  first = math.min(first, count)
  return first, math.min(math.max(first, last), count)
end

---@class acp.Look
---@field lines string? group of the lines that stand
---@field virtual string group of the lines that do not
---@field sign string
---@field bar string? what stands in the sign column
---@field below boolean the virtual lines come after the standing ones

---@type table<string, acp.Look>
local looks = {
  pending = { lines = 'AcpAdded', virtual = 'AcpDeleted', sign = 'AcpAddedSign', below = false },
  mixed = { lines = 'AcpMixed', virtual = 'AcpDeleted', sign = 'AcpMixedSign', below = false },
  proposed = {
    lines = 'AcpProposedOld',
    virtual = 'AcpProposed',
    sign = 'AcpProposedSign',
    bar = '┆',
    below = true,
  },
  discarded = { virtual = 'AcpDim', sign = 'AcpDim', bar = '┆', below = true },
  conflict = {
    lines = 'AcpConflict',
    virtual = 'AcpAdded',
    sign = 'AcpConflictSign',
    below = true,
  },
}

---@param hunk table
---@return acp.Look
local function look(hunk)
  if hunk.state == 'pending' and hunk.mixed then
    return looks.mixed
  elseif hunk.state == 'proposed' and hunk.marked == 'discard' then
    return looks.discarded
  end
  return looks[hunk.state] or looks.pending
end

---@param hunk table
---@return string
function M.who(hunk)
  local names, seen = {}, {}
  for _, origin in ipairs(hunk.origins or {}) do
    local name = (origin.agent and origin.agent ~= '') and origin.agent or origin.author or '?'
    if origin.sure == false then
      name = name .. '?'
    end
    if (origin.title or ''):find('formatted on save', 1, true) then
      name = name .. ' (formatted on save)'
    end
    if not seen[name] then
      seen[name] = true
      names[#names + 1] = name
    end
  end
  return table.concat(names, ', ')
end

---Whether what a hunk takes and what it puts there differ in nothing that is shown.
---@param hunk table
---@return boolean
function M.only_line_ends(hunk)
  local old, new = hunk.baseText or '', hunk.text or ''
  return old ~= new and vim.deep_equal(util.lines(old), util.lines(new))
end

---@param placed acp.PlacedHunk
---@param total integer
---@return {[1]: string, [2]: string}[]
local function hint(placed, total)
  local hunk = placed.hunk
  local text = ('%d/%d %s'):format(placed.index, total, M.who(hunk))
  if hunk.state == 'conflict' then
    text = text .. ' conflict'
  elseif hunk.state == 'proposed' then
    text = text .. ' proposes'
  elseif hunk.mixed then
    text = text .. ' with your changes'
  elseif M.only_line_ends(hunk) then
    text = text .. ' line ends'
  end
  if hunk.committed then
    text = text .. ' committed'
  elseif hunk.marked then
    local words = { apply = 'applied', discard = 'discarded', both = 'both' }
    text = text .. ', ' .. (words[hunk.marked] or hunk.marked)
  end
  return { { '  ' .. text .. ' ', 'AcpHint' } }
end

---@param hunk table
---@return {[1]: string, [2]: string}[]
local function keys(hunk)
  local names = { 'accept', 'reject' }
  local words = { accept = 'accept', reject = 'reject' }
  if hunk.state == 'conflict' then
    names = { 'mine', 'theirs', 'both' }
    words = { mine = 'mine', theirs = 'theirs', both = 'both' }
  elseif hunk.state == 'proposed' then
    words = { accept = 'apply', reject = 'discard' }
  end
  local chunks = {}
  for _, name in ipairs(names) do
    local key = config.key('review', name)
    if key then
      chunks[#chunks + 1] = { (' %s'):format(key), 'AcpKey' }
      chunks[#chunks + 1] = { (' %s '):format(words[name]), 'AcpHint' }
    end
  end
  return chunks
end

---@param bufnr integer
function M.clear(bufnr)
  if drawn[bufnr] then
    drawn[bufnr] = nil
    if api.nvim_buf_is_valid(bufnr) then
      api.nvim_buf_clear_namespace(bufnr, ns, 0, -1)
      api.nvim_buf_clear_namespace(bufnr, ns_hint, 0, -1)
    end
  end
end

function M.clear_all()
  for _, bufnr in ipairs(vim.tbl_keys(drawn)) do
    M.clear(bufnr)
  end
end

---@param bufnr integer
---@param placed acp.PlacedHunk
---@param total integer
---@param count integer
---@return integer topfill
local function draw(bufnr, placed, total, count)
  local hunk = placed.hunk
  local style = look(hunk)
  local first, last = M.rows(hunk.range, count)
  local empty = last == first
  if count == 1 and api.nvim_buf_get_lines(bufnr, 0, 1, false)[1] == '' then
    empty = true -- the one line of an empty buffer is none of the text
  end
  placed.mark = api.nvim_buf_set_extmark(bufnr, ns, math.min(first, count - 1), 0, {
    end_row = last,
    hl_group = not empty and style.lines or nil,
    hl_eol = true,
    priority = 60,
    right_gravity = true,
    end_right_gravity = false,
    strict = false,
  })
  local above = hunk.state == 'pending' and hunk.baseText or hunk.text
  local stress = hunk.state == 'pending'
      and not hunk.mixed
      and virtual.differences(hunk, vim.bo[bufnr].fileformat)
    or nil
  local lines = virtual.lines(above or '', style.virtual, bufnr, stress and function(i)
    if stress[i] then
      return stress[i][1], stress[i][2]
    end
  end)
  for i, change in ipairs(stress or {}) do
    if change and change[3] > change[1] and first + i - 1 < last then
      api.nvim_buf_set_extmark(bufnr, ns, first + i - 1, change[1], {
        end_col = change[3],
        hl_group = 'AcpAddedText',
        priority = 61,
        strict = false,
      })
    end
  end
  local hints = hint(placed, total)
  if config.get().review.signs then
    api.nvim_buf_set_extmark(bufnr, ns, math.min(first, count - 1), 0, {
      end_row = math.max(last - 1, math.min(first, count - 1)),
      sign_text = empty and (first >= count and '▁' or '▔') or style.bar or '▎',
      sign_hl_group = empty and hunk.state == 'pending' and 'AcpDeletedSign' or style.sign,
      priority = 20,
      strict = false,
    })
  end
  local topfill = 0
  if #lines > 0 then
    local row, over
    if style.below and not empty then
      row, over = last - 1, false
    elseif first >= count then
      row, over = count - 1, false
    else
      row, over = first, true
    end
    if empty then -- the hint goes into the padding of the first virtual line
      local text, group = lines[1][1][1]:gsub('%s+$', ''), style.virtual
      lines[1] = {
        { text .. ' ', group },
        { hints[1][1], { group, hints[1][2] } },
        { (' '):rep(vim.o.columns), group },
      }
    end
    api.nvim_buf_set_extmark(bufnr, ns, row, 0, {
      virt_lines = lines,
      virt_lines_above = over,
      strict = false,
    })
    if over and row == 0 then
      topfill = #lines
    end
  end
  if not empty or #lines == 0 then
    api.nvim_buf_set_extmark(bufnr, ns, math.min(first, count - 1), 0, {
      virt_text = hints,
      virt_text_pos = 'eol',
      hl_mode = 'combine',
      priority = 200,
      strict = false,
    })
  end
  return topfill
end

---Neovim shows virtual lines above the first line of a buffer only if the window
---is told that it starts above it.
---@param bufnr integer
---@param win integer
function M.show_top(bufnr, win)
  local state = drawn[bufnr]
  if state and state.topfill > 0 then
    api.nvim_win_call(win, function()
      local view = vim.fn.winsaveview()
      if view.topline == 1 and view.topfill == 0 then
        vim.fn.winrestview({ topfill = state.topfill })
      end
    end)
  end
end

---@param file table Review.file of the contract
---@return string
function M.file_text(file)
  local words =
    { create = 'new file', delete = 'file deleted', rename = 'renamed', modify = 'changed' }
  local text = words[file.op] or file.op
  if file.op == 'rename' and file.from then
    text = text .. ' from ' .. util.short_path(file.from)
  elseif file.op == 'rename' and file.to and file.state ~= 'proposed' then
    text = text .. ' to ' .. util.short_path(file.to)
  elseif file.op == 'rename' and file.to then
    text = 'to be renamed to ' .. util.short_path(file.to)
  end
  if file.mode == '+bom' then
    text = 'byte order mark added'
  elseif file.mode == '-bom' then
    text = 'byte order mark removed'
  elseif file.opaque == 'link' and file.op == 'create' then
    text = 'new link to ' .. (file.to or '?')
  elseif file.opaque == 'link' and file.op == 'delete' then
    text = 'link deleted'
  elseif file.opaque == 'link' and file.op == 'modify' then
    text = file.to and 'became a link to ' .. file.to or 'was a link, and is a file now'
  elseif file.opaque == 'folder' then
    text = 'became a folder'
  elseif file.opaque == 'ends' then
    text = 'line ends changed'
  elseif file.opaque then
    text = text .. (' (%s, not shown)'):format(file.opaque)
  end
  return text
end

---@param bufnr integer
---@param review table Review of the contract
function M.draw(bufnr, review)
  M.clear(bufnr)
  local hunks = review.hunks or {}
  if #hunks == 0 and not review.file then
    return
  end
  local count = api.nvim_buf_line_count(bufnr)
  local state = { placed = {}, topfill = 0, total = #hunks }
  drawn[bufnr] = state
  for i, hunk in ipairs(hunks) do
    local placed = { hunk = hunk, index = i, mark = 0 }
    state.topfill = state.topfill + draw(bufnr, placed, #hunks, count)
    state.placed[i] = placed
  end
  if review.file and review.file.op ~= 'modify' then
    api.nvim_buf_set_extmark(bufnr, ns, 0, 0, {
      virt_text = { { ' ' .. M.file_text(review.file) .. ' ', 'AcpHint' } },
      virt_text_pos = 'right_align',
      strict = false,
    })
  end
  for _, win in ipairs(vim.fn.win_findbuf(bufnr)) do
    M.show_top(bufnr, win)
  end
  M.show_keys(bufnr)
end

---@param bufnr integer
---@param placed acp.PlacedHunk
---@return integer first row
---@return integer last row, exclusive
local function where(bufnr, placed)
  local at = api.nvim_buf_get_extmark_by_id(bufnr, ns, placed.mark, { details = true })
  if not at[1] then
    return 0, 0
  end
  local first, last = at[1], at[3].end_row or at[1]
  return first, math.max(last, first)
end

---The hunks in some rows; a hunk without rows counts for the row under it.
---@param bufnr integer
---@param from integer 0-based
---@param to integer inclusive
---@return acp.PlacedHunk[]
function M.at(bufnr, from, to)
  local state = drawn[bufnr]
  local result = {}
  for _, placed in ipairs(state and state.placed or {}) do
    local first, last = where(bufnr, placed)
    if first <= to and math.max(last - 1, first) >= from then
      result[#result + 1] = placed
    end
  end
  if #result == 0 and state then -- just above a deletion
    for _, placed in ipairs(state.placed) do
      local first, last = where(bufnr, placed)
      if first == last and first == to + 1 then
        result[#result + 1] = placed
      end
    end
  end
  return result
end

---First rows of the hunks, in order.
---@param bufnr integer
---@return integer[]
function M.starts(bufnr)
  local rows = {}
  for _, placed in ipairs(drawn[bufnr] and drawn[bufnr].placed or {}) do
    rows[#rows + 1] = (where(bufnr, placed))
  end
  return rows
end

---Shows the keys at the hunk under the cursor, and nowhere else.
---@param bufnr integer
function M.show_keys(bufnr)
  api.nvim_buf_clear_namespace(bufnr, ns_hint, 0, -1)
  if api.nvim_get_current_buf() ~= bufnr then
    return
  end
  local row = api.nvim_win_get_cursor(0)[1] - 1
  local placed = M.at(bufnr, row, row)[1]
  if placed then
    api.nvim_buf_set_extmark(bufnr, ns_hint, (where(bufnr, placed)), 0, {
      virt_text = keys(placed.hunk),
      virt_text_pos = 'eol',
      hl_mode = 'combine',
      priority = 201,
      strict = false,
    })
  end
end

---@param bufnr integer
---@return boolean
function M.drawn(bufnr)
  return drawn[bufnr] ~= nil
end

return M
