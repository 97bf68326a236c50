package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/internal/policy"
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
		{`{"command":"rm","args":["-rf","/x"]}`, "rm -rf /x", ""},
		{`{"cmd":"git","arguments":"push  --force"}`, "git push --force", ""},
		{`{"program":"rm","argv":["a b"]}`, "rm 'a b'", ""},
		{`{"command":"a b","args":["c"]}`, "'a b' c", ""},
		{`{"command":"a b","args":[]}`, "a b", ""},
		{`{"command":"ls","args":["x"],"argv":["-rf","x"]}`, "ls x\nls -rf x", ""},
		{`{"command":"ls","args":["x"],"argv":["x"]}`, "ls x", ""},
		{`{"commands":["rm"],"args":["-rf","x"]}`, "rm -rf x", ""},
		{`{"command":"ls","commandLine":"ls"}`, "ls", ""},
		{`{"command":"ls","commandLine":"rm x"}`, "ls\nrm x", ""},
		{`{"command":"ls","commands":["rm x"]}`, "ls\nrm x", ""},
		{`{"command":["a",1,null,{"b":2}]}`, `a 1 null '{"b":2}'`, ""},
		{`{"command":{"run":"rm x"}}`, `{"run":"rm x"}`, ""},
		{`{"command":"make","env":{"B":"x y","A":"1"}}`, "A=1 B='x y' make", ""},
		{`{"command":"make","env":[{"name":"A","value":"1"}]}`, "A=1 make", ""},
		{`{"command":"make","environment":{"A":"1"}}`, "A=1 make", ""},
		{`{"command":"make","env":["A=1","B=x y"]}`, "A=1 B='x y' make", ""},
		{`{"command":"make","env":["A",7,{"key":"A"}]}`, `A 7 '{"key":"A"}' make`, ""},
		{`{"command":"make","env":"A=1"}`, "A=1 make", ""},
		{`{"command":"make","env":{"git status":"1"}}`, "'git status=1' make", ""},
		{`{"command":"make","env":{"":"it's"}}`, `'=it'\''s' make`, ""},
		{`{"command":"make","env":null}`, "make", ""},
		{`{"command":"make","env":{}}`, "make", ""},
		{`{"env":{"A":"1"}}`, "", ""},
		{`{"command":["/bin/sh","-c","a; b"]}`, "a; b", ""},
		{`{"command":"C:\\Windows\\System32\\cmd.exe","args":["/c","dir"]}`, "dir", ""},
		{`{"command":["pwsh","-Command","ls"]}`, "ls", ""},
		{`{"command":["evil","-xc","go test"]}`, "evil -xc 'go test'", ""},
		{`{"command":["/tmp/sh","-c","go test"]}`, "/tmp/sh -c 'go test'", ""},
		{`{"command":["bash","--norc","go test"]}`, "bash --norc 'go test'", ""},
		{`{"command":["bash","-oc","posix","go test"]}`, "bash -oc posix 'go test'", ""},
		{`{"command":["powershell","-EncodedCommand","eA=="]}`, "powershell -EncodedCommand eA==", ""},
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

// A rule that denies a command finds it in whatever way a raw input spells it, and a rule that allows
// one does not let it through.
func TestRulesFindCommandsInRawInputs(t *testing.T) {
	deny := []policy.Rule{{Command: "rm -rf *", Decide: policy.Deny}, {Command: "ls*", Decide: policy.Allow}}
	for _, raw := range []string{
		`{"command":"rm -rf x"}`,
		`{"command":["rm","-rf","x"]}`,
		`{"command":["sh","-c","rm -rf x"]}`,
		`{"command":"rm","args":["-rf","x"]}`,
		`{"command":"rm","args":"-rf x"}`,
		`{"command":"rm -rf","args":["x"]}`,
		`{"program":"rm","arguments":["-rf","x"]}`,
		`{"command":"ls","program":"rm","args":["-rf","x"]}`,
		`{"command":"ls","cmd":["rm"],"argv":["-rf","x"]}`,
		`{"command":"ls","program":"sh","args":["-c","rm -rf x"]}`,
		`{"command":"ls","args":["x"],"argv":["-rf","x"],"program":"rm"}`,
		`{"command":"ls","commands":["pwd","rm -rf x"]}`,
		`{"commands":[["ls"],["rm","-rf","x"]]}`,
		`{"commands":["rm"],"args":["-rf","x"]}`,
	} {
		line, readings := commandsOf([]byte(raw))
		r := policy.Request{Kind: "execute", Command: line, Readings: readings}
		if got, _ := policy.Decide(deny, r); got != policy.Deny {
			t.Errorf("%s is %q, read as %q and %q", raw, got, line, readings)
		}
		if got, _ := policy.Decide(deny[1:], r); got != policy.None {
			t.Errorf("%s is let through: %q", raw, got)
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
