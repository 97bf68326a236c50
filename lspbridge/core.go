package lspbridge

import (
	"context"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/review"
	"acp-ls/internal/session"
)

// core is what the bridge needs of [session.Core]; see there.
type core interface {
	Attach(e session.Editor, roots []string) documents
	WroteAway(uri, content string, read *string)

	NewSession(ctx context.Context, n session.NewSession) (session.Info, error)
	LoadSession(ctx context.Context, agent, sessionID, cwd string) (session.Info, error)
	ListSessions(ctx context.Context, l session.ListSessions) ([]session.Info, error)
	Entries(session string, from int) ([]session.Entry, error)
	CloseSession(ctx context.Context, session string) error
	DeleteSession(ctx context.Context, session string) error
	ForkSession(ctx context.Context, session string) (session.Info, error)
	SetOption(ctx context.Context, session, option string, value any) (session.Info, error)
	Transcript(session string) (string, error)

	Prompt(ctx context.Context, p session.Prompt) (session.PromptResult, error)
	PromptAgent() string
	Queue(session string) ([]session.Queued, error)
	EditQueued(session, id, text string) error
	RemoveQueued(session, id string) error
	Cancel(ctx context.Context, session string) error

	Agents() []session.AgentEntry
	Authenticate(ctx context.Context, agent, method string) error
	Logout(ctx context.Context, agent string) error
	RestartAgent(ctx context.Context, agent string) error

	Questions() []session.Question
	Answer(id, optionID string) error
	ShowQuestion(id string) error
	Rules() []session.RememberedRule
	ForgetRule(id string) error

	Reviews(uri, session string, states ...review.State) []session.Review
	Discarded(uri string) *session.Discarded
	Accept(ctx context.Context, d session.Decide) (session.Decision, error)
	Reject(ctx context.Context, d session.Decide) (session.Decision, error)
	Restore(ctx context.Context, d session.Decide) (session.Decision, error)
	Undo(ctx context.Context, session, turn string) (session.Decision, error)
	Undoable(ctx context.Context) ([]session.Undoable, error)
	Resolve(ctx context.Context, hunk, take string) (session.Decision, error)
	Baseline(uri string) (string, error)

	Mark(s session.Span) (string, error)
	Complete(session, text string, offset int) []session.Completion
	SettingsChanged()
}

// documents is what the bridge needs of [session.Attachment]. Apply and Settle
// are called on the read loop, in wire order.
type documents interface {
	SetEncoding(position.Encoding)
	SetRoots(roots []string)
	Apply(buffers.Modification)
	Settle()
	Document(uri string) (*buffers.Document, bool)
	FoldersChanged(folders []string)
	BeforeSave(ctx context.Context, uri string) (bool, error)
	Read(uri string, version int32, read bool)
	FilesOperated([]session.FileOperation)
	Detach()
}

// realCore makes a core of the core.
type realCore struct{ *session.Core }

func (c realCore) Attach(e session.Editor, roots []string) documents {
	return c.Core.Attach(e, roots)
}
