package review

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/text"
)

// clock is the time of a test.
type clock struct{ t time.Time }

func newClock() *clock                   { return &clock{time.Unix(1_000_000, 0)} }
func (c *clock) now() time.Time          { return c.t }
func (c *clock) advance(d time.Duration) { c.t = c.t.Add(d) }

// script is a document with what a test does to it.
type script struct {
	*Doc
	t     testing.TB
	clock *clock
}

// doc returns a document of the rows, which are parted by line feeds in s.
func newScript(t testing.TB, s string) *script {
	c := newClock()
	return &script{Doc: New(text.New(s), c.now), t: t, clock: c}
}

func agent(change string) Origin {
	return Origin{Change: ChangeID(change), Session: "s-" + change, Agent: "a", Turn: "t", Author: AuthorAgent, Sure: true}
}

// agent makes the text new in the name of a change.
func (s *script) agent(change, new string) {
	s.t.Helper()
	base := s.Baseline().String()
	s.AgentEdit(text.New(new), agent(change))
	if got := s.Text().String(); got != new {
		s.t.Fatalf("agent edit: text %q, want %q", got, new)
	}
	if got := s.Baseline().String(); got != base {
		s.t.Fatalf("agent edit moved the baseline from %q to %q", base, got)
	}
	s.check()
}

// user makes the text new by one minimal event, settled.
func (s *script) user(new string) {
	s.t.Helper()
	old := s.Text().String()
	a, b := commonEnds(old, new)
	s.event(a, len(old)-b, new[a:len(new)-b])
	if got := s.Text().String(); got != new {
		s.t.Fatalf("user edit: text %q, want %q", got, new)
	}
	s.settle()
}

// event is one content change, not settled.
func (s *script) event(start, end int, new string) {
	s.t.Helper()
	s.UserEdit(start, end, new)
	s.check()
}

func (s *script) settle() {
	s.clock.advance(provisional)
	s.Settle(s.clock.now())
}

// want compares text and baseline, each given with "|" for line feeds.
func (s *script) want(text, base string) {
	s.t.Helper()
	if got := strings.ReplaceAll(s.Text().String(), "\n", "|"); got != text {
		s.t.Errorf("text %q, want %q\n%s", got, text, s.dump())
	}
	if got := strings.ReplaceAll(s.Baseline().String(), "\n", "|"); got != base {
		s.t.Errorf("baseline %q, want %q\n%s", got, base, s.dump())
	}
}

func (s *script) check() {
	s.t.Helper()
	if err := s.Doc.check(); err != nil {
		s.t.Fatalf("%v\n%s", err, s.dump())
	}
}

func ids(hunks []Hunk) []string {
	out := make([]string, len(hunks))
	for i, h := range hunks {
		out[i] = h.ID
	}
	return out
}

func (s *script) pending() []Hunk { return s.Hunks(StatePending) }

// wantHunks compares the hunks of a state, each written as "rows [from,to) text <- base".
func (s *script) wantHunks(state State, want ...string) {
	s.t.Helper()
	var got []string
	for _, h := range s.Hunks(state) {
		got = append(got, strings.ReplaceAll(fmt.Sprintf("[%d,%d) %s <- %s", h.StartLine, h.EndLine, h.Text, h.BaseText), "\n", "|"))
	}
	if !slices.Equal(got, want) {
		s.t.Errorf("%s hunks:\n%q, want\n%q\n%s", state, got, want, s.dump())
	}
}

// decideAll accepts or rejects all pending hunks.
func (s *script) acceptAll() {
	s.t.Helper()
	if _, refused := s.Accept(ids(s.pending())); refused != nil {
		s.t.Fatalf("accept refused %v", refused)
	}
	s.check()
}

func (s *script) rejectAll() {
	s.t.Helper()
	if _, refused := s.Reject(ids(s.pending())); refused != nil {
		s.t.Fatalf("reject refused %v", refused)
	}
	s.check()
}

// dump shows the stored rows.
func (d *Doc) dump() string {
	var b strings.Builder
	for _, r := range d.runs {
		fmt.Fprintf(&b, "  run at %d:", r.at)
		for _, x := range r.rows {
			b.WriteString(" ")
			if x.ins != 0 {
				b.WriteString("+" + string(d.origins[x.ins].Change))
			}
			if x.del != 0 {
				b.WriteString("-" + string(d.origins[x.del].Change))
			}
			fmt.Fprintf(&b, "%q", x.text+x.end.String())
			if len(x.user) > 0 {
				fmt.Fprintf(&b, "%v", x.user)
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// mixesCR reports whether lone carriage returns stand beside other terminators. An empty row
// may need another terminator than it had then, depending on the rows around it.
func (d *Doc) mixesCR() bool {
	var seen [4]bool
	for _, r := range d.window(0, d.text.LineCount()).rows {
		seen[r.end.or(d.eol)] = true
	}
	return seen[endCR] && (seen[endLF] || seen[endCRLF])
}

// check looks at everything that must hold of a document between operations.
func (d *Doc) check() error {
	seen := map[uint64]bool{}
	next := -1
	for k, r := range d.runs {
		if len(r.rows) == 0 {
			return fmt.Errorf("run %d is empty", k)
		}
		if r.at <= next {
			return fmt.Errorf("run %d at %d touches the one that ends at %d", k, r.at, next)
		}
		at := r.at
		for _, x := range r.rows {
			if !x.stored() || x.fresh || x.mine && x.undecided() {
				return fmt.Errorf("row %q is stored, but %+v", x.text, x)
			}
			if x.undecided() {
				if x.id == 0 || seen[x.id] {
					return fmt.Errorf("row %q has id %d, none or twice", x.text, x.id)
				}
				seen[x.id] = true
			}
			if x.ins == 0 && len(x.user) > 0 {
				return fmt.Errorf("row %q is in the baseline and has spans %v", x.text, x.user)
			}
			last := 0
			for _, s := range x.user {
				if s.from < last || s.to <= s.from || s.to > len(x.text) {
					return fmt.Errorf("row %q has spans %v", x.text, x.user)
				}
				last = s.to
			}
			if !x.inText() {
				continue
			}
			if at >= d.text.LineCount() {
				return fmt.Errorf("row %q lies behind the text", x.text)
			}
			if got := d.text.Line(at); got != x.text {
				return fmt.Errorf("row %d is %q in the text, %q in its run", at, got, x.text)
			}
			if e := endingOf(d.text, at); e != noEnd && e != x.end {
				return fmt.Errorf("row %d ends in %q in the text, %q in its run", at, e, x.end)
			}
			at++
		}
		if at != r.at+r.n {
			return fmt.Errorf("run %d has %d text rows, says %d", k, at-r.at, r.n)
		}
		next = at
	}
	if next > d.text.LineCount() {
		return fmt.Errorf("runs end at row %d of %d", next, d.text.LineCount())
	}
	for _, s := range d.stretches() {
		for i := 0; i < len(s.rows); {
			j := i
			for j < len(s.rows) && s.rows[j].undecided() {
				j++
			}
			if len(d.cancelling(s.rows[i:j])) > 0 {
				return fmt.Errorf("rows at %d cancel, but stand", s.at)
			}
			i = j + 1
		}
	}
	list := map[string]bool{}
	for _, h := range d.Hunks() {
		if list[h.ID] {
			return fmt.Errorf("two hunks have the id %s", h.ID)
		}
		list[h.ID] = true
		if h.StartLine < 0 || h.EndLine < h.StartLine || h.EndLine > d.text.LineCount() {
			return fmt.Errorf("hunk %s has rows [%d, %d) of %d", h.ID, h.StartLine, h.EndLine, d.text.LineCount())
		}
		if h.State == StateRejected {
			continue
		}
		here := d.text.Slice(d.text.LineStart(h.StartLine), d.text.LineStart(h.EndLine))
		if want := map[State]string{StatePending: h.Text, StateConflict: h.BaseText, StateProposed: h.BaseText}[h.State]; here != want {
			return fmt.Errorf("hunk %s says %q, the text %q", h.ID, want, here)
		}
		if len(h.Origins) == 0 {
			return fmt.Errorf("hunk %s has no origin", h.ID)
		}
	}
	return d.checkLaws()
}

// checkLaws decides everything, on clones.
func (d *Doc) checkLaws() error {
	base, now := d.Baseline().String(), d.text.String()
	unknown := slices.ContainsFunc(d.origins, func(o Origin) bool { return o.Author == AuthorUnknown })
	all := ids(d.Hunks(StatePending))
	r := d.Clone()
	if _, refused := r.Reject(all); len(refused) > 0 {
		return fmt.Errorf("reject refused %v", refused)
	}
	if got := r.Baseline().String(); !sameBase(got, base, d.mixesCR()) {
		return fmt.Errorf("reject moved the baseline from %q to %q", base, got)
	}
	if got := r.Text().String(); !sameBase(got, base, d.mixesCR()) && !unknown {
		return fmt.Errorf("reject of everything gives %q, not the baseline %q", got, base)
	}
	a := d.Clone()
	if _, refused := a.Accept(all); len(refused) > 0 {
		return fmt.Errorf("accept refused %v", refused)
	}
	if got := a.Text().String(); got != now {
		return fmt.Errorf("accept moved the text from %q to %q", now, got)
	}
	if got := a.Baseline().String(); !sameBase(got, now, d.mixesCR()) && !unknown {
		return fmt.Errorf("accept of everything gives the baseline %q, not the text %q", got, now)
	}
	if !unknown && (a.marked() || r.marked()) {
		return fmt.Errorf("something is undecided after everything was decided")
	}
	// What reject puts in place of each hunk is what the hunk says.
	if !unknown && !d.mixesCR() {
		t := d.text
		for _, h := range slices.Backward(d.Hunks(StatePending)) {
			t = t.Replace(t.LineStart(h.StartLine), t.LineStart(h.EndLine), h.BaseText)
		}
		if t.String() != base {
			return fmt.Errorf("the hunks' base texts make %q, the baseline is %q", t, base)
		}
	}
	return nil
}

func textOf(s string) text.Text { return text.New(lines(s)) }
