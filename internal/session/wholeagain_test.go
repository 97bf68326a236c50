package session

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
)

// againKind is something that an agent does to files as a whole.
type againKind struct {
	name  string
	had   map[string]string                                  // what the files hold before
	turns []func(t *testing.T, w *earth, h Host, sid string) // what the agent does, turn by turn
	of    string                                             // the file of which a document is open, if one is
	op    string                                             // what is said of the file as a whole
	in    string                                             // of which file
}

var againKinds = []againKind{
	{"deleted", map[string]string{"sub/f": abc, "a": abc}, []func(*testing.T, *earth, Host, string){
		func(t *testing.T, w *earth, h Host, sid string) {
			must(t, os.RemoveAll(w.path("sub")))
			must(t, h.WriteTextFile(t.Context(), sid, w.path("a"), aBc))
		},
	}, "sub/f", "delete", "sub/f"},
	{"changed and deleted", map[string]string{"f": abc}, []func(*testing.T, *earth, Host, string){
		func(t *testing.T, w *earth, _ Host, _ string) { writeFile(t, w.path("f"), aBc) },
		func(t *testing.T, w *earth, _ Host, _ string) { must(t, os.Remove(w.path("f"))) },
	}, "f", "delete", "f"},
	{"empty, deleted", map[string]string{"f": ""}, []func(*testing.T, *earth, Host, string){
		func(t *testing.T, w *earth, _ Host, _ string) { must(t, os.Remove(w.path("f"))) },
	}, "f", "delete", "f"},
	{"renamed", map[string]string{"f": ten}, []func(*testing.T, *earth, Host, string){
		func(t *testing.T, w *earth, _ Host, _ string) { must(t, os.Rename(w.path("f"), w.path("g"))) },
	}, "f", "rename", "g"},
	{"made", nil, []func(*testing.T, *earth, Host, string){
		func(t *testing.T, w *earth, _ Host, _ string) { writeFile(t, w.path("f"), abc) },
	}, "f", "create", "f"},
	{"may be run", map[string]string{"f": abc}, []func(*testing.T, *earth, Host, string){
		func(t *testing.T, w *earth, _ Host, _ string) { must(t, os.Chmod(w.path("f"), 0o755)) },
	}, "f", "modify", "f"},
	{"no text any more", map[string]string{"f": abc}, []func(*testing.T, *earth, Host, string){
		func(t *testing.T, w *earth, _ Host, _ string) { writeFile(t, w.path("f"), "\x00\x01") },
	}, "f", "modify", "f"},
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
}

// What an agent has done to files as a whole is undecided yet when acp-ls has ended and is started
// anew, and can be taken back: whether a document was open, with unsaved text or without, whether
// its editor lives on, and whether that opens it before the journal is read or after.
func TestWholeFilesAgain(t *testing.T) {
	t.Parallel()
	for _, k := range againKinds {
		if k.name == "may be run" && runtime.GOOS == "windows" {
			continue // which has no such mode
		}
		for _, doc := range []string{"closed", "clean", "dirty"} {
			for _, end := range []string{"killed", "killed in the turn", "ended"} {
				if end == "killed in the turn" && k.op != "delete" {
					continue // nobody knows what else it was
				}
				for _, lives := range []bool{true, false} {
					for _, opens := range []string{"before", "after", "never"} {
						if doc != "closed" && (k.op == "create" || k.name == "no text any more") {
							continue // what is made under a document is the user's file, and what is no text has none
						}
						if k.op == "rename" && doc == "dirty" && lives {
							continue // the file comes back under what is unsaved, in conflict with that
						}
						if lives && (opens == "never") != (doc == "closed") {
							continue // an editor that lives has open what it had
						}
						if !lives && opens != "never" && k.name == "no text any more" {
							continue // no editor opens that
						}
						t.Run(fmt.Sprintf("%s, %s, %s, editor lives %v, opens %s", k.name, doc, end, lives, opens), func(t *testing.T) {
							t.Parallel()
							synctest.Test(t, func(t *testing.T) { k.again(t, doc, end, lives, opens) })
						})
					}
				}
			}
		}
	}
}

const dirtyRow = "user\n"

func (k againKind) again(t *testing.T, doc, end string, lives bool, opens string) {
	w := newEarth(t)
	for name, content := range k.had {
		must(t, os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
		writeFile(t, w.path(name), content)
	}
	w.start()
	uri := w.uri(k.of)
	if doc != "closed" {
		w.e.open(uri, k.had[k.of])
	}
	if doc == "dirty" {
		w.e.typeAt(uri, 0, 0, dirtyRow)
	}
	synctest.Wait()
	var state, root string
	var texts map[string]string
	for _, do := range k.turns {
		turnOf(t, w.c, w.l, func(h Host, sid string) {
			do(t, w, h, sid)
			state, root = w.snapshot()
			texts = w.e.texts()
		})
	}
	op := func() string {
		op, _, _ := strings.Cut(w.hunks(k.in), " ")
		return op
	}
	all := func() string { return fmt.Sprintf("%+v", w.c.Reviews("", "")) }
	if op() != k.op {
		t.Fatalf("hunks %v", all())
	}
	if end != "killed in the turn" {
		time.Sleep(2 * quietBefore) // until it is written down
		texts = w.e.texts()
	}
	switch end {
	case "killed":
		w.kill()
	case "killed in the turn":
		w.close()
		w.revert(state, root)
	default:
		w.e.at.Detach()
		w.close()
	}
	if !lives && opens != "never" {
		b, _ := os.ReadFile(w.path(k.of)) // which need not be there
		texts = map[string]string{uri: string(b)}
	}
	if opens == "before" {
		w.opens = texts
	}
	w.start()
	if opens == "after" {
		synctest.Wait()
		for uri, s := range texts {
			w.e.open(uri, s)
		}
	}
	synctest.Wait()
	if op() != k.op {
		t.Errorf("hunks %s", all())
	}
	for _, m := range w.e.said() {
		if strings.Contains(m, "not to be found") {
			t.Errorf("told %q", m)
		}
	}
	if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
		t.Errorf("rejected: %+v, %v", d, err)
	}
	synctest.Wait()
	want, had := k.had[k.of]
	if _, err := os.Lstat(w.path(k.of)); had && err != nil && (lives || opens == "never") {
		t.Errorf("all rejected: %v", err) // an editor need not write what it has read
	}
	if doc == "dirty" && lives {
		want = dirtyRow + want
	}
	if got, open := w.e.texts()[uri]; open {
		if got != want {
			t.Errorf("all rejected, the document has %q, want %q", got, want)
		}
		must(t, os.MkdirAll(filepath.Dir(w.path(k.of)), 0o755))
		writeFile(t, w.path(k.of), got)
		w.e.send(buffers.Save{URI: uri})
		synctest.Wait()
		had = true
	}
	if len(w.c.Reviews("", "")) > 0 {
		t.Errorf("all rejected, there is %s", all())
	}
	if b, err := os.ReadFile(w.path(k.of)); had && (err != nil || string(b) != want) || !had && !isMissing(err) {
		t.Errorf("all rejected, the file has %q, %v, want %q", b, err, want)
	}
	for name, want := range k.had {
		if b, err := os.ReadFile(w.path(name)); name != k.of && (err != nil || string(b) != want) {
			t.Errorf("all rejected, %s has %q, %v", name, b, err)
		}
	}
	if _, err := os.Lstat(w.path(k.in)); k.in != k.of && !isMissing(err) {
		t.Errorf("all rejected, %s is there: %v", k.in, err)
	}
}
