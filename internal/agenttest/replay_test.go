package agenttest

import (
	"flag"
	"hash/crc32"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"acp-ls/internal/replay"
	"acp-ls/internal/scriptagent"
	"acp-ls/lspbridge/fakeeditor"
)

var everyReplay = flag.Bool("whole", false, "play every recording in every situation, and not in one of four")

// Every recording of a real agent, played in front of acp-ls: whatever changed a
// file, and however often it was told, every changed file ends up with the hunks
// that lie between its text before and after, each with the tool call it is of;
// rejecting all gives back every text, byte for byte, and accepting all keeps
// what is there.
func TestReplay(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("what is left running is looked for in /proc")
	}
	paths, err := filepath.Glob(filepath.Join("..", "replay", "testdata", "*.jsonl"))
	if err != nil || len(paths) < 30 {
		t.Fatalf("recordings: %d, %v", len(paths), err)
	}
	for _, path := range paths {
		r, err := replay.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if version := r.Version(); version != 1 {
			t.Run(r.Name, func(t *testing.T) {
				t.Parallel()
				refusesVersion(t, r)
			})
			continue
		}
		for _, s := range situationsOf(r) {
			if !*everyReplay && crc32.ChecksumIEEE([]byte(r.Name+s.name))%4 != 0 {
				continue
			}
			t.Run(r.Name+"/"+s.name, func(t *testing.T) {
				t.Parallel()
				replays(t, r, s)
			})
		}
	}
}

// situation is how things stand for the user when the agent begins.
type situation struct {
	name        string
	git         bool   // the folder is a repository
	open, dirty bool   // the files that are there
	apart       bool   // the disk has another text of notes.txt altogether
	haste       bool   // the agent goes on at once, whatever is not taken in yet
	without     string // a capability that the editor has not
}

var situations = []situation{
	{name: "closed"},
	{name: "closed in a repository", git: true},
	{name: "open", open: true},
	{name: "open in a repository, not reloading", open: true, git: true, without: "reload"},
	{name: "unsaved", open: true, dirty: true},
	{name: "unsaved, not adopting", open: true, dirty: true, without: "adopt"},
	{name: "closed, in haste", haste: true},
	{name: "open, in haste", open: true, haste: true},
	{name: "unsaved, in haste", open: true, dirty: true, haste: true},
}

// apart: where the client that was recorded had the text of notes.txt in a document
// alone, and the disk another, as long.
var apart = situation{name: "unsaved, as recorded", open: true, dirty: true, apart: true}

func situationsOf(r *replay.Recording) []situation {
	if len(r.After) == 0 { // nothing is changed, in whatever file
		return slices.DeleteFunc(slices.Clone(situations), func(s situation) bool { return s.haste || s.git || s.without != "" })
	}
	if r.Files["notes.txt"] == workspace()["notes.txt"] {
		return situations
	}
	return append(situations[:len(situations):len(situations)], apart)
}

// played is a recording at play, and what ought to come of it.
type played struct {
	*world
	at        situation
	rec       *replay.Recording
	agents    *scriptagent.Server
	starting  *fakeeditor.Call
	pending   []*fakeeditor.Call // commands under way
	turn      *turn
	stops     []string            // reasons, of the turns to come
	options   map[string][]string // that the user takes, by tool call
	before    map[string]string   // the texts without the agent
	now, disk map[string]string   // the texts as they should be, and the files
	taken     map[string]string   // of the disk's texts, what the documents have
	calls     map[string]string   // by row
}

func newPlayed(t *testing.T, r *replay.Recording, s situation) *played {
	t.Helper()
	name, _, _ := strings.Cut(r.Name, "-")
	w := newWorld(t, agent{name: name})
	p := &played{world: w, at: s, rec: r, before: maps.Clone(r.Files), now: map[string]string{}, disk: maps.Clone(r.Files),
		taken: maps.Clone(r.Files), options: map[string][]string{}, calls: map[string]string{}}
	w.makeFiles(r.Files)
	if s.git {
		w.makeRepository()
	}
	var err error
	if p.agents, err = scriptagent.Listen(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.agents.Close(); err != nil {
			t.Error(err)
		}
	})
	p.agents.Auto = func(_ *scriptagent.Agent, m scriptagent.Message) (scriptagent.Answer, bool) {
		switch m.Method {
		case "session/close", "session/list", "session/delete":
			return scriptagent.Answer{Error: &scriptagent.Error{Code: -32601, Message: "method not found"}}, true
		}
		return scriptagent.Answer{}, false
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	w.configure(self, nil, p.agents.Env(name))
	members := []string{"session", "review", "permission", "dismiss", "save", "reload", "adopt", "editor"}
	w.startServer(slices.DeleteFunc(members, func(m string) bool { return m == s.without }))
	return p
}

// unsaved is what the user typed into a text, away from all that agents change.
func unsaved(text string) string {
	for _, row := range []string{"line 22\n", "unsaved buffer\n", "package main\n"} {
		if strings.Contains(text, row) {
			return strings.Replace(text, row, strings.TrimSuffix(row, "\n")+", typed and not saved\n", 1)
		}
	}
	return text
}

func replays(t *testing.T, r *replay.Recording, s situation) {
	p := newPlayed(t, r, s)
	for path, text := range r.Files {
		if s.apart && path == "notes.txt" {
			p.disk[path] = workspace()[path]
			p.write(p.path(path), p.disk[path])
		}
		if s.open {
			p.open(path)
		}
		if s.apart && path == "notes.txt" {
			if err := p.editor.SetText(p.uri(path), text); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if s.dirty {
			p.before[path] = unsaved(text)
			row := strings.SplitAfter(text, "\n")[0]
			if strings.Contains(text, "line 22\n") {
				row = "line 22\n"
			}
			p.typeOver(path, row, unsaved(row))
			p.wantText(path, p.before[path])
		}
	}
	maps.Copy(p.now, p.before)
	p.listen()
	var err error
	if p.starting, err = p.editor.BeginCommand("acp.session.new", map[string]any{}); err != nil {
		t.Fatal(err)
	}
	a, err := p.agents.Process(p.ctx, p.agent.name, 0)
	if err != nil {
		t.Fatal(err)
	}
	player := replay.Player{Recording: r, Agent: a, Root: p.work, Haste: s.haste, User: p.does, Wrote: p.wrote, Settled: p.settled}
	if err := player.Play(p.ctx); err != nil {
		t.Fatal(err)
	}
	p.turnEnds()
	p.finish()
	p.decides()
}

// finish waits for the commands under way.
func (p *played) finish() {
	p.t.Helper()
	for _, c := range p.pending {
		if err := c.Wait(p.ctx, nil); err != nil {
			p.t.Fatal(err)
		}
	}
	p.pending = nil
}

// listen reads out of the recording what the user will answer, and why turns will
// stop.
func (p *played) listen() {
	asked := map[string]string{} // tool calls by the id of the question
	for _, s := range p.rec.Steps {
		m := s.Message()
		if m.Method == "session/request_permission" {
			asked[string(m.ID)] = m.Params.ToolCall.ToolCallID
		}
		if call, ok := asked[string(s.ID)]; ok && s.Await == replay.Answer {
			p.options[call] = append(p.options[call], s.Option)
			delete(asked, string(s.ID))
		}
		if m.Result.StopReason != "" {
			p.stops = append(p.stops, m.Result.StopReason)
		}
	}
	p.answers(func(q question) string {
		p.mu.Lock()
		defer p.mu.Unlock()
		next := p.options[q.ToolCall.ID]
		if len(next) == 0 || next[0] == "" {
			return later // it was never answered, or with the turn's end
		}
		p.options[q.ToolCall.ID] = next[1:]
		for _, o := range q.Options {
			if o.OptionID == next[0] {
				return o.Kind
			}
		}
		p.t.Errorf("question %q has no option %s", q.Message, next[0])
		return reject
	})
}

// does has the user do what the agent waits for.
func (p *played) does(s replay.Step) error {
	begin := func(command string, argument map[string]any) error {
		c, err := p.editor.BeginCommand(command, argument)
		p.pending = append(p.pending, c)
		return err
	}
	switch s.Await {
	case "initialize", "session/new": // that is under way
	case "session/set_mode":
		p.started()
		return begin("acp.session.setOption", map[string]any{"session": p.session, "option": "mode", "value": s.Mode})
	case "session/prompt":
		p.started()
		p.finish()
		p.turnEnds()
		t := p.begin(s.Text)
		p.turn = &t
	case "session/cancel":
		return begin("acp.cancel", map[string]any{"session": p.session})
	case "session/load":
		p.turnEnds()
		return begin("acp.session.load", map[string]any{"agent": p.agent.name, "sessionId": p.rec.SessionID(), "cwd": p.work})
	default:
		p.t.Fatalf("what does the user do for %s?", s.Await)
	}
	return nil
}

// started waits for the session.
func (p *played) started() {
	p.t.Helper()
	if p.session != "" {
		return
	}
	var info struct{ Session string }
	if err := p.starting.Wait(p.ctx, &info); err != nil {
		p.t.Fatal(err)
	}
	p.session = info.Session
}

// turnEnds waits for the end of the turn, if there is one.
func (p *played) turnEnds() {
	p.t.Helper()
	if p.turn == nil {
		return
	}
	t := *p.turn
	p.turn = nil
	t.stopped(p.stops[0])
	p.stops = p.stops[1:]
	p.noToolCallOpen(p.session)
}

// refusesVersion: an agent that answers with another protocol is not spoken with.
func refusesVersion(t *testing.T, r *replay.Recording) {
	p := newPlayed(t, r, situation{})
	starting, err := p.editor.BeginCommand("acp.session.new", map[string]any{})
	if err != nil {
		t.Fatal(err)
	}
	a, err := p.agents.Process(p.ctx, p.agent.name, 0)
	if err != nil {
		t.Fatal(err)
	}
	first := *r
	first.Steps = r.Steps[:2] // initialize, and its answer
	player := replay.Player{Recording: &first, Agent: a, Root: p.work, User: func(replay.Step) error { return nil }}
	if err := player.Play(p.ctx); err != nil {
		t.Fatal(err)
	}
	if err := starting.Wait(p.ctx, nil); err == nil || !strings.Contains(err.Error(), "version 2") {
		t.Fatalf("the session of an agent that speaks version 2: %v", err)
	}
}
