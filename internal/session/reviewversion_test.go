package session

import (
	"runtime"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// While a change of a document is being taken in, the rows of a review are those of the text before:
// it does not say the version of the one after, or an editor that has just told of that keeps what
// it draws. Whoever asks comes at any moment.
func TestReviewsAreOfTheVersionTheySay(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path, uri := e.openTen(root)
	turnOf(t, c, l, func(h Host, sid string) {
		if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "5\n", "FIVE\n", 1)); err != nil {
			t.Error(err)
		}
	})
	f := c.file(buffers.Path(path))
	f.mu.Lock()
	before, _ := e.at.Document(uri)
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.replace(uri, "FIVE\n", "5\n")
	}()
	for { // the change is in the document, and waits to be taken in
		if d, _ := e.at.Document(uri); d.Version != before.Version {
			break
		}
		runtime.Gosched()
	}
	first := f.review(f.hunks())
	f.mu.Unlock()
	<-done
	f.mu.Lock()
	defer f.mu.Unlock()
	after, _ := e.at.Document(uri)
	if len(first.Hunks) != 1 || *first.Version >= after.Version {
		t.Errorf("%d hunks of version %d; the document has %d by now, and had %d", len(first.Hunks), *first.Version, after.Version, before.Version)
	}
	if r := f.review(f.hunks()); len(r.Hunks) != 0 || *r.Version != after.Version || r.Seq <= first.Seq {
		t.Errorf("%d hunks of version %d, number %d; want none, of %d, above %d", len(r.Hunks), *r.Version, r.Seq, after.Version, first.Seq)
	}
}
