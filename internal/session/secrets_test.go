package session

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/config"
)

// secretWorld is a session and all that its agent has been told, by prompts and by answers.
type secretWorld struct {
	t         *testing.T
	c         *Core
	e         *fakeEditor
	l         *fakeLauncher
	root      string
	path, uri string // of the file
	answer    string // to questions of the agent
	questions int
	told      strings.Builder
}

// is what the file holds at first, becomes what it holds later: the words that tell are in both.
const (
	isSecret      = "TOKEN=hunter1\nUSER=me\n"
	becomesSecret = "TOKEN=hunter2\nUSER=me\n"
)

func newSecretWorld(t *testing.T, name string, change func(*config.Settings)) *secretWorld {
	w := &secretWorld{t: t, l: &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}, answer: "reject"}
	w.c, w.e, w.root = setup(t, w.l, func(s *config.Settings) { s.Files.Dirty = config.DirtyIgnore }, change)
	w.path = filepath.Join(w.root, name)
	w.uri = buffers.PathURI(w.path)
	w.e.onPermission = func(Question) (string, error) {
		w.questions++
		return w.answer, nil
	}
	w.prompt("hello", nil) // so that there is a session
	return w
}

// prompt is a turn; what goes along is told.
func (w *secretWorld) prompt(text string, f func(h Host, sid string)) {
	w.t.Helper()
	s := ""
	if all := w.c.allSessions(); len(all) > 0 {
		s = all[0].id
	}
	w.l.prompt = turnDoing(f)
	if _, err := w.c.Prompt(w.t.Context(), Prompt{Session: s, Text: text, Wait: true}); err != nil {
		w.t.Fatal(err)
	}
	blocks := w.l.agents[0].blocks
	fmt.Fprintf(&w.told, "%+v\n", blocks[len(blocks)-1])
}

// answered notes what a tool or a read has answered.
func (w *secretWorld) answered(what any, err error) { fmt.Fprintf(&w.told, "%+v %v\n", what, err) }

func (w *secretWorld) tools() *Tools { return w.c.allSessions()[0].tools }

// read has the agent read the file, and what it is answered is no part of what is told unasked.
func (w *secretWorld) read(answer string) {
	w.t.Helper()
	w.answer = answer
	w.prompt("read", func(h Host, sid string) {
		if _, err := h.ReadTextFile(w.t.Context(), sid, w.path, nil, nil); err != nil {
			w.t.Error(err)
		}
	})
	w.answer = "reject"
}

func (w *secretWorld) git(args ...string) { gitIn(w.t, w.root, args...) }

// Each way by which what a file holds comes to an agent without a question.
var waysUnasked = []struct {
	name   string
	change func(*config.Settings)
	run    func(w *secretWorld)
	names  bool // the file is named all the same
}{
	{"the user writes it in a terminal while a turn runs, and after it", nil, func(w *secretWorld) {
		w.prompt("one", func(Host, string) { writeFile(w.t, w.path, isSecret) })
		writeFile(w.t, w.path, becomesSecret)
		w.prompt("two", nil)
	}, true},
	{"it is open and unsaved, and saved after the prompt", func(s *config.Settings) { s.Files.Dirty = config.DirtyEmbed }, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.e.open(w.uri, isSecret)
		w.e.replace(w.uri, "hunter1", "hunter2")
		w.prompt("one", nil)
		w.e.replace(w.uri, "me", "hunter3")
		writeFile(w.t, w.path, w.e.text(w.uri))
		w.e.send(buffers.Save{URI: w.uri})
		w.prompt("two", nil)
	}, true},
	{"it is open and unsaved, to be saved by the prompt", func(s *config.Settings) { s.Files.Dirty = config.DirtySave }, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.e.open(w.uri, isSecret)
		w.e.replace(w.uri, "hunter1", "hunter2")
		w.prompt("one", nil)
	}, true},
	{"it was read when that was allowed once, and changed then", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.read("allow")
		writeFile(w.t, w.path, becomesSecret)
		w.prompt("two", nil)
	}, true},
	{"it was mentioned once, and changed then", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.prompt("see @"+filepath.Base(w.path), nil)
		w.told.Reset() // that was the user's word
		writeFile(w.t, w.path, becomesSecret)
		w.prompt("two", nil)
	}, true},
	{"what a shell command did to it is rejected", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.e.open(w.uri, isSecret)
		w.prompt("one", func(Host, string) { writeFile(w.t, w.path, becomesSecret) })
		if _, err := w.c.Reject(w.t.Context(), Decide{URI: w.uri}); err != nil {
			w.t.Fatal(err)
		}
		w.prompt("two", nil)
	}, true},
	{"what a shell command did to it waits in the review", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.prompt("one", func(Host, string) { writeFile(w.t, w.path, becomesSecret) })
		w.answered(w.tools().Reviews())
	}, true},
	{"what the agent asks to change in it is applied in part", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, "A=hunter1\nx\ny\nz\nB=hunter1\n")
		w.e.open(w.uri, "A=hunter1\nx\ny\nz\nB=hunter1\n")
		w.prompt("one", func(h Host, sid string) {
			w.e.onPermission = nil
			done := make(chan struct{})
			go func() {
				defer close(done)
				old := "A=hunter1\nx\ny\nz\nB=hunter1\n"
				content := []ToolContent{{Type: "diff", Path: w.path, OldText: &old, NewText: "A=2\nx\ny\nz\nB=2\n"}}
				_, _ = h.RequestPermission(w.t.Context(), sid, PermissionRequest{
					ToolCall: ToolPatch{ID: "t1", Title: str("Edit"), Kind: str("edit"), Content: &content},
					Options:  []PermissionOption{{OptionID: "yes", Kind: "allow_once"}, {OptionID: "no", Kind: "reject_once"}},
				})
			}()
			w.e.await("the proposal", func() bool { return len(w.e.reviews[w.uri].Hunks) > 0 })
			hunks := w.c.Reviews(w.uri, "")[0].Hunks
			if _, err := w.c.Accept(w.t.Context(), Decide{Hunks: []string{hunks[0].ID}}); err != nil {
				w.t.Error(err)
			}
			if _, err := w.c.Reject(w.t.Context(), Decide{Hunks: []string{hunks[1].ID}}); err != nil {
				w.t.Error(err)
			}
			<-done
		})
		w.prompt("two", nil)
	}, true},
	{"@open", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.e.open(w.uri, isSecret)
		w.prompt("see @open", nil)
	}, true},
	{"@diff", nil, func(w *secretWorld) {
		gitInit(w.t, w.root)
		writeFile(w.t, w.path, isSecret)
		w.git("add", ".")
		w.git("commit", "-qm", "1")
		writeFile(w.t, w.path, becomesSecret)
		w.prompt("see @diff", nil)
	}, true},
	{"@diff of what is renamed and staged", nil, func(w *secretWorld) {
		gitInit(w.t, w.root)
		writeFile(w.t, filepath.Join(w.root, "old.pem"), isSecret)
		w.git("add", ".")
		w.git("commit", "-qm", "1")
		w.git("mv", "old.pem", filepath.Base(w.path))
		writeFile(w.t, w.path, becomesSecret)
		w.prompt("see @diff", nil)
	}, true},
	{"@diff of what is unsaved", nil, func(w *secretWorld) {
		gitInit(w.t, w.root)
		writeFile(w.t, w.path, isSecret)
		w.git("add", ".")
		w.git("commit", "-qm", "1")
		w.e.open(w.uri, isSecret)
		w.e.replace(w.uri, "hunter1", "hunter2")
		w.prompt("see @diff", nil)
	}, true},
	{"@diff where git shows what is in submodules", nil, func(w *secretWorld) {
		sub := filepath.Join(w.root, "sub")
		file := filepath.Join(sub, filepath.Base(w.path))
		if err := os.Mkdir(sub, 0o755); err != nil {
			w.t.Fatal(err)
		}
		writeFile(w.t, file, isSecret)
		gitInit(w.t, sub)
		gitInit(w.t, w.root)
		w.git("config", "diff.submodule", "diff")
		writeFile(w.t, file, becomesSecret)
		w.prompt("see @diff", nil)
	}, false},
	{"the tool that reads what is selected", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.e.open(w.uri, isSecret)
		w.e.onState = func() EditorState {
			return EditorState{Active: w.uri, Ranges: []position.Range{{End: position.Position{Line: 1}}}}
		}
		w.answered(w.tools().Selection(w.t.Context()))
	}, true},
	{"the tool that reads a buffer without a file", nil, func(w *secretWorld) {
		uri := "untitled:" + filepath.Base(w.path)
		w.e.open(uri, isSecret)
		w.answered(w.tools().Read(w.t.Context(), uri, 0, 0))
	}, true},
	{"the tool that reads what is selected in an older version", nil, func(w *secretWorld) {
		uri := "git:" + filepath.ToSlash(w.path) + "?ref=HEAD"
		w.e.open(uri, isSecret)
		w.e.onState = func() EditorState {
			return EditorState{Active: uri, Ranges: []position.Range{{End: position.Position{Line: 1}}}}
		}
		w.answered(w.tools().Selection(w.t.Context()))
	}, true},
	{"the tool that lists what is open", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.e.open(w.uri, isSecret)
		w.answered(w.tools().Buffers(w.t.Context()))
	}, true},
	{"a tool's edit for which there is no place", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.answer = "allow"
		_, err := w.tools().Edit(w.t.Context(), w.path, "", []BufferEdit{{ByText: true, Old: "TOKEN", New: "T", All: true}, {ByText: true, Old: "none", New: ""}})
		w.answered(nil, err)
	}, true},
	{"a write that is in conflict", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.e.open(w.uri, isSecret)
		w.e.replace(w.uri, "hunter1", "hunter2")
		w.answer = "allow"
		w.prompt("one", func(h Host, sid string) {
			w.answered(nil, h.WriteTextFile(w.t.Context(), sid, w.path, "TOKEN=3\nUSER=me\n"))
		})
		w.prompt("two", nil)
	}, false},
	{"the tool that lists what is wrong in all files", nil, func(w *secretWorld) {
		writeFile(w.t, w.path, isSecret)
		w.e.caps["diagnostics"] = true
		w.e.onDiagnostics = func() []Diagnostic { return []Diagnostic{{URI: w.uri, Message: "unknown word hunter1"}} }
		w.answered(w.tools().Diagnostics(w.t.Context(), ""))
	}, true},
}

// What a file that may hold secrets has in it goes to an agent only if the user says so; that it
// has changed, or was rejected, may be said. Of any other file it does go along, by
// those ways at least which have anything to tell.
func TestSecretsGoNowhereUnasked(t *testing.T) {
	for _, way := range waysUnasked {
		for _, name := range []string{".env", "server.pem"} {
			t.Run(way.name+"/"+name, func(t *testing.T) {
				w := newSecretWorld(t, name, orNothing(way.change))
				way.run(w)
				if told := w.told.String(); strings.Contains(told, "hunter") {
					t.Errorf("the agent is told %s", told)
				} else if way.names && !strings.Contains(told, name) {
					t.Errorf("the file is not named in %s", told)
				}
			})
		}
	}
}

func TestOtherFilesGoTheSameWays(t *testing.T) {
	silent := []string{"the tool that lists what is open", "a tool's edit for which there is no place", "a write that is in conflict",
		"@diff where git shows what is in submodules"}
	for _, way := range waysUnasked {
		if slices.Contains(silent, way.name) {
			continue // these tell of no file what it holds
		}
		t.Run(way.name, func(t *testing.T) {
			w := newSecretWorld(t, "plain.txt", orNothing(way.change))
			way.run(w)
			if told := w.told.String(); !strings.Contains(told, "hunter") {
				t.Errorf("the agent is told only %s", told)
			}
		})
	}
}

func orNothing(change func(*config.Settings)) func(*config.Settings) {
	if change == nil {
		return func(*config.Settings) {}
	}
	return change
}

// What is allowed for the session is told on; forgetting that ends it. A mention of the very
// file is the user's word too, for that once.
func TestSecretsGoWithAWordOfTheUsers(t *testing.T) {
	w := newSecretWorld(t, ".env", orNothing(nil))
	writeFile(t, w.path, isSecret)
	w.read("always")
	writeFile(t, w.path, becomesSecret)
	w.prompt("two", nil)
	if told := w.told.String(); !strings.Contains(told, "+TOKEN=hunter2") {
		t.Errorf("the agent is told only %s", told)
	}
	w.told.Reset()
	for _, r := range w.c.Rules() {
		if err := w.c.ForgetRule(r.ID); err != nil {
			t.Fatal(err)
		}
	}
	writeFile(t, w.path, "TOKEN=hunter3\n")
	w.prompt("three", nil)
	if told := w.told.String(); strings.Contains(told, "hunter") || !strings.Contains(told, "The user changed it.\n") {
		t.Errorf("the agent is told %s", told)
	}
	w.told.Reset()
	w.prompt("four", nil)
	if told := w.told.String(); strings.Contains(told, "changed") {
		t.Errorf("the agent is told again %s", told)
	}
	writeFile(t, w.path, "TOKEN=hunter4\n")
	w.prompt("see @.env", nil)
	if told := w.told.String(); !strings.Contains(told, "hunter4") {
		t.Errorf("the agent is told only %s", told)
	}
	w.told.Reset()
	w.e.open(w.uri, "TOKEN=hunter4\n")
	w.e.caps["editor"] = true
	w.e.onState = func() EditorState { return EditorState{Active: w.uri} }
	w.prompt("see @buffer", nil)
	if told := w.told.String(); !strings.Contains(told, "hunter4") {
		t.Errorf("the agent is told only %s", told)
	}
}

// What the user has rejected in such a file they have not changed besides.
func TestRejectedInSecretsIsNoChangeOfTheUsers(t *testing.T) {
	for _, name := range []string{".env", "plain.txt"} {
		w := newSecretWorld(t, name, orNothing(nil))
		writeFile(t, w.path, isSecret)
		w.e.open(w.uri, isSecret)
		w.prompt("one", func(Host, string) { writeFile(t, w.path, becomesSecret) })
		if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri}); err != nil {
			t.Fatal(err)
		}
		w.prompt("two", nil)
		w.prompt("three", nil)
		if told := w.told.String(); !strings.Contains(told, "rejected") || strings.Contains(told, "The user changed it") {
			t.Errorf("%s: the agent is told %s", name, told)
		}
	}
}

// Who asks for all that is open is told what did not go along.
func TestWithheldIsSaid(t *testing.T) {
	w := newSecretWorld(t, ".env", orNothing(nil))
	writeFile(t, w.path, isSecret)
	w.e.open(w.uri, isSecret)
	w.prompt("see @open", nil)
	entries, _ := w.c.Entries(w.c.allSessions()[0].id, 0)
	if !slices.ContainsFunc(entries, func(e Entry) bool {
		return e.Kind == EntryNotice && strings.HasPrefix(e.Text, ".env went along by name only")
	}) {
		t.Errorf("entries %+v", entries)
	}
}
