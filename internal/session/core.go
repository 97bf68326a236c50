package session

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/watch"
	"acp-ls/internal/config"
	"acp-ls/internal/review/journal"
)

// Options are what the core takes from outside, so that tests can give their
// own. Launcher and Settings are required.
type Options struct {
	Launcher Launcher
	Settings func() *config.Settings
	Now      func() time.Time
	// NewID makes an id that is unique in this process and its records; the
	// prefix says what of.
	NewID func(prefix string) string
	Log   *slog.Logger
	Waits Waits
	// Journal opens the journal of a workspace, which is its folder's path, or "";
	// nil keeps nothing over the end of the process.
	Journal func(workspace string) (Journal, error)
	// Board is where processes tell each other what they are at; nil: nobody is told, and none known.
	Board *journal.Board
	// EditorTools brings sessions' Tools to their agents; nil offers none.
	EditorTools EditorTools
	// Own are the absolute paths of files and folders in which acp-ls itself writes, such as
	// its state directory: they are part of no review, wherever they lie.
	Own []string
}

// Waits are how long the core waits for others before it goes on without them.
// A member that is zero has its default.
type Waits struct {
	// Landing is how long after the editor said it made an edit the document is
	// waited for; some editors report only when the user pauses. 10 s.
	Landing time.Duration
	// Refusal is how long after a refused edit the change that must have caused
	// it is waited for. 1 s.
	Refusal time.Duration
	// Typing is how long what the disk has is tried anew because the user types in the document
	// meanwhile, before it is left for later. 10 s.
	Typing time.Duration
	// Asked is the same for what somebody has asked for, and is told in the end that it was not
	// done. 1 min.
	Asked time.Duration
	// Reshow is how long after a dismissed question it is shown once more. 2 s.
	Reshow time.Duration
	// Goodbye is how long an agent may take to stop working on a session that is
	// closed, and then to say that it is. 2 s.
	Goodbye time.Duration
	// CancelAgain is when an agent that has not stopped is told again, and then
	// again: some miss a cancellation that comes before they have begun. After
	// the last the user is told. 1 s, 4 s, 10 s.
	CancelAgain []time.Duration
	// Silence is how long an agent may take for a first sign of life, when it is
	// asked for a session or prompted, before the user is told that it is
	// waited for. 10 s.
	Silence time.Duration
	// Starting is the same for an agent that was started. 5 s.
	Starting time.Duration
	// Tool is how long a call of our own tools waits for the user's answer to a question
	// before it is answered with that it waits. 20 s.
	Tool time.Duration
	// Reopening is how long after a document was closed another message of its editor is waited
	// for: to read a file anew many close the document and open it. 1 s.
	Reopening time.Duration
	// Opening is how long an editor may take to open its documents, before the user is told
	// of those in which something is looked for when they are opened. 3 s.
	Opening time.Duration
	// Unread is how long an editor may take to read a file anew, in another encoding, before it is asked once more
	// and the user is told. 10 s.
	Unread time.Duration
	// Left is how long what a process that was killed has left of a write must stay as it is
	// before it is removed. 20 s.
	Left time.Duration
}

func (w Waits) orDefaults() Waits {
	w.Landing = cmp.Or(w.Landing, 10*time.Second)
	w.Refusal = cmp.Or(w.Refusal, time.Second)
	w.Typing = cmp.Or(w.Typing, 10*time.Second)
	w.Asked = cmp.Or(w.Asked, time.Minute)
	w.Goodbye = cmp.Or(w.Goodbye, 2*time.Second)
	w.Reshow = cmp.Or(w.Reshow, 2*time.Second)
	w.Silence = cmp.Or(w.Silence, 10*time.Second)
	w.Starting = cmp.Or(w.Starting, 5*time.Second)
	w.Tool = cmp.Or(w.Tool, 20*time.Second)
	w.Reopening = cmp.Or(w.Reopening, time.Second)
	w.Opening = cmp.Or(w.Opening, 3*time.Second)
	w.Unread = cmp.Or(w.Unread, 10*time.Second)
	w.Left = cmp.Or(w.Left, 20*time.Second)
	if w.CancelAgain == nil {
		w.CancelAgain = []time.Duration{time.Second, 4 * time.Second, 10 * time.Second}
	}
	return w
}

// Core is the one owner of sessions and files. Its methods may be called from
// any goroutine.
type Core struct {
	// Constant after New.
	launcher  Launcher
	settings  func() *config.Settings
	now       func() time.Time
	newID     func(string) string
	log       *slog.Logger
	waits     Waits
	read      func(buffers.Path) (buffers.Disk, error) // buffers.ReadDisk but in tests
	spawns    func(func()) func()                      // what is to be done by a goroutine, and when; nil but in tests
	tools     EditorTools
	broker    *broker
	durable   *durable     // nil without a journal
	reviews   atomic.Int64 // how many were made
	keptSteps atomic.Int64 // how much the journal has of the steps of all files, in bytes
	elsewhere *elsewhere   // nil if nobody is told, and none known
	saysSaved saidSaved
	own       []string // links resolved
	ctx       context.Context
	stop      context.CancelFunc

	wg      sync.WaitGroup                // every goroutine of the core
	editors atomic.Pointer[[]*Attachment] // replaced as a whole, under mu
	opened  sync.Map                      // the paths of all open documents, by buffers.Path

	mu        sync.Mutex // guards what follows
	closed    bool
	sessions  []*session      // in the order they were made
	ended     map[string]bool // those that are no more, and whether what could be undone of them is dropped
	agents    map[string]*agentProcess
	files     map[buffers.Path]*file
	byPath    []*file        // the same in order
	watcher   *watch.Watcher // nil until first needed
	unwatched bool           // folders cannot be watched here

	choosing sync.Mutex // held while the session of a prompt is found or made

	repos repos

	marks marks

	untouched  untouched
	rejections rejections
	discards   discards
	earlier    earlierSessions
	made       madeFolders

	pendingMu sync.Mutex                      // guards pending
	pending   map[string]map[buffers.Path]int // by session: its pending hunks in each file
}

// New makes a core. Close ends it.
func New(o Options) *Core {
	if o.Launcher == nil || o.Settings == nil {
		panic("session: New needs a launcher and settings")
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.NewID == nil {
		o.NewID = randomID
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	ctx, stop := context.WithCancel(context.Background())
	c := &Core{
		launcher: o.Launcher, settings: o.Settings, now: o.Now, newID: o.NewID, log: o.Log, waits: o.Waits.orDefaults(), tools: o.EditorTools,
		ctx: ctx, stop: stop, read: buffers.ReadDisk,
		agents: map[string]*agentProcess{}, files: map[buffers.Path]*file{},
		pending: map[string]map[buffers.Path]int{},
	}
	for _, p := range o.Own {
		if p, err := buffers.Resolve(p); err == nil {
			c.own = append(c.own, string(p))
		}
	}
	c.durable, c.elsewhere = newDurable(c, o.Journal), newElsewhere(c, o.Board)
	c.broker = &broker{core: c, remembered: map[string]*remembered{}}
	c.editors.Store(&[]*Attachment{})
	return c
}

func randomID(prefix string) string {
	var b [6]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	return prefix + hex.EncodeToString(b[:])
}

// spawn runs f on a goroutine that Close waits for.
func (c *Core) spawn(f func()) {
	if c.spawns != nil {
		f = c.spawns(f)
	}
	c.wg.Go(f)
}

func (c *Core) attached() []*Attachment { return *c.editors.Load() }

func (c *Core) findSession(id string) (*session, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.sessions {
		if s.id == id {
			return s, nil
		}
	}
	return nil, Errorf(KindUnknownSession, "there is no session %q: it was closed, or acp-ls was started anew; open a new one", id)
}

func (c *Core) allSessions() []*session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.sessions)
}

// SettingsChanged is called when settings differ. Those that concern agents
// take effect when they are next started.
func (c *Core) SettingsChanged() {
	for _, f := range c.allFiles() {
		f.republish()
	}
}

// Close ends every session and agent and waits for every goroutine. Questions
// are answered cancelled, running turns end with an error.
func (c *Core) Close(ctx context.Context) error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		c.wg.Wait()
		return nil
	}
	c.closed = true
	agents := make([]*agentProcess, 0, len(c.agents))
	for _, p := range c.agents {
		agents = append(agents, p)
	}
	c.mu.Unlock()

	c.noteLast(ctx)
	for _, s := range c.allSessions() {
		c.broker.cancel(s)
	}
	var stopping sync.WaitGroup
	for _, p := range agents {
		stopping.Go(func() { p.close(ctx) })
	}
	stopping.Wait()
	c.stop()
	c.mu.Lock()
	w := c.watcher
	c.mu.Unlock()
	if w != nil {
		_ = w.Close() // before the wait: what it tells of starts goroutines
	}
	for _, f := range c.allFiles() {
		f.close()
	}
	c.wg.Wait()
	c.durable.close()
	c.elsewhere.close()
	return nil
}
