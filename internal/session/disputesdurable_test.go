package session

import (
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// writesDisk has the agent write a file behind our back, in a turn of its own.
func (w *earth) writesDisk(name, content string) {
	w.t.Helper()
	turnOf(w.t, w.c, w.l, func(h Host, sid string) {
		writeFile(w.t, w.path(name), content)
		h.Update(sid, ToolPatch{ID: "t", Title: str("Run"), Kind: str("execute"), Status: str("completed")})
	})
}

// What of the disk is in conflict with unsaved text is so after a crash too: it can be settled
// each way, is gone when the disk gives it up, and what the disk has next is not in conflict
// with what it had.
func TestDisputesSurvive(t *testing.T) {
	const old, mine, theirs = "a\nb\nc\nd\ne\nf\n", "a\nmine\nc\nd\ne\nf\n", "a\ntheirs\nc\nd\ne\nf\n"
	for _, x := range []struct {
		name string
		do   func(w *earth)
		text string
		open string // conflicts
	}{
		{"mine", func(w *earth) { w.resolve("f", review.TakeMine) }, mine, ""},
		{"theirs", func(w *earth) { w.resolve("f", review.TakeTheirs) }, theirs, ""},
		{"both", func(w *earth) { w.resolve("f", review.TakeBoth) }, "a\nmine\ntheirs\nc\nd\ne\nf\n", ""},
		{"given up", func(w *earth) { w.writesDisk("f", old) }, mine, ""},
		{"more beside it", func(w *earth) { w.writesDisk("f", "a\ntheirs\nc\nd\ne\nF\n") }, "a\nmine\nc\nd\ne\nF\n", "mine|>theirs|"},
		{"anew", func(w *earth) { w.writesDisk("f", "a\nnew\nc\nd\ne\nf\n") }, mine, "mine|>new|"},
		{"saved", func(w *earth) {
			writeFile(w.t, w.path("f"), w.e.text(w.uri("f")))
			w.e.send(buffers.Save{URI: w.uri("f")})
			w.writesDisk("f", "a\nmine\nc\nd\ne\nF\n")
		}, "a\nmine\nc\nd\ne\nF\n", "mine|>theirs|"},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			for crashes := range 3 {
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("f"), old)
				w.e.open(w.uri("f"), old)
				w.e.replace(w.uri("f"), "b\n", "mine\n")
				w.writesDisk("f", theirs)
				w.wantHunks("f", "mine|>theirs|", review.StateConflict)
				for range crashes {
					live := w.crash()[w.uri("f")]
					w.e.open(w.uri("f"), live)
					w.wantHunks("f", "mine|>theirs|", review.StateConflict)
					w.wantHunks("f", "", review.StatePending)
				}
				x.do(w)
				w.wantHunks("f", x.open, review.StateConflict)
				if got := w.e.text(w.uri("f")); got != x.text {
					t.Errorf("after %d crashes the text is %q, want %q", crashes, got, x.text)
				}
			}
		})
	}
}

// If the editor has died too, what the disk has is the text, and what was in conflict there is
// the agent's yet.
func TestDisputesOnDiskAreTheAgents(t *testing.T) {
	w := newEarth(t)
	w.start()
	const old, theirs = "a\nb\nc\nd\ne\nf\n", "a\ntheirs\nc\nd\ne\nF\n"
	writeFile(t, w.path("f"), old)
	w.e.open(w.uri("f"), old)
	w.e.replace(w.uri("f"), "b\n", "mine\n")
	w.writesDisk("f", theirs)
	w.wantHunks("f", "mine|>theirs|", review.StateConflict)
	w.wantHunks("f", "f|>F|", review.StatePending)
	for range 2 {
		w.crash()
		w.wantHunks("f", "b|>theirs| f|>F|", review.StatePending)
	}
	w.e.open(w.uri("f"), theirs)
	w.wantHunks("f", "b|>theirs| f|>F|", review.StatePending)
	if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil {
		t.Fatal(err)
	}
	if got := w.e.text(w.uri("f")); got != old {
		t.Errorf("after reject %q", got)
	}
}

func (w *earth) resolve(name string, take review.Take) {
	w.t.Helper()
	h := hunksOf(w.t, w.c, w.uri(name), review.StateConflict)
	if len(h) != 1 {
		w.t.Fatalf("conflicts %+v", h)
	}
	if _, err := w.c.Resolve(w.t.Context(), h[0].ID, string(take)); err != nil {
		w.t.Fatal(err)
	}
}
