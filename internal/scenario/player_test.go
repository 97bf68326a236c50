package scenario

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"acp-ls/internal/scriptagent"
)

// player is an agent as the script knows it: the newest process of its name.
type player struct {
	name string

	mu       sync.Mutex
	sessions []string // ids it has given out, in order

	// Used by steps alone.
	process   *scriptagent.Agent
	seen      int // how many processes there were
	current   string
	turns     map[string]scriptagent.Message // prompts that are not answered, by session
	held      *scriptagent.Message           // a request the script answers itself
	started   map[string]*scriptagent.Call
	terminals map[string]string
	paused    bool   // it does not read
	meta      string // of the last answer
}

// agentConf is agent.json.
type agentConf struct {
	Initialize map[string]any `json:"initialize"`
	New        map[string]any `json:"session/new"`
	Manual     []string       `json:"manual"` // methods the script answers itself
}

func (w *world) agentConf() agentConf {
	c := agentConf{Initialize: map[string]any{
		"protocolVersion": 1,
		"agentInfo":       map[string]any{"name": "scripted", "version": "1"},
		"agentCapabilities": map[string]any{
			"loadSession":         true,
			"promptCapabilities":  map[string]any{"embeddedContext": true},
			"sessionCapabilities": map[string]any{"list": map[string]any{}, "close": map[string]any{}, "delete": map[string]any{}, "fork": map[string]any{}},
		},
	}}
	if raw := w.file("agent.json"); raw != nil {
		var more agentConf
		w.check(json.Unmarshal(raw, &more))
		merge(c.Initialize, more.Initialize)
		c.New, c.Manual = more.New, more.Manual
	}
	return c
}

func (w *world) player(name string) *player {
	if name == "" {
		name = "scripted"
	}
	w.playersMu.Lock()
	defer w.playersMu.Unlock()
	p := w.players[name]
	if p == nil {
		p = &player{name: name, turns: map[string]scriptagent.Message{}, started: map[string]*scriptagent.Call{}, terminals: map[string]string{}}
		w.players[name] = p
	}
	return p
}

// auto answers what every agent answers alike.
func (w *world) auto(a *scriptagent.Agent, m scriptagent.Message) (scriptagent.Answer, bool) {
	if slices.Contains(w.agent.Manual, m.Method) {
		return scriptagent.Answer{}, false
	}
	switch m.Method {
	case "initialize":
		return scriptagent.Answer{Result: w.agent.Initialize}, true
	case "session/new":
		return scriptagent.Answer{Result: w.newRemote(w.player(a.Hello.Name))}, true
	case "session/list":
		return scriptagent.Answer{Result: map[string]any{"sessions": []any{}}}, true
	case "session/close", "session/delete", "session/set_mode":
		return scriptagent.Answer{}, true
	}
	return scriptagent.Answer{}, false
}

func (w *world) newRemote(p *player) map[string]any {
	id := fmt.Sprintf("r%d", w.remotes.Add(1))
	p.mu.Lock()
	p.sessions = append(p.sessions, id)
	p.mu.Unlock()
	out := map[string]any{"sessionId": id}
	for k, v := range w.agent.New {
		out[k] = v
	}
	return out
}
