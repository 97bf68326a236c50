package scenario

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

// What the editor is shown: messages, progress, and the surfaces of plain LSP.

// action is a code action or code lens, as last listed.
type action struct {
	Title   string `json:"title"`
	Kind    string `json:"kind"`
	Command struct {
		Title     string            `json:"title"`
		Command   string            `json:"command"`
		Arguments []json.RawMessage `json:"arguments"`
	} `json:"command"`
	Range fakeeditor.Range `json:"range"`
}

func (w *world) request(method string, params, result any) error {
	ctx, cancel := w.limit()
	defer cancel()
	return w.theEditor().Request(ctx, method, params, result)
}

func (w *world) document(name string) map[string]any {
	return map[string]any{"uri": w.uri(name)}
}

func init() {
	register(map[string]func(*world, *args) ([]string, error){
		"actions": func(w *world, a *args) ([]string, error) {
			name := a.take("a path")
			r, err := lspRange(a.take("a range"))
			if err != nil {
				return nil, err
			}
			context := map[string]any{"diagnostics": []any{}}
			if v, ok := a.option("only"); ok {
				context["only"] = []string{v}
			}
			if v, ok := a.option("diagnostic"); ok {
				context["diagnostics"] = []any{map[string]any{"range": r, "message": v, "source": "compiler"}}
			}
			w.actions = nil
			err = w.request("textDocument/codeAction", map[string]any{"textDocument": w.document(name), "range": r, "context": context}, &w.actions)
			out := []string{}
			for _, x := range w.actions {
				out = append(out, x.Title+" ("+x.Kind+")")
			}
			if len(out) == 0 {
				out = []string{"(none)"}
			}
			return out, err
		},
		"lenses": func(w *world, a *args) ([]string, error) {
			w.actions = nil
			err := w.request("textDocument/codeLens", map[string]any{"textDocument": w.document(a.take("a path"))}, &w.actions)
			out := []string{}
			for i, x := range w.actions {
				w.actions[i].Title = x.Command.Title
				out = append(out, fmt.Sprintf("line %d: %s", x.Range.Start.Line+1, x.Command.Title))
			}
			if len(out) == 0 {
				out = []string{"(none)"}
			}
			return out, err
		},
		// do runs a code action or lens that was listed.
		"do": func(w *world, a *args) ([]string, error) {
			title := a.text()
			for _, x := range w.actions {
				if x.Title == title {
					if len(x.Command.Arguments) != 1 {
						return nil, fmt.Errorf("%s has %d arguments", title, len(x.Command.Arguments))
					}
					if strings.HasPrefix(x.Command.Command, "acp.review.") {
						return w.decided(x.Command.Command, x.Command.Arguments[0])
					}
					return w.say(x.Command.Command, x.Command.Arguments[0])
				}
			}
			return nil, fmt.Errorf("%q is none of what was listed", title)
		},
		"hover": func(w *world, a *args) ([]string, error) {
			name := a.take("a path")
			r, err := lspRange(a.take("a position"))
			if err != nil {
				return nil, err
			}
			var h *struct {
				Contents struct {
					Value string `json:"value"`
				} `json:"contents"`
			}
			err = w.request("textDocument/hover", map[string]any{"textDocument": w.document(name), "position": r.Start}, &h)
			if h == nil {
				return []string{"(nothing)"}, err
			}
			return rows(h.Contents.Value + "\n"), err
		},
		// diagnostics says what the editor was last shown, once it is up to date.
		"diagnostics": func(w *world, a *args) ([]string, error) {
			name := a.take("a path")
			if _, err := w.review(name); err != nil {
				return nil, err
			}
			var out []string
			for _, raw := range w.editor.Received("textDocument/publishDiagnostics") {
				var p struct {
					URI         string `json:"uri"`
					Diagnostics []struct {
						Range    fakeeditor.Range `json:"range"`
						Severity int              `json:"severity"`
						Source   string           `json:"source"`
						Message  string           `json:"message"`
					} `json:"diagnostics"`
				}
				if err := json.Unmarshal(raw, &p); err != nil {
					return nil, err
				}
				if p.URI != w.uri(name) {
					continue
				}
				out = []string{}
				for _, d := range p.Diagnostics {
					out = append(out, fmt.Sprintf("line %d severity %d %s: %s", d.Range.Start.Line+1, d.Severity, d.Source, d.Message))
				}
			}
			if len(out) == 0 {
				out = []string{"(none)"}
			}
			return out, nil
		},
		// sizes says how long the entries are that the editor was shown.
		"sizes": func(w *world, a *args) ([]string, error) {
			s, err := w.theSession(a)
			if err != nil {
				return nil, err
			}
			var out []string
			for _, e := range transcript(w.editor.Log(), s) {
				out = append(out, fmt.Sprintf("%s %d", e.Kind, len(e.Text)))
			}
			return out, nil
		},
		// chunks checks that numbered chunks arrived, all and in order, before the
		// answer to the prompt.
		"chunks": func(w *world, a *args) ([]string, error) {
			n, err := strconv.Atoi(a.take("how many"))
			if err != nil {
				return nil, err
			}
			log := w.editor.Log()
			end := slices.IndexFunc(log, func(m fakeeditor.Message) bool {
				return !m.FromEditor && m.Response() && strings.Contains(string(m.Result), "stopReason")
			})
			s, err := w.theSession(a)
			if err != nil {
				return nil, err
			}
			shown := transcript(log[:end], s)
			if !w.can("session") {
				shown, err = w.entries(s)
			}
			var want strings.Builder
			for i := range n {
				fmt.Fprintf(&want, "chunk %d\n", i)
			}
			if err == nil && (len(shown) != 2 || shown[1].Text != want.String()) {
				err = fmt.Errorf("the chunks are not all there, or not in order: %.1000v", shown)
			}
			return nil, err
		},
		"stall":  func(w *world, _ *args) ([]string, error) { w.resume = w.theEditor().Stall(); return nil, nil },
		"resume": func(w *world, _ *args) ([]string, error) { w.resume(); return nil, nil },
		// progress-cancel cancels the progress that was begun last.
		"progress-cancel": func(w *world, _ *args) ([]string, error) {
			all := w.theEditor().Received("$/progress")
			if len(all) == 0 {
				return nil, errors.New("there is no progress")
			}
			var p struct {
				Token string `json:"token"`
			}
			if err := json.Unmarshal(all[len(all)-1], &p); err != nil {
				return nil, err
			}
			return nil, w.editor.Notify("window/workDoneProgress/cancel", p)
		},
		// terminal-shown says what the editor was shown of a terminal of the agent.
		"terminal-shown": func(w *world, a *args) ([]string, error) {
			id := w.player("").terminals[a.take("a terminal")]
			output, end := "", ""
			for _, raw := range w.theEditor().Received("acp/terminal") {
				var p struct {
					Terminal string `json:"terminal"`
					Output   string `json:"output"`
					Exit     *exit  `json:"exit"`
				}
				if err := json.Unmarshal(raw, &p); err != nil {
					return nil, err
				}
				if p.Terminal == id {
					output += p.Output
					if p.Exit != nil {
						end = p.Exit.String()
					}
				}
			}
			return append([]string{end}, indent(output)...), nil
		},
		// await waits for the next message of a method that has some text in it.
		"await": func(w *world, a *args) ([]string, error) {
			method, part := a.take("a method"), strings.ReplaceAll(a.text(), "$ROOT", w.root)
			key := method + "\x00" + part
			from, found := w.awaited[key], -1
			ctx, cancel := w.limit()
			defer cancel()
			err := w.theEditor().Await(ctx, method+" with "+part, func(s fakeeditor.State) bool {
				for i := from; i < len(s.Log); i++ {
					m := s.Log[i]
					if !m.FromEditor && !m.Response() && m.Method == method && strings.Contains(string(m.Params), part) {
						found = i
						return true
					}
				}
				return false
			})
			w.awaited[key] = found + 1
			return nil, err
		},
		// messages says what the server has sent since the last time, of some
		// methods and in order.
		"messages": func(w *world, a *args) ([]string, error) {
			log := w.theEditor().Log()
			methods := a.words
			a.words = nil
			from := w.mark
			w.mark = len(log)
			out := []string{}
			for _, m := range received(log[from:], methods) {
				out = append(out, w.messageLine(m))
			}
			if len(out) == 0 {
				out = []string{"(none)"}
			}
			return out, nil
		},
	})
}

// messageLine says what a message is about, without what is shown elsewhere.
func (w *world) messageLine(m fakeeditor.Message) string {
	var p struct {
		URI     string `json:"uri"`
		ID      string `json:"id"`
		Message string `json:"message"`
		Type    int    `json:"type"`
		Token   string `json:"token"`
		Value   struct {
			Kind    string `json:"kind"`
			Title   string `json:"title"`
			Message string `json:"message"`
		} `json:"value"`
		Label string          `json:"label"`
		Edit  json.RawMessage `json:"edit"`
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		return m.Method + " " + string(m.Params)
	}
	switch m.Method {
	case "workspace/applyEdit":
		var e struct {
			DocumentChanges []struct {
				TextDocument struct {
					URI string `json:"uri"`
				} `json:"textDocument"`
				Edits []json.RawMessage `json:"edits"`
			} `json:"documentChanges"`
			Changes map[string][]json.RawMessage `json:"changes"`
		}
		_ = json.Unmarshal(p.Edit, &e)
		what := ""
		for _, d := range e.DocumentChanges {
			what += fmt.Sprintf(" %s, %d edits", d.TextDocument.URI, len(d.Edits))
		}
		for uri, edits := range e.Changes {
			what += fmt.Sprintf(" %s, %d edits, no version", uri, len(edits))
		}
		return fmt.Sprintf("%s%s, %q", m.Method, what, p.Label)
	case "acp/permission", "acp/dismiss":
		return m.Method + " " + p.ID
	case "window/showMessage", "window/showMessageRequest":
		return fmt.Sprintf("%s %d %q", m.Method, p.Type, p.Message)
	case "$/progress":
		return strings.TrimRight(fmt.Sprintf("%s %s %s %s %s", m.Method, p.Token, p.Value.Kind, p.Value.Title, p.Value.Message), " ")
	case "acp/save", "acp/reload":
		return m.Method + " " + p.URI
	}
	return m.Method + " " + string(m.Params)
}

// transcript puts together what the editor was shown of a session's entries.
func transcript(log []fakeeditor.Message, id string) []session.Entry {
	var out []session.Entry
	index := map[string]int{}
	for _, m := range log {
		if m.FromEditor || m.Response() {
			continue
		}
		switch m.Method {
		case "acp/entry":
			var p struct {
				Session string        `json:"session"`
				Entry   session.Entry `json:"entry"`
			}
			if json.Unmarshal(m.Params, &p) != nil || p.Session != id {
				continue
			}
			if i, ok := index[p.Entry.ID]; ok {
				out[i] = p.Entry
			} else {
				index[p.Entry.ID] = len(out)
				out = append(out, p.Entry)
			}
		case "acp/chunk":
			var p struct{ Session, ID, Text string }
			if json.Unmarshal(m.Params, &p) != nil || p.Session != id {
				continue
			}
			if i, ok := index[p.ID]; ok {
				out[i].Text += p.Text
			}
		}
	}
	return out
}

// checkTranscripts: what the editor was shown of each session is what the server
// keeps of it.
func (w *world) checkTranscripts() error {
	var r struct {
		Sessions []session.Info `json:"sessions"`
	}
	if _, err := w.command("acp.session.list", map[string]any{}, &r); err != nil {
		return err
	}
	for _, i := range r.Sessions {
		if i.Session == "" {
			continue
		}
		kept, err := w.entries(i.Session)
		if err != nil {
			return err
		}
		ctx, cancel := w.limit()
		err = w.editor.Await(ctx, "the transcript", func(s fakeeditor.State) bool {
			shown := transcript(s.Log, i.Session)
			return len(shown) == len(kept) && (len(kept) == 0 || reflect.DeepEqual(shown, kept))
		})
		cancel()
		if err != nil {
			return errors.Join(fmt.Errorf("session %s: the editor was shown\n%+v\nand not\n%+v", i.Session, transcript(w.editor.Log(), i.Session), kept), err)
		}
	}
	return nil
}
