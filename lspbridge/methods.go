package lspbridge

import (
	"context"
	"reflect"
	"slices"

	"go.lsp.dev/jsonrpc2"

	"acp-ls/internal/session"
)

// kind says who sends a method of the contract, and whether it is answered.
type kind int

const (
	command            kind = iota // the editor's, through workspace/executeCommand
	serverNotification             // ours
	serverRequest                  // ours
)

// method is one row of the contract: what dispatch, the capabilities and
// docs/editor-contract.md are made of.
type method struct {
	name       string
	kind       kind
	capability string // of experimental.acp that allows us to send it
	params     reflect.Type
	result     reflect.Type // nil for notifications
	doc        string       // one line
	inOrder    bool         // the next command begins when this one has its place, not before
	run        func(*editor, context.Context, jsonrpc2.RawMessage) (any, error)
}

// The commands and messages of the contract, in its order.
var table = []method{
	inOrder(runs("acp.session.new", "Starts a session. Without an agent the default one, without a directory the workspace folder of the document the user is in, else the first one or, if no folder is open, that of the document, else the home folder. If the directory is a workspace folder the session works in the others too. Answered when it takes prompts; with `wait: false` as soon as there is a session, which may be prompted and whose state says the rest.", (*editor).sessionNew)),
	inOrder(runs("acp.session.load", "Opens a session that the agent has stored; its history arrives as entries before the answer.", (*editor).sessionLoad)),
	runs("acp.session.list", "Live sessions, and those that an agent has stored. An agent is asked only if it runs or is named; `also` names one that is asked as well as those that run, and started if need be (empty: the default one).", (*editor).sessionList),
	runs("acp.session.entries", "The transcript so far, from an index on: for a window that was attached late or reloaded.", (*editor).sessionEntries),
	runs("acp.session.close", "Ends a session.", (*editor).sessionClose),
	runs("acp.session.delete", "Ends a session and has the agent forget it.", (*editor).sessionDelete),
	runs("acp.session.fork", "Starts a session that continues from where this one stands.", (*editor).sessionFork),
	runs("acp.session.setOption", "Sets an option of a session. Modes are the option `mode`.", (*editor).sessionSetOption),
	runs("acp.session.transcript", "The transcript as Markdown, with the end of what commands have written in terminals.", (*editor).sessionTranscript),
	inOrder(runs("acp.prompt", "Sends a prompt, or queues it while a turn runs. Answered as soon as it is sent or queued; with `wait` at the end of the turn, after all its messages, and cancelling the request is then `acp.cancel`. Without a session: the newest of this workspace, else a new one, each of `agent` if that is named. `when` is `queue` (default) or `now`, which cancels the turn that runs.", (*editor).prompt)),
	inOrder(runs("acp.mark", "Keeps a range of an open document for a prompt that is still to be written: where `context` or `selection` names it as `mark`, what has become of its text goes along, and not the lines that have its numbers by then.", (*editor).mark)),
	runs("acp.prompt.list", "The prompts that wait for the running turn to end.", (*editor).promptList),
	inOrder(runs("acp.prompt.edit", "Changes the text of a waiting prompt.", (*editor).promptEdit)),
	inOrder(runs("acp.prompt.remove", "Takes a waiting prompt back.", (*editor).promptRemove)),
	inOrder(runs("acp.cancel", "Cancels the running turn, or takes back a prompt that waits for its session to start: its text stays in the transcript, with a notice. Ends the start of a session in which none waits, or whose agent was said not to answer. Open questions are answered as cancelled.", (*editor).cancelTurn)),
	runs("acp.agent.list", "The agents that can be named, built in and configured; of one that runs its ways to log in. `problems`: what is wrong with the settings, or unknown in them, a line each.", (*editor).agentList),
	runs("acp.agent.authenticate", "Logs in; starts the agent if it does not run. Without a method the configured or only one; with several and none configured an error (`invalid`) names them, and the agent, which runs then, has them as `methods` in `acp.agent.list`: an editor lets the user choose.", (*editor).agentAuthenticate),
	runs("acp.agent.logout", "Logs out.", (*editor).agentLogout),
	runs("acp.agent.restart", "Ends the agent's process; the next session starts a new one.", (*editor).agentRestart),
	runs("acp.permission.list", "Open questions.", (*editor).permissionList),
	runs("acp.permission.answer", "Answers a question. Without an option: refuses, with the agent's only `reject_once`.", (*editor).permissionAnswer),
	runs("acp.permission.show", "Shows a question again that was put off.", (*editor).permissionShow),
	runs("acp.permission.rules", "Remembered answers.", (*editor).permissionRules),
	runs("acp.permission.forget", "Forgets a remembered answer.", (*editor).permissionForget),
	runs("acp.review.list", "What there is to decide on, or of one `state`: `pending`, `proposed`, `conflict`, `rejected`; with what is rejected also what was discarded of a proposal last, which cannot be brought back: an editor that takes back the last decision says so, if that was the last.", (*editor).reviewList),
	runs("acp.review.accept", "Accepts hunks: those named, or those of a file, session or turn; with `uri` and `rev` if the file is as it stood at that, without `uri` no `rev` is taken. Without any member: all.", (*editor).reviewAccept),
	inOrder(runs("acp.review.reject", "Rejects hunks, named in the same ways.", (*editor).reviewReject)),
	runs("acp.review.undo", "Takes back all that a turn, or a session, has changed, accepted or not. What the user typed since stays. What cannot be taken back is in `refused`, with a reason to show: the id is that of a file, or of the turn or session for what is not known any more. A session of an earlier run is named as it was then, or by what opened it again.", (*editor).reviewUndo),
	runs("acp.review.undoable", "The sessions that have changed what can still be taken back, the last first: those that live, and those of earlier runs (`ended`), also where their agents cannot open them again. `title` is that of the session or else its first prompt, `time` when its last turn began, in milliseconds since 1970 (none: not known), `turn` the one that runs.", (*editor).reviewUndoable),
	runs("acp.review.restore", "Brings rejected hunks back, named in the same ways.", (*editor).reviewRestore),
	inOrder(runs("acp.review.resolve", "Settles a conflict: `take` is `mine`, `theirs` or `both` (mine, then theirs).", (*editor).reviewResolve)),
	runs("acp.review.baseline", "The file as it would be if every undecided change were rejected.", (*editor).reviewBaseline),
	runs("acp.complete", "Completions after `@` and `/` for an input that is no document. `offset`, `start` and `end` count bytes of UTF-8.", (*editor).complete),

	notifies[session.Info]("acp/session", "session", "The state of a session, on every change of it."),
	notifies[entryParams]("acp/entry", "session", "One item of the transcript, inserted or replaced by `entry.id`."),
	notifies[chunkParams]("acp/chunk", "session", "Text to append to the entry `id`; coalesced, at most 30 a second for one entry."),
	notifies[Review]("acp/review", "review", "Pending, proposed and conflict hunks of a file, whenever they change. An empty list clears."),
	notifies[session.TerminalOutput]("acp/terminal", "terminal", "Output to append to a terminal's, and how its program ended."),
	asks[session.Question, permissionResult]("acp/permission", "permission", "A question of an agent; null or no option: not answered. Any number may be open."),
	notifies[dismissParams]("acp/dismiss", "dismiss", "A question was answered elsewhere or withdrawn."),
	asks[saveParams, saveResult]("acp/save", "save", "Save a document as the user would, formatters included; or, with `format: false`, its text as it is. With `version`: if it is still at that."),
	asks[adoptParams, adoptResult]("acp/adopt", "adopt", "The disk has changed and `text` already contains that change: make the disk's state the base of the document and `text` its content in one step, if it is still at `version`. `disk` is the SHA-256 (hexadecimal) of the bytes of the file that `text` contains."),
	asks[baseParams, baseResult]("acp/base", "base", "For editors that cannot do that in one step, and are sent the change as an edit: the document has contained since `version` all that the file had when the SHA-256 of its bytes was `disk` (hexadecimal). As long as the file has those, to save the document over it is no conflict, and the user is not to be asked. `based`: it will be so."),
	asks[uriParams, reloadResult]("acp/reload", "reload", "The file changed on disk: reload the document if it has no unsaved changes, and never ask."),
	asks[none, editorResult]("acp/editor", "editor", "What the user looks at; `lastTyped` is milliseconds ago."),
	asks[runParams, runResult]("acp/run", "run", "Run an interactive program in a terminal, such as a login. Without the capability the command is shown to copy."),
	asks[diagnosticsParams, diagnosticsResult]("acp/diagnostics", "diagnostics", "What all the editor's language servers say of one document, or of all: LSP's Diagnostic. Ours (source `acp`) may be left out."),
	asks[askParams, askResult]("acp/ask", "ask", "A form to fill in: `action` is `accept`, `decline` or `cancel`; an answer is a value, or a list of option ids."),
}

// none is an object without members.
type none struct{}

// commands are the table's commands by name.
var commands = func() map[string]*method {
	byName := map[string]*method{}
	for i := range table {
		if table[i].kind == command {
			byName[table[i].name] = &table[i]
		}
	}
	return byName
}()

// commandNames are the names of all commands, in the table's order.
func commandNames() []string {
	var names []string
	for _, m := range table {
		if m.kind == command {
			names = append(names, m.name)
		}
	}
	return names
}

// capabilityOf is the capability that a message of ours needs.
func capabilityOf(name string) string {
	i := slices.IndexFunc(table, func(m method) bool { return m.name == name })
	return table[i].capability
}

func runs[P, R any](name, doc string, f func(*editor, context.Context, *P) (R, error)) method {
	return method{
		name: name, kind: command, doc: doc,
		params: reflect.TypeFor[P](), result: reflect.TypeFor[R](),
		run: func(e *editor, ctx context.Context, raw jsonrpc2.RawMessage) (any, error) {
			p := new(P)
			if err := decodeArgument(raw, p); err != nil {
				return nil, session.Errorf(session.KindInvalid, "%s: %w", name, err)
			}
			return f(e, ctx, p)
		},
	}
}

// inOrder makes a command hold back those that come after it until the core has
// taken it in (see [session.Ordered]), or it is done.
func inOrder(m method) method {
	m.inOrder = true
	return m
}

func notifies[P any](name, capability, doc string) method {
	return method{name: name, kind: serverNotification, capability: capability, params: reflect.TypeFor[P](), doc: doc}
}

func asks[P, R any](name, capability, doc string) method {
	return method{name: name, kind: serverRequest, capability: capability, params: reflect.TypeFor[P](), result: reflect.TypeFor[R](), doc: doc}
}
