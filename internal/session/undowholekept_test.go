package session

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
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
		w.e.await("that the document of an old name is not said to be elsewhere", func() bool {
			for _, r := range w.e.reviews {
				if r.File != nil && r.File.Op == "rename" && r.File.To != "" && !isThere(buffers.Path(r.File.To)) {
					return false
				}
			}
			return true
		})
		rejected := map[string]string{} // of a link in the place of an open file that is not listed in later runs
		if !open {
			rejected = w.allHunks(review.StateRejected)
		}
		tree := wholeTree(t, w.root)
		out := fmt.Sprintf("%v, refused %q, %v; undecided %q, rejected %q; documents %q", tree, said(d.Refused), err, w.allHunks(), rejected, documents())
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
					runOneIn(t, 3, fmt.Sprintf("%s, accepted %s, by %s, open %v", kind, accepts, by, open), func(t *testing.T) {
						t.Parallel()
						want := outcome(t, kind, accepts, by, "", open)
						restarts := []string{"killed"}
						if by == "the session" {
							restarts = append(restarts, "ended, and killed")
						}
						for _, restart := range restarts {
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

// allHunks shows the hunks of all files, and what has become of those as a whole.
func (w *earth) allHunks(states ...review.State) map[string]string {
	out := map[string]string{}
	for _, r := range w.c.Reviews("", "", states...) {
		name, err := filepath.Rel(w.root, r.Path)
		if err != nil {
			w.t.Fatal(err)
		}
		if s := w.hunks(name, states...); s != "" {
			out[name] = s
		}
	}
	return out
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
			want := w.allHunks()
			w.again(true)
			if got := w.allHunks(); !maps.Equal(got, want) {
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

// So is what several turns have done to one file, by each of the turns and by the session.
func TestTurnsOfWholesAreTakenBackInLaterRuns(t *testing.T) {
	t.Parallel()
	type act = func(t *testing.T, at func(string) string)
	put := func(name, content string) act {
		return func(t *testing.T, at func(string) string) { writeFile(t, at(name), content) }
	}
	move := func(from, to string) act {
		return func(_ *testing.T, at func(string) string) { os.Rename(at(from), at(to)) }
	}
	mode := func(name string, m os.FileMode) act {
		return func(_ *testing.T, at func(string) string) { os.Chmod(at(name), m) }
	}
	remove := func(name string) act {
		return func(_ *testing.T, at func(string) string) { os.Remove(at(name)) }
	}
	five := strings.Replace(ten, "5\n", "FIVE\n", 1)
	both := strings.Replace(five, "9\n", "NINE\n", 1)
	always := []string{"nothing", "before", "after"}
	for name, x := range map[string]struct {
		accepts []string
		was     act // nil: there is none
		turns   []act
	}{
		"rows, renamed":       {always, put("f", ten), []act{put("f", five), move("f", "g")}},
		"rows twice, renamed": {always, put("f", ten), []act{put("f", five), put("f", both), move("f", "g")}},
		"renamed, rows":       {always, put("f", ten), []act{move("f", "g"), put("g", five)}},
		"renamed twice":       {[]string{"before"}, put("f", ten), []act{move("f", "g"), move("g", "h")}},
		"made, renamed":       {[]string{"before"}, nil, []act{put("f", ten), move("f", "g")}},
		"mode, renamed":       {always, put("f", ten), []act{mode("f", 0o755), move("f", "g")}},
		"mode, rows":          {always, put("f", ten), []act{mode("f", 0o755), put("f", five)}},
		"rows, mode":          {always, put("f", ten), []act{put("f", five), mode("f", 0o755)}},
		"empty, rows":         {always, nil, []act{put("f", ""), put("f", ten)}},
		"made, mode":          {always, nil, []act{put("f", ten), mode("f", 0o755)}},
		"made, deleted":       {always, nil, []act{put("f", ten), remove("f")}},
		"rows, deleted":       {always, put("f", ten), []act{put("f", five), remove("f")}},
		"binary thrice":       {always, put("f", "\x00a"), []act{put("f", "\x00b"), put("f", "\x00c"), put("f", "\x00d")}},
		"binary, deleted":     {always, put("f", "\x00a"), []act{put("f", "\x00b"), remove("f")}},
		"binary made again":   {always, put("f", "\x00a"), []act{remove("f"), put("f", "\x00b")}},
		"binary, renamed":     {always, put("f", "\x00a"), []act{put("f", "\x00b"), move("f", "g")}},
		"binary, mode":        {always, put("f", "\x00a"), []act{put("f", "\x00b"), mode("f", 0o755)}},
		"mode, binary":        {always, put("f", ten), []act{mode("f", 0o755), put("f", "\x00b")}},
		"binary, text again":  {always, put("f", ten), []act{put("f", "\x00b"), put("f", five)}},
	} {
		outcome := func(t *testing.T, accepts string, turn int, restart bool) string {
			w := newEarth(t)
			if x.was != nil {
				x.was(t, w.path)
			}
			w.start()
			turns := []string{""}
			for _, does := range x.turns {
				turnOf(t, w.c, w.l, func(Host, string) { does(t, w.path) })
				turns = append(turns, w.c.allSessions()[0].lastSent)
			}
			s := w.c.allSessions()[0].id
			accept := func(when string) {
				if accepts != when {
					return
				}
				if _, err := w.c.Accept(t.Context(), Decide{}); err != nil {
					t.Error(err)
				}
			}
			accept("before")
			if restart {
				w.again(true)
			}
			accept("after")
			d, _ := w.c.Undo(t.Context(), s, turns[turn]) // of a turn of which nothing is left it says that it is not known
			return strings.ReplaceAll(fmt.Sprintf("%q, refused %q; undecided %q", wholeTree(t, w.root), d.Refused, w.allHunks()), w.root, "")
		}
		for _, accepts := range x.accepts {
			for turn := range len(x.turns) + 1 {
				t.Run(fmt.Sprintf("%s, accepted %s, turn %d", name, accepts, turn), func(t *testing.T) {
					t.Parallel()
					want := outcome(t, accepts, turn, false)
					if got := outcome(t, accepts, turn, true); got != want {
						t.Errorf("got\n%s, want\n%s", got, want)
					}
				})
			}
		}
	}
}

// Whoever changes rows of a file has not done what another session has done to it as a whole.
func TestRowsDoNotMakeTheWholeTheirs(t *testing.T) {
	for name, x := range map[string]struct {
		made bool
		does func(at func(string) string)
		file string // that it is then
	}{
		"made":       {true, func(at func(string) string) { writeFile(t, at("f"), ten) }, "f"},
		"renamed":    {false, func(at func(string) string) { os.Rename(at("f"), at("g")) }, "g"},
		"may be run": {false, func(at func(string) string) { os.Chmod(at("f"), 0o755) }, "f"},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, _, root := setup(t, l)
			at := func(n string) string { return filepath.Join(root, n) }
			if !x.made {
				writeFile(t, at("f"), ten)
			}
			turnOf(t, c, l, func(Host, string) { x.does(at) })
			want := wholeTree(t, root)
			second, err := c.NewSession(t.Context(), NewSession{Agent: "fake", Cwd: root})
			if err != nil {
				t.Fatal(err)
			}
			l.prompt = turnDoing(func(Host, string) { // as it is, with its mode
				if err := os.WriteFile(at(x.file), []byte(strings.Replace(ten, "5\n", "FIVE\n", 1)), 0o644); err != nil {
					t.Error(err)
				}
			})
			if _, err := c.Prompt(t.Context(), Prompt{Session: second.Session, Text: "go", Wait: true}); err != nil {
				t.Fatal(err)
			}
			if d, err := c.Reject(t.Context(), Decide{Session: second.Session}); err != nil || len(d.Decided) != 1 || len(d.Refused) > 0 {
				t.Errorf("%+v %v", d, err)
			}
			if got := wholeTree(t, root); !sameTree(got, want) {
				t.Errorf("there is %q, want %q", got, want)
			}
		})
	}
}
