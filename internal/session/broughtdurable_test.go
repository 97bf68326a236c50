package session

import (
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What another program has written under unsaved text is written down as it is brought in when a turn
// begins: who is killed in that turn, the editor too, has what an agent had disputed, or has put there
// since, undecided, and not the program's rows.
func TestKilledInTheTurnThatBroughtInAnotherProgram(t *testing.T) {
	t.Parallel()
	const old = "a\nb\nc\nd\ne\n"
	for name, x := range map[string]struct{ first, other, then, base, want string }{
		"disputed":             {old + "agent\n", "other\n" + old + "agent\n", "", "other\n" + old, ">agent|"},
		"disputed, and more":   {old + "agent\n", "other\n" + old + "agent\n", "other\n" + old + "agent\nmore\n", "other\n" + old, ">agent|more|"},
		"merged":               {"agent\n" + old, "agent\n" + old + "other\n", "", old + "other\n", ">agent|"},
		"the program disputed": {"agent\n" + old, "agent\n" + old + "other\n", "agent\nmore\n" + old + "other\n", old + "other\n", ">agent|more|"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEarth(t)
			w.start()
			writeFile(t, w.path("f"), old)
			w.e.open(w.uri("f"), old)
			f := w.c.file(buffers.Path(w.path("f")))
			awaitLook(t, f)
			w.e.replace(w.uri("f"), "e\n", "e\nmine\n")
			w.writesDisk("f", x.first)
			f.keep(true)
			writeFile(t, w.path("f"), x.other)
			disk := x.other
			var state, root string
			turnOf(t, w.c, w.l, func(Host, string) {
				if x.then != "" {
					disk = x.then
					writeFile(t, w.path("f"), disk)
				}
				state, root = w.snapshot()
			})
			w.close()
			w.revert(state, root)
			w.start()
			w.e.open(w.uri("f"), disk)
			awaitLook(t, w.c.file(buffers.Path(w.path("f"))))
			w.wantHunks("f", x.want, review.StatePending)
			if got := w.baseline("f"); got != x.base {
				t.Errorf("baseline %q, want %q", got, x.base)
			}
		})
	}
}
