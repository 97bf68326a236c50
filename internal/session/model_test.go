package session

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/config"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// A model of what a user, an editor, an agent and a disk do to a few files, in
// random order and virtual time, with the plainest oracle there is. Every row that
// somebody writes has a name of its own, and those of agents are characters of their own. So
// what the text and the baseline must hold follows from who wrote what and what was
// decided, without rows, marks or merges:
//
//	text       what was written, less what was taken out
//	baseline   of the text, all rows but the agent's that were not accepted; and the
//	           rows that an agent took out and nobody accepted (gone)
//
// The order of rows must be that of before, and the disk what was written to it.

var (
	modelSteps   = flag.Int("model", 8_000, "random steps that the model takes")
	modelSeed    = flag.Uint64("modelseed", 0, "the seed of the only history of the model to run, if not 0")
	modelFrom    = flag.Uint64("modelfrom", 1, "the seed of the first history of the model")
	modelHistory = flag.Int("modelhistory", 40, "the steps of one history of the model")
	modelBad     = flag.Int("modelbad", 3, "the histories gone wrong after which the model stops")
)

func TestModel(t *testing.T) {
	t.Setenv("PATH", "") // no git: what the folder held is copied
	steps, bad := 0, 0
	limit := *modelSteps
	if testing.Short() {
		limit /= 10
	}
	for seed := *modelFrom; steps < limit; seed++ {
		if *modelSeed != 0 {
			seed, limit = *modelSeed, 0
		}
		var w *modelWorld
		var err error // told outside: a bubble that fails ends the whole test
		synctest.Test(t, func(t *testing.T) {
			w = newModel(t, seed)
			if err = w.run(*modelHistory); err != nil {
				for _, f := range w.files {
					w.dump(f)
				}
			}
			w.close()
		})
		if err != nil {
			bad++
			t.Errorf("seed %d (-modelseed %d), %+v: %v\n%s", seed, seed, w.opts, err, strings.Join(w.trace[max(0, len(w.trace)-60):], "\n"))
		}
		if steps += w.steps; bad == *modelBad {
			break
		}
	}
	t.Logf("%d steps", steps)
}

type modelOptions struct {
	eol               string
	bare              bool // files have no final line end
	reload, adopt     bool // what the editor can do
	bases             bool // that it takes what the disk has for the base of a text that contains it
	save, format      bool
	marks             bool // it tells what saving changes, and can save without that
	reloadsByChange   bool // its reload is one big change, not close and open
	disk              bool // the agent writes the disk itself, mostly
	files             int
	refuses, forgets  bool // it refuses some edits, and says yes to some it does not make
	slow              bool // it takes a while for an edit
	keepsUndo         bool // over a reload
	saveMode          config.Save
	undoIsTwoMessages bool
	journal           bool // and acp-ls is killed now and then
	two               bool // sessions
	again             bool // agents do things twice
	whole             bool // others make and delete files too, and the user opens them before they are there
	encoding          position.Encoding
}

type modelWorld struct {
	t        *testing.T
	r        *rand.Rand
	er       *rand.Rand // the editor's, used on other goroutines
	erMu     sync.Mutex
	refusals int // of the editor, one after the other
	opts     modelOptions
	c        *Core
	e        *fakeEditor
	l        *fakeLauncher
	root     string

	state   string // where the journal is
	runs    int    // of acp-ls
	crashed bool   // what agents did in earlier runs is not undone by the editor's undo, but the user's

	files    []*modelFile
	accepted map[string]bool // rows of agents, by name
	claimed  map[string]bool // rows that somebody else wrote first
	words    map[string]bool // that the user typed inside rows, and did not take out again
	names    int
	steps    int
	trace    []string
	over     bool // a row stands twice: the oracle knows no more

	sessions      []*modelSession
	*modelSession // the one that is at it
}

// modelSession is a session, and what its agent can have seen of the files.
type modelSession struct {
	host    Host // set while a turn runs
	sid     string
	session string
	turn    string
	end     chan StopReason
	known   map[*modelFile]*modelKnown
}

// modelKnown is what an agent can have seen of a file.
type modelKnown struct {
	seen    []string
	asked   bool   // it has asked us for it
	sent    string // what it wrote through us last
	sentAt  int    // how many texts it had seen then
	known   string // what the agent believes to be there
	knows   bool
	decided bool     // since it has read it: what was rejected of its own is no base any more
	refused []string // what it wrote and was refused, and from what that was made; empty: nothing
}

// modelFile is what must be so of one file.
type modelFile struct {
	name, path, uri string
	open            bool

	text    string
	gone    map[string]bool // rows that an agent took out and nobody accepted, by name
	ever    map[string]bool // rows that were once so
	disk    string
	exists  bool
	taken   string // what of the disk is in the text
	isTaken bool   // beside it: there was a file

	*modelKnown // of the session that is at it

	saves  bool   // the editor has saved for the core
	mirror string // what came through us last in this turn: it may come by the disk too

	base string // the editor's belief of what the disk has
	undo []string
	here int

	slept bool            // the editor was killed with unsaved text in it
	lay   string          // beside it: what the disk had
	had   map[string]bool // texts that there were

	loose  bool // gone may be anything possible: the user undid something
	any    bool // beside it: anything at all
	lax    map[string]bool
	slack  map[string]bool // rows that were lax once: nobody has decided on them
	odd    map[string]bool // rows that are not the same in text and baseline
	unsure bool            // the disk may have been taken in or not
	anyEnd bool            // there was a moment without a line end to go by

	nameless  bool            // beside gone: so was, at the last rest, a row that has no name
	contested []string        // rows, not the user's, that were in conflict at the last rest
	disputed  string          // what the disk had when there was such a row last
	otherEnd  map[string]bool // rows that came by the disk with another line end than the file's

	made    map[string]bool // texts that the user has made since the disk was taken in, which had madeFor
	madeFor string

	went map[string]bool // texts that the editor's document had; under erMu, for it has them on other goroutines
}

// makes notes a text that the user has made of a document: its editor may write it without a word.
func (f *modelFile) makes(text string) {
	if f.madeFor != f.taken {
		f.made, f.madeFor = map[string]bool{}, f.taken
	}
	f.made[onlyLF(text)] = true
}

// becomes notes the text that there is now.
func (f *modelFile) becomes(text string) {
	f.had[f.text], f.had[text] = true, true
	f.text = text
}

func newModel(t *testing.T, seed uint64) *modelWorld {
	w := &modelWorld{t: t, r: rand.New(rand.NewPCG(seed, 21)), er: rand.New(rand.NewPCG(seed, 22)),
		accepted: map[string]bool{}, claimed: map[string]bool{}, words: map[string]bool{}}
	one := func(n int) bool { return w.r.IntN(n) == 0 }
	w.opts = modelOptions{
		eol: []string{"\n", "\n", "\r\n"}[w.r.IntN(3)], bare: one(5), reload: one(2), adopt: one(2), save: one(2), format: one(4),
		reloadsByChange: one(3), disk: one(2), files: 1 + w.r.IntN(3), refuses: one(4), forgets: one(6), slow: one(2), keepsUndo: one(2),
		saveMode:          []config.Save{config.SaveClean, config.SaveClean, config.SaveAlways, config.SaveNever}[w.r.IntN(4)],
		undoIsTwoMessages: one(3),
	}
	more := rand.New(rand.NewPCG(seed, 23)) // what was thought of later changes no other history
	w.opts.journal, w.opts.two, w.opts.again, w.opts.whole = more.IntN(4) == 0, more.IntN(4) == 0, more.IntN(4) == 0, more.IntN(4) == 0
	w.opts.encoding = []position.Encoding{position.UTF8, position.UTF16, position.UTF32}[more.IntN(3)]
	w.opts.marks = more.IntN(2) == 0
	w.opts.bases = !w.opts.adopt && more.IntN(2) == 0
	w.root = t.TempDir()
	if p, err := buffers.Resolve(w.root); err == nil {
		w.root = string(p)
	}
	if w.opts.journal {
		w.state = t.TempDir()
	}
	w.start()
	t.Cleanup(func() { w.stop() })
	for i := range w.opts.files {
		f := &modelFile{name: fmt.Sprintf("f%d", i), gone: map[string]bool{}, ever: map[string]bool{}, lax: map[string]bool{}, had: map[string]bool{}, odd: map[string]bool{}, slack: map[string]bool{},
			went: map[string]bool{}, otherEnd: map[string]bool{}, made: map[string]bool{}, disputed: "\x00"}
		f.path = filepath.Join(w.root, f.name)
		f.uri = buffers.PathURI(f.path)
		var rows []string
		for range w.r.IntN(8) {
			rows = append(rows, w.name("O"))
			if w.r.IntN(5) == 0 {
				rows = append(rows, []string{"", "}"}[w.r.IntN(2)])
			}
		}
		s := w.join(rows)
		if w.opts.bare {
			s = strings.TrimSuffix(s, w.opts.eol)
		}
		if i == 0 || w.r.IntN(4) > 0 {
			w.write(f, s)
		}
		f.text, f.taken, f.isTaken = f.disk, f.disk, f.exists
		w.files = append(w.files, f)
		w.logf("%s: %q, there %v", f.name, s, f.exists)
	}
	w.fresh()
	return w
}

// start starts acp-ls and an editor.
func (w *modelWorld) start() {
	st := config.Default()
	st.DefaultAgent, st.Files.Save = "fake", w.opts.saveMode
	w.runs++
	run, n := w.runs, map[string]int{}
	var mu sync.Mutex
	o := Options{Settings: func() *config.Settings { return st }, NewID: func(p string) string {
		mu.Lock()
		defer mu.Unlock()
		n[p]++
		return fmt.Sprintf("%s%d.%d", p, run, n[p])
	}}
	if state := w.state; w.opts.journal {
		o.Journal = func(workspace string) (Journal, error) { return journal.Open(state, workspace, journal.Options{}), nil }
	}
	w.l = &fakeLauncher{}
	w.l.prompt = func(ctx context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
		end := make(chan StopReason)
		s := w.modelSession
		w.e.note(func() { s.host, s.sid, s.end = a.host, sid, end })
		select {
		case r := <-end:
			return r, nil
		case <-ctx.Done():
			return StopCancelled, nil
		}
	}
	o.Launcher = w.l
	w.c = New(o)
	w.c.unwatched = true // nothing may wait for the system; hints come as steps
	w.e = newFakeEditor(w.t, w.c, w.root)
	w.e.enc = w.opts.encoding
	w.e.at.SetEncoding(w.e.enc)
	w.e.caps = map[string]bool{"reload": w.opts.reload, "adopt": w.opts.adopt, "base": w.opts.bases, "save": w.opts.save, "format": w.opts.marks}
	w.editor()
}

// stop ends acp-ls.
func (w *modelWorld) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	if err := w.c.Close(ctx); err != nil {
		w.t.Error(err)
	}
}

func (w *modelWorld) close() {
	for _, s := range w.sessions {
		if s.end != nil && s.host != nil {
			close(s.end)
		}
	}
}

// fresh makes the sessions new ones, that have not begun.
func (w *modelWorld) fresh() {
	w.sessions = []*modelSession{{}}
	if w.opts.two {
		w.sessions = append(w.sessions, &modelSession{})
	}
	for _, s := range w.sessions {
		s.known = map[*modelFile]*modelKnown{}
		for _, f := range w.files {
			s.known[f] = &modelKnown{}
		}
	}
	w.use(w.sessions[0])
}

// use makes s the session that is at it.
func (w *modelWorld) use(s *modelSession) {
	w.modelSession = s
	for _, f := range w.files {
		f.modelKnown = s.known[f]
	}
}

// useAny makes any session that one.
func (w *modelWorld) useAny() {
	if len(w.sessions) > 1 {
		w.use(w.sessions[w.r.IntN(len(w.sessions))])
	}
}

// useRunning makes one that is in a turn that one, if there is one.
func (w *modelWorld) useRunning() bool {
	if w.useAny(); w.turn != "" {
		return true
	}
	for _, s := range w.sessions {
		if s.turn != "" {
			w.use(s)
			return true
		}
	}
	return false
}

// saw notes that all agents can have seen s of a file.
func (w *modelWorld) saw(f *modelFile, s string) {
	for _, o := range w.sessions {
		o.known[f].seen = append(o.known[f].seen, s)
	}
}

// unsent notes that what agents sent of a file last need not be there.
func (w *modelWorld) unsent(f *modelFile) {
	for _, o := range w.sessions {
		o.known[f].sent, o.known[f].decided = "\x00", true
	}
}

func (w *modelWorld) logf(format string, args ...any) {
	w.trace = append(w.trace, fmt.Sprintf("%3d ", w.steps)+fmt.Sprintf(format, args...))
}

func (w *modelWorld) name(kind string) string {
	w.names++
	if kind == "A" {
		// A row is the agent's as long as one of its characters is left: no two names of
		// agents share one, with each other or with anybody.
		return string(firstAgent + rune(w.names))
	}
	return fmt.Sprintf("%s%dz", kind, w.names)
}

func (w *modelWorld) join(rows []string) string {
	if len(rows) == 0 {
		return ""
	}
	return strings.Join(rows, w.opts.eol) + w.opts.eol
}

// write writes a file as another program does. The time stamps are of the time
// there is in the test.
func (w *modelWorld) write(f *modelFile, s string) {
	w.t.Helper()
	if err := os.WriteFile(f.path, []byte(s), 0o644); err != nil {
		w.t.Fatal(err)
	}
	now := time.Now()
	if err := os.Chtimes(f.path, now, now); err != nil {
		w.t.Fatal(err)
	}
	f.disk, f.exists = s, true
	for _, row := range rowsOfText(s) {
		if strings.HasSuffix(row, "\n") && strings.HasSuffix(row, "\r\n") != (w.opts.eol == "\r\n") {
			f.otherEnd[nameOf(row)] = true
		}
	}
}

var (
	modelAgents = regexp.MustCompile(`[\x{4E00}-\x{9FFF}]`)
	modelOthers = regexp.MustCompile(`[OUD]\d+z`)
	modelWords  = regexp.MustCompile(`w\d+z`)
)

// nameOf is the name of a row: the last one of an agent in it, or the first one of
// somebody else; empty: a blank row or a brace.
func nameOf(row string) string {
	if all := modelAgents.FindAllString(row, -1); len(all) > 0 {
		return all[len(all)-1]
	}
	return modelOthers.FindString(row)
}

func isAgents(name string) bool { return name >= string(firstAgent) }

// firstAgent is in front of the characters that are names of agents.
const firstAgent = '\u4E00'

func rowsOfText(s string) []string {
	rows := strings.SplitAfter(s, "\n")
	if rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// namesOf are the names of the rows of a text, in order.
func namesOf(s string) []string {
	var out []string
	for _, row := range rowsOfText(s) {
		if n := nameOf(row); n != "" {
			out = append(out, n)
		}
	}
	return out
}

func setOf(names []string) map[string]bool {
	out := map[string]bool{}
	for _, n := range names {
		out[n] = true
	}
	return out
}

// difference are the names that b has and a has not.
func difference(a, b string) []string {
	had := setOf(namesOf(a))
	return slices.DeleteFunc(namesOf(b), func(n string) bool { return had[n] })
}

// inBase tells whether a row that is in the text is in the baseline.
func (w *modelWorld) inBase(name string) bool {
	return !isAgents(name) && !w.claimed[name] || w.accepted[name]
}

// sight is what can be seen of a file.
type sight struct {
	text, base string
	hunks      []review.Hunk
	created    bool
	deleted    bool
	vanished   bool // under its document
	made       bool // an agent has made it in a step that can be undone
}

func (w *modelWorld) see(f *modelFile) sight {
	var s sight
	o := w.c.file(buffers.Path(f.path))
	o.mu.Lock()
	defer o.mu.Unlock()
	s.created, s.deleted, s.vanished = o.created, o.deleted, o.entire.gone
	s.made = slices.ContainsFunc(o.history, func(s agentStep) bool { return s.created })
	switch {
	case o.doc != nil:
		s.text, s.base = o.doc.Text().String(), o.doc.Baseline().String()
		s.hunks = slices.Clone(o.doc.Hunks())
	default:
		b, _ := os.ReadFile(f.path)
		s.text, s.base = string(b), string(b)
	}
	if f.open {
		s.text = w.e.text(f.uri)
	}
	return s
}

func (s sight) inConflict() bool {
	return slices.ContainsFunc(s.hunks, func(h review.Hunk) bool { return h.State == review.StateConflict })
}

// namelessGone tells whether a row is in the baseline only that has no name.
func (s sight) namelessGone() bool {
	count := func(s string) int { return len(rowsOfText(s)) - len(namesOf(s)) }
	return slices.ContainsFunc(s.hunks, func(h review.Hunk) bool {
		return h.State == review.StatePending && count(h.BaseText) > count(h.Text)
	})
}

// contested are the rows in conflict that are not the user's, by name.
func (s sight) contested() []string {
	var names []string
	for _, h := range s.hunks {
		if h.State == review.StateConflict {
			rows := h.Text + h.BaseText // a row of the one may be made from one of the other
			names = append(names, append(modelAgents.FindAllString(rows, -1), modelOthers.FindAllString(rows, -1)...)...)
		}
	}
	return names
}

// settle lets everything come to rest.
func (w *modelWorld) settle() {
	time.Sleep(3 * time.Minute)
	synctest.Wait()
}

func (w *modelWorld) run(steps int) error {
	for range steps {
		w.steps++
		if err := w.step(); err != nil || w.over {
			return err
		}
	}
	return w.finish()
}

// verify compares everything with what must be so.
func (w *modelWorld) verify() error {
	for _, f := range w.files {
		if err := w.verifyFile(f); err != nil {
			s := w.see(f)
			return fmt.Errorf("%s: %w\nmodel text %q\n      text %q\n      base %q\n      gone %v\nmodel disk %q (%v)\nhunks %+v",
				f.name, err, f.text, s.text, s.base, f.gone, f.disk, f.exists, s.hunks)
		}
	}
	for _, f := range w.files {
		s := w.see(f)
		if f.contested = s.contested(); len(f.contested) > 0 {
			f.disputed = f.taken
		}
		f.nameless = s.namelessGone()
	}
	return w.verifyWords()
}

func (w *modelWorld) verifyFile(f *modelFile) error {
	s := w.see(f)
	if d, err := os.ReadFile(f.path); err == nil != f.exists || string(d) != f.disk && f.exists {
		return fmt.Errorf("disk has %q (%v)", d, err)
	}
	if f.open || f.taken == f.disk && f.isTaken == f.exists && !f.unsure {
		if s.text != f.text {
			return fmt.Errorf("text is %q", s.text)
		}
	}
	text, base := namesOf(s.text), namesOf(s.base)
	inText, inBase := setOf(text), setOf(base)
	if len(inText) < len(text) || len(inBase) < len(base) {
		w.over = true
		return nil
	}
	f.anyEnd = f.anyEnd || !strings.Contains(s.text, "\n") || f.exists && !strings.Contains(f.disk, "\n") // which a write takes in first
	for _, row := range rowsOfText(s.text) {
		if !f.anyEnd && !f.otherEnd[nameOf(row)] && strings.HasSuffix(row, "\n") && strings.HasSuffix(row, "\r\n") != (w.opts.eol == "\r\n") {
			return fmt.Errorf("row %q has another line end", row)
		}
	}
	if f.unsure || !f.open && (f.taken != f.disk || f.isTaken != f.exists) {
		return nil // not looked at yet
	}
	var want []string
	for _, n := range text {
		if f.lax[n] || strings.HasPrefix(n, "D") {
			if !inBase[n] && !isAgents(n) {
				w.claimed[n] = true
			}
			if isAgents(n) || w.claimed[n] {
				w.accepted[n], f.slack[n] = inBase[n], true
			}
			delete(f.lax, n)
		}
		if w.inBase(n) {
			want = append(want, n)
		}
	}
	undone := f.loose
	if f.loose {
		f.loose = false
		defer func() { f.any = false }()
		now := map[string]bool{}
		for _, n := range base {
			if !inText[n] && (f.ever[n] || f.any || strings.HasPrefix(n, "D")) {
				now[n], f.ever[n] = true, true
				if isAgents(n) {
					w.accepted[n] = true
				}
			}
		}
		f.gone = now
	}
	for n := range f.gone {
		if inText[n] {
			return fmt.Errorf("the model is wrong: %s is gone and there", n)
		}
		want = append(want, n)
	}
	if a, b := slices.Sorted(slices.Values(want)), slices.Sorted(slices.Values(base)); !slices.Equal(a, b) {
		return fmt.Errorf("baseline has %v, want %v", b, a)
	}
	rows := map[string]string{}
	for _, row := range rowsOfText(s.base) {
		rows[nameOf(row)] = strings.TrimRight(row, "\r\n")
	}
	for _, row := range rowsOfText(s.text) {
		if n := nameOf(row); n != "" && inBase[n] && !w.same(rows[n], strings.TrimRight(row, "\r\n")) {
			if undone || f.odd[n] {
				f.odd[n] = true // a row of the agent's that the user has put in the place of another
				continue
			}
			return fmt.Errorf("row %q is %q in the baseline", row, rows[n])
		}
	}
	if undone {
		// A row that came back as one of the agent's may stand in the baseline as another.
		var put, out []string
		for _, h := range s.hunks {
			if h.State == review.StatePending {
				put, out = append(put, namesOf(h.Text)...), append(out, namesOf(h.BaseText)...)
			}
		}
		for _, n := range put {
			f.odd[n] = f.odd[n] || slices.Contains(out, n)
		}
	}
	// A row that stands in the place of another has that one's place in the baseline.
	single := func(n string) bool { return !inText[n] || !inBase[n] || f.odd[n] }
	if a, b := slices.DeleteFunc(slices.Clone(text), single), slices.DeleteFunc(slices.Clone(base), single); !slices.Equal(a, b) {
		return fmt.Errorf("text has %v in this order, the baseline %v", a, b)
	}
	f.had[s.text] = true
	return w.verifyLaws(f)
}

// same compares two texts; a formatter may have been at work on one.
func (w *modelWorld) same(a, b string) bool {
	if !w.opts.format {
		return a == b
	}
	plain := func(s string) []string {
		rows := rowsOfText(s)
		for i := range rows {
			rows[i] = strings.TrimSpace(rows[i])
		}
		return rows
	}
	return slices.Equal(plain(a), plain(b))
}

func blankText(s string) bool { return strings.TrimSpace(s) == "" }

func (f *modelFile) buffersPath() buffers.Path { return buffers.Path(f.path) }

// verifyLaws decides everything on a copy.
func (w *modelWorld) verifyLaws(f *modelFile) error {
	o := w.c.file(buffers.Path(f.path))
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.doc == nil {
		return nil
	}
	var ids []string
	for _, h := range o.doc.Hunks(review.StatePending) {
		ids = append(ids, h.ID)
	}
	base, text := o.doc.Baseline().String(), o.doc.Text().String()
	d := o.doc.Clone()
	if _, refused := d.Reject(ids); len(refused) > 0 || d.Text().String() != base || d.Baseline().String() != base {
		return fmt.Errorf("reject of all gives %q, baseline %q, refused %v", d.Text(), d.Baseline(), refused)
	}
	d = o.doc.Clone()
	if _, refused := d.Accept(ids); len(refused) > 0 || d.Text().String() != text || d.Baseline().String() != text {
		return fmt.Errorf("accept of all gives %q, baseline %q, refused %v", d.Text(), d.Baseline(), refused)
	}
	// What the editor was shown is what is there.
	shown := visible(o.doc.Hunks(review.StatePending, review.StateProposed, review.StateConflict))
	w.e.mu.Lock()
	defer w.e.mu.Unlock()
	r := w.e.reviews[o.review(nil).URI]
	same := slices.EqualFunc(shown, r.Hunks, func(a, b review.Hunk) bool {
		return a.ID == b.ID && a.StartLine == b.StartLine && a.EndLine == b.EndLine && a.Text == b.Text && a.BaseText == b.BaseText
	})
	if !same {
		return fmt.Errorf("the editor was shown %+v, there is %+v", r.Hunks, shown)
	}
	return nil
}

// verifyWords looks for what the user typed inside rows.
func (w *modelWorld) verifyWords() error {
	var all strings.Builder
	for _, f := range w.files {
		if !f.open && (f.taken != f.disk || f.isTaken != f.exists) {
			return nil // an agent has taken it away, and nobody has looked
		}
		s := w.see(f)
		all.WriteString(s.text + s.base)
		for _, h := range s.hunks {
			all.WriteString(h.Text + h.BaseText + h.Gone)
		}
	}
	there := setOf(modelWords.FindAllString(all.String(), -1))
	for word := range w.words {
		if !there[word] {
			return fmt.Errorf("the user's %s is lost", word)
		}
	}
	return nil
}
