package nvim_test

import (
	"encoding/base64"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
)

// What an agent does to the bytes of a file on the disk that say nothing of its rows, or that
// only Neovim can read, is shown and taken back like all else: encodings, a final line end.
// What cannot be taken back is told.
func TestBytesOnDisk(t *testing.T) {
	const rows = "caf\u00e9\none\ntwo\nthree\n"
	latin1 := strings.NewReplacer("\u00e9", "\xe9")
	utf16 := func(s string) string {
		b := []byte("\xff\xfe")
		for _, r := range s {
			b = append(b, byte(r), byte(r>>8))
		}
		return string(b)
	}
	zwei := strings.Replace(rows, "two", "zwei", 1)
	files := []struct {
		name, was, written string
		hunks              string // where nothing is unsaved
		says               string // the message, if there is one
		under              string // the message where something is unsaved
		whole              bool   // it is a change of the file as a whole
	}{
		{"latin1", latin1.Replace(rows), latin1.Replace(zwei), "1", "", "Reload unsaved-", false},
		{"utf16", utf16(rows), utf16(zwei), "1", "", "Reload unsaved-", false},
		{"fewer", rows, strings.TrimSuffix(rows, "\n"), "1", "", "", false},
		{"more", strings.TrimSuffix(rows, "\n"), rows, "1", "", "", false},
		{"mark", "\ufeff" + rows, rows, "1", "byte order mark", "byte order mark", false},
		{"to-utf8", latin1.Replace(rows), zwei, "2", "", "Reload unsaved-", false}, // as Neovim keeps the encoding
		{"to-latin1", rows, latin1.Replace(zwei), "1", "", "another encoding", true},
		{"to-utf16", rows, utf16(zwei), "1", "", "another encoding", true},
		{"marked-to-utf16", "\ufeff" + rows, utf16(rows), "1", "", "another encoding", true},
		{"from-utf16", utf16(rows), zwei, "1", "", "another encoding", true},
		{"picture", rows, "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\xff\x00\xfe", "1", "", "another encoding", true},
		{"bytes", rows, "\xff\xfe\xfdA\n", "1", "", "another encoding", true},
	}
	eachVersion(t, func(t *testing.T, version string) {
		s := newStory(t, version, &txtar.Archive{})
		s.Exec(`vim.g.said = ''
			local notify = vim.notify
			vim.notify = function(text, ...) vim.g.said = vim.g.said .. text; return notify(text, ...) end`, nil)
		for _, f := range files {
			for _, unsaved := range []bool{false, true} {
				name, says := f.name+".txt", f.says
				if unsaved {
					name, says = "unsaved-"+name, f.under
				}
				write := func(name, content string) {
					if err := os.WriteFile(s.path(name), []byte(content), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				onDisk := func(want string) {
					s.WaitLua(fmt.Sprintf(`vim.base64.encode(assert(io.open(%q, 'rb')):read('*a')) == %q`,
						s.path(name), base64.StdEncoding.EncodeToString([]byte(want))))
				}
				write(name, f.was)
				s.Exec(`vim.g.said = ''; vim.cmd('silent edit! ' .. ...)`, nil, s.path(name))
				if unsaved {
					s.Input("ggi!<Esc>")
					s.WaitLua(`vim.bo.modified and vim.fn.mode() == 'n'`)
				}
				before := s.Text(0)
				step := map[string]string{"disk": name, "encoding": "base64", "text": base64.StdEncoding.EncodeToString([]byte(f.written))}
				s.steps = append(s.steps, step)
				s.turn()
				hunks := f.hunks
				waits := f.name == "mark" && unsaved // until it is saved, and cannot be rejected before
				if unsaved && says != "" && !waits && !f.whole {
					hunks = "0"
				}
				t.Log(name)
				s.WaitLua(`require('acp.review').count() == ` + hunks)
				if says != "" {
					s.WaitLua(`vim.g.said:find('` + says + `', 1, true) ~= nil`)
				}
				switch {
				case waits:
					s.Exec(`vim.g.said = ''`, nil)
					s.Input(":Acp reject-all<CR>")
					s.WaitLua(`vim.g.said:find('unsaved', 1, true) ~= nil`)
					s.Input(":Acp accept-all<CR>")
					s.WaitLua(`require('acp.review').count() == 0`)
				case hunks != "0":
					s.Input(":Acp reject-all<CR>")
					s.WaitLua(`require('acp.review').count() == 0`)
				}
				if f.whole { // Neovim reads the file, and may be about to
					s.WaitLua(fmt.Sprintf(`vim.deep_equal(vim.api.nvim_buf_get_lines(0, 0, -1, false), vim.split(%q, '\n'))`, before))
				}
				if got := s.Text(0); got != before {
					t.Errorf("%s: the rows are %q, they were %q", name, got, before)
				}
				if hunks != "0" && !unsaved || f.whole {
					onDisk(f.was)
				}
				if f.whole && !unsaved {
					s.WaitLua(`not vim.bo.modified and not vim.bo.readonly`)
				} else if f.whole { // and is saved over that
					s.Input(":w<CR>")
					s.WaitLua(`not vim.bo.modified`)
				}
				s.Exec(`vim.cmd('bwipeout!')`, nil)
				if unsaved && hunks != "0" && !waits && !f.whole { // rejected in the document alone, and on disk yet
					s.WaitLua(`require('acp.review').count() == ` + hunks)
					s.Input(":Acp reject-all<CR>")
					s.WaitLua(`require('acp.review').count() == 0`)
					onDisk(f.was)
				}
			}
		}
	})
}
