-- Options can be set through vim.bo, vim.wo, vim.o and vim.g: luacheck would
-- call that mutating a read-only global, so these members are named.
std = 'luajit'
read_globals = {
  vim = {
    other_fields = true,
    fields = {
      bo = { read_only = false, other_fields = true },
      wo = { read_only = false, other_fields = true },
      o = { read_only = false, other_fields = true },
      g = { read_only = false, other_fields = true },
      v = { read_only = false, other_fields = true },
      b = { read_only = false, other_fields = true },
      paste = { read_only = false }, -- to be replaced, as its help says
    },
  },
}
max_line_length = 100
