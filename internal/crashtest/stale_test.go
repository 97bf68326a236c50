package crashtest

import (
	"fmt"
	"strings"
	"testing"
)

// What an agent had written on disk under a document, and nobody had looked at before the kill,
// is not the user's however often acp-ls is killed before the document is opened again with the
// text from before: not typed in, typed in, or with hunks that were undecided before.
func TestKillsBeforeAStaleDocumentIsOpened(t *testing.T) {
	for _, folder := range []string{"no git", "git"} {
		for kills, again := range map[int]bool{1: false, 3: false, 2: true} {
			t.Run(fmt.Sprint(folder, ", ", kills, " kills"), func(t *testing.T) {
				w := newWorld(t)
				const was = "1\n2\n3\n4\n5\n"
				names := []string{"clean", "typed", "hunks", "hunks typed"}
				for _, name := range names {
					w.write(name, was)
				}
				if folder == "git" {
					w.git("init", "-q")
					w.git("add", ".")
					w.git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "m")
				}
				w.start()
				for _, name := range names {
					w.open(name, was)
				}
				turn := w.prompt()
				for _, name := range []string{"hunks", "hunks typed"} {
					turn.wrote(turn.writes(name, "ONE\n2\n3\n4\n5\n"))
				}
				for _, name := range []string{"typed", "hunks typed"} {
					text, _ := w.buffer(name)
					at := strings.Index(text, "3")
					check(t, w.editor.Type(w.uri(name), at, at, "mine "))
				}
				had := map[string]string{}
				for _, name := range names {
					had[name], _ = w.buffer(name)
				}
				for _, name := range names {
					first := "1\n"
					if name != "clean" && name != "typed" {
						first = "ONE\n"
					}
					w.write(name, first+"2\n3\n4\nFIVE\n")
				}
				w.kill()
				last := "FIVE\n"
				for range kills - 1 {
					w.start()
					w.awaitHunk("clean", last)
					if again { // in another turn that nobody sees the end of
						w.prompt()
						for _, name := range names {
							w.write(name, strings.ReplaceAll(w.disk(name), last, "and "+last))
						}
						last = "and " + last
					}
					w.kill()
				}
				w.start()
				for _, name := range names {
					w.open(name, had[name])
				}
				for _, name := range names {
					w.awaitHunk(name, last)
				}
				w.command("acp.review.reject", map[string]any{}, nil)
				for _, name := range names {
					want := was
					if name == "typed" || name == "hunks typed" {
						want = "1\n2\nmine 3\n4\n5\n"
					}
					if got, _ := w.buffer(name); got != want {
						t.Errorf("%s is %q after everything was rejected, want %q", name, got, want)
					}
				}
			})
		}
	}
}
