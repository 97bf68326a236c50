package agenttest

import "strings"

// What a command of the agent's changes no agent reports: it is found all the same.

// otherOnDisk is other.txt, which nobody opens.
const otherOnDisk = "one\ntwo\n"

// shellChanges runs the turn DO-SHELL, a command that changes notes.txt, which is
// open and unsaved, main.go, which is open and saved, and other.txt, which is not
// open, and makes a file in a folder that is new. One of each is decided on.
func (w *world) shellChanges() {
	w.t.Helper()
	const by = "line 27 by the shell\n"
	w.answers(func(question) string { return allow })
	text, disk, baseline := w.text("notes.txt"), w.read(w.path("notes.txt")), w.baseline("notes.txt")
	before := w.review("notes.txt").Hunks
	w.prompt("DO-SHELL please")
	if said := w.said(w.session); !strings.Contains(said, "The shell has done it.") {
		w.t.Errorf("the agent said %q", said)
	}

	w.wantText("notes.txt", edited(text, "line 27\n", by))
	w.wantDisk("notes.txt", edited(disk, "line 27\n", by))
	w.wantBaseline("notes.txt", baseline)
	want := [][2]string{}
	for _, h := range before {
		want = append(want, [2]string{h.BaseText, h.Text})
	}
	w.wantHunks("notes.txt", append(want, [2]string{"line 27\n", by})...)
	w.wantHunks("main.go", [2]string{"func answer() int {\n", "func reply() int {\n"})
	w.wantText("main.go", edited(mainOnDisk, "answer", "reply"))
	w.wantHunks("other.txt", [2]string{"", "by the shell\n"})
	if r := w.wantHunks("sub/made.txt", [2]string{"", "new\n"}); r.File == nil || r.File.Op != "create" {
		w.t.Errorf("sub/made.txt is not shown as made by the agent: %+v", r.File)
	}

	w.decideOn("reject", "notes.txt", by)
	w.wantText("notes.txt", text)
	w.wantDisk("notes.txt", edited(disk, "line 27\n", by)) // the user saves, and nobody else
	w.decideOn("accept", "main.go", "func reply() int {\n")
	w.wantDisk("main.go", edited(mainOnDisk, "answer", "reply"))
	w.wantBaseline("main.go", edited(mainOnDisk, "answer", "reply"))
	w.decideOn("reject", "other.txt", "by the shell\n")
	w.wantDisk("other.txt", otherOnDisk)
	w.decideOn("reject", "sub/made.txt", "new\n")
	w.wantDisk("sub/made.txt", "")
	for _, name := range []string{"main.go", "other.txt", "sub/made.txt"} {
		w.wantHunks(name)
	}
}
