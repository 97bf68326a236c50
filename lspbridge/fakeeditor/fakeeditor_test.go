package fakeeditor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.uber.org/goleak"
	"pgregory.net/rapid"

	bufpos "acp-ls/buffers/position"
	"acp-ls/buffers/text"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var pieces = []string{"a", "é", "😀", "\n", "\r\n", "\r", "\t", "日本"}

func drawText(t *rapid.T, name string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 12).Draw(t, name), "")
}

// Its positions are those of the package that acp-ls uses, which it does not use.
func TestPositions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawText(t, "text")
		name := rapid.SampledFrom([]string{"utf-8", "utf-16", "utf-32"}).Draw(t, "encoding")
		encoding, err := bufpos.ParseEncoding(name)
		if err != nil {
			t.Fatal(err)
		}
		doc := text.New(s)
		for at := 0; at <= len(s); at++ {
			if doc.RuneStart(at) != at || at > 0 && at < len(s) && s[at-1:at+1] == "\r\n" {
				continue
			}
			got, want := position(s, at, name), bufpos.OffsetPosition(doc, at, encoding)
			if got.Line != int(want.Line) || got.Character != int(want.Character) {
				t.Fatalf("%q at %d in %s: %v, want %v", s, at, name, got, want)
			}
		}
		p := Position{rapid.IntRange(0, 6).Draw(t, "line"), rapid.IntRange(0, 8).Draw(t, "character")}
		got := offset(s, p, name)
		want := bufpos.PositionOffset(doc, bufpos.Position{Line: uint32(p.Line), Character: uint32(p.Character)}, encoding)
		if got != want {
			t.Fatalf("%q, %v in %s: %d, want %d", s, p, name, got, want)
		}
	})
}

// Edits applied at once and one by one, the last first, give the same text.
func TestEditsAtOnceAndOneByOne(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawText(t, "text")
		doc := text.New(s)
		var cuts []int
		for at := 0; at <= len(s); at++ {
			if doc.RuneStart(at) == at && !(at > 0 && at < len(s) && s[at-1:at+1] == "\r\n") && rapid.Bool().Draw(t, "cut") {
				cuts = append(cuts, at)
			}
		}
		var edits []TextEdit
		var want strings.Builder
		at := 0
		for i := 0; i+1 < len(cuts); i += 2 {
			n := drawText(t, "new")
			edits = append(edits, TextEdit{Range{position(s, cuts[i], "utf-16"), position(s, cuts[i+1], "utf-16")}, n})
			want.WriteString(s[at:cuts[i]] + n)
			at = cuts[i+1]
		}
		want.WriteString(s[at:])
		got, err := applyEdits(s, edits, "utf-16")
		if err != nil || got != want.String() {
			t.Fatalf("at once: %q, %v, want %q", got, err, want.String())
		}
		one := s
		for _, e := range lastFirst(s, edits, "utf-16") {
			if one, err = applyEdits(one, []TextEdit{e}, "utf-16"); err != nil {
				t.Fatal(err)
			}
		}
		if one != got {
			t.Fatalf("one by one: %q, want %q", one, got)
		}
	})
}

func TestOverlappingEditsAreRefused(t *testing.T) {
	at := func(a, b int) Range { return Range{Position{0, a}, Position{0, b}} }
	for _, edits := range [][]TextEdit{{{at(0, 2), "x"}, {at(1, 3), "y"}}, {{at(2, 1), "x"}}} {
		if got, err := applyEdits("abcd", edits, "utf-8"); err == nil {
			t.Errorf("%v: %q", edits, got)
		}
	}
}

// server is the other end: it answers initialize and keeps what else it gets.
type server struct {
	t      *testing.T
	conn   jsonrpc2.Conn
	got    chan string
	editor *Editor
}

type pipe struct {
	io.Reader
	io.Writer
	close func() error
}

func (p pipe) Close() error { return p.close() }

func newServer(t *testing.T, o Options) *server {
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	all := func() error { return errors.Join(inR.Close(), inW.Close(), outR.Close(), outW.Close()) }
	s := &server{t: t, got: make(chan string, 100)}
	s.conn = jsonrpc2.NewConn(jsonrpc2.NewHeaderStream(pipe{inR, outW, all}))
	s.conn.Go(context.Background(), func(_ context.Context, req *jsonrpc2.Request) (any, error) {
		if req.Method() == "initialize" {
			return json.RawMessage(`{"capabilities":{"positionEncoding":"utf-8"}}`), nil
		}
		if req.IsCall() {
			return nil, jsonrpc2.ErrMethodNotFound
		}
		s.got <- fmt.Sprintf("%s %s", req.Method(), req.Params())
		return nil, nil
	})
	var err error
	if s.editor, err = Start(t.Context(), pipe{outR, inW, all}, o); err != nil {
		t.Fatal(err)
	}
	<-s.got // initialized
	t.Cleanup(func() {
		_ = s.editor.Kill()
		<-s.conn.Done()
	})
	return s
}

func (s *server) next() string {
	s.t.Helper()
	select {
	case m := <-s.got:
		return m
	case <-time.After(30 * time.Second):
		s.t.Fatal("nothing came")
		return ""
	}
}

func (s *server) quiet() {
	s.t.Helper()
	_ = s.editor.Request(s.t.Context(), "x", nil, nil) // an error: all before it has arrived
	select {
	case m := <-s.got:
		s.t.Errorf("unexpected %s", m)
	default:
	}
}

// apply sends an edit that makes B of b and C of c, for a version.
func (s *server) apply(version int) (applied bool, failed error) {
	edits := json.RawMessage(`[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"newText":"B"},{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":1}},"newText":"C\n"}]`)
	var result struct {
		Applied bool `json:"applied"`
	}
	params := obj{"edit": obj{"documentChanges": []any{obj{"textDocument": obj{"uri": "u", "version": version}, "edits": edits}}}}
	_, err := s.conn.Call(s.t.Context(), "workspace/applyEdit", params, &result)
	return result.Applied, err
}

func TestVices(t *testing.T) {
	const both = `textDocument/didChange {"contentChanges":[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":1}},"text":"C\n"},{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"B"}],"textDocument":{"uri":"u","version":2}}`
	for name, tt := range map[string]struct {
		vices   Vices
		version int
		applied bool
		fails   bool
		text    string
		told    []string
	}{
		"honest":               {Vices{}, 1, true, false, "B\nC\n\r\n", []string{both}},
		"stale":                {Vices{}, 7, false, false, "b\nc\r\n", nil},
		"no versions":          {Vices{IgnoreVersions: true}, 7, true, false, "B\nC\n\r\n", []string{both}},
		"dropped":              {Vices{DropEdits: true}, 1, true, false, "b\nc\r\n", nil},
		"refused":              {Vices{RefuseEdits: true}, 1, false, false, "b\nc\r\n", nil},
		"failed":               {Vices{FailEdits: true}, 1, false, true, "b\nc\r\n", nil},
		"whole texts":          {Vices{WholeTexts: true}, 1, true, false, "B\nC\n\r\n", []string{`textDocument/didChange {"contentChanges":[{"text":"B\nC\n\r\n"}],"textDocument":{"uri":"u","version":2}}`}},
		"turned line ends":     {Vices{TurnLineEnds: true, WholeTexts: true}, 1, true, false, "B\nC\r\n\r\n", []string{`textDocument/didChange {"contentChanges":[{"text":"B\nC\r\n\r\n"}],"textDocument":{"uri":"u","version":2}}`}},
		"some line ends apart": {Vices{EndsApart: true, WholeTexts: true}, 1, true, false, "B\nC\r\n\r\n", []string{`textDocument/didChange {"contentChanges":[{"text":"B\nC\r\n\r\n"}],"textDocument":{"uri":"u","version":2}}`}},
		"change per edit": {Vices{ChangePerEdit: true}, 1, true, false, "B\nC\n\r\n", []string{
			`textDocument/didChange {"contentChanges":[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":1}},"text":"C\n"}],"textDocument":{"uri":"u","version":2}}`,
			`textDocument/didChange {"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"B"}],"textDocument":{"uri":"u","version":3}}`,
		}},
		"typing before": {Vices{BeforeEdit: func(string) string { return "x" }}, 1, false, false, "xb\nc\r\n", []string{
			`textDocument/didChange {"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"x"}],"textDocument":{"uri":"u","version":2}}`,
		}},
		"late": {Vices{LateChanges: true, BeforeEdit: func(string) string { return "x" }}, 1, true, false, "Bb\nC\n\r\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer(t, Options{Vices: tt.vices})
			if err := s.editor.Open("u", "text", "b\nc\r\n"); err != nil {
				t.Fatal(err)
			}
			s.next()
			applied, err := s.apply(tt.version)
			if applied != tt.applied || (err != nil) != tt.fails {
				t.Errorf("applied %v, %v", applied, err)
			}
			if got, _ := s.editor.Text("u"); got != tt.text {
				t.Errorf("text %q, want %q", got, tt.text)
			}
			for _, want := range tt.told {
				if got := s.next(); got != want {
					t.Errorf("told %s\nwant %s", got, want)
				}
			}
			s.quiet()
		})
	}
}

func TestLateChangesAreToldWhenIdle(t *testing.T) {
	s := newServer(t, Options{Vices: Vices{LateChanges: true}})
	e := s.editor
	for _, err := range []error{e.Open("u", "text", "ab"), e.Append("u", "c"), e.Append("u", "d")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	s.next()
	s.quiet()
	if err := e.Idle("u"); err != nil {
		t.Fatal(err)
	}
	want := `textDocument/didChange {"contentChanges":[{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":2}},"text":"c"},{"range":{"start":{"line":0,"character":3},"end":{"line":0,"character":3}},"text":"d"}],"textDocument":{"uri":"u","version":2}}`
	if got := s.next(); got != want {
		t.Errorf("told %s", got)
	}
	if err := e.Idle("u"); err != nil {
		t.Fatal(err)
	}
	s.quiet()
}

func TestHeldEditsAndUndo(t *testing.T) {
	s := newServer(t, Options{Vices: Vices{HoldEdits: true}})
	if err := s.editor.Open("u", "text", "b\nc"); err != nil {
		t.Fatal(err)
	}
	s.next()
	done := make(chan bool)
	go func() {
		applied, _ := s.apply(1)
		done <- applied
	}()
	if err := s.editor.Await(t.Context(), "the edit", Received("workspace/applyEdit", 1)); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.editor.Text("u"); got != "b\nc" {
		t.Errorf("not held: %q", got)
	}
	s.editor.Release()
	if !<-done {
		t.Error("not applied")
	}
	s.next()
	if err := s.editor.Undo("u"); err != nil {
		t.Fatal(err)
	}
	if got, _ := s.editor.Text("u"); got != "b\nc" || s.editor.Version("u") != 3 {
		t.Errorf("after undo: %q, version %d", got, s.editor.Version("u"))
	}
	if got := s.next(); !strings.Contains(got, `"range":{"start":{"line":0,"character":0},"end":{"line":2,"character":0}},"text":"b\nc"`) {
		t.Errorf("undo told %s", got)
	}
}

func TestAwaitFailsWithTheLog(t *testing.T) {
	s := newServer(t, Options{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := s.editor.Await(ctx, "what never comes", Received("never", 1))
	if !errors.Is(err, context.Canceled) || !strings.Contains(err.Error(), "what never comes") || !strings.Contains(err.Error(), "-> initialize #1") {
		t.Error(err)
	}
	if err := s.conn.Notify(t.Context(), "hello", json.RawMessage(`{"n":1}`)); err != nil {
		t.Fatal(err)
	}
	if err := s.editor.Await(t.Context(), "hello", Matching("hello", func(p struct{ N int }) bool { return p.N == 1 })); err != nil {
		t.Error(err)
	}
	_ = s.editor.Kill()
	if err := s.editor.Await(t.Context(), "more", Received("never", 1)); err == nil {
		t.Error("met")
	}
	if _, err := s.editor.Begin("x", nil); err == nil {
		t.Error("sent")
	}
}
