package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"acp-ls/internal/scriptagent"
)

// begin sends one of the agent's requests.
func (s *scene) begin(_ context.Context, verb string, a *args) (*scriptagent.Call, error) {
	in := map[string]any{"sessionId": s.session}
	number := func(name string) error {
		v, ok := a.option(name)
		if !ok {
			return nil
		}
		n, err := strconv.Atoi(v)
		in[name] = n
		return err
	}
	var method string
	switch verb {
	case "read":
		method = "fs/read_text_file"
		if err := errors.Join(number("line"), number("limit")); err != nil {
			return nil, err
		}
		in["path"] = s.w.agentPath(a.take("a path"))
	case "write":
		method = "fs/write_text_file"
		in["path"] = s.w.agentPath(a.take("a path"))
		in["content"] = a.text()
	case "ask":
		method = "session/request_permission"
		names, ok := a.option("options")
		if !ok {
			names = "allow_once,reject_once"
		}
		var options []any
		for name := range strings.SplitSeq(names, ",") {
			id, kind, ok := strings.Cut(name, ":") // id:kind, or a kind that is the id too
			if !ok {
				kind = id
			}
			options = append(options, map[string]any{"optionId": id, "kind": kind, "name": strings.ToUpper(id[:1]) + strings.ReplaceAll(id[1:], "_", " ")})
		}
		call, err := s.tool(a)
		if err != nil {
			return nil, err
		}
		in["toolCall"], in["options"] = call, options
	case "terminal":
		method = "terminal/create"
		if v, ok := a.option("limit"); ok {
			n, err := strconv.Atoi(v)
			if err != nil {
				return nil, err
			}
			in["outputByteLimit"] = n
		}
		if v, ok := a.option("cwd"); ok {
			in["cwd"] = s.w.path(v)
		}
		if v, ok := a.option("env"); ok {
			name, value, _ := strings.Cut(v, ":")
			in["env"] = []any{map[string]any{"name": name, "value": value}}
		}
		in["command"] = a.take("a command")
		if len(a.words) > 0 {
			in["args"] = a.words
		}
		a.words = nil
	case "terminal-output", "terminal-wait", "terminal-kill", "terminal-release":
		method = map[string]string{"output": "terminal/output", "wait": "terminal/wait_for_exit", "kill": "terminal/kill", "release": "terminal/release"}[strings.TrimPrefix(verb, "terminal-")]
		name := a.take("a terminal")
		in["terminalId"] = name
		if id, ok := s.p.terminals[name]; ok {
			in["terminalId"] = id
		}
	case "request":
		method = a.take("a method")
		in = nil
		if text := a.text(); text != "" {
			if err := json.Unmarshal([]byte(s.expand(text)), &in); err != nil {
				return nil, err
			}
		}
	default:
		return nil, fmt.Errorf("an agent knows no %q", verb)
	}
	a.none()
	return s.a.Begin(method, in)
}

// agentPath is a path as an agent names it: absolute, or, after "raw:", any.
func (w *world) agentPath(name string) string {
	if raw, ok := strings.CutPrefix(name, "raw:"); ok {
		return strings.ReplaceAll(raw, "$ROOT", w.root)
	}
	return w.path(name)
}

// outcome waits for the answer to a request and says what it is.
func (s *scene) outcome(ctx context.Context, c *scriptagent.Call) ([]string, error) {
	raw, err := c.Wait(ctx)
	var refused *scriptagent.Error
	switch {
	case errors.As(err, &refused):
		return append([]string{"error " + strconv.Itoa(refused.Code)}, prose(s.w.shorten(refused.Message))...), nil
	case errors.Is(err, scriptagent.ErrGone):
		return []string{"no answer"}, nil
	case err != nil:
		return nil, err
	}
	switch c.Method {
	case "fs/read_text_file", "session/request_permission", "terminal/output", "terminal/wait_for_exit":
	case "fs/write_text_file", "terminal/kill", "terminal/release":
		var m map[string]json.RawMessage
		if err := json.Unmarshal(raw, &m); err == nil {
			s.p.meta = string(m["_meta"]) // for the step meta: "ok" says that it is made
			if delete(m, "_meta"); len(m) == 0 {
				return []string{"ok"}, nil
			}
		}
		fallthrough
	default:
		return []string{s.w.shorten(string(raw))}, nil
	}
	var r struct {
		Content *string `json:"content"`
		Outcome *struct {
			Outcome  string `json:"outcome"`
			OptionID string `json:"optionId"`
		} `json:"outcome"`
		Output    *string `json:"output"`
		Truncated bool    `json:"truncated"`
		Exit      *exit   `json:"exitStatus"`
		exit
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, err
	}
	switch c.Method {
	case "fs/read_text_file":
		if r.Content == nil {
			return nil, fmt.Errorf("no content in %s", raw)
		}
		return rows(*r.Content), nil
	case "session/request_permission":
		if r.Outcome == nil {
			return nil, fmt.Errorf("no outcome in %s", raw)
		}
		return []string{strings.TrimSpace(r.Outcome.Outcome + " " + r.Outcome.OptionID)}, nil
	case "terminal/output":
		head := "runs"
		if r.Exit != nil {
			head = r.Exit.String()
		}
		if r.Truncated {
			head += ", truncated"
		}
		return append([]string{head}, indent(*r.Output)...), nil
	}
	return []string{r.exit.String()}, nil
}

type exit struct {
	ExitCode *int   `json:"exitCode"`
	Signal   string `json:"signal"`
}

func (e exit) String() string {
	switch {
	case e.ExitCode != nil:
		return fmt.Sprintf("exit %d", *e.ExitCode)
	case e.Signal != "":
		return "signal " + e.Signal
	}
	return "exit of no kind"
}

// open creates a terminal and gives it a name.
func (s *scene) open(ctx context.Context, a *args) ([]string, error) {
	name := a.take("a name")
	c, err := s.begin(ctx, "terminal", a)
	if err != nil {
		return nil, err
	}
	raw, err := c.Wait(ctx)
	var refused *scriptagent.Error
	if errors.As(err, &refused) {
		return append([]string{"error " + strconv.Itoa(refused.Code)}, prose(s.w.shorten(refused.Message))...), nil
	}
	if err != nil {
		return nil, err
	}
	var r struct {
		TerminalID string `json:"terminalId"`
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, err
	}
	s.p.terminals[name] = r.TerminalID
	return nil, nil
}
