package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// undoable lists what can be undone, as one line each; the times are in order.
func (w *earth) undoable() []string {
	w.t.Helper()
	list, err := w.c.Undoable(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	var out []string
	for i, u := range list {
		if i > 0 && u.Time > list[i-1].Time {
			w.t.Errorf("%+v is behind %+v", u, list[i-1])
		}
		s := fmt.Sprintf("%s: %s by %s, files %d", u.Session, u.Title, u.Agent, u.Files)
		if u.Ended {
			s += ", ended"
		}
		if u.Turn != "" {
			s += ", at work"
		}
		out = append(out, s)
	}
	return out
}

func (w *earth) wantUndoable(want ...string) {
	w.t.Helper()
	if got := w.undoable(); !slices.Equal(got, want) {
		w.t.Errorf("to be undone: %q, want %q", got, want)
	}
}

// says is an agent's turn that writes a file, for a prompt.
func (w *earth) says(session, prompt, name, content string) (id string) {
	w.t.Helper()
	w.l.prompt = turnDoing(func(h Host, sid string) {
		if err := h.WriteTextFile(w.t.Context(), sid, w.path(name), content); err != nil {
			w.t.Errorf("write: %v", err)
		}
	})
	p := Prompt{Session: session, Text: prompt, Wait: true}
	if session == "" {
		i, err := w.c.NewSession(w.t.Context(), NewSession{Agent: "fake", Cwd: w.root})
		if err != nil {
			w.t.Fatal(err)
		}
		p.Session = i.Session
	}
	if _, err := w.c.Prompt(w.t.Context(), p); err != nil {
		w.t.Fatal(err)
	}
	return p.Session
}

// A session that has changed something is listed by its first prompt, or its title, as long as that can be taken
// back, in later runs too, whether it was accepted or not; and then not any more.
func TestUndoableInLaterRuns(t *testing.T) {
	t.Parallel()
	for name, k := range wholeKinds {
		for _, accepts := range []bool{false, true} {
			for _, killed := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, accepted %v, killed %v", name, accepts, killed), func(t *testing.T) {
					t.Parallel()
					w := newEarth(t)
					k.before(t, w.path)
					was := wholeTree(t, w.root)
					w.start()
					w.wantUndoable()
					w.l.prompt = turnDoing(func(Host, string) { k.does(t, w.path) })
					if _, err := w.c.Prompt(t.Context(), Prompt{Text: "do it\nand more", Wait: true}); err != nil {
						t.Fatal(err)
					}
					if accepts {
						if _, err := w.c.Accept(t.Context(), Decide{}); err != nil {
							t.Fatal(err)
						}
					}
					s := w.c.allSessions()[0].id
					list := w.undoable()
					if want := s + ": do it by fake, files "; len(list) != 1 || !strings.HasPrefix(list[0], want) {
						t.Fatalf("%q, want %q", list, want)
					}
					for range 2 {
						w.again(killed)
						w.wantUndoable(list[0] + ", ended")
					}
					w.undoAll(s, "", "")
					if got := wholeTree(t, w.root); !sameTree(got, was) {
						t.Errorf("there is %q, and was %q", got, was)
					}
					w.wantUndoable()
					w.again(killed)
					w.wantUndoable()
				})
			}
		}
	}
}

// Of several sessions the last is the first that is listed, whether it lives or not.
func TestUndoableOfSeveral(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	w.start()
	for _, n := range []string{"a", "b"} {
		writeFile(t, w.path(n), ten)
	}
	five, nine := strings.Replace(ten, "5\n", "FIVE\n", 1), strings.Replace(ten, "9\n", "NINE\n", 1)
	first := w.says("", "first", "a", five)
	second := w.says("", "second", "b", five)
	w.says("", "nothing", "b", five)
	w.wantUndoable(second+": second by fake, files 1", first+": first by fake, files 1")
	if err := w.c.CloseSession(t.Context(), second); err != nil {
		t.Fatal(err)
	}
	w.wantUndoable(second+": second by fake, files 1, ended", first+": first by fake, files 1")
	w.later += time.Hour
	w.again(true)
	third := w.says("", "third", "b", strings.Replace(five, "9\n", "NINE\n", 1))
	w.wantUndoable(third+": third by fake, files 1", second+": second by fake, files 1, ended", first+": first by fake, files 1, ended")
	if _, err := w.c.Accept(t.Context(), Decide{}); err != nil {
		t.Fatal(err)
	}
	w.undoAll(second, "", "")
	if got := readFile(t, w.path("b")); got != nine {
		t.Errorf("%q, want %q", got, nine)
	}
	w.wantUndoable(third+": third by fake, files 1", first+": first by fake, files 1, ended")

	running := make(chan string)
	w.l.prompt = func(_ context.Context, _ *fakeAgent, _ string, _ []Block) (StopReason, error) {
		running <- ""
		<-running
		return "end_turn", nil
	}
	if _, err := w.c.Prompt(t.Context(), Prompt{Session: third, Text: "go on"}); err != nil {
		t.Fatal(err)
	}
	<-running
	w.wantUndoable(third+": third by fake, files 1, at work", first+": first by fake, files 1, ended")
	running <- ""
}

// A session that its agent has opened again stands for what it was in earlier runs.
func TestUndoableOfASessionOpenedAgain(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	w.start()
	for _, n := range []string{"a", "b"} {
		writeFile(t, w.path(n), ten)
	}
	five := strings.Replace(ten, "5\n", "FIVE\n", 1)
	first := w.says("", "first", "a", five)
	remote := w.c.allSessions()[0].remoteID()
	w.again(true)
	w.c.launcher = reopeningLauncher{w.l}
	i, err := w.c.LoadSession(t.Context(), "fake", remote, w.root)
	if err != nil {
		t.Fatal(err)
	}
	w.wantUndoable(i.Session + ": first by fake, files 1")
	w.says(i.Session, "more", "b", five)
	w.wantUndoable(i.Session + ": more by fake, files 2") // of the title its agent has told nothing
	w.again(true)
	// Nobody opens it again: what each run has changed can be undone by itself.
	w.wantUndoable(i.Session+": more by fake, files 1, ended", first+": first by fake, files 1, ended")
	w.undoAll(i.Session, "", "")
	w.wantUndoable(first + ": first by fake, files 1, ended")
	if a, b := readFile(t, w.path("a")), readFile(t, w.path("b")); a != five || b != ten {
		t.Errorf("%q and %q", a, b)
	}
}
