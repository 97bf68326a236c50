package review

import (
	"math/rand/v2"
	"testing"

	"acp-ls/buffers/text"
)

// FuzzEvents takes any text, any agent's text of it and any two events, of any bytes.
func FuzzEvents(f *testing.F) {
	f.Add("A\nB\nC\n", "A\nx\nC\n", uint16(2), uint16(4), "", uint16(0), uint16(0), "y\n")
	f.Add("", "a\n", uint16(0), uint16(9), "\n", uint16(0), uint16(1), "")
	f.Add("A\r\nB\rC", "A\rB\r\n\r\n", uint16(1), uint16(3), "\n", uint16(2), uint16(2), "\r")
	f.Add("a\n\n}\n\n", "a\n}\n", uint16(0), uint16(99), "a\n\n}\n", uint16(1), uint16(1), "\n")
	f.Add("é\xff\n", "\xffé \n", uint16(1), uint16(2), "\xa9", uint16(0), uint16(0), "ä")
	f.Add("f(a, b) // c\n", "f(a, z) // c\n", uint16(12), uint16(12), " TODO", uint16(0), uint16(0), "  ")
	f.Add("a\nb\nc\n", "b\na\nx\n", uint16(0), uint16(6), "x\nb\na", uint16(0), uint16(2), "x\nb")
	f.Fuzz(func(t *testing.T, orig, now string, from1, to1 uint16, ins1 string, from2, to2 uint16, ins2 string) {
		if len(orig)+len(now)+len(ins1)+len(ins2) > 300 {
			t.Skip() // the oracle is slow
		}
		w := &world{clock: newClock(), opts: worldOptions{repeated: true, mixed: true}}
		w.d, w.o = New(text.New(orig), w.clock.now), newOracle(orig)
		w.history = []string{orig}
		base := w.d.Baseline().String()
		w.d.AgentEdit(text.New(now), agent("c1"))
		w.o.agentEdit(now, agent("c1"))
		verify := func() {
			if err := w.d.check(); err != nil {
				t.Fatalf("%v\n%s", err, w.d.dump())
			}
			if err := w.compare(); err != nil {
				t.Fatalf("%v\n%s", err, w.d.dump())
			}
		}
		verify()
		if got := w.d.Baseline().String(); !sameBase(got, base, true) {
			t.Fatalf("agent's edit moved the baseline from %q to %q", base, got)
		}
		send := func(from, to uint16, ins string) {
			n := w.d.Text().Len()
			a := min(int(from), n)
			b := max(a, min(int(to), n))
			if err := w.send(a, b, ins, AuthorUser); err != nil {
				t.Fatalf("%v\n%s", err, w.d.dump())
			}
			verify()
		}
		send(from1, to1, ins1)
		send(from2, to2, ins2)
		for i, id := range ids(w.d.Hunks(StatePending)) {
			before := w.shot()
			if i%2 == 0 {
				w.d.Accept([]string{id})
				if w.d.Text().String() != before.text {
					t.Fatal("accept moved the text")
				}
			} else {
				w.d.Reject([]string{id})
				if !sameBase(w.d.Baseline().String(), before.base, true) {
					t.Fatal("reject moved the baseline")
				}
			}
			if err := w.d.check(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// tape is a source of numbers of which the fuzzer writes the highest byte: it decides, as
// what is asked for is small.
type tape struct {
	bytes []byte
	at    int
	rest  rand.PCG
}

func (s *tape) Uint64() uint64 {
	n := s.rest.Uint64()
	if s.at < len(s.bytes) {
		n = n>>8 | uint64(s.bytes[s.at])<<56
		s.at++
	}
	return n
}

// FuzzHistory takes histories that the fuzzer chooses step by step.
func FuzzHistory(f *testing.F) {
	for seed := range byte(8) {
		r := rand.New(rand.NewPCG(uint64(seed), 7))
		b := make([]byte, 400)
		for i := range b {
			b[i] = byte(r.Uint32())
		}
		f.Add(seed, b)
	}
	f.Fuzz(func(t *testing.T, kind byte, b []byte) {
		if len(b) > 4000 {
			t.Skip()
		}
		s := &tape{bytes: b}
		w := &world{r: rand.New(s), clock: newClock()}
		w.opts = worldOptions{repeated: kind&1 != 0, eol: []string{"\n", "\r\n"}[kind>>1&1], rows: 3 + int(kind>>2&7), mixed: kind>>5&1 != 0}
		w.start()
		for range 60 {
			if s.at >= len(b) {
				return
			}
			if err := w.step(); err != nil {
				t.Fatalf("%v\n%s\n%s", err, w.d.dump(), tail(w.trace))
			}
		}
	})
}
