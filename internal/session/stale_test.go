package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// killedInTurn kills acp-ls in a turn in which f was done, which can look at the disk. It returns
// the texts that the editor had.
func (w *earth) killedInTurn(f func(look func())) map[string]string {
	w.t.Helper()
	began := make(chan struct{})
	w.l.prompt = func(ctx context.Context, _ *fakeAgent, _ string, _ []Block) (StopReason, error) {
		close(began)
		<-ctx.Done()
		return StopCancelled, nil
	}
	if _, err := w.c.Prompt(w.t.Context(), Prompt{Text: "go"}); err != nil {
		w.t.Fatal(err)
	}
	<-began
	s := w.c.allSessions()[0]
	f(func() { w.c.turnPoint(s, s.now()) })
	return w.crash()
}

// A document that is opened with the text which an editor had before acp-ls was killed is given
// what agents have made of its file since, as theirs, and what was undecided in it is found,
// whether or not that was looked at, was saved or typed in, and however often acp-ls was killed.
func TestAgentsGoOnWhileAnOlderTextIsHeld(t *testing.T) {
	t.Parallel()
	const was = "1\n2\n3\n4\n5\n6\n7\n8\n9\n"
	for _, hunks := range []bool{false, true} {
		for _, typed := range []bool{false, true} {
			for _, unseen := range []bool{false, true} { // the agent has written the disk just before the first kill
				if !unseen && !hunks {
					continue // nothing is known of such a text
				}
				for _, later := range []string{"looked at", "looked at, killed", "twice, killed", "killed, twice", "killed, killed", "the user's too, killed", "through us", "through us, killed", "both, killed"} {
					if unseen && strings.HasPrefix(later, "the user's") {
						continue // whose the rest is that nobody has looked at then is not known
					}
					t.Run(fmt.Sprintf("hunks %v, typed %v, unseen %v, %s", hunks, typed, unseen, later), func(t *testing.T) {
						w := newEarth(t)
						w.start()
						writeFile(t, w.path("f"), was)
						w.e.open(w.uri("f"), was)
						disk, base, agents, row := was, was, "", "9\n"
						if hunks {
							w.agent("f", strings.Replace(was, "1\n", "ONE\n", 1))
							agents = "1|>ONE| "
						}
						if typed {
							w.e.replace(w.uri("f"), "5\n", "mine 5\n")
							base = strings.Replace(base, "5\n", "mine 5\n", 1)
						}
						w.c.file(buffers.Path(w.path("f"))).keep(true)
						write := func(old, new string) {
							disk = strings.Replace(disk, old, new, 1)
							writeFile(t, w.path("f"), disk)
						}
						text := ""
						if unseen {
							row = "NINE\n"
							text = w.killedInTurn(func(func()) {
								w.c.allSessions()[0].looking <- struct{}{} // nobody looks from now on
								write("9\n", row)
							})[w.uri("f")]
						} else {
							text = w.crash()[w.uri("f")]
						}
						last := "9\n"
						again := func(look func()) {
							write(row, "nine\n")
							last = "nine|"
							look()
						}
						oneMore := func(look func()) {
							write("nine\n", "nine\nten\n")
							last = "nine|ten|"
							look()
						}
						through := func(old, new string) {
							disk = strings.Replace(disk, old, new, 1)
							w.agent("f", disk)
							w.awaitKept(w.c.file(buffers.Path(w.path("f"))))
							last = strings.ReplaceAll(new, "\n", "|")
						}
						turn := func(do func(look func())) {
							turnOf(t, w.c, w.l, func(Host, string) { do(func() { w.c.turnPoint(w.c.allSessions()[0], w.c.allSessions()[0].now()) }) })
						}
						switch later {
						case "looked at":
							turn(again)
						case "looked at, killed":
							turn(again)
							w.crash()
						case "twice, killed":
							turn(again)
							turn(oneMore)
							w.crash()
						case "through us":
							through(row, "nine\n")
						case "through us, killed":
							through(row, "nine\n")
							w.crash()
						case "both, killed":
							turn(again)
							through("nine\n", "nine\nten\n")
							w.crash()
						case "killed, twice":
							w.killedInTurn(again)
							w.killedInTurn(oneMore)
						case "killed, killed":
							w.killedInTurn(again)
							w.killedInTurn(func(func()) {})
						case "the user's too, killed":
							write("3\n", "three\n")
							turn(again)
							w.crash()
						}
						w.e.open(w.uri("f"), text)
						want := agents + "9|>" + last
						w.e.await("the agent's change", func() bool {
							shown := w.e.reviews[w.uri("f")] // of the document, and not what comes late of before
							return shown.Version != nil && slices.ContainsFunc(shown.Hunks, func(h review.Hunk) bool { return h.Text == strings.ReplaceAll(last, "|", "\n") })
						})
						w.wantHunks("f", want, review.StatePending)
						if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil {
							t.Fatal(err)
						}
						if got := w.e.text(w.uri("f")); got != base {
							t.Errorf("after reject %q, want %q", got, base)
						}
					})
				}
			}
		}
	}
}
