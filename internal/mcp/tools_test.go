package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"acp-ls/buffers"
	"acp-ls/internal/config"
	"acp-ls/internal/session"
	"acp-ls/lspbridge/fakeeditor"
)

func TestToolsAreListed(t *testing.T) {
	r := start(t, rigOptions{})
	cs := r.tools()
	info := cs.InitializeResult()
	if info.ServerInfo.Name != ServerName || info.Instructions == "" || info.ProtocolVersion != protocolVersions[0] {
		t.Errorf("initialize: %+v", info)
	}
	list, err := cs.ListTools(limit(t), nil)
	must(t, err)
	var names []string
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
		raw, err := json.Marshal(tool.InputSchema)
		must(t, err)
		var s struct {
			Type                 string
			Properties           map[string]struct{ Description string }
			Required             []string
			AdditionalProperties *bool
		}
		must(t, json.Unmarshal(raw, &s))
		if s.Type != "object" || s.AdditionalProperties == nil || *s.AdditionalProperties {
			t.Errorf("%s takes anything: %s", tool.Name, raw)
		}
		for _, name := range s.Required {
			if s.Properties[name].Description == "" {
				t.Errorf("%s: %s is required and not described", tool.Name, name)
			}
		}
		if tool.Description == "" || tool.Annotations == nil || tool.Annotations.ReadOnlyHint == (tool.Name == "edit_buffer") {
			t.Errorf("%s: %+v", tool.Name, tool)
		}
	}
	if want := "[read_buffer list_buffers edit_buffer get_diagnostics get_selection open_file review_status]"; fmt.Sprint(names) != want {
		t.Errorf("tools %v", names)
	}
	must(t, cs.Ping(limit(t), nil))
}

func TestReadBuffer(t *testing.T) {
	r := start(t, rigOptions{})
	r.write("a.txt", "one\r\ntwo\r\nthree\r\n")
	r.write("closed.txt", "x\ny")
	r.write("empty.txt", "")
	uri := r.open("a.txt")
	r.retype(uri, "two", "TWO ☺")
	r.settle()
	cs := r.tools()

	texts, _ := call(t, cs, "read_buffer", args{"path": r.path("a.txt")})
	if len(texts) != 2 || texts[1] != "one\r\nTWO ☺\r\nthree\r\n" {
		t.Errorf("read %q", texts)
	}
	contains(t, texts[0], r.path("a.txt"), "all 3 lines", "unsaved changes", "version ")

	texts, _ = call(t, cs, "read_buffer", args{"path": "a.txt", "startLine": 2, "limit": 1, "lineNumbers": true})
	if len(texts) != 2 || texts[1] != "2\tTWO ☺\r\n" {
		t.Errorf("read %q", texts)
	}
	contains(t, texts[0], "line 2 of 3")

	texts, _ = call(t, cs, "read_buffer", args{"path": uri, "startLine": "3"})
	if len(texts) != 2 || texts[1] != "three\r\n" {
		t.Errorf("by URI: %q", texts)
	}
	texts, _ = call(t, cs, "read_buffer", args{"path": "closed.txt"})
	if len(texts) != 2 || texts[1] != "x\ny" {
		t.Errorf("read %q", texts)
	}
	contains(t, texts[0], "all 2 lines", "not open")
	contains(t, ok(t, cs, "read_buffer", args{"path": "empty.txt"}), "is empty")
	contains(t, ok(t, cs, "read_buffer", args{"path": "closed.txt", "startLine": 9}), "has only 2 lines")

	refused(t, cs, "read_buffer", args{"path": "none.txt"}, "none.txt does not exist")
	refused(t, cs, "read_buffer", args{}, "path is missing")
	refused(t, cs, "read_buffer", args{"path": "a.txt", "lines": 3}, "no argument lines")
	refused(t, cs, "read_buffer", args{"path": "a.txt", "limit": 1.5}, "limit", "whole number")
	refused(t, cs, "read_buffer", args{"path": []string{"a.txt"}}, "path has the wrong type")
}

// A text that is too long comes in parts, each of which says how to go on.
func TestReadBufferInParts(t *testing.T) {
	r := start(t, rigOptions{})
	var want strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&want, "line %d ☺☺☺\n", i+1)
	}
	r.write("long.txt", want.String())
	r.write("wide.txt", strings.Repeat("☺", maxText)+"\nend\n")
	cs := r.tools()
	var got strings.Builder
	for next := 1; ; {
		texts, failed := call(t, cs, "read_buffer", args{"path": "long.txt", "startLine": next})
		if failed || len(texts) != 2 || len(texts[1]) > maxText {
			t.Fatalf("from line %d: %d texts, failed %v", next, len(texts), failed)
		}
		got.WriteString(texts[1])
		_, rest, more := strings.Cut(texts[0], "go on with startLine ")
		if !more {
			break
		}
		before := next
		if _, err := fmt.Sscanf(rest, "%d.", &next); err != nil || next <= before {
			t.Fatalf("%q", texts[0])
		}
	}
	if got.String() != want.String() {
		t.Error("the parts are not the text")
	}
	texts, _ := call(t, cs, "read_buffer", args{"path": "wide.txt"})
	if len(texts) != 2 || len(texts[1]) > maxText || strings.Trim(texts[1], "☺") != "" {
		t.Errorf("%d texts", len(texts))
	}
	contains(t, texts[0], "Line 1 is longer", "go on with startLine 2")
}

func TestListBuffers(t *testing.T) {
	var state string
	r := start(t, rigOptions{editor: fakeeditor.Options{
		ACP: []string{"editor"},
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"acp/editor": func(context.Context, json.RawMessage) (any, error) { return json.RawMessage(state), nil },
		},
	}})
	state = `{"visible":[],"lastTyped":0}`
	cs := r.tools()
	contains(t, ok(t, cs, "list_buffers", args{}), "No file is open")
	r.write("a.txt", "one\n")
	r.write("b.txt", "one\ntwo")
	r.open("a.txt")
	b := r.open("b.txt")
	r.retype(b, "one", "ONE")
	must(t, r.editor.Open("untitled:1", "go", "package x\n"))
	must(t, r.editor.Open("file:///elsewhere/chat.acp.md", "acp-chat", "## You\nsecret of another session"))
	must(t, r.editor.Open("acp-base:///x", "text", "base"))
	must(t, r.editor.Open("file:///elsewhere/x.txt", "text", "x"))
	r.settle()
	state = fmt.Sprintf(`{"active":{"uri":%q,"ranges":[]},"visible":[%q],"lastTyped":0}`, b, b)
	want := r.path("b.txt") + " (text, 2 lines, unsaved changes, the user works here)\n" +
		"/elsewhere/x.txt (text, 1 line, unsaved changes, outside the session's folder)\n" +
		r.path("a.txt") + " (text, 1 line)\n" +
		"untitled:1 (go, 1 line, unsaved changes)\n"
	if got := ok(t, cs, "list_buffers", nil); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	texts, _ := call(t, cs, "read_buffer", args{"path": "untitled:1"})
	if len(texts) != 2 || texts[1] != "package x\n" {
		t.Errorf("untitled: %q", texts)
	}
	refused(t, cs, "edit_buffer", args{"path": "untitled:1", "edits": []args{{"oldText": "x", "newText": "y"}}}, "no file yet")
	refused(t, cs, "list_buffers", args{"all": true}, "no argument all")
	r.settings.Files.Outside = config.OutsideDeny
	if got := ok(t, cs, "list_buffers", nil); strings.Contains(got, "elsewhere") {
		t.Errorf("denied files are named: %s", got)
	}
}

func TestGetSelection(t *testing.T) {
	var state any
	r := start(t, rigOptions{editor: fakeeditor.Options{
		ACP: []string{"editor"}, Encodings: []string{"utf-16"},
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"acp/editor": func(context.Context, json.RawMessage) (any, error) { return state, nil },
		},
	}})
	cs := r.tools()
	state = args{"visible": []string{}}
	refused(t, cs, "get_selection", nil, "in no file now")
	r.write("a.txt", "one 😀 two\nthree\nfour\n")
	uri := r.open("a.txt")
	r.settle()
	at := func(l, c, l2, c2 int) args {
		return args{"start": args{"line": l, "character": c}, "end": args{"line": l2, "character": c2}}
	}
	state = args{"active": args{"uri": uri, "ranges": []any{at(0, 4, 0, 6), at(1, 0, 2, 0), at(2, 1, 2, 1)}}, "visible": []string{uri}}
	texts, _ := call(t, cs, "get_selection", nil)
	want := []string{"The user is in " + r.path("a.txt"), "Selected, line 1:", "😀", "Selected, line 2:", "three\n", "Nothing is selected; the cursor is on line 3."}
	if !slices.Equal(texts, want) {
		t.Errorf("%q", texts)
	}
	must(t, r.editor.Open("file:///elsewhere/chat.acp.md", "acp-chat", "## You\nsecret of another session"))
	state = args{"active": args{"uri": "file:///elsewhere/chat.acp.md", "ranges": []any{at(0, 0, 1, 5)}}, "visible": []string{}}
	r.settle()
	refused(t, cs, "get_selection", nil, "in no file now")
}

func TestGetDiagnostics(t *testing.T) {
	var all []args
	var asked []string
	r := start(t, rigOptions{editor: fakeeditor.Options{
		ACP: []string{"diagnostics"}, Encodings: []string{"utf-16"},
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"acp/diagnostics": func(_ context.Context, raw json.RawMessage) (any, error) {
				asked = append(asked, string(raw))
				return args{"items": all}, nil
			},
		},
	}})
	r.write("a.go", "x 😀 := 1\n")
	uri := r.open("a.go")
	r.settle()
	item := func(uri string, severity, line, col int, message, source string) args {
		return args{"uri": uri, "diagnostics": []args{{"message": message, "severity": severity, "source": source, "code": "C1",
			"range": args{"start": args{"line": line, "character": col}, "end": args{"line": line, "character": col}}}}}
	}
	all = []args{
		item(uri, 1, 0, 5, "no", "gopls"), item(uri, 4, 3, 0, "1/2", "acp"),
		item(buffers.PathURI(r.path("b.go")), 2, 6, 2, "hm", ""), item("file:///elsewhere/x.go", 1, 0, 0, "theirs", ""),
	}
	cs := r.tools()
	want := r.path("a.go") + ":1:5: error: no [gopls C1]\n"
	if got := ok(t, cs, "get_diagnostics", args{"path": "a.go"}); got != want {
		t.Errorf("%s", got)
	}
	want += r.path("b.go") + ":7:3: warning: hm [C1]\n"
	if got := ok(t, cs, "get_diagnostics", nil); got != want {
		t.Errorf("%s", got)
	}
	if want := fmt.Sprintf(`[{"uri":%q} {}]`, uri); fmt.Sprint(asked) != want {
		t.Errorf("asked %s, want %s", asked, want)
	}
	all = nil
	contains(t, ok(t, cs, "get_diagnostics", nil), "no errors or warnings")
}

func TestOpenFile(t *testing.T) {
	r := start(t, rigOptions{editor: fakeeditor.Options{
		Capabilities: func(c map[string]any) { c["window"].(map[string]any)["showDocument"] = args{"support": true} },
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"window/showDocument": answering(args{"success": true}),
		},
	}})
	r.write("a.txt", "one\n")
	cs := r.tools()
	contains(t, ok(t, cs, "open_file", args{"path": "a.txt", "line": 3}), r.path("a.txt"))
	got := string(r.editor.Received("window/showDocument")[0])
	contains(t, got, buffers.PathURI(r.path("a.txt")), `"takeFocus":false`, `"start":{"line":2,`)
	refused(t, cs, "open_file", args{"path": "none.txt"}, "does not exist")
}

// An editor that offers nothing is told of in words that help.
func TestWhatTheEditorDoesNotOffer(t *testing.T) {
	r := start(t, rigOptions{})
	r.write("a.txt", "one\n")
	r.open("a.txt")
	r.settle()
	cs := r.tools()
	refused(t, cs, "get_diagnostics", nil, "does not share its diagnostics", "instead")
	refused(t, cs, "get_selection", nil, "does not tell what is selected")
	refused(t, cs, "open_file", args{"path": "a.txt"}, "opens no files", "instead")
	if got, want := ok(t, cs, "list_buffers", nil), r.path("a.txt")+" (text, 1 line)\n"; got != want {
		t.Errorf("%q", got)
	}
}

// Files outside the folder are admitted as fs/read_text_file admits them.
func TestFilesOutside(t *testing.T) {
	answer := "reject"
	r := start(t, rigOptions{editor: fakeeditor.Options{
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"acp/permission": func(context.Context, json.RawMessage) (any, error) { return args{"optionId": answer}, nil },
		},
	}})
	other := t.TempDir() + "/x.txt"
	must(t, writeFile(other, "outside\n"))
	cs := r.tools()
	edit := args{"path": other, "edits": []args{{"oldText": "outside", "newText": "changed"}}}
	refused(t, cs, "read_buffer", args{"path": other}, "did not allow", other)
	refused(t, cs, "edit_buffer", edit, "did not allow to write", other)
	answer = "allow"
	contains(t, ok(t, cs, "read_buffer", args{"path": other}), "outside\n")
	contains(t, ok(t, cs, "edit_buffer", edit), "written to disk")
	r.settings.Files.Outside = config.OutsideDeny
	refused(t, cs, "read_buffer", args{"path": other}, "files.outside")
	refused(t, cs, "read_buffer", args{"path": "../" + "x.txt"}, "files.outside")
}

// What programs trust is written only if the user says so, inside the folder too.
func TestSensitiveFiles(t *testing.T) {
	answer := "reject"
	r := start(t, rigOptions{editor: fakeeditor.Options{
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"acp/permission": func(context.Context, json.RawMessage) (any, error) { return args{"optionId": answer}, nil },
		},
	}})
	r.write(".envrc", "a\n")
	cs := r.tools()
	edit := args{"path": ".envrc", "edits": []args{{"oldText": "a", "newText": "b"}}}
	refused(t, cs, "edit_buffer", edit, "did not allow")
	if r.disk(".envrc") != "a\n" {
		t.Error("it was written")
	}
	answer = "allow"
	ok(t, cs, "edit_buffer", edit)
	if r.disk(".envrc") != "b\n" {
		t.Error("it was not written")
	}
}

// A call that waits for the user ends when the client gives it up, and the
// question with it.
func TestCancelledCall(t *testing.T) {
	asked := make(chan struct{})
	r := start(t, rigOptions{editor: fakeeditor.Options{
		ACP: []string{"dismiss"},
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"acp/permission": func(ctx context.Context, _ json.RawMessage) (any, error) {
				close(asked)
				<-ctx.Done()
				return nil, ctx.Err()
			},
		},
	}})
	cs := r.tools()
	ctx, cancel := context.WithCancel(limit(t))
	done := make(chan error, 1)
	go func() {
		_, err := cs.CallTool(ctx, &sdk.CallToolParams{Name: "read_buffer", Arguments: args{"path": "/etc/hosts"}})
		done <- err
	}()
	<-asked
	cancel()
	if err := <-done; err == nil {
		t.Error("it has an answer")
	}
	must(t, r.editor.Await(limit(t), "the question to be withdrawn", fakeeditor.Received("acp/dismiss", 1)))
	if q := r.core.Questions(); len(q) != 0 {
		t.Errorf("open questions: %+v", q)
	}
	must(t, cs.Ping(limit(t), nil))
}

func TestReviewStatus(t *testing.T) {
	r := start(t, rigOptions{})
	r.write("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n21\n22\n23\n24\n")
	id, s := r.session()
	cs := r.connect(s)
	contains(t, ok(t, cs, "review_status", nil), "Nothing waits")
	ok(t, cs, "edit_buffer", args{"path": "a.txt", "edits": []args{{"oldText": "2\n3\n4\n", "newText": "2\nthree\n4\n"}, {"oldText": "22\n", "newText": ""}}})
	got := ok(t, cs, "review_status", nil)
	contains(t, got, r.path("a.txt")+", line 3: waits for review", "-3\n+three\n", "above line 22: waits for review", "-22\n")

	// Another session sees its own changes only.
	if other := ok(t, r.tools(), "review_status", nil); !strings.Contains(other, "Nothing waits") {
		t.Errorf("another session's changes: %s", other)
	}

	reviews := r.core.Reviews("", id)
	_, err := r.core.Reject(limit(t), session.Decide{Hunks: []string{reviews[0].Hunks[0].ID}})
	must(t, err)
	_, err = r.core.Accept(limit(t), session.Decide{Hunks: []string{reviews[0].Hunks[1].ID}})
	must(t, err)
	got = ok(t, cs, "review_status", nil)
	contains(t, got, r.path("a.txt")+", line 3: rejected by the user, taken back\n-3\n+three\n")
	if strings.Contains(got, "-22\n") || strings.Contains(got, "waits") {
		t.Errorf("what was accepted is listed: %s", got)
	}
}
