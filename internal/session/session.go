package session

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"acp-ls/buffers"
)

// session is one conversation with an agent. Its mutex guards everything below
// it; the editors are told under it, so that what they hear has the order in
// which it happened (telling never blocks).
type session struct {
	core      *Core
	id        string
	agentName string
	cwd       string
	loose     string                   // why what is in the folder is not compared, for the user; empty: it is
	folders   atomic.Pointer[[]string] // it works in; see roots
	ledger    *ledger
	tools     *Tools

	mu        sync.Mutex
	state     State // starting, idle, running, closed or failed; waiting is derived
	proc      *agentProcess
	remote    string // the agent's sessionId
	reopened  string // the agent's sessionId, if it is of an earlier time; empty: it was begun here
	loads     bool   // the agent can open it again
	unloaded  string // what the user has stopped while it was loaded: the next prompt loads it
	title     string
	options   []Option
	wanted    map[string]any // options to set on a new session
	commands  []Command
	usage     *Usage
	stop      StopReason
	errText   string
	errKind   Kind
	queue     []*turn
	begun     bool   // it was ready for prompts once
	ending    bool   // no prompt is taken any more
	lastSent  string // the turn that was sent to the agent last
	running   *turn
	turns     int
	began     map[string]time.Time // of turns, by the clock of files
	log       transcript
	questions []string
	loading   bool                        // the agent replays history
	point     *points                     // of the turn that runs, or ran last
	pointOf   *turn                       // that it is of
	pointAt   time.Time                   // when it was made
	prepared  *points                     // made while nothing went on, for the next turn's
	pointing  chan struct{}               // holds a value while one is made
	noted     map[string]bool             // what was said once of checkpoints
	looking   chan struct{}               // holds a value while the disk is compared
	named     map[buffers.Path]*namedFile // by tool calls of the turn
	toName    []string                    // and are not looked at yet
	naming    chan struct{}               // holds a value while they are
	untold    []rejectedHunk              // rejections the agent has not been told of
	words     []string                    // and what else
	telling   *telling                    // of the prompt that is on its way; nil if there is none
	knows     []string                    // folders beside its own the agent has been told of
	notOnDisk map[string]string           // what was said last of changes that were not saved, or made, by path
	consented map[buffers.Path]bool       // what the turn was let touch when it asked
	opened    chan struct{}               // closed when starting has ended
	giveUp    context.CancelCauseFunc     // ends the start, for a reason; nil if it does not start
	unsents   []Queued                    // prompts that were given up with the agent or the session, until the next turn
	ran       map[string]*ran             // by terminal
	silent    *silence                    // what the agent has not answered yet
}

// turn is one prompt, from being queued to its stop reason.
type turn struct {
	id     string
	prompt Prompt
	done   chan struct{} // closed when stop or err is set
	told   chan struct{} // closed when the agent was told to cancel it
	over   bool          // the agent has answered it; guarded by session.mu
	stop   StopReason
	err    error

	// Guarded by session.mu.
	sent      bool // to the agent
	looked    bool // at the disk for the last time
	cancelled bool
	replaced  bool // cancelled for a prompt that was to be sent at once

	// What its questions are about is made ready to be shown under asking, and it ends
	// with the turn; readying counts what has not come to that. Both are made with
	// the start of the turn.
	asking   context.Context
	noMore   context.CancelFunc // ends asking
	readying sync.WaitGroup
}

func (s *session) remoteID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remote
}

func (s *session) failure() error {
	return &Error{Kind: s.errKind, Message: s.errText}
}

// info is called with mu held.
func (s *session) info() Info {
	i := Info{
		Session: s.id, Agent: s.agentName, SessionID: s.remote, Cwd: s.cwd, Title: s.title,
		State: s.state, StopReason: s.stop, Usage: s.usage, Error: s.errText, ErrorKind: s.errKind, Loads: s.loads,
		Options: notNil(s.options), Commands: notNil(s.commands),
		Queue: []Queued{}, Questions: notNil(s.questions), Pending: s.core.pendingOf(s.id),
	}
	if s.running != nil && s.state != StateClosed { // an agent that does not listen is nothing of a closed one
		i.Turn, i.Stopping = s.running.id, s.running.cancelled
		if len(s.questions) > 0 {
			i.State = StateWaiting
		}
	}
	i.Unsent = slices.Clone(s.unsents)
	for _, t := range s.queue {
		i.Queue = append(i.Queue, Queued{ID: t.id, Text: t.prompt.Text})
	}
	return i
}

func notNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return slices.Clone(s)
}

// changed tells the editors of the session's state; mu is held.
func (s *session) changed() {
	info := s.info()
	for _, a := range s.core.attached() {
		a.editor.SessionChanged(info)
	}
}

// entryChanged tells the editors of an entry; mu is held.
func (s *session) entryChanged(it *item) {
	e := it.entry()
	for _, a := range s.core.attached() {
		a.editor.EntryChanged(s.id, e)
	}
}

// notice adds a notice or error to the transcript.
func (s *session) notice(turnID string, kind EntryKind, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.entryChanged(s.log.add(kind, turnID, text))
}

// Entries returns the transcript from its n-th entry (0-based) on.
func (c *Core) Entries(id string, from int) ([]Entry, error) {
	s, err := c.findSession(id)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.entries(from), nil
}

// Transcript returns the transcript as Markdown.
func (c *Core) Transcript(id string) (string, error) {
	s, err := c.findSession(id)
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.markdown(s.title), nil
}

func (s *session) process() (*agentProcess, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.proc == nil || s.remote == "" {
		if s.state == StateFailed {
			return nil, s.failure()
		}
		return nil, Errorf(KindBusy, "the session is not ready yet (%s): try again when it is", s.state)
	}
	return s.proc, nil
}
