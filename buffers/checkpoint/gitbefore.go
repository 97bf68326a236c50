package checkpoint

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"strconv"
	"strings"
)

// blob is a file of a commit.
type blob struct {
	path, rel string
	oid       string
	size      int64 // before any filter
	exec      bool
	link      bool
}

// before is what checkout would write of the files in the pinned commit.
func (g *git) before(ctx context.Context, paths []string) (map[string]State, error) {
	out := map[string]State{}
	mine := make([]string, 0, len(paths))
	others := map[*git][]string{}
	for _, p := range paths {
		if in := g.of(p); in != g {
			others[in] = append(others[in], p)
		} else {
			mine = append(mine, p)
		}
	}
	for in, list := range others {
		states, err := in.before(ctx, list)
		if err != nil {
			return nil, err
		}
		for p, s := range states {
			out[p] = s
		}
	}
	if g.commit == "" || g.isGone() {
		return out, nil
	}
	const atOnce = 500 // names in one command line
	for len(mine) > 0 {
		n := min(len(mine), atOnce)
		blobs, err := g.tree(ctx, g.commit, mine[:n])
		if err != nil {
			return nil, err
		}
		if err := g.states(ctx, blobs, out); err != nil {
			return nil, err
		}
		mine = mine[n:]
	}
	return out, nil
}

// tree finds the regular files and the links of a commit.
func (g *git) tree(ctx context.Context, commit string, paths []string) ([]blob, error) {
	args := []string{"ls-tree", "-z", "-l", "--full-tree", commit, "--"}
	abs := map[string]string{}
	for _, p := range paths {
		if rel, ok := g.rel(p); ok {
			args = append(args, rel)
			abs[rel] = p
		}
	}
	if len(abs) == 0 {
		return nil, nil
	}
	out, err := g.run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var blobs []blob
	for rec := range strings.SplitSeq(string(out), "\x00") {
		// "100644 blob <oid> <size>\t<path>"
		head, rel, ok := strings.Cut(rec, "\t")
		fields := strings.Fields(head)
		if !ok || len(fields) != 4 || abs[rel] == "" || fields[0] != "100644" && fields[0] != "100755" && fields[0] != "120000" {
			continue // a submodule, a folder
		}
		size, _ := strconv.ParseInt(fields[3], 10, 64)
		blobs = append(blobs, blob{abs[rel], rel, fields[2], size, fields[0] == "100755", fields[0] == "120000" && !g.noLinks})
	}
	return blobs, nil
}

// states puts what checkout would write of the blobs into out.
func (g *git) states(ctx context.Context, blobs []blob, out map[string]State) error {
	if err := g.askFiltered(ctx, blobs); err != nil {
		return err
	}
	var read []blob
	for _, b := range blobs {
		st := State{Exists: true, Exec: b.exec, anyMode: g.noModes}
		switch {
		case b.link:
			to, err := g.run(ctx, nil, "cat-file", "blob", b.oid)
			if err != nil {
				return err
			}
			st = linkTo(string(to))
		case g.isFiltered(b.rel):
			st.Opaque = Filtered
		case b.size > g.maxFile:
			content, err := g.checkout(ctx, b)
			if err != nil {
				return err
			}
			sum := sha256.Sum256(content)
			st.Opaque, st.hash = Large, hex.EncodeToString(sum[:])
		default:
			read = append(read, b)
			continue
		}
		out[b.path] = st
	}
	contents, err := g.checkoutAll(ctx, read)
	if err != nil {
		return err
	}
	for i, b := range read {
		st := fill(State{Exists: true, Exec: b.exec, anyMode: g.noModes}, contents[i])
		if int64(len(contents[i])) > g.maxFile { // line ends have made it larger
			st = st.Forget()
			st.Opaque = Large
		}
		out[b.path] = st
	}
	return nil
}

// checkout is what checkout would write of one blob.
func (g *git) checkout(ctx context.Context, b blob) ([]byte, error) {
	return g.run(ctx, nil, "cat-file", "--filters", "--path="+b.rel, b.oid)
}

// checkoutAll is checkout for many blobs in one process. What git says between
// contents does not tell how long they are once they are filtered; so behind each
// an object is asked for that is not there, and whose name nobody can guess.
func (g *git) checkoutAll(ctx context.Context, blobs []blob) ([][]byte, error) {
	out := make([][]byte, len(blobs))
	stop := rand.Text()
	var ask bytes.Buffer
	var batch []int
	for i, b := range blobs {
		if len(blobs) < 3 || strings.ContainsAny(b.rel, "\n\r") {
			content, err := g.checkout(ctx, b)
			if err != nil {
				return nil, err
			}
			out[i] = content
			continue
		}
		batch = append(batch, i)
		ask.WriteString(b.oid + " " + b.rel + "\n" + stop + " x\n")
	}
	if len(batch) == 0 {
		return out, nil
	}
	told, err := g.run(ctx, ask.Bytes(), "cat-file", "--batch", "--buffer", "--filters")
	if err != nil {
		return nil, err
	}
	end := []byte("\n" + stop + " missing\n")
	for _, i := range batch {
		content, rest, ok := bytes.Cut(told, end)
		_, content, head := bytes.Cut(content, []byte{'\n'}) // "<oid> blob <size>"
		if !ok || !head {
			if out[i], err = g.checkout(ctx, blobs[i]); err != nil {
				return nil, err
			}
			continue
		}
		out[i], told = content, rest
	}
	return out, nil
}

// askFiltered finds out which of the files are kept in another form than they have
// in the work tree.
func (g *git) askFiltered(ctx context.Context, blobs []blob) error {
	var ask bytes.Buffer
	g.mu.Lock()
	for _, b := range blobs {
		if _, ok := g.filtered[b.rel]; !ok {
			ask.WriteString(g.abs(b.rel) + "\x00")
		}
	}
	g.mu.Unlock()
	if ask.Len() == 0 {
		return nil
	}
	out, err := g.run(ctx, ask.Bytes(), "check-attr", "-z", "--stdin", "filter")
	if err != nil {
		return err
	}
	fields := strings.Split(string(out), "\x00")
	g.mu.Lock()
	defer g.mu.Unlock()
	for ; len(fields) >= 3; fields = fields[3:] {
		if rel, ok := g.rel(fields[0]); ok {
			g.filtered[rel] = fields[2] != "unspecified" && fields[2] != "unset"
		}
	}
	return nil
}

func (g *git) isFiltered(rel string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.filtered[rel]
}
