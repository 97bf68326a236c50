---What all language servers and linters say of the buffers (acp/diagnostics).
local client = require('acp.client')
local editor = require('acp.editor')
local util = require('acp.util')

local M = {}
local api = vim.api

---@param bufnr integer
---@param row integer 0-based
---@param byte integer
---@param encoding string
---@return {line: integer, character: integer}
local function position(bufnr, row, byte, encoding)
  local line = api.nvim_buf_is_loaded(bufnr)
    and api.nvim_buf_get_lines(bufnr, row, row + 1, false)[1]
  return { line = row, character = line and editor.column(line, byte, encoding) or byte }
end

---@param d vim.Diagnostic
---@param encoding string
---@return table # LSP's Diagnostic
local function to_lsp(d, encoding)
  local bufnr = d.bufnr --[[@as integer]]
  return {
    range = {
      start = position(bufnr, d.lnum, d.col, encoding),
      ['end'] = position(bufnr, d.end_lnum or d.lnum, d.end_col or d.col, encoding),
    },
    severity = d.severity,
    code = d.code,
    source = d.source,
    message = d.message,
  }
end

---@param uri string
---@return integer?
local function buffer(uri)
  uri = util.normal_uri(uri)
  for _, bufnr in ipairs(api.nvim_list_bufs()) do
    if api.nvim_buf_get_name(bufnr) ~= '' and vim.uri_from_bufnr(bufnr) == uri then
      return bufnr
    end
  end
end

---acp/diagnostics
---@param params {uri: string?}
---@param reply fun(result: table)
function M.on_diagnostics(params, reply)
  local bufnr = params.uri and buffer(params.uri)
  if params.uri and not bufnr then
    return reply({ items = {} })
  end
  local lsp = client.get()
  local encoding = lsp and lsp.offset_encoding or 'utf-16'
  local items, by_buf = {}, {}
  for _, d in ipairs(vim.diagnostic.get(bufnr)) do
    if d.source ~= 'acp' and api.nvim_buf_is_valid(d.bufnr) then -- ours acp-ls knows
      local item = by_buf[d.bufnr]
      if not item then
        item = { uri = params.uri or vim.uri_from_bufnr(d.bufnr), diagnostics = {} }
        by_buf[d.bufnr] = item
        items[#items + 1] = item
      end
      table.insert(item.diagnostics, to_lsp(d, encoding))
    end
  end
  reply({ items = items })
end

return M
