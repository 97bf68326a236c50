package session

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/internal/session/mention"
)

// Diff is what is changed against git's last commit in the session's folder, staged
// or not: of what is unsaved, the live text. As in git's own, what git does not track
// is left out. Of what may hold secrets only the name is given.
func (r *resolver) Diff() (mention.Source, bool) {
	ctx, cancel := context.WithTimeout(r.ctx, gitWait)
	defer cancel()
	live := r.liveDiffs(ctx)
	// Of submodules only the commits: what is in them would come past what is hidden here.
	args := []string{"diff", "--no-color", "--no-ext-diff", "--submodule=short", "--src-prefix=a/", "--dst-prefix=b/", "HEAD", "--", "."}
	for _, l := range live {
		args = append(args, ":(exclude,literal)"+l.rel)
	}
	hidden, err := r.hiddenDiffs(ctx)
	for _, rel := range hidden {
		args = append(args, ":(exclude,literal)"+rel)
	}
	out := ""
	if err == nil {
		out, err = r.git(ctx, args...)
	}
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return r.nothing(mention.Diff, "there is no git")
	case err != nil:
		return r.nothing(mention.Diff, "git finds no commit to compare with in "+r.s.cwd)
	}
	diff := strings.ToValidUTF8(out, "\uFFFD")
	for _, l := range live {
		switch {
		case r.tellsRel(l.rel):
			diff += l.diff
		case l.diff != "" && !slices.Contains(hidden, l.rel):
			hidden = append(hidden, l.rel)
		}
	}
	for _, rel := range hidden {
		r.withhold(rel)
	}
	if diff == "" && len(hidden) > 0 {
		return r.nothing(mention.Diff, "git sees a change only in what may hold secrets")
	}
	if diff == "" {
		return r.nothing(mention.Diff, "git sees no change in "+r.s.cwd)
	}
	return r.beginning(mention.Source{URI: buffers.PathURI(r.s.cwd), Name: "git diff", Language: "diff", Text: diff}), true
}

// hiddenDiffs are the files that git sees a change in and that may hold secrets, by their names in
// the session's folder.
func (r *resolver) hiddenDiffs(ctx context.Context) ([]string, error) {
	out, err := r.git(ctx, "diff", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--relative", "HEAD", "--", ".")
	if err != nil {
		return nil, err
	}
	var hidden []string
	for rel := range strings.SplitSeq(strings.TrimSuffix(out, "\x00"), "\x00") {
		if rel != "" && !r.tellsRel(rel) {
			hidden = append(hidden, rel)
		}
	}
	return hidden, nil
}

// tellsRel is [session.tells] for a file by its name in the session's folder.
func (r *resolver) tellsRel(rel string) bool {
	return r.s.tells(buffers.Path(filepath.Join(r.s.cwd, filepath.FromSlash(rel))))
}

// gitWait bounds what the user waits for git.
const gitWait = 5 * time.Second

func (r *resolver) git(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, "git", append([]string{"-C", r.s.cwd}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.Output()
	return string(out), err
}

// liveDiff is how an unsaved document differs from the last commit.
type liveDiff struct {
	rel  string // its name in the session's folder, as git has it
	diff string // empty if it does not differ
}

// liveDiffs are those of the unsaved documents that git tracks in the session's
// folder. One whose committed text cannot be had, or is not UTF-8, is left to git,
// which knows what is on disk.
func (r *resolver) liveDiffs(ctx context.Context) []liveDiff {
	unsaved := map[string]*buffers.Document{}
	args := []string{"--literal-pathspecs", "ls-files", "-z", "--cached", "--"}
	for _, a := range r.s.core.attached() {
		for _, d := range a.store.All() {
			rel, err := filepath.Rel(r.s.cwd, string(d.Path()))
			if d.Path() == "" || clean(d) || err != nil || !filepath.IsLocal(rel) {
				continue
			}
			rel = filepath.ToSlash(rel)
			if _, twice := unsaved[rel]; !twice {
				unsaved[rel] = d
				args = append(args, rel)
			}
		}
	}
	if len(unsaved) == 0 {
		return nil
	}
	prefix, err := r.git(ctx, "rev-parse", "--show-prefix")
	if err != nil {
		return nil
	}
	prefix = strings.TrimSuffix(prefix, "\n")
	tracked, err := r.git(ctx, args...)
	if err != nil {
		return nil
	}
	var out []liveDiff
	for rel := range strings.SplitSeq(strings.TrimSuffix(tracked, "\x00"), "\x00") {
		d, ok := unsaved[rel]
		if !ok {
			continue // not the name that was asked for: one of a folder, or in another form of Unicode
		}
		delete(unsaved, rel)         // one in the middle of a merge is listed three times
		base, name := "", prefix+rel // in the whole repository
		in, err := r.git(ctx, "--literal-pathspecs", "ls-tree", "--name-only", "-z", "HEAD", "--", rel)
		if err == nil && in != "" {
			base, err = r.git(ctx, "cat-file", "--filters", "HEAD:"+name)
		}
		if err != nil || !utf8.ValidString(base) {
			continue
		}
		rows := func(s string) []string { return linediff.Split(strings.TrimPrefix(s, "\uFEFF")) } // some editors keep it to themselves
		out = append(out, liveDiff{rel, linediff.Unified(name, rows(base), rows(d.Text.String()), 3)})
	}
	return out
}
