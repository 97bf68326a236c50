package session

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers/text"
)

// Steps are what they were when the journal has had them, whatever their texts are; where there is no room for
// all of them the oldest turns go first, and what is said of those is that there were some.
func TestStepsAreKept(t *testing.T) {
	t.Parallel()
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		some := func() text.Text {
			var b strings.Builder
			for range r.IntN(40) {
				b.WriteString([]string{"a", "b\r", "c\xff", "", strings.Repeat("long ", r.IntN(300)), "\x00"}[r.IntN(6)] + []string{"\n", "\n", "\n", "\r\n", ""}[r.IntN(5)])
			}
			return text.New(b.String())
		}
		var history []agentStep
		for n := range r.IntN(12) {
			s := agentStep{session: "s", turn: fmt.Sprint(n / 3), before: some(), after: some(), created: r.IntN(5) == 0, gone: r.IntN(5) == 0, hidden: r.IntN(5) == 0}
			for range r.IntN(3) {
				s.between = append(s.between, some())
			}
			history = append(history, s)
		}
		whole := keepSteps(history, nil, nil, false, 1<<30, 1<<30).encode()
		_, got, _, err := readSteps(whole)
		if err != nil || !sameSteps(got, history) {
			t.Fatalf("seed %d: %v, %+v, want %+v", seed, err, got, history)
		}
		for _, limit := range []int{len(whole), len(whole) * 2 / 3, len(whole) / 3, 100, 0, -1} {
			k := keepSteps(history, nil, nil, false, 1<<30, limit)
			if n := len(k.encode()); n > max(limit, 500) {
				t.Errorf("seed %d: %d bytes, may be %d", seed, n, limit)
			}
			had := history
			for _, d := range k.Dropped {
				for len(had) > 0 && had[0].turn == d.Turn {
					had = had[1:]
				}
			}
			if _, got, _, err := readSteps(k.encode()); err != nil || !sameSteps(got, had) {
				t.Errorf("seed %d, limit %d: %v, %d steps, want %d", seed, limit, err, len(got), len(had))
			}
			if limit == len(whole) && len(k.Dropped) > 0 {
				t.Errorf("seed %d: %v is dropped, with room for it", seed, k.Dropped)
			}
		}
	}
}

func sameSteps(a, b []agentStep) bool {
	same := func(a, b text.Text) bool { return a.Equal(b) }
	return slices.EqualFunc(a, b, func(a, b agentStep) bool {
		return a.session == b.session && a.turn == b.turn && a.created == b.created && a.gone == b.gone && a.hidden == b.hidden &&
			a.before.Equal(b.before) && a.after.Equal(b.after) && slices.EqualFunc(a.between, b.between, same)
	})
}

// Of what there is no room for undo says that it is left, and takes back the rest.
func TestUndoOfMoreThanIsKept(t *testing.T) {
	t.Parallel()
	w := newEarth(t)
	w.start()
	large := strings.Repeat("a row of a large file\n", 20_000)
	writeFile(t, w.path("large"), large)
	writeFile(t, w.path("a"), ten)
	w.agent("large", large+"more\n")
	s := w.c.allSessions()[0].id
	w.agent("a", strings.Replace(ten, "5\n", "FIVE\n", 1))
	w.accept("large")
	w.accept("a")
	w.crash()
	w.undoAll(s, "", "no room")
	if got := readFile(t, w.path("a")); got != ten {
		t.Errorf("%q", got)
	}
	if got := readFile(t, w.path("large")); got != large+"more\n" {
		t.Errorf("%d bytes", len(got))
	}
}

// What there was no room to write down of a file that an agent has made is undone in a later run all the same while it
// is undecided, and nothing is said of it; once it was accepted undo says that it is left.
func TestUndoOfMoreThanIsKeptUndecided(t *testing.T) {
	t.Parallel()
	for _, accepted := range []bool{false, true} {
		w := newEarth(t)
		w.start()
		w.agent("large", strings.Repeat("a row of a large file\n", 20_000))
		s := w.c.allSessions()[0].id
		w.c.allFiles()[0].keep(true)
		said := ""
		if accepted {
			w.accept("large")
			said = "no room"
		}
		w.crash()
		w.undoAll(s, "", said)
		if _, there := wholeTree(t, w.root)["large"]; there != accepted {
			t.Errorf("accepted %v: it is there: %v", accepted, there)
		}
	}
}
