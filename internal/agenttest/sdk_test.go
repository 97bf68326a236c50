package agenttest

import (
	"encoding/json"
	"strings"
	"testing"
)

// The example of the TypeScript SDK plays a turn without a model: it says that it
// reads and edits files that do not exist.
var sdk = agent{name: "sdk", program: "node_modules/@agentclientprotocol/sdk/dist/examples/agent.js"}

// TestSDKExample has an editor that knows LSP and nothing of acp-ls, and two
// sessions whose turns run at once.
func TestSDKExample(t *testing.T) {
	t.Parallel()
	w := begin(t, sdk)
	first, second := w.session, w.newSession()
	w.open("notes.txt")
	w.typeOver("notes.txt", "line 10\n", typedOver)
	notes := w.text("notes.txt")

	w.answers(func(q question) string {
		if q.Session == first {
			return allow
		}
		return reject
	})
	one, two := w.beginIn(first, "change something"), w.beginIn(second, "change something")
	one.stopped("end_turn")
	two.stopped("end_turn")
	file := "Modifying critical configuration file\n/home/user/project/config.json"
	w.wantQuestions([2]string{"edit", file}, [2]string{"edit", file})
	w.wantSaid(first, "I've successfully updated the configuration")
	w.wantSaid(second, "I understand you prefer not to make that change")
	for _, session := range []string{first, second} {
		w.noToolCallOpen(session)
		kinds := ""
		for _, e := range w.entries(session) {
			if e.Tool != nil {
				kinds += e.Tool.Kind + " "
			}
		}
		if kinds != "read edit " {
			t.Errorf("tool calls: %s", kinds)
		}
	}
	w.showsProgress("begin", "end")

	w.answers(func(question) string { return later })
	one, two = w.beginIn(first, "and again"), w.beginIn(second, "and again")
	w.eventually("the first words", func() bool {
		return strings.Count(w.said(first), "Let me start by reading") == 2
	})
	w.cancelIn(first)
	one.stopped("cancelled")
	w.eventually("a question", func() bool { return len(w.questions()) == 1 })
	w.cancelIn(second)
	two.stopped("end_turn") // so the example ends a turn whose question was cancelled
	w.noToolCallOpen(first)
	w.noToolCallOpen(second)
	w.wantText("notes.txt", notes)
}

func (w *world) wantSaid(session, words string) {
	w.t.Helper()
	if said := w.said(session); !strings.Contains(said, words) {
		w.t.Errorf("the agent has not said %q, but\n%s", words, said)
	}
}

// showsProgress checks that the turns so far were shown by LSP's own means.
func (w *world) showsProgress(kinds ...string) {
	w.t.Helper()
	seen := map[string]bool{}
	for _, raw := range w.editor.Received("$/progress") {
		var p struct{ Value struct{ Kind string } }
		if err := json.Unmarshal(raw, &p); err != nil {
			w.t.Fatal(err)
		}
		seen[p.Value.Kind] = true
	}
	for _, kind := range kinds {
		if !seen[kind] {
			w.t.Errorf("no progress of kind %s was shown, but %v", kind, seen)
		}
	}
}
