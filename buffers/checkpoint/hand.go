package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"acp-ls/buffers"
)

// Placed reports whether git has put a file there as it is, or has found it there as the
// index has it: its content, and the very times of the file. That of one that somebody else
// has written is so only after git has looked at the index anew.
func (r *Repo) Placed(ctx context.Context, p buffers.Path) (bool, error) {
	rel, ok := r.g.rel(string(p))
	info, err := os.Lstat(string(p))
	index, indexErr := os.Stat(filepath.Join(r.dir, "index"))
	if !ok || err != nil || indexErr != nil || index.ModTime().Before(info.ModTime()) {
		return false, nil // git writes the index last; this asks no program, where an agent writes much
	}
	listed, err := r.g.run(ctx, nil, "-C", r.g.top, "ls-files", "-v", "-z", "--", rel)
	if err != nil || string(listed) != "H "+rel+"\x00" {
		return false, err // git does not know it, or was told not to look at it
	}
	differs, err := r.g.run(ctx, nil, "-C", r.g.top, "diff-files", "--name-only", "-z", "--", rel)
	return len(differs) == 0 && err == nil, err
}

// Kept reports whether a stash, or the commit that HEAD was before, has a file with that
// content.
func (r *Repo) Kept(ctx context.Context, p buffers.Path, content string) (bool, error) {
	return r.has(ctx, p, content, "refs/stash", "refs/stash^3") // ^3: what git did not know
}

// MayHavePut reports whether git may have put that content there as the file, later than since: the
// index has it, or HEAD, or the commit that HEAD was before.
func (r *Repo) MayHavePut(ctx context.Context, p buffers.Path, content string, since time.Time) (bool, error) {
	if !r.MovedSince(since) {
		return false, nil
	}
	return r.has(ctx, p, content, ":0", "HEAD")
}

// MovedSince reports whether git has written the index or the log of HEAD at that time, or later.
func (r *Repo) MovedSince(since time.Time) bool {
	for _, name := range []string{"index", filepath.Join("logs", "HEAD")} {
		if info, err := os.Stat(filepath.Join(r.dir, name)); err == nil && !info.ModTime().Before(since) {
			return true
		}
	}
	return false
}

// has reports whether one of these, or the commit that HEAD was before, has a file with that content.
func (r *Repo) has(ctx context.Context, p buffers.Path, content string, in ...string) (bool, error) {
	rel, ok := r.g.rel(string(p))
	if !ok || strings.ContainsAny(rel, "\n\r") {
		return false, nil
	}
	var ask strings.Builder
	if was, err := r.g.run(ctx, nil, "rev-parse", "-q", "--verify", "HEAD@{1}"); err == nil {
		in = append(in, string(bytes.TrimSpace(was)))
	}
	for _, from := range in {
		fmt.Fprintf(&ask, "%s:%s\n", from, rel)
	}
	out, err := r.g.run(ctx, []byte(ask.String()), "cat-file", "--batch-check")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(out)) {
		// "<oid> blob <size>", or what was asked for and "missing"
		fields := strings.Fields(line)
		if len(fields) != 3 || fields[1] != "blob" {
			continue
		}
		st, err := r.Read(ctx, p, Blob{oid: fields[0]})
		if err != nil {
			return false, err
		}
		if st.Exists && st.Opaque == "" && st.Content == content {
			return true, nil
		}
	}
	return false, nil
}

// At looks up files in a commit.
func (r *Repo) At(ctx context.Context, commit string, paths []buffers.Path) (map[buffers.Path]Blob, error) {
	out := map[buffers.Path]Blob{}
	var names []string
	abs := map[string]buffers.Path{}
	for _, p := range paths {
		if rel, ok := r.g.rel(string(p)); ok {
			names = append(names, string(p))
			abs[rel] = p
		}
	}
	if len(names) == 0 {
		return out, nil
	}
	blobs, err := r.g.tree(ctx, commit, names)
	for _, b := range blobs {
		out[abs[b.rel]] = Blob{b.oid, b.exec}
	}
	return out, err
}
