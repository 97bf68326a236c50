package session

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

var (
	crashRuns = flag.Int("crashes", 200, "random histories, each with a crash")
	crashFrom = flag.Uint64("crashfrom", 1, "the seed of the first history with a crash")
	crashSeed = flag.Uint64("crashseed", 0, "the seed of the only history with a crash to run, if not 0")
)

// moment is what can be seen from outside when a process is killed.
type moment struct {
	what, state, root string
	texts             map[string]string // the editor's, by name
	files             map[string]crashFile
	exact             bool // all that was written is there
}

// crashFile is what was so of one file at that moment.
type crashFile struct {
	text, base string
	hunks      []string
	kept       bool // and the journal says so
	unknown    bool // whose a change is has not been found out
	unseen     bool // nobody has looked at what the disk has
}

// crashWorld does random things to two files, of which f is mostly open, in virtual time.
type crashWorld struct {
	*earth
	r        *rand.Rand
	tokens   int
	accepted map[string]bool // tokens of agents that the user accepted
	rejected map[string]bool
	undo     []string        // texts of f
	unsaved  []string        // those since something is unsaved in it
	taken    map[string]bool // others' tokens that were once taken for an agent's

	deciding atomic.Bool // a decision that changes no text: nobody was told
	trace    []string

	tickMu    sync.Mutex // guards what follows
	countdown int        // moments until the crash
	at        *moment
	power     *rand.Rand
}

// The texts of rows tell who wrote them: an agent Abk, the user U2z, another program D3z.
// W4z is a word that the user typed in somebody's row. Agents have characters of their own: a
// row is theirs as long as one is left.
var agentToken, othersToken = regexp.MustCompile(`A[a-j]+k`), regexp.MustCompile(`[UD]\d+z`)

func (w *crashWorld) token(kind string) string {
	w.tokens++
	n := fmt.Sprint(w.tokens)
	if kind == "A" {
		return kind + strings.Map(func(r rune) rune { return r - '0' + 'a' }, n) + "k"
	}
	return kind + n + "z"
}

func newCrashWorld(t *testing.T, seed uint64) *crashWorld {
	w := &crashWorld{earth: newEarth(t), r: rand.New(rand.NewPCG(seed, 11)), power: rand.New(rand.NewPCG(seed, 12)), accepted: map[string]bool{}, rejected: map[string]bool{}, taken: map[string]bool{}}
	w.countdown = 1 + w.r.IntN(40)
	w.editor = "the first"
	w.start()
	for _, name := range crashNames {
		writeFile(t, w.path(name), "o1\no2\no3\no4\no5\no6\n")
	}
	w.e.open(w.uri("f"), readFile(t, w.path("f")))
	w.behind = func(path string) { w.tickBehind("behind a record", path) }
	return w
}

var crashNames = []string{"f", "g"}

// tick is called at each moment at which the process can be killed.
func (w *crashWorld) tick(what string) { w.tickBehind(what, "") }

// tickBehind is tick behind a record of the file at path.
func (w *crashWorld) tickBehind(what, path string) {
	w.tickMu.Lock()
	defer w.tickMu.Unlock()
	w.countdown--
	if w.countdown != 0 {
		return
	}
	m := &moment{what: what, texts: map[string]string{}, files: map[string]crashFile{}, exact: true}
	w.e.mu.Lock()
	for _, name := range crashNames {
		if d := w.e.docs[w.uri(name)]; d != nil {
			m.texts[name] = d.text.String()
		}
	}
	w.e.mu.Unlock()
	for _, name := range crashNames {
		m.files[name] = w.crashFileBehind(name, path)
	}
	m.state, m.root = w.snapshot()
	if w.power.IntN(3) == 0 {
		w.cut(m)
	}
	w.at = m
}

func (w *crashWorld) crashed() bool {
	w.tickMu.Lock()
	defer w.tickMu.Unlock()
	return w.at != nil
}

func (w *crashWorld) crashFile(name string) crashFile { return w.crashFileBehind(name, "") }

// crashFileBehind is crashFile behind a record of the file at path: who has written it has not said so yet.
func (w *crashWorld) crashFileBehind(name, path string) crashFile {
	f := w.c.file(buffers.Path(w.path(name)))
	f.mu.Lock()
	defer f.mu.Unlock()
	c := crashFile{kept: (f.kept.last == f.version() || string(f.path) == path) && !w.deciding.Load()}
	b, _ := os.ReadFile(w.path(name))
	// In a turn what nobody has looked at is shown after the crash, and is not now.
	c.unseen = w.c.running(f.path) && (f.before == nil || f.before.String() != string(b))
	if f.doc == nil {
		c.text, c.base = string(b), string(b)
		return c
	}
	c.text, c.base = f.doc.Text().String(), f.doc.Baseline().String()
	for _, h := range f.doc.Hunks(review.StatePending) {
		c.hunks = append(c.hunks, h.ID+" "+h.BaseText+">"+h.Text)
		for _, o := range h.Origins {
			c.unknown = c.unknown || o.Author == review.AuthorUnknown
		}
	}
	return c
}

// cut takes from the end of the journal what was not on the disk for sure, or part of it, as
// when the power fails.
func (w *crashWorld) cut(m *moment) {
	files, err := filepath.Glob(filepath.Join(m.state, "journal", "*", "*.journal"))
	if err != nil || len(files) != 1 {
		return
	}
	info, err := os.Stat(files[0])
	if err != nil {
		w.t.Fatal(err)
	}
	w.sized.Lock()
	defer w.sized.Unlock()
	sure := min(w.sure, info.Size())
	if m.what == "behind a record" {
		sure = min(w.before, info.Size()) // it is still being written
	}
	if left := sure + w.power.Int64N(info.Size()-sure+1); left < info.Size() {
		m.what += fmt.Sprintf(", %d bytes of the journal are lost", info.Size()-left)
		m.exact = false
		if err := os.Truncate(files[0], left); err != nil {
			w.t.Fatal(err)
		}
	}
}

// rests lets everybody come to rest: what is provisional settles, and what was left alone for a
// second is written down.
func (w *crashWorld) rests() {
	time.Sleep(quietBefore + time.Second)
	synctest.Wait()
}

// edited returns s with a row or two changed, put in or taken out, by an agent (A) or another
// program (D).
func (w *crashWorld) edited(s, who string) string {
	rows := strings.SplitAfter(s, "\n")
	for range 1 + w.r.IntN(2) {
		i := w.r.IntN(len(rows))
		row := w.token(who) + "\n"
		switch k := w.r.IntN(4); {
		case k == 0 && i < len(rows)-1:
			rows[i] = row
		case k == 1 && i < len(rows)-1:
			rows = slices.Delete(rows, i, i+1)
		default:
			rows = slices.Insert(rows, i, row)
		}
	}
	return strings.Join(rows, "")
}

func (w *crashWorld) isOpen() bool {
	w.e.mu.Lock()
	defer w.e.mu.Unlock()
	return w.e.docs[w.uri("f")] != nil
}

func (w *crashWorld) step() {
	name := crashNames[w.r.IntN(2)]
	uri, open := w.uri(name), name == "f" && w.isOpen()
	what := "nothing"
	switch k := w.r.IntN(20); {
	case k < 5:
		what = "agent writes " + name
		w.turn(func(h Host, sid string) {
			s, err := h.ReadTextFile(w.t.Context(), sid, w.path(name), nil, nil)
			if err != nil {
				w.t.Error(err)
			}
			if err := h.WriteTextFile(w.t.Context(), sid, w.path(name), w.edited(s, "A")); err != nil && KindOf(err) != KindConflict {
				w.t.Errorf("write: %v", err)
			}
		})
	case k < 7:
		what = "agent writes the disk of " + name
		w.turn(func(Host, string) {
			writeFile(w.t, w.path(name), w.edited(readFile(w.t, w.path(name)), "A"))
			w.tick("the disk is written")
		})
	case k == 7:
		what = "another program writes the disk of " + name
		writeFile(w.t, w.path(name), w.edited(readFile(w.t, w.path(name)), "D"))
		if open && w.r.IntN(2) == 0 {
			what += ", and the editor reloads it"
			w.remember()
			w.e.send(buffers.Close{URI: uri})
			w.e.open(uri, readFile(w.t, w.path(name)))
		}
	case k < 11 && open:
		what = "the user types"
		w.types()
	case k == 11 && open && len(w.undo) > 0:
		what = "the user goes back to an earlier text"
		text := w.undo[w.r.IntN(len(w.undo))]
		w.remember()
		w.e.typeAt(uri, 0, len(w.e.text(uri)), text)
	case k == 12 && open:
		what = "the user saves"
		writeFile(w.t, w.path("f"), w.e.text(uri))
		w.e.send(buffers.Save{URI: uri})
	case k == 13 && name == "f":
		if what = "the user closes f"; open {
			w.e.send(buffers.Close{URI: uri})
			w.e.at.Settle()
			w.e.note(func() { delete(w.e.docs, uri) })
		} else {
			what = "the user opens f"
			w.e.open(uri, readFile(w.t, w.path("f")))
		}
	case k == 14:
		what = "everybody rests"
		w.rests()
	default:
		what = w.decide(uri)
	}
	if w.r.IntN(3) == 0 {
		what += ", a moment passes"
		time.Sleep(time.Duration(w.r.IntN(600)) * time.Millisecond)
	}
	w.trace = append(w.trace, what)
	w.tick("after that")
	synctest.Wait() // what goes on beside is not what this is about
	w.noteUnsaved()
	for _, name := range crashNames {
		f := w.crashFile(name)
		for _, u := range othersToken.FindAllString(f.text, -1) {
			w.taken[u] = w.taken[u] || !strings.Contains(f.base, u)
		}
	}
}

// noteUnsaved notes what an editor may open that is killed.
func (w *crashWorld) noteUnsaved() {
	if !w.isOpen() {
		w.unsaved = nil
	} else if now := w.e.text(w.uri("f")); now == readFile(w.t, w.path("f")) {
		w.unsaved = nil
	} else if !w.crashed() {
		w.unsaved = append(w.unsaved, now)
	}
}

// turn is a turn, at the end of which everything was looked at.
func (w *crashWorld) turn(f func(h Host, sid string)) {
	turnOf(w.t, w.c, w.l, func(h Host, sid string) {
		f(h, sid)
		s := w.c.allSessions()[0]
		s.mu.Lock()
		running := s.running
		s.mu.Unlock()
		w.c.turnPoint(s, running)
	})
}

func (w *crashWorld) remember() { w.undo = append(w.undo, w.e.text(w.uri("f"))) }

// types is an edit of the user's: a new row, a word in a row, or rows taken out.
func (w *crashWorld) types() {
	w.remember()
	uri := w.uri("f")
	rows := strings.SplitAfter(w.e.text(uri), "\n")
	i := w.r.IntN(len(rows))
	at := len(strings.Join(rows[:i], ""))
	switch k := w.r.IntN(6); {
	case k == 0 && rows[i] != "":
		w.e.typeAt(uri, at, at, w.token("W")+" ")
	case k == 1 && i < len(rows)-1:
		w.e.typeAt(uri, at, at+len(rows[i]), "")
	default:
		w.e.typeAt(uri, at, at, w.token("U")+"\n")
	}
}

// decide accepts, rejects or brings back some hunks.
func (w *crashWorld) decide(uri string) string {
	state := review.StatePending
	if w.r.IntN(5) == 0 {
		state = review.StateRejected
	}
	var ids []string
	tokens := map[string]bool{}
	moves := false // a rejection of these changes the text
	for _, r := range w.c.Reviews(uri, "", state) {
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
	decide, what := w.c.Accept, "accept"
	w.deciding.Store(true)
	switch {
	case state == review.StateRejected:
		decide, what = w.c.Restore, "restore"
		w.deciding.Store(!moves)
	case w.r.IntN(2) == 0:
		decide, what = w.c.Reject, "reject"
		w.deciding.Store(!moves)
	}
	for a := range tokens {
		if what == "accept" {
			w.accepted[a] = true
		} else {
			w.rejected[a] = true
		}
	}
	if _, err := decide(w.t.Context(), Decide{Hunks: ids}); err != nil {
		w.t.Error(err)
	}
	w.deciding.Store(false)
	return fmt.Sprintf("%s %d in %s", what, len(ids), filepath.Base(uri))
}
