local M = {}

---Groups and what they look like unless a colour scheme or the user says otherwise.
M.groups = {
  -- hunks in code
  AcpAdded = 'DiffAdd',
  AcpDeleted = 'DiffDelete',
  AcpAddedText = 'DiffText',
  AcpDeletedText = 'DiffText',
  AcpMixed = 'DiffChange',
  AcpConflict = 'DiffText',
  AcpProposed = 'DiffAdd',
  AcpProposedOld = 'CursorLine',
  AcpAddedSign = 'Added',
  AcpDeletedSign = 'Removed',
  AcpMixedSign = 'Changed',
  AcpConflictSign = 'DiagnosticWarn',
  AcpProposedSign = 'DiagnosticInfo',
  AcpHint = 'Comment',
  AcpKey = 'Special',
  -- chat
  AcpUser = 'CursorLine',
  AcpUserMark = 'Statement',
  AcpTitle = 'Title',
  AcpDim = 'Comment',
  AcpThought = 'Comment',
  AcpTool = 'Normal',
  AcpPlace = 'Directory',
  AcpPending = 'Comment',
  AcpRunning = 'DiagnosticInfo',
  AcpDone = 'DiagnosticOk',
  AcpFailed = 'DiagnosticError',
  AcpError = 'DiagnosticError',
  AcpNotice = 'Comment',
  AcpQuestion = 'DiagnosticWarn',
  AcpOption = 'Identifier',
  AcpCode = 'CursorLine',
  AcpInlineCode = 'String',
  AcpHeading = 'Title',
  AcpBold = { bold = true },
  AcpItalic = { italic = true },
  AcpBullet = 'Special',
  AcpQuote = 'Comment',
  AcpLink = 'Underlined',
  AcpFence = 'Comment',
  AcpRule = 'NonText',
}

---Backgrounds made of the colour scheme's own: Normal's with some of another
---group's foreground. (The name of a group, then how much of it.)
local tints = {
  AcpAdded = { 'Added', 0.18 },
  AcpDeleted = { 'Removed', 0.18 },
  AcpAddedText = { 'Added', 0.42 },
  AcpDeletedText = { 'Removed', 0.42 },
  AcpMixed = { 'Changed', 0.16 },
  AcpConflict = { 'DiagnosticWarn', 0.2 },
  AcpProposed = { 'Added', 0.1 },
  AcpProposedOld = { 'Removed', 0.1 },
}

---@param from integer RGB
---@param to integer RGB
---@param share number
---@return integer
function M.mix(from, to, share)
  local result = 0
  for shift = 16, 0, -8 do
    local a = bit.band(bit.rshift(from, shift), 0xff)
    local b = bit.band(bit.rshift(to, shift), 0xff)
    result = bit.bor(result, bit.lshift(math.floor(a + (b - a) * share + 0.5), shift))
  end
  return result
end

local function define()
  local normal = vim.api.nvim_get_hl(0, { name = 'Normal', link = false })
  for name, group in pairs(M.groups) do
    local def = type(group) == 'table' and vim.deepcopy(group) or { link = group }
    local tint = tints[name]
    if tint and normal.bg then
      local source = vim.api.nvim_get_hl(0, { name = tint[1], link = false })
      if source.fg then
        local link = vim.api.nvim_get_hl(0, { name = group, link = false })
        def = { bg = M.mix(normal.bg, source.fg, tint[2]), ctermbg = link.ctermbg }
      end
    end
    def.default = true
    vim.api.nvim_set_hl(0, name, def)
  end
end

local done = false

function M.setup()
  if done then
    return
  end
  done = true
  define()
  vim.api.nvim_create_autocmd('ColorScheme', {
    group = vim.api.nvim_create_augroup('acp.highlight', {}),
    callback = define,
  })
end

return M
