package crashtest

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"
)

// What was rejected of files as a whole, and has no rows, can be brought back after a kill.
func TestRejectedWholesAfterAKill(t *testing.T) {
	w := newWorld(t)
	for name, content := range map[string]string{"pic": "\x00\x01", "gone": "\x00\x02", "old": "1\n2\n3\n", "run": "1\n", "empty": ""} {
		w.write(name, content)
	}
	w.start()
	turn := w.prompt()
	check(t, os.WriteFile(w.path("pic"), []byte("\x00\x11"), 0o644))
	check(t, os.WriteFile(w.path("init"), nil, 0o644))
	check(t, os.Remove(w.path("gone")))
	check(t, os.Remove(w.path("empty")))
	check(t, os.Rename(w.path("old"), w.path("new")))
	if runtime.GOOS != "windows" { // which has no such mode
		check(t, os.Chmod(w.path("run"), 0o755))
	}
	turn.end()
	var d struct {
		Decided []string
		Refused []any
	}
	w.command("acp.review.reject", map[string]any{}, &d)
	if len(d.Refused) > 0 {
		t.Fatalf("refused %v", d.Refused)
	}
	want := []string{"create init", "delete empty", "delete gone", "modify pic", "rename new"}
	if runtime.GOOS != "windows" {
		want = []string{"create init", "delete empty", "delete gone", "modify pic", "modify run", "rename new"}
	}
	for range 2 {
		w.kill()
		w.start()
		var r struct {
			Files []struct {
				URI  string
				File *struct{ Op, State string }
			}
		}
		w.command("acp.review.list", map[string]any{"state": "rejected"}, &r)
		var got []string
		for _, f := range r.Files {
			if f.File != nil && f.File.State == "rejected" {
				got = append(got, f.File.Op+" "+filepath.Base(f.URI))
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("rejected are %q, want %q", got, want)
		}
	}
	d.Refused = nil
	w.command("acp.review.restore", map[string]any{}, &d)
	if len(d.Decided) != len(want) || len(d.Refused) > 0 {
		t.Errorf("brought back %q, refused %v", d.Decided, d.Refused)
	}
	if w.disk("pic") != "\x00\x11" || w.disk("new") != "1\n2\n3\n" {
		t.Errorf("pic has %q, new %q", w.disk("pic"), w.disk("new"))
	}
	for name, there := range map[string]bool{"init": true, "gone": false, "empty": false, "old": false} {
		if _, err := os.Lstat(w.path(name)); (err == nil) != there {
			t.Errorf("%s: %v", name, err)
		}
	}
	if info, err := os.Stat(w.path("run")); err != nil || (info.Mode()&0o111 != 0) != (runtime.GOOS != "windows") {
		t.Errorf("run: %v, %v", info, err)
	}
}

// A file that an agent has deleted under a document is offered as that after a kill, whether it is opened
// again, with the text it had, at once or when the journal was read; and is put back on disk when that is rejected.
func TestDeletedUnderADocumentAfterAKill(t *testing.T) {
	for _, unsaved := range []string{"", "0\n"} {
		for _, at := range []string{"at once", "later"} {
			t.Run(at+" "+unsaved, func(t *testing.T) {
				w := newWorld(t)
				w.write("f", "1\n2\n3\n")
				w.start().open("f", unsaved+"1\n2\n3\n")
				turn := w.prompt()
				check(t, os.Remove(w.path("f")))
				turn.end()
				for range 2 {
					w.kill()
					p := w.start()
					if at == "later" {
						w.command("acp.review.list", map[string]any{}, nil)
					}
					p.open("f", unsaved+"1\n2\n3\n")
					var r struct {
						Files []struct {
							URI  string
							File *struct{ Op string }
						}
					}
					w.command("acp.review.list", map[string]any{}, &r)
					if len(r.Files) != 1 || r.Files[0].URI != w.uri("f") || r.Files[0].File == nil || r.Files[0].File.Op != "delete" {
						t.Errorf("offered are %+v", r.Files)
					}
				}
				w.command("acp.review.reject", map[string]any{}, nil)
				if got := w.disk("f"); got != "1\n2\n3\n" {
					t.Errorf("put back is %q", got)
				}
				if got, _ := w.buffer("f"); got != unsaved+"1\n2\n3\n" {
					t.Errorf("the document has %q", got)
				}
			})
		}
	}
}
