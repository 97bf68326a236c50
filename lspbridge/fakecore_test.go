package lspbridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/config"
	"acp-ls/internal/review"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// fakeCore is a core whose documents are real and whose sessions are what the
// test says. A method the test has said nothing of panics, which the bridge
// must survive.
type fakeCore struct {
	core

	attached chan session.Editor // capacity 1
	docs     *fakeDocuments

	mu      sync.Mutex
	reviews []session.Review
	changed int // calls of SettingsChanged

	whileAttaching func(session.Editor)
	away           []string // what WroteAway was told

	promptAgent string

	prompt   func(context.Context, session.Prompt) (session.PromptResult, error)
	decide   func(verb string, d session.Decide) (session.Decision, error)
	cancel   func(session string) error
	complete func(text string, offset int) []session.Completion
	baseline func(uri string) (string, error)
	changing func(session string) session.Info // closing, deleting or setting an option of it
}

func newFakeCore() *fakeCore {
	return &fakeCore{attached: make(chan session.Editor, 1), docs: &fakeDocuments{folders: make(chan []string, 10), operated: make(chan []session.FileOperation, 10), read: make(chan string, 10)}}
}

func (c *fakeCore) Attach(e session.Editor, roots []string) documents {
	c.docs.SetRoots(roots)
	if c.whileAttaching != nil {
		c.whileAttaching(e)
	}
	c.attached <- e
	return c.docs
}

func (c *fakeCore) WroteAway(uri, content string, read *string) {
	if read != nil {
		content += " after " + *read
	}
	c.away = append(c.away, uri+" "+content)
}

func (c *fakeCore) SettingsChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changed++
}

func (c *fakeCore) setReviews(r ...session.Review) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reviews = r
}

func (c *fakeCore) Discarded(string) *session.Discarded { return nil }

func (c *fakeCore) Reviews(uri, sessionID string, states ...review.State) []session.Review {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []session.Review
	for _, r := range c.reviews {
		if uri == "" || r.URI == uri {
			out = append(out, r)
		}
	}
	return out
}

func (c *fakeCore) Prompt(ctx context.Context, p session.Prompt) (session.PromptResult, error) {
	if p.Wait {
		session.Placed(ctx)
	}
	return c.prompt(ctx, p)
}

func (c *fakeCore) PromptAgent() string { return cmp.Or(c.promptAgent, "demo") }

func (c *fakeCore) Cancel(_ context.Context, sessionID string) error { return c.cancel(sessionID) }

func (c *fakeCore) CloseSession(_ context.Context, id string) error {
	c.changing(id)
	return nil
}

func (c *fakeCore) DeleteSession(_ context.Context, id string) error {
	c.changing(id)
	return nil
}

func (c *fakeCore) SetOption(_ context.Context, id, _ string, _ any) (session.Info, error) {
	return c.changing(id), nil
}

func (c *fakeCore) Accept(_ context.Context, d session.Decide) (session.Decision, error) {
	return c.decide("accept", d)
}

func (c *fakeCore) Reject(_ context.Context, d session.Decide) (session.Decision, error) {
	return c.decide("reject", d)
}

func (c *fakeCore) Undo(context.Context, string, string) (session.Decision, error) {
	return session.Decision{}, nil
}

func (c *fakeCore) Undoable(context.Context) ([]session.Undoable, error) { return nil, nil }

func (c *fakeCore) Restore(_ context.Context, d session.Decide) (session.Decision, error) {
	return c.decide("restore", d)
}

func (c *fakeCore) Complete(_, text string, offset int) []session.Completion {
	return c.complete(text, offset)
}

func (c *fakeCore) Mark(session.Span) (string, error) { return "m1", nil }

func (c *fakeCore) Baseline(uri string) (string, error) { return c.baseline(uri) }

// fakeDocuments keeps the documents of one editor.
type fakeDocuments struct {
	mu       sync.Mutex
	store    *buffers.Store
	roots    []string
	settled  int
	detached bool
	applied  []buffers.Modification
	onApply  func(buffers.Modification)
	folders  chan []string // in which the editor has seen something change
	operated chan []session.FileOperation
	read     chan string
}

func (d *fakeDocuments) SetEncoding(e position.Encoding) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.store = buffers.NewStore(buffers.Options{Encoding: e})
}

func (d *fakeDocuments) SetRoots(roots []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.roots = roots
}

func (d *fakeDocuments) Apply(m buffers.Modification) {
	d.mu.Lock()
	on := d.onApply
	d.applied = append(d.applied, m)
	d.mu.Unlock()
	if on != nil {
		on(m)
	}
	_, _ = d.store.Apply(m, "test") // an error is about a message that the test made wrong on purpose
}

func (d *fakeDocuments) Read(uri string, version int32, read bool) {
	d.read <- fmt.Sprint(uri, " ", version, " ", read)
}
func (d *fakeDocuments) FilesOperated(ops []session.FileOperation) { d.operated <- ops }

func (d *fakeDocuments) FoldersChanged(folders []string) { d.folders <- folders }

func (d *fakeDocuments) BeforeSave(_ context.Context, uri string) (bool, error) {
	if doc := d.store.Get(uri); doc == nil || doc.Text.String() == "" {
		return false, nil
	}
	return true, nil
}

func (d *fakeDocuments) Settle() {
	d.mu.Lock()
	d.settled++
	d.mu.Unlock()
	d.store.Settle("test")
}

func (d *fakeDocuments) Document(uri string) (*buffers.Document, bool) {
	doc := d.store.Get(uri)
	return doc, doc != nil
}

func (d *fakeDocuments) Detach() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.detached = true
}

// duplex joins two one-way pipes.
type duplex struct {
	io.Reader
	io.Writer
	closers []io.Closer
}

func (d duplex) Close() error {
	var errs []error
	for _, c := range d.closers {
		errs = append(errs, c.Close())
	}
	return errors.Join(errs...)
}

// pipes returns the two ends of a connection. What one side writes, the other
// must read before the write returns.
func pipes() (server, client duplex) {
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	return duplex{fromClient, toClient, []io.Closer{fromClient, toClient}},
		duplex{fromServer, toServer, []io.Closer{fromServer, toServer}}
}

// rig is a bridge between a fake editor and a fake core.
type rig struct {
	core   *fakeCore
	client *fakeeditor.Editor
	editor session.Editor // what the core sees
	bridge *editor
	served chan error
}

type rigOptions struct {
	fakeeditor.Options
	settings  *config.Settings
	configure func(...config.Layer) []config.Problem
	core      func(*fakeCore)
	after     func(time.Duration, func()) func() bool
}

// patience is how long a test waits for what must come.
const patience = 30 * time.Second

func start(t *testing.T, o rigOptions) *rig {
	t.Helper()
	r := &rig{core: newFakeCore(), served: make(chan error, 1)}
	if o.core != nil {
		o.core(r.core)
	}
	if o.settings == nil {
		o.settings = config.Default()
	}
	server, client := pipes()
	opts := Options{
		Settings: func() *config.Settings { return o.settings }, Configure: o.configure,
		Log:  slog.New(slog.NewTextHandler(testWriter{t}, &slog.HandlerOptions{Level: slog.LevelDebug})),
		Name: "acp-ls", Version: "test", after: o.after,
	}
	go func() { r.served <- serve(context.Background(), server, r.core, opts) }()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var err error
	if r.client, err = fakeeditor.Start(ctx, client, o.Options); err != nil {
		t.Fatal(err)
	}
	r.editor = <-r.core.attached
	r.bridge = r.editor.(*editor)
	t.Cleanup(func() {
		_ = r.client.Kill()
		if err := <-r.served; err != nil && !errors.Is(err, ErrNoShutdown) {
			t.Errorf("serve: %v", err)
		}
	})
	return r
}

type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Logf("%s", p)
	return len(p), nil
}

func limit(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	t.Cleanup(cancel)
	return ctx
}

func (r *rig) await(t *testing.T, what string, e fakeeditor.Expectation) {
	t.Helper()
	if err := r.client.Await(limit(t), what, e); err != nil {
		t.Fatal(err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// eventually returns when cond holds, which nothing tells of.
func eventually(t *testing.T, cond func() bool) {
	t.Helper()
	ctx := limit(t)
	for !cond() {
		if ctx.Err() != nil {
			t.Fatal("what must come did not")
		}
		runtime.Gosched()
	}
}
