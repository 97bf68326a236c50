package review

import (
	"bytes"
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/text"
)

// forgetful returns d as a process knows it that did not see how it came about, but for the
// milestones. Of these nothing was made for another process.
func forgetful(d *Doc) *Doc {
	c := d.Clone()
	c.settled()
	var known []*moment
	if len(c.kept()) > 0 {
		known = c.milestones(c.elsewhere)
		slices.SortFunc(known, func(a, b *moment) int { return cmp.Compare(a.seq, b.seq) })
	}
	c.memory, c.memCost, c.rowsBuilt, c.early, c.proposed = known, 0, 0, nil, nil
	if c.Tracking() || len(known) > 0 {
		c.remember()
	} else {
		c.runs = nil
		c.noteEarly()
	}
	c.listed = nil
	return c
}

func restored(t testing.TB, d *Doc, now func() time.Time) *Doc {
	t.Helper()
	b, err := d.MarshalState()
	if err != nil {
		t.Fatal(err)
	}
	c, err := UnmarshalState(b, now)
	if err != nil {
		t.Fatalf("%v\n%s", err, d.dump())
	}
	if again, _ := c.MarshalState(); !bytes.Equal(again, b) {
		t.Fatalf("a state read and written again is another one\n%s\n%s", d.dump(), c.dump())
	}
	return c
}

// A document taken up again behaves as if nothing had happened, whatever comes.
func TestRestoredDocBehavesLikeTheOriginal(t *testing.T) {
	histories := 400
	if testing.Short() {
		histories = 60
	}
	tracked := 0
	for seed := range uint64(histories) {
		w := newWorld(seed + 1)
		for range w.r.IntN(40) {
			if err := w.step(); err != nil {
				t.Fatalf("the history itself is broken: %v", err)
			}
		}
		want := forgetful(w.d)
		got := restored(t, w.d, w.clock.now)
		if got.Tracking() {
			tracked++
		}
		r := rand.New(rand.NewPCG(seed, 3))
		for i := range 25 {
			if err := alike(want, got); err != nil {
				t.Fatalf("seed %d, step %d: %v\n%s\n%s", seed, i, err, want.dump(), got.dump())
			}
			if err := got.check(); err != nil {
				t.Fatalf("seed %d, step %d: %v\n%s", seed, i, err, got.dump())
			}
			both := []*Doc{want, got}
			step := anyOperation(r, w, want)
			for _, d := range both {
				step(d)
			}
		}
	}
	if tracked < histories/2 {
		t.Errorf("only %d of %d documents had anything to restore", tracked, histories)
	}
}

// ofVersion2 is the state of d, which has one conflict, as it was written when nothing was kept
// of earlier texts.
func ofVersion2(t testing.TB, d *Doc) []byte {
	t.Helper()
	d = d.Clone()
	d.passed = nil
	b, err := d.MarshalState()
	if err != nil {
		t.Fatal(err)
	}
	copy(b, stateMagic2)
	return b[:len(b)-2] // when the conflict was listed, and how many moments there are
}

func TestStateOfTheSecondVersion(t *testing.T) {
	s := newScript(t, "a\nb\nc\n")
	s.agent("c1", "A\nb\nC\n")
	s.Reject(ids(s.pending())[1:])
	s.AddConflict(agent("c2"), 1, 2, "b\n", "B\n")
	old, err := UnmarshalState(ofVersion2(t, s.Doc), s.clock.now)
	if err != nil {
		t.Fatal(err)
	}
	now := restored(t, s.Doc, s.clock.now)
	if err := alike(now, old); err != nil {
		t.Error(err)
	}
	if len(now.kept()) == 0 || len(old.kept()) != 0 {
		t.Errorf("%d moments, and %d of the second version", len(now.kept()), len(old.kept()))
	}
}

func alike(a, b *Doc) error {
	switch {
	case a.Text().String() != b.Text().String():
		return fmt.Errorf("texts %q and %q", a.Text(), b.Text())
	case a.Baseline().String() != b.Baseline().String():
		return fmt.Errorf("baselines %q and %q", a.Baseline(), b.Baseline())
	case !reflect.DeepEqual(a.Hunks(), b.Hunks()):
		return fmt.Errorf("hunks\n%+v\n%+v", a.Hunks(), b.Hunks())
	case a.OnlyAgent() != b.OnlyAgent(), a.Revision() != b.Revision():
		return fmt.Errorf("revisions %d and %d", a.Revision(), b.Revision())
	}
	return nil
}

// anyOperation returns something to do, chosen by what d is like.
func anyOperation(r *rand.Rand, w *world, d *Doc) func(*Doc) {
	some := func(states ...State) []string {
		var out []string
		for _, h := range d.Hunks(states...) {
			if r.IntN(2) == 0 {
				out = append(out, h.ID)
			}
		}
		return out
	}
	switch r.IntN(10) {
	case 8, 9:
		s := w.history[r.IntN(len(w.history))]
		return func(d *Doc) { d.UserEdit(0, d.Text().Len(), s) }
	case 0, 1:
		new, o := text.New(w.edited(d.Text().String(), "a")), w.origin(AuthorAgent)
		return func(d *Doc) { d.AgentEdit(new, o) }
	case 2, 3:
		n := d.Text().Len()
		from := r.IntN(n + 1)
		to := min(n, from+r.IntN(12))
		s := []string{"", "x", "u\n", "\n", w.token("u")}[r.IntN(5)]
		return func(d *Doc) { d.UserEdit(from, to, s) }
	case 4:
		ids := some(StatePending)
		return func(d *Doc) { d.Accept(ids) }
	case 5:
		ids := some(StatePending)
		return func(d *Doc) { d.Reject(ids) }
	case 6:
		ids := some(StateRejected)
		return func(d *Doc) { d.Restore(ids) }
	}
	if ids := some(StateConflict); len(ids) > 0 {
		take := []Take{TakeMine, TakeTheirs, TakeBoth}[r.IntN(3)]
		return func(d *Doc) { _ = d.Resolve(ids[0], take) }
	}
	n := d.Text().LineCount()
	at := r.IntN(n + 1)
	o := w.origin(AuthorAgent)
	return func(d *Doc) { d.AddConflict(o, at, min(n, at+1), "b\n", "t\nu") }
}

// Whoever adds to what a document consists of has to say what becomes of it in a restart.
func TestEncodingKnowsEveryField(t *testing.T) {
	for _, x := range []struct {
		of    any
		known string
	}{
		{Doc{}, "text eol eolKnown tail runs origins nextID rejected conflicts rev | listed now until anchor limbo copied grown seq early memory memCost rowsBuilt decided proposed fates passed lookedBack recallable"},
		{run{}, "at n rows"},
		{row{}, "text end ins del id user was carried mine | fresh"},
		{span{}, "from to"},
		{Origin{}, "Change Session Agent Turn ToolCall Title Author Sure"},
		{rejection{}, "hunk rows at n was lead before after"},
		{rejectedRow{}, "row chosen stays"},
		{Hunk{}, "ID State Origins BaseText Text Gone Mixed Committed Lost | StartLine EndLine Marked"},
		{conflict{}, "id origin at n base theirs declined instead made"},
		{moment{}, "hash len runs tail rejected conflicts | eol seq cost foreign open"},
	} {
		typ := reflect.TypeOf(x.of)
		known := strings.Fields(x.known)
		for f := range typ.Fields() {
			if !slices.Contains(known, f.Name) {
				t.Errorf("%s.%s is neither encoded nor among what is left out (behind the bar)", typ, f.Name)
			}
		}
	}
}

// stateTexts are those that the document of stateOf has had.
var stateTexts = []string{
	"one\ntwo\r\nthree\n\nfive\nsix\n",
	"one\nTWO x\r\nthree\n\nfive\nSIX\n",
	"one\nTWO y x\r\nthree\n\nfive\nSIX\n",
	"ONE\nTWO y x\r\nthree\n\nfive\nsix 2\n",
}

// stateOf is a state with everything in it.
func stateOf(t testing.TB) []byte {
	s := newScript(t, stateTexts[0])
	s.agent("c1", stateTexts[1])
	s.user(stateTexts[2])
	s.agent("c2", stateTexts[3])
	s.Reject(ids(s.pending())[1:])
	s.AddConflict(agent("c3"), 2, 3, "three\n", "3")
	s.AddConflict(agent("c3"), 2, 3, "three\n", "3\nIII")
	_ = s.Resolve(s.AddConflict(agent("c4"), 2, 3, "three\n", "4\n"), TakeMine)
	b, err := s.MarshalState()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestDamagedStateIsAnError(t *testing.T) {
	whole := stateOf(t)
	now := newClock().now
	if d, err := UnmarshalState(whole, now); err != nil || len(d.Hunks(StatePending)) == 0 || len(d.Hunks(StateRejected)) == 0 || len(d.Hunks(StateConflict)) == 0 {
		t.Fatalf("the state has not everything in it: %v %+v", err, d)
	}
	for n := range whole {
		if _, err := UnmarshalState(whole[:n], now); err == nil {
			t.Errorf("the first %d of %d bytes are taken for a state", n, len(whole))
		}
	}
	if _, err := UnmarshalState(append(slices.Clone(whole), 0), now); err == nil {
		t.Error("a byte too many is not noticed")
	}
	other := slices.Clone(whole)
	other[len(stateMagic)-1]++
	if _, err := UnmarshalState(other, now); err == nil {
		t.Error("another version is taken for this one")
	}
	// A byte that is changed may pass here (the journal has a checksum), but what is read
	// holds together and can be gone on with.
	for i := range whole {
		for _, x := range []byte{0, 1, 0x7f, 0x80, 0xff, whole[i] ^ 1, whole[i] + 1} {
			b := slices.Clone(whole)
			b[i] = x
			goOn(t, b)
		}
	}
}

// goOn does a few things to a document of damaged bytes, if there is one.
func goOn(tb testing.TB, b []byte) {
	c := newClock()
	d, err := UnmarshalState(b, c.now)
	if err != nil {
		return
	}
	_ = d.Baseline()
	d.Hunks()
	for _, t := range stateTexts { // which may be remembered
		d.UserEdit(0, d.Text().Len(), t)
		_ = d.Baseline()
		_ = restored(tb, d, c.now)
	}
	n := d.Text().Len()
	d.UserEdit(n/2, n/2, "x\ny")
	d.Restore(ids(d.Hunks(StateRejected)))
	for _, h := range d.Hunks(StateConflict) {
		_ = d.Resolve(h.ID, TakeBoth)
	}
	d.AgentEdit(d.Text().Replace(0, d.Text().LineEnd(0), "new"), agent("c9"))
	d.Reject(ids(d.Hunks(StatePending)))
	d.Resume(text.New("one\n"))
	_ = d.Baseline()
	_ = restored(tb, d, c.now)
}

func FuzzUnmarshalState(f *testing.F) {
	f.Add(stateOf(f))
	f.Add([]byte(stateMagic))
	f.Fuzz(func(t *testing.T, b []byte) { goOn(t, b) })
}

func TestResume(t *testing.T) {
	const orig, now = "a\nb\nc\nd\ne\n", "a\nB\nc\nd\nE\ne\n"
	for _, x := range []struct {
		name, found   string
		pending, lost []string
		base          string
	}{
		{"the same text", now, []string{"B|", "E|"}, nil, orig},
		{"the user typed on", "a\nB\nc\nuser\nd\nE\ne\n", []string{"B|", "E|"}, nil, "a\nb\nc\nuser\nd\ne\n"},
		{"the text before", orig, nil, []string{"B|", "E|"}, orig},
		{"one hunk is gone", "a\nb\nc\nd\nE\ne\n", []string{"E|"}, []string{"B|"}, orig},
		{"all is gone", "", []string{""}, []string{"E|"}, "b\n"}, // who took b out was the agent
	} {
		t.Run(x.name, func(t *testing.T) {
			s := newScript(t, orig)
			s.agent("c1", now)
			d := restored(t, s.Doc, s.clock.now)
			lost := d.Resume(text.New(x.found))
			if err := d.check(); err != nil {
				t.Fatal(err)
			}
			show := func(list []Hunk) (out []string) {
				for _, h := range list {
					out = append(out, strings.ReplaceAll(h.Text, "\n", "|"))
				}
				return out
			}
			if got := show(d.Hunks(StatePending)); !slices.Equal(got, x.pending) {
				t.Errorf("pending %q, want %q", got, x.pending)
			}
			if got := show(lost); !slices.Equal(got, x.lost) {
				t.Errorf("lost %q, want %q", got, x.lost)
			}
			if got := show(d.Hunks(StateRejected)); !slices.Equal(got, x.lost) {
				t.Errorf("listed %q, want %q", got, x.lost)
			}
			if got := d.Baseline().String(); got != x.base {
				t.Errorf("baseline %q, want %q", got, x.base)
			}
			if d.Text().String() != x.found {
				t.Errorf("text %q, want %q", d.Text(), x.found)
			}
		})
	}
}

// A hunk that was lost comes back with its text, as undo brings it, and by restore.
func TestLostHunksComeBack(t *testing.T) {
	s := newScript(t, "a\nb\nc\n")
	s.agent("c1", "a\nB\nc\n")
	d := restored(t, s.Doc, s.clock.now)
	lost := d.Resume(text.New("a\nb\nc\n"))
	if len(lost) != 1 || !lost[0].Lost {
		t.Fatalf("lost %+v", lost)
	}
	byUndo, byRestore := d.Clone(), d.Clone()
	byUndo.Reload(text.New("a\nB\nc\n"), Origin{Change: "u", Author: AuthorUser})
	if _, refused := byRestore.Restore(ids(lost)); refused != nil {
		t.Fatal(refused)
	}
	for _, d := range []*Doc{byUndo, byRestore} {
		if d.Text().String() != "a\nB\nc\n" || len(d.Hunks(StatePending)) != 1 || len(d.Hunks(StateRejected)) != 0 {
			t.Errorf("%q, hunks %+v", d.Text(), d.Hunks())
		}
	}
}

// Whatever text is found, nothing the user wrote is lost, and the laws hold.
func TestResumeKeepsTheLaws(t *testing.T) {
	histories := 400
	if testing.Short() {
		histories = 60
	}
	for seed := range uint64(histories) {
		w := newWorld(seed + 1)
		for range 5 + w.r.IntN(30) {
			if err := w.step(); err != nil {
				t.Fatalf("the history itself is broken: %v", err)
			}
		}
		d := restored(t, w.d, w.clock.now)
		found := d.Text().String()
		switch w.r.IntN(3) {
		case 0:
			found = w.edited(found, "u")
		case 1:
			found = w.history[w.r.IntN(len(w.history))]
		}
		before := len(d.Hunks(StatePending))
		lost := d.Resume(text.New(found))
		if err := d.check(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, d.dump())
		}
		if d.Text().String() != found {
			t.Fatalf("seed %d: text %q, found %q", seed, d.Text(), found)
		}
		if len(lost) > before {
			t.Fatalf("seed %d: %d of %d hunks lost", seed, len(lost), before)
		}
		for _, h := range lost {
			if !slices.ContainsFunc(d.Hunks(StateRejected), func(x Hunk) bool { return x.ID == h.ID && x.Lost }) {
				t.Fatalf("seed %d: lost hunk %s is not listed", seed, h.ID)
			}
		}
	}
}
