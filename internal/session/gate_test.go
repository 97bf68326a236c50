package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/config"
	"acp-ls/internal/review"
)

func reviewBefore(s *config.Settings) { s.Review.Mode = config.ReviewBefore }

// awaitProposals waits until the editor is shown so many proposed hunks of a file
// that have no mark, and returns the ids of all that are proposed.
func (e *fakeEditor) awaitProposals(uri string, unmarked int) (ids []string) {
	e.t.Helper()
	e.await(fmt.Sprintf("%d proposals", unmarked), func() bool {
		n := 0
		ids = nil
		for _, h := range e.reviews[uri].Hunks {
			if h.State != review.StateProposed {
				continue
			}
			ids = append(ids, h.ID)
			if h.Marked == "" {
				n++
			}
		}
		return n == unmarked
	})
	return ids
}

// An edit by our own tool is a write like another: it is held, by line numbers too.
func TestToolsEditIsHeld(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l, reviewBefore)
	path := filepath.Join(root, "a.txt")
	writeFile(t, path, "one\ntwo\nthree\n")
	uri := buffers.PathURI(path)
	e.open(uri, readFile(t, path))
	turnOf(t, c, l, func(Host, string) {
		tools := c.allSessions()[0].tools
		b, err := tools.Read(t.Context(), path, 0, 0)
		if err != nil {
			t.Error(err)
			return
		}
		for _, apply := range []bool{false, true} {
			var edited Edited
			done := make(chan error, 1)
			go func() {
				var err error
				edited, err = tools.Edit(t.Context(), path, b.Version, []BufferEdit{{New: "2\n", First: 2, Last: 2}})
				done <- err
			}()
			ids := e.awaitProposals(uri, 1)
			if e.text(uri) != "one\ntwo\nthree\n" {
				t.Errorf("it has landed: %q", e.text(uri))
			}
			decide := c.Reject
			if apply {
				decide = c.Accept
			}
			if d, err := decide(t.Context(), Decide{Hunks: ids}); err != nil || len(d.Decided) != 1 {
				t.Error(d, err)
				return
			}
			err := <-done
			switch {
			case !apply && (KindOf(err) != KindConflict || !strings.Contains(err.Error(), "does not want")):
				t.Errorf("discarded: %v", err)
			case apply && (err != nil || !edited.Changed || len(edited.Lines) != 1 || edited.Lines[0] != [2]int{2, 2}):
				t.Errorf("applied: %+v %v", edited, err)
			}
		}
		if e.text(uri) != "one\n2\nthree\n" || len(c.Reviews(uri, "")[0].Hunks) != 0 {
			t.Errorf("%q, %+v", e.text(uri), c.Reviews(uri, ""))
		}
	})
}

// A write is not made because nobody knows any more what was proposed: its
// document was closed, and the file is gone.
func TestHeldWriteOfAFileThatIsGone(t *testing.T) {
	l := &fakeLauncher{}
	// Nobody looks at the disk meanwhile, or the agent might have taken the file away.
	c, e, root := setup(t, l, reviewBefore, func(s *config.Settings) { s.Review.OutOfBand = false })
	path := filepath.Join(root, "a.txt")
	writeFile(t, path, "one\n")
	uri := buffers.PathURI(path)
	e.open(uri, "one\n")
	turnOf(t, c, l, func(h Host, sid string) {
		done := make(chan error, 1)
		go func() { done <- h.WriteTextFile(t.Context(), sid, path, "1\n") }()
		e.awaitProposals(uri, 1)
		own := c.allSessions()[0].id
		e.await("the question", func() bool { return len(e.infos[own].Questions) == 1 })
		if err := os.Remove(path); err != nil {
			t.Error(err)
		}
		e.close(uri)
		e.await("the end of the proposal", func() bool { return len(e.reviews[uri].Hunks) == 0 })
		e.open(buffers.PathURI(filepath.Join(root, "b.txt")), "other\n") // something else happens
		questions := c.Questions()
		if len(questions) != 1 {
			t.Errorf("questions %+v", questions)
			return
		}
		if err := c.Answer(questions[0].ID, "discard"); err != nil {
			t.Error(err)
		}
		if err := <-done; KindOf(err) != KindConflict {
			t.Error(err)
		}
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the file is there again: %v", err)
		}
	})
}

// Questions and writes about one file, hunks marked and text typed at the same
// time, turns cancelled: every one is answered, nothing stays proposed, no row that
// the user typed is lost, and what nobody has applied does not land.
func TestGatesUnderFire(t *testing.T) {
	t.Parallel()
	for seed := range uint64(12) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) { gatesUnderFire(t, rand.New(rand.NewPCG(seed, 1))) })
	}
}

func gatesUnderFire(t *testing.T, r *rand.Rand) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l, reviewBefore)
	path := filepath.Join(root, "a.txt")
	var rows []string
	for i := range 30 {
		rows = append(rows, fmt.Sprintf("row %d\n", i))
	}
	writeFile(t, path, strings.Join(rows, ""))
	uri := buffers.PathURI(path)
	e.open(uri, strings.Join(rows, ""))
	options := []PermissionOption{{OptionID: "yes", Kind: "allow_once"}, {OptionID: "no", Kind: "reject_once"}}
	var typed []string
	applied := map[string]bool{} // texts of hunks that were
	turns := 0
	turn := func(cancel bool) {
		turns++
		turns := turns
		var asked sync.WaitGroup
		l.prompt = func(ctx context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
			for i := range 3 {
				old, new := rows[5+i*8], fmt.Sprintf("agent %d, %d\n", i, turns)
				asked.Go(func() {
					kind, title := "edit", "Edit"
					o, err := a.host.RequestPermission(ctx, sid, PermissionRequest{
						ToolCall: ToolPatch{ID: fmt.Sprint("t", i), Kind: &kind, Title: &title,
							Content: &[]ToolContent{{Type: "diff", Path: path, OldText: &old, NewText: new}}},
						Options: options,
					})
					if err == nil && !o.Cancelled && o.OptionID != "yes" && o.OptionID != "no" {
						t.Errorf("%+v", o)
					}
				})
			}
			asked.Go(func() {
				seen, err := a.host.ReadTextFile(ctx, sid, path, nil, nil)
				if err != nil {
					t.Error(err)
				}
				_ = a.host.WriteTextFile(ctx, sid, path, strings.Replace(seen, "row 29\n", fmt.Sprintf("agent 29, %d\n", turns), 1))
			})
			asked.Wait()
			return "end_turn", nil
		}
		done := make(chan error, 1)
		go func() {
			_, err := c.Prompt(t.Context(), Prompt{Text: "go", Wait: true})
			done <- err
		}()
		for step := 0; ; step++ {
			select {
			case err := <-done:
				if err != nil {
					t.Fatal(err)
				}
				return
			default:
			}
			switch n := r.IntN(10); {
			case n < 2 && step < 6:
				row := fmt.Sprintf("user %d\n", len(typed))
				typed = append(typed, row)
				e.typeAt(uri, 0, 0, row)
			case n < 8:
				for _, v := range c.Reviews(uri, "") {
					for _, h := range v.Hunks {
						if h.State == review.StateProposed && r.IntN(2) == 0 {
							decide := c.Accept
							if r.IntN(2) == 0 {
								decide = c.Reject
							} else {
								applied[h.Text] = true
							}
							if _, err := decide(t.Context(), Decide{Hunks: []string{h.ID}}); err != nil {
								t.Error(err)
							}
						}
					}
				}
			case n == 8 && cancel && step > 3:
				if err := c.Cancel(t.Context(), c.allSessions()[0].id); err != nil {
					t.Error(err)
				}
			}
		}
	}
	turn(false)
	turn(true)
	got := e.text(uri)
	for _, row := range typed {
		if strings.Count(got, row) != 1 {
			t.Errorf("%q is there %d times", row, strings.Count(got, row))
		}
	}
	for line := range strings.Lines(got) {
		if strings.HasPrefix(line, "agent") && !applied[line] {
			t.Errorf("%q was never applied", line)
		}
	}
	for _, v := range c.Reviews(uri, "") {
		for _, h := range v.Hunks {
			if h.State == review.StateProposed {
				t.Errorf("still proposed: %+v", h)
			}
		}
	}
	if q := c.Questions(); len(q) != 0 {
		t.Errorf("still asked: %+v", q)
	}
}
