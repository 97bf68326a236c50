package session

import (
	"reflect"
	"testing"
)

func TestParseEnvelope(t *testing.T) {
	empty := ""
	for _, c := range []struct {
		name, text string
		want       []claim
		err        bool
	}{
		{name: "all there is", text: "apply_patch <<'EOP'\n*** Begin Patch\n*** Add File: new\n+one\n+\n*** Delete File: gone\n*** Update File: a\n@@ func\n x\n-y\n+z\n\n@@\n-u\n*** Update File: b\n*** Move to: lib/b\n@@\n-1\n+2\n*** End of File\n*** End Patch\nEOP\n", want: []claim{
			{path: "new", old: &empty, new: "one\n\n"},
			{path: "gone"},
			{path: "a", rows: []patchHunk{{at: -1, old: []string{"x", "y", ""}, new: []string{"x", "z", ""}}, {at: -1, old: []string{"u"}}}},
			{path: "b", move: "lib/b", rows: []patchHunk{{at: -1, old: []string{"1"}, new: []string{"2"}}}},
		}},
		{name: "only another name", text: "*** Begin Patch\n*** Update File: b\n*** Move to: c\n*** End Patch", want: []claim{{path: "b", move: "c"}}},
		{name: "nothing", text: "*** Begin Patch\n*** Update File: b\n@@\n*** End Patch"},
		{name: "CRLF", text: "*** Begin Patch\r\n*** Update File: b\r\n-1\r\n+2\r\n*** End Patch\r\n", want: []claim{{path: "b", rows: []patchHunk{{at: -1, old: []string{"1"}, new: []string{"2"}}}}}},
		{name: "no end", text: "*** Begin Patch\n*** Update File: b\n-1\n", err: true},
		{name: "a line of no file", text: "*** Begin Patch\n-1\n*** End Patch", err: true},
		{name: "a line of a file that goes", text: "*** Begin Patch\n*** Delete File: b\n-1\n*** End Patch", err: true},
		{name: "a line without a mark", text: "*** Begin Patch\n*** Update File: b\nx\n*** End Patch", err: true},
		{name: "another patch", text: "@@ -1 +1 @@\n-b\n+B\n", err: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := parseEnvelope(c.text)
			if (err != nil) != c.err || err == nil && !reflect.DeepEqual(got, c.want) {
				t.Errorf("%+v, %v\nwant\n%+v", got, err, c.want)
			}
		})
	}
}

func FuzzParseEnvelope(f *testing.F) {
	f.Add("*** Begin Patch\n*** Add File: new\n+one\n*** Update File: b\n*** Move to: lib/b\n@@\n-1\n+2\n*** End Patch\n")
	f.Fuzz(func(t *testing.T, s string) {
		claims, _ := parseEnvelope(s)
		for _, c := range claims {
			if c.rows != nil && len(c.rows) == 0 {
				t.Errorf("%+v would be taken for the whole file", c)
			}
		}
	})
}

// A rename is found in whatever an agent says of it, with what else it would change
// told of the old name.
func TestClaimsOfRenames(t *testing.T) {
	ptr := func(s string) *string { return &s }
	rows := []patchHunk{{at: 0, old: []string{"1"}, new: []string{"2"}}}
	diff := ToolContent{Type: "diff", Path: "/w/b", OldText: ptr("1\n"), NewText: "2\n"}
	for _, c := range []struct {
		name string
		call ToolCall
		raw  string
		want [][]claim
	}{
		{"codex", ToolCall{Kind: "edit", Content: []ToolContent{diff}}, `{"changes":{"/w/a":{"type":"update","unified_diff":"@@ -1 +1 @@\n-1\n+2\n","move_path":"/w/b"}}}`,
			[][]claim{{{path: "/w/b", old: ptr("1\n"), new: "2\n"}}, {{path: "/w/a", rows: rows, move: "/w/b"}}}},
		{"codex, only the name", ToolCall{Kind: "edit"}, `{"changes":{"/w/a":{"type":"update","unified_diff":"","move_path":"b"}}}`, nil},
		{"an envelope", ToolCall{Kind: "edit"}, `{"patchText":"*** Begin Patch\n*** Update File: a\n*** Move to: b\n*** End Patch"}`, nil},
		{"by names", ToolCall{Kind: "edit"}, `{"old_path":"a","new_path":"/w/b"}`, nil},
		{"a move", ToolCall{Kind: "move"}, `{"source":"/w/a","destination":"/w/b"}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			paths, ways, moves := claimsOf(c.call, []byte(c.raw), "/w")
			if !reflect.DeepEqual(moves, map[string]string{"/w/a": "/w/b"}) || !reflect.DeepEqual(paths, []string{"/w/a"}) {
				t.Errorf("paths %q, renames %q", paths, moves)
			}
			if !reflect.DeepEqual(ways["/w/a"], c.want) || len(ways) > 1 {
				t.Errorf("%+v\nwant\n%+v", ways, c.want)
			}
		})
	}
	for _, raw := range []string{`{"from":"/w/a","to":"/w/b"}`, `{"old_path":"/w/a","new_path":"/w/a"}`, `{"old_path":"/w/a"}`} {
		if _, _, moves := claimsOf(ToolCall{Kind: "edit"}, []byte(raw), "/w"); len(moves) > 0 {
			t.Errorf("%s: renames %q", raw, moves)
		}
	}
}
