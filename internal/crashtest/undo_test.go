package crashtest

import (
	"slices"
	"testing"
)

// Undo and redo bring back what was undecided, also where acp-ls was killed in between: of a
// document with unsaved text, which its editor still has.
func TestUndoAfterAKill(t *testing.T) {
	const old, mine, agents = "1\n2\n3\n4\n5\n", "mine\n1\n2\n3\n4\n5\n", "mine\n1\nTWO\n3\n4\nFIVE\n"
	w := newWorld(t)
	w.write("f", old)
	w.start()
	w.open("f", old)
	undo := func(text string, pending int) []string {
		t.Helper()
		check(t, w.editor.SetText(w.uri("f"), text))
		got := w.shown("f")
		if len(got) != pending {
			t.Fatalf("with %q pending are %q, want %d", text, got, pending)
		}
		return got
	}
	again := func() {
		t.Helper()
		text, _ := w.buffer("f")
		w.kill()
		w.start()
		w.open("f", text)
	}
	rejectAll := func() {
		t.Helper()
		var r struct{ Refused []any }
		w.command("acp.review.reject", map[string]any{"uri": w.uri("f")}, &r)
		if text, _ := w.buffer("f"); text != mine || len(r.Refused) > 0 {
			t.Fatalf("rejected to %q, refused %v", text, r.Refused)
		}
	}
	undo(mine, 0)
	turn := w.prompt()
	turn.reads("f")
	turn.wrote(turn.writes("f", agents))
	turn.end()
	had := w.shown("f")
	rejectAll()
	for range 2 {
		again()
		if got := undo(agents, 2); !slices.Equal(got, had) {
			t.Errorf("undone are %q, want %q", got, had)
		}
		rejectAll()
	}
	undo(agents, 2)
	undo(mine, 0)
	w.process.leave()
	w.start()
	w.open("f", mine)
	if got := undo(agents, 2); !slices.Equal(got, had) {
		t.Errorf("redone are %q, want %q", got, had)
	}
	rejectAll()
}

// What was accepted before acp-ls was killed can be undone after that, and after the next kill nothing is
// left to undo.
func TestUndoOfWhatWasAcceptedBeforeAKill(t *testing.T) {
	const old, agents = "1\n2\n3\n4\n5\n", "1\nTWO\n3\n4\nFIVE\n"
	for _, open := range []bool{true, false} {
		w := newWorld(t)
		w.write("f", old)
		w.write("g", old)
		w.start()
		if open {
			w.open("f", old)
		}
		turn := w.prompt()
		for _, name := range []string{"f", "g"} {
			turn.reads(name)
			turn.wrote(turn.writes(name, agents))
		}
		turn.end()
		w.command("acp.review.accept", map[string]any{}, nil)
		session := w.session
		texts := func(want string) {
			t.Helper()
			f := w.disk("f")
			if open {
				f, _ = w.buffer("f")
			}
			if g := w.disk("g"); f != want || g != want {
				t.Errorf("open %v: texts %q and %q, want %q", open, f, g, want)
			}
		}
		again := func() {
			t.Helper()
			text, _ := w.buffer("f")
			w.kill()
			w.start()
			if open {
				w.open("f", text)
			}
		}
		again()
		again()
		texts(agents)
		var r struct{ Refused []any }
		w.command("acp.review.undo", map[string]any{"session": session}, &r)
		if len(r.Refused) > 0 {
			t.Errorf("refused %v", r.Refused)
		}
		texts(old)
		again()
		texts(old)
	}
}
