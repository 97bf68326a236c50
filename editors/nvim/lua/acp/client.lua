---The connection to acp-ls: one process for this Neovim, started with the first
---use, attached to every file buffer.
local away = require('acp.away')
local config = require('acp.config')
local documents = require('acp.documents')
local process = require('acp.process')
local util = require('acp.util')

local M = {}

---The contract's version this plugin speaks.
local contract = 1

---@class acp.State
---@field id integer? of the vim.lsp client
---@field ready boolean initialize has been answered
---@field waiting fun(client: vim.lsp.Client?, err: string?)[]
---@field stopping boolean the user ended it
---@field restarting boolean and wants it to run again
local state = { id = nil, ready = false, waiting = {}, stopping = false, restarting = false }

---@return string # the folder of this plugin
local function plugin_root()
  return vim.fs.dirname(vim.fs.dirname(vim.fs.dirname(debug.getinfo(1, 'S').source:sub(2))))
end

---The command that starts acp-ls.
---@return string[]?
---@return string? err
function M.command()
  local cmd = config.get().cmd
  if cmd then
    if vim.fn.executable(cmd[1]) == 0 then
      return nil,
        ('program %s not found: check the option cmd of require("acp").setup()'):format(cmd[1])
    end
    return cmd
  end
  local path = vim.fn.exepath('acp-ls')
  if path == '' then
    path = vim.fn.exepath(vim.fs.normalize(plugin_root() .. '/../../bin/acp-ls'))
  end
  if path == '' then
    return nil,
      'program acp-ls not found: put it on PATH, `make build` in its checkout, or set option cmd'
  end
  return { path }
end

---The folder a buffer's work belongs to.
---@param bufnr integer?
---@return string
function M.root(bufnr)
  local root
  if bufnr and util.is_file_buffer(bufnr) then
    root = vim.fs.root(bufnr, config.get().root_markers)
  end
  return root or vim.uv.cwd() or '.'
end

---@param module string
---@param name string
local function notification(module, name)
  return function(_, params)
    require('acp.' .. module)[name](util.denull(params))
  end
end

---A request whose function may take its time: it is given the parameters and
---a function to reply with, and reply(nil) answers null.
---@param module string
---@param name string
local function request(module, name)
  return function(_, params)
    local result = util.await(function(reply)
      require('acp.' .. module)[name](util.denull(params) or {}, reply)
    end)
    return result == nil and vim.NIL or result
  end
end

local function handlers()
  return {
    ['acp/session'] = notification('session', 'on_session'),
    ['acp/entry'] = notification('session', 'on_entry'),
    ['acp/chunk'] = notification('session', 'on_chunk'),
    ['acp/terminal'] = notification('session', 'on_terminal'),
    ['acp/review'] = notification('review', 'on_review'),
    ['acp/dismiss'] = notification('permission', 'on_dismiss'),
    ['acp/permission'] = request('permission', 'on_permission'),
    ['acp/ask'] = request('ask', 'on_ask'),
    ['acp/save'] = request('disk', 'on_save'),
    ['acp/reload'] = request('disk', 'on_reload'),
    ['acp/adopt'] = request('disk', 'on_adopt'),
    ['acp/editor'] = request('editor', 'on_editor'),
    ['acp/run'] = request('editor', 'on_run'),
    ['acp/diagnostics'] = request('diagnostics', 'on_diagnostics'),
    ['workspace/applyEdit'] = request('edit', 'on_apply_edit'),
    ['window/showMessageRequest'] = function(err, params, ctx)
      params = util.denull(params)
      if not params.acp then
        return vim.lsp.handlers['window/showMessageRequest'](err, params, ctx)
      end
      return util.await(function(reply)
        require('acp.permission').on_message_request(params, reply)
      end) or vim.NIL
    end,
    ['window/showMessage'] = function(_, params)
      local levels = { vim.log.levels.ERROR, vim.log.levels.WARN, vim.log.levels.INFO }
      util.notify(params.message, levels[params.type] or vim.log.levels.INFO)
      return params
    end,
  }
end

---What this plugin does beyond LSP.
M.capabilities = {
  session = true,
  review = true,
  terminal = true,
  permission = true,
  save = true,
  format = true,
  reload = true,
  adopt = true,
  reopens = true,
  editor = true,
  run = true,
  diagnostics = true,
  ask = true,
  dismiss = true,
}

---Settings for acp-ls: the user's, over what this plugin makes superfluous. It
---draws hunks itself, so diagnostics and lenses would show them twice.
---@return table
function M.settings()
  local opts = config.get()
  local settings = vim.tbl_deep_extend('force', {
    review = { codeLens = false, diagnostics = false },
  }, opts.settings)
  if opts.agent then
    settings.defaultAgent = opts.agent
  end
  return settings
end

---Attaches a buffer, if it is a file's. An unnamed one is attached when it is about to be
---first written: all of them would have the same URI.
---@param bufnr integer
function M.attach(bufnr)
  if state.id and util.is_file_buffer(bufnr) then
    vim.lsp.buf_attach_client(bufnr, state.id)
  end
end

---@param bufnr integer
local function detach(bufnr)
  if state.id and vim.lsp.buf_is_attached(bufnr, state.id) then
    vim.lsp.buf_detach_client(bufnr, state.id)
  end
end

local function watch_buffers()
  local group = vim.api.nvim_create_augroup('acp.client', {})
  local events = { 'BufReadPost', 'BufNewFile', 'BufWritePre', 'BufWritePost', 'BufFilePost' }
  vim.api.nvim_create_autocmd(events, {
    group = group,
    desc = 'acp: attach',
    callback = function(args)
      M.attach(args.buf)
    end,
  })
  vim.api.nvim_create_autocmd('BufReadPre', {
    group = group,
    desc = 'acp: note what a file is',
    callback = function(args)
      if util.is_file_buffer(args.buf) then
        require('acp.overwrite').note(args.buf, args.event)
      end
    end,
  })
  require('acp.formats').watch(group) -- before what tells of changes, or writes
  documents.watch_line_ends(group)
  require('acp.written').watch(group)
  -- Neovim tells a server of a new name only with the next write.
  vim.api.nvim_create_autocmd('BufFilePre', {
    group = group,
    desc = 'acp: close under the old name',
    callback = function(args)
      detach(args.buf)
      vim.schedule(function() -- the name may be refused (E95), and nothing tells of that
        if vim.api.nvim_buf_is_loaded(args.buf) then
          M.attach(args.buf)
        end
      end)
    end,
  })
  for _, bufnr in ipairs(vim.api.nvim_list_bufs()) do
    M.attach(bufnr)
  end
end

---@param client vim.lsp.Client?
---@param err string?
local function settle(client, err)
  local waiting = state.waiting
  state.waiting = {}
  for _, fn in ipairs(waiting) do
    fn(client, err)
  end
end

---@param client vim.lsp.Client
local function on_init(client)
  local offered = vim.tbl_get(client.server_capabilities, 'experimental', 'acp', 'version')
  if offered ~= contract then
    util.warn(
      ('install acp-ls and plugin from one release: contracts %s and %d'):format(
        tostring(offered or 'none'),
        contract
      )
    )
  end
  -- These would change what K, omnifunc and completion do in every buffer, for
  -- things the plugin shows itself.
  client.server_capabilities.hoverProvider = nil
  client.server_capabilities.completionProvider = nil
  -- Neovim need not find out what has changed: see acp.documents.
  local sync = client.server_capabilities.textDocumentSync
  if type(sync) == 'table' then
    sync.change = vim.lsp.protocol.TextDocumentSyncKind.None
  end
  state.ready = true
  away.began()
  vim.schedule(function()
    settle(client)
  end)
end

---@class acp.Error
---@field message string
---@field kind string? data.kind of the contract; 'ended' if acp-ls has ended

---@type table<fun(err: acp.Error), true> whom an answer is owed
local owed = {}

---@param id integer?
local function on_exit(id, code, signal)
  if state.id ~= id and id ~= nil then
    return
  end
  away.ended()
  local exiting = vim.v.exiting ~= vim.NIL
  local stopping, restarting = state.stopping or exiting, state.restarting and not exiting
  state.id, state.ready, state.stopping, state.restarting = nil, false, false, false
  vim.schedule(function()
    pcall(vim.api.nvim_del_augroup_by_name, 'acp.client')
    pcall(vim.api.nvim_del_augroup_by_name, 'acp.edit')
    vim.on_key(nil, vim.api.nvim_create_namespace('acp.keys'))
    local how = signal ~= 0 and ('signal %d'):format(signal) or ('code %d'):format(code)
    local short = ('acp-ls ended (%s): :Acp starts it again'):format(how)
    local message = short .. ', and what is undecided comes back. See :Acp log'
    settle(nil, message)
    for _, fn in ipairs(vim.tbl_keys(owed)) do
      fn({ message = message, kind = 'ended' })
    end
    for _, module in ipairs({ 'session', 'review', 'permission', 'ask' }) do
      local loaded = package.loaded['acp.' .. module]
      if loaded then
        loaded.on_exit(not stopping and message or nil)
      end
    end
    documents.reset()
    if not stopping then
      vim.lsp.log.warn('acp', message)
      util.warn(short) -- which fits in a line
    elseif restarting then
      M.start(function(_, err)
        util.notify(err or 'acp-ls was started anew')
      end)
    end
  end)
end

---Starts acp-ls if it does not run.
---@param fn fun(client: vim.lsp.Client?, err: string?) called when it is ready, or cannot be
function M.start(fn)
  local client = M.get()
  if client and #state.waiting == 0 then
    return fn(client)
  end
  -- in their order: those who wait are served in a moment
  state.waiting[#state.waiting + 1] = fn
  if state.id then
    return
  end
  local cmd, err = M.command()
  if not cmd then
    return settle(nil, err)
  end
  require('acp.highlight').setup()
  require('acp.editor').watch_keys()
  require('acp.typing').watch()
  away.watch()
  local root = M.root(vim.api.nvim_get_current_buf())
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = vim.tbl_extend('force', capabilities.experimental or {}, {
    acp = M.capabilities,
  })
  local id
  local ended = { code = 0, signal = 0 }
  local lsp_config = {
    name = 'acp-ls',
    cmd = process.starter(cmd, root, ended),
    root_dir = root,
    workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
    capabilities = capabilities,
    init_options = M.settings(),
    settings = { acp = M.settings() },
    handlers = handlers(),
    flags = { exit_timeout = false },
    before_init = function(params)
      -- Neovim takes versioned edits, but does not say so; files that are not open
      -- are created, renamed and deleted by acp-ls itself.
      params.capabilities.workspace.workspaceEdit = { documentChanges = true }
      params.acp = away.told()
    end,
    on_init = on_init,
    on_exit = function()
      on_exit(id, ended.code, ended.signal)
    end,
  }
  local ok, result
  if vim.fn.has('nvim-0.11') == 1 then
    ok, result = pcall(vim.lsp.start, lsp_config, { attach = false })
  else
    ok, result = pcall(vim.lsp.start_client, lsp_config)
  end
  id = ok and result or nil
  state.id = id
  if not id then
    return settle(nil, ('starting %s failed: %s'):format(cmd[1], tostring(result)))
  end
  watch_buffers()
end

---The client, if acp-ls is ready.
---@return vim.lsp.Client?
function M.get()
  if state.id and state.ready then
    return vim.lsp.get_client_by_id(state.id)
  end
end

---@return boolean
function M.running()
  return state.id ~= nil
end

---Ends acp-ls, and with it its agents, and starts it again.
function M.restart()
  if M.running() then
    state.restarting = true
    M.stop()
  else
    M.start(function(_, err)
      util.notify(err or 'acp-ls was started')
    end)
  end
end

---Ends acp-ls, and with it its agents.
function M.stop()
  local client = state.id and vim.lsp.get_client_by_id(state.id)
  if client then
    state.stopping = true
    if vim.fn.has('nvim-0.11') == 1 then
      client:stop()
    else
      client.stop() -- luacheck: ignore
    end
  end
end

---Tells acp-ls of settings that have changed.
function M.configure()
  local client = M.get()
  if client then
    client.settings = { acp = M.settings() }
    local params = { settings = client.settings }
    if vim.fn.has('nvim-0.11') == 1 then
      client:notify('workspace/didChangeConfiguration', params)
    else
      client.notify('workspace/didChangeConfiguration', params) -- luacheck: ignore
    end
  end
end

---Sends what has been typed and not been sent yet.
---@param bufnr integer? by default in all buffers
function M.flush(bufnr)
  local client = M.get()
  if client then
    documents.flush(bufnr)
  end
end

---Commands that decide, which the user waits for.
local decides = {
  ['acp.review.accept'] = true,
  ['acp.review.reject'] = true,
  ['acp.review.restore'] = true,
  ['acp.review.resolve'] = true,
  ['acp.review.undo'] = true,
}
local deciding = 0

---Whether the user waits for what they have decided.
---@return boolean
function M.deciding()
  return deciding > 0
end

---Runs a command of acp-ls.
---@param command string
---@param arg table?
---@param fn fun(err: acp.Error?, result: any)?
function M.execute(command, arg, fn)
  fn = fn or function(err)
    if err then
      util.warn(err.message)
    end
  end
  M.start(function(client, failure)
    if not client then
      return fn({ message = failure or 'acp-ls is not running' })
    end
    M.flush()
    local function once(err, result)
      if owed[once] then
        owed[once] = nil
        deciding = deciding - (decides[command] and 1 or 0)
        fn(err, result)
      end
    end
    owed[once] = true
    deciding = deciding + (decides[command] and 1 or 0)
    local object = arg and next(arg) and arg or vim.empty_dict() -- an empty table would be a list
    local params = { command = command, arguments = { object } }
    local function on_reply(err, result)
      if err then
        local kind = type(err.data) == 'table' and err.data.kind or nil
        once({ message = err.message or command .. ' failed', kind = kind })
      else
        once(nil, util.denull(result) or {})
      end
    end
    local sent
    if vim.fn.has('nvim-0.11') == 1 then
      sent = client:request('workspace/executeCommand', params, on_reply)
    else
      sent = client.request('workspace/executeCommand', params, on_reply) -- luacheck: ignore
    end
    if not sent then
      once({ message = 'acp-ls is not running' })
    end
  end)
end

return M
