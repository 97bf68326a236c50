-- Loaded into the Neovim that is recorded. Attaches a language client to every
-- file, as the plugin of acp-ls does: on BufReadPost and BufNewFile, since
-- vim.lsp.enable is not in 0.10 and knows only buffers with a filetype.
local socket, root = ...

function Record_attach(buf)
  vim.lsp.start({
    name = 'record',
    cmd = vim.lsp.rpc.connect(socket),
    root_dir = root,
  }, { bufnr = buf })
end

vim.api.nvim_create_autocmd({ 'BufReadPost', 'BufNewFile' }, {
  callback = function(ev)
    if vim.bo[ev.buf].buftype == '' then
      Record_attach(ev.buf)
    end
  end,
})

-- The text of the current buffer as it would be written: what its lines, its
-- 'fileformat' and its 'endofline' say, without any code of the language client.
function Record_text()
  local ends = ({ unix = '\n', dos = '\r\n', mac = '\r' })[vim.bo.fileformat]
  local text = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, true), ends)
  if vim.bo.endofline then
    text = text .. ends
  end
  return { uri = vim.uri_from_bufnr(0), text = text }
end

-- A second language server that can only format: it removes blanks at the ends of
-- lines and answers either with one edit per line or with the whole text.
function Record_formatter(whole)
  local function format(lines)
    local out, edits = {}, {}
    for i, line in ipairs(lines) do
      out[i] = line:gsub('%s+$', '')
      if out[i] ~= line then
        edits[#edits + 1] = {
          range = {
            start = { line = i - 1, character = #out[i] },
            ['end'] = { line = i - 1, character = #line },
          },
          newText = '',
        }
      end
    end
    if whole then
      edits = {
        {
          range = {
            start = { line = 0, character = 0 },
            ['end'] = { line = #lines, character = 0 },
          },
          newText = table.concat(out, '\n') .. '\n',
        },
      }
    end
    return edits
  end
  vim.lsp.start({
    name = 'formatter',
    root_dir = root,
    cmd = function()
      return {
        request = function(method, _, answer)
          if method == 'initialize' then
            answer(nil, { capabilities = { documentFormattingProvider = true } })
          elseif method == 'textDocument/formatting' then
            answer(nil, format(vim.api.nvim_buf_get_lines(0, 0, -1, true)))
          else
            answer(nil, nil)
          end
          return true, 1
        end,
        notify = function()
          return true
        end,
        is_closing = function()
          return false
        end,
        terminate = function() end,
      }
    end,
  })
  vim.api.nvim_create_autocmd('BufWritePre', {
    callback = function()
      vim.lsp.buf.format({ name = 'formatter' })
    end,
  })
end
