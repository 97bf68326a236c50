package demo

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	acp "github.com/coder/acp-go-sdk"
)

func has(t *testing.T, said string, parts ...string) {
	t.Helper()
	for _, p := range parts {
		if !strings.Contains(said, p) {
			t.Errorf("%q is not in:\n%s", p, said)
		}
	}
}

func TestAnEditIsAskedForShownAndMade(t *testing.T) {
	c := start(t)
	c.file("main.go", "old disk text", "package p\n\nvar foo = 1 // foo\n")
	c.permission = func(r acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		d := r.ToolCall.Content[0].Diff
		if d == nil || d.Path != filepath.Join(c.dir, "main.go") || d.NewText != "package p\n\nvar bar = 1 // bar\n" || *d.OldText != "package p\n\nvar foo = 1 // foo\n" {
			t.Errorf("asked with %+v", r.ToolCall.Content[0])
		}
		var kinds []string
		for _, o := range r.Options {
			kinds = append(kinds, string(o.Kind))
		}
		if !slices.Equal(kinds, []string{"allow_once", "allow_always", "reject_once"}) {
			t.Errorf("options %v", kinds)
		}
		return acp.NewRequestPermissionOutcomeSelected("allow")
	}
	stop, said := c.prompt("rename foo to bar in @main.go")
	if stop != "end_turn" || c.live("main.go") != "package p\n\nvar bar = 1 // bar\n" {
		t.Errorf("%s: %q", stop, c.live("main.go"))
	}
	has(t, said, "Renamed `foo` to `bar` (2 places) in `main.go`.")
	want := `tool demo-1-1 in_progress Read main.go
read main.go
tool demo-1-1 completed
tool demo-1-2 pending Edit main.go
ask Edit main.go
tool demo-1-2 in_progress
write main.go
tool demo-1-2 completed`
	if got := sorted(c.logged()); got != sorted(want) { // the SDK hands requests and updates over side by side
		t.Errorf("log:\n%s", c.logged())
	}
}

func sorted(log string) string {
	lines := strings.Split(log, "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

func TestARefusedEditIsNotMade(t *testing.T) {
	c := start(t)
	c.file("a.txt", "x \n", "x \n")
	c.permission = func(acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		return acp.NewRequestPermissionOutcomeSelected("reject")
	}
	stop, said := c.prompt("trim @a.txt")
	if stop != "end_turn" || c.live("a.txt") != "x \n" || strings.Contains(c.logged(), "write") {
		t.Errorf("%s: %q\n%s", stop, c.live("a.txt"), c.logged())
	}
	has(t, said, "left `a.txt` as it is")
	has(t, c.logged(), "tool demo-1-2 failed")
}

func TestAlwaysAndAutoDoNotAsk(t *testing.T) {
	c := start(t)
	c.file("a.txt", "", "x \n")
	asked := 0
	c.permission = func(acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		asked++
		return acp.NewRequestPermissionOutcomeSelected("always")
	}
	c.prompt("trim @a.txt")
	c.prompt(`replace "x" with "y" in @a.txt`)
	if asked != 1 || c.live("a.txt") != "y\n" {
		t.Errorf("asked %d times, %q", asked, c.live("a.txt"))
	}
	set := func(mode string) (acp.SetSessionConfigOptionResponse, error) {
		return c.conn.SetSessionConfigOption(t.Context(), acp.SetSessionConfigOptionRequest{ValueId: &acp.SetSessionConfigOptionValueId{SessionId: c.session, ConfigId: "mode", Value: acp.SessionConfigValueId(mode)}})
	}
	if res, err := set("ask"); err != nil || res.ConfigOptions[0].Select.CurrentValue != "ask" {
		t.Fatalf("%+v, %v", res, err)
	}
	c.prompt(`replace "y" with "z" in @a.txt`)
	if asked != 2 {
		t.Errorf("asked %d times after going back to ask", asked)
	}
	set("ask")
	if _, err := c.conn.SetSessionMode(t.Context(), acp.SetSessionModeRequest{SessionId: c.session, ModeId: "auto"}); err != nil {
		t.Fatal(err)
	}
	c.prompt(`replace "z" with "w" in @a.txt`)
	if asked != 2 || c.live("a.txt") != "w\n" {
		t.Errorf("asked %d times in auto, %q", asked, c.live("a.txt"))
	}
	if _, err := set("yolo"); err == nil {
		t.Error("a mode that is none was set")
	}
}

func TestEveryKindOfEdit(t *testing.T) {
	tests := []struct{ name, text, prompt, want, said string }{
		{"a.go", "package p\nimport (\n\t\"b\"\n\t\"a\"\n)\n", "sort the imports of @a.go", "package p\nimport (\n\t\"a\"\n\t\"b\"\n)\n", "Sorted the imports in `a.go`."},
		{"a.go", "package p\nfunc F() {}\n", "add doc comments to @a.go", "package p\n// F takes and returns nothing.\nfunc F() {}\n", "Documented `F` in `a.go`."},
		{"a.md", "x   \n", "remove trailing whitespace in @a.md", "x\n", "Removed the blanks at the end of 1 line in `a.md`."},
		{"a.txt", "a\nb\n", `insert "x" after line 1 in @a.txt`, "a\nx\nb\n", "Inserted `x` as line 2"},
		{"a.txt", "a\nb\n", "delete line 1 of @a.txt", "b\n", "Deleted line 1"},
		{"a.txt", "a a\n", `replace "a" with "" in @a.txt`, " \n", `Replaced "a" with "" (2 places)`},
		{"a.py", "import b\nimport a\n\ndef f():  \n    return 1\n", "tidy up @a.py", "import a\nimport b\n\ndef f():\n    \"\"\"Takes no arguments and returns a value.\"\"\"\n    return 1\n", "Removed the blanks at the end of 1 line; sorted the imports; documented `f` in `a.py`."},
		{"a.go", "package p\n", "sort the imports of @a.go", "package p\n", "nothing to change"},
		{"a.txt", "x", "sort the imports of @a.txt", "x", "imports are sorted in Go, Python, JavaScript and TypeScript only"},
		{"a.go", "package p\nvar a int\n", "rename a to func in @a.go", "package p\nvar a int\n", `"func" is a keyword of Go`},
		{"a.go", "package p\nvar a, b int\nvar s = \"a\"\n", "rename a to b in @a.go", "package p\nvar b, b int\nvar s = \"a\"\n", "`b` was already there on line 2"},
		{"a.txt", "a\n", "delete line 9 of @a.txt", "a\n", "the file has 1"},
		{"my file.txt", "a\n", `replace "a" with "b" in @"my file.txt"`, "b\n", "Replaced"},
		{"sub/a.txt", "a\n", `replace "a" with "b" in sub/a.txt`, "b\n", "Replaced"},
		{"a.txt", "a\na\na\n", `replace "a" with "b" in @a.txt#L2`, "a\nb\na\n", "in `a.txt line 2`"},
	}
	for _, tt := range tests {
		t.Run(tt.prompt, func(t *testing.T) {
			c := start(t)
			c.file(tt.name, "", tt.text)
			stop, said := c.prompt(tt.prompt)
			if stop != "end_turn" || c.live(tt.name) != tt.want {
				t.Errorf("%s: %q", stop, c.live(tt.name))
			}
			has(t, said, tt.said)
		})
	}
}

func TestSeveralStepsMakeAPlan(t *testing.T) {
	c := start(t)
	c.file("a.go", "", "package p\nimport (\n\t\"b\"\n\t\"a\"\n)\nvar foo int \n")
	c.file("go.mod", "module p\n", "module p\n")
	c.exit = func(string) (string, int) { return "ok", 0 }
	stop, said := c.prompt("rename foo to bar in @a.go, then sort the imports and run the tests")
	if want := "package p\nimport (\n\t\"a\"\n\t\"b\"\n)\nvar bar int \n"; stop != "end_turn" || c.live("a.go") != want {
		t.Errorf("%s: %q", stop, c.live("a.go"))
	}
	has(t, said, "Renamed", "Sorted", "`go test ./...` ended well")
	has(t, c.logged(),
		"plan Rename in a.go (in_progress); Sort the imports in a.go (pending); run a command: the tests (pending)",
		"plan Rename in a.go (completed); Sort the imports in a.go (completed); run a command: the tests (completed)")
}

// The client's text is the truth, not the disk's; and what it gives along need
// not be read again.
func TestLiveTextIsUsed(t *testing.T) {
	c := start(t)
	c.file("a.go", "package disk\n", "package live\n\nfunc Live() {}\n")
	_, said := c.prompt("what does @a.go do")
	has(t, said, "of package `live`", "function `Live` (line 3)")

	_, said = c.prompt("what does @a.go do", resource(c.uri("a.go"), "package given\n"))
	has(t, said, "of package `given`")
	if strings.Contains(c.logged(), "read") {
		t.Errorf("read what was given:\n%s", c.logged())
	}
}

func TestTheSelectionIsWhatIsMeant(t *testing.T) {
	c := start(t)
	c.file("a.txt", "", "a\na\na\n")
	c.file("b.txt", "", "a\n")
	selection := resource(c.uri("a.txt")+"#L2-L3", "a\na\n")
	c.prompt(`replace "a" with "b" in the selection`, resource(c.uri("b.txt"), "a\n"), selection)
	if c.live("a.txt") != "a\nb\nb\n" || c.live("b.txt") != "a\n" {
		t.Errorf("%q, %q", c.live("a.txt"), c.live("b.txt"))
	}
	_, said := c.prompt("explain @selection", resource(c.uri("x.go")+"#L10-L12", "func F() {\n\tg() // TODO\n}\n"))
	has(t, said, "`x.go lines 10-12` is Go, 3 lines", "It calls `g`", "line 11: `g() // TODO`")
	_, said = c.prompt("explain these lines", resource(c.uri("x.go")+"#L10", "g()\n"))
	has(t, said, "`x.go line 10`")
}

// What is not there is not another file: not the one of the turn before, not one
// that came along, not one that is found.
func TestWhatIsNotThereIsNotAnotherFile(t *testing.T) {
	note := func(lines ...string) acp.ContentBlock { return acp.TextBlock(strings.Join(lines, "\n")) }
	noSelection := note("@selection names nothing: nothing is selected")
	noBuffer := note("@buffer names nothing: no document is in front")
	for _, tt := range []struct {
		prompt string
		more   []acp.ContentBlock
		said   string
	}{
		{`replace "one" with "two" in @buffer`, []acp.ContentBlock{noBuffer}, "I was given no file: @buffer names nothing: no document is in front."},
		{"trim @buffer", []acp.ContentBlock{noBuffer}, "I was given no file"},
		{"trim @selection", []acp.ContentBlock{noSelection}, "I was given no file: @selection names nothing: nothing is selected."},
		{"trim the selection", nil, "Which file"},
		{"trim this", []acp.ContentBlock{note("the selection names nothing: /gone.txt is neither open nor on disk")}, "I was given no file: the selection"},
		{"trim this", []acp.ContentBlock{note("the context names nothing: /gone.txt is neither open nor on disk")}, "I was given no file: the context"},
		{"trim @diff", []acp.ContentBlock{note("@diff names nothing: there is no git")}, "I was given no file: @diff"},
		{"trim @open", []acp.ContentBlock{note("@open names nothing: no file is open")}, "I was given no file: @open"},
		{"rename one to two in the selected lines", nil, "Which file"},
		{"rename one to two in @gone.txt", nil, "There is no file `gone.txt`"},
		{"find one in @buffer", []acp.ContentBlock{noBuffer}, "Which file?"},
		{"find one in @gone.txt", nil, "Which file?"},
		{"explain @buffer", []acp.ContentBlock{noBuffer}, "Which file?"},
		{"tidy up @gone.txt, then trim it", nil, "There is no file `gone.txt`"},
	} {
		for _, along := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/%v", tt.prompt, along), func(t *testing.T) {
				c := start(t)
				c.file("a.txt", "one \n", "one \n")
				c.prompt("how many lines are in @a.txt") // the file it knows
				more := tt.more
				if along { // unsaved, and nobody spoke of it
					more = append([]acp.ContentBlock{resource(c.uri("a.txt"), "one \n")}, more...)
				}
				_, said := c.prompt(tt.prompt, more...)
				has(t, said, tt.said)
				if strings.Contains(c.logged(), "tool") || strings.Contains(c.logged(), "write") || c.live("a.txt") != "one \n" {
					t.Errorf("%q\n%s\nsaid %s", c.live("a.txt"), c.logged(), said)
				}
			})
		}
	}
}

// The words of a prompt are what the client says they are, whatever else is given.
func TestWordsAreWhatTheClientSays(t *testing.T) {
	c := start(t)
	c.file("a.txt", "", "x\n")
	c.file("b.txt", "", "x\n")
	a, b := resource(c.uri("a.txt"), "x\n"), resource(c.uri("b.txt"), "x\n")
	c.prompt(`replace "x" with "y" in @buffer`, a, b, acp.TextBlock("@buffer is "+c.uri("b.txt")))
	if c.live("a.txt") != "x\n" || c.live("b.txt") != "y\n" {
		t.Errorf("%q, %q", c.live("a.txt"), c.live("b.txt"))
	}
	c.prompt(`replace "x" with "z" in @selection`, b, resource(c.uri("a.txt")+"#L1-L1", "x\n"), acp.TextBlock("@selection is "+c.uri("a.txt")+"#L1-L1\n@buffer is "+c.uri("b.txt")))
	if c.live("a.txt") != "z\n" || c.live("b.txt") != "y\n" {
		t.Errorf("%q, %q", c.live("a.txt"), c.live("b.txt"))
	}
	// One good file and one that is not there: the good one alone.
	_, said := c.prompt(`replace "z" with "w" in @a.txt and @buffer`, b, acp.TextBlock("@buffer names nothing: no document is in front"))
	has(t, said, "I was given no file: @buffer")
	if c.live("a.txt") != "w\n" || c.live("b.txt") != "y\n" {
		t.Errorf("%q, %q", c.live("a.txt"), c.live("b.txt"))
	}
	// Each request has its own: the second is not done to the file of the first.
	c.file("d.txt", "", "d \nw\n")
	c.prompt(`replace "w" with "v" in @d.txt, then trim @gone.txt`)
	if c.live("d.txt") != "d \nv\n" {
		t.Errorf("%q", c.live("d.txt"))
	}
}

func TestTheTurnBeforeIsRemembered(t *testing.T) {
	c := start(t)
	c.file("a.txt", "", "a \n")
	c.file("b.txt", "", "b \n")
	c.prompt("how many lines are in @a.txt")
	c.prompt("now remove the trailing spaces")
	// Unsaved files that come along unasked do not change the subject.
	c.prompt(`replace "a" with "c"`, resource(c.uri("b.txt"), "b \n"), resource(c.uri("a.txt"), "a\n"))
	if c.live("a.txt") != "c\n" || c.live("b.txt") != "b \n" {
		t.Errorf("%q, %q", c.live("a.txt"), c.live("b.txt"))
	}
}

func TestCodeInThePromptIsLookedAt(t *testing.T) {
	c := start(t)
	_, said := c.prompt("what is this?\n```go\npackage p\n\nfunc F() {}\n```\n")
	has(t, said, "of package `p`", "function `F`")
	_, said = c.prompt("what is @a.go", acp.ResourceLinkBlock("a.go", c.uri("a.go")), acp.TextBlock("a.go:\n```go\npackage linked\n```"))
	has(t, said, "of package `linked`")
}

func TestQuestions(t *testing.T) {
	c := start(t)
	c.file("a.go", "", "package p\n\n// Doc.\nfunc F() {} // TODO: more\n\ntype T struct{}\n")
	c.file("sub/b.txt", "", "needle\n")
	c.file("a.md", "", "# One\n## Two\n")
	for _, tt := range []struct {
		prompt string
		said   []string
	}{
		{"outline @a.go", []string{"`a.go` has 2 declarations", "function `F`, line 4", "struct `T`, line 6"}},
		{"list the headings of @a.md", []string{"- heading `One`, line 1", "  - heading `Two`, line 2"}},
		{"any TODOs in @a.go?", []string{"1 mark in `a.go`", "line 4"}},
		{"how many lines has @a.go", []string{"6 lines", "1 function and 1 struct"}},
		{"find needle", []string{"on 1 line of 1 file", "`sub/b.txt:1`"}},
		{"find nothingness", []string{"`nothingness` is not in the folder"}},
		{"find F in @a.go", []string{"`a.go:4`"}},
		{"show @a.md", []string{"```md\n# One"}},
		{"what is in @none.go", []string{"There is no file `none.go`", "Which file?"}},
		{"help", []string{"I am a small agent that works by rules"}},
		{"qwertz", []string{"I do not understand", "I can"}},
		{"", []string{"I do not understand"}},
		{"qwertz @a.md", []string{"`a.md` is Markdown"}},
		{"/rename x", []string{"/rename needs two names"}},
		{"hello", []string{"Hello!"}},
		{"rename needle to pin", []string{"Renamed `needle` to `pin`"}},
	} {
		t.Run(tt.prompt, func(t *testing.T) {
			stop, said := c.prompt(tt.prompt)
			if stop != "end_turn" {
				t.Error(stop)
			}
			has(t, said, tt.said...)
		})
	}
	if c.live("sub/b.txt") != "pin\n" {
		t.Errorf("%q", c.live("sub/b.txt"))
	}
}

func TestRenameInManyFilesWantsToBeTold(t *testing.T) {
	c := start(t)
	c.file("a.txt", "", "foo\n")
	c.file("b.txt", "", "foo\n")
	c.file("c.txt", "", "food\n")
	_, said := c.prompt("rename foo to bar")
	has(t, said, "2 files", "@a.txt", "@b.txt")
	if c.live("a.txt") != "foo\n" {
		t.Error("renamed without being told where")
	}
	c.prompt("rename foo to bar everywhere")
	if c.live("a.txt") != "bar\n" || c.live("b.txt") != "bar\n" || c.live("c.txt") != "food\n" {
		t.Errorf("%q, %q, %q", c.live("a.txt"), c.live("b.txt"), c.live("c.txt"))
	}
}

func TestACommandIsAskedForAndShown(t *testing.T) {
	c := start(t)
	c.exit = func(line string) (string, int) {
		if strings.HasPrefix(line, "sh -c") {
			return "1\n2\n3\n4\n5\n6\n7\n", 3
		}
		return "", 0
	}
	_, said := c.prompt("run go version")
	has(t, said, "`go version` ended well (exit code 0). It wrote nothing.")
	want := "tool demo-1-1 pending go version\nask go version\nterminal go version\ntool demo-1-1 in_progress with t1\ntool demo-1-1 completed with t1\nrelease t1"
	if sorted(c.logged()) != sorted(want) {
		t.Errorf("log:\n%s", c.logged())
	}
	_, said = c.prompt("run seq 7 && exit 3")
	has(t, said, "failed with exit code 3", "The last of its 7 lines", "6\n7\n```")
	has(t, c.logged(), "terminal sh -c seq 7 && exit 3", "failed with t2")

	c.permission = func(acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		return acp.NewRequestPermissionOutcomeSelected("reject")
	}
	_, said = c.prompt("run go version")
	has(t, said, "I did not run `go version`")
	if strings.Contains(c.logged(), "terminal") {
		t.Errorf("ran what was refused:\n%s", c.logged())
	}
	c.permission = nil
	_, said = c.prompt("run missing")
	has(t, said, "could not be started: no program missing")
	_, said = c.prompt("run the tests")
	has(t, said, "I cannot tell how tests are run")
}

// A command does not see what is unsaved, and the user of an agent that does may not think of it.
func TestAFailureSaysWhatIsNotSaved(t *testing.T) {
	c := start(t)
	code := 1
	c.exit = func(string) (string, int) { return "FAIL", code }
	c.file("go.mod", "module m\n", "module m\n")
	c.file("a.go", "old\n", "new\n")
	c.file("b.go", "b\r\n", "b\n")
	_, said := c.prompt("run the tests", resource(c.uri("a.go"), "new\n"), resource(c.uri("b.go"), "b\n"))
	has(t, said, "failed with exit code 1", "`a.go` is not saved", "only what is on disk")
	_, said = c.prompt("run the tests", resource(c.uri("a.go"), "new\n"), resource(c.uri("b.go"), "more\n"))
	has(t, said, "`a.go` and `b.go` are not saved")
	if _, said = c.prompt("run the tests", resource(c.uri("b.go"), "b\n")); strings.Contains(said, "saved") {
		t.Errorf("all is saved, and it says: %s", said)
	}
	code = 0
	if _, said = c.prompt("run the tests", resource(c.uri("a.go"), "new\n")); strings.Contains(said, "saved") {
		t.Errorf("all is well, and it says: %s", said)
	}
}

func TestAlwaysAllowsThatVeryCommandOnly(t *testing.T) {
	c := start(t)
	asked := 0
	c.permission = func(acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		asked++
		return acp.NewRequestPermissionOutcomeSelected("always")
	}
	c.prompt("run ls")
	c.prompt("run ls")
	if asked != 1 {
		t.Errorf("asked %d times", asked)
	}
	c.prompt("run ls .")
	if asked != 2 {
		t.Errorf("asked %d times", asked)
	}
}

func TestAWriteThatMeetsTheUserIsTriedOnceMore(t *testing.T) {
	c := start(t)
	c.file("a.txt", "", "foo\n")
	tries := 0
	c.onWrite = func(path, _ string) error {
		if tries++; tries == 1 {
			c.file("a.txt", "", "user foo\n")
			return errors.New("the user changed line 1: read the file again")
		}
		return nil
	}
	_, said := c.prompt("rename foo to bar in @a.txt")
	if c.live("a.txt") != "user bar\n" {
		t.Errorf("%q", c.live("a.txt"))
	}
	has(t, said, "the user changed line 1", "Renamed")

	c.onWrite = func(string, string) error { return errors.New("never") }
	_, said = c.prompt("rename bar to baz in @a.txt")
	has(t, said, "I could not write `a.txt`: never")
	if c.live("a.txt") != "user bar\n" {
		t.Errorf("%q", c.live("a.txt"))
	}
}

func TestCancelEndsTheTurnAtOnce(t *testing.T) {
	blocked := make(chan struct{})
	defer close(blocked)
	tests := []struct {
		name, prompt, at string
		setup            func(*client)
	}{
		{"while a question is open", "trim @a.txt", "ask", func(c *client) {
			c.permission = func(acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
				<-blocked // nobody answers
				return acp.NewRequestPermissionOutcomeCancelled()
			}
		}},
		{"while a file is written", "trim @a.txt", "write", func(c *client) {
			c.onWrite = func(string, string) error { <-blocked; return errors.New("late") }
		}},
		{"while a command runs", "run sleep", "waiting", func(c *client) { c.waiting = blocked }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := start(t)
			c.file("a.txt", "", "x \n")
			tt.setup(c)
			c.onEntry = func(line string) {
				if strings.HasPrefix(line, tt.at) {
					if err := c.conn.Cancel(context.Background(), acp.CancelNotification{SessionId: c.session}); err != nil {
						t.Error(err)
					}
				}
			}
			stop, _ := c.prompt(tt.prompt)
			if stop != "cancelled" {
				t.Errorf("stop reason %s", stop)
			}
			log := c.logged()
			if !strings.Contains(log, " failed") {
				t.Errorf("the tool call was not ended:\n%s", log)
			}
			if tt.at == "waiting" {
				has(t, log, "release t1")
			}
			if stop, said := c.prompt("hello"); stop != "end_turn" || !strings.Contains(said, "Hello") {
				t.Errorf("after it: %s %q", stop, said)
			}
		})
	}
}

func TestCancelWhileStreaming(t *testing.T) {
	c := newClient(t, everything, Options{Pace: time.Hour})
	c.onThought = func() {
		if err := c.conn.Cancel(context.Background(), acp.CancelNotification{SessionId: c.session}); err != nil {
			t.Error(err)
		}
	}
	if stop, said := c.prompt("help"); stop != "cancelled" || said != "" {
		t.Errorf("%s: %q", stop, said)
	}
}

// While a turn runs, another prompt of the session is refused, not mixed in.
func TestOneTurnAtATime(t *testing.T) {
	c := start(t)
	c.file("a.txt", "", "x \n")
	refusal := make(chan error, 1)
	c.permission = func(acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		_, err := c.conn.Prompt(context.Background(), acp.PromptRequest{SessionId: c.session, Prompt: []acp.ContentBlock{acp.TextBlock("hello")}})
		refusal <- err
		return acp.NewRequestPermissionOutcomeSelected("allow")
	}
	stop, _ := c.prompt("trim @a.txt")
	if err := <-refusal; err == nil || stop != "end_turn" || c.live("a.txt") != "x\n" {
		t.Errorf("%s, %v", stop, err)
	}
}

// A client that answers a question with "cancelled" is cancelling the turn.
func TestACancelledQuestionCancelsTheTurn(t *testing.T) {
	c := start(t)
	c.file("a.txt", "", "x \n")
	c.permission = func(acp.RequestPermissionRequest) acp.RequestPermissionOutcome {
		return acp.NewRequestPermissionOutcomeCancelled()
	}
	if stop, _ := c.prompt("trim @a.txt"); stop != "cancelled" || c.live("a.txt") != "x \n" {
		t.Errorf("%s, %q", stop, c.live("a.txt"))
	}
}

func TestAClientThatOffersNothing(t *testing.T) {
	c := newClient(t, acp.ClientCapabilities{}, Options{})
	c.file("a.txt", "x \n", "unused")
	_, said := c.prompt("trim @a.txt")
	b, err := os.ReadFile(filepath.Join(c.dir, "a.txt"))
	if err != nil || string(b) != "x\n" {
		t.Errorf("%q, %v", b, err)
	}
	has(t, said, "Removed")
	_, said = c.prompt("run ls")
	has(t, said, "offers me no terminals")
	if log := c.logged(); strings.Contains(log, "read") || strings.Contains(log, "terminal") {
		t.Errorf("used what is not offered:\n%s", log)
	}
}

func TestTheSessionSaysWhatItOffers(t *testing.T) {
	c := start(t)
	<-c.told
	c.mu.Lock()
	commands := c.commands
	c.mu.Unlock()
	for _, name := range []string{"help", "outline", "rename", "sort-imports", "doc", "trim", "run", "replace"} {
		if !slices.Contains(commands, name) {
			t.Errorf("no command %s in %v", name, commands)
		}
	}
	s, err := c.conn.NewSession(t.Context(), acp.NewSessionRequest{Cwd: c.dir, McpServers: []acp.McpServer{}})
	if err != nil {
		t.Fatal(err)
	}
	if o := s.ConfigOptions; len(o) != 1 || o[0].Select.Id != "mode" || o[0].Select.CurrentValue != "ask" || s.Modes.CurrentModeId != "ask" {
		t.Errorf("%+v", s)
	}
	if s.SessionId == c.session {
		t.Error("two sessions with one id")
	}
}

// Every request is answered, whatever is wrong with it.
func TestWrongRequestsAreAnswered(t *testing.T) {
	c := start(t)
	ctx := t.Context()
	ask := func(method string, params any) error {
		_, err := c.conn.CallExtension(ctx, method, params)
		return err
	}
	for _, tt := range []struct {
		name string
		err  error
	}{
		{"unknown method", ask("_no/such", map[string]any{})},
		{"no session", func() error {
			_, err := c.conn.Prompt(ctx, acp.PromptRequest{SessionId: "none", Prompt: []acp.ContentBlock{}})
			return err
		}()},
		{"relative cwd", func() error {
			_, err := c.conn.NewSession(ctx, acp.NewSessionRequest{Cwd: "a", McpServers: []acp.McpServer{}})
			return err
		}()},
		{"no such mode", func() error {
			_, err := c.conn.SetSessionMode(ctx, acp.SetSessionModeRequest{SessionId: c.session, ModeId: "x"})
			return err
		}()},
	} {
		if tt.err == nil {
			t.Errorf("%s: no error", tt.name)
		}
	}
	if _, err := c.conn.CloseSession(ctx, acp.CloseSessionRequest{SessionId: c.session}); err != nil {
		t.Error(err)
	}
	if _, err := c.conn.Prompt(ctx, acp.PromptRequest{SessionId: c.session, Prompt: []acp.ContentBlock{}}); err == nil {
		t.Error("a closed session took a prompt")
	}
}

// Bytes that are no protocol at all neither end the agent nor hang it.
func TestGarbage(t *testing.T) {
	garbage := "hello\n\n{\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"session/prompt\",\"params\":[]}\n" +
		"{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"session/prompt\"}\n{\"jsonrpc\":\"2.0\",\"method\":\"session/cancel\",\"params\":7}\n" +
		"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"initialize\",\"params\":{\"protocolVersion\":1}}\n"
	in, toAgent := io.Pipe()
	fromAgent, out := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- Serve(context.Background(), in, out, Options{}) }()
	go io.WriteString(toAgent, garbage)
	answers := bufio.NewScanner(fromAgent)
	var all strings.Builder // answers may come in any order
	for range 3 {
		if !answers.Scan() {
			t.Fatal(answers.Err())
		}
		all.WriteString(answers.Text())
	}
	has(t, all.String(), `"id":1,"error"`, `"id":2,"error"`, `"id":3,"result"`)
	toAgent.Close()
	if err := <-done; err != nil {
		t.Error(err)
	}
}

func TestPiecesAreTheText(t *testing.T) {
	for _, s := range []string{"", " ", "one", "a b c d e f g\n\n  h ", "ä ö ü ß é", canDo} {
		got := pieces(s)
		if strings.Join(got, "") != s {
			t.Errorf("%q: %q", s, got)
		}
	}
	if n := len(pieces("a b c d e f g")); n != 3 {
		t.Errorf("%d pieces", n)
	}
}
