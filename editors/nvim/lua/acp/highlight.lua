local M = {}

---Groups and what they look like unless a colour scheme or the user says otherwise.
M.groups = {
  -- hunks in code
  AcpAdded = 'DiffAdd',
  AcpDeleted = 'DiffDelete',
  AcpMixed = 'DiffChange',
  AcpConflict = 'DiffText',
  AcpProposed = 'DiffAdd',
  AcpAddedSign = 'Added',
  AcpDeletedSign = 'Removed',
  AcpMixedSign = 'Changed',
  AcpConflictSign = 'DiagnosticWarn',
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
  AcpCode = 'ColorColumn',
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

local function define()
  for name, group in pairs(M.groups) do
    local def = type(group) == 'table' and vim.deepcopy(group) or { link = group }
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
