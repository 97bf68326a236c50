package session

import (
	"fmt"
	"path/filepath"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What acp-ls has asked an editor to save is on disk some time, and the editor says so some time after
// that. An agent's next write, or what the user types, may come before either, and somebody may look at the
// disk at any time: what was asked for is no change of an agent's, and no conflict with what has come since.
func TestDocumentGoesOnWhileItIsSaved(t *testing.T) {
	t.Parallel()
	for _, asks := range []string{"a rejection", "an agent's write"} {
		for _, on := range []string{"an agent", "an agent that has read", "the user", "an agent on disk"} {
			for _, written := range []string{"before the turn", "before", "after", "after a look", "after the turn"} {
				for _, said := range []string{"at once", "at the end"} {
					switch {
					case asks != "a rejection" && (on != "the user" || written == "before the turn"):
						continue // it waits for its answer
					case on == "an agent on disk" && written != "before the turn":
						continue // no editor writes over that, and nobody knows that it had written before
					}
					t.Run(fmt.Sprintf("%s, %s goes on, written %s, said %s", asks, on, written, said), func(t *testing.T) {
						t.Parallel()
						testGoesOn(t, asks, on, written, said)
					})
				}
			}
		}
	}
}

func testGoesOn(t *testing.T, asks, on, written, said string) {
	const before, agents, after = "one\n", "two\n", "three\n"
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	e.caps["save"] = true
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	writeFile(t, path, before)
	e.open(uri, before)
	awaitLook(t, c.file(buffers.Path(path)))

	asked, saved := make(chan string, 1), make(chan struct{})
	waits := func(string, bool) error {
		asked <- e.text(uri)
		<-saved
		return nil
	}
	var saves string // what is asked to be saved, and not written
	writes := func(at string) {
		if written == at {
			writeFile(t, path, saves)
			if said == "at once" {
				e.send(buffers.Save{URI: uri})
			}
		}
	}
	goesOn := func(h Host, sid string) {
		s, err := c.findSession("s1")
		if err != nil {
			t.Error(err)
			return
		}
		writes("before")
		switch on {
		case "the user":
			e.typeAt(uri, 0, len(e.text(uri)), after)
		case "an agent on disk":
			writeFile(t, path, after)
		case "an agent that has read":
			if got, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil || got != before {
				t.Errorf("read %q, %v", got, err)
			}
			fallthrough
		default:
			if err := h.WriteTextFile(t.Context(), sid, path, after); err != nil {
				t.Error(err)
			}
		}
		writes("after")
		c.turnPoint(s, s.now())
		writes("after a look")
		c.turnPoint(s, s.now())
	}
	done := make(chan error, 1)
	if asks == "a rejection" {
		e.onSaving = func(string, bool) error {
			writeFile(t, path, e.text(uri))
			e.send(buffers.Save{URI: uri})
			return nil
		}
		turnOf(t, c, l, func(h Host, sid string) {
			if err := h.WriteTextFile(t.Context(), sid, path, agents); err != nil {
				t.Error(err)
			}
		})
		e.onSaving = waits
		go func() {
			_, err := c.Reject(t.Context(), Decide{URI: uri})
			done <- err
		}()
		saves = <-asked
		e.onSaving = nil // what comes next is not saved
		writes("before the turn")
		turnOf(t, c, l, goesOn)
	} else {
		e.onSaving = waits
		turnOf(t, c, l, func(h Host, sid string) {
			go func() { done <- h.WriteTextFile(t.Context(), sid, path, agents) }()
			saves = <-asked
			e.onSaving = nil
			goesOn(h, sid)
		})
	}
	writes("after the turn")
	if said == "at the end" {
		e.send(buffers.Save{URI: uri})
	}
	close(saved)
	if err := <-done; err != nil {
		t.Error(err)
	}
	turnOf(t, c, l, func(Host, string) {})
	if h := hunksOf(t, c, uri, review.StateConflict); len(h) > 0 {
		t.Errorf("conflicts %+v", h)
	}
	pending, base := 1, before
	if asks == "a rejection" && on == "the user" {
		pending, base = 0, after
	}
	got, _ := c.Baseline(uri)
	if h := hunksOf(t, c, uri, review.StatePending); len(h) != pending || got != base && on != "the user" || e.text(uri) != after {
		t.Errorf("text %q, baseline %q, want %q, hunks %+v", e.text(uri), got, base, h)
	}
}
