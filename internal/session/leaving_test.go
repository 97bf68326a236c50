package session

import (
	"context"
	"testing"

	"acp-ls/buffers"
)

// What the user saves in the middle of a turn, and leaves the editor at once, is theirs to whoever comes
// next; also if the agent writes over it in that moment: then its doing is offered.
func TestSavedAsTheEditorEnds(t *testing.T) {
	t.Parallel()
	for _, over := range []string{"", "agent\n" + ten} {
		for _, closes := range []bool{false, true} {
			w := newEarth(t)
			w.start()
			writeFile(t, w.path("a"), ten)
			w.e.open(w.uri("a"), ten)
			steps(t, w.c, w.l)
			begun := make(chan struct{})
			w.l.prompt = func(ctx context.Context, _ *fakeAgent, _ string, _ []Block) (StopReason, error) {
				close(begun)
				<-ctx.Done()
				return StopCancelled, nil
			}
			if _, err := w.c.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
				t.Fatal(err)
			}
			<-begun
			w.e.typeAt(w.uri("a"), 0, 0, "mine\n")
			writeFile(t, w.path("a"), "mine\n"+ten)
			if over != "" {
				writeFile(t, w.path("a"), over)
			}
			w.e.send(buffers.Save{URI: w.uri("a")})
			if closes {
				w.e.close(w.uri("a"))
			}
			w.close()
			w.start()
			got := ""
			for _, r := range w.c.Reviews(w.uri("a"), "") {
				for _, h := range r.Hunks {
					got += h.BaseText + ">" + h.Text
				}
			}
			want := ""
			if over != "" {
				want = "mine\n>agent\n"
			}
			if got != want {
				t.Errorf("written over by %q, closed %v: offered is %q, want %q", over, closes, got, want)
			}
			w.close()
		}
	}
}
