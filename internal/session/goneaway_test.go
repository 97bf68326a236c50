package session

import (
	"os"
	"testing"

	"acp-ls/internal/review"
)

// A file that the user has deleted, or changed by another program, while nobody had it open
// is after a restart what it was before: their own doing, which decides on nothing else.
func TestRestartAfterTheUserWasAtAClosedFile(t *testing.T) {
	remove := func(w *earth) {
		if err := os.Remove(w.path("f")); err != nil {
			w.t.Fatal(err)
		}
	}
	notice := func(w *earth) { turnOf(w.t, w.c, w.l, func(Host, string) {}) }
	lost := func(w *earth) (ids []string) {
		for _, r := range w.c.Reviews(w.uri("f"), "", review.StateRejected) {
			for _, h := range r.Hunks {
				ids = append(ids, h.ID)
			}
		}
		return ids
	}
	for _, x := range []struct {
		name, had string
		do        func(w *earth)
		want      string
	}{
		{"deleted with a hunk in it", abc, func(w *earth) { w.agent("f", aBc); remove(w); notice(w) }, ""},
		{"made, deleted, brought back and accepted", "", func(w *earth) {
			w.agent("f", aBc)
			remove(w)
			notice(w)
			if _, err := w.c.Restore(t.Context(), Decide{Hunks: lost(w)}); err != nil {
				t.Error(err)
			}
			if got := readFile(t, w.path("f")); got != aBc {
				t.Errorf("brought back as %q", got)
			}
			if _, err := w.c.Accept(t.Context(), Decide{}); err != nil {
				t.Error(err)
			}
		}, ""},
		{"changed while its unsaved text was looked for", abc, func(w *earth) {
			w.e.open(w.uri("f"), abc)
			w.e.replace(w.uri("f"), "b\n", "b\nunsaved\n")
			turnOf(w.t, w.c, w.l, func(Host, string) {
				writeFile(t, w.path("f"), "a\nb\nAGENT\nc\n") // a conflict
				w.c.turnPoint(w.c.allSessions()[0], w.c.allSessions()[0].now())
			})
			w.c.file(w.c.allFiles()[0].path).keep(true)
			w.crash()
			w.wantHunks("f", ">AGENT|")
			writeFile(t, w.path("f"), "other\nb\nAGENT\nc\n")
			notice(w)
		}, ">AGENT|"},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newEarth(t)
			w.start()
			if x.had != "" {
				writeFile(t, w.path("f"), x.had)
			}
			x.do(w)
			w.wantHunks("f", x.want)
			base, err := w.c.Baseline(w.uri("f"))
			w.crash()
			w.wantHunks("f", x.want)
			if now, err2 := w.c.Baseline(w.uri("f")); now != base || (err == nil) != (err2 == nil) {
				t.Errorf("baseline %q, was %q (%v, %v)", now, base, err2, err)
			}
		})
	}
}
