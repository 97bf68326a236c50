package session

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
)

// fakeEditor is an editor in this process: documents it owns, an answer to
// every request, and a record of what it was told.
type fakeEditor struct {
	t  testing.TB
	at *Attachment

	mu       sync.Mutex
	cond     *sync.Cond
	docs     map[string]*fakeDoc
	caps     map[string]bool
	infos    map[string]Info
	entries  map[string][]Entry
	reviews  map[string]Review
	turns    []TurnProgress
	messages []string
	dismiss  []string
	saves    []string
	reloads  []string
	asked    []string // ids of questions, in the order in which they came

	// How it answers; all may be nil.
	onState       func() EditorState
	onDiagnostics func() []Diagnostic
	onPermission  func(Question) (string, error)
	onApply       func(DocumentEdit) (handled bool, err error)
	onSave        func(uri string) error
	onSaving      func(uri string, format bool) error // instead
	beforeSave    func(uri string)                    // has just been asked to
	onReload      func(uri string) (bool, error)
	onAdopt       func(uri string, version int32, text string) (bool, error)
	onBase        func(uri string, version int32, disk string) (bool, error)

	wire sync.Mutex // stands for the one read loop
	enc  position.Encoding
}

type fakeDoc struct {
	version int32
	text    text.Text
}

func newFakeEditor(t testing.TB, c *Core, root string) *fakeEditor {
	e := &fakeEditor{t: t, docs: map[string]*fakeDoc{}, caps: map[string]bool{}, infos: map[string]Info{},
		entries: map[string][]Entry{}, reviews: map[string]Review{}}
	e.cond = sync.NewCond(&e.mu)
	e.at = c.Attach(e, []string{root})
	e.enc = position.UTF8
	e.at.SetEncoding(e.enc)
	return e
}

// await waits until ok, which is called with mu held, is true.
func (e *fakeEditor) await(what string, ok func() bool) {
	e.t.Helper()
	deadline := time.AfterFunc(20*time.Second, func() { e.cond.Broadcast() })
	defer deadline.Stop()
	start := time.Now()
	e.mu.Lock()
	defer e.mu.Unlock()
	for !ok() {
		if time.Since(start) > 20*time.Second {
			e.t.Fatalf("waited in vain for %s\nreviews %+v\ninfos %+v", what, e.reviews, e.infos)
		}
		e.cond.Wait()
	}
}

func (e *fakeEditor) note(f func()) {
	e.mu.Lock()
	f()
	e.cond.Broadcast()
	e.mu.Unlock()
}

// said returns the messages that were shown.
func (e *fakeEditor) said() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.messages)
}

// send hands a notification to the core as the read loop does.
func (e *fakeEditor) send(m buffers.Modification) {
	e.wire.Lock()
	defer e.wire.Unlock()
	e.sendLocked(m)
}

func (e *fakeEditor) sendLocked(m buffers.Modification) {
	if _, ok := m.(buffers.Open); !ok {
		e.at.Settle()
	}
	e.at.Apply(m)
}

func (e *fakeEditor) open(uri, s string) {
	e.wire.Lock()
	defer e.wire.Unlock()
	e.note(func() { e.docs[uri] = &fakeDoc{version: 1, text: text.New(s)} })
	e.sendLocked(buffers.Open{URI: uri, LanguageID: "text", Version: 1, Text: s})
	if d, ok := e.at.Document(uri); ok && d.Path() != "" {
		_, _ = e.at.store.Look(d.Path()) // which the core does too, some time
	}
}

// close closes a document for good.
func (e *fakeEditor) close(uri string) {
	e.wire.Lock()
	defer e.wire.Unlock()
	e.note(func() { delete(e.docs, uri) })
	e.sendLocked(buffers.Close{URI: uri})
	e.at.Settle()
}

// reopen makes what a file holds the text of its document, as an editor does that closes and
// opens that: nothing comes in between.
func (e *fakeEditor) reopen(uri, path string) {
	e.t.Helper()
	e.wire.Lock()
	defer e.wire.Unlock()
	s := readFile(e.t, path)
	e.note(func() { e.docs[uri] = &fakeDoc{text: text.New(s)} })
	e.sendLocked(buffers.Close{URI: uri})
	e.sendLocked(buffers.Open{URI: uri, LanguageID: "text", Text: s})
}

// readAnew makes what a file holds the text of its document, and tells it as a change.
func (e *fakeEditor) readAnew(uri, path string) {
	e.t.Helper()
	e.wire.Lock()
	defer e.wire.Unlock()
	e.typeLocked(uri, 0, len(e.text(uri)), readFile(e.t, path))
}

// typeAt replaces bytes of a document as a user does.
func (e *fakeEditor) typeAt(uri string, start, end int, s string) {
	e.t.Helper()
	e.wire.Lock()
	defer e.wire.Unlock()
	e.typeLocked(uri, start, end, s)
}

func (e *fakeEditor) typeLocked(uri string, start, end int, s string) {
	e.replaceLocked(uri, start, end, s, false)
}

// format makes what a formatter has made of a document its text, in the course of acp/save, and
// tells it as an editor does that can ("format").
func (e *fakeEditor) format(uri, formatted string) {
	e.wire.Lock()
	defer e.wire.Unlock()
	e.replaceLocked(uri, 0, len(e.text(uri)), formatted, true)
}

func (e *fakeEditor) replaceLocked(uri string, start, end int, s string, formatted bool) {
	e.mu.Lock()
	d := e.docs[uri]
	old := d.text
	d.text = old.Replace(start, end, s)
	d.version++
	v := d.version
	e.cond.Broadcast()
	e.mu.Unlock()
	e.sendLocked(buffers.Change{URI: uri, Version: v, Changes: []buffers.ContentChange{{
		Range: &position.Range{
			Start: position.OffsetPosition(old, start, e.enc),
			End:   position.OffsetPosition(old, end, e.enc),
		}, Text: s,
	}}, Formatted: formatted})
}

// changes makes changes, one after the other, and tells of them at once.
func (e *fakeEditor) changes(uri string, changes []buffers.ContentChange) {
	e.wire.Lock()
	defer e.wire.Unlock()
	e.mu.Lock()
	doc := e.docs[uri]
	for _, c := range changes {
		start, end := position.RangeOffsets(doc.text, *c.Range, position.UTF8)
		doc.text = doc.text.Replace(start, end, c.Text)
	}
	doc.version++
	v := doc.version
	e.cond.Broadcast()
	e.mu.Unlock()
	e.sendLocked(buffers.Change{URI: uri, Version: v, Changes: changes})
}

// replace types new over the first occurrence of old.
func (e *fakeEditor) replace(uri, old, new string) {
	e.t.Helper()
	e.wire.Lock()
	defer e.wire.Unlock()
	s := e.text(uri)
	i := strings.Index(s, old)
	if i < 0 {
		e.t.Fatalf("%q is not in %q", old, s)
	}
	e.typeLocked(uri, i, i+len(old), new)
}

func (e *fakeEditor) text(uri string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.docs[uri].text.String()
}

// texts are those of all documents, by URI.
func (e *fakeEditor) texts() map[string]string {
	e.mu.Lock()
	defer e.mu.Unlock()
	texts := map[string]string{}
	for uri, d := range e.docs {
		texts[uri] = d.text.String()
	}
	return texts
}

// edit makes an edit the core asked for, if it is still for the version.
func (e *fakeEditor) edit(d DocumentEdit, checkVersion bool) error {
	e.wire.Lock()
	defer e.wire.Unlock()
	e.mu.Lock()
	doc := e.docs[d.URI]
	if doc == nil || checkVersion && doc.version != d.Version {
		e.mu.Unlock()
		return ErrRefused
	}
	var changes []buffers.ContentChange
	for _, ed := range slices.Backward(d.Edits) { // from the end, so that ranges stay right
		start, end := position.RangeOffsets(doc.text, ed.Range, e.enc)
		doc.text = doc.text.Replace(start, end, ed.NewText)
		r := ed.Range
		changes = append(changes, buffers.ContentChange{Range: &r, Text: ed.NewText})
	}
	doc.version++
	v := doc.version
	e.cond.Broadcast()
	e.mu.Unlock()
	e.sendLocked(buffers.Change{URI: d.URI, Version: v, Changes: changes})
	return nil
}

func (e *fakeEditor) Can(c string) (can bool) {
	e.note(func() { can = e.caps[c] })
	return can
}

func (e *fakeEditor) SessionChanged(i Info) { e.note(func() { e.infos[i.Session] = i }) }

func (e *fakeEditor) EntryChanged(s string, en Entry) {
	e.note(func() {
		list := e.entries[s]
		if i := slices.IndexFunc(list, func(o Entry) bool { return o.ID == en.ID }); i >= 0 {
			list[i] = en
			return
		}
		e.entries[s] = append(list, en)
	})
}

func (e *fakeEditor) Chunk(s, id, t string) {
	e.note(func() {
		for i := range e.entries[s] {
			if e.entries[s][i].ID == id {
				e.entries[s][i].Text += t
			}
		}
	})
}

func (e *fakeEditor) ReviewChanged(r Review)        { e.note(func() { e.reviews[r.URI] = r }) }
func (e *fakeEditor) TerminalOutput(TerminalOutput) {}
func (e *fakeEditor) Turn(p TurnProgress)           { e.note(func() { e.turns = append(e.turns, p) }) }
func (e *fakeEditor) ShowMessage(_ Level, m string) {
	e.note(func() { e.messages = append(e.messages, m) })
}
func (e *fakeEditor) Dismiss(id string) { e.note(func() { e.dismiss = append(e.dismiss, id) }) }

func (e *fakeEditor) Permission(ctx context.Context, q Question) (string, error) {
	e.note(func() { e.asked = append(e.asked, q.ID) })
	Placed(ctx)
	if e.onPermission != nil {
		return e.onPermission(q)
	}
	<-ctx.Done()
	return "", ErrUnanswered
}

func (e *fakeEditor) ApplyEdit(_ context.Context, d DocumentEdit) error {
	if e.onApply != nil {
		if handled, err := e.onApply(d); handled {
			return err
		}
	}
	return e.edit(d, true)
}

// told waits until what the editor has told of before it answers has been read: there is one wire, and
// it keeps the order.
func (e *fakeEditor) told() {
	e.wire.Lock()
	defer e.wire.Unlock()
}

func (e *fakeEditor) Save(_ context.Context, uri string, version int32, format bool) error {
	defer e.told()
	e.note(func() { e.saves = append(e.saves, uri) })
	if e.beforeSave != nil {
		e.beforeSave(uri)
	}
	e.mu.Lock()
	moved := version != 0 && e.docs[uri].version != version
	e.mu.Unlock()
	if moved {
		return ErrNotSaved
	}
	if e.onSaving != nil {
		return e.onSaving(uri, format)
	}
	if e.onSave != nil {
		return e.onSave(uri)
	}
	return ErrUnsupported
}

func (e *fakeEditor) Reload(_ context.Context, uri string) (bool, error) {
	defer e.told()
	var onReload func(string) (bool, error)
	e.note(func() {
		e.reloads = append(e.reloads, uri)
		onReload = e.onReload
	})
	if onReload != nil {
		return onReload(uri)
	}
	return false, ErrUnsupported
}

func (e *fakeEditor) Adopt(_ context.Context, uri string, version int32, s, _ string) (bool, error) {
	defer e.told()
	if e.onAdopt != nil {
		return e.onAdopt(uri, version, s)
	}
	return false, ErrUnsupported
}

func (e *fakeEditor) Base(_ context.Context, uri string, version int32, disk string) (bool, error) {
	defer e.told()
	if e.onBase != nil {
		return e.onBase(uri, version, disk)
	}
	return false, ErrUnsupported
}

func (e *fakeEditor) State(context.Context) (EditorState, error) {
	if e.onState != nil {
		return e.onState(), nil
	}
	return EditorState{}, ErrUnsupported
}
func (e *fakeEditor) Run(context.Context, RunRequest) (int, error) { return 0, ErrUnsupported }
func (e *fakeEditor) Ask(context.Context, Form) (FormAnswer, error) {
	return FormAnswer{}, ErrUnsupported
}

func (e *fakeEditor) Diagnostics(context.Context, string) ([]Diagnostic, error) {
	if e.onDiagnostics != nil {
		return e.onDiagnostics(), nil
	}
	return nil, ErrUnsupported
}
func (e *fakeEditor) ShowDocument(context.Context, string, int) error { return ErrUnsupported }

var _ Editor = (*fakeEditor)(nil)

// fakeAgent is an agent in this process. A turn is what its prompt function does.
type fakeAgent struct {
	host     Host
	info     AgentInfo
	launcher *fakeLauncher

	mu      sync.Mutex
	n       int
	params  SessionParams // of the session begun last
	cancels map[string]context.CancelFunc
	blocks  [][]Block
	done    chan struct{}
	err     error
	once    sync.Once
}

func (a *fakeAgent) Info() AgentInfo { return a.info }

func (a *fakeAgent) NewSession(_ context.Context, p SessionParams) (SessionState, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
	a.params = p
	return SessionState{SessionID: fmt.Sprintf("remote%d", a.n)}, nil
}

func (a *fakeAgent) LoadSession(context.Context, string, SessionParams) (SessionState, error) {
	return SessionState{}, errors.New("cannot load")
}
func (a *fakeAgent) ListSessions(context.Context, string) ([]RemoteSession, error) { return nil, nil }
func (a *fakeAgent) CloseSession(context.Context, string) error                    { return nil }
func (a *fakeAgent) DeleteSession(context.Context, string) error                   { return nil }
func (a *fakeAgent) ForkSession(context.Context, string, SessionParams) (SessionState, error) {
	return SessionState{}, errors.New("cannot fork")
}

func (a *fakeAgent) Prompt(ctx context.Context, sid string, blocks []Block) (StopReason, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	a.mu.Lock()
	a.cancels[sid] = cancel
	a.blocks = append(a.blocks, blocks)
	a.mu.Unlock()
	return a.launcher.prompt(ctx, a, sid, blocks)
}

func (a *fakeAgent) Cancel(sid string) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c := a.cancels[sid]; c != nil {
		c()
	}
	return nil
}

func (a *fakeAgent) SetOption(context.Context, string, string, any) ([]Option, error) {
	return nil, nil
}
func (a *fakeAgent) Authenticate(context.Context, string) error { return nil }
func (a *fakeAgent) Logout(context.Context) error               { return nil }
func (a *fakeAgent) Done() <-chan struct{}                      { return a.done }
func (a *fakeAgent) Err() error                                 { return a.err }
func (a *fakeAgent) Close(context.Context) error                { a.die(nil); return nil }

func (a *fakeAgent) die(err error) {
	a.once.Do(func() {
		a.err = err
		a.mu.Lock()
		for _, c := range a.cancels {
			c()
		}
		a.mu.Unlock()
		close(a.done)
	})
}

type fakeLauncher struct {
	mu     sync.Mutex
	agents []*fakeAgent
	info   AgentInfo
	prompt func(ctx context.Context, a *fakeAgent, sid string, blocks []Block) (StopReason, error)
	before chan struct{} // if set, an agent is ready when it is closed
}

func (l *fakeLauncher) Catalog() []AgentEntry {
	return []AgentEntry{{Name: "fake", Installed: true}, {Name: "other", Installed: true}}
}

func (l *fakeLauncher) Start(_ context.Context, name, _ string, h Host) (Agent, error) {
	if l.before != nil {
		<-l.before
	}
	a := &fakeAgent{host: h, info: l.info, launcher: l, cancels: map[string]context.CancelFunc{}, done: make(chan struct{})}
	a.info.Name = name
	l.mu.Lock()
	l.agents = append(l.agents, a)
	l.mu.Unlock()
	return a, nil
}

// setup makes a core with one editor over an empty folder.
func setup(t *testing.T, l *fakeLauncher, change ...func(*config.Settings)) (*Core, *fakeEditor, string) {
	t.Helper()
	root := t.TempDir()
	if p, err := buffers.Resolve(root); err == nil {
		root = string(p)
	}
	st := config.Default()
	st.DefaultAgent = "fake"
	for _, f := range change {
		f(st)
	}
	var mu sync.Mutex
	n := map[string]int{}
	c := New(Options{Launcher: l, Settings: func() *config.Settings { return st }, NewID: func(p string) string {
		mu.Lock()
		defer mu.Unlock()
		n[p]++
		return fmt.Sprintf("%s%d", p, n[p])
	}})
	e := newFakeEditor(t, c, root)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
		defer cancel()
		if err := c.Close(ctx); err != nil {
			t.Error(err)
		}
	})
	return c, e, root
}

// openTen opens a file of ten lines, which has been looked at then.
func (e *fakeEditor) openTen(root string) (path, uri string) {
	e.t.Helper()
	path = filepath.Join(root, "a.txt")
	uri = buffers.PathURI(path)
	writeFile(e.t, path, ten)
	e.open(uri, ten)
	awaitLook(e.t, e.at.core.file(buffers.Path(path)))
	return path, uri
}

// earlyLauncher's agent sends an update of a session before it has named it.
type earlyLauncher struct{ fakeLauncher }

func (l *earlyLauncher) Start(ctx context.Context, name, cwd string, h Host) (Agent, error) {
	a, err := l.fakeLauncher.Start(ctx, name, cwd, h)
	return &earlyAgent{a.(*fakeAgent)}, err
}

type earlyAgent struct{ *fakeAgent }

func (a *earlyAgent) NewSession(ctx context.Context, p SessionParams) (SessionState, error) {
	a.host.Update("remote1", CommandsUpdate{Commands: []Command{{Name: "early"}}})
	return a.fakeAgent.NewSession(ctx, p)
}

type fakeSettings struct{}

func (*fakeSettings) get() *config.Settings { return config.Default() }
