package checkpoint

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"acp-ls/buffers"
)

// Repo is a work tree, to see what the user, or whoever, does with git in it: what
// HEAD and the index have of some files. Nothing of it is ever written.
type Repo struct {
	g      *git
	dir    string // of HEAD and the index
	common string // of the branches; dir, but in a linked work tree
}

// OpenRepo finds the work tree that a folder is in; nil if it is in none, or there
// is no git.
func OpenRepo(ctx context.Context, folder string) (*Repo, error) {
	g, err := openGit(ctx, folder, Options{}.withDefaults().MaxFile, nil)
	if g == nil || err != nil {
		return nil, err
	}
	r := &Repo{g: g}
	for arg, into := range map[string]*string{"--git-dir": &r.dir, "--git-common-dir": &r.common} {
		out, err := g.run(ctx, nil, "rev-parse", arg)
		if err != nil {
			return nil, err
		}
		*into = strings.TrimRight(string(out), "\r\n")
		if !filepath.IsAbs(*into) {
			*into = filepath.Join(g.root, *into)
		}
		*into = resolved(*into)
	}
	return r, nil
}

// Top is the folder of the work tree.
func (r *Repo) Top() string { return r.g.top }

// Folders are those in which something stirs when HEAD or the index moves.
func (r *Repo) Folders() []string {
	folders := []string{r.dir, filepath.Join(r.dir, "logs")}
	if name := r.branch(); name != "" {
		folders = append(folders, filepath.Dir(name))
	}
	return folders
}

// branch is the file of the branch that HEAD is on, if it is on one.
func (r *Repo) branch() string {
	head, err := os.ReadFile(filepath.Join(r.dir, "HEAD"))
	ref, ok := strings.CutPrefix(strings.TrimSpace(string(head)), "ref: ")
	if err != nil || !ok || !filepath.IsLocal(filepath.FromSlash(ref)) {
		return ""
	}
	return filepath.Join(r.common, filepath.FromSlash(ref))
}

// Stamp differs from an earlier one if HEAD or the index may have moved since. It
// runs no program. The other way it errs: what is written twice within one tick of
// the clock of the file system, and has the same size, may look the same.
func (r *Repo) Stamp() string {
	var b strings.Builder
	for _, name := range []string{
		filepath.Join(r.dir, "HEAD"), filepath.Join(r.dir, "index"), filepath.Join(r.dir, "logs", "HEAD"),
		r.branch(), filepath.Join(r.common, "packed-refs"), filepath.Join(r.common, "reftable", "tables.list"),
	} {
		if info, err := os.Stat(name); err == nil {
			fmt.Fprint(&b, info.Size(), info.ModTime().UnixNano(), fileID(info))
		}
		b.WriteByte(';')
	}
	return b.String()
}

// Busy reports whether somebody is writing the index.
func (r *Repo) Busy() bool {
	_, err := os.Lstat(filepath.Join(r.dir, "index.lock"))
	return err == nil
}

// Entry names what HEAD and the index have of a file; empty: nothing. Two entries
// are equal if they have the same content, which may be run or not.
type Entry struct{ Head, Index Blob }

// Blob names a content that git keeps. Unmerged is that of an index entry whose
// content git does not know.
type Blob struct {
	oid  string
	Exec bool
}

// Exists reports whether there is such a file.
func (b Blob) Exists() bool { return b.oid != "" }

const unmerged = "?"

// Entries looks up files, each once, in HEAD and in the index.
func (r *Repo) Entries(ctx context.Context, paths []buffers.Path) (map[buffers.Path]Entry, error) {
	out := map[buffers.Path]Entry{}
	const atOnce = 500 // names in one command line
	for len(paths) > 0 {
		n := min(len(paths), atOnce)
		if err := r.entries(ctx, paths[:n], out); err != nil {
			return nil, err
		}
		paths = paths[n:]
	}
	return out, nil
}

func (r *Repo) entries(ctx context.Context, paths []buffers.Path, out map[buffers.Path]Entry) error {
	var names, rels []string
	abs := map[string]buffers.Path{}
	for _, p := range paths {
		if rel, ok := r.g.rel(string(p)); ok {
			names, rels, abs[rel] = append(names, string(p)), append(rels, rel), p
			out[p] = Entry{}
		}
	}
	if len(rels) == 0 {
		return nil
	}
	if _, err := r.g.run(ctx, nil, "rev-parse", "--verify", "-q", "HEAD^{commit}"); err == nil {
		blobs, err := r.g.tree(ctx, "HEAD", names)
		if err != nil {
			return err
		}
		for _, b := range blobs {
			e := out[abs[b.rel]]
			e.Head = Blob{b.oid, b.exec}
			out[abs[b.rel]] = e
		}
	}
	listed, err := r.g.run(ctx, nil, append([]string{"-C", r.g.top, "ls-files", "-s", "-z", "--"}, rels...)...)
	if err != nil {
		return err
	}
	for rec := range strings.SplitSeq(string(listed), "\x00") {
		// "100644 <oid> 0\t<path>"
		head, rel, ok := strings.Cut(rec, "\t")
		fields := strings.Fields(head)
		if p := abs[rel]; ok && len(fields) == 3 && p != "" {
			e := out[p]
			if e.Index = (Blob{fields[1], fields[0] == "100755"}); fields[2] != "0" {
				e.Index = Blob{oid: unmerged}
			}
			out[p] = e
		}
	}
	return nil
}

// Read is what checkout would write of a blob, as the file of that path. Nothing
// is there if the content is not known.
func (r *Repo) Read(ctx context.Context, p buffers.Path, b Blob) (State, error) {
	rel, ok := r.g.rel(string(p))
	if !ok || !b.Exists() || b.oid == unmerged {
		return State{}, nil
	}
	out := map[string]State{}
	size := int64(0)
	err := r.g.states(ctx, []blob{{path: string(p), rel: rel, oid: b.oid, size: size, exec: b.Exec}}, out)
	return out[string(p)], err
}

// KeepsEnds reports whether git keeps the line ends that a file has, and does not turn them when that is staged
// (core.autocrlf, or the attributes text and eol). Nothing is written. A file of a filter is not to be asked about: that
// would run.
func (r *Repo) KeepsEnds(ctx context.Context, p buffers.Path) (bool, error) {
	rel, ok := r.g.rel(string(p))
	if !ok {
		return true, nil
	}
	var ids [2]string
	for i, s := range []string{"a\nb\n", "a\r\nb\r\n"} {
		out, err := r.g.run(ctx, []byte(s), "-c", "core.safecrlf=false", "hash-object", "--stdin", "--path="+rel)
		if err != nil {
			return false, err
		}
		ids[i] = string(out)
	}
	return ids[0] != ids[1], nil
}
