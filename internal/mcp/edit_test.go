package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"acp-ls/internal/config"
	"acp-ls/internal/session"
	"acp-ls/lspbridge"
	"acp-ls/lspbridge/fakeeditor"
)

func writeFile(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }

const twelve = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n"

// What the user types beside the agent's lines stays, and the agent is told.
func TestEditMerges(t *testing.T) {
	r := start(t, rigOptions{})
	r.write("a.txt", twelve)
	uri := r.open("a.txt")
	r.retype(uri, "2\n", "2 unsaved\n")
	r.settle()
	cs := r.tools()
	v := version(t, ok(t, cs, "read_buffer", args{"path": "a.txt"}))
	r.retype(uri, "5\n", "5 typed\nand more\n")
	r.settle()
	got := ok(t, cs, "edit_buffer", args{"path": "a.txt", "version": v, "edits": []args{
		{"startLine": 8, "endLine": 9, "newText": "eight\nnine"},
		{"startLine": 12, "endLine": 11, "newText": "between\n"},
	}})
	want := "1\n2 unsaved\n3\n4\n5 typed\nand more\n6\n7\neight\nnine\n10\n11\nbetween\n12\n"
	if r.text(uri) != want {
		t.Errorf("text %q", r.text(uri))
	}
	contains(t, got, "Applied to "+r.path("a.txt")+": lines 9-10, line 13.", "14 lines", "(lines 5-6)", "not saved", "unsaved changes in it before")
	if r.disk("a.txt") != twelve {
		t.Error("the disk was written under a dirty document")
	}
	// The version it answers with is good for the next edit, by line too.
	ok(t, cs, "edit_buffer", args{"path": "a.txt", "version": version(t, got), "edits": args{"startLine": "6", "newText": ""}})
	if want = strings.Replace(want, "and more\n", "", 1); r.text(uri) != want {
		t.Errorf("text %q", r.text(uri))
	}
}

func TestEditConflicts(t *testing.T) {
	r := start(t, rigOptions{})
	r.write("a.txt", twelve)
	uri := r.open("a.txt")
	r.settle()
	_, s := r.session()
	cs := r.connect(s)
	v := version(t, ok(t, cs, "read_buffer", args{"path": "a.txt"}))
	r.retype(uri, "5\n", "5 typed\n")
	r.settle()
	before := r.text(uri)
	refused(t, cs, "edit_buffer", args{"path": "a.txt", "version": v, "edits": []args{
		{"oldText": "5\n", "newText": "five\n"}, {"oldText": "9\n", "newText": "nine\n"},
	}}, "not applied", "line 5", "nothing was written")
	if r.text(uri) != before {
		t.Errorf("text %q", r.text(uri))
	}
	contains(t, ok(t, cs, "review_status", nil), "line 5: conflict", "-5 typed\n+five\n")
}

// A document that was clean is saved, as the settings have it; a file that is
// not open is written.
func TestEditSaves(t *testing.T) {
	r := start(t, rigOptions{})
	r.write("a.txt", "one\ntwo\n")
	r.write("b.txt", "one\r\ntwo\r\nthree")
	uri := r.open("a.txt")
	r.settle()
	cs := r.tools()
	edit := func(name, old, new string) string {
		t.Helper()
		return ok(t, cs, "edit_buffer", args{"path": name, "edits": []args{{"oldText": old, "newText": new}}})
	}
	contains(t, edit("a.txt", "two", "TWO"), "is saved", "will review")
	if r.text(uri) != "one\nTWO\n" || r.disk("a.txt") != "one\nTWO\n" {
		t.Errorf("text %q, disk %q", r.text(uri), r.disk("a.txt"))
	}
	contains(t, edit("a.txt", "TWO", "TWO"), "Nothing to do")
	contains(t, edit("b.txt", "one\ntwo\n", "1\n2\n"), "written to disk")
	if r.disk("b.txt") != "1\r\n2\r\nthree" {
		t.Errorf("disk %q", r.disk("b.txt"))
	}
	contains(t, edit("new/c.txt", "", "made\n"), "written to disk", "line 1.")
	if r.disk("new/c.txt") != "made\n" {
		t.Errorf("disk %q", r.disk("new/c.txt"))
	}
	r.settings.Files.Save = config.SaveNever
	contains(t, edit("a.txt", "TWO", "two"), "not saved", "files.save")
	if r.disk("a.txt") != "one\nTWO\n" {
		t.Errorf("disk %q", r.disk("a.txt"))
	}
}

// Every way to say an edit wrongly is answered with what to do instead, and
// nothing is written.
func TestEditsThatAreWrong(t *testing.T) {
	r := start(t, rigOptions{})
	r.write("a.txt", "same\none\nsame\n  in dent\n")
	cs := r.tools()
	v := version(t, ok(t, cs, "read_buffer", args{"path": "a.txt"}))
	for _, tt := range []struct {
		name  string
		edits any
		v     string
		want  []string
	}{
		{"none", []args{}, v, []string{"no edit"}},
		{"missing", nil, v, []string{"no edit"}},
		{"ambiguous", args{"oldText": "same", "newText": "x"}, "", []string{"ambiguous", "2 times", "lines 1, 3", "replaceAll"}},
		{"absent", args{"oldText": "other", "newText": "x"}, "", []string{"does not occur", "read_buffer"}},
		{"white space", args{"oldText": "in  dent", "newText": "x"}, "", []string{"white space", "line 4"}},
		{"wrong line", args{"oldText": "same", "newText": "x", "startLine": 2}, "", []string{"does not begin on line 2", "lines 1, 3"}},
		{"empty", args{"oldText": "", "newText": "x"}, v, []string{"oldText is empty"}},
		{"no version", args{"startLine": 1, "newText": "x"}, "", []string{"version", "read_buffer"}},
		{"old version", args{"startLine": 1, "newText": "x"}, "0123456789ab", []string{"0123456789ab", "not known", "read_buffer"}},
		{"behind the end", args{"startLine": 4, "endLine": 5, "newText": "x"}, v, []string{"lines 4 to 5", "has 4"}},
		{"backwards", args{"startLine": 3, "endLine": 1, "newText": "x"}, v, []string{"lines 3 to 1"}},
		{"before the first", args{"startLine": 0, "newText": "x"}, v, []string{"lines 0 to 0"}},
		{"overlap", []args{{"oldText": "one\nsame", "newText": "x"}, {"startLine": 3, "newText": "y"}}, v, []string{"edits 1 and 2 overlap"}},
		{"overlap the other way", []args{{"startLine": 3, "newText": "y"}, {"oldText": "one\nsame", "newText": "x"}}, v, []string{"edits 2 and 1 overlap"}},
		{"second of two", []args{{"oldText": "one", "newText": "x"}, {"oldText": "other", "newText": "y"}}, "", []string{"edit 2", "does not occur"}},
		{"no new text", args{"oldText": "one"}, "", []string{"edit 1", "newText is missing"}},
		{"nothing to replace", args{"newText": "x"}, v, []string{"neither oldText nor startLine"}},
		{"both", args{"oldText": "one", "endLine": 2, "newText": "x"}, v, []string{"oldText and endLine"}},
		{"unknown member", args{"old_text": "one", "newText": "x"}, v, []string{"no argument edits.0.old_text"}},
		{"no list", 5, v, []string{"edits"}},
		{"no JSON", "[{", v, []string{"edits"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := args{"path": "a.txt", "edits": tt.edits}
			if tt.v != "" {
				a["version"] = tt.v
			}
			refused(t, cs, "edit_buffer", a, tt.want...)
		})
	}
	if r.disk("a.txt") != "same\none\nsame\n  in dent\n" {
		t.Errorf("disk %q", r.disk("a.txt"))
	}
}

func TestWaysToEdit(t *testing.T) {
	r := start(t, rigOptions{})
	cs := r.tools()
	for i, tt := range []struct {
		text  string
		edits any
		want  string
	}{
		{"a\nb\na\n", args{"oldText": "a", "newText": "x", "replaceAll": true}, "x\nb\nx\n"},
		{"a\nb\na\n", args{"oldText": "a", "newText": "x", "startLine": 3}, "a\nb\nx\n"},
		{"a\nb\na\n", `[{"oldText":"b","newText":"x","replaceAll":"false"}]`, "a\nx\na\n"},
		{"a\nb\n", args{"startLine": 3, "endLine": 2, "newText": "c"}, "a\nb\nc\n"},
		{"a\nb", args{"startLine": 3, "endLine": 2, "newText": "c\n"}, "a\nb\nc"},
		{"a\nb", args{"startLine": 2, "newText": "c\n"}, "a\nc"},
		{"a\nb\n", args{"startLine": 1, "endLine": 0, "newText": "c"}, "c\na\nb\n"},
		{"a\nb\n", args{"startLine": 1, "endLine": 2, "newText": ""}, ""},
		{"", args{"startLine": 1, "endLine": 0, "newText": "c\nd\n"}, "c\nd\n"},
		{"a\r\nb\r\n", args{"startLine": 2, "newText": "x\ny"}, "a\r\nx\r\ny\r\n"},
		{"\ufeffa\nb\n", args{"oldText": "b", "newText": "x"}, "\ufeffa\nx\n"},
		{"a😀b\n", args{"oldText": "😀", "newText": ""}, "ab\n"},
		{"a\nb\nc\n", []args{{"startLine": 2, "endLine": 1, "newText": "i"}, {"startLine": 2, "newText": "B"}}, "a\ni\nB\nc\n"},
	} {
		name := fmt.Sprintf("%d.txt", i)
		r.write(name, tt.text)
		v := version(t, ok(t, cs, "read_buffer", args{"path": name}))
		ok(t, cs, "edit_buffer", args{"path": name, "version": v, "edits": tt.edits})
		if got := r.disk(name); got != tt.want {
			t.Errorf("%q with %v is %q, want %q", tt.text, tt.edits, got, tt.want)
		}
	}
}

// A change is the tool call's that made it, and can be taken back.
func TestEditIsReviewed(t *testing.T) {
	r := start(t, rigOptions{})
	r.write("a.txt", twelve)
	uri := r.open("a.txt")
	r.settle()
	title := "mcp__acp-ls__edit_buffer"
	status := "in_progress"
	id, s := r.session()
	cs := r.connect(s)
	r.agent.prompt = func(_ context.Context, remote string) session.StopReason {
		r.agent.host.Update(remote, session.ToolPatch{ID: "call1", Title: &title, Status: &status})
		ok(t, cs, "edit_buffer", args{"path": "a.txt", "edits": args{"oldText": "5\n", "newText": "five\n"}})
		return "end_turn"
	}
	res, err := r.core.Prompt(limit(t), session.Prompt{Session: id, Text: "go", Wait: true})
	must(t, err)
	reviews := r.core.Reviews(uri, id)
	if len(reviews) != 1 || len(reviews[0].Hunks) != 1 {
		t.Fatalf("reviews %+v", reviews)
	}
	if o := reviews[0].Hunks[0].Origins[0]; o.ToolCall != "call1" || o.Title != title || o.Turn != res.Turn || !o.Sure || o.Session != id {
		t.Errorf("origin %+v", o)
	}
	_, err = r.core.Reject(limit(t), session.Decide{URI: uri})
	must(t, err)
	if r.text(uri) != twelve || r.disk("a.txt") != twelve {
		t.Errorf("text %q, disk %q", r.text(uri), r.disk("a.txt"))
	}
	// What was rejected does not come back with the next edit of the version
	// that the rejected one answered with.
	got := ok(t, cs, "edit_buffer", args{"path": "a.txt", "edits": args{"oldText": "9\n", "newText": "nine\n"}})
	if want := strings.Replace(twelve, "9\n", "nine\n", 1); r.text(uri) != want {
		t.Errorf("text %q after %s", r.text(uri), got)
	}
}

// An agent's word of a call and the call itself come by two roads, in any order.
func TestEditsAndTheirToolCalls(t *testing.T) {
	r := start(t, rigOptions{editor: fakeeditor.Options{ACP: []string{"review"}}})
	r.write("a.txt", twelve)
	uri := r.open("a.txt")
	r.settle()
	id, s := r.session()
	cs := r.connect(s)
	r.agent.prompt = func(_ context.Context, remote string) session.StopReason {
		tell := func(call, title, status string) {
			r.agent.host.Update(remote, session.ToolPatch{ID: call, Title: &title, Status: &status})
		}
		edit := func(row string) {
			ok(t, cs, "edit_buffer", args{"path": "a.txt", "edits": args{"oldText": row + "\n", "newText": row + " of the agent\n"}})
		}
		tell("read", "mcp__acp-ls__read_buffer", "in_progress")
		edit("3") // before its call is told of
		refused(t, cs, "edit_buffer", args{"path": "a.txt", "edits": args{"oldText": "none", "newText": ""}}, "does not occur")
		tell("first", "acp-ls_edit_buffer", "in_progress")
		tell("first", "acp-ls_edit_buffer", "completed")
		tell("second", "Tool: acp-ls/edit_buffer", "pending")
		edit("7") // after it
		tell("second", "Tool: acp-ls/edit_buffer", "completed")
		edit("12")
		tell("third", "edit_buffer", "completed")
		return "end_turn"
	}
	_, err := r.core.Prompt(limit(t), session.Prompt{Session: id, Text: "go", Wait: true})
	must(t, err)
	want := "[first second third]"
	must(t, r.editor.Await(limit(t), "hunks of "+want, fakeeditor.Matching("acp/review", func(p lspbridge.Review) bool {
		var calls []string
		for _, h := range p.Hunks {
			calls = append(calls, h.Origins[0].ToolCall)
		}
		return fmt.Sprint(calls) == want
	})))
	if got := r.core.Reviews(uri, id)[0].Hunks[2].Origins[0]; got.Title != "edit_buffer" || !got.Sure || got.Session != id {
		t.Errorf("origin %+v", got)
	}
}

// An editor that does not make the edit is an error, not a lie.
func TestEditThatTheEditorRefuses(t *testing.T) {
	r := start(t, rigOptions{editor: fakeeditor.Options{
		Answer: map[string]func(context.Context, json.RawMessage) (any, error){
			"workspace/applyEdit": answering(args{"applied": false, "failureReason": "read only"}),
		},
	}})
	r.write("a.txt", twelve)
	uri := r.open("a.txt")
	r.settle()
	cs := r.tools()
	refused(t, cs, "edit_buffer", args{"path": "a.txt", "edits": args{"oldText": "5\n", "newText": "five\n"}}, "could not be changed", "read only")
	if r.text(uri) != twelve {
		t.Errorf("text %q", r.text(uri))
	}
}
