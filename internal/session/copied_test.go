package session

import (
	"os"
	"testing"
	"testing/synctest"

	"acp-ls/buffers"
)

// A document that is given another name while hunks are pending in it (`:saveas`, `:file`)
// has them under that name too, and they are decided there by themselves.
func TestCopiedDocument(t *testing.T) {
	for _, x := range []struct {
		name  string
		there bool // the copy is on disk
		typed bool // something was, that is only in the document
	}{{"saved as", true, false}, {"named anew", false, false}, {"unsaved text", true, true}} {
		t.Run(x.name, func(t *testing.T) {
			w := newEarth(t)
			w.start()
			writeFile(t, w.path("f"), abc)
			w.e.open(w.uri("f"), abc)
			w.agent("f", aBc)
			text, base := aBc, abc
			if !x.typed {
				writeFile(t, w.path("f"), aBc)
				w.e.send(buffers.Save{URI: w.uri("f")})
			} else {
				w.e.replace(w.uri("f"), "c\n", "c\nuser\n")
				text, base = aBc+"user\n", abc+"user\n"
			}
			if x.there {
				writeFile(t, w.path("g"), text)
			}
			w.e.send(buffers.Close{URI: w.uri("f")})
			w.e.open(w.uri("g"), text)
			w.e.await("the hunk of the copy", func() bool { return len(w.e.reviews[w.uri("g")].Hunks) == 1 })
			w.wantHunks("g", "b|>B|")
			if x.typed { // what was never saved of f is gone with its document
				w.e.await("the end of what was not saved", func() bool { return len(w.e.reviews[w.uri("f")].Hunks) == 0 })
			} else {
				w.wantHunks("f", "b|>B|")
			}
			if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("g")}); err != nil {
				t.Fatal(err)
			}
			if got := w.e.text(w.uri("g")); got != base {
				t.Errorf("rejected in the copy: %q", got)
			}
			w.wantHunks("g", "")
			if !x.typed {
				w.wantHunks("f", "b|>B|")
				if got := readFile(t, w.path("f")); got != aBc {
					t.Errorf("the file has %q", got)
				}
			}
			if _, err := os.Stat(w.path("g")); (err == nil) != x.there {
				t.Errorf("the copy's file: %v", err)
			}
		})
	}
}

// One that is opened with the text of a document that was closed long before is none.
func TestNotCopied(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	writeFile(t, w.path("g"), aBc)
	w.e.open(w.uri("f"), abc)
	w.agent("f", aBc)
	w.e.send(buffers.Close{URI: w.uri("f")})
	w.e.open(w.uri("h"), "other\n")
	if left := w.e.at.left; len(left) != 0 {
		t.Errorf("still remembered: %v", left)
	}
	w.e.open(w.uri("g"), aBc)
	w.wantHunks("g", "")
}

// A document that is closed, decided on and opened again is no copy of itself.
func TestNoCopyOfItself(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newEarth(t)
		w.start()
		defer w.close()
		writeFile(t, w.path("f"), abc)
		w.agent("f", aBc)
		w.e.open(w.uri("f"), aBc)
		synctest.Wait()
		w.wantHunks("f", "b|>B|")
		w.e.send(buffers.Close{URI: w.uri("f")})
		w.e.at.Settle()
		synctest.Wait()
		w.wantHunks("f", "b|>B|")
		if d, err := w.c.Accept(t.Context(), Decide{URI: w.uri("f")}); err != nil || len(d.Decided) != 1 {
			t.Fatalf("%+v, %v", d, err)
		}
		w.e.open(w.uri("f"), aBc)
		synctest.Wait()
		w.wantHunks("f", "")
	})
}
