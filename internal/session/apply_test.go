package session

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// Working out what an agent's change of a large text comes to takes a while. The
// user types on meanwhile, and it is worked out again; but not for ever.
func TestTypingWhileAnEditIsWorkedOut(t *testing.T) {
	c, e, root := setup(t, &fakeLauncher{})
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	f := c.file(buffers.Path(path))

	begun, typed := make(chan bool), make(chan bool)
	go func() {
		defer close(typed)
		for range begun {
			// Returns only if the mutex is free.
			e.typeAt(uri, 0, 0, "x")
			typed <- true
		}
	}()
	calls := 0
	o := review.Origin{Change: "c", Author: review.AuthorAgent}
	_, err := f.change(context.Background(), operation{label: "test", apply: func(d *review.Doc) error {
		if calls++; calls <= freeTries {
			begun <- true
			<-typed
		}
		now := d.Text()
		d.AgentEdit(now.Replace(now.Len(), now.Len(), "agent\n"), o)
		return nil
	}})
	close(begun)
	<-typed
	if err != nil || calls != freeTries+1 {
		t.Errorf("worked out %d times, %v", calls, err)
	}
	if got, want := e.text(uri), "xx"+ten+"agent\n"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	if base, err := c.Baseline(uri); err != nil || base != "xx"+ten {
		t.Errorf("baseline %q, %v", base, err)
	}
}

// What has happened to a file while the mutex was free is noticed.
func TestUnchanged(t *testing.T) {
	for name, happens := range map[string]func(e *fakeEditor, f *file, uri string){
		"typing":       func(e *fakeEditor, _ *file, uri string) { e.typeAt(uri, 0, 0, "x") },
		"a new number": func(e *fakeEditor, _ *file, uri string) { e.typeAt(uri, 0, 0, "") },
		"a decision": func(_ *fakeEditor, f *file, _ string) {
			f.mu.Lock()
			defer f.mu.Unlock()
			f.doc.Accept([]string{f.doc.Hunks(review.StatePending)[0].ID})
		},
		"the same text anew": func(e *fakeEditor, _ *file, uri string) {
			e.send(buffers.Close{URI: uri})
			e.send(buffers.Open{URI: uri, Version: 1, Text: e.text(uri) + "other\n"})
		},
		"the end": func(e *fakeEditor, _ *file, uri string) {
			e.send(buffers.Close{URI: uri})
			e.wire.Lock()
			defer e.wire.Unlock()
			e.at.Settle()
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, e, root := setup(t, &fakeLauncher{})
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			f := c.file(buffers.Path(path))
			if _, err := f.change(t.Context(), operation{apply: func(d *review.Doc) error {
				d.AgentEdit(text.New(ten+"agent\n"), review.Origin{Change: "c", Author: review.AuthorAgent})
				return nil
			}}); err != nil {
				t.Fatal(err)
			}
			f.mu.Lock()
			_, doc, _ := f.live()
			unchanged := f.unchanged(doc)
			if !unchanged() {
				t.Error("nothing has happened")
			}
			f.mu.Unlock()
			happens(e, f, uri)
			f.mu.Lock()
			defer f.mu.Unlock()
			if unchanged() {
				t.Error("not noticed")
			}
		})
	}
}

// A tracked text that is not the document's, whyever, becomes that with the next
// keystroke.
func TestOutOfStep(t *testing.T) {
	c, e, root := setup(t, &fakeLauncher{})
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	f := c.file(buffers.Path(path))
	f.mu.Lock()
	f.doc.AgentEdit(text.New(ten+"never sent\n"), review.Origin{Change: "c", Author: review.AuthorAgent})
	f.mu.Unlock()
	e.typeAt(uri, 0, 0, "x")
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := f.doc.Text().String(); got != "x"+ten {
		t.Errorf("tracked %q", got)
	}
}

func TestRowsWithEnds(t *testing.T) {
	piece := rapid.SampledFrom([]string{"a", "row", "\n", "\r", "\r\n", "é"})
	rapid.Check(t, func(t *rapid.T) {
		s := strings.Join(rapid.SliceOfN(piece, 0, 30).Draw(t, "pieces"), "")
		txt := text.New(s)
		rows := rowsWithEnds(txt)
		if len(rows) != txt.LineCount() {
			t.Fatalf("%d rows of %q, not %d", len(rows), s, txt.LineCount())
		}
		for i, row := range rows {
			if want := txt.LineWithEnd(i); row != want {
				t.Fatalf("row %d of %q is %q, not %q", i, s, row, want)
			}
		}
	})
}

// Neovim tells of one edit in several notifications, the rest of them a while later, and
// makes a last row empty before that is taken away. What stands between is not the user's.
func TestEditIsMadeBitByBit(t *testing.T) {
	for name, c := range map[string]struct{ before, after, on, done string }{
		"the last row":          {"one\n", "one\ntwo\n", "one\n\n", "one\n"},
		"the only row":          {"", "one\n", "\n", ""},
		"blank rows above":      {"one\n\n \n", "one\n\n \ntwo\n", "one\n\n \n\n", "one\n\n \n"},
		"CRLF":                  {"one\r\n", "one\r\ntwo\r\n", "one\r\n\r\n", "one\r\n"},
		"the last of two parts": {"x\ntwo\nx\n", "y\ntwo\ny\nz\n", "y\ntwo\nx\n\n", "x\ntwo\nx\n"},
		"the user goes on":      {"one\n", "one\ntwo\n", "one\n\n", "zero\none\n"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newEarth(t)
				w.start()
				w.t = t
				uri := w.uri("a")
				writeFile(t, w.path("a"), c.before)
				w.e.open(uri, c.before)
				w.agent("a", c.after)
				w.e.onApply = func(DocumentEdit) (bool, error) {
					w.e.typeAt(uri, 0, len(w.e.text(uri)), c.on)
					return true, nil
				}
				decided := make(chan Decision, 1)
				go func() {
					d, err := w.c.Reject(t.Context(), Decide{URI: uri})
					if err != nil {
						t.Error(err)
					}
					decided <- d
				}()
				synctest.Wait()
				for s := w.e.text(uri); s == c.after; s = w.e.text(uri) { // what was written settles first
					time.Sleep(time.Millisecond)
				}
				synctest.Wait()
				w.e.onApply = nil
				w.e.typeAt(uri, 0, len(c.on), c.done)
				if d := <-decided; len(d.Refused) > 0 || len(d.Decided) == 0 {
					t.Errorf("%+v", d)
				}
				w.wantHunks("a", "")
				if got := w.e.text(uri); got != c.done {
					t.Errorf("text %q, want %q", got, c.done)
				}
				if base, err := w.c.Baseline(uri); err != nil || base != c.done {
					t.Errorf("baseline %q, %v", base, err)
				}
				w.close()
			})
		})
	}
}
