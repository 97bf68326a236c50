package session

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// decisions lists what can be brought back by the decisions that have rejected it, the last one first:
// names of files, with the rows of a hunk.
func (w *earth) decisions() []string {
	by := map[int64][]string{}
	for _, r := range w.c.Reviews("", "", review.StateRejected) {
		name := filepath.Base(r.Path)
		for _, h := range r.Hunks {
			by[r.Decided[h.ID]] = append(by[r.Decided[h.ID]], name+":"+strings.TrimSpace(h.Text))
		}
		if r.File != nil && r.File.State == string(review.StateRejected) {
			by[r.File.Decided] = append(by[r.File.Decided], name)
		}
	}
	var out []string
	for _, n := range slices.Backward(slices.Sorted(maps.Keys(by))) {
		slices.Sort(by[n])
		if n == 0 {
			by[n] = append(by[n], "(none)")
		}
		out = append(out, strings.Join(by[n], " "))
	}
	return out
}

// What each decision has rejected is known by its number, hunks and files as a whole, also to a
// later run; what comes back and is rejected once more is the last.
func TestRejectionsAreNumbered(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	for _, name := range []string{"a", "b"} {
		writeFile(t, w.path(name), ten)
	}
	writeFile(t, w.path("pic"), "\x00\x01")
	writeFile(t, w.path("run"), ten)
	w.start()
	turnOf(t, w.c, w.l, func(Host, string) {
		for _, name := range []string{"a", "b"} {
			writeFile(t, w.path(name), strings.NewReplacer("2\n", "two\n", "8\n", "eight\n").Replace(ten))
		}
		writeFile(t, w.path("pic"), "\x00\x02")
		if err := os.Chmod(w.path("run"), 0o755); err != nil {
			t.Error(err)
		}
	})
	reject := func(d Decide) {
		t.Helper()
		if out, err := w.c.Reject(t.Context(), d); err != nil || len(out.Decided) == 0 || len(out.Refused) > 0 {
			t.Fatalf("%+v, %v", out, err)
		}
	}
	id := func(name, row string, states ...review.State) string {
		t.Helper()
		for _, h := range hunksOf(t, w.c, w.uri(name), states...) {
			if h.Text == row+"\n" {
				return h.ID
			}
		}
		t.Fatalf("no hunk %q in %s", row, name)
		return ""
	}
	want := func(of ...string) {
		t.Helper()
		if got := w.decisions(); !slices.Equal(got, of) {
			t.Errorf("the decisions are %q, want %q", got, of)
		}
	}
	reject(Decide{Hunks: []string{id("a", "eight"), id("b", "two")}})
	reject(Decide{Hunks: []string{"file:" + w.path("pic")}})
	reject(Decide{URI: w.uri("a")})
	reject(Decide{Session: w.c.allSessions()[0].id})
	all := []string{"b:eight run", "a:two", "pic", "a:eight b:two"}
	want(all...)
	w.crash()
	want(all...)
	if d, err := w.c.Restore(t.Context(), Decide{Hunks: []string{id("b", "two", review.StateRejected)}}); err != nil || len(d.Decided) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	want("b:eight run", "a:two", "pic", "a:eight")
	reject(Decide{URI: w.uri("b")})
	want("b:two", "b:eight run", "a:two", "pic", "a:eight")
	w.crash()
	want("b:two", "b:eight run", "a:two", "pic", "a:eight")
}

// So is a conflict in which mine was taken.
func TestConflictsAmongRejections(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	writeFile(t, w.path("a"), ten)
	writeFile(t, w.path("b"), ten)
	w.start()
	w.e.open(w.uri("a"), ten)
	awaitLook(t, w.c.file(buffers.Path(w.path("a"))))
	w.e.replace(w.uri("a"), "2\n", "mine\n")
	w.writesDisk("a", strings.Replace(ten, "2\n", "theirs\n", 1))
	w.agent("b", strings.Replace(ten, "5\n", "five\n", 1))
	if d, err := w.c.Reject(t.Context(), Decide{URI: w.uri("b")}); err != nil || len(d.Decided) != 1 {
		t.Fatalf("%+v, %v", d, err)
	}
	conflict := hunksOf(t, w.c, w.uri("a"), review.StateConflict)
	if len(conflict) != 1 {
		t.Fatalf("conflicts %+v", conflict)
	}
	if _, err := w.c.Resolve(t.Context(), conflict[0].ID, "mine"); err != nil {
		t.Fatal(err)
	}
	if got, want := w.decisions(), []string{"a:theirs", "b:five"}; !slices.Equal(got, want) {
		t.Errorf("the decisions are %q, want %q", got, want)
	}
}

// Of a file that was deleted, and is there again, it is known that bringing that back deletes it; of
// one that was emptied it is not so, nor of one of whose rows some were taken away.
func TestARejectedDeletionIsKnown(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		does    func(path string) error
		deletes bool
	}{
		"deleted":    {does: os.Remove, deletes: true},
		"emptied":    {does: func(path string) error { return os.WriteFile(path, nil, 0o600) }},
		"less of it": {does: func(path string) error { return os.WriteFile(path, []byte("1\n"), 0o600) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEarth(t)
			writeFile(t, w.path("a"), "1\n2\n")
			w.start()
			turnOf(t, w.c, w.l, func(Host, string) {
				if err := test.does(w.path("a")); err != nil {
					t.Error(err)
				}
			})
			if d, err := w.c.Reject(t.Context(), Decide{URI: w.uri("a")}); err != nil || len(d.Refused) > 0 {
				t.Fatalf("%+v, %v", d, err)
			}
			for range 2 {
				reviews := w.c.Reviews("", "", review.StateRejected)
				if len(reviews) != 1 || len(reviews[0].Hunks) != 1 {
					t.Fatalf("%+v", reviews)
				}
				if got := reviews[0].Deletes == reviews[0].Hunks[0].ID; got != test.deletes {
					t.Errorf("deletes %v, want %v", got, test.deletes)
				}
				w.crash()
			}
		})
	}
}
