package replay

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"acp-ls/internal/scriptagent"
)

// Player plays a recording's agent, in a process of its own, in front of a client
// that does not know that it is one.
//
// It says what the agent said, in the same order, and waits where the agent must
// have waited: for every request the client had made, and every answer. Where the
// agent wrote a file that it had read through the client, it writes what it would
// have made of what it reads now. What it writes itself, it writes as recorded.
type Player struct {
	Recording *Recording
	Agent     *scriptagent.Agent
	Root      string // the workspace, absolute
	// Haste: the agent goes on at once, also if the client has not read yet what it
	// said, or taken in what it did.
	Haste bool

	// User is called before the agent waits for what the client does only if its
	// user wants it: any step whose Await is not [Answer].
	User func(Step) error
	// Wrote is called when a file has been written: by the client for the agent,
	// or by its own hand. Read says that the agent had read it through the client.
	Wrote func(w Step, content string, own, read bool)
	// Settled is called after a tool call has been said to be complete, and ought
	// to return when what it did has been taken in.
	Settled func() error

	ids       map[string]json.RawMessage   // of the client's requests, by recorded id
	calls     map[string]*scriptagent.Call // by recorded id
	steps     map[string]Step              // of calls
	contents  map[string]string            // of fs/write_text_file, by recorded id
	reads     map[string][2]string         // what was read by path: then, and now
	syncs     int
	terminals []string // recorded and actual ids, in turn
}

// Play plays it to its end.
func (p *Player) Play(ctx context.Context) error {
	p.ids, p.calls, p.steps = map[string]json.RawMessage{}, map[string]*scriptagent.Call{}, map[string]Step{}
	p.contents, p.reads = map[string]string{}, map[string][2]string{}
	for i, s := range p.Recording.Steps {
		var err error
		switch {
		case s.Await == Answer:
			err = p.answer(ctx, s)
		case s.Await != "":
			err = p.await(ctx, s)
		case s.Say != nil:
			err = p.say(s)
		default:
			if err = p.sync(ctx); err != nil {
				break
			}
			err = os.WriteFile(filepath.Join(p.Root, filepath.FromSlash(s.Write)), []byte(s.Content), 0o644)
			p.Wrote(s, s.Content, true, false)
		}
		if err != nil {
			return fmt.Errorf("recording %s, step %d: %w", p.Recording.Name, i+1, err)
		}
	}
	return nil
}

// sync waits until the client has read all that was said: it answers a request that
// nobody knows.
func (p *Player) sync(ctx context.Context) error {
	if p.Haste {
		return nil
	}
	p.syncs++
	call, err := p.Agent.BeginAs(fmt.Appendf(nil, `"sync %d"`, p.syncs), "_sync", nil)
	if err != nil {
		return err
	}
	_, err = call.Wait(ctx)
	if refused := (*scriptagent.Error)(nil); errors.As(err, &refused) {
		return nil
	}
	return fmt.Errorf("an unknown request was answered with %w", err)
}

func (p *Player) await(ctx context.Context, s Step) error {
	if err := p.User(s); err != nil {
		return err
	}
	m, err := p.Agent.Take(ctx, s.Await, func(m scriptagent.Message) bool {
		return m.Method == s.Await || s.Mode != "" && m.Method == setOption
	})
	p.ids[string(s.ID)] = m.ID
	return err
}

// setOption is the newer way of setting a mode, which not everybody who recorded
// has taken.
const setOption = "session/set_config_option"

// answer waits for the answer to a request of the agent's.
func (p *Player) answer(ctx context.Context, s Step) error {
	id := string(s.ID)
	call, m := p.calls[id], p.steps[id].Message()
	if call == nil {
		return fmt.Errorf("nothing was asked as %s", id)
	}
	delete(p.calls, id)
	raw, err := call.Wait(ctx)
	var r struct {
		Content    string `json:"content"`
		TerminalID string `json:"terminalId"`
		Outcome    struct {
			OptionID string `json:"optionId"`
		} `json:"outcome"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	switch m.Method {
	case "session/request_permission":
		if err == nil && r.Outcome.OptionID != s.Option {
			err = fmt.Errorf("the client answers %s with %s, and answered %q", id, raw, s.Option)
		}
	case "fs/write_text_file":
		if err == nil {
			_, read := p.reads[m.Params.Path]
			p.Wrote(Step{Write: Rel(m.Params.Path), Call: p.steps[id].Call}, p.contents[id], false, read)
		}
	case "fs/read_text_file":
		if err == nil {
			p.reads[m.Params.Path] = [2]string{s.Text, r.Content}
			return nil
		}
		fallthrough
	default:
		if gone := (*scriptagent.Error)(nil); errors.As(err, &gone) {
			return nil // a missing file, or a command that was given up
		}
		if s.Terminal != "" {
			p.terminals = append(p.terminals, `"`+s.Terminal+`"`, `"`+r.TerminalID+`"`)
		}
	}
	return err
}

// say says a message, in this workspace.
func (p *Player) say(s Step) error {
	m := s.Message()
	id := string(m.ID)
	text := strings.NewReplacer(append(p.terminals, Workspace, p.Root)...).Replace(string(s.Say))
	var raw map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &raw); err != nil {
		return err
	}
	switch {
	case m.Method != "" && m.ID != nil:
		params := raw["params"]
		if m.Method == "fs/write_text_file" {
			var err error
			if params, err = p.rewrite(id, m, params); err != nil {
				return err
			}
		}
		call, err := p.Agent.BeginAs(m.ID, m.Method, params)
		p.calls[id], p.steps[id] = call, s
		return err
	case m.Method != "":
		if err := p.Agent.Write(text + "\n"); err != nil {
			return err
		}
		if m.Params.Update.Status == "completed" && !p.Haste {
			return p.Settled()
		}
		return nil
	}
	actual, asked := p.ids[id]
	if !asked {
		return fmt.Errorf("nothing was asked as %s", id)
	}
	raw["id"] = actual
	line, err := json.Marshal(raw)
	if err != nil {
		return err
	}
	return p.Agent.Write(string(line) + "\n")
}

// rewrite puts what the agent would write now into the parameters of a write.
func (p *Player) rewrite(id string, m Message, params json.RawMessage) (json.RawMessage, error) {
	content := m.Params.Content
	if read, ok := p.reads[m.Params.Path]; ok {
		var err error
		if content, err = Adapt(read[0], content, read[1]); err != nil {
			return nil, err
		}
	}
	p.contents[id] = content
	var all map[string]any
	if err := json.Unmarshal(params, &all); err != nil {
		return nil, err
	}
	all["content"] = content
	return json.Marshal(all)
}
