package checkpoint

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

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
	rel, ok := r.g.rel(string(p))
	if !ok || strings.ContainsAny(rel, "\n\r") {
		return false, nil
	}
	var ask strings.Builder
	for _, from := range []string{"refs/stash", "refs/stash^3"} { // ^3: what git did not know
		fmt.Fprintf(&ask, "%s:%s\n", from, rel)
	}
	if was, err := r.g.run(ctx, nil, "rev-parse", "-q", "--verify", "HEAD@{1}"); err == nil {
		fmt.Fprintf(&ask, "%s:%s\n", bytes.TrimSpace(was), rel)
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

// Passed returns the commits that were made where HEAD was, and that HEAD has left again, by
// what its log has from a place on: below zero, its end. next is the place from which to look
// the next time, so that the commit that HEAD is at is found when it has left that; end is
// where the log ends.
func (r *Repo) Passed(from int64) (commits []string, next, end int64, err error) {
	f, err := os.Open(filepath.Join(r.dir, "logs", "HEAD"))
	if err != nil {
		if os.IsNotExist(err) { // git keeps none, or in another form
			err = nil
		}
		return nil, 0, 0, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, from, from, err
	}
	if from < 0 || info.Size() <= from {
		return nil, info.Size(), info.Size(), nil // nothing is new, or the log was cut
	}
	const most = 1 << 20
	b, err := io.ReadAll(io.LimitReader(io.NewSectionReader(f, from, info.Size()-from), most))
	if err != nil {
		return nil, from, from, err
	}
	whole := b[:bytes.LastIndexByte(b, '\n')+1] // the rest is just being written
	end = from + int64(len(whole))
	there, last := false, 0 // of the last line: whether it is a commit, and its length
	for line := range strings.Lines(string(whole)) {
		// "<old> <new> <name> <<mail>> <time> <zone>\t<what>: <subject>"
		head, what, _ := strings.Cut(line, "\t")
		fields := strings.Fields(head)
		there, last = len(fields) > 2 && strings.HasPrefix(what, "commit"), len(line)
		if there {
			commits = append(commits, fields[1])
		}
	}
	if there { // HEAD is there yet
		return commits[:len(commits)-1], end - int64(last), end, nil
	}
	return commits, end, end, nil
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
