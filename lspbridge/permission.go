package lspbridge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"
	"go.lsp.dev/protocol"

	"acp-ls/internal/session"
)

// holdQueue is the default of [Options].HoldQuestion.
const holdQueue = 60 * time.Second

// decideLater is the first action of every question, because it is the one that
// the Enter key takes in most editors.
const decideLater = "Decide later"

// questions are those that the editor is shown.
type questions struct {
	turn turnstile // for window/showMessageRequest

	mu   sync.Mutex
	sent map[string]*sentQuestion // by id; those of acp/permission
}

// sentQuestion is a question from the moment somebody wants to send it until it
// is withdrawn. Withdrawing may come before sending has got that far.
type sentQuestion struct {
	asking int  // how many are waiting for its answer
	queued bool // the editor will read it
	gone   bool // withdrawn
}

func (s *questions) begin(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sent[id] == nil {
		if s.sent == nil {
			s.sent = map[string]*sentQuestion{}
		}
		s.sent[id] = &sentQuestion{}
	}
	s.sent[id].asking++
}

func (s *questions) queued(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent[id].queued = true
}

// end says whether the editor has to be told that the question is withdrawn.
func (s *questions) end(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.sent[id]
	q.asking--
	if q.asking > 0 || q.queued && !q.gone {
		return false
	}
	delete(s.sent, id)
	return q.queued
}

// dismiss says whether the editor has to be told that the question is withdrawn.
func (s *questions) dismiss(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	q := s.sent[id]
	switch {
	case q == nil || q.gone:
		return false
	case q.asking > 0 && !q.queued:
		q.gone = true // told by end, if it gets sent all the same
		return false
	case q.asking > 0:
		q.gone, q.queued = true, false // told now, not by end
		return true
	}
	delete(s.sent, id)
	return true
}

type dismissParams struct {
	ID string `json:"id"`
}

type permissionResult struct {
	OptionID string `json:"optionId"`
}

// Permission implements [session.Editor].
func (e *editor) Permission(ctx context.Context, q session.Question) (string, error) {
	ctx, stop := e.whileAttached(ctx)
	defer stop()
	var option string
	var err error
	switch {
	case e.Can("permission"):
		option, err = e.askPermission(ctx, q)
	case e.client.asks:
		option, err = e.popUp(ctx, q)
	default:
		return "", session.ErrUnanswered
	}
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		e.log.Debug("question was not answered", "question", q.ID, "error", err)
		return "", session.ErrUnanswered
	}
	for _, o := range q.Options {
		if o.OptionID == option {
			return option, nil
		}
	}
	return "", session.ErrUnanswered
}

// askPermission asks by acp/permission; any number of questions may be open.
func (e *editor) askPermission(ctx context.Context, q session.Question) (string, error) {
	e.out.flush(ctx, q.Session) // what the question is about is shown first
	e.questions.begin(q.ID)
	defer func() {
		if e.questions.end(q.ID) {
			e.tellDismissed(q.ID)
		}
	}()
	ctx = withQueued(ctx, func() {
		e.questions.queued(q.ID)
		session.Placed(ctx)
	})
	var answer jsontext.Value
	if err := e.ask(ctx, "acp/permission", q, &answer); err != nil {
		return "", err
	}
	if isNull(answer) {
		return "", nil
	}
	var r permissionResult
	err := decode(answer, &r)
	return r.OptionID, err
}

// Dismiss implements [session.Editor]. A question that was never sent needs no
// word.
func (e *editor) Dismiss(question string) {
	if e.questions.dismiss(question) {
		e.tellDismissed(question)
	}
}

func (e *editor) tellDismissed(question string) {
	if e.Can("dismiss") {
		e.out.message("acp/dismiss", dismissParams{question})
	}
}

// popUp asks by window/showMessageRequest, one question at a time. A question
// that ends, or is unanswered for long, lets the next one be shown; its own late
// answer still counts while somebody waits for it.
func (e *editor) popUp(ctx context.Context, q session.Question) (string, error) {
	place := e.questions.turn.join()
	session.Placed(ctx)
	if err := place.wait(ctx); err != nil {
		return "", err
	}
	defer place.leave()
	stop := e.opts.after(cmp.Or(e.opts.HoldQuestion, holdQueue), place.leave)
	defer stop()

	params := messageRequest(q)
	var answer jsontext.Value
	if err := e.call(ctx, protocol.MethodWindowShowMessageRequest, params, &answer); err != nil {
		return "", err
	}
	return params.optionOf(answer)
}

// messageRequestParams are LSP's ShowMessageRequestParams and one member more.
type messageRequestParams struct {
	Type    protocol.MessageType `json:"type"`
	Message string               `json:"message"`
	Actions []messageAction      `json:"actions"`
	ACP     messageRequestACP    `json:"acp"`
}

type messageAction struct {
	Title    string `json:"title"`
	OptionID string `json:"optionId,omitzero"`
}

type messageRequestACP struct {
	ID       string                     `json:"id"`
	Session  string                     `json:"session"`
	ToolCall session.ToolCall           `json:"toolCall"`
	Options  []session.PermissionOption `json:"options"`
}

func messageRequest(q session.Question) messageRequestParams {
	p := messageRequestParams{
		Type: protocol.MessageTypeInfo, Message: q.Message,
		Actions: []messageAction{{Title: decideLater}},
		ACP:     messageRequestACP{q.ID, q.Session, q.ToolCall, q.Options},
	}
	taken := map[string]bool{decideLater: true}
	for _, o := range q.Options {
		title := distinct(o, taken)
		taken[title] = true
		p.Actions = append(p.Actions, messageAction{title, o.OptionID})
	}
	return p
}

// distinct is an option's title, unlike those that are taken: most editors
// answer with the title alone.
func distinct(o session.PermissionOption, taken map[string]bool) string {
	title := shownText(o.Name)
	if title == "" {
		title = shownText(o.OptionID)
	}
	if taken[title] && o.Kind != "" {
		title += " (" + strings.ReplaceAll(shownText(o.Kind), "_", " ") + ")"
	}
	for base, n := title, 2; taken[title]; n++ {
		title = fmt.Sprintf("%s %d", base, n)
	}
	return title
}

// shownText is a text of an agent as it may be shown on one line.
func shownText(s string) string {
	s = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.IsControl(r), unicode.Is(unicode.Cf, r):
			return -1
		}
		return r
	}, s)
	return strings.Join(strings.Fields(s), " ")
}

var errNoAction = errors.New("the answer is none of the actions")

// optionOf is the option that an answer means. Anything but one of the actions
// that were offered is no answer.
func (p messageRequestParams) optionOf(answer jsontext.Value) (string, error) {
	var action struct {
		Title string `json:"title"`
	}
	if answer.Kind() != '{' || decode(answer, &action) != nil {
		return "", errNoAction
	}
	for _, a := range p.Actions {
		if a.Title == action.Title && a.OptionID != "" {
			return a.OptionID, nil
		}
	}
	return "", errNoAction
}
