package policy

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func edit(paths ...string) Request {
	return Request{Agent: "claude", Kind: "edit", Paths: paths, Roots: []string{"/home/u/proj", "/srv/two/"}, Home: "/home/u"}
}

func run(command string) Request {
	return Request{Agent: "claude", Kind: "execute", Command: command, Roots: []string{"/home/u/proj"}}
}

func TestDecideByPath(t *testing.T) {
	tests := []struct {
		name string
		rule Rule
		req  Request
		want Decision
	}{
		{"no limits", Rule{Decide: Allow}, edit("/home/u/proj/a.go"), Allow},
		{"every path", Rule{Path: "**", Decide: Allow}, edit("/tmp/x"), Allow},
		{"every path, none given", Rule{Path: "**", Decide: Allow}, edit(), Allow},
		{"relative", Rule{Path: "src/**", Decide: Allow}, edit("/home/u/proj/src/a/b.go"), Allow},
		{"relative, spelled with a dot", Rule{Path: "./src/*.go", Decide: Allow}, edit("/home/u/proj/src/b.go"), Allow},
		{"relative to the second root", Rule{Path: "src/**", Decide: Allow}, edit("/srv/two/src/b.go"), Allow},
		{"another folder", Rule{Path: "src/**", Decide: Allow}, edit("/home/u/proj/lib/b.go"), None},
		{"a root with a longer name", Rule{Path: "**/*.go", Decide: Allow}, edit("/home/u/proj2/b.go"), None},
		{"outside the roots", Rule{Path: "**/*.go", Decide: Allow}, edit("/etc/b.go"), None},
		{"outside the roots, denied", Rule{Path: "**/*.go", Decide: Deny}, edit("/etc/b.go"), Deny},
		{"dots that lead out", Rule{Path: "src/**", Decide: Allow}, edit("/home/u/proj/src/../../x"), None},
		{"dots that stay in", Rule{Path: "src/**", Decide: Allow}, edit("/home/u/proj/lib/../src/x"), Allow},
		{"not absolute", Rule{Path: "src/**", Decide: Allow}, edit("src/x"), None},
		{"absolute", Rule{Path: "/tmp/**", Decide: Allow}, edit("/tmp/a/b"), Allow},
		{"absolute, other", Rule{Path: "/tmp/**", Decide: Allow}, edit("/tmpx/a/b"), None},
		{"home", Rule{Path: "~/notes/*", Decide: Allow}, edit("/home/u/notes/a"), Allow},
		{"home of nobody", Rule{Path: "~/notes/*", Decide: Allow}, Request{Paths: []string{"/notes/a"}}, None},
		{"one of two does not fit", Rule{Path: "src/**", Decide: Allow}, edit("/home/u/proj/src/a", "/home/u/proj/b"), None},
		{"one of two is denied", Rule{Path: "src/**", Decide: Deny}, edit("/home/u/proj/b", "/home/u/proj/src/a"), Deny},
		{"a path limit and no paths", Rule{Path: "src/**", Decide: Allow}, edit(), None},
		{"the root itself", Rule{Path: "*", Decide: Deny}, edit("/home/u/proj"), Deny},
		{"one of many kinds", Rule{Kinds: []string{"read", "edit"}, Decide: Allow}, edit("/home/u/proj/b"), Allow},
		{"another kind", Rule{Kinds: []string{"read"}, Decide: Allow}, edit("/home/u/proj/b"), None},
		{"no kind is other", Rule{Kinds: []string{"other"}, Decide: Allow}, Request{}, Allow},
		{"agent", Rule{Agent: "cl*", Decide: Allow}, edit("/x"), Allow},
		{"another agent", Rule{Agent: "codex", Decide: Allow}, edit("/x"), None},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			index := 0
			if tt.want == None {
				index = -1
			}
			if got, i := Decide([]Rule{tt.rule}, tt.req); got != tt.want || i != index {
				t.Errorf("%+v for %+v: %q by rule %d", tt.rule, tt.req, got, i)
			}
		})
	}
}

func TestHomeIsTakenLiterally(t *testing.T) {
	rule := Rule{Path: "~/x", Decide: Allow}
	home := "/home/a[b]{c}*?"
	if got, _ := Decide([]Rule{rule}, Request{Kind: "read", Paths: []string{home + "/x"}, Home: home}); got != Allow {
		t.Errorf("%q", got)
	}
	if got, _ := Decide([]Rule{rule}, Request{Kind: "read", Paths: []string{"/home/ab/x"}, Home: "/home/*"}); got != None {
		t.Errorf("%q", got)
	}
}

func TestDecideByCommand(t *testing.T) {
	tests := []struct {
		pattern  string
		command  string
		allowed  bool // by a rule that allows
		noticed  bool // by a rule that denies
		testName string
	}{
		{"npm test", "npm test", true, true, "exactly"},
		{"npm test*", "npm test -- --watch=false", true, true, "with more words"},
		{"npm test*", "  npm   test ", true, true, "spaces"},
		{"npm test", "npm test --x", false, false, "more than the pattern"},
		{"npm test", "npm test; rm -rf ~", false, true, "a second command"},
		{"npm test*", "npm test; rm -rf ~", false, true, "a second command under the star"},
		{"npm test*", "npm test && rm -rf ~", false, true, "and"},
		{"npm test*", "npm test | sh", false, true, "pipe"},
		{"npm test*", "npm test > /etc/passwd", false, true, "redirection"},
		{"npm test*", "npm test $(rm -rf ~)", false, true, "substitution"},
		{"npm test*", "npm test `rm -rf ~`", false, true, "old substitution"},
		{"npm test*", "npm test $HOME", false, true, "variable"},
		{"npm test*", "npm test\nrm -rf ~", false, true, "line end"},
		{"npm test*", "npm test\rrm -rf ~", false, true, "carriage return"},
		{"npm test*", `npm test "a;b"`, false, true, "quoted syntax"},
		{"rm *", "cd x && rm -rf y", false, true, "denied in the middle"},
		{"rm *", "echo $(rm -rf y)", false, true, "denied inside"},
		{"rm *", "FOO=1 BAR=2 rm -rf y", false, true, "denied behind variables"},
		{"rm *", "echo rm -rf y", false, false, "only words"},
		{"*", "npm test; rm -rf ~", true, true, "everything"},
		{"git diff ?", "git diff x", true, true, "one character"},
		{"git diff ?", "git diff", false, false, "one character, none there"},
		{"*x*y*", "axbyc", true, true, "several stars"},
		{"a.c", "abc", false, false, "a dot is a dot"},
		{"git*", "", false, false, "no command"},
		{"[g]it", "git", false, false, "no classes"},
		{"ls /etc/*", "ls /etc/a/b", true, true, "a star takes slashes"},
		{"git*", "gitk", true, true, "a star takes letters of a word"},
		{"git *", "gitk", false, false, "a blank ends a word"},
		{"git *", "git", false, false, "a blank, and nothing behind it"},
	}
	for _, tt := range tests {
		t.Run(tt.testName, func(t *testing.T) {
			got, _ := Decide([]Rule{{Command: tt.pattern, Decide: Allow}}, run(tt.command))
			if (got == Allow) != tt.allowed {
				t.Errorf("allow %q: %q is %q", tt.pattern, tt.command, got)
			}
			got, _ = Decide([]Rule{{Command: tt.pattern, Decide: Deny}}, run(tt.command))
			if (got == Deny) != tt.noticed {
				t.Errorf("deny %q: %q is %q", tt.pattern, tt.command, got)
			}
		})
	}
}

// A rule about files or reading must not let a command through that the agent
// calls by another name.
func TestLimitedRulesSayNothingOfCommands(t *testing.T) {
	r := Request{Kind: "read", Command: "cat x", Paths: []string{"/home/u/proj/src/x"}, Roots: []string{"/home/u/proj"}}
	for _, tt := range []struct {
		rule Rule
		want Decision
	}{
		{Rule{Kinds: []string{"read"}, Decide: Allow}, None},
		{Rule{Path: "src/**", Decide: Allow}, None},
		{Rule{Kinds: []string{"read"}, Command: "cat *", Decide: Allow}, Allow},
		{Rule{Kinds: []string{"read"}, Command: "*", Decide: Allow}, Allow},
		{Rule{Kinds: []string{"read", "execute"}, Decide: Allow}, Allow},
		{Rule{Decide: Allow}, Allow},
		{Rule{Kinds: []string{"read"}, Decide: Deny}, Deny},
		{Rule{Path: "src/**", Decide: Ask}, Ask},
	} {
		if got, _ := Decide([]Rule{tt.rule}, r); got != tt.want {
			t.Errorf("%+v: %q", tt.rule, got)
		}
	}
	if got, _ := Decide([]Rule{{Decide: Allow}}, run("a; b")); got != None {
		t.Errorf("shell syntax was allowed by a rule without a command: %q", got)
	}
}

func TestTheFirstMatchDecides(t *testing.T) {
	rules := []Rule{
		{Path: "vendor/**", Decide: Deny},
		{Kinds: []string{"edit"}, Path: "src/**", Decide: Allow},
		{Kinds: []string{"edit"}, Decide: Ask},
		{Decide: Allow},
	}
	for _, tt := range []struct {
		path string
		want Decision
		rule int
	}{
		{"/home/u/proj/vendor/x", Deny, 0},
		{"/home/u/proj/src/x", Allow, 1},
		{"/home/u/proj/x", Ask, 2},
	} {
		if got, i := Decide(rules, edit(tt.path)); got != tt.want || i != tt.rule {
			t.Errorf("%s: %q by rule %d", tt.path, got, i)
		}
	}
	if got, i := Decide(rules, run("ls")); got != Allow || i != 3 {
		t.Errorf("ls: %q by rule %d", got, i)
	}
	if got, i := Decide(nil, edit("/x")); got != None || i != -1 {
		t.Errorf("no rules: %q by rule %d", got, i)
	}
}

func TestSensitiveFilesAreAlwaysAskedAbout(t *testing.T) {
	allow := []Rule{{Command: "*", Decide: Allow}}
	for _, p := range []string{
		".vscode/settings.json", ".VSCode/Tasks.json", "sub/.vscode/launch.json", "x.code-workspace", ".idea/workspace.xml",
		".git/hooks/pre-commit", ".git/config", ".git", ".husky/pre-push", ".nvim.lua", ".exrc", ".dir-locals.el", ".helix/languages.toml",
		"../.config/acp-ls/config.json", "../.config/nvim/init.lua", "../.bashrc", ".envrc",
		".env", ".env.production", "prod.env", "certs/server.pem", "../.ssh/id_ed25519", "../.ssh/config", "../.netrc",
		"../.config/gh/hosts.yml", "../.config/gcloud/application_default_credentials.json", "credentials.json", "../.claude/.credentials.json",
		"../.bash_history", "../.python_history", "../.cargo/credentials.toml", "../../../proc/self/environ", "../../../proc/1/task/1/environ",
	} {
		p = "/home/u/proj/" + p
		for _, kind := range []string{"edit", "delete", "move", "other", "", "execute", "new_word"} {
			r := Request{Kind: kind, Paths: []string{"/home/u/proj/ok.go", p}}
			if got, i := Decide(allow, r); got != Ask || i != 0 {
				t.Errorf("%s of %s: %q by rule %d", kind, p, got, i)
			}
			if got, i := Decide(nil, r); got != Ask || i != -1 {
				t.Errorf("%s of %s without rules: %q by rule %d", kind, p, got, i)
			}
			if got, _ := Decide([]Rule{{Decide: Deny}}, r); got != Deny {
				t.Errorf("%s of %s denied: %q", kind, p, got)
			}
		}
		want := Allow
		if Secret(p) {
			want = Ask
		}
		for _, kind := range []string{"read", "search"} {
			if got, _ := Decide(allow, Request{Kind: kind, Paths: []string{"/home/u/proj/ok.go", p}}); got != want {
				t.Errorf("%s of %s: %q", kind, p, got)
			}
		}
	}
	if got, _ := Decide([]Rule{{Decide: Deny}}, Request{Kind: "read", Paths: []string{"/p/.env"}}); got != Deny {
		t.Errorf("read of a secret denied: %q", got)
	}
}

func TestNotSensitive(t *testing.T) {
	for _, p := range []string{
		"/p/main.go", "/p/.gitignore", "/p/.gitattributes", "/p/.github/workflows/ci.yml", "/p/git/hooks.go", "/p/vscode/x.ts", "/p/.env.example",
		"/p/environment.ts", "/p/key.go", "/p/keys/id_ed25519.pub", "/p/settings.json", "/p/profile", "/p/credentials.go", "/p/history.md", "/p/_history", "/p/proc/environ", "/p/cmd/acp-ls/main.go", "/p/.config/app.toml",
	} {
		if Sensitive(p) {
			t.Errorf("%s is sensitive", p)
		}
	}
	for p, want := range map[string]bool{"/p/.env": true, "/p/.vscode/settings.json": false, "/p/id_rsa": true, `/p/a.PEM`: true} {
		if Secret(p) != want {
			t.Errorf("Secret(%s) is %v", p, !want)
		}
	}
}

// Whatever is glued to an allowed command by shell syntax is not allowed.
func TestShellSyntaxIsNeverAllowedByAPattern(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pattern := rapid.StringMatching(`[a-z ]{0,8}\*?[a-z ;&|]{0,8}\*?`).Filter(func(s string) bool { return s != "*" && s != "" }).Draw(t, "pattern")
		syntax := string(rapid.SampledFrom([]byte(shellSyntax)).Draw(t, "syntax"))
		command := rapid.StringMatching(`[a-z ]{0,8}`).Draw(t, "before") + syntax + rapid.StringMatching(`[a-z ]{0,8}`).Draw(t, "after")
		if got, _ := Decide([]Rule{{Command: pattern, Decide: Allow}}, run(command)); got == Allow {
			t.Fatalf("%q allowed %q", pattern, command)
		}
	})
}

// The matcher against the definition: try every way to share the text out.
func TestWildcardAgainstItsDefinition(t *testing.T) {
	var naive func(p, s string) bool
	naive = func(p, s string) bool {
		switch {
		case p == "":
			return s == ""
		case p[0] == '*':
			return naive(p[1:], s) || s != "" && naive(p, s[1:])
		case s == "":
			return false
		}
		return (p[0] == '?' || p[0] == s[0]) && naive(p[1:], s[1:])
	}
	rapid.Check(t, func(t *rapid.T) {
		p := rapid.StringMatching(`[ab*?]{0,7}`).Draw(t, "pattern")
		s := rapid.StringMatching(`[ab]{0,9}`).Draw(t, "text")
		if wildcard(p, s) != naive(p, s) {
			t.Fatalf("wildcard(%q, %q) is %v", p, s, wildcard(p, s))
		}
	})
	if wildcard(strings.Repeat("*a", 500)+"b", strings.Repeat("a", 5000)) {
		t.Error("matched")
	}
}

func TestParseRule(t *testing.T) {
	r, err := ParseRule([]byte(`{"agent": "a*", "kind": "*", "path": "x", "command": "y", "decide": "deny"}`))
	if err != nil || r.Agent != "a*" || r.Kinds != nil || r.Path != "x" || r.Command != "y" || r.Decide != Deny {
		t.Errorf("%+v, %v", r, err)
	}
	for _, bad := range []string{`{}`, `[]`, `{"decide": "yes"}`, `{"decide": "deny", "kinds": ["edit"]}`, `{"decide": "deny", "kind": 1}`,
		`{"decide": "deny", "kind": ["edit", 1]}`, `{"decide": "deny", "path": "{a"}`, `{"decide": "deny", "agent": "["}`} {
		if r, err := ParseRule([]byte(bad)); err == nil {
			t.Errorf("%s is a rule: %+v", bad, r)
		}
	}
}

// What a path is called where a link leads from there, and other readings of a command, count to
// ask and to deny, and for what is sensitive; to allow, only what it is.
func TestNamesAndReadings(t *testing.T) {
	linked := Request{Kind: "read", Paths: []string{"/srv/x"}, Named: []string{"/home/u/proj/src/x"}, Roots: []string{"/home/u/proj"}}
	secret := Request{Kind: "read", Paths: []string{"/srv/x"}, Named: []string{"/home/u/proj/.env"}, Roots: []string{"/home/u/proj"}}
	shell := Request{Kind: "execute", Command: "make x", Readings: []string{"bash -c make x"}}
	for _, tt := range []struct {
		rule Rule
		req  Request
		want Decision
	}{
		{Rule{Path: "src/**", Decide: Allow}, linked, None},
		{Rule{Path: "/srv/**", Decide: Allow}, linked, Allow},
		{Rule{Path: "src/**", Decide: Deny}, linked, Deny},
		{Rule{Path: "src/**", Decide: Ask}, linked, Ask},
		{Rule{Decide: Allow}, secret, Ask},
		{Rule{Command: "bash *", Decide: Allow}, shell, None},
		{Rule{Command: "make *", Decide: Allow}, shell, Allow},
		{Rule{Command: "bash *", Decide: Deny}, shell, Deny},
		{Rule{Command: "bash *", Decide: Ask}, shell, Ask},
	} {
		if got, _ := Decide([]Rule{tt.rule}, tt.req); got != tt.want {
			t.Errorf("%+v for %+v: %q", tt.rule, tt.req, got)
		}
	}
}
