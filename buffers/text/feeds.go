package text

import (
	"fmt"
	"strings"
)

// Some editors end their rows at "\n" alone and take each "\r" for a character, whatever the protocol says. The methods
// here count as they do.

// FeedCount returns the number of line feeds.
func (t Text) FeedCount() int { return t.sums().feeds }

// FeedStart returns the offset just behind the i-th line feed, counting from 1; for i == 0 it is 0. It panics unless
// 0 <= i <= FeedCount().
func (t Text) FeedStart(i int) int {
	if i < 0 || i > t.FeedCount() {
		panic(fmt.Sprintf("text: line feed %d out of a text of %d", i, t.FeedCount()))
	}
	if i == 0 {
		return 0
	}
	n, at := t.root, 0
	for !n.leaf() {
		if i <= n.left.feeds {
			n = n.left
		} else {
			i -= n.left.feeds
			at += n.left.bytes
			n = n.right
		}
	}
	end := 0
	for ; i > 0; i-- {
		end += strings.IndexByte(n.chunk[end:], '\n') + 1
	}
	return at + end
}

// FeedsBefore returns the number of line feeds in front of offset. It panics unless 0 <= offset <= Len().
func (t Text) FeedsBefore(offset int) int {
	t.checkOffset(offset)
	if t.root == nil {
		return 0
	}
	n, feeds := t.root, 0
	for !n.leaf() {
		if offset < n.left.bytes {
			n = n.left
		} else {
			offset -= n.left.bytes
			feeds += n.left.feeds
			n = n.right
		}
	}
	return feeds + strings.Count(n.chunk[:offset], "\n")
}
