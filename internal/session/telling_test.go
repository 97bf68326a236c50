package session

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/config"
)

// toldOf is what the prompts of an agent told of changes, joined.
func toldOf(a *fakeAgent, from int) string {
	var told strings.Builder
	for _, blocks := range a.blocks[from:] {
		for _, b := range blocks {
			if b.URI == "acp-ls:changes" {
				told.WriteString(b.Text)
			}
		}
	}
	return told.String()
}

// What a prompt was to tell and whose agent never had it is told with the next one, in full; one
// that the agent has worked on has told it, however it ended.
func TestNewsOfAPromptTheAgentNeverHad(t *testing.T) {
	overloaded := errors.New("overloaded (529)")
	for name, tc := range map[string]struct {
		prompt func(c *Core, a *fakeAgent, sid string) (StopReason, error)
		unsent bool // it is cancelled before
		has    bool // the agent has it
	}{
		"fails at once":             {prompt: func(*Core, *fakeAgent, string) (StopReason, error) { return "", overloaded }},
		"cancelled before it begun": {prompt: func(*Core, *fakeAgent, string) (StopReason, error) { return StopCancelled, nil }},
		"cancelled before it is sent": {unsent: true,
			prompt: func(*Core, *fakeAgent, string) (StopReason, error) { return "", errors.New("was sent") }},
		"fails after news of no work": {prompt: func(_ *Core, a *fakeAgent, sid string) (StopReason, error) {
			a.host.Update(sid, ContentChunk{Role: "user", Content: Block{Type: "text", Text: "go"}})
			a.host.Update(sid, CommandsUpdate{})
			a.host.Update(sid, ToolPatch{ID: "earlier", Status: ptr("completed")})
			return "", overloaded
		}},
		"answered": {has: true, prompt: func(*Core, *fakeAgent, string) (StopReason, error) { return "end_turn", nil }},
		"refused":  {has: true, prompt: func(*Core, *fakeAgent, string) (StopReason, error) { return "refusal", nil }},
		"fails after a word": {has: true, prompt: func(_ *Core, a *fakeAgent, sid string) (StopReason, error) {
			a.host.Update(sid, ContentChunk{Role: "agent", Content: Block{Type: "text", Text: "well"}})
			return "", overloaded
		}},
		"fails after a tool call": {has: true, prompt: func(_ *Core, a *fakeAgent, sid string) (StopReason, error) {
			a.host.Update(sid, ToolPatch{ID: "new", Kind: ptr("read")})
			return "", overloaded
		}},
		"fails after a read": {has: true, prompt: func(c *Core, a *fakeAgent, sid string) (StopReason, error) {
			_, _ = a.host.ReadTextFile(c.ctx, sid, filepath.Join(c.allSessions()[0].cwd, "other.txt"), nil, nil)
			return "", overloaded
		}},
		"cancelled after a thought": {has: true, prompt: func(_ *Core, a *fakeAgent, sid string) (StopReason, error) {
			a.host.Update(sid, ContentChunk{Role: "thought", Content: Block{Type: "text", Text: "hm"}})
			return StopCancelled, nil
		}},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
			c, e, root := setup(t, l, func(s *config.Settings) { s.Files.Dirty = config.DirtyIgnore })
			path, typed := filepath.Join(root, "a.txt"), filepath.Join(root, "b.txt")
			writeFile(t, path, ten)
			writeFile(t, typed, ten)
			writeFile(t, filepath.Join(root, "other.txt"), ten)
			e.open(buffers.PathURI(path), ten)
			e.open(buffers.PathURI(typed), ten)
			turnOf(t, c, l, func(h Host, sid string) {
				h.Update(sid, ToolPatch{ID: "earlier", Kind: ptr("execute"), Status: ptr("in_progress")})
				for _, p := range []string{path, typed} {
					got, _ := h.ReadTextFile(t.Context(), sid, p, nil, nil)
					if err := h.WriteTextFile(t.Context(), sid, p, strings.NewReplacer("2\n", "TWO\n", "5\n", "FIVE\n").Replace(got)); err != nil {
						t.Fatal(err)
					}
				}
			})
			h := hunksOf(t, c, buffers.PathURI(path))
			if _, err := c.Reject(t.Context(), Decide{Hunks: []string{h[0].ID, h[1].ID}}); err != nil {
				t.Fatal(err)
			}
			e.replace(buffers.PathURI(typed), "8\n", "8 of the user\n")
			s := c.allSessions()[0]
			s.mu.Lock()
			s.words = append(s.words, "a word beside.")
			s.mu.Unlock()
			late := &lateEdit{key: "k", path: "late.txt", done: make(chan struct{}), edited: Edited{Path: "late.txt"}}
			close(late.done)
			s.tools.keepLate(late)

			l.prompt = func(_ context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
				return tc.prompt(c, a, sid)
			}
			text := "go"
			if tc.unsent { // the editor is asked what is in front, and the user cancels then
				text = "go @buffer"
				e.caps["editor"] = true
				e.onState = func() EditorState {
					_ = c.Cancel(t.Context(), s.id)
					time.Sleep(5 * time.Millisecond)
					return EditorState{Active: buffers.PathURI(path)}
				}
			}
			_, _ = c.Prompt(t.Context(), Prompt{Text: text, Wait: true})
			e.onState = nil
			had := len(l.agents[0].blocks)
			if tc.unsent != (had == 1) {
				t.Fatalf("the agent has had %d prompts", had)
			}
			// One of the two is brought back: then nothing is left to tell of it.
			if _, err := c.Restore(t.Context(), Decide{Hunks: []string{h[1].ID}}); err != nil {
				t.Fatal(err)
			}
			turnOf(t, c, l, func(Host, string) {})
			again := toldOf(l.agents[0], had)
			if tc.has {
				if first := toldOf(l.agents[0], 0); !strings.Contains(first, "+TWO") || strings.Contains(again, "rejected") || strings.Contains(again, "8 of the user") || strings.Contains(again, "late.txt") {
					t.Errorf("told %q and again %q", first, again)
				}
				return
			}
			for _, want := range []string{"rejected this change of yours:\n\n```diff\n@@ -1 +1 @@\n-2\n+TWO", "+8 of the user", "a word beside.", "late.txt that waited for the user is made"} {
				if !strings.Contains(again, want) {
					t.Errorf("%q is not told: %q", want, again)
				}
			}
			if strings.Contains(again, "-5\n+FIVE") {
				t.Errorf("told as rejected though it is back: %q", again)
			}
		})
	}
}

// Nor is a text that such a prompt embedded one that the agent makes its writes of: what it writes
// from memory takes out none of the user's rows.
func TestEmbeddedInAPromptTheAgentNeverHad(t *testing.T) {
	for _, how := range []string{"unsaved", "context", "mention"} {
		for _, write := range []string{"its own write again", "the text as it has read it"} {
			t.Run(how+", "+write, func(t *testing.T) {
				l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
				c, e, root := setup(t, l, func(s *config.Settings) {
					s.Review.Tell = false // or the next prompt tells of it
					if how != "unsaved" {
						s.Files.Dirty = config.DirtyIgnore
					}
				})
				path := filepath.Join(root, "a.txt")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				e.open(uri, ten)
				mine := strings.Replace(ten, "2\n", "TWO\n", 1)
				turnOf(t, c, l, func(h Host, sid string) {
					_, _ = h.ReadTextFile(t.Context(), sid, path, nil, nil)
					_ = h.WriteTextFile(t.Context(), sid, path, mine)
				})
				if _, err := c.Accept(t.Context(), Decide{}); err != nil {
					t.Fatal(err)
				}
				e.replace(uri, "8\n", "8 of the user\n")
				l.prompt = func(context.Context, *fakeAgent, string, []Block) (StopReason, error) {
					return "", errors.New("overloaded (529)")
				}
				p := Prompt{Text: "go", Wait: true}
				switch how {
				case "context":
					p.Context = []Span{{URI: uri}}
				case "mention":
					p.Text = "go @a.txt"
				}
				if _, err := c.Prompt(t.Context(), p); err == nil {
					t.Fatal("no error")
				}
				c.settings().Files.Dirty = config.DirtyIgnore
				turnOf(t, c, l, func(h Host, sid string) {
					w := mine
					if strings.HasPrefix(write, "the text") {
						w = ten
					}
					_ = h.WriteTextFile(t.Context(), sid, path, w)
				})
				if got := e.text(uri); !strings.Contains(got, "8 of the user\n") {
					t.Errorf("the user's row is gone: %q", got)
				}
			})
		}
	}
}
