package session

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// What agents have done to files as a whole and is undecided when acp-ls is started anew is taken back as if it
// had not been: by the session, its last turn or a rejection of all, also if it was accepted before or after that.
func TestWholesAreTakenBackInLaterRuns(t *testing.T) {
	t.Parallel()
	ofText := func(kind string) bool {
		root := t.TempDir()
		wholeKinds[kind].before(t, func(n string) string { return filepath.Join(root, n) })
		b, err := os.ReadFile(filepath.Join(root, "f"))
		return err == nil && len(b) > 0 && b[0] != 0
	}
	// The outcome is what there is then and what is said of it.
	outcome := func(t *testing.T, kind, accepts, by, restart string, open bool) string {
		w := newEarth(t)
		k := wholeKinds[kind]
		k.before(t, w.path)
		writeFile(t, w.path("other"), "\x00old")
		w.start()
		if open {
			w.e.open(w.uri("f"), readFile(t, w.path("f")))
		}
		turnOf(t, w.c, w.l, func(Host, string) { writeFile(t, w.path("other"), "\x00new") })
		turnOf(t, w.c, w.l, func(Host, string) {
			k.does(t, w.path)
			writeFile(t, w.path("other"), "\x00newer")
		})
		s := w.c.allSessions()[0]
		again := func() {
			switch restart {
			case "killed":
				w.again(true)
			case "ended, and killed":
				w.again(false)
				w.again(true)
			}
		}
		accept := func() {
			if d, err := w.c.Accept(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
				t.Errorf("accepted: %+v %v", d, err)
			}
		}
		if accepts == "before" {
			accept()
		}
		remote := s.remoteID()
		again()
		if accepts == "after" {
			accept()
		}
		var d Decision
		var err error
		switch by {
		case "the session":
			d, err = w.c.Undo(t.Context(), s.id, "")
		case "the session, opened again":
			id := s.id
			if restart != "" {
				w.c.launcher = reopeningLauncher{w.l}
				i, err := w.c.LoadSession(t.Context(), "fake", remote, w.root)
				if err != nil {
					t.Fatal(err)
				}
				id = i.Session
			}
			d, err = w.c.Undo(t.Context(), id, "")
		case "the turn":
			d, err = w.c.Undo(t.Context(), s.id, s.lastSent)
		case "rejection":
			d, err = w.c.Reject(t.Context(), Decide{})
		case "rejection of the session":
			d, err = w.c.Reject(t.Context(), Decide{Session: s.id})
		case "rejection of the turn":
			d, err = w.c.Reject(t.Context(), Decide{Session: s.id, Turn: s.lastSent})
		}
		said := func(refused []Refusal) (out []string) {
			for _, r := range refused {
				out = append(out, strings.ReplaceAll(r.Reason, w.root, ""))
			}
			return out
		}
		documents := func() map[string]string {
			out := map[string]string{}
			for uri, text := range w.e.texts() {
				out[strings.TrimPrefix(uri, w.uri(""))] = text
			}
			return out
		}
		tree := wholeTree(t, w.root)
		out := fmt.Sprintf("%v, refused %q, %v; undecided %q, rejected %q; documents %q", tree, said(d.Refused), err, w.hunks(""), w.hunks("", review.StateRejected), documents())
		again()
		if now := wholeTree(t, w.root); !sameTree(tree, now) {
			t.Errorf("once more started there is %q, and was %q", now, tree)
		}
		return out
	}
	for _, kind := range slices.Sorted(maps.Keys(wholeKinds)) {
		for _, accepts := range []string{"nothing", "before", "after"} {
			for _, by := range []string{"the session", "the session, opened again", "the turn", "rejection", "rejection of the session", "rejection of the turn"} {
				for _, open := range []bool{false, true} {
					if accepts != "nothing" && strings.HasPrefix(by, "rejection") || open && !ofText(kind) {
						continue
					}
					t.Run(fmt.Sprintf("%s, accepted %s, by %s, open %v", kind, accepts, by, open), func(t *testing.T) {
						t.Parallel()
						want := outcome(t, kind, accepts, by, "", open)
						for _, restart := range []string{"killed", "ended, and killed"} {
							if got := outcome(t, kind, accepts, by, restart, open); got != want {
								t.Errorf("%s:\n%s, want\n%s", restart, got, want)
							}
						}
					})
				}
			}
		}
	}
}

// A journal that does not say whose the changes of files as a whole are, as it was written before it did, is
// taken up: they are undecided, and can be taken back.
func TestWholesOfNobodyAreTakenBack(t *testing.T) {
	t.Parallel()
	for kind, k := range wholeKinds {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			w := newEarth(t)
			w.records = func(records []journal.Record) {
				for i := range records {
					r := &records[i]
					x, ok := besideIn(*r)
					if _, accepted := r.AcceptedIn(); !ok || accepted || x.Whole == nil {
						continue
					}
					if x.Whole = nil; r.Opaque != "" {
						x.Sessions = nil
					}
					r.Beside = x.encode()
				}
			}
			k.before(t, w.path)
			was := wholeTree(t, w.root)
			w.start()
			turnOf(t, w.c, w.l, func(Host, string) { k.does(t, w.path) })
			want := w.hunks("")
			w.again(true)
			if got := w.hunks(""); got != want {
				t.Errorf("undecided %q, want %q", got, want)
			}
			if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v %v", d, err)
			}
			if got := wholeTree(t, w.root); !sameTree(got, was) {
				t.Errorf("there is %q, and was %q", got, was)
			}
		})
	}
}

// A file that is renamed and then made one that may be run, in one turn in which it was looked at in between,
// is neither when that is taken back.
func TestRenamedAndThenMayBeRun(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	at := func(n string) string { return filepath.Join(root, n) }
	writeFile(t, at("f"), ten)
	was := wholeTree(t, root)
	turnOf(t, c, l, func(Host, string) {
		os.Rename(at("f"), at("g"))
		s := c.allSessions()[0]
		c.turnPoint(s, s.now())
		os.Chmod(at("g"), 0o755)
	})
	if r := c.Reviews("", ""); len(r) != 1 || r[0].File == nil || r[0].File.Op != "rename" || r[0].File.Mode != "+x" {
		t.Errorf("%+v", r)
	}
	if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
		t.Errorf("%+v %v", d, err)
	}
	if got := wholeTree(t, root); !sameTree(got, was) {
		t.Errorf("there is %q, and was %q", got, was)
	}
}
