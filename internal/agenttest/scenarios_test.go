package agenttest

import (
	"strings"
	"sync"
)

// What the user has typed and not saved: before the turn, and in it.
const (
	typedOver   = "line 10, typed and not saved\n"
	typedNew    = "a row of the user's\n"
	typedDuring = "typed while the agent was at work\n"
)

// edited makes a text of another as the pairs say.
func edited(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

const mainOfAgent = "package main\n\nfunc main() {\n\tprintln(\"changed\")\n}\n\nfunc helper() int {\n\treturn 2\n}\n"

// agentEdits are the edits of notes.txt that the scripts ask for.
var agentEdits = []string{"line 3\n", "line THREE\n", "line 4\n", "line 4\nline 4.5\n", "line 12\n", "line TWELVE\n", "line 25\n", "line TWENTY-FIVE\n"}

// story is what differs between agents in one and the same story.
type story struct {
	writesDisk bool        // itself, whatever it tells the client
	refused    string      // why a turn stops whose edit was refused; empty: the agent never asks
	readOnly   bool        // its commands can write nothing
	letsRun    bool        // a command may outlive its cancelled turn
	questions  [][2]string // of the turn DO-EDITS: kinds, and a part of the message; nil: not looked at
}

// play runs the whole story of an agent with the scripted model.
func (w *world) play(s story) {
	w.t.Helper()
	disk := w.read(w.path("notes.txt"))
	users := w.editsUnsavedText(s.refused != "")
	if s.questions != nil {
		w.wantQuestions(s.questions...)
	}
	if s.writesDisk {
		disk = edited(disk, agentEdits...) // it never had the user's text
	}
	w.wantDisk("notes.txt", disk) // the user saves, and nobody else
	w.decidesOnNotes(users)
	w.decidesOnMain()
	w.decidesOnNew()
	if s.refused != "" {
		w.refusesOne(s.refused)
		w.cancelsQuestion()
	} else if n := len(w.questions()); n > 0 {
		w.t.Errorf("it has asked %d times", n)
	}
	w.cancelsTurns(s.letsRun)
	if s.refused != "" {
		w.contestsOne(s.writesDisk)
	}
	if !s.readOnly {
		w.shellChanges() // after which some agents edit nothing that they have not read again
	}
}

// editsUnsavedText runs the turn DO-EDITS with notes.txt open and unsaved and
// main.go open and saved. The user types on while the agent waits for its first
// answer, or if it never asks, when it has begun to talk. It returns what
// notes.txt would be without the agent.
func (w *world) editsUnsavedText(asks bool) (users string) {
	w.t.Helper()
	w.open("notes.txt")
	w.open("main.go")
	disk := w.text("notes.txt")
	w.typeOver("notes.txt", "line 10\n", typedOver)
	w.typeOver("notes.txt", "line 20\n", "line 20\n"+typedNew)
	typeOnce := sync.OnceFunc(func() {
		if err := w.editor.Append(w.uri("notes.txt"), typedDuring); err != nil {
			w.t.Error(err)
		}
	})
	w.answers(func(question) string {
		typeOnce()
		return allow
	})
	t := w.begin("DO-EDITS please")
	if !asks {
		w.await("the agent's first words", saidByAgent("I will read the file."))
		typeOnce()
	}
	t.stopped("end_turn")
	if !w.modelWasTold(typedOver) {
		w.t.Error("the model never saw what the user had typed and not saved")
	}
	if said := w.said(w.session); !strings.Contains(said, "All done.") {
		w.t.Errorf("the agent said %q", said)
	}
	return edited(disk, "line 10\n", typedOver, "line 20\n", "line 20\n"+typedNew) + typedDuring
}

// decidesOnNotes accepts one of the agent's hunks in notes.txt and rejects
// another.
func (w *world) decidesOnNotes(users string) {
	w.t.Helper()
	w.wantText("notes.txt", edited(users, agentEdits...))
	three, half := [2]string{"line 3\n", "line THREE\n"}, [2]string{"", "line 4.5\n"}
	twelve, last := [2]string{"line 12\n", "line TWELVE\n"}, [2]string{"line 25\n", "line TWENTY-FIVE\n"}
	w.wantHunks("notes.txt", three, half, twelve, last)
	w.wantBaseline("notes.txt", users)

	w.decideOn("accept", "notes.txt", "line THREE\n")
	w.decideOn("reject", "notes.txt", "line TWENTY-FIVE\n")
	w.wantText("notes.txt", edited(users, agentEdits[:6]...))
	w.wantHunks("notes.txt", half, twelve)
	w.wantBaseline("notes.txt", edited(users, "line 3\n", "line THREE\n"))
}

// decidesOnMain rejects what the agent did in the saved main.go.
func (w *world) decidesOnMain() {
	w.t.Helper()
	w.wantText("main.go", mainOfAgent)
	w.wantDisk("main.go", mainOfAgent)
	// Rows without a word part no hunks.
	r := w.wantHunks("main.go", [2]string{
		"\tprintln(\"hello\")\n}\n\nfunc answer() int {\n\treturn 1\n",
		"\tprintln(\"changed\")\n}\n\nfunc helper() int {\n\treturn 2\n",
	})
	w.command("acp.review.reject", map[string]any{"uri": w.uri("main.go"), "rev": r.Rev}, nil)
	w.wantText("main.go", mainOnDisk)
	w.wantDisk("main.go", mainOnDisk)
	w.wantHunks("main.go")
}

// decidesOnNew rejects a file that the agent made and nobody has opened.
func (w *world) decidesOnNew() {
	w.t.Helper()
	w.wantDisk("new.txt", "brand new\nfile\n")
	r := w.wantHunks("new.txt", [2]string{"", "brand new\nfile\n"})
	if r.File == nil || r.File.Op != "create" {
		w.t.Fatalf("new.txt is not shown as made by the agent: %+v", r.File)
	}
	w.command("acp.review.reject", map[string]any{"hunks": []string{r.File.ID}}, nil)
	w.wantDisk("new.txt", "")
}

// wantQuestions checks what the user was asked in a turn: a question for each
// pair, of a kind, whose message has the text.
func (w *world) wantQuestions(pairs ...[2]string) {
	w.t.Helper()
	asked := w.questions()
	for i, q := range asked {
		if i >= len(pairs) || q.ToolCall.Kind != pairs[i][0] || !strings.Contains(q.Message, pairs[i][1]) {
			w.t.Errorf("question %d is of kind %s: %s", i, q.ToolCall.Kind, q.Message)
		}
	}
	if len(asked) != len(pairs) {
		w.t.Fatalf("the user was asked %d times, not %d", len(asked), len(pairs))
	}
}

// refusesOne runs the turn DO-ONE, an edit of line 29 that the user refuses.
func (w *world) refusesOne(stop string) {
	w.t.Helper()
	text, disk := w.text("notes.txt"), w.read(w.path("notes.txt"))
	w.answers(func(question) string { return reject })
	w.begin("DO-ONE please").stopped(stop)
	w.wantQuestions([2]string{"edit", "notes.txt"})
	w.wantText("notes.txt", text)
	w.wantDisk("notes.txt", disk)
	w.noToolCallOpen(w.session)
}

// cancelsQuestion cancels a turn while its question is open.
func (w *world) cancelsQuestion() {
	w.t.Helper()
	text, disk := w.text("notes.txt"), w.read(w.path("notes.txt"))
	w.answers(func(question) string { return later })
	t := w.begin("DO-ONE please")
	w.eventually("a question", func() bool { return len(w.questions()) == 1 })
	w.cancel()
	t.stopped("cancelled")
	var open struct{ Questions []question }
	if w.command("acp.permission.list", map[string]any{}, &open); len(open.Questions) > 0 {
		w.t.Errorf("still asked after the turn: %+v", open.Questions)
	}
	w.wantText("notes.txt", text)
	w.wantDisk("notes.txt", disk)
	w.noToolCallOpen(w.session)
}

// cancelsTurns cancels a turn in which the model hangs, and one with a running
// command. Whatever becomes of that, the user knows: it ends, or they are told that it
// may go on. That is the agent's affair: Codex lets a command run that has run for a
// moment, and ends one that has just begun.
func (w *world) cancelsTurns(letsRun bool) {
	w.t.Helper()
	w.answers(func(question) string { return allow })
	t := w.begin("DO-HANG please")
	w.await("words of the hanging model", saidByAgent("I start and then hang"))
	w.cancel()
	t.stopped("cancelled")

	t = w.begin("DO-SLEEP please")
	w.eventually("a running command", func() bool { return w.runs("sleep 300") })
	w.cancel()
	t.stopped("cancelled")
	w.noToolCallOpen(w.session)
	switch told := w.noticed("`echo started; sleep 300; echo finished` ended, and it may go on"); {
	case told && !letsRun:
		w.t.Error("the user was told that the command may go on")
	case !told:
		w.eventually("the end of the command", func() bool { return !w.runs("sleep 300") })
	}

	// A session whose turns were cancelled goes on.
	w.prompt("DO-ANSWER please")
	w.await("an answer", saidByAgent("Hello again."))
}

// contestsOne runs the turn DO-ONE, and the user writes line 29 anew while they
// are asked about the agent's edit of that very line, which they allow: theirs
// stays. An agent that looks again sees what they wrote and gives up; what
// another one writes is kept for them to decide.
func (w *world) contestsOne(conflict bool) {
	w.t.Helper()
	const mine, theirs = "the user has other words here\n", "line TWENTY-NINE\n"
	text := w.text("notes.txt")
	at := strings.Index(text, "line 29\n")
	if at < 0 {
		w.t.Fatalf("line 29 is gone:\n%s", text)
	}
	typeOnce := sync.OnceFunc(func() {
		if err := w.editor.Type(w.uri("notes.txt"), at, at+len("line 29\n"), mine); err != nil {
			w.t.Error(err)
		}
	})
	w.answers(func(question) string {
		typeOnce()
		return allow
	})
	w.prompt("DO-ONE please")
	users := edited(text, "line 29\n", mine)
	w.wantText("notes.txt", users)
	var conflicts []hunk
	for _, h := range w.review("notes.txt").Hunks {
		if h.State == "conflict" {
			conflicts = append(conflicts, h)
		}
	}
	if !conflict {
		if len(conflicts) > 0 {
			w.t.Fatalf("conflicts: %+v", conflicts)
		}
		return
	}
	if len(conflicts) != 1 || conflicts[0].BaseText != mine || conflicts[0].Text != theirs {
		w.t.Fatalf("conflicts: %+v", conflicts)
	}
	w.command("acp.review.resolve", map[string]any{"hunk": conflicts[0].ID, "take": "both"}, nil)
	w.wantText("notes.txt", edited(users, mine, mine+theirs))
}
