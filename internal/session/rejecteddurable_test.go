package session

import (
	"os"
	"testing"

	"acp-ls/internal/review"
)

// What was rejected can be brought back after a crash, as before it: hunks of files that are
// open or not, files that were made or deleted, and after the user has gone on.
func TestRejectedSurvives(t *testing.T) {
	for _, x := range []struct {
		name        string
		old, agents string // "": there is none
		open        bool
		typed       string // put in front after the rejection
	}{
		{"closed", abc, aBc, false, ""},
		{"open", abc, aBc, true, ""},
		{"open, typed on", abc, aBc, true, "mine\n"},
		{"closed, written on", abc, aBc, false, "mine\n"},
		{"several", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n", "ONE\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\nTWELVE\n", false, ""},
		{"made", "", "new\n", false, ""},
		{"deleted", abc, "", false, ""},
	} {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			for crashes := range 3 {
				w := newEarth(t)
				w.start()
				if x.old != "" {
					writeFile(t, w.path("f"), x.old)
				}
				if x.open {
					w.e.open(w.uri("f"), x.old)
				}
				switch {
				case x.agents == "":
					turnOf(t, w.c, w.l, func(h Host, sid string) {
						if err := os.Remove(w.path("f")); err != nil {
							t.Error(err)
						}
						h.Update(sid, ToolPatch{ID: "t", Title: str("Run"), Kind: str("execute"), Status: str("completed")})
					})
				default:
					w.agent("f", x.agents)
				}
				had := w.hunks("f")
				if d, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil || len(d.Refused) > 0 {
					t.Fatalf("%+v, %v", d, err)
				}
				now := func() (string, bool) {
					if x.open {
						return w.e.text(w.uri("f")), true
					}
					b, err := os.ReadFile(w.path("f"))
					return string(b), err == nil
				}
				switch {
				case x.typed == "":
				case x.open:
					w.e.typeAt(w.uri("f"), 0, 0, x.typed)
				default:
					writeFile(t, w.path("f"), x.typed+x.old)
				}
				for range crashes {
					texts := w.crash()
					if x.open {
						w.e.open(w.uri("f"), texts[w.uri("f")])
					}
					w.wantHunks("f", "")
					if text, there := now(); text != x.typed+x.old || there != (x.old != "") {
						t.Errorf("the file has %q (%v)", text, there)
					}
				}
				if d, err := w.c.Restore(t.Context(), Decide{URI: w.uri("f")}); err != nil || len(d.Refused) > 0 || len(d.Decided) == 0 {
					t.Errorf("after %d crashes: %+v, %v", crashes, d, err)
				}
				w.wantHunks("f", had)
				if text, there := now(); text != x.typed+x.agents && x.agents != "" || there != (x.agents != "") {
					t.Errorf("after %d crashes brought back is %q (%v)", crashes, text, there)
				}
				w.crash()
				if x.open {
					w.e.open(w.uri("f"), x.typed+x.agents)
				}
				w.wantHunks("f", had)
			}
		})
	}
}

// What was rejected long ago is not listed any more, however often acp-ls was started since.
func TestRejectedLongAgoIsForgotten(t *testing.T) {
	w := newEarth(t)
	w.start()
	writeFile(t, w.path("f"), abc)
	w.agent("f", aBc)
	if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		w.later += keepRejected / 2
		w.crash()
	}
	w.wantHunks("f", "", review.StateRejected)
	if n := len(w.e.said()); n > 0 {
		t.Errorf("told %q", w.e.said())
	}
}

// A file that is gone, by the user's will or with it, is not offered as deleted after a crash
// though what was rejected in it is listed yet.
func TestRejectedInAFileThatIsGone(t *testing.T) {
	remove := func(w *earth) {
		if err := os.Remove(w.path("f")); err != nil {
			w.t.Error(err)
		}
	}
	turn := func(w *earth, do func(w *earth)) {
		turnOf(w.t, w.c, w.l, func(h Host, sid string) {
			do(w)
			h.Update(sid, ToolPatch{ID: "t", Title: str("Run"), Kind: str("execute"), Status: str("completed")})
		})
	}
	for _, x := range []struct {
		name, old string
		gone      func(w *earth)
		again     bool // what was rejected can be brought back
	}{
		{"deletion accepted", abc, func(w *earth) {
			turn(w, remove)
			w.wantHunks("f", "delete a|b|c|>", review.StatePending)
			if _, err := w.c.Accept(t.Context(), Decide{URI: w.uri("f")}); err != nil {
				t.Error(err)
			}
		}, false},
		{"deleted by the user", abc, func(w *earth) {
			remove(w)
			turn(w, func(*earth) {}) // at the start of which that is seen
		}, false},
		{"making rejected", "", func(w *earth) {
			w.agent("f", "new\n")
			if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil {
				t.Error(err)
			}
		}, true},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newEarth(t)
			w.start()
			if x.old != "" {
				writeFile(t, w.path("f"), x.old)
				w.agent("f", aBc)
				if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil {
					t.Fatal(err)
				}
			}
			x.gone(w)
			rejected := w.hunks("f", review.StateRejected)
			if rejected == "" {
				t.Error("nothing is listed as rejected")
			}
			for range 2 {
				w.crash()
				w.wantHunks("f", "", review.StatePending)
				w.wantHunks("f", rejected, review.StateRejected)
				if _, err := w.c.Reject(t.Context(), Decide{}); err != nil {
					t.Error(err)
				}
				if _, err := os.Stat(w.path("f")); err == nil {
					t.Error("the file is there again")
				}
			}
			for _, r := range w.c.Reviews(w.uri("f"), "", review.StateRejected) {
				for _, h := range r.Hunks {
					if _, err := w.c.Restore(t.Context(), Decide{Hunks: []string{h.ID}}); err != nil {
						t.Error(err)
					}
				}
			}
			if _, err := os.Stat(w.path("f")); (err == nil) != x.again {
				t.Errorf("restored: %v", err)
			}
		})
	}
}
