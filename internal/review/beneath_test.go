package review

import (
	"testing"

	"acp-ls/buffers/text"
)

// What two processes have tracked in one file, each of which took the other's rows for the
// user's, is pending together: for every pair of histories.
func TestBeneath(t *testing.T) {
	taken := 0
	for seed := range uint64(150) {
		w := newWorld(seed)
		for range w.r.IntN(20) {
			if err := w.step(); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
		under := w.d
		v := newWorld(seed + 1<<20)
		v.calls, v.opts.mixed, v.opts.eol = 1000, w.opts.mixed, w.opts.eol
		s := under.Text().String()
		v.d, v.o = New(under.Text(), v.clock.now), newOracle(s)
		v.history, v.here = []string{s}, 0
		for range v.r.IntN(20) {
			if err := v.step(); err != nil {
				t.Fatalf("seed %d, second: %v", seed, err)
			}
		}
		found := under.Clone()
		found.Resume(v.d.Baseline())
		text, base := v.d.Text().String(), found.Baseline().String()
		had, d := under.MarshalStateString(t), v.d.Clone()
		lost, ok := d.Beneath(under)
		if !ok {
			if !w.opts.mixed && w.opts.eol != "\r" {
				t.Errorf("seed %d: not brought together", seed)
			}
			continue
		}
		taken += len(d.Hunks(StatePending)) - len(v.d.Hunks(StatePending))
		if had != under.MarshalStateString(t) {
			t.Errorf("seed %d: the other state has changed", seed)
		}
		if err := d.check(); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, d.dump())
		}
		if got := d.Text().String(); got != text {
			t.Errorf("seed %d: text %q, want %q", seed, got, text)
		}
		if got := d.Baseline().String(); !sameBase(got, base, true) {
			t.Errorf("seed %d: baseline %q, want %q\nunder\n%s\nover\n%s\nboth\n%s", seed, got, base, found.dump(), v.d.dump(), d.dump())
		}
		for _, h := range lost {
			if !h.Lost {
				t.Errorf("seed %d: %+v is returned as lost", seed, h)
			}
		}
		again := d.Clone()
		if _, ok := again.Beneath(under); !ok || again.MarshalStateString(t) != d.MarshalStateString(t) {
			t.Errorf("seed %d: taken in twice", seed)
		}
		state, err := d.MarshalState()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := UnmarshalState(state, d.now); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		d.Reject(ids(d.Hunks(StatePending)))
		if got := d.Text().String(); !sameBase(got, base, true) && len(undecidedIDs(d.runs)) == 0 {
			t.Errorf("seed %d: rejected, text %q, want %q", seed, got, base)
		}
	}
	if taken < 40 {
		t.Errorf("only %d hunks were taken in", taken)
	}
}

func (d *Doc) MarshalStateString(t *testing.T) string {
	t.Helper()
	b, err := d.MarshalState()
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// A row of one agent that another has replaced is still the first one's: rejecting the
// second brings it back as pending.
func TestBeneathSameRow(t *testing.T) {
	o := newScript(t, "1\n2\n3\n4\n")
	o.agent("a", "1\nTWO\n3\n")
	d := newScript(t, "1\nTWO\n3\n")
	d.agent("b", "1\nother\n3\n")
	d.user("1\nother\nuser\n3\n")
	if lost, ok := d.Beneath(o.Doc); !ok || lost != nil {
		t.Fatal(lost, ok)
	}
	d.check()
	d.want("1|other|user|3|", "1|2|user|3|4|")
	if done := d.RejectChanges("b"); len(done) != 1 {
		t.Error(done)
	}
	d.want("1|TWO|user|3|", "1|2|user|3|4|")
	d.rejectAll()
	d.want("1|2|user|3|4|", "1|2|user|3|4|")
}

// What was decided is not pending again, and what is not there any more is lost.
func TestBeneathKnown(t *testing.T) {
	o := newScript(t, "1\n2\n3\n4\n")
	o.agent("a", "ONE\n2\n3\n4\n")
	d := Doc{}
	if b, err := o.MarshalState(); err != nil {
		t.Fatal(err)
	} else if x, err := UnmarshalState(b, o.now); err != nil {
		t.Fatal(err)
	} else {
		d = *x
	}
	o.agent("b", "ONE\n2\n3\nFOUR\n")
	s := script{&d, t, o.clock}
	s.acceptAll()
	s.user("ONE\n2\n3\n4\nuser\n")
	lost, ok := d.Beneath(o.Doc)
	if !ok || len(lost) != 1 || lost[0].Text != "FOUR\n" {
		t.Errorf("%v, lost %+v", ok, lost)
	}
	s.want("ONE|2|3|4|user|", "ONE|2|3|4|user|")
	s.wantHunks(StatePending)
	s.wantHunks(StateRejected, "[3,5) FOUR| <- 4|") // or what is there now
}

// A file that one made and another has filled anew has no row in the baseline.
func TestBeneathNothing(t *testing.T) {
	o := newScript(t, "")
	o.agent("a", "1\n2\n")
	d := newScript(t, "1\n2\n")
	d.agent("b", "x\n")
	if lost, ok := d.Beneath(o.Doc); !ok || lost != nil {
		t.Fatal(lost, ok)
	}
	d.check()
	d.want("x|", "")
	d.rejectAll()
	d.want("", "")
	e := newScript(t, "")
	e.AgentEdit(text.New("x\n"), agent("c"))
	if lost, ok := e.Beneath(o.Doc); !ok || len(lost) != 1 {
		t.Error(lost, ok)
	}
	e.check()
	e.want("x|", "")
}
