package text

import (
	"strings"
	"sync/atomic"
)

// node is a leaf with a chunk, or has two children. Leaves are never empty, and the heights of two siblings differ by
// at most one (an AVL tree that keeps its content in the leaves). Nodes are immutable but for the cached digests.
type node struct {
	sums
	height      int // 0 for a leaf
	left, right *node
	chunk       string
	digest      atomic.Pointer[digest] // of Hash; made when first asked for
	rowsDigest  atomic.Pointer[digest] // of HashRows; likewise
}

// chunkLimit returns the largest chunk to make in a text of n bytes. A small chunk costs less to copy and to hash, a
// large one less memory beside the text.
func chunkLimit(n int) int {
	switch {
	case n <= 64<<10:
		return 1 << 10
	case n <= 1<<20:
		return 2 << 10
	}
	return 4 << 10
}

func leafOf(chunk string, s sums) *node { return &node{sums: s, chunk: chunk} }

func (n *node) leaf() bool { return n.height == 0 }

// build returns a tree of copies of the parts of s, or nil if s is empty.
func build(s string, limit int) *node {
	if s == "" {
		return nil
	}
	if len(s) <= limit {
		return leafOf(strings.Clone(s), sumsOf(s))
	}
	// Three quarters full, so that the first keystroke does not split a chunk.
	return buildParts(s, limit*3/4)
}

func buildParts(s string, size int) *node {
	parts := (len(s) + size - 1) / size
	if parts > 1 {
		if cut := safeCut(s, len(s)*(parts/2)/parts); cut > 0 {
			return join(buildParts(s[:cut], size), buildParts(s[cut:], size))
		}
	}
	return leafOf(strings.Clone(s), sumsOf(s))
}

// branch joins two trees whose heights differ by at most one.
func branch(l, r *node) *node {
	return &node{sums: l.plus(r.sums), height: max(l.height, r.height) + 1, left: l, right: r}
}

// join returns the tree of all leaves of l, then all of r. Either may be nil.
func join(l, r *node) *node {
	switch {
	case l == nil:
		return r
	case r == nil:
		return l
	case l.height > r.height+1:
		return rebalance(l.left, join(l.right, r))
	case r.height > l.height+1:
		return rebalance(join(l, r.left), r.right)
	}
	return branch(l, r)
}

// rebalance joins two trees whose heights differ by at most two.
func rebalance(l, r *node) *node {
	switch {
	case l.height > r.height+1:
		if l.left.height >= l.right.height {
			return branch(l.left, branch(l.right, r))
		}
		return branch(branch(l.left, l.right.left), branch(l.right.right, r))
	case r.height > l.height+1:
		if r.right.height >= r.left.height {
			return branch(branch(l, r.left), r.right)
		}
		return branch(branch(l, r.left.left), branch(r.left.right, r.right))
	}
	return branch(l, r)
}

// leafAt returns the leaf that holds the byte at offset, and where the leaf starts. An offset at the end of n gives
// the last leaf.
func (n *node) leafAt(offset int) (leaf *node, start int) {
	for !n.leaf() {
		if offset-start < n.left.bytes {
			n = n.left
		} else {
			start += n.left.bytes
			n = n.right
		}
	}
	return n, start
}

// before returns the tree of the leaves that end at or before offset, a border between leaves.
func (n *node) before(offset int) *node {
	switch {
	case offset <= 0:
		return nil
	case offset >= n.bytes:
		return n
	}
	return join(n.left.before(offset), n.right.before(offset-n.left.bytes))
}

// after returns the tree of the leaves that start at or after offset, a border between leaves.
func (n *node) after(offset int) *node {
	switch {
	case offset <= 0:
		return n
	case offset >= n.bytes:
		return nil
	}
	return join(n.left.after(offset), n.right.after(offset-n.left.bytes))
}

// swapLeaf returns n with the leaf that starts at offset replaced by the tree repl, which may be nil.
func (n *node) swapLeaf(offset int, repl *node) *node {
	if n.leaf() {
		return repl
	}
	if offset < n.left.bytes {
		return join(n.left.swapLeaf(offset, repl), n.right)
	}
	return join(n.left, n.right.swapLeaf(offset-n.left.bytes, repl))
}

// walk yields the parts of the chunks between start and end, and reports whether to go on.
func (n *node) walk(start, end int, yield func(string) bool) bool {
	if n.leaf() {
		return yield(n.chunk[max(start, 0):min(end, n.bytes)])
	}
	mid := n.left.bytes
	if start < mid && !n.left.walk(start, min(end, mid), yield) {
		return false
	}
	return end <= mid || n.right.walk(max(start-mid, 0), end-mid, yield)
}

func (t Text) replace(start, end int, s string, limit int) Text {
	if start == end && s == "" {
		return t
	}
	if t.root == nil {
		return Text{build(s, limit)}
	}
	// The chunks to make anew are those that the edit touches or comes near to: the bytes that decide what a border
	// divides must be the same as before, or belong to the part that is cut again.
	first, a := t.root.leafAt(max(start-margin, 0))
	last, b := first, a+first.bytes
	if stop := min(end+margin, t.Len()); stop > b {
		last, b = t.root.leafAt(stop - 1)
		b += last.bytes
	}

	// A chunk that has become small is united with a neighbour.
	if (start-a)+len(s)+(b-end) < limit/4 {
		if a > 0 {
			first, a = t.root.leafAt(a - 1)
		} else if b < t.Len() {
			last, b = t.root.leafAt(b)
			b += last.bytes
		}
	}
	if first == last {
		return Text{t.root.swapLeaf(a, first.edit(start-a, end-a, s, limit))}
	}
	mid := build(splice(t.Slice(a, start), s, t.Slice(end, b)), limit)
	return Text{join(join(t.root.before(a), mid), t.root.after(b))}
}

// edit returns the leaf n with chunk[start:end] replaced by s: a leaf again, several, or nil.
func (n *node) edit(start, end int, s string, limit int) *node {
	chunk := splice(n.chunk[:start], s, n.chunk[end:])
	if len(chunk) > limit || chunk == "" {
		return build(chunk, limit)
	}
	// Count anew only a window around the edit. What its borders divide they divide before and after the edit alike, so
	// that it cancels out.
	from, to := max(start-margin, 0), min(end+margin, n.bytes)
	grown := len(chunk) - n.bytes
	return leafOf(chunk, n.minus(sumsOf(n.chunk[from:to])).plus(sumsOf(chunk[from:to+grown])))
}

// splice returns a+b+c in memory of its own.
func splice(a, b, c string) string {
	if len(a) == 0 && len(c) == 0 {
		return strings.Clone(b) // a + b + c would be b itself, with all that it is a part of
	}
	return a + b + c
}

// equalTrees compares two trees of the same number of bytes.
func equalTrees(a, b *node) bool {
	var as, bs []*node // what is still to be compared, the next on top
	as, bs = append(as, a), append(bs, b)
	var x, y string // the parts of the current chunks not compared yet
	for {
		if x == "" && y == "" {
			if len(as) == 0 {
				return true
			}
			a, b := as[len(as)-1], bs[len(bs)-1]
			if a == b {
				as, bs = as[:len(as)-1], bs[:len(bs)-1]
				continue
			}
			// Open the larger side first, so that shared subtrees meet.
			if !a.leaf() && a.bytes >= b.bytes {
				as = append(as[:len(as)-1], a.right, a.left)
				continue
			}
			if !b.leaf() {
				bs = append(bs[:len(bs)-1], b.right, b.left)
				continue
			}
		}
		if x == "" {
			x, as = popChunk(as)
		}
		if y == "" {
			y, bs = popChunk(bs)
		}
		n := min(len(x), len(y))
		if x[:n] != y[:n] {
			return false
		}
		x, y = x[n:], y[n:]
	}
}

// popChunk takes the first chunk from a stack of trees.
func popChunk(stack []*node) (string, []*node) {
	for {
		n := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if n.leaf() {
			return n.chunk, stack
		}
		stack = append(stack, n.right, n.left)
	}
}
