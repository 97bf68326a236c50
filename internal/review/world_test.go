package review

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers/text"
)

// world is a random history of one document: agents, a user in an editor, a disk, decisions;
// with the oracle beside it. Everything follows from the seed.
type world struct {
	r      *rand.Rand
	clock  *clock
	d      *Doc
	o      *oracle
	opts   worldOptions
	tokens int
	calls  int
	trace  []string

	removed map[string]int  // rows that the user's action has taken out of the text so far
	words   map[string]bool // and words
	paired  bool            // the user's action changed rows in their places
	first   shot            // what was before the user's action
	history []string        // the editor's undo history
	here    int             // where in it the text is
}

type worldOptions struct {
	repeated bool   // rows repeat; else each row that someone writes is unlike all others
	eol      string // of new rows
	mixed    bool   // terminators differ from row to row
	returns  bool   // and lone carriage returns are among them
	rows     int    // that the document is held at, roughly
}

func newWorld(seed uint64) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 1)), clock: newClock()}
	w.opts.repeated = w.r.IntN(2) == 0
	w.opts.eol = []string{"\n", "\n", "\n", "\r\n", "\r"}[w.r.IntN(5)]
	w.opts.mixed = w.r.IntN(8) == 0
	w.opts.returns = w.opts.mixed && w.r.IntN(2) == 0
	w.opts.rows = []int{3, 8, 15, 30}[w.r.IntN(4)]
	w.start()
	return w
}

func (w *world) start() {
	var rows []string
	for range w.r.IntN(w.opts.rows) {
		rows = append(rows, w.line("o"))
	}
	s := w.join(rows)
	if w.r.IntN(3) == 0 {
		s = strings.TrimRight(s, "\r\n")
	}
	w.d, w.o = New(text.New(s), w.clock.now), newOracle(s)
	w.history, w.here = []string{s}, 0
	w.logf("start %q", s)
}

func (w *world) logf(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf(format, args...))
}

func (w *world) end() string {
	if w.opts.mixed {
		kinds := []string{"\n", "\r\n", "\r"}
		if !w.opts.returns {
			kinds = kinds[:2]
		}
		return kinds[w.r.IntN(len(kinds))]
	}
	return w.opts.eol
}

// join makes a text of rows.
func (w *world) join(rows []string) string {
	var b strings.Builder
	for _, r := range rows {
		b.WriteString(r + w.end())
	}
	return b.String()
}

var common = []string{"", "", "}", "{", "a", "b", "a b", "  a", "}", "return x", "x := f(y)", "\t}"}

// line returns a row. kind is o(riginal), a(gent) or u(ser).
func (w *world) line(kind string) string {
	if w.opts.repeated && w.r.IntN(4) > 0 {
		return common[w.r.IntN(len(common))]
	}
	if w.r.IntN(6) == 0 {
		return []string{"", "}", "  {"}[w.r.IntN(3)]
	}
	return w.token(kind)
}

// token returns a word that nobody has written before.
func (w *world) token(kind string) string {
	w.tokens++
	return fmt.Sprintf("%s%05dz", strings.ToUpper(kind), w.tokens)
}

func (w *world) origin(author Author) Origin {
	if w.calls == 0 || w.r.IntN(4) > 0 {
		w.calls++
	}
	session := fmt.Sprintf("s%d", w.calls%3)
	return Origin{
		Change: ChangeID(fmt.Sprintf("c%d", w.calls)), Session: session, Agent: "agent",
		Turn: fmt.Sprintf("%s/%d", session, w.calls/5), Author: author, Sure: w.r.IntN(2) == 0,
	}
}

// rowsWithEnds returns the rows of s with their terminators.
func rowsWithEnds(s string) []string {
	var out []string
	for _, r := range splitRows(s) {
		out = append(out, r.text+r.end.String())
	}
	return out
}

// edited returns s as someone might leave it who writes whole rows.
func (w *world) edited(s, kind string) string {
	rows := rowsWithEnds(s)
	for range 1 + w.r.IntN(3) {
		i := w.r.IntN(len(rows) + 1)
		j := min(len(rows), i+w.r.IntN(4))
		var new []string
		n := w.r.IntN(4)
		if len(rows) > w.opts.rows {
			n = w.r.IntN(2)
		}
		for range n {
			new = append(new, w.line(kind)+w.end())
		}
		if j > i && w.r.IntN(3) == 0 { // a word changed
			new = nil
			for _, r := range rows[i:j] {
				body := strings.TrimRight(r, "\r\n")
				new = append(new, w.reworded(body, kind)+r[len(body):])
			}
		}
		rows = slices.Concat(rows[:i], new, rows[j:])
	}
	out := strings.Join(rows, "")
	switch w.r.IntN(20) {
	case 0:
		out = strings.TrimRight(out, "\r\n")
	case 1:
		out += w.end()
	case 2:
		out = ""
	}
	return out
}

// reworded returns a row with one word put in, changed or taken out.
func (w *world) reworded(s, kind string) string {
	words := strings.Split(s, " ")
	i := w.r.IntN(len(words))
	switch w.r.IntN(3) {
	case 0:
		words[i] = w.token(kind)
	case 1:
		words = slices.Insert(words, i, w.token(kind))
	case 2:
		words = slices.Delete(words, i, i+1)
	}
	return strings.Join(words, " ")
}

func (w *world) dense() []row {
	return w.d.window(0, w.d.text.LineCount()).rows
}

// step does one random thing and checks everything.
func (w *world) step() error {
	w.o.doc.nextID, w.o.doc.eol, w.o.doc.eolKnown = w.d.nextID, w.d.eol, w.d.eolKnown
	if w.d.eol.String() != w.opts.eol { // or not known yet
		w.opts.mixed = true
	}
	before, seq := w.shot(), w.d.seq
	var err error
	k := w.r.IntN(100)
	switch {
	case k < 22:
		err = w.agentStep(before)
	case k < 62:
		err = w.userStep(before)
	case k < 74:
		err = w.undoStep(before)
	case k < 90:
		err = w.decideStep(before)
	case k < 94:
		err = w.reloadStep(before)
	case k < 96:
		err = w.proposeStep(before)
	case k < 97:
		err = w.restartStep(before)
	default:
		ms := w.r.IntN(300)
		w.clock.advance(time.Duration(ms) * time.Millisecond)
		if done, _ := w.d.Settle(w.clock.now()); done {
			w.o.settle()
		}
		w.logf("%d ms later", ms)
		err = before.same(w.shot())
	}
	if err != nil {
		return err
	}
	if k >= 74 && w.d.seq != seq {
		w.o.put = nil // something has come between, though it may have changed no row
	}
	if err := w.d.check(); err != nil {
		return err
	}
	return w.compare()
}

// compare compares the engine with the oracle.
func (w *world) compare() error {
	got := w.dense()
	if len(got) != len(w.o.rows) {
		return fmt.Errorf("engine has %d rows, oracle %d\n%v\n%v", len(got), len(w.o.rows), got, w.o.rows)
	}
	for i, g := range got {
		o := w.o.rows[i]
		if g.text != o.text || g.ins != o.ins || g.del != o.del || g.id != o.id || !slices.Equal(g.user, o.user) {
			return fmt.Errorf("row %d: engine %+v, oracle %+v", i, g, o)
		}
	}
	if len(w.d.memory) == 0 {
		w.o.settle()
	}
	// The oracle cares little for terminators: it takes those of the engine, for which there
	// are the laws.
	last := &w.o.past[len(w.o.past)-1]
	last.text, last.rows = w.d.text.String(), slices.Clone(last.rows)
	for i, g := range got {
		w.o.rows[i].end = g.end
		if i < len(last.rows) && last.rows[i].id == g.id {
			last.rows[i].end = g.end
		}
	}
	return w.compareConflicts()
}

// knowAgain gives rows of the oracle the ids that the engine has given them, if those are of rows of
// rejected hunks, and the rows alike: which of these are meant is the engine's to know.
func (w *world) knowAgain(rejected []*rejection) {
	got, last := w.dense(), &w.o.past[len(w.o.past)-1]
	if len(got) != len(w.o.rows) {
		return
	}
	for i, g := range got {
		o := &w.o.rows[i]
		if g.id == o.id || g.text != o.text || g.ins != o.ins || g.del != o.del {
			continue
		}
		if slices.ContainsFunc(rejected, func(r *rejection) bool {
			return slices.ContainsFunc(r.rows, func(x rejectedRow) bool { return x.chosen && x.id == g.id })
		}) {
			o.id, last.rows[i].id = g.id, g.id
		}
	}
}

// follow makes the oracle what the engine is, after an operation that the oracle cannot do.
func (w *world) follow() {
	w.o.rows = w.dense()
	w.o.origins = w.d.origins
	w.o.seq++
	w.o.anchor = nil
	w.o.grown = w.d.grown
	w.o.remember()
}

// shot is what the laws compare.
type shot struct {
	text, base string
	rows       []row
	hunks      []Hunk
	rejected   []*rejection
}

func (w *world) shot() shot {
	return shot{w.d.Text().String(), w.d.Baseline().String(), w.dense(), w.d.Hunks(), w.d.rejected}
}

func (s shot) same(t shot) error {
	if s.text != t.text || s.base != t.base || len(s.hunks) != len(t.hunks) {
		return fmt.Errorf("something changed by itself")
	}
	return nil
}

var userToken = regexp.MustCompile(`U\d{5}z`)

// all returns everything that a document has, or can bring back.
func (s shot) all() string {
	var b strings.Builder
	b.WriteString(s.text + "\x00" + s.base)
	for _, r := range s.rows {
		b.WriteString("\x00" + r.text)
	}
	for _, r := range s.rejected {
		for _, x := range r.rows {
			if !x.stays {
				b.WriteString("\x00" + x.text)
			}
		}
	}
	return b.String()
}

// words returns the user's words of a document, leaving aside those that agents repeat.
func (s shot) words() []string {
	var out []string
	add := func(r row) {
		if r.ins == 0 {
			out = append(out, userToken.FindAllString(r.text, -1)...)
			return
		}
		for _, u := range r.user {
			out = append(out, userToken.FindAllString(r.text[u.from:u.to], -1)...)
		}
	}
	for _, r := range s.rows {
		add(r)
	}
	for _, r := range s.rejected {
		for _, x := range r.rows {
			if !x.stays {
				add(x.row)
			}
		}
	}
	return out
}

// lost returns a user's word that was there before and is nowhere now; words in exempt do
// not count.
func (s shot) lost(now shot, exempt string) error {
	all := now.all()
	for _, u := range s.words() {
		if !strings.Contains(all, u) && !strings.Contains(exempt, u) {
			return fmt.Errorf("the user's %s is lost", u)
		}
	}
	return nil
}

// countsOf counts the rows of a text.
func countsOf(s string) map[string]int {
	out := map[string]int{}
	for _, r := range splitRows(s) {
		out[r.text]++
	}
	return out
}

// ends tells whether terminators are beside the point: then rows are compared.
func sameBase(a, b string, onlyRows bool) bool {
	if !onlyRows {
		return a == b
	}
	return slices.Equal(texts(splitRows(a)), texts(splitRows(b)))
}

// joined returns how many more rows of a text have more than s in them than of the one before.
func joined(s, was, is string) int {
	if isBlank(s) {
		return 0
	}
	n := 0
	for row, k := range countsOf(is) {
		if len(row) > len(s) && strings.Contains(row, s) {
			n += k
		}
	}
	for row, k := range countsOf(was) {
		if len(row) > len(s) && strings.Contains(row, s) {
			n -= k
		}
	}
	return max(0, n)
}

func (w *world) agentStep(before shot) error {
	s := before.text
	new := w.edited(s, "a")
	if w.r.IntN(12) == 0 && len(w.history) > 1 { // back to what was
		new = strings.ReplaceAll(w.history[w.r.IntN(len(w.history))], "U", "V") // as its own words
	}
	author := AuthorAgent
	if w.r.IntN(10) == 0 {
		author = AuthorDisk
	}
	x := w.origin(author)
	w.logf("agent %s: %q", x.Change, new)
	rejected := w.d.rejected
	w.d.AgentEdit(text.New(new), x)
	w.o.setText(before.text)
	w.o.agentEdit(new, x)
	w.knowAgain(rejected)
	w.edit(new)
	now := w.shot()
	if now.text != new {
		return fmt.Errorf("text is %q, want %q", now.text, new)
	}
	if !sameBase(before.base, now.base, w.opts.returns) {
		return fmt.Errorf("an agent's edit moved the baseline from %q to %q", before.base, now.base)
	}
	return before.lost(now, "")
}

// edit puts a text on the editor's undo history.
func (w *world) edit(s string) {
	if w.history[w.here] == s {
		return
	}
	w.history = append(w.history[:w.here+1], s)
	w.here++
	if len(w.history) > 40 {
		w.history = w.history[20:]
		w.here -= 20
	}
}

// send sends one content change to engine and oracle.
func (w *world) send(start, end int, ins string, author Author) error {
	before := w.shot()
	if before.text[start:end] == ins {
		return nil
	}
	if !w.d.until.After(w.clock.now()) {
		w.o.settle()
	}
	if w.d.anchor == nil || w.o.anchor == nil {
		w.o.anchor = nil
		w.first, w.paired, w.removed, w.words = before, false, map[string]int{}, map[string]bool{}
	}
	w.o.doc.nextID = w.d.nextID
	w.o.setText(before.text)
	w.logf("%s: [%d,%d) %q -> %q", author, start, end, before.text[start:end], ins)
	want := before.text[:start] + ins + before.text[end:]
	w.d.userEdit(start, end, ins, author)
	w.o.userEdit(start, end, ins, author)
	if len(w.d.memory) == 0 {
		w.o.settle()
		w.o.grown = growth{}
	}
	now := w.shot()
	if now.text != want {
		return fmt.Errorf("text is %q, want %q", now.text, want)
	}
	// What the user took out himself is not lost.
	var exempt strings.Builder
	for _, u := range userToken.FindAllString(before.text, -1) {
		if !strings.Contains(now.text, u) {
			exempt.WriteString(u + " ")
		}
	}
	if err := w.conserved(start, end, ins, before, now); err != nil {
		return err
	}
	for u := range w.words {
		exempt.WriteString(u + " ")
	}
	return w.first.lost(now, exempt.String())
}

// undone returns the words of rows that are there as undo brought them back, in another form
// perhaps; and those that had gone into a deleted row, which a text of before has not.
func (w *world) undone(now shot) map[string]bool {
	rows := slices.Clone(w.first.rows)
	for _, r := range w.first.rejected {
		for _, x := range r.rows {
			rows = append(rows, x.row)
		}
	}
	out := map[string]bool{}
	past := w.o.past[:len(w.o.past)-1]
	again := slices.ContainsFunc(past, func(p oraclePast) bool { return p.text == now.text })
	for _, r := range rows {
		there := slices.ContainsFunc(now.rows, func(x row) bool { return x.id == r.id })
		if r.undecided() && there || r.was != nil && !there && again {
			for _, u := range userToken.FindAllString(r.text, -1) {
				out[u] = out[u] || there || !strings.Contains(*r.was, u)
			}
		}
	}
	return out
}

// conserved checks that no row left the baseline by the user's action, of which this is
// the last event, unless the action took such a row out of the text; rows that repeat are
// counted.
func (w *world) conserved(start, end int, ins string, before, now shot) error {
	lo, hi, nhi := widen(text.New(before.text), text.New(now.text), start, end, start+len(ins))
	a, b := texts(splitRows(before.text)), texts(splitRows(now.text))
	edits, paired := align(a[lo:hi], b[lo:nhi], hi == len(a))
	if paired && len(edits) > 1 {
		// Each row was changed where it is. That rows with one text are one row is not so then.
		w.paired = true
	}
	for _, e := range edits {
		for _, s := range a[lo+e.A0 : lo+e.A1] {
			w.removed[s]++
			for _, u := range userToken.FindAllString(s, -1) {
				w.words[u] = true
			}
		}
	}
	if w.d.anchor == nil {
		return nil // nothing is tracked
	}
	was := Doc{text: w.d.anchor.text, runs: w.d.anchor.runs, tail: w.d.anchor.tail, eol: w.d.eol}
	wasBase := was.Baseline().String()
	for u, is := range w.undone(now) {
		w.words[u] = w.words[u] || is
	}
	for _, u := range userToken.FindAllString(wasBase, -1) {
		if !strings.Contains(now.base, u) && !w.words[u] {
			return fmt.Errorf("the user's %s left the baseline by an action that does not concern it", u)
		}
	}
	if w.paired || wasBase == "" { // perhaps no row at all
		return nil
	}
	reworded := map[string]int{} // rows of the baseline into which the user's words went
	tombs := map[uint64]string{}
	for _, r := range now.rows {
		if r.tomb() {
			tombs[r.id] = r.text
			if r.was != nil { // it counts as what it was, too: see balance
				reworded[*r.was]++
			}
		}
	}
	for _, run := range was.runs {
		for _, r := range run.rows {
			if r.tomb() && tombs[r.id] != r.text {
				reworded[r.text]++
			}
		}
	}
	inBase := countsOf(now.base)
	for s, n := range countsOf(wasBase) {
		if inBase[s] < n-w.removed[s]-reworded[s]-joined(s, wasBase, now.base) {
			return fmt.Errorf("row %q was %d times in the baseline, the action removed %d, there are %d", s, n, w.removed[s], inBase[s])
		}
	}
	return nil
}
