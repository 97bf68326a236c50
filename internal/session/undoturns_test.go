package session

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

var undoTurns = flag.String("undoturns", "", "the part of the table of turns that are undone to play: all, or the lines whose names have that; by default a sample")

// turnsDone is what two turns do to a file, one thing after the other, and what becomes of that.
type turnsDone struct {
	turns   [2][]string // edit, delete, make, rename, mode
	made    bool        // there is no file before
	open    bool        // it has a document, if there is a file
	accepts string      // what is accepted: nothing, first (that turn, before the second) or all
	undoes  string      // of which turns, in that order
}

func (x turnsDone) String() string {
	var turns []string
	for _, does := range x.turns {
		turns = append(turns, strings.Join(does, "+"))
	}
	return fmt.Sprintf("%s %s, accepted %s, undone %s, open %v", map[bool]string{true: "none", false: "file"}[x.made], strings.Join(turns, ", "), x.accepts, x.undoes, x.open)
}

// where is the name that the file has which had that one, when something was done to it; ok: that can be done.
func where(name, does string) (_ string, ok bool) {
	switch {
	case name == "" && does == "make":
		return "f", true
	case name == "" || does == "make":
		return name, false
	case does == "delete":
		return "", true
	case does == "rename":
		return map[string]string{"f": "g", "g": "f"}[name], true
	}
	return name, true
}

// turnsToUndo are all turns of at most so many things.
func turnsToUndo(most int) (out []turnsDone) {
	type state struct {
		does []string
		name string
	}
	from := func(name string) (out []state) {
		at := []state{{name: name}}
		for range most {
			var next []state
			for _, s := range at {
				for _, does := range []string{"edit", "delete", "make", "rename", "mode"} {
					if name, ok := where(s.name, does); ok {
						next = append(next, state{append(slices.Clone(s.does), does), name})
					}
				}
			}
			out, at = append(out, next...), next
		}
		return out
	}
	for _, made := range []bool{false, true} {
		for _, first := range from(map[bool]string{true: "", false: "f"}[made]) {
			for _, second := range from(first.name) {
				for _, accepts := range []string{"nothing", "first", "all"} {
					for _, undoes := range []string{"1", "2", "12", "21"} {
						for _, open := range []bool{false, true} {
							if open && made {
								continue
							}
							out = append(out, turnsDone{[2][]string{first.does, second.does}, made, open, accepts, undoes})
						}
					}
				}
			}
		}
	}
	return out
}

// outcome is what there is when turns are undone, and what is said of it, by kinds: in the run in which they were, or
// in a later one. was and is are what the folder had before them and has then.
func (x turnsDone) outcome(t *testing.T, restarted bool) (out, was, is map[string]string) {
	w := newEarth(t)
	defer w.close()
	w.prepare = func(e *fakeEditor) {
		e.caps["save"], e.caps["reload"] = true, true
		e.onSave = func(uri string) error {
			p, _ := buffers.URIPath(uri)
			writeFile(t, p, e.text(uri))
			e.send(buffers.Save{URI: uri})
			return nil
		}
		e.onReload = func(uri string) (bool, error) {
			p, _ := buffers.URIPath(uri)
			if !isThere(buffers.Path(p)) {
				return false, nil
			}
			e.reopen(uri, p)
			return true, nil
		}
	}
	name := ""
	if !x.made {
		writeFile(t, w.path("f"), ten)
		name = "f"
	}
	w.start()
	if x.open {
		w.e.open(w.uri("f"), ten)
	}
	was = wholeTree(t, w.root)
	var turns []string
	for n, does := range x.turns {
		turnOf(t, w.c, w.l, func(Host, string) {
			for k, what := range does {
				if k > 0 {
					s := w.c.allSessions()[0]
					w.c.turnPoint(s, s.now())
				}
				name = w.does(name, what, 2*n+k)
			}
		})
		turns = append(turns, w.c.allSessions()[0].lastSent)
		if x.accepts == "first" && n == 0 || x.accepts == "all" && n == 1 {
			if _, err := w.c.Accept(t.Context(), Decide{}); err != nil {
				t.Error(err)
			}
		}
	}
	s := w.c.allSessions()[0].id
	if restarted {
		for _, f := range w.c.allFiles() {
			f.keep(true)
		}
		w.again(true)
	}
	out = map[string]string{}
	for _, n := range x.undoes {
		d, err := w.c.Undo(t.Context(), s, turns[n-'1'])
		note := func(kind string, what any) {
			out[kind] += strings.ReplaceAll(fmt.Sprintf("%q\n", what), w.root, "")
		}
		if KindOf(err) == KindInvalid || KindOf(err) == KindUnknownSession {
			err = nil // of a turn of which nothing is left it says that it is not known
		}
		note("disk", wholeTree(t, w.root))
		texts := map[string]string{}
		for uri, text := range w.e.texts() {
			texts[strings.TrimPrefix(uri, w.uri(""))] = text
		}
		note("documents", texts)
		note("refused", fmt.Sprint(d.Refused, err))
		note("undecided", w.allReviews())
		note("rejected", w.allReviews(review.StateRejected))
	}
	return out, was, wholeTree(t, w.root)
}

// does is what an agent does to a file of that name on disk; it returns the name of that then.
func (w *earth) does(name, what string, n int) string {
	w.t.Helper()
	next, _ := where(name, what)
	path := w.path(name)
	var err error
	switch what {
	case "edit":
		var b []byte
		b, err = os.ReadFile(path)
		rows := strings.SplitAfter(string(b), "\n")
		rows[2*n+1] = fmt.Sprintf("agent %d\n", n)
		if err == nil {
			err = os.WriteFile(path, []byte(strings.Join(rows, "")), 0o644)
		}
	case "delete":
		err = os.Remove(path)
	case "make":
		var rows strings.Builder
		for i := range 10 {
			fmt.Fprintf(&rows, "made %d, row %d\n", n, i)
		}
		err = os.WriteFile(w.path(next), []byte(rows.String()), 0o644)
	case "rename":
		err = os.Rename(path, w.path(next))
	case "mode":
		info, e := os.Stat(path)
		if err = e; err == nil {
			err = os.Chmod(path, info.Mode()^0o111)
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return next
}

// allReviews shows all that is to be reviewed.
func (w *earth) allReviews(states ...review.State) (out []string) {
	for _, r := range w.c.Reviews("", "", states...) {
		s := r.Path
		if f := r.File; f != nil {
			s += fmt.Sprintf(" %s %s %s %s %s", f.Op, f.From, f.To, f.State, f.Mode)
		}
		for _, h := range r.Hunks {
			s += fmt.Sprintf(" %s %d:%s>%s", h.State, h.StartLine, h.BaseText, h.Text)
		}
		out = append(out, s)
	}
	slices.Sort(out)
	return out
}

// isSampled reports whether the line of the table is always played.
func (x turnsDone) isSampled() bool {
	undoes := "21"
	if x.turns[0][0] == "rename" {
		undoes = "12"
	}
	return len(x.turns[0])+len(x.turns[1]) == 2 && x.accepts == "nothing" && x.undoes == undoes && !x.open
}

// What is undone of what two turns have made of a file as a whole is in a later run what it is in the one in which
// they did it; undone both, and nothing was accepted, the file is what it was.
func TestTurnsUndoneInLaterRuns(t *testing.T) {
	t.Setenv("PATH", "") // no git: what the folder held is copied
	for _, x := range turnsToUndo(2) {
		if *undoTurns == "" && !x.isSampled() || *undoTurns != "all" && !strings.Contains(x.String(), *undoTurns) {
			continue
		}
		t.Run(x.String(), func(t *testing.T) {
			var want, got map[string]string
			var was, is map[string]string
			synctest.Test(t, func(t *testing.T) { want, was, is = x.outcome(t, false) })
			synctest.Test(t, func(t *testing.T) { got, _, _ = x.outcome(t, true) })
			for _, kind := range []string{"disk", "documents", "refused", "undecided", "rejected"} {
				if got[kind] != want[kind] {
					t.Errorf("%s, started anew:\n%s, else\n%s", kind, got[kind], want[kind])
				}
			}
			if len(x.undoes) == 2 && x.accepts == "nothing" && !x.open && !sameTree(was, is) {
				t.Errorf("undone there is %q, and was %q", is, was)
			}
		})
	}
}
