package session

import (
	"reflect"
	"strings"
	"testing"
)

func ptr(s string) *string { return &s }

func replaces(old, new string) claim { return claim{old: ptr(old), new: new} }

// A fragment is found exactly once, or it is said why not.
func TestLocate(t *testing.T) {
	const file = "a\nb\nc\nb\nd\n"
	for _, c := range []struct {
		name   string
		live   string
		others []string // what the agent may have seen, the disk first
		claims []claim
		want   string
		err    string // part of it
	}{
		{name: "a fragment", live: file, claims: []claim{replaces("c\n", "C\n")}, want: "a\nb\nC\nb\nd\n"},
		{name: "inside a row", live: "say hello\n", claims: []claim{replaces("hello", "bye")}, want: "say bye\n"},
		{name: "twice", live: file, claims: []claim{replaces("b\n", "B\n")}, err: "occurs 2 times"},
		{name: "twice, and all are meant", live: file, claims: []claim{{old: ptr("b\n"), new: "B\n", all: true}}, want: "a\nB\nc\nB\nd\n"},
		{name: "not at all", live: file, claims: []claim{replaces("x\n", "y\n")}, err: "not there"},
		{name: "not at all, all meant", live: file, claims: []claim{{old: ptr("x\n"), new: "y\n", all: true}}, err: "not there"},
		{name: "a row that ends like it", live: "ab\nb\n", claims: []claim{replaces("b\n", "B\n")}, want: "ab\nB\n"},
		{name: "two rows that end like it", live: "ab\ncb\n", claims: []claim{replaces("b\n", "B\n")}, err: "occurs 2 times"},
		{name: "with context, twice the row", live: file, claims: []claim{replaces("c\nb\n", "c\nB\n")}, want: "a\nb\nc\nB\nd\n"},
		{name: "several, in any order", live: file, claims: []claim{replaces("d\n", "D\n"), replaces("a\n", "A\nA2\n")}, want: "A\nA2\nb\nc\nb\nD\n"},
		{name: "several, one is ambiguous", live: file, claims: []claim{replaces("d\n", "D\n"), replaces("b\n", "B\n")}, err: "occurs 2 times"},
		{name: "several, each of what the other left", live: file, claims: []claim{replaces("c\n", "x\n"), replaces("x\nb\n", "y\n")}, want: "a\nb\ny\nd\n"},
		{name: "several that overlap", live: file, claims: []claim{replaces("a\nb\n", "x\n"), replaces("b\nc\n", "y\n")}, err: "overlap"},
		{name: "all of them and another", live: file, claims: []claim{{old: ptr("b\n"), new: "B\n", all: true}, replaces("a\n", "")}, want: "B\nc\nB\nd\n"},

		{name: "CRLF, told with LF", live: "a\r\nb\r\nc\r\n", claims: []claim{replaces("b\nc\n", "B\nC\n")}, want: "a\r\nB\r\nC\r\n"},
		{name: "CRLF, told with CRLF", live: "a\r\nb\r\n", claims: []claim{replaces("b\r\n", "B\r\n")}, want: "a\r\nB\r\n"},
		{name: "LF, told with CRLF", live: "a\nb\nc\n", claims: []claim{replaces("b\r\nc\r\n", "B\r\n")}, want: "a\nB\n"},
		{name: "CRLF, twice", live: "b\r\nb\r\n", claims: []claim{replaces("b\n", "B\n")}, err: "occurs 2 times"},
		{name: "CRLF, new rows", live: "a\r\nb\r\n", claims: []claim{replaces("a", "x\ny")}, want: "x\r\ny\r\nb\r\n"},

		{name: "no final newline", live: "a\nb", claims: []claim{replaces("b\n", "B\n")}, want: "a\nB"},
		{name: "no final newline, as it is", live: "a\nb", claims: []claim{replaces("b", "B\n")}, want: "a\nB\n"},
		{name: "no final newline, one row", live: "b", claims: []claim{replaces("b\n", "B\nC\n")}, want: "B\nC"},
		{name: "no final newline, only the end of the row", live: "a\nxb", claims: []claim{replaces("b\n", "B\n")}, err: "not there"},
		{name: "no final newline, CRLF", live: "a\r\nb", claims: []claim{replaces("a\nb\n", "a\nB\n")}, want: "a\r\nB"},

		{name: "the whole file", live: file, claims: []claim{replaces(file, "a\n")}, want: "a\n"},
		{name: "the whole file, which is in it twice", live: "b\n", others: []string{"b\nb\n"}, claims: []claim{replaces("b\n", "x\n")}, want: "x\n"},
		{name: "the whole file of the disk", live: "mine\n" + file, others: []string{file}, claims: []claim{replaces(file, strings.Replace(file, "d", "D", 1))}, want: "mine\na\nb\nc\nb\nD\n"},
		{name: "the whole file, CRLF told with LF", live: "a\r\nb\r\n", claims: []claim{replaces("a\nb\n", "a\nB\n")}, want: "a\r\nB\r\n"},
		{name: "the whole file, a mark in front", live: "\uFEFFa\nb\n", claims: []claim{replaces("a\nb\n", "a\nB\n")}, want: "\uFEFFa\nB\n"},
		{name: "a fragment of the disk, the user has changed its context", live: "A\nx\ny\nb\nc\n", others: []string{"a\nx\ny\nb\nc\n"}, claims: []claim{replaces("a\nx\ny\nb\n", "a\nx\ny\nB\n")}, want: "A\nx\ny\nB\nc\n"},
		{name: "a fragment of the disk, contested", live: "a\nmine\nc\n", others: []string{"a\nb\nc\n"}, claims: []claim{replaces("b\n", "B\n")}, err: "changed the same place"},
		{name: "twice in the text, once on the disk", live: "b\nx\ny\nb\n", others: []string{"x\ny\nb\n"}, claims: []claim{replaces("b\n", "B\n")}, want: "b\nx\ny\nB\n"},

		{name: "null for a file that is there", live: file, claims: []claim{{new: "a\nz\n"}}, want: "a\nz\n"},
		{name: "null for a file with unsaved text", live: "a\nb\nmine\n", others: []string{"a\nb\n"}, claims: []claim{{new: "A\nb\n"}}, want: "A\nb\nmine\n"},
		{name: "null for a file with CRLF", live: "a\r\nb\r\n", claims: []claim{{new: "a\nB\n"}}, want: "a\r\nB\r\n"},
		{name: "null for an empty file", live: "", claims: []claim{{new: "a\nz"}}, want: "a\nz"},
		{name: "nothing, for an empty file", live: "", claims: []claim{replaces("", "a\n")}, want: "a\n"},
		{name: "nothing, for another one", live: file, claims: []claim{replaces("", "a\n")}, err: "not empty"},
		{name: "null among others", live: file, claims: []claim{replaces("a\n", ""), {new: "x"}}, err: "overlap"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := scene{live: c.live, exists: true, others: c.others, base: func(string) string {
				if len(c.others) > 0 {
					return c.others[0]
				}
				return c.live
			}}
			got, err := w.locate([][]claim{c.claims})
			switch {
			case c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
				t.Errorf("%v; want %q", err, c.err)
			case got != c.want:
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

// A patch says where its hunks are; only where that is wrong are they looked for.
func TestLocatePatches(t *testing.T) {
	const file = "1\nb\n2\nb\n3\n"
	for _, c := range []struct{ name, live, disk, diff, want, err string }{
		{name: "by the line", live: file, diff: "@@ -4 +4 @@\n-b\n+B\n", want: "1\nb\n2\nB\n3\n"},
		{name: "two", live: file, diff: "--- a/x\n+++ b/x\n@@ -1,2 +1,1 @@\n-1\n b\n@@ -5,1 +4,2 @@\n 3\n+4\n", want: "b\n2\nb\n3\n4\n"},
		{name: "lines of another text", live: "0\n" + file, diff: "@@ -3,2 +3,2 @@\n 2\n-b\n+B\n", want: "0\n1\nb\n2\nB\n3\n"},
		{name: "lines of another text, twice", live: "0\n" + file, diff: "@@ -4 +4 @@\n-b\n+B\n", err: "occurs 2 times"},
		{name: "lines of the disk", live: "0\n" + file, disk: file, diff: "@@ -4 +4 @@\n-b\n+B\n", want: "0\n1\nb\n2\nB\n3\n"},
		{name: "not there", live: file, diff: "@@ -1 +1 @@\n-x\n+y\n", err: "not there"},
		{name: "new rows", live: file, diff: "@@ -1,0 +2 @@\n+new\n", want: "1\nnew\nb\n2\nb\n3\n"},
		{name: "a new file", live: "", diff: "@@ -0,0 +1,2 @@\n+brand new\n+file\n", want: "brand new\nfile\n"},
		{name: "CRLF", live: "a\r\nb\r\n", diff: "@@ -2 +2,2 @@\n-b\n+B\n+C\n", want: "a\r\nB\r\nC\r\n"},
		{name: "no newline at the end", live: "a\nb", diff: "@@ -2 +2 @@\n-b\n\\ No newline at end of file\n+B\n\\ No newline at end of file\n", want: "a\nB"},
		{name: "Copilot's last row", live: file, diff: "\ndiff --git a/x b/x\nindex 0..0 100644\n--- a/x\n+++ b/x\n@@ -4,3 +4,3 @@\n-b\n+B\n 3\n \n\n", want: "1\nb\n2\nB\n3\n"},
		{name: "Copilot's last row, CRLF", live: "1\r\n2\r\n", diff: "@@ -2,2 +2,2 @@\n-2\n+B\n \n", want: "1\r\nB\r\n"},
		{name: "all gone", live: "a\n", diff: "@@ -1 +0,0 @@\n-a\n", want: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			rows, err := parsePatch(c.diff)
			if err != nil {
				t.Fatal(err)
			}
			w := scene{live: c.live, exists: true}
			if c.disk != "" {
				w.others = []string{c.disk}
			}
			got, err := w.locate([][]claim{{{rows: rows}}})
			if c.err == "" && err != nil || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
				t.Errorf("%v; want %q", err, c.err)
			} else if got != c.want {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
	for _, bad := range []string{"", "hello\n", "@@ -x +1 @@\n", "@@ -1,2 +1,2 @@\n a\n", "@@ -1 +1 @@\n*a\n", "@@ -1 +1 @@\n-a\n+b\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n--- a\n+++ b\n@@ -1 +1 @@\n-a\n+b\n"} {
		if rows, err := parsePatch(bad); err == nil {
			t.Errorf("%q is %+v", bad, rows)
		}
	}
}

// Where the diffs are ambiguous the patch beside them is not.
func TestLocateTheOtherWay(t *testing.T) {
	rows, err := parsePatch("@@ -3 +3 @@\n-b\n+B\n")
	if err != nil {
		t.Fatal(err)
	}
	w := scene{live: "b\nx\nb\n", exists: true}
	got, err := w.locate([][]claim{{replaces("b\n", "B\n")}, {{rows: rows}}})
	if got != "b\nx\nB\n" || err != nil {
		t.Errorf("%q %v", got, err)
	}
}

// What agents put into the questions they ask (acpclient/testdata/transcripts,
// tools/agents).
func TestClaims(t *testing.T) {
	diff := func(path string, old *string, new string) ToolContent {
		return ToolContent{Type: "diff", Path: path, OldText: old, NewText: new}
	}
	hunk := func(at int, old, new string) patchHunk {
		return patchHunk{at: at, old: strings.Fields(old), new: strings.Fields(new)}
	}
	for _, c := range []struct {
		name string
		call ToolCall
		raw  string
		want map[string][][]claim
	}{
		{"codex 0.16", ToolCall{Kind: "edit", Content: []ToolContent{
			diff("/w/new", nil, "n\n"), diff("/w/a", ptr("b\n"), "B\n"), diff("/w/a", ptr("y\n"), "Y\n"),
		}}, `{"changes":{"/w/new":{"type":"add","content":"n\n"},"/w/a":{"type":"update","unified_diff":"@@ -2 +2 @@\n-b\n+B\n@@ -9 +9 @@\n-y\n+Y\n","move_path":null},"/w/gone":{"type":"delete"}}}`,
			map[string][][]claim{
				"/w/new":  {{{path: "/w/new", new: "n\n"}}, {{path: "/w/new", old: ptr(""), new: "n\n"}}},
				"/w/a":    {{{path: "/w/a", old: ptr("b\n"), new: "B\n"}, {path: "/w/a", old: ptr("y\n"), new: "Y\n"}}, {{path: "/w/a", rows: []patchHunk{hunk(1, "b", "B"), hunk(8, "y", "Y")}}}},
				"/w/gone": {{{path: "/w/gone"}}},
			}},
		{"claude, all places", ToolCall{Kind: "edit", Content: []ToolContent{diff("/w/a", ptr("x"), "y")}},
			`{"file_path":"/w/a","old_string":"x","new_string":"y","replace_all":true}`,
			map[string][][]claim{"/w/a": {{{path: "/w/a", old: ptr("x"), new: "y", all: true}}, {{path: "/w/a", old: ptr("x"), new: "y", all: true}}}}},
		{"claude writes", ToolCall{Kind: "edit", Content: []ToolContent{diff("/w/a", nil, "y")}}, `{"file_path":"/w/a","content":"y"}`,
			map[string][][]claim{"/w/a": {{{path: "/w/a", new: "y"}}, {{path: "/w/a", new: "y"}}}}},
		{"opencode", ToolCall{Kind: "edit", Content: []ToolContent{diff("/w/a", ptr("b\n"), "B\n")}},
			`{"filepath":"/w/a","diff":"Index: /w/a\n===\n--- /w/a\n+++ /w/a\n@@ -1 +1 @@\n-b\n+B\n"}`,
			map[string][][]claim{"/w/a": {{{path: "/w/a", old: ptr("b\n"), new: "B\n"}}, {{path: "/w/a", rows: []patchHunk{hunk(0, "b", "B")}}}}}},
		{"cline", ToolCall{Kind: "edit", Locations: []Location{{Path: "/w/a"}}}, `{"path":"/w/a","old_text":"x","new_text":"y"}`,
			map[string][][]claim{"/w/a": {{{path: "/w/a", old: ptr("x"), new: "y"}}}}},
		{"cline makes a file", ToolCall{Kind: "edit"}, `{"path":"/w/a","new_text":"y"}`,
			map[string][][]claim{"/w/a": {{{path: "/w/a", new: "y"}}}}},
		{"the examples", ToolCall{Kind: "edit"}, `{"path":"/w/a","content":"y"}`,
			map[string][][]claim{"/w/a": {{{path: "/w/a", new: "y"}}}}},
		{"our own tool", ToolCall{Kind: "other"}, `{"path":"a","edits":[{"oldText":"x","newText":"y"},{"oldText":"v","newText":"w","replaceAll":true}]}`,
			map[string][][]claim{"/w/a": {{{path: "/w/a", old: ptr("x"), new: "y"}, {path: "/w/a", old: ptr("v"), new: "w", all: true}}}}},
		{"our own tool, by lines", ToolCall{Kind: "other"}, `{"path":"a","edits":[{"startLine":1,"endLine":1,"newText":"y"}]}`, map[string][][]claim{}},
		{"a patch of the one location", ToolCall{Kind: "edit", Locations: []Location{{Path: "/w/a"}}}, `{"diff":"@@ -1 +1 @@\n-b\n+B\n"}`,
			map[string][][]claim{"/w/a": {{{path: "/w/a", rows: []patchHunk{hunk(0, "b", "B")}}}}}},
		{"reading", ToolCall{Kind: "read"}, `{"path":"/w/a","content":"y"}`, nil},
		{"a command", ToolCall{Kind: "execute"}, `{"command":"ls","path":"/w","content":"y"}`, nil},
		{"nothing", ToolCall{Kind: "edit", Title: "Edit files"}, ``, map[string][][]claim{}},
		{"odd", ToolCall{Kind: "edit"}, `{"path":7,"content":null,"changes":[],"edits":{"a":1},"diff":"no"}`, map[string][][]claim{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			paths, got, moves := claimsOf(c.call, []byte(c.raw), "/w")
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v\nwant\n%+v", got, c.want)
			}
			if len(paths) != len(c.want) || len(moves) > 0 {
				t.Errorf("paths %q, renames %q", paths, moves)
			}
		})
	}
}
