package session

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

var crashRuns = flag.Int("crashes", 60, "random histories, each with a crash")

// moment is what can be seen from outside when a process is killed.
type moment struct {
	state, root string
	texts       map[string]string // the editor's
	bases       map[string]string
	hunks       map[string][]string
	written     bool // all that the user typed is in the journal
	decided     bool // a decision that changes no text is in the journal, and nobody was told
	what        string
}

// crashWorld does random things to two files, of which f is open.
type crashWorld struct {
	*earth
	r        *rand.Rand
	tokens   int
	accepted map[string]bool // tokens of agents that the user accepted
	rejected map[string]bool

	countdown int // moments until the crash
	at        *moment
	noted     bool
	deciding  bool
	trace     []string
}

var agentToken, userToken = regexp.MustCompile(`A\d+z`), regexp.MustCompile(`U\d+z`)

func (w *crashWorld) token(kind string) string {
	w.tokens++
	return fmt.Sprintf("%s%dz", kind, w.tokens)
}

// tick is called at each moment at which the process can be killed.
func (w *crashWorld) tick(what string) {
	w.countdown--
	if w.countdown != 0 {
		return
	}
	m := &moment{texts: map[string]string{}, bases: map[string]string{}, hunks: map[string][]string{},
		what: what, written: w.noted, decided: w.deciding}
	w.e.mu.Lock()
	for uri, d := range w.e.docs {
		m.texts[uri] = d.text.String()
	}
	w.e.mu.Unlock()
	for _, name := range []string{"f", "g"} {
		m.bases[name], _ = w.c.Baseline(w.uri(name))
		m.hunks[name] = w.pending(name)
	}
	m.state, m.root = w.snapshot()
	w.at = m
}

func (w *crashWorld) pending(name string) []string {
	var out []string
	for _, r := range w.c.Reviews(w.uri(name), "", review.StatePending) {
		for _, h := range r.Hunks {
			out = append(out, h.ID+" "+h.BaseText+">"+h.Text)
		}
	}
	return out
}

// edited returns s with a row or two changed, put in or taken out.
func (w *crashWorld) edited(s string) string {
	rows := strings.SplitAfter(s, "\n")
	for range 1 + w.r.IntN(2) {
		i := w.r.IntN(len(rows))
		row := w.token("A") + "\n"
		switch k := w.r.IntN(4); {
		case k == 0 && i < len(rows)-1:
			rows[i] = row
		case k == 1 && i < len(rows)-1 && !strings.Contains(rows[i], "U"):
			rows = slices.Delete(rows, i, i+1)
		default:
			rows = slices.Insert(rows, i, row)
		}
	}
	return strings.Join(rows, "")
}

func (w *crashWorld) step() {
	name := []string{"f", "g"}[w.r.IntN(2)]
	uri := w.uri(name)
	what := "nothing"
	switch k := w.r.IntN(10); {
	case k < 4:
		what = "agent writes " + name
		turnOf(w.t, w.c, w.l, func(h Host, sid string) {
			s, err := h.ReadTextFile(w.t.Context(), sid, w.path(name), nil, nil)
			if err != nil {
				w.t.Error(err)
			}
			if err := h.WriteTextFile(w.t.Context(), sid, w.path(name), w.edited(s)); err != nil && KindOf(err) != KindConflict {
				w.t.Errorf("write: %v", err)
			}
		})
	case k < 7 && name == "f":
		what = "the user types"
		rows := strings.SplitAfter(w.e.text(uri), "\n")
		at := len(strings.Join(rows[:w.r.IntN(len(rows))], ""))
		w.noted = false
		w.e.typeAt(uri, at, at, w.token("U")+"\n")
		if w.r.IntN(2) == 0 {
			what += " and rests"
			w.c.file(buffers.Path(w.path(name))).keep(false)
			w.noted = true
		}
	case k < 8 && name == "f":
		what = "the user saves"
		writeFile(w.t, w.path("f"), w.e.text(uri))
		w.e.send(buffers.Save{URI: uri})
	default:
		what = w.decide(uri)
	}
	w.trace = append(w.trace, what)
	w.tick("after that")
}

// decide accepts or rejects some hunks.
func (w *crashWorld) decide(uri string) string {
	var ids []string
	tokens := map[string]bool{}
	moves := false // a rejection of these changes the text
	for _, r := range w.c.Reviews(uri, "", review.StatePending) {
		for _, h := range r.Hunks {
			if w.r.IntN(2) == 0 {
				ids = append(ids, h.ID)
				moves = moves || h.Text != h.BaseText
				for _, a := range agentToken.FindAllString(h.Text+h.BaseText, -1) {
					tokens[a] = true
				}
			}
		}
	}
	if len(ids) == 0 {
		return "nothing"
	}
	decide, into, what := w.c.Accept, w.accepted, "accept"
	if w.deciding = true; w.r.IntN(2) == 0 {
		decide, into, what = w.c.Reject, w.rejected, "reject"
		w.deciding = !moves
	}
	for a := range tokens {
		into[a] = true
	}
	if _, err := decide(w.t.Context(), Decide{Hunks: ids}); err != nil {
		w.t.Error(err)
	}
	w.deciding = false
	return fmt.Sprintf("%s %d in %s", what, len(ids), uri)
}

// Whatever is going on when acp-ls, or it and the editor, is killed: afterwards the
// text is what is found, what the user wrote is in the baseline, what agents wrote
// is not, and where the text is the same so are the hunks.
func TestRestartAgreesAfterEveryPrefix(t *testing.T) {
	histories := *crashRuns
	if testing.Short() {
		histories = min(histories, 15)
	}
	exact := 0
	for seed := range uint64(histories) {
		ok := t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			w := &crashWorld{earth: newEarth(t), r: rand.New(rand.NewPCG(seed, 11)),
				accepted: map[string]bool{}, rejected: map[string]bool{}, noted: true}
			w.countdown = 1 + w.r.IntN(25)
			w.start()
			for _, name := range []string{"f", "g"} {
				writeFile(t, w.path(name), "o1\no2\no3\no4\no5\no6\n")
			}
			uri := w.uri("f")
			w.e.open(uri, readFile(t, w.path("f")))
			w.written = func() { w.tick("behind a record") }
			for w.at == nil {
				w.step()
			}
			w.written = nil
			w.close()
			w.revert(w.at.state, w.at.root)
			w.start()
			both := w.r.IntN(2) == 0 // the editor is killed too
			text := w.at.texts[uri]
			if both {
				text = readFile(t, w.path("f"))
			}
			w.e.open(uri, text)
			w.verify(text, !both)
			if w.at.written && !both {
				exact++
			}
			if t.Failed() {
				t.Logf("editor killed too: %v; killed %s\n%s", both, w.at.what, strings.Join(w.trace, "\n"))
			}
		})
		if !ok {
			return
		}
	}
	if exact < histories/5 {
		t.Errorf("only %d of %d restarts could be compared exactly", exact, histories)
	}
}

func (w *crashWorld) verify(text string, same bool) {
	t := w.t
	for _, name := range []string{"f", "g"} {
		now := text
		if name == "g" {
			now = readFile(t, w.path("g"))
		}
		base, err := w.c.Baseline(w.uri(name))
		if err != nil {
			t.Fatal(err)
		}
		for _, u := range userToken.FindAllString(now, -1) {
			if !strings.Contains(base, u) {
				t.Errorf("%s: the user's %s is not in the baseline %q", name, u, base)
			}
		}
		for _, a := range agentToken.FindAllString(now, -1) {
			// What an agent took back, and the disk of f still has, is the user's (rule 11).
			known := name == "g" || strings.Contains(w.at.texts[w.uri("f")], a)
			if strings.Contains(base, a) && known && !w.accepted[a] && !w.rejected[a] {
				t.Errorf("%s: the agent's %s is in the baseline %q of %q", name, a, base, now)
			}
		}
		if !w.at.decided && (name == "g" || same && w.at.written) {
			if base != w.at.bases[name] {
				t.Errorf("%s: baseline %q, was %q", name, base, w.at.bases[name])
			}
			if got := w.pending(name); !slices.Equal(got, w.at.hunks[name]) {
				t.Errorf("%s: hunks %q, were %q", name, got, w.at.hunks[name])
			}
		}
		if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri(name)}); err != nil {
			t.Fatal(err)
		}
		left := readFile(t, w.path(name))
		if name == "f" {
			left = w.e.text(w.uri("f"))
		}
		if left != base {
			t.Errorf("%s: reject leaves %q, the baseline was %q", name, left, base)
		}
	}
}
