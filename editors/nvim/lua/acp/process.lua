---The process of acp-ls, as Neovim's client sees it. What that says of a server by itself, it says
---in a message longer than a line, which asks for a key: and takes one from whoever types. So it
---sees no fault of acp-ls, and we say it in a line.
local documents = require('acp.documents')
local util = require('acp.util')

local M = {}

---@param what string
---@param err string
local function failed(what, err)
  vim.lsp.log.error('acp', what, err)
  local why = err:match('[^\n]*'):gsub('^%S+:%d+: ', '') -- without where in a program
  util.notify(('%s failed, see :Acp log: %s'):format(what, why), vim.log.levels.ERROR)
end

---Calls fn; should that fail, one line says so.
---@param what string
---@param fn function
---@return boolean ok
---@return any ... what it returns, or how it failed
local function guarded(what, fn, ...)
  local args = vim.F.pack_len(...)
  local function report(err)
    failed(what, debug.traceback(tostring(err)))
    return err
  end
  return xpcall(function()
    return fn(vim.F.unpack_len(args))
  end, report)
end

---A function that starts the program, for vim.lsp's `cmd`, with our ear on what is sent to it.
---@param cmd string[]
---@param root string
---@param ended {code: integer, signal: integer} is filled in when it ends
---@return fun(dispatchers: vim.lsp.rpc.Dispatchers): vim.lsp.rpc.PublicClient
function M.starter(cmd, root, ended)
  return function(dispatchers)
    local rpc = vim.lsp.rpc.start(cmd, {
      notification = function(method, params)
        guarded(method, dispatchers.notification, method, params)
      end,
      server_request = function(method, params)
        local ok, result, err = guarded(method, dispatchers.server_request, method, params)
        if not ok then
          local code = vim.lsp.protocol.ErrorCodes.InternalError
          return nil, vim.lsp.rpc.rpc_response_error(code, tostring(result))
        end
        return result, err
      end,
      on_error = function(code, err)
        failed('acp-ls: ' .. tostring(vim.lsp.rpc.client_errors[code] or code), vim.inspect(err))
      end,
      on_exit = function(code, signal)
        ended.code, ended.signal = code, signal
        dispatchers.on_exit(0, 0)
      end,
    }, { cwd = root })
    return {
      request = function(method, params, callback, ...)
        documents.flush()
        return rpc.request(method, params, function(...)
          if not guarded(method, callback, ...) and method == 'initialize' then
            rpc.terminate() -- nothing else would come of it
          end
        end, ...)
      end,
      is_closing = rpc.is_closing,
      terminate = rpc.terminate,
      notify = documents.notifier(rpc.notify),
    }
  end
end

return M
