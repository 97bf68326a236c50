local check = require('check')
local util = require('acp.util')

local T = {}

function T.denull()
  local value = { a = vim.NIL, b = { c = vim.NIL, d = 1 }, e = { { f = vim.NIL } } }
  check.equal({ b = { d = 1 }, e = { {} } }, util.denull(value))
  check.equal(nil, util.denull(vim.NIL))
  check.equal(3, util.denull(3))
end

function T.lines()
  check.equal({}, util.lines(''))
  check.equal({ 'a' }, util.lines('a'))
  check.equal({ 'a' }, util.lines('a\n'))
  check.equal({ 'a', '' }, util.lines('a\n\n'))
  check.equal({ 'a', 'b', 'c' }, util.lines('a\r\nb\rc'))
end

function T.expand_tabs()
  check.equal('a   b', util.expand_tabs('a\tb', 4))
  check.equal('        x', util.expand_tabs('\t\tx', 4))
  check.equal('abcd    x', util.expand_tabs('abcd\tx', 4))
  check.equal('é   x', util.expand_tabs('é\tx', 4))
  check.equal('日  x', util.expand_tabs('日\tx', 4))
  check.equal('none', util.expand_tabs('none', 4))
end

function T.truncate()
  check.equal('abc', util.truncate('abc', 3))
  check.equal('ab…', util.truncate('abcd', 3))
  check.equal('日…', util.truncate('日本語', 4))
end

function T.escape_statusline()
  check.equal('100%% a b', util.escape_statusline('100% a\nb'))
end

function T.await_gives_what_comes_now_or_later()
  local later, got
  coroutine.wrap(function()
    got = {
      util.await(function(reply)
        reply(1)
        reply(2) -- only the first counts
      end),
    }
    got[2] = util.await(function(reply)
      later = reply
    end)
  end)()
  check.equal({ 1 }, got)
  later('x')
  later('y')
  check.equal({ 1, 'x' }, got)
end

function T.long_messages_are_cut_unless_shown_elsewhere()
  assert(util.default_notify())
  local original, got = vim.notify, nil
  vim.notify = function(message) -- luacheck: ignore
    got = message
  end
  assert(not util.default_notify())
  util.notify(('word '):rep(100) .. '\nlast')
  vim.notify = original -- luacheck: ignore
  assert(got:match('^acp: word .* last$') and not got:find('\n'), got)
end

function T.normal_uri()
  check.equal(vim.uri_from_fname('/a b/c+d'), util.normal_uri('file:///a%20b/c%2Bd'))
  check.equal('acp://x', util.normal_uri('acp://x'))
end

return T
