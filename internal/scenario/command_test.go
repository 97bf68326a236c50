package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"

	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"

	"go.lsp.dev/jsonrpc2"
)

// prompted is an acp.prompt that waits for the end of its turn.
type prompted struct{ call *fakeeditor.Call }

// command runs a command of the server. refused is what to say of an error the
// server has answered with.
func (w *world) command(name string, argument, result any) (refused []string, err error) {
	ctx, cancel := w.limit()
	defer cancel()
	return w.refusal(w.theEditor().Command(ctx, name, argument, result))
}

func (w *world) refusal(err error) ([]string, error) {
	var e *jsonrpc2.Error
	if !errors.As(err, &e) {
		return nil, err
	}
	var data struct {
		Kind string `json:"kind"`
	}
	_ = json.Unmarshal(e.Data, &data)
	return append([]string{strings.TrimSpace("error " + data.Kind)}, prose(w.shorten(e.Message))...), nil
}

// theSession is the session named, or the newest.
func (w *world) theSession(a *args) (string, error) {
	if s, ok := a.option("session"); ok {
		return s, nil
	}
	for n := w.sessionsMade(); n > 0; n-- {
		id := fmt.Sprint("s", n)
		if _, err := w.core.Entries(id, 0); err == nil { // it is not closed
			return id, nil
		}
	}
	return "", errors.New("there is no session")
}

// say makes a step of a command whose result says nothing.
func (w *world) say(name string, argument any) ([]string, error) {
	refused, err := w.command(name, argument, nil)
	if err == nil && refused == nil {
		return []string{"ok"}, nil
	}
	return refused, err
}

// spanned is a name, and the range in it that is meant.
// numbered is what a review is numbered by: how many were made before goes by time.
var numbered = regexp.MustCompile(`"seq":[0-9]+,`)

var spanned = regexp.MustCompile(`^(.*?)(?::(\d+:\d+(?:-\d+:\d+)?))?$`)

func init() {
	register(map[string]func(*world, *args) ([]string, error){
		"new": func(w *world, a *args) ([]string, error) {
			in := map[string]any{}
			for _, k := range []string{"agent", "cwd"} {
				if v, ok := a.option(k); ok {
					in[k] = v
					if k == "cwd" {
						in[k] = w.path(strings.ReplaceAll(v, "$ROOT", w.root))
					}
				}
			}
			if v, ok := a.option("options"); ok {
				in["options"] = json.RawMessage(v)
			}
			return w.infoStep("acp.session.new", in)
		},
		// begin runs a command in the background; done says how it went.
		"begin": func(w *world, a *args) ([]string, error) {
			id, name := a.take("a name"), a.take("a command")
			text := a.text()
			if text == "" {
				text = "{}"
			}
			c, err := w.theEditor().BeginCommand(name, json.RawMessage(strings.ReplaceAll(text, "$ROOT", w.root)))
			w.begun[id] = c
			return nil, err
		},
		"done": func(w *world, a *args) ([]string, error) {
			c := w.begun[a.take("a name")]
			if c == nil {
				return nil, errors.New("nothing of that name was begun")
			}
			ctx, cancel := w.limit()
			defer cancel()
			var result json.RawMessage
			refused, err := w.refusal(c.Wait(ctx, &result))
			if err != nil || refused != nil {
				return refused, err
			}
			return []string{string(result)}, nil
		},
		// drop cancels the request of a command in the background.
		"drop": func(w *world, a *args) ([]string, error) { return nil, w.begun[a.take("a name")].Cancel() },
		// command runs any command and says its result as JSON.
		"command": func(w *world, a *args) ([]string, error) {
			name := a.take("a command")
			text := a.text()
			if text == "" {
				text = "{}"
			}
			var result json.RawMessage
			refused, err := w.command(name, json.RawMessage(strings.ReplaceAll(text, "$ROOT", w.root)), &result)
			if err != nil || refused != nil {
				return refused, err
			}
			return []string{numbered.ReplaceAllString(string(result), "")}, nil
		},
		// prompt sends a prompt; end says how its turn has ended.
		"prompt": func(w *world, a *args) ([]string, error) {
			in := map[string]any{"wait": true}
			if s, ok := a.option("session"); ok {
				in["session"] = s
			}
			if a.flag("-now") {
				in["when"] = "now"
			}
			span := func(v string) (map[string]any, error) {
				where := spanned.FindStringSubmatch(v)
				out := map[string]any{"uri": w.uri(where[1])}
				if where[2] != "" {
					r, err := lspRange(where[2])
					if err != nil {
						return nil, err
					}
					out["range"] = r
				}
				return out, nil
			}
			if v, ok := a.option("selection"); ok {
				s, err := span(v)
				if err != nil {
					return nil, err
				}
				in["selection"] = s
			}
			var context []any
			for {
				v, ok := a.option("context")
				if !ok {
					break
				}
				s, err := span(v)
				if err != nil {
					return nil, err
				}
				context = append(context, s)
			}
			if context != nil {
				in["context"] = context
			}
			in["text"] = strings.ReplaceAll(a.text(), "$ROOT", w.root)
			before := w.said()
			c, err := w.theEditor().BeginCommand("acp.prompt", in)
			if err != nil {
				return nil, err
			}
			w.prompts = append(w.prompts, &prompted{c})
			ctx, cancel := w.limit()
			defer cancel()
			for w.said() == before && !c.Answered() {
				if err := ctx.Err(); err != nil {
					return nil, err
				}
				runtime.Gosched()
			}
			return nil, nil
		},
		// end waits for the oldest prompt whose end was not waited for.
		"end": func(w *world, a *args) ([]string, error) {
			if len(w.prompts) == 0 {
				return nil, errors.New("there is no prompt")
			}
			p := w.prompts[0]
			w.prompts = w.prompts[1:]
			ctx, cancel := w.limit()
			defer cancel()
			var r session.PromptResult
			refused, err := w.refusal(p.call.Wait(ctx, &r))
			if err != nil || refused != nil {
				return refused, err
			}
			return []string{fmt.Sprintf("%s %s", r.Turn, r.StopReason)}, nil
		},
		"drop-prompt": func(w *world, _ *args) ([]string, error) { return nil, w.prompts[0].call.Cancel() },
		"cancel": func(w *world, a *args) ([]string, error) {
			s, err := w.theSession(a)
			if err != nil {
				return nil, err
			}
			return w.say("acp.cancel", map[string]any{"session": s})
		},
		// session says how a session is.
		"session": func(w *world, a *args) ([]string, error) {
			s, err := w.theSession(a)
			if err != nil {
				return nil, err
			}
			i, err := w.info(s)
			if err != nil {
				return nil, err
			}
			return infoLines(i), nil
		},
		// agents lists the agents that are configured.
		"agents": func(w *world, _ *args) ([]string, error) {
			var r struct {
				Agents []session.AgentEntry `json:"agents"`
			}
			refused, err := w.command("acp.agent.list", map[string]any{}, &r)
			out := refused
			for _, a := range r.Agents {
				if _, ok := w.conf.current.Load().Agents[a.Name]; ok {
					out = append(out, fmt.Sprintf("%s installed=%v running=%v %s", a.Name, a.Installed, a.Running, a.How))
				}
			}
			return out, err
		},
		"sessions": func(w *world, a *args) ([]string, error) {
			in := map[string]any{}
			for _, k := range []string{"agent", "cwd"} {
				if v, ok := a.option(k); ok {
					in[k] = strings.ReplaceAll(v, "$ROOT", w.root)
				}
			}
			var r struct {
				Sessions []session.Info `json:"sessions"`
			}
			refused, err := w.command("acp.session.list", in, &r)
			out := refused
			for _, i := range r.Sessions {
				out = append(out, strings.Join(strings.Fields(fmt.Sprintf("%s %s %s %s %q", i.Session, i.Agent, i.SessionID, i.State, i.Title)), " "))
			}
			return out, err
		},
		"close-session":  func(w *world, a *args) ([]string, error) { return w.sessionStep("acp.session.close", a) },
		"delete-session": func(w *world, a *args) ([]string, error) { return w.sessionStep("acp.session.delete", a) },
		"entries": func(w *world, a *args) ([]string, error) {
			s, err := w.theSession(a)
			if err != nil {
				return nil, err
			}
			entries, err := w.entries(s)
			var out []string
			for _, e := range entries {
				out = append(out, entryLines(e)...)
			}
			return out, err
		},
		// until waits until the transcript has an entry with a text in it.
		"until": func(w *world, a *args) ([]string, error) {
			s, err := w.theSession(a)
			text := a.text()
			ctx, cancel := w.limit()
			defer cancel()
			for ; err == nil; err = ctx.Err() {
				var entries []session.Entry
				entries, err = w.entries(s)
				if err != nil || slices.ContainsFunc(entries, func(e session.Entry) bool { return strings.Contains(e.Text, text) }) {
					break
				}
			}
			return nil, err
		},
		"queue": func(w *world, a *args) ([]string, error) {
			s, err := w.theSession(a)
			if err != nil {
				return nil, err
			}
			var r struct {
				Queue []session.Queued `json:"queue"`
			}
			refused, err := w.command("acp.prompt.list", map[string]any{"session": s}, &r)
			out := refused
			for _, q := range r.Queue {
				out = append(out, fmt.Sprintf("%s %q", q.ID, q.Text))
			}
			if out == nil {
				out = []string{"(empty)"}
			}
			return out, err
		},
		"edit-queued": func(w *world, a *args) ([]string, error) {
			s, err := w.theSession(a)
			if err != nil {
				return nil, err
			}
			id := a.take("an id")
			return w.say("acp.prompt.edit", map[string]any{"session": s, "id": id, "text": a.text()})
		},
		"remove-queued": func(w *world, a *args) ([]string, error) {
			s, err := w.theSession(a)
			if err != nil {
				return nil, err
			}
			return w.say("acp.prompt.remove", map[string]any{"session": s, "id": a.take("an id")})
		},
		// questions lists the open ones; with a number, when there are so many.
		"questions": func(w *world, a *args) ([]string, error) {
			var r struct {
				Questions []session.Question `json:"questions"`
			}
			refused, err := w.command("acp.permission.list", map[string]any{}, &r)
			if len(a.words) > 0 {
				n, numErr := strconv.Atoi(a.take("how many"))
				ctx, cancel := w.limit()
				defer cancel()
				for err = errors.Join(err, numErr); err == nil && len(r.Questions) != n; err = errors.Join(err, ctx.Err()) {
					r.Questions = nil
					refused, err = w.command("acp.permission.list", map[string]any{}, &r)
				}
			}
			out := refused
			for _, q := range r.Questions {
				out = append(out, fmt.Sprintf("%s %s %q", q.ID, q.Session, q.Message))
			}
			if out == nil {
				out = []string{"(none)"}
			}
			return out, err
		},
		"answer": func(w *world, a *args) ([]string, error) {
			in := map[string]any{"id": a.take("a question")}
			if len(a.words) > 0 {
				in["optionId"] = a.take("an option")
			}
			return w.say("acp.permission.answer", in)
		},
		"settings": func(w *world, a *args) ([]string, error) {
			w.conf.mu.Lock()
			var more map[string]any
			err := json.Unmarshal([]byte(a.text()), &more)
			merge(w.conf.user, more)
			w.conf.mu.Unlock()
			w.configure()
			return nil, err
		},
	})
}

// sessionsMade is how many there were; they are named s1, s2 and so on.
func (w *world) sessionsMade() int {
	n, ok := w.ids.Load("s")
	if !ok {
		return 0
	}
	return int(n.(*atomic.Int64).Load())
}

// said counts the prompts that stand in a queue or in a transcript.
func (w *world) said() int {
	n := 0
	for i := range w.sessionsMade() {
		id := fmt.Sprint("s", i+1)
		queue, _ := w.core.Queue(id) // one that is closed has none
		entries, _ := w.core.Entries(id, 0)
		n += len(queue)
		for _, e := range entries {
			if e.Kind == session.EntryUser {
				n++
			}
		}
	}
	return n
}

func (w *world) sessionStep(name string, a *args) ([]string, error) {
	s, err := w.theSession(a)
	if err != nil {
		return nil, err
	}
	return w.say(name, map[string]any{"session": s})
}

func (w *world) infoStep(name string, in any) ([]string, error) {
	var i session.Info
	refused, err := w.command(name, in, &i)
	if err != nil || refused != nil {
		return refused, err
	}
	return infoLines(i), nil
}

func (w *world) info(id string) (session.Info, error) {
	var r struct {
		Sessions []session.Info `json:"sessions"`
	}
	if _, err := w.command("acp.session.list", map[string]any{}, &r); err != nil {
		return session.Info{}, err
	}
	i := slices.IndexFunc(r.Sessions, func(i session.Info) bool { return i.Session == id })
	if i < 0 {
		return session.Info{Session: id, State: session.StateClosed}, nil
	}
	return r.Sessions[i], nil
}

func (w *world) entries(id string) ([]session.Entry, error) {
	var r struct {
		Entries []session.Entry `json:"entries"`
	}
	_, err := w.command("acp.session.entries", map[string]any{"session": id}, &r)
	return r.Entries, err
}
