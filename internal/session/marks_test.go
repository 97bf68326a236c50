package session

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
)

func rowsRange(first, last uint32) *position.Range {
	return &position.Range{Start: position.Position{Line: first}, End: position.Position{Line: last}}
}

// embedded is the text of the part of a file that goes along with a prompt.
func embedded(blocks []Block) string {
	for _, b := range blocks {
		if b.Type == "resource" && strings.Contains(b.URI, "#L") {
			return b.Text
		}
	}
	return ""
}

// A mark stands for its text, whatever is done around it and in it.
func TestMarkFollowsItsText(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(e *fakeEditor, uri string)
		want string // "": it is gone
	}{
		{"nothing", func(*fakeEditor, string) {}, "3\n4\n5\n"},
		{"rows above taken out", func(e *fakeEditor, uri string) { e.replace(uri, "1\n", "") }, "3\n4\n5\n"},
		{"rows above put in", func(e *fakeEditor, uri string) { e.typeAt(uri, 0, 0, "a\nb\n") }, "3\n4\n5\n"},
		{"right above", func(e *fakeEditor, uri string) { e.replace(uri, "2\n", "2\nnew\n") }, "3\n4\n5\n"},
		{"right below", func(e *fakeEditor, uri string) { e.replace(uri, "6\n", "new\n6\n") }, "3\n4\n5\n"},
		{"in it", func(e *fakeEditor, uri string) { e.replace(uri, "4\n", "four\nfour and a half\n") }, "3\nfour\nfour and a half\n5\n"},
		{"its first row", func(e *fakeEditor, uri string) { e.replace(uri, "3\n", "three\n") }, "three\n4\n5\n"},
		{"over its end", func(e *fakeEditor, uri string) { e.replace(uri, "5\n6\n", "") }, "3\n4\n"},
		{"taken out", func(e *fakeEditor, uri string) { e.replace(uri, "3\n4\n5\n", "") }, ""},
		{"the whole text replaced", func(e *fakeEditor, uri string) {
			e.typeAt(uri, 0, len(ten), "0\n1\n2\n3\nfour\n5\n6\nseven\n8\n9\n10\n")
		}, "3\nfour\n5\n"},
		{"read anew", func(e *fakeEditor, uri string) {
			e.send(buffers.Close{URI: uri})
			e.open(uri, "0\n"+ten)
		}, "3\n4\n5\n"},
		{"closed", func(e *fakeEditor, uri string) {
			e.typeAt(uri, 0, 0, "0\n")
			e.close(uri)
		}, "3\n4\n5\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
			core, e, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			id, err := core.Mark(Span{URI: uri, Range: rowsRange(2, 5)})
			if err != nil {
				t.Fatal(err)
			}
			c.do(e, uri)
			var blocks []Block
			l.prompt = func(_ context.Context, _ *fakeAgent, _ string, b []Block) (StopReason, error) {
				blocks = b
				return "end_turn", nil
			}
			r, err := core.Prompt(t.Context(), Prompt{Text: "go", Selection: &Span{URI: uri, Range: rowsRange(2, 5), Mark: id}, Wait: true})
			if err != nil {
				t.Fatal(err)
			}
			if c.want == "" {
				e.await("a word that it is gone", func() bool {
					for _, it := range e.entries[r.Session] {
						if strings.Contains(it.Text, "the selection names nothing: its text in") {
							return true
						}
					}
					return false
				})
			}
			if got := embedded(blocks); got != c.want {
				t.Errorf("%q goes along, want %q", got, c.want)
			}
		})
	}
}

// A mark that nobody knows any more is the range that is named along with it.
func TestUnknownMark(t *testing.T) {
	l := &fakeLauncher{}
	core, e, root := setup(t, l)
	uri := buffers.PathURI(filepath.Join(root, "a.txt"))
	e.open(uri, ten)
	got := core.pin([]Span{{URI: uri, Range: rowsRange(0, 2), Mark: "m99"}})[0]
	if got.text == nil || *got.text != "1\n2\n" {
		t.Errorf("it is %+v", got)
	}
	if _, err := core.Mark(Span{URI: uri + "x", Range: rowsRange(0, 1)}); KindOf(err) != KindNotFound {
		t.Errorf("a mark in a document that is not open: %v", err)
	}
}

// Edits of other rows, in whatever shape they are told, leave what a mark stands for as it is.
func TestMarkAmongRandomEdits(t *testing.T) {
	core, e, root := setup(t, &fakeLauncher{})
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 1))
		uri := buffers.PathURI(filepath.Join(root, fmt.Sprint(seed)))
		rows := []string{}
		for i := range 4 + r.IntN(6) {
			rows = append(rows, fmt.Sprintf("row %d\n", i))
		}
		text := strings.Join(rows, "")
		e.open(uri, text)
		first := r.IntN(len(rows) - 1)
		last := first + 1 + r.IntN(len(rows)-1-first)
		want := strings.Join(rows[first:last], "")
		id, err := core.Mark(Span{URI: uri, Range: rowsRange(uint32(first), uint32(last))})
		if err != nil {
			t.Fatal(err)
		}
		for n := range 12 {
			at := strings.Index(text, want)
			lo, hi := 0, at // above it
			if r.IntN(2) == 0 {
				lo, hi = at+len(want), len(text)
			}
			starts := []int{hi}
			for i := lo; i < hi; i++ {
				if i == 0 || text[i-1] == '\n' {
					starts = append(starts, i)
				}
			}
			from, to := starts[r.IntN(len(starts))], starts[r.IntN(len(starts))]
			from, to = min(from, to), max(from, to)
			put := strings.Repeat(fmt.Sprintf("new %d\n", n), r.IntN(3))
			next := text[:from] + put + text[to:]
			if r.IntN(4) == 0 {
				e.typeAt(uri, 0, len(text), next)
			} else {
				e.typeAt(uri, from, to, put)
			}
			text = next
			if s, ok := core.marks.resolve(id); !ok || s.text == nil || *s.text != want {
				t.Fatalf("seed %d: %+v, want %q in %q", seed, s, want, text)
			}
		}
		e.close(uri)
	}
}
