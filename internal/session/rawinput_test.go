package session

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestRawInput(t *testing.T) {
	abs, err := filepath.Abs("a")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ raw, command, paths string }{
		{``, "", ""},
		{`null`, "", ""},
		{`[1]`, "", ""},
		{`"text"`, "", ""},
		{`{"command":"ls -l"}`, "ls -l", ""},
		{`{"command":["bash","-lc","ls | wc"]}`, "ls | wc", ""},
		{`{"cmd":["a b","c"]}`, "'a b' c", ""},
		{`{"commands":["echo 1","rm -r x"]}`, "echo 1\nrm -r x", ""},
		{`{"commands":[1]}`, "", ""},
		{`{"command":7,"path":7}`, "", ""},
		{`{"path":"/A","new_text":"x"}`, "", "/A"},
		{`{"file_path":"/A","absolute_path":"/A"}`, "", "/A"},
		{`{"filePath":"not/absolute"}`, "", ""},
		{`{"files":[{"path":"/A"},{"path":"rel"},{},{"path":"/A/b"}]}`, "", "/A /A/b"},
		{`{"files":["/A"]}`, "", ""},
		{`{"command":"create","path":"/A"}`, "create", "/A"},
	} {
		// "/A" is not absolute everywhere.
		raw := strings.ReplaceAll(c.raw, "/A", filepath.ToSlash(abs))
		want := strings.ReplaceAll(c.paths, "/A", filepath.ToSlash(abs))
		if got := commandOf([]byte(raw)); got != c.command {
			t.Errorf("%s: command %q", raw, got)
		}
		if got := strings.Join(pathsOf([]byte(raw)), " "); got != want {
			t.Errorf("%s: paths %q", raw, got)
		}
	}
}

// What an agent says of the places of a tool call counts; its raw input only
// where it says nothing else.
func TestRawInputFillsInLocations(t *testing.T) {
	abs, err := filepath.Abs("a")
	if err != nil {
		t.Fatal(err)
	}
	raw := []byte(`{"path":"` + filepath.ToSlash(abs) + `"}`)
	other := []Location{{Path: "/elsewhere", Line: 3}}
	diff := []ToolContent{{Type: "diff", Path: "/elsewhere"}}
	for _, c := range []struct {
		patch ToolPatch
		want  string
	}{
		{ToolPatch{ID: "t", RawInput: raw}, filepath.ToSlash(abs)},
		{ToolPatch{ID: "t", RawInput: raw, Locations: &other}, "/elsewhere"},
		{ToolPatch{ID: "t", RawInput: raw, Content: &diff}, ""},
		{ToolPatch{ID: "t"}, ""},
	} {
		var l transcript
		call := l.tool("1", c.patch).entry().Tool
		got := ""
		for _, at := range call.Locations {
			got += at.Path
		}
		if got != c.want {
			t.Errorf("%s: locations %+v", c.patch.RawInput, call.Locations)
		}
	}
	// Told later, the agent's word replaces ours.
	var l transcript
	l.tool("1", ToolPatch{ID: "t", RawInput: raw})
	if call := l.tool("1", ToolPatch{ID: "t", Locations: &other}).entry().Tool; len(call.Locations) != 1 || call.Locations[0] != other[0] {
		t.Errorf("locations %+v", call.Locations)
	}
}
