package checkpoint

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// git is a folder in a work tree, with the commit that was HEAD, and the work
// trees inside of it, which git leaves to themselves.
type git struct {
	root    string // the folder
	top     string // of the work tree
	commit  string // empty: no commit yet
	maxFile int64
	home    bool // the folder is the user's home: what git does not know is not looked at
	noModes bool // git was told, or has found, that the modes of files mean nothing here
	noLinks bool // likewise that there are no links: git makes files of them

	listed tracked  // when the checkpoint was taken
	notes  []string // what is left out of it

	exclude, excluded string // the list of what to ignore that git keeps for itself, and what was in it

	mu       sync.Mutex
	relisted tracked         // as candidates has seen it last
	gone     bool            // the repository is gone, or another one is in its place
	filtered map[string]bool // paths with a filter attribute, as far as asked
	inner    []*git          // submodules and nested repositories that were there at the start
}

// maxInner bounds the work trees inside of one. A variable for tests only.
var maxInner = 64

// mayHaveGit is false where git, which looks for a repository from the folder upwards, would find
// none: to look costs a thousandth of asking it, and folders without a repository are asked about often.
func mayHaveGit(root string) bool {
	if os.Getenv("GIT_DIR") != "" {
		return true
	}
	dir, err := filepath.EvalSymlinks(root)
	if err != nil {
		return true
	}
	for {
		for _, sign := range []string{".git", "HEAD"} { // that of a work tree, and of the repository itself
			if _, err := os.Lstat(filepath.Join(dir, sign)); !errors.Is(err, fs.ErrNotExist) {
				return true
			}
		}
		up := filepath.Dir(dir)
		if up == dir {
			return false
		}
		dir = up
	}
}

// openGit returns nil if the folder is in no work tree, or there is no git.
func openGit(ctx context.Context, root string, maxFile int64, earlier *git) (*git, error) {
	if !mayHaveGit(root) {
		return nil, ctx.Err()
	}
	g := &git{root: root, maxFile: maxFile, filtered: map[string]bool{}, home: Everything(root)}
	out, err := g.run(ctx, nil, "rev-parse", "--show-toplevel", "--git-path", "info/exclude")
	if err != nil {
		return nil, ctx.Err()
	}
	told := strings.TrimRight(string(out), "\r\n")
	cut := strings.LastIndexByte(told, '\n')
	if cut <= 0 { // a bare repository
		return nil, nil
	}
	g.top = resolved(strings.TrimRight(told[:cut], "\r\n"))
	g.exclude = filepath.FromSlash(told[cut+1:])
	if !filepath.IsAbs(g.exclude) {
		g.exclude = filepath.Join(g.root, g.exclude)
	}
	if b, err := os.ReadFile(g.exclude); err == nil {
		g.excluded = string(b)
	}
	if out, err := g.run(ctx, nil, "rev-parse", "--verify", "-q", "HEAD^{commit}"); err == nil {
		g.commit = strings.TrimSpace(string(out))
	}
	if out, err := g.run(ctx, nil, "config", "--type=bool", "--get-regexp", `^core\.(filemode|symlinks)$`); err == nil {
		for row := range strings.Lines(string(out)) { // the last of each counts
			switch name, value, _ := strings.Cut(strings.TrimSpace(row), " "); name {
			case "core.filemode":
				g.noModes = value == "false"
			case "core.symlinks":
				g.noLinks = value == "false"
			}
		}
	}
	if earlier != nil {
		g.listed = earlier.listed
	}
	return g, ctx.Err()
}

func resolved(name string) string {
	name = filepath.FromSlash(name)
	if p, err := filepath.EvalSymlinks(name); err == nil {
		return p
	}
	return name
}

// run runs git so that it changes nothing, takes no lock and asks nobody.
func (g *git) run(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	// A monitor would be a program of the repository's choice, run without anybody asking.
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", g.root, "--no-optional-locks", "--literal-pathspecs", "-c", "core.fsmonitor=false"}, args...)...)
	cmd.Env = gitEnv()
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, fmt.Errorf("git %s: %s", args[0], strings.TrimSpace(string(exit.Stderr)))
	}
	return out, err
}

// gitEnv is the environment of every git that is run. An editor started by a git hook would
// make us look at another tree.
func gitEnv() []string {
	env := slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GIT_") && !strings.HasPrefix(e, "GIT_CONFIG_") })
	return append(env, "GIT_OPTIONAL_LOCKS=0", "GIT_TERMINAL_PROMPT=0", "LC_ALL=C")
}

// start looks for what git itself does not look into, and names the files of
// which copies are to be made: those git shows as changed or untracked, and those
// it was told not to look at.
func (g *git) start(ctx context.Context) ([]string, error) {
	listed := make(chan error, 1)
	go func() { listed <- g.list(ctx) }() // beside the other, which takes as long
	paths, folders, err := g.status(ctx)
	if err := errors.Join(<-listed, err); err != nil {
		return nil, err
	}
	paths = append(g.listed.unseenNow(g), paths...)
	if g.listed.cut {
		g.notes = append(g.notes, fmt.Sprintf("git is told not to look at more than %d files of %s (skip-worktree, assume-unchanged): changes are looked for in the first %d of them", maxUnseen, g.root, maxUnseen))
	}
	for _, dir := range append(slices.Clone(g.listed.modules), folders...) {
		if len(g.inner) == maxInner {
			g.notes = append(g.notes, fmt.Sprintf("%s has more than %d repositories and submodules inside: changes are not looked for in %s and what comes behind it", g.root, maxInner, dir))
			break
		}
		in, err := openGit(ctx, dir, g.maxFile, nil)
		if err != nil {
			return nil, err
		}
		if in == nil || in.top != dir {
			continue // a submodule that is not checked out
		}
		more, err := in.start(ctx)
		if err != nil {
			return nil, err
		}
		g.inner = append(g.inner, in)
		g.notes = append(g.notes, in.notes...)
		paths = append(paths, more...)
	}
	return paths, nil
}

// candidates are the files git shows as changed or untracked, and those that
// differ between the pinned commit and what is HEAD now. What git does not look at
// is among the copies.
func (g *git) candidates(ctx context.Context) ([]string, error) {
	if g.isGone() {
		return nil, nil
	}
	paths, _, err := g.status(ctx)
	if err != nil {
		return nil, g.ifGone(ctx, err)
	}
	unseen, err := g.newlyUnseen(ctx)
	if err != nil {
		return nil, g.ifGone(ctx, err)
	}
	paths = append(paths, unseen...)
	if g.commit != "" {
		// No --quiet: where HEAD has not moved this is empty and cheap.
		out, err := g.run(ctx, nil, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", g.commit, "HEAD", "--", ".")
		if err != nil { // HEAD may name nothing now
			if g.ifGone(ctx, err); g.isGone() {
				return nil, ctx.Err()
			}
		}
		for _, rec := range bytes.Split(out, []byte{0}) {
			if len(rec) > 0 && err == nil {
				paths = append(paths, g.abs(string(rec)))
			}
		}
	}
	for _, in := range g.inner {
		if _, err := os.Lstat(in.root); err != nil {
			continue // taken away, which is more than can be shown
		}
		more, err := in.candidates(ctx)
		if err != nil {
			return nil, err
		}
		paths = append(paths, more...)
	}
	return paths, ctx.Err()
}

// ifGone finds out whether a failure is one because the repository is gone, with all
// that was known of its files but what was copied, and returns nil then.
func (g *git) ifGone(ctx context.Context, failure error) error {
	top, err := g.run(ctx, nil, "rev-parse", "--show-toplevel")
	here := err == nil && resolved(strings.TrimRight(string(top), "\r\n")) == g.top
	if here && g.commit != "" {
		_, err = g.run(ctx, nil, "rev-parse", "--verify", "-q", g.commit+"^{commit}")
		here = err == nil
	}
	if ctx.Err() != nil || here {
		return failure
	}
	g.mu.Lock()
	g.gone = true
	g.mu.Unlock()
	return nil
}

func (g *git) isGone() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.gone
}

// anyGone reports whether the repository, or one inside of it, is gone.
func (g *git) anyGone() bool {
	return g.isGone() || slices.ContainsFunc(g.inner, (*git).anyGone)
}

// newlyUnseen names the files that git looked at when the checkpoint was taken, and
// was told to leave alone since.
func (g *git) newlyUnseen(ctx context.Context) ([]string, error) {
	g.mu.Lock()
	was := g.relisted
	g.mu.Unlock()
	if was.name == "" {
		was = g.listed
	}
	now, err := g.indexNow(ctx, was)
	if err != nil {
		return nil, err
	}
	g.mu.Lock()
	g.relisted = now
	g.mu.Unlock()
	if now.index == nil || g.listed.index != nil && sameInfo(now.index, g.listed.index) {
		return nil, nil // they are among the copies
	}
	return now.unseenNow(g), nil
}

// status names the files that git shows as changed, then those it does not know,
// and the repositories among these.
func (g *git) status(ctx context.Context) (paths, folders []string, err error) {
	untracked := "all"
	if g.home {
		untracked = "no"
	}
	out, err := g.run(ctx, nil, "status", "--porcelain=v1", "-z", "--untracked-files="+untracked, "--no-renames", "--ignore-submodules=dirty", "--", ".")
	if err != nil {
		return nil, nil, err
	}
	for _, rec := range bytes.Split(out, []byte{0}) {
		if len(rec) < 4 {
			continue
		}
		if rec[len(rec)-1] == '/' {
			folders = append(folders, g.abs(string(rec[3:])))
			continue
		}
		paths = append(paths, g.abs(string(rec[3:])))
	}
	return paths, folders, nil
}

func (g *git) abs(rel string) string { return filepath.Join(g.top, filepath.FromSlash(rel)) }

// rel names a file as git does; false if it is not in the work tree.
func (g *git) rel(path string) (string, bool) {
	rel, err := filepath.Rel(g.top, path)
	return filepath.ToSlash(rel), err == nil && filepath.IsLocal(rel)
}

// of is the work tree that a file is in: the innermost.
func (g *git) of(path string) *git {
	for _, in := range g.inner {
		if _, ok := in.rel(path); ok {
			return in.of(path)
		}
	}
	return g
}
