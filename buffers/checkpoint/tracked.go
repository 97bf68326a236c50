package checkpoint

import (
	"bytes"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tracked is what the index says of files that git status does not look at: those
// it was told to leave alone (skip-worktree, which sparse checkouts use too, and
// assume-unchanged), and submodules.
type tracked struct {
	name    string      // of the index
	index   fs.FileInfo // when it was listed; nil: there is none
	unseen  []string    // files that git does not look at, as git names them
	modules []string    // folders of submodules
	cut     bool        // there are more of unseen
}

// maxUnseen bounds the files that git does not look at; sparse checkouts of giant
// repositories leave out more. A variable for tests only.
var maxUnseen = 20000

// list reads the index, unless it is still the one that was read.
func (g *git) list(ctx context.Context) (err error) {
	g.listed, err = g.indexNow(ctx, g.listed)
	return err
}

// indexNow is what the index says now, which is was if it has not moved since.
func (g *git) indexNow(ctx context.Context, was tracked) (tracked, error) {
	name := was.name
	if name == "" {
		out, err := g.run(ctx, nil, "rev-parse", "--git-path", "index")
		if err != nil {
			return was, err
		}
		name = strings.TrimRight(string(out), "\r\n")
		if !filepath.IsAbs(name) {
			name = filepath.Join(g.root, name)
		}
	}
	info, err := os.Stat(name)
	if err != nil {
		return tracked{name: name}, nil // nothing was ever added
	}
	if was.index != nil && sameInfo(was.index, info) {
		return was, nil
	}
	t := tracked{name: name, index: info}
	out, err := g.run(ctx, nil, "ls-files", "-v", "-s", "-z", "--full-name", "--", ".")
	if err != nil {
		return was, err
	}
	for _, rec := range bytes.Split(out, []byte{0}) {
		// "H 100644 <oid> 0\t<path>"
		head, path, ok := bytes.Cut(rec, []byte{'\t'})
		if !ok || len(head) < 2 {
			continue
		}
		tag := head[0]
		switch {
		case bytes.HasPrefix(head[2:], []byte("160000 ")):
			t.modules = append(t.modules, g.abs(string(path)))
		case tag != 'S' && (tag < 'a' || tag > 'z'):
		case len(t.unseen) < maxUnseen:
			t.unseen = append(t.unseen, string(path))
		default:
			t.cut = true
		}
	}
	return t, nil
}

// unseenNow names them as paths. Those that are not there, as in a sparse
// checkout, are named too: that there is nothing is to be known of them.
func (t tracked) unseenNow(g *git) []string {
	paths := make([]string, len(t.unseen))
	for i, rel := range t.unseen {
		paths[i] = g.abs(rel)
	}
	return paths
}
