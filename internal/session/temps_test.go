package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What a process that was killed has left of a write is removed, if it holds nothing that the journal
// does not know; else the user is told, and it stays.
func TestTempsThatAreLeft(t *testing.T) {
	t.Parallel()
	const name = buffers.TempPrefix + "x"
	for what, tt := range map[string]struct {
		file, temp, ext string // file: what the temp lies beside
		kept            bool
		missing         bool // that file is not there any more
	}{
		"what was to be written":                  {"f", aBc, ".tmp", false, false},
		"and is not yet":                          {"f", aBc, ".tmp", false, true},
		"a part of it":                            {"f", "a\nB", ".tmp", false, false},
		"nothing yet":                             {"f", "", ".tmp", false, false},
		"what was replaced":                       {"f", abc, ".tmp", false, false},
		"what somebody else wrote":                {"f", "other\n", ".tmp", true, false},
		"what somebody else wrote, put aside":     {"f", "other\n", ".old", true, false},
		"the file put aside":                      {"f", aBc, ".old", true, true},
		"a part of what was to be, put aside":     {"f", "a\nB", ".old", true, false},
		"no text":                                 {"f", "\x00\x07", ".tmp", true, false},
		"what a file that is no text was":         {"pic", "\x00\x01", ".tmp", false, false},
		"something else than a file of no text":   {"pic", "\x00\x03", ".tmp", true, false},
		"of a file that nothing is known of":      {"far/g", "\x00\x01", ".tmp", true, false},
		"of a file that was to be taken away":     {"gone", "1\n", ".old", false, true},
		"another text put aside for one of those": {"gone", "2\n", ".old", true, true},
	} {
		t.Run(what, func(t *testing.T) {
			w := newEarth(t)
			writeFile(t, w.path("f"), abc)
			writeFile(t, w.path("pic"), "\x00\x01")
			if err := os.Mkdir(w.path("far"), 0o755); err != nil {
				t.Fatal(err)
			}
			w.start()
			w.agent("f", aBc)
			steps(t, w.c, w.l, func() {
				writeFile(t, w.path("pic"), "\x00\x02")
				writeFile(t, w.path("gone"), "1\n")
			})
			w.decided(w.c.Reject(t.Context(), Decide{URI: w.uri("gone")}))
			for _, name := range []string{"f", "pic"} {
				w.c.file(buffers.Path(w.path(name))).keep(true)
			}
			left := filepath.Join(filepath.Dir(w.path(tt.file)), name+tt.ext)
			writeFile(t, left, tt.temp)
			if tt.missing && tt.file == "f" {
				remove(t, w.path("f"))
			}
			w.left = 1
			w.crash()
			if filepath.Dir(tt.file) != "." {
				return // nobody looks there
			}
			if tt.kept {
				w.wantTold("Look at " + strings.TrimPrefix(left, w.path("")+"/") + ", and delete it")
			} else {
				w.e.await("the removal of the temp", func() bool { return !isThere(buffers.Path(left)) })
				for _, m := range w.e.said() {
					if strings.Contains(m, name) {
						t.Errorf("told %q", m)
					}
				}
			}
			if isThere(buffers.Path(left)) != tt.kept {
				t.Error("kept is not what it should be")
			}
		})
	}
}

// What is written on while it is looked at is somebody's that lives.
func TestTempsThatAreInUse(t *testing.T) {
	w := newEarth(t)
	writeFile(t, w.path("f"), abc)
	w.start()
	w.agent("f", aBc)
	name := w.path(buffers.TempPrefix + "x.tmp")
	writeFile(t, name, "a\n")
	w.close()
	w.start()
	found, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, aBc)
	w.c.durable.removeLeft(t.Context(), []temp{{name: name, info: found}})
	if !isThere(buffers.Path(name)) || len(w.e.said()) > 0 && strings.Contains(strings.Join(w.e.said(), ""), name) {
		t.Errorf("removed, or told: %q", w.e.said())
	}
}
