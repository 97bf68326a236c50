package nvim_test

import (
	"encoding/json"
	"testing"
)

// What other servers and linters say of a document, or of all.
func TestDiagnostics(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", "é one\ntwo\n", "b c.txt", "three\n")
		e.open()
		e.awaitText(e.uri("a.txt"), "é one\ntwo\n")
		e.Exec(`
			local a, b = vim.fn.bufnr('a.txt'), vim.fn.bufadd('b c.txt') -- of which one is not loaded
			vim.diagnostic.set(vim.api.nvim_create_namespace('linter'), a, {
				{ lnum = 0, col = 3, end_lnum = 0, end_col = 6, severity = 2, message = 'one', source = 'lint', code = 7 },
				{ lnum = 1, col = 0, severity = 1, message = 'two' },
			})
			vim.diagnostic.set(vim.api.nvim_create_namespace('other'), b, { { lnum = 0, col = 1, message = 'three', source = 'x' } })
			vim.diagnostic.set(vim.api.nvim_create_namespace('ours'), a, { { lnum = 0, col = 0, message = 'a hunk', source = 'acp' } })`, nil)
		type item struct {
			URI         string
			Diagnostics []json.RawMessage
		}
		diagnostics := func(params map[string]any) map[string][]string {
			var got struct{ Items []item }
			e.call("acp/diagnostics", params, &got)
			m := map[string][]string{}
			for _, i := range got.Items {
				for _, d := range i.Diagnostics {
					var v any
					if err := json.Unmarshal(d, &v); err != nil {
						t.Fatal(err)
					}
					b, _ := json.Marshal(v)
					m[i.URI] = append(m[i.URI], string(b))
				}
			}
			return m
		}
		from := "2" // UTF-16
		to := "5"
		if e.encoding == "utf-8" {
			from, to = "3", "6"
		}
		one := `{"code":7,"message":"one","range":{"end":{"character":` + to + `,"line":0},"start":{"character":` + from + `,"line":0}},"severity":2,"source":"lint"}`
		two := `{"message":"two","range":{"end":{"character":0,"line":1},"start":{"character":0,"line":1}},"severity":1}`
		got := diagnostics(map[string]any{})
		if a := got[e.uri("a.txt")]; len(a) != 2 || a[0] != one || a[1] != two {
			t.Errorf("of a.txt: %s", a)
		}
		spaced := "file://" + e.path("b%20c.txt")
		if b := got[spaced]; len(b) != 1 || len(got) != 2 {
			t.Errorf("of all: %s", got)
		}
		other := "file://" + e.path("b%20c%2Etxt") // another spelling than Neovim's
		if got := diagnostics(map[string]any{"uri": other}); len(got) != 1 || len(got[other]) != 1 {
			t.Errorf("of one: %s", got)
		}
		if got := diagnostics(map[string]any{"uri": e.uri("nowhere.txt")}); len(got) != 0 {
			t.Errorf("of a file that is not open: %s", got)
		}
	})
}
