package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// git is a folder in a work tree, with the commit that was HEAD.
type git struct {
	root   string // the folder
	top    string // of the work tree
	commit string // empty: no commit yet

	mu       sync.Mutex
	filtered map[string]bool // paths with a filter attribute, as far as asked
}

// openGit returns nil if the folder is in no work tree, or there is no git.
func openGit(ctx context.Context, root string) (*git, error) {
	g := &git{root: root, filtered: map[string]bool{}}
	out, err := g.run(ctx, "rev-parse", "--show-toplevel")
	if err != nil {
		return nil, ctx.Err()
	}
	g.top = strings.TrimRight(string(out), "\r\n")
	if g.top == "" { // a bare repository
		return nil, nil
	}
	if resolved, err := filepath.EvalSymlinks(filepath.FromSlash(g.top)); err == nil {
		g.top = resolved
	}
	if out, err := g.run(ctx, "rev-parse", "--verify", "-q", "HEAD^{commit}"); err == nil {
		g.commit = strings.TrimSpace(string(out))
	}
	return g, ctx.Err()
}

// run runs git so that it changes nothing, takes no lock and asks nobody.
func (g *git) run(ctx context.Context, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", g.root, "--no-optional-locks"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
	for i, e := range cmd.Env {
		// An editor started by a git hook would make us look at another tree.
		if strings.HasPrefix(e, "GIT_DIR=") || strings.HasPrefix(e, "GIT_INDEX_FILE=") || strings.HasPrefix(e, "GIT_WORK_TREE=") {
			cmd.Env[i] = "ACP_LS_UNUSED="
		}
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return out, err
}

// candidates are the files git shows as changed or untracked, and those that
// differ between the pinned commit and what is HEAD now.
func (g *git) candidates(ctx context.Context) ([]string, error) {
	out, err := g.run(ctx, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--no-renames", "--", ".")
	if err != nil {
		return nil, err
	}
	var paths []string
	for _, rec := range bytes.Split(out, []byte{0}) {
		if len(rec) < 4 || rec[len(rec)-1] == '/' { // a nested repository ends in /
			continue
		}
		paths = append(paths, g.abs(string(rec[3:])))
	}
	if g.commit != "" {
		// No --quiet: where HEAD has not moved this is empty and cheap.
		out, err := g.run(ctx, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", g.commit, "HEAD", "--", ".")
		if err == nil {
			for _, rec := range bytes.Split(out, []byte{0}) {
				if len(rec) > 0 {
					paths = append(paths, g.abs(string(rec)))
				}
			}
		}
	}
	return paths, ctx.Err()
}

func (g *git) abs(rel string) string { return filepath.Join(g.top, filepath.FromSlash(rel)) }

// before is what checkout would write of the file in the pinned commit.
func (g *git) before(ctx context.Context, path string) (State, error) {
	rel, err := filepath.Rel(g.top, path)
	if err != nil || !filepath.IsLocal(rel) || g.commit == "" {
		return State{}, nil
	}
	rel = filepath.ToSlash(rel)
	entry, err := g.run(ctx, "ls-tree", "-z", "--full-tree", g.commit, "--", rel)
	if err != nil || len(entry) == 0 {
		return State{}, ctx.Err()
	}
	mode, _, _ := strings.Cut(string(entry), " ")
	st := State{Exists: true, Exec: mode == "100755"}
	switch {
	case mode != "100644" && mode != "100755": // a link, a submodule
		return State{}, nil
	case g.isFiltered(ctx, rel):
		st.Opaque = Filtered
		return st, nil
	}
	content, err := g.run(ctx, "cat-file", "--filters", g.commit+":"+rel)
	if err != nil {
		return State{}, err
	}
	return fill(st, content), nil
}

// isFiltered: the file is kept in another form than it has in the work tree.
func (g *git) isFiltered(ctx context.Context, rel string) bool {
	g.mu.Lock()
	known, ok := g.filtered[rel]
	g.mu.Unlock()
	if ok {
		return known
	}
	out, err := g.run(ctx, "check-attr", "-z", "filter", "--", filepath.Join(g.top, filepath.FromSlash(rel)))
	fields := strings.Split(string(out), "\x00")
	filtered := err == nil && len(fields) >= 3 && fields[2] != "unspecified" && fields[2] != "unset"
	g.mu.Lock()
	g.filtered[rel] = filtered
	g.mu.Unlock()
	return filtered
}
