-- Runs the Lua tests: nvim --clean -l editors/nvim/test/lua/run.lua
--
-- A test file returns a table of functions; each is a test. Errors are failures.
local here = vim.fs.dirname(vim.fs.normalize(vim.fn.fnamemodify(arg[0], ':p')))
vim.opt.runtimepath:prepend(vim.fs.dirname(vim.fs.dirname(here)))
package.path = here .. '/?.lua;' .. package.path

local passed, failed = 0, 0
for name in vim.fs.dir(here) do
  if name:match('_test%.lua$') then
    local tests = dofile(here .. '/' .. name)
    local names = vim.tbl_keys(tests)
    table.sort(names)
    for _, test in ipairs(names) do
      local ok, err = xpcall(tests[test], debug.traceback)
      if ok then
        passed = passed + 1
      else
        failed = failed + 1
        io.stdout:write(('FAIL %s: %s\n%s\n'):format(name, test, err))
      end
    end
  end
end
io.stdout:write(('%d passed, %d failed\n'):format(passed, failed))
os.exit(failed == 0 and passed > 0 and 0 or 1)
