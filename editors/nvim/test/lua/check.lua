local M = {}

---@param want any
---@param got any
---@param what string?
function M.equal(want, got, what)
  if not vim.deep_equal(want, got) then
    error(
      ('%swant %s\n got %s'):format(
        what and what .. ': ' or '',
        vim.inspect(want),
        vim.inspect(got)
      ),
      2
    )
  end
end

---@param part string
---@param fn fun()
function M.fails(part, fn)
  local ok, err = pcall(fn)
  if ok then
    error('no error', 2)
  elseif not tostring(err):find(part, 1, true) then
    error(('the error is %q and does not say %q'):format(tostring(err), part), 2)
  end
end

return M
