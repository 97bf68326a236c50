package session

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// rejected lists what can be brought back of files as a whole, as "op name".
func (w *earth) rejected() (out []string) {
	for _, r := range w.c.Reviews("", "", review.StateRejected) {
		if r.File != nil && r.File.State == string(review.StateRejected) {
			out = append(out, r.File.Op+r.File.Mode+" "+filepath.Base(r.Path))
		}
	}
	slices.Sort(out)
	return out
}

// put makes a file, of which nobody ever sees a half.
func (w *earth) put(name, content string) {
	w.t.Helper()
	whole := filepath.Join(w.t.TempDir(), name)
	writeFile(w.t, whole, content)
	if err := os.Rename(whole, w.path(name)); err != nil {
		w.t.Error(err)
	}
}

// What was rejected of files as a whole can be brought back after acp-ls was killed, as before,
// and is decided on again then; and it comes back after every further kill.
func TestRejectedWholesSurvive(t *testing.T) {
	const four = "\nsecond\nthird\nfourth\n"
	for crashes := range 3 {
		for _, atOnce := range []bool{true, false} {
			t.Run(fmt.Sprintf("%d crashes, at once %v", crashes, atOnce), func(t *testing.T) {
				t.Parallel()
				w := newEarth(t)
				for _, name := range []string{"old", "run", "moved"} {
					writeFile(t, w.path(name), name+four)
				}
				for name, content := range map[string]string{"pic": "\x00\x01", "photo": "\x00\x02", "gone": "\x00\x03", "empty": "", "text": "one\ntwo\n"} {
					writeFile(t, w.path(name), content)
				}
				w.start()
				before := onDisk(t, w.root)
				turnOf(t, w.c, w.l, func(Host, string) {
					for _, err := range []error{
						os.Rename(w.path("old"), w.path("new")), os.Rename(w.path("moved"), w.path("amoved")), os.Rename(w.path("photo"), w.path("picture")),
						os.Chmod(w.path("run"), 0o755), os.Remove(w.path("gone")), os.Remove(w.path("empty")),
					} {
						if err != nil {
							t.Error(err)
						}
					}
					w.put("amoved", "moved\nsecond\nAGENT\nfourth\n")
					w.put("pic", "\x00\x11")
					w.put("text", "\x00\x12")
					w.put("made", "\x00\x13")
					w.put("init", "")
				})
				after := onDisk(t, w.root)
				crash := func() {
					for range crashes {
						w.crash()
					}
				}
				for range 2 {
					d, err := w.c.Reject(t.Context(), Decide{})
					if err != nil || len(d.Refused) > 0 {
						t.Fatalf("%+v, %v", d, err)
					}
					if got := onDisk(t, w.root); got != before {
						t.Fatalf("after rejecting\n%s\nwant\n%s", got, before)
					}
					crash()
					want := []string{"create init", "create made", "delete empty", "delete gone", "modify pic", "modify text", "modify+x run", "rename amoved", "rename new", "rename picture"}
					if got := w.rejected(); !slices.Equal(got, want) {
						t.Errorf("rejected are %q, want %q", got, want)
					}
					for _, r := range w.c.Reviews("", "") {
						t.Errorf("pending is %+v", r)
					}
					ids := [][]string{d.Decided}
					if !atOnce {
						ids = nil
						for _, id := range slices.Backward(d.Decided) {
							ids = append(ids, []string{id})
						}
					}
					for _, ids := range ids {
						if d, err := w.c.Restore(t.Context(), Decide{Hunks: ids}); err != nil || len(d.Refused) > 0 {
							t.Errorf("%+v, %v", d, err)
						}
						if !atOnce {
							crash()
						}
					}
					crash()
					if got := onDisk(t, w.root); got != after {
						t.Fatalf("after bringing back\n%s\nwant\n%s", got, after)
					}
					if got := w.rejected(); len(got) > 0 {
						t.Errorf("rejected are %q", got)
					}
				}
				for _, m := range w.e.said() {
					if strings.Contains(m, "could not") || strings.Contains(m, "not to be found") {
						t.Errorf("told %q", m)
					}
				}
			})
		}
	}
}

// A file that was deleted under its document, and is there again as that was rejected.
func TestRejectedDeletionUnderADocumentSurvives(t *testing.T) {
	t.Parallel()
	for _, open := range []bool{true, false} {
		t.Run(fmt.Sprint("open ", open), func(t *testing.T) {
			w := newEarth(t)
			writeFile(t, w.path("f"), abc)
			w.start()
			w.e.open(w.uri("f"), abc)
			w.e.replace(w.uri("f"), "b\n", "mine\n")
			turnOf(t, w.c, w.l, func(Host, string) { remove(t, w.path("f")) })
			if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Decided) != 1 {
				t.Fatalf("%+v, %v", d, err)
			}
			text := w.crash()[w.uri("f")]
			if open {
				w.e.open(w.uri("f"), text)
			}
			if got := w.rejected(); !slices.Equal(got, []string{"delete f"}) {
				t.Errorf("rejected are %q", got)
			}
			if d, err := w.c.Restore(t.Context(), Decide{}); err != nil || len(d.Decided) != 1 {
				t.Errorf("%+v, %v", d, err)
			}
			if isThere(w.c.file(w.c.allFiles()[0].path).path) {
				t.Error("the file is there")
			}
			want := "delete"
			if !open {
				want = "delete a|b|c|>"
			}
			w.wantHunks("f", want)
			if open && w.e.text(w.uri("f")) != text {
				t.Errorf("text %q, was %q", w.e.text(w.uri("f")), text)
			}
			if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Decided) == 0 {
				t.Errorf("%+v, %v", d, err)
			}
			if got := readFile(t, w.path("f")); got != abc {
				t.Errorf("the file has %q", got)
			}
		})
	}
}

// What is not so any more is not brought back over something else, and what was rejected long
// ago is not listed.
func TestRejectedWholesThatAreOver(t *testing.T) {
	w := newEarth(t)
	writeFile(t, w.path("pic"), "\x00\x01")
	writeFile(t, w.path("run"), "r\n")
	w.start()
	turnOf(t, w.c, w.l, func(Host, string) {
		writeFile(t, w.path("pic"), "\x00\x11")
		writeFile(t, w.path("init"), "")
		if err := os.Chmod(w.path("run"), 0o755); err != nil {
			t.Error(err)
		}
	})
	d, err := w.c.Reject(t.Context(), Decide{})
	if err != nil || len(d.Decided) != 3 {
		t.Fatalf("%+v, %v", d, err)
	}
	w.crash()
	writeFile(t, w.path("pic"), "\x00\x21")
	writeFile(t, w.path("init"), "mine\n")
	r, err := w.c.Restore(t.Context(), Decide{Hunks: d.Decided})
	if err != nil || len(r.Decided) != 1 || len(r.Refused) != 2 {
		t.Errorf("%+v, %v", r, err)
	}
	if readFile(t, w.path("pic")) != "\x00\x21" || readFile(t, w.path("init")) != "mine\n" {
		t.Error("what is the user's is gone")
	}
	if _, err := w.c.Reject(t.Context(), Decide{}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if len(w.rejected()) == 0 {
			t.Fatal("nothing is listed")
		}
		w.later += keepRejected / 3
		w.crash()
	}
	w.later += time.Hour
	w.crash()
	if got := w.rejected(); len(got) > 0 {
		t.Errorf("rejected are %q", got)
	}
	if len(w.e.said()) > 0 {
		t.Errorf("told %q", w.e.said())
	}
}

// Of what may hold secrets no content is kept; what needs none of it is.
func TestRejectedSecretsAreNotKept(t *testing.T) {
	w := newEarth(t)
	writeFile(t, w.path(".env"), "\x00secret")
	writeFile(t, w.path("id_rsa"), "key\n")
	w.start()
	turnOf(t, w.c, w.l, func(Host, string) {
		writeFile(t, w.path(".env"), "\x00agentsecret")
		if err := os.Chmod(w.path("id_rsa"), 0o700); err != nil {
			t.Error(err)
		}
	})
	if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Decided) != 2 {
		t.Fatalf("%+v, %v", d, err)
	}
	w.crash()
	if got := w.rejected(); !slices.Equal(got, []string{"modify+x id_rsa"}) {
		t.Errorf("rejected are %q", got)
	}
	files, _ := filepath.Glob(filepath.Join(w.state, "journal", "*", "*"))
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil || bytes.Contains(b, []byte("secret")) {
			t.Errorf("%s: %v, has the secret: %v", name, err, err == nil)
		}
	}
}

// A kill in the midst of rejecting: what was not made is undecided, and what was made can be
// brought back.
func TestKilledWhileAWholeIsRejected(t *testing.T) {
	t.Parallel()
	for _, x := range []struct {
		name, op, old string
		change        func(w *earth)
	}{
		{"changed", "modify", "\x00\x01", func(w *earth) { w.put("f", "\x00\x11") }},
		{"made", "create", "", func(w *earth) { w.put("f", "\x00\x11") }},
		{"deleted", "delete", "\x00\x01", func(w *earth) { remove(w.t, w.path("f")) }},
		{"mode", "modify", abc, func(w *earth) {
			if err := os.Chmod(w.path("f"), 0o755); err != nil {
				w.t.Error(err)
			}
		}},
	} {
		for _, made := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, made %v", x.name, made), func(t *testing.T) {
				w := newEarth(t)
				if x.old != "" {
					writeFile(t, w.path("f"), x.old)
				}
				w.start()
				turnOf(t, w.c, w.l, func(Host, string) { x.change(w) })
				agents := onDisk(t, w.root)
				state, root := "", ""
				w.written = func() {
					if state == "" {
						state, root = w.snapshot()
					}
				}
				if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Decided) != 1 {
					t.Fatalf("%+v, %v", d, err)
				}
				w.written = nil
				if state == "" {
					t.Fatal("nothing was written down before")
				}
				if made {
					_, root = w.snapshot()
				}
				w.close()
				w.revert(state, root)
				w.start()
				pending, rejected := x.op, 0
				if made {
					pending, rejected = "", 1
				}
				if got := w.hunks("f"); got != pending || len(w.rejected()) != rejected {
					t.Fatalf("pending %q, want %q; rejected %q", got, pending, w.rejected())
				}
				if made {
					if d, err := w.c.Restore(t.Context(), Decide{}); err != nil || len(d.Decided) != 1 {
						t.Errorf("%+v, %v", d, err)
					}
				}
				if got := onDisk(t, w.root); got != agents {
					t.Errorf("on disk\n%s\nwant\n%s", got, agents)
				}
				w.wantHunks("f", x.op)
			})
		}
	}
}

// Of what may hold secrets nothing is kept of what is disputed either, nor of what was put on disk under
// unsaved text and rejected there.
func TestDisputedSecretsAreNotKept(t *testing.T) {
	const base = "1=secret\n2=secret\n3=secret\n4=secret\n"
	for name, disk := range map[string]string{
		"in conflict":      strings.Replace(base, "2=secret", "2=agentsecret", 1),
		"put in, rejected": base + "5=agentsecret\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEarth(t)
			writeFile(t, w.path(".env"), base)
			w.start()
			w.e.open(w.uri(".env"), base)
			f := w.c.file(buffers.Path(w.path(".env")))
			awaitLook(t, f)
			w.e.replace(w.uri(".env"), "2=secret\n", "2=mysecret\n")
			w.writesDisk(".env", disk)
			if strings.Contains(name, "rejected") {
				if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Decided) != 1 {
					t.Fatalf("%+v, %v", d, err)
				}
			}
			f.keep(true)
			files, _ := filepath.Glob(filepath.Join(w.state, "journal", "*", "*"))
			if len(files) == 0 {
				t.Error("there is no journal")
			}
			for _, name := range files {
				b, err := os.ReadFile(name)
				if err != nil || bytes.Contains(b, []byte("secret")) {
					t.Errorf("%s: %v, has the secret: %v", name, err, err == nil)
				}
			}
		})
	}
}
