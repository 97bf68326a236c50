package session

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// partsOf are the changes that make b of a, letter by letter what is really another, the last of
// the text first: so VS Code tells one undo.
func partsOf(a, b string) []buffers.ContentChange {
	from, to := strings.Split(a, ""), strings.Split(b, "")
	t := text.New(a)
	var out []buffers.ContentChange
	for _, e := range slices.Backward(linediff.Diff(from, to)) {
		start, end := len(strings.Join(from[:e.A0], "")), len(strings.Join(from[:e.A1], ""))
		r := position.OffsetsRange(t, start, end, position.UTF8)
		out = append(out, buffers.ContentChange{Range: &r, Text: strings.Join(to[e.B0:e.B1], "")})
	}
	return out
}

// What was rejected is undecided again when the user undoes that, and over when they redo it, in
// however many changes of one event the editor tells of either, and whatever it is that was
// rejected: agents' rows, and what a formatter made of the others when they were saved.
func TestUndoInParts(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		before, wrote, formatted string
		user                     func(string) string // has typed meanwhile
	}{
		"a row in two places":           {before: "1\n2\nplain and old\n4\n", wrote: "1\n2\nplane and gold\n4\n"},
		"two places told of as growing": {before: "1\nw 1 x\n3\n", wrote: "1\nw  1  x\n3\n"},
		"and as shrinking":              {before: "1\nw  1  x\n3\n", wrote: "1\nw 1 x\n3\n"},
		"three of one row":              {before: "1\na b c d\n3\n", wrote: "1\na  b  c  d\n3\n"},
		"rows far from each other":      {before: ten, wrote: strings.NewReplacer("2\n", "2 A\n", "8\n", "8 A\n").Replace(ten)},
		"rows beside each other":        {before: "1\nb x\nc x\n4\n", wrote: "1\nb y y\nc y y\n4\n"},
		"a row and rows put in":         {before: "1\n2\n3\n4\n", wrote: "0\n1\n2 A\nnew\n3\n4\n"},
		"rows taken out":                {before: ten, wrote: strings.NewReplacer("2\n", "", "7\n", "", "9\n", "nine\n").Replace(ten)},
		"equal rows":                    {before: "c\nc\nc\nc\n", wrote: "c\nc  c\nc\nc  c\n"},
		"a formatter's": {
			before: "w  1  x\nc\nc\nplain 5\nd\n", wrote: "w  1  x\nc\nc\nagent   5\nd\n",
			formatted: "w 1 x\nc\nc\nagent 5\nd\n",
		},
		"a formatter's in the agent's row": {
			before: "1\nplain  5  five\n3\n", wrote: "1\nagent  5  five\n3\n", formatted: "1\nagent 5 five\n3\n",
		},
		"a formatter's that adds": {before: "f(a,b,c)\n2\n3\n", wrote: "f(a,b,c)\n2\nagent(a,b)\n", formatted: "f(a, b, c)\n2\nagent(a, b)\n"},
		"a formatter's, and a key": {
			before: "w  1  x\nc\nc\nplain 5\nd\n", wrote: "w  1  x\nc\nc\nagent   5\nd\n",
			formatted: "w 1 x\nc\nc\nagent 5\nd\n", user: func(s string) string { return strings.Replace(s, "\nd\n", "\nd user\n", 1) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			writeFile(t, path, tt.before)
			e.open(uri, tt.before)
			e.caps["save"], e.caps["format"] = true, true
			e.onSaving = func(uri string, format bool) error {
				if format && tt.formatted != "" {
					e.format(uri, tt.formatted)
				}
				writeFile(t, path, e.text(uri))
				e.send(buffers.Save{URI: uri})
				return nil
			}
			turnOf(t, c, l, func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, tt.wrote); err != nil {
					t.Error(err)
				}
			})
			if tt.user != nil {
				now := e.text(uri)
				e.changes(uri, partsOf(now, tt.user(now)))
			}
			undecided, want := e.text(uri), said(hunksOf(t, c, uri, review.StatePending))
			if len(want) == 0 {
				t.Fatalf("nothing is undecided in %q", undecided)
			}
			base, err := c.Baseline(uri)
			if err != nil {
				t.Fatal(err)
			}
			pending := func(what, base string, want []string) {
				t.Helper()
				if got := said(hunksOf(t, c, uri, review.StatePending)); !slices.Equal(got, want) {
					t.Fatalf("%s: hunks %q, want %q", what, got, want)
				}
				if got, _ := c.Baseline(uri); got != base {
					t.Fatalf("%s: baseline %q, want %q", what, got, base)
				}
			}
			// What the agent did, undone and redone, is first.
			for range 2 {
				e.changes(uri, partsOf(undecided, base))
				pending("all is undone", base, nil)
				e.changes(uri, partsOf(base, undecided))
				pending("all is redone", base, want)
			}
			if _, err := c.Reject(t.Context(), Decide{URI: uri}); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				e.changes(uri, partsOf(base, undecided))
				pending("undone", base, want)
				e.changes(uri, partsOf(undecided, base))
				pending("redone", base, nil)
			}
		})
	}
}

// Who types at several places is not undoing, though the text passes through what an agent had
// written there.
func TestTypedInParts(t *testing.T) {
	for name, rows := range map[string]struct{ before, wrote, typed string }{
		"of one row":    {"1\n(, )\n3\n", "1\n(word, word)\n3\n", "words"},
		"of two rows":   {"1\na\nb\n3\n", "1\na\nb\nagent\n3\n", "x"},
		"of equal rows": {"1\n()\n()\n3\n", "1\n(x)\n(x)\n3\n", "yx"},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a.txt")
			uri := buffers.PathURI(path)
			writeFile(t, path, rows.before)
			e.open(uri, rows.before)
			turnOf(t, c, l, func(h Host, sid string) {
				if err := h.WriteTextFile(t.Context(), sid, path, rows.wrote); err != nil {
					t.Error(err)
				}
			})
			if _, err := c.Reject(t.Context(), Decide{URI: uri}); err != nil {
				t.Fatal(err)
			}
			var cursors []int // of the text, the last one first
			for i := len(rows.before) - 1; i >= 0; i-- {
				if strings.ContainsRune(",)ab", rune(rows.before[i])) {
					cursors = append(cursors, i)
				}
			}
			typed := func(n int) string {
				s := rows.before
				for _, at := range cursors {
					s = s[:at] + rows.typed[:n] + s[at:]
				}
				return s
			}
			for n := range len(rows.typed) {
				now := text.New(e.text(uri))
				var keys []buffers.ContentChange
				for i, at := range cursors {
					at += (len(cursors) - i - 1) * n
					r := position.OffsetsRange(now, at+n, at+n, position.UTF8)
					keys = append(keys, buffers.ContentChange{Range: &r, Text: rows.typed[n : n+1]})
				}
				e.changes(uri, keys)
				if got, want := e.text(uri), typed(n+1); got != want {
					t.Fatalf("text %q, want %q", got, want)
				}
			}
			if got := hunksOf(t, c, uri, review.StatePending); len(got) > 0 {
				t.Errorf("hunks %q", said(got))
			}
			if got, _ := c.Baseline(uri); got != e.text(uri) {
				t.Errorf("baseline %q, want %q", got, e.text(uri))
			}
		})
	}
}

// said is what hunks say.
func said(hunks []review.Hunk) []string {
	var out []string
	for _, h := range hunks {
		out = append(out, h.BaseText+" -> "+h.Text)
	}
	return out
}
