package session

import (
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// Another program of the user's and an agent write in the same rows under unsaved text, one after the
// other, so that one conflict is of both. Who then has what the disk has, by reading the file anew or
// after a crash, has the program's rows in the baseline, and the agent's undecided: rejecting gives what
// there would be without the agent.
func TestConflictOfAnAgentAndAnotherProgram(t *testing.T) {
	const old = "a\nb\nc\nd\ne\n"
	const others = old + "other\n"
	for _, x := range []struct {
		name                  string
		disk                  []string // what is written, by other programs and the agent in turns
		conflicts, base, hunk string
	}{
		{"the agent alone", []string{old, old + "agent\n"}, "mine|>agent|", old, ">agent|"},
		{"the agent adds to it", []string{others, others + "agent\n"}, "mine|>other|agent|", others, ">agent|"},
		{"the agent replaces it", []string{others, old + "agent\n"}, "mine|>agent|", others, "other|>agent|"},
		{"the agent adds to it, twice", []string{others, others + "agent\n", others + "agent\n", others + "agent\nmore\n"}, "mine|>other|agent|more|", others, ">agent|more|"},
		{"the agent, and the program elsewhere", []string{old, old + "agent\n", "other\n" + old + "agent\n", "other\n" + old + "agent\n"}, "mine|>agent|", "other\n" + old, ">agent|"},
		{"the program, and the agent elsewhere", []string{others, "agent\n" + others}, "mine|>other|", others, ">agent|"},
	} {
		for _, how := range []string{"read anew", "killed, and read anew", "killed with the editor"} {
			t.Run(x.name+", "+how, func(t *testing.T) {
				t.Parallel()
				w := newEarth(t)
				w.start()
				writeFile(t, w.path("f"), old)
				w.e.open(w.uri("f"), old)
				awaitLook(t, w.c.file(buffers.Path(w.path("f"))))
				w.e.replace(w.uri("f"), "e\n", "e\nmine\n")
				disk := ""
				for by, s := range x.disk {
					if disk = s; by%2 == 0 {
						writeFile(t, w.path("f"), s)
					} else {
						w.writesDisk("f", s)
					}
				}
				w.wantHunks("f", x.conflicts, review.StateConflict)
				w.c.file(buffers.Path(w.path("f"))).keep(true) // as when it was left alone for a while
				if how != "read anew" {
					live := w.crash()[w.uri("f")]
					if how == "killed with the editor" {
						live = disk
					}
					w.e.open(w.uri("f"), live)
					awaitLook(t, w.c.file(buffers.Path(w.path("f"))))
				}
				if how != "killed with the editor" {
					w.wantHunks("f", x.conflicts, review.StateConflict)
					w.e.reopen(w.uri("f"), w.path("f"))
				}
				w.wantHunks("f", x.hunk, review.StatePending)
				w.wantHunks("f", "", review.StateConflict)
				if got := w.baseline("f"); got != x.base {
					t.Errorf("baseline %q, want %q", got, x.base)
				}
				if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil {
					t.Error(err)
				}
				if got := w.e.text(w.uri("f")); got != x.base {
					t.Errorf("after reject %q, want %q", got, x.base)
				}
			})
		}
	}
}
