---The blocks of a transcript: which rows of the buffer belong to which entry.
---@class acp.Blocks
---@field list acp.Block[] in order, without a row between them
---@field by_id table<string, acp.Block>
local B = {}
B.__index = B

---@class acp.Block
---@field id string
---@field kind string
---@field entry table Entry of the contract
---@field index integer place among the blocks
---@field row integer first row, 0-based
---@field rows integer with the gap
---@field gap 0|1 empty rows above it
---@field closed boolean no more text is expected
---@field open boolean unfolded
---@field dirty boolean? a redraw waits
---@field since number when it came (vim.uv.now)
---@field pieces string[] text so far
---@field size integer bytes of them
---@field head integer rows above the text (the fold line of a thought)
---@field state acp.MarkdownState?
---@field done integer rows of the text that are highlighted for good
---@field actions table<integer, table> row within the block -> what <CR> does there
---@field action table? what it does on the other rows
---@field code_mark integer? extmark of the code block that is open

local M = {}

---@return acp.Blocks
function M.new()
  return setmetatable({ list = {}, by_id = {} }, B)
end

---Kinds that stand close together.
local compact = { tool = true, thought = true, notice = true }

---@param kind string
---@param before acp.Block?
---@return 0|1 # empty rows between them
local function gap(kind, before)
  return before and not (compact[before.kind] and compact[kind]) and 1 or 0
end

---Adds a block without rows at the end.
---@param entry table
---@return acp.Block
function B:add(entry)
  local before = self:last()
  ---@type acp.Block
  local block = {
    id = entry.id,
    kind = entry.kind,
    entry = entry,
    index = #self.list + 1,
    row = before and before.row + before.rows or 0,
    rows = 0,
    gap = gap(entry.kind, before),
    closed = false,
    open = false,
    since = vim.uv.now(),
    pieces = {},
    size = 0,
    head = 0,
    done = 0,
    actions = {},
  }
  self.list[block.index] = block
  self.by_id[entry.id] = block
  return block
end

---Takes a block out, whose rows are gone.
---@param block acp.Block
---@return acp.Block? # the one behind it, which is to be drawn anew
function B:remove(block)
  self:grow(block, -block.rows)
  table.remove(self.list, block.index)
  self.by_id[block.id] = nil
  for i = block.index, #self.list do
    self.list[i].index = i
  end
  local behind = self.list[block.index]
  if behind then
    behind.gap = gap(behind.kind, self.list[block.index - 1])
  end
  return behind
end

---@return acp.Block?
function B:last()
  return self.list[#self.list]
end

---Tells that a block has so many rows more, or fewer.
---@param block acp.Block
---@param delta integer
function B:grow(block, delta)
  block.rows = block.rows + delta
  if delta ~= 0 then
    for i = block.index + 1, #self.list do
      self.list[i].row = self.list[i].row + delta
    end
  end
end

---The block a row belongs to.
---@param row integer 0-based
---@return acp.Block?
function B:at(row)
  local low, high = 1, #self.list
  while low <= high do
    local mid = math.floor((low + high) / 2)
    local block = self.list[mid]
    if row < block.row then
      high = mid - 1
    elseif row >= block.row + block.rows then
      low = mid + 1
    else
      return block
    end
  end
end

---The row of the next or previous prompt of the user.
---@param row integer
---@param step 1|-1
---@return integer?
function B:turn(row, step)
  local from, to = 1, #self.list
  if step < 0 then
    from, to = to, from
  end
  for i = from, to, step do
    local block = self.list[i]
    local top = block.row + block.gap
    if block.kind == 'user' and (step > 0 and top > row or step < 0 and top < row) then
      return top
    end
  end
end

---Ends what a block shows as under way, or asks.
---@param block acp.Block
---@return boolean # whether it was
function M.interrupt(block)
  local entry = block.entry
  if block.kind == 'tool' and entry.tool then
    local status = entry.tool.status
    if status == 'pending' or status == 'in_progress' then
      entry.tool.status = 'interrupted'
      return true
    end
  elseif block.kind == 'permission' and (entry.answer or '') == '' then
    entry.answer = 'not answered'
    return true
  end
  return false
end

return M
