package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"acp-ls/internal/policy"
)

func layer(text string) Layer { return Layer{Name: "file", JSON: []byte(text)} }

func ptr[T any](v T) *T { return &v }

func TestNothingSetIsTheDefault(t *testing.T) {
	for _, text := range []string{"", " \n", "null", "{}", "\uFEFF{}", "// nothing yet\n{}", `{"review": null, "agents": {"x": null}, "files": {"save": null}}`} {
		got, problems := Load(layer(text))
		if len(problems) > 0 || !reflect.DeepEqual(got, Default()) {
			t.Errorf("%q: %+v, problems %v", text, got, problems)
		}
	}
}

func TestEveryKeyIsRead(t *testing.T) {
	got, problems := Load(layer(`{
		"defaultAgent": "claude", // a comment
		"agents": {"claude": {"command": "claude-agent-acp", "args": ["-x"], "env": {"KEY": "value", "GONE": null},
			"authMethod": "key", "options": {"model": "big", "fast": true}}, "far": {"url": "wss://host/acp"}},
		"mcpServers": [{"name": "a", "command": "srv", "args": ["1"], "env": [{"name": "N", "value": "V"}]},
			{"type": "http", "name": "b", "url": "https://host", "headers": [{"name": "H", "value": "V"}]},
			{"type": "stdio", "name": "c", "command": "srv"}],
		"editorTools": false,
		"review": {"mode": "before", "codeLens": false, "diagnostics": false, "outOfBand": false, "tell": false},
		"permissions": [{"agent": "*", "kind": ["read", "search"], "path": "**", "command": "*", "decide": "allow"}, {"kind": "edit", "decide": "ask"}],
		"files": {"outside": "deny", "save": "never", "dirty": "save"},
		"terminal": false,
		"limits": {"message": 256},
		"trace": "messages", /* the last one */
	}`))
	want := &Settings{
		DefaultAgent: "claude",
		Agents: map[string]Agent{
			"claude": {Command: "claude-agent-acp", Args: []string{"-x"}, Env: map[string]*string{"KEY": ptr("value"), "GONE": nil},
				AuthMethod: "key", Options: map[string]any{"model": "big", "fast": true}},
			"far": {URL: "wss://host/acp"},
		},
		MCPServers: []MCPServer{
			{Name: "a", Command: "srv", Args: []string{"1"}, Env: []NameValue{{"N", "V"}}},
			{Type: "http", Name: "b", URL: "https://host", Headers: []NameValue{{"H", "V"}}},
			{Name: "c", Command: "srv"},
		},
		Review: Review{Mode: ReviewBefore},
		Permissions: []policy.Rule{
			{Agent: "*", Kinds: []string{"read", "search"}, Path: "**", Command: "*", Decide: policy.Allow},
			{Kinds: []string{"edit"}, Decide: policy.Ask},
		},
		Files:  Files{Outside: OutsideDeny, Save: SaveNever, Dirty: DirtySave},
		Limits: Limits{Message: 256},
		Trace:  TraceMessages,
	}
	if len(problems) > 0 || !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v\nproblems %v", got, want, problems)
	}
}

func TestLaterLayersWinKeyByKey(t *testing.T) {
	got, problems := Load(
		layer(`{"defaultAgent": "a", "review": {"mode": "before", "codeLens": false}, "mcpServers": [{"name": "m", "command": "c"}],
			"agents": {"a": {"command": "one", "args": ["x"], "env": {"K": "1", "L": "1"}, "options": {"o": "1"}}, "b": {"command": "bee"}, "u": {"command": "prog"}}}`),
		EditorLayer([]byte(`{"acp": {"review": {"mode": "after"}, "mcpServers": [],
			"agents": {"a": {"args": [], "env": {"K": null, "M": "2"}}, "u": {"url": "ws://h"}}}}`)),
	)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	want := Default()
	want.DefaultAgent = "a"
	want.Review.CodeLens = false
	want.MCPServers = []MCPServer{}
	want.Agents = map[string]Agent{
		"a": {Command: "one", Args: []string{}, Env: map[string]*string{"K": nil, "L": ptr("1"), "M": ptr("2")}, Options: map[string]any{"o": "1"}},
		"b": {Command: "bee"},
		"u": {URL: "ws://h"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// A layer read on top must not reach into what an earlier Load returned.
func TestSettingsShareNothingThatChanges(t *testing.T) {
	file := layer(`{"agents": {"a": {"env": {"K": "1"}, "options": {"o": "1"}}}}`)
	first, _ := Load(file)
	Load(file, EditorLayer([]byte(`{"agents": {"a": {"env": {"K": "2"}, "options": {"o": "2"}}, "b": {"command": "c"}}}`)))
	second, _ := Load(file)
	if !reflect.DeepEqual(first, second) {
		t.Errorf("%+v is no longer %+v", first, second)
	}
}

func TestWrongValuesKeepTheDefaultAndAreNamed(t *testing.T) {
	tests := []struct{ text, key, message string }{
		{`{"defaultAgent": 3}`, "defaultAgent", `3 is not a string`},
		{`{"defaultAgent": " "}`, "defaultAgent", `" " is empty`},
		{`{"editorTools": "yes"}`, "editorTools", `"yes" is neither true nor false`},
		{`{"review": true}`, "review", `true is not an object`},
		{`{"review": {"mode": "later"}}`, "review.mode", `"later" is not one of "after", "before"`},
		{`{"files": {"save": ["clean"]}}`, "files.save", `["clean"] is not one of "clean", "always", "never"`},
		{`{"files": {"outside": "Allow"}}`, "files.outside", `"Allow" is not one of "ask", "allow", "deny"`},
		{`{"files": {"dirty": ""}}`, "files.dirty", `"" is not one of "embed", "save", "ignore"`},
		{`{"limits": {"message": "1 GB"}}`, "limits.message", `"1 GB" is not a whole number of MiB from 1 to 1024`},
		{`{"limits": {"message": 0}}`, "limits.message", `0 is not a whole number of MiB from 1 to 1024`},
		{`{"limits": {"message": 1.5}}`, "limits.message", `1.5 is not a whole number of MiB from 1 to 1024`},
		{`{"limits": {"message": 99999}}`, "limits.message", `99999 is not a whole number of MiB from 1 to 1024`},
		{`{"trace": true}`, "trace", `true is not one of "off", "messages"`},
		{`{"agents": []}`, "agents", `[] is not an object`},
		{`{"permissions": {"decide": "allow"}}`, "permissions", `{"decide":"allow"} is not a list of rules`},
		{`{"permissions": [{"decide": "allow"}, {"decide": "maybe"}]}`, "permissions", `none of these rules is used: rule 2: decide: "maybe" is not one of "allow", "ask", "deny"`},
		{`{"permissions": [{"kind": "reed", "decide": "deny"}]}`, "permissions", `none of these rules is used: rule 1: kind: "reed" is not one of read, edit, delete, move, search, execute, think, fetch, switch_mode, other`},
		{`{"permissions": [{"path": "[", "decide": "deny"}]}`, "permissions", `none of these rules is used: rule 1: path: "[" is not a valid pattern`},
		{`{"permissions": [{}]}`, "permissions", `none of these rules is used: rule 1: decide: missing; it is one of "allow", "ask", "deny"`},
		{`{"permissions": [{"kind": [], "decide": "deny"}]}`, "permissions", `none of these rules is used: rule 1: kind: an empty list matches nothing; leave it out to match every kind`},
		{`{"mcpServers": "x"}`, "mcpServers", `"x" is not a list`},
		{`{"mcpServers": [{"command": "x"}]}`, "mcpServers[0]", `a server needs a name`},
		{`{"mcpServers": [{"name": "x"}]}`, "mcpServers[0]", `"x" needs a command, or a type (http or sse) and a url`},
		{`{"mcpServers": [{"name": "x", "type": "http"}]}`, "mcpServers[0]", `"x" is of type http and needs a url`},
		{`{"mcpServers": [{"name": "x", "command": "y", "args": "z"}]}`, "mcpServers[0].args", `"z" is not a list of strings`},
		{`{"mcpServers": [{"name": "x", "command": "y", "env": {"A": "B"}}]}`, "mcpServers[0].env", `{"A":"B"} is not a list of {"name", "value"}`},
		{`[]`, "", `[] is not an object`},
		{`"x"`, "", `"x" is not an object`},
		{`{"terminal": "` + strings.Repeat("x", 100) + `"}`, "terminal", `"` + strings.Repeat("x", 58) + `… is neither true nor false`},
	}
	for _, tt := range tests {
		got, problems := Load(layer(tt.text))
		if len(problems) != 1 || problems[0] != (Problem{Source: "file", Key: tt.key, Message: tt.message}) {
			t.Errorf("%s: problems %q", tt.text, problems)
		}
		want := Default()
		want.MCPServers = got.MCPServers
		if !reflect.DeepEqual(got, want) || len(got.MCPServers) > 0 {
			t.Errorf("%s: got %+v", tt.text, got)
		}
	}
}

func TestOneWrongMemberOfAnAgentLeavesTheOthers(t *testing.T) {
	got, problems := Load(layer(`{"agents": {"": {}, "a": {"command": "c", "args": [1], "env": {"X=Y": "v", "N": 1, "OK": "v"},
		"options": {"n": 1, "ok": false, "null": null}, "url": "ftp://h"}, "b": 1}}`))
	want := map[string]Agent{"a": {Command: "c", Env: map[string]*string{"OK": ptr("v")}, Options: map[string]any{"ok": false}}, "b": {}}
	if !reflect.DeepEqual(got.Agents, want) {
		t.Errorf("agents %+v", got.Agents)
	}
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Key)
	}
	if want := []string{"agents", "agents.a.args", "agents.a.env.N", "agents.a.env", "agents.a.options.n", "agents.a.url", "agents.b"}; !reflect.DeepEqual(keys, want) {
		t.Errorf("problems %q", problems)
	}
}

func TestUnknownKeysAreWarnings(t *testing.T) {
	got, problems := Load(layer(`{"colour": 1, "review": {"mood": 2, "mode": "before"}, "agents": {"a": {"nice": 19, "command": "c"}}}`))
	want := []Problem{
		{"file", "agents.a.nice", "unknown setting", true},
		{"file", "colour", "unknown setting", true},
		{"file", "review.mood", "unknown setting", true},
	}
	if !reflect.DeepEqual(problems, want) || !got.Review.Before() || got.Agents["a"].Command != "c" {
		t.Errorf("%+v, problems %q", got, problems)
	}
}

func TestAWorkspaceCannotSetWhatIsTheUsers(t *testing.T) {
	text := `{"agents": {"demo": {"command": "evil"}}, "mcpServers": [{"name": "m", "command": "evil"}],
		"permissions": [{"decide": "allow"}], "files": {"outside": "allow", "save": "never"}, "trace": "messages"}`
	got, problems := Load(Layer{Name: "folder", JSON: []byte(text), Workspace: true})
	want := Default()
	want.Files.Save = SaveNever
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v", got)
	}
	var keys []string
	for _, p := range problems {
		keys = append(keys, p.Key)
	}
	if want := []string{"agents", "files.outside", "mcpServers", "permissions", "trace"}; !reflect.DeepEqual(keys, want) {
		t.Errorf("problems %q", problems)
	}
}

func TestSyntaxErrorsHaveLineAndColumn(t *testing.T) {
	got, problems := Load(layer("{\n  \"terminal\": flase\n}"))
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "line 2, column ") || strings.Contains(problems[0].Message, "hujson") {
		t.Errorf("problems %q", problems)
	}
	if !reflect.DeepEqual(got, Default()) {
		t.Errorf("got %+v", got)
	}
}

func TestUserFile(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"XDG_CONFIG_HOME", "HOME", "AppData"} {
		t.Setenv(name, dir)
	}
	path, err := UserFile()
	if err != nil || !strings.HasSuffix(filepath.ToSlash(path), "/acp-ls/config.json") || !strings.HasPrefix(path, dir) {
		t.Fatalf("%s, %v", path, err)
	}
	if l, err := FileLayer(path); err != nil || len(l.JSON) != 0 {
		t.Errorf("a missing file: %+v, %v", l, err)
	}
	if err := os.MkdirAll(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := FileLayer(path); err == nil {
		t.Error("a directory was read as a file")
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(`{"trace": "messages"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l, err := FileLayer(path)
	if err != nil {
		t.Fatal(err)
	}
	if s, problems := Load(l); s.Trace != TraceMessages || len(problems) > 0 {
		t.Errorf("%+v, %v", s, problems)
	}
}

func FuzzLoad(f *testing.F) {
	f.Add([]byte(`{"agents": {"a": {"env": {"K": null}}}, "permissions": [{"decide": "deny"}]}`))
	f.Add([]byte("{// x\n\"review\": {},}"))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, problems := Load(Layer{Name: "fuzz", JSON: text})
		for _, p := range problems {
			if p.Message == "" || p.Source != "fuzz" {
				t.Errorf("problem %+v", p)
			}
		}
		if s.DefaultAgent == "" || s.Review.Mode == "" || s.Files.Outside == "" || s.Files.Save == "" || s.Files.Dirty == "" || s.Limits.Message < 1 || s.Trace == "" {
			t.Errorf("not complete: %+v", s)
		}
		// What a workspace may not set does not depend on how it is spelled.
		w, _ := Load(Layer{Name: "fuzz", JSON: text, Workspace: true})
		d := Default()
		if len(w.Agents)+len(w.MCPServers)+len(w.Permissions) > 0 || w.Trace != d.Trace || w.Limits != d.Limits || w.Files.Outside != d.Files.Outside {
			t.Errorf("workspace set %+v", w)
		}
		if _, err := json.Marshal(s); err != nil {
			t.Error(err)
		}
	})
}
