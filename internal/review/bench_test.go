package review

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/text"
)

// bigText returns n rows that differ.
func bigText(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "row number %d of a text that is large\n", i)
	}
	return b.String()
}

// What a keystroke costs, by the size of the text and by how much of it is undecided.
func BenchmarkKeystroke(b *testing.B) {
	for _, c := range []struct {
		name string
		rows int
		doc  func(t text.Text) *Doc
		at   func(t text.Text) int
	}{
		{"50MB untracked", 1_200_000, func(t text.Text) *Doc { return New(t, time.Now) }, func(t text.Text) int { return t.Len() / 2 }},
		{"50MB far from 100 hunks", 1_200_000, hunks(100), func(t text.Text) int { return t.Len() / 2 }},
		{"50MB far from 10000 hunks", 1_200_000, hunks(10_000), func(t text.Text) int { return t.Len() - 100 }},
		{"1000 rows in a hunk of 3", 1000, hunks(100), func(t text.Text) int { return t.LineStart(10) }},
		{"in a hunk of 1000", 1000, created, func(t text.Text) int { return t.Len() / 2 }},
		{"in a hunk of 20000", 20_000, created, func(t text.Text) int { return t.Len() / 2 }},
	} {
		b.Run(c.name, func(b *testing.B) {
			d := c.doc(text.New(bigText(c.rows)))
			at := c.at(d.Text())
			b.ReportAllocs()
			b.ResetTimer()
			for b.Loop() {
				d.UserEdit(at, at, "x")
			}
		})
	}
}

// hunks returns a way to make documents with n hunks, one every ten rows.
func hunks(n int) func(t text.Text) *Doc {
	return func(t text.Text) *Doc {
		d := New(t, time.Now)
		for i := n - 1; i >= 0; i-- {
			at := t.LineStart(i * 10)
			t = t.Replace(at, t.LineStart(i*10+1), fmt.Sprintf("the agent's row %d\nand another one\n", i))
		}
		d.AgentEdit(t, Origin{Change: "c", Author: AuthorAgent})
		return d
	}
}

func created(t text.Text) *Doc {
	d := New(text.Text{}, time.Now)
	d.AgentEdit(t, Origin{Change: "c", Author: AuthorAgent})
	return d
}

func BenchmarkNew50MB(b *testing.B) {
	t := text.New(bigText(1_200_000))
	for b.Loop() {
		New(t, time.Now)
	}
}

func BenchmarkHunks(b *testing.B) {
	d := hunks(1000)(text.New(bigText(100_000)))
	for b.Loop() {
		d.listed = nil
		d.Hunks()
	}
}

func BenchmarkAgentEdit(b *testing.B) {
	t := text.New(bigText(10_000))
	n := t
	for i := 200; i > 0; i-- {
		n = n.Replace(n.LineStart(i*40), n.LineStart(i*40+1), "changed\n")
	}
	for b.Loop() {
		New(t, time.Now).AgentEdit(n, Origin{Change: "c", Author: AuthorAgent})
	}
}
