package session

import (
	"testing"

	"acp-ls/internal/review"
)

// A commit that was made while an agent was at work accepts nothing either when the user has HEAD
// come there in a later run, however the one before has ended.
func TestAgentsCommitsSurvive(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]func(w *earth, state, root string){
		"no crash":  func(*earth, string, string) {},
		"a crash":   func(w *earth, _, _ string) { w.crash() },
		"crashes":   func(w *earth, _, _ string) { w.crash(); w.crash() },
		"an end":    func(w *earth, _, _ string) { w.close(); w.start() },
		"both":      func(w *earth, _, _ string) { w.close(); w.start(); w.crash() },
		"in a turn": func(w *earth, state, root string) { w.close(); w.revert(state, root); w.start() },
	} {
		for _, users := range []bool{false, true} { // the commit is the user's, and accepts
			t.Run(name, func(t *testing.T) {
				if users && name == "in a turn" {
					return // then it is an agent's
				}
				w := newEarth(t)
				writeFile(t, w.path("f"), abc)
				writeFile(t, w.path("g"), abc)
				gitInit(t, w.root)
				w.start()
				commits := func() {
					gitIn(t, w.root, "checkout", "-q", "-b", "agents")
					gitIn(t, w.root, "commit", "-qam", "x")
				}
				var state, root string
				steps(t, w.c, w.l, func() { writeFile(t, w.path("f"), aBc) }, func() {
					if !users {
						commits()
						state, root = w.snapshot()
					}
				})
				if users {
					w.c.lookAtGit(t.Context())
					commits()
					w.c.lookAtGit(t.Context())
					w.wantHunks("f", "")
					return
				}
				restart(w, state, root)
				look := func() { w.c.lookAtGit(t.Context()) }
				look()
				w.wantHunks("f", "b|>B|")
				gitIn(t, w.root, "checkout", "-q", "-")
				look()
				w.wantHunks("f", "")
				gitIn(t, w.root, "checkout", "-q", "agents")
				look()
				w.wantHunks("f", "b|>B|")
				for _, r := range w.c.Reviews(w.uri("f"), "", review.StatePending) {
					if len(r.Hunks) != 1 || !r.Hunks[0].Committed {
						t.Errorf("%+v", r)
					}
				}
			})
		}
	}
}

// What is known of a work tree goes when nothing is undecided there.
func TestAgentsCommitsAreForgotten(t *testing.T) {
	w := newEarth(t)
	writeFile(t, w.path("f"), abc)
	gitInit(t, w.root)
	w.start()
	steps(t, w.c, w.l, func() { writeFile(t, w.path("f"), aBc) }, func() { gitIn(t, w.root, "commit", "-qam", "x") })
	known := func() int {
		w.c.repos.mu.Lock()
		defer w.c.repos.mu.Unlock()
		return len(w.c.repos.recalled)
	}
	w.close()
	w.start()
	if known() != 1 {
		t.Error("not kept")
	}
	w.decided(w.c.Accept(t.Context(), Decide{}))
	w.close()
	w.start()
	w.close()
	w.start()
	if n := known(); n != 0 {
		t.Errorf("%d are kept", n)
	}
}
