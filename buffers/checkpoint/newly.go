package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/buffers"
)

// What git is told to ignore while a turn runs was not ignored before, and would be
// lost from sight: a rule is looked up where it stands, and counts if it stood there.

// maxNewlyIgnored bounds the files that are looked for in folders that are newly ignored. A
// variable for tests only.
var maxNewlyIgnored = 2000

// newlyIgnored names the files that are ignored because of a rule that was not there
// when the checkpoint was taken. changed are the files that may have changed.
func (c *Checkpoint) newlyIgnored(ctx context.Context, changed []string) ([]string, error) {
	g := c.git()
	if g == nil || g.isGone() {
		return nil, nil
	}
	exclude, err := os.ReadFile(g.exclude)
	if err != nil {
		exclude = nil
	}
	rules := slices.ContainsFunc(changed, func(p string) bool { return filepath.Base(p) == ".gitignore" })
	if !rules && string(exclude) == g.excluded {
		return nil, nil
	}
	out, err := g.run(ctx, nil, "status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignored=matching", "--no-renames", "--ignore-submodules=all", "--", ".")
	if err != nil {
		return nil, err
	}
	var ask bytes.Buffer
	for _, rec := range bytes.Split(out, []byte{0}) {
		if name, ok := bytes.CutPrefix(rec, []byte("!! ")); ok {
			ask.WriteString(g.abs(string(name)) + "\x00")
		}
	}
	if ask.Len() == 0 {
		return nil, nil
	}
	told, err := g.whyIgnored(ctx, ask.Bytes())
	if err != nil {
		return nil, err
	}
	was := map[string][]string{} // the rules that stood in a file
	var paths []string
	for fields := bytes.Split(told, []byte{0}); len(fields) >= 4; fields = fields[4:] {
		from, rule, path := string(fields[0]), string(fields[2]), string(fields[3])
		if from == "" {
			continue // it is tracked
		}
		if !filepath.IsAbs(from) {
			from = filepath.Join(g.root, from)
		}
		if _, ok := was[from]; !ok {
			had := g.excluded
			if resolved(from) != resolved(g.exclude) {
				if filepath.Base(from) != ".gitignore" {
					continue // the user's own, outside of all projects
				}
				st, err := c.Before(ctx, buffers.Path(from))
				if err != nil {
					return nil, err
				}
				had = st.Content
			}
			was[from] = strings.FieldsFunc(had, func(r rune) bool { return r == '\n' || r == '\r' })
		}
		if !slices.ContainsFunc(was[from], func(row string) bool { return strings.TrimRight(row, " \t") == strings.TrimRight(rule, " \t") }) {
			paths = append(paths, filesIn(path, maxNewlyIgnored+1-len(paths))...)
		}
	}
	if len(paths) > maxNewlyIgnored {
		paths = paths[:maxNewlyIgnored]
		c.note(fmt.Sprintf("a rule that is new makes git ignore more than %d files of %s: changes are looked for in the first %d of them", maxNewlyIgnored, c.root, maxNewlyIgnored))
	}
	return paths, nil
}

// whyIgnored is what git says of the rules that some paths are ignored for: of each, the
// file with the rule, its line, the rule and the path.
func (g *git) whyIgnored(ctx context.Context, paths []byte) ([]byte, error) {
	// Unlike in run the names must not be said to be literal: see Ignored.
	cmd := exec.CommandContext(ctx, "git", "-C", g.root, "--no-optional-locks", "-c", "core.fsmonitor=false", "check-ignore", "-z", "-v", "--stdin")
	cmd.Env = gitEnv()
	cmd.Stdin = bytes.NewReader(paths)
	return cmd.Output()
}

// filesIn are the regular files in a folder, or the file of that name, at most n.
func filesIn(path string, n int) (files []string) {
	_ = filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && d != nil && d.IsDir():
			return fs.SkipDir
		case err != nil:
			return nil
		case len(files) >= n:
			return fs.SkipAll
		case d.IsDir() && p != path && skipped[d.Name()]:
			return fs.SkipDir
		case d.Type().IsRegular():
			files = append(files, p)
		}
		return nil
	})
	return files
}
