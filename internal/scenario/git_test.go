package scenario

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"

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

func init() {
	register(map[string]func(*world, *args) ([]string, error){
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
		// hunks, and the change of the file as a whole.
		"awaits": func(w *world, a *args) ([]string, error) {
			name := a.take("a path")
			n, err := strconv.Atoi(a.take("a number"))
			if err != nil {
				return nil, err
			}
			ctx, cancel := w.limit()
			defer cancel()
			return nil, w.theEditor().Await(ctx, fmt.Sprintf("%d things to decide on in %s", n, name), func(s fakeeditor.State) bool {
				return w.shownIn(s.Log, w.uri(name)) == n
			})
		},
	})
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
