package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"acp-ls/lspbridge/fakeeditor"
)

// git is somebody who runs git: the user or, in the middle of a tool call, the agent.
func (w *world) git(args ...string) error {
	cmd := exec.Command("git", append([]string{"-C", w.root, "-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("git %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return nil
}

// heldGit is a git that runs a command of its own as a process, and stands in front of that.
type heldGit struct {
	dir  string
	done chan error
}

// holdGit runs git until it is about to run the command at, which it does as git of its exec path.
func (w *world) holdGit(at string, args ...string) error {
	real, err := exec.LookPath("git")
	if err != nil {
		return err
	}
	dir := w.t.TempDir()
	for _, pipe := range []string{"there", "go"} {
		if out, err := exec.Command("mkfifo", filepath.Join(dir, pipe)).CombinedOutput(); err != nil {
			return fmt.Errorf("mkfifo: %w\n%s", err, out)
		}
	}
	script := fmt.Sprintf("#!/bin/sh\nif [ \"$1\" = %s ]; then echo there >%s/there; read go <%[2]s/go; fi\nexec %s \"$@\"\n", at, dir, real)
	if err := os.WriteFile(filepath.Join(dir, "git"), []byte(script), 0o755); err != nil {
		return err
	}
	h := &heldGit{dir, make(chan error, 1)}
	there := make(chan error, 1)
	go func() { _, err := os.ReadFile(filepath.Join(dir, "there")); there <- err }()
	go func() { h.done <- w.git(append([]string{"--exec-path=" + dir}, args...)...) }()
	select {
	case err := <-there:
		w.held = h
		return err
	case err := <-h.done:
		_ = os.WriteFile(filepath.Join(dir, "there"), nil, 0) // or who reads it waits forever
		return fmt.Errorf("git has ended and has not run %s: %w", at, err)
	}
}

func init() {
	register(map[string]func(*world, *args) ([]string, error){
		// git-until runs git up to where it is about to run a command of its own, and git-on to
		// its end: what is on disk meanwhile can be looked at.
		"git-until": func(w *world, a *args) ([]string, error) {
			at, words := a.take("a command of git's"), a.words
			a.words = nil
			return nil, w.holdGit(at, words...)
		},
		"git-on": func(w *world, _ *args) ([]string, error) {
			if err := os.WriteFile(filepath.Join(w.held.dir, "go"), []byte("go\n"), 0); err != nil {
				return nil, err
			}
			return nil, <-w.held.done
		},
		"git": func(w *world, a *args) ([]string, error) {
			words := a.words
			a.words = nil
			return nil, w.git(words...)
		},
		// repository makes one of the workspace, with all files committed.
		"repository": func(w *world, _ *args) ([]string, error) {
			for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"commit", "-q", "--allow-empty", "-m", "start"}} {
				if err := w.git(args...); err != nil {
					return nil, err
				}
			}
			return nil, nil
		},
		// move renames a file, behind everybody's back.
		"move": func(w *world, a *args) ([]string, error) {
			return nil, w.moveFile(a.take("a path"), a.take("a path"))
		},
		// undo-turn takes back all that a session has changed.
		"undo-turn": func(w *world, a *args) ([]string, error) {
			return w.decided("acp.review.undo", map[string]any{"session": a.take("a session")})
		},
		// awaits waits until the editor is shown so many things to decide on in a file:
		// hunks, and the change of the file as a whole; or until there are so many hunks
		// of a state. 1|2 is one or two.
		"awaits": func(w *world, a *args) ([]string, error) {
			name := a.take("a path")
			var numbers []int
			for s := range strings.SplitSeq(a.take("a number"), "|") {
				n, err := strconv.Atoi(s)
				if err != nil {
					return nil, err
				}
				numbers = append(numbers, n)
			}
			ctx, cancel := w.limit()
			defer cancel()
			if len(a.words) > 0 { // hunks that the editor is not shown
				return nil, w.awaitState(ctx, name, a.take("a state"), numbers)
			}
			return nil, w.theEditor().Await(ctx, fmt.Sprintf("%d things to decide on in %s", numbers, name), func(s fakeeditor.State) bool {
				return slices.Contains(numbers, w.shownIn(s.Log, w.uri(name)))
			})
		},
	})
}

func (w *world) awaitState(ctx context.Context, name, state string, numbers []int) error {
	every := time.NewTicker(10 * time.Millisecond) // the editor is not told
	defer every.Stop()
	for {
		files, err := w.reviews(map[string]any{"uri": w.uri(name), "state": state})
		if err != nil {
			return err
		}
		n := 0
		if len(files) > 0 {
			n = len(files[0].Hunks)
		}
		if slices.Contains(numbers, n) {
			return nil
		}
		select {
		case <-every.C:
		case <-ctx.Done():
			return fmt.Errorf("there are not %d %s hunks in %s but %+v", numbers, state, name, files)
		}
	}
}

// shownIn counts what the editor is shown of a file now.
func (w *world) shownIn(log []fakeeditor.Message, uri string) int {
	for _, m := range slices.Backward(log) {
		if m.FromEditor || m.Response() {
			continue
		}
		switch {
		case w.can("review") && m.Method == "acp/review":
			var p review
			if json.Unmarshal(m.Params, &p) == nil && p.URI == uri {
				if p.File != nil {
					return len(p.Hunks) + 1
				}
				return len(p.Hunks)
			}
		case !w.can("review") && m.Method == "textDocument/publishDiagnostics":
			var p struct {
				URI         string            `json:"uri"`
				Diagnostics []json.RawMessage `json:"diagnostics"`
			}
			if json.Unmarshal(m.Params, &p) == nil && p.URI == uri {
				return len(p.Diagnostics)
			}
		}
	}
	return 0
}
