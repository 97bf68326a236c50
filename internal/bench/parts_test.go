package bench

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
)

// BenchmarkParts is an agent's write of 300 changed rows into an open document of 1 MB,
// in an editor that tells of it in as many parts, as VS Code does: from the moment at
// which the editor has sent them until the agent is answered; and the user's undo of
// it, told in as many parts, until it is visible. The anchor is a pipe that carries the
// same bytes.
func BenchmarkParts(b *testing.B) {
	const parts = 300
	e := newEditor(b, `{}`)
	var rows strings.Builder // no two of them alike: an edit is in the row that was changed
	for i := 0; rows.Len() < 1<<20; i++ {
		fmt.Fprintf(&rows, "%d %s", i, row)
	}
	content := rows.String()
	path := filepath.Join(e.root, "big.go")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.Fatal(err)
	}
	uri := buffers.PathURI(path)
	e.notify("textDocument/didOpen", `{"textDocument":{"uri":"`+uri+`","languageId":"go","version":0,"text":`+quote(content)+`}}`)
	e.await()
	raw := newHop(b)
	write := results.compare(comparison{name: "edit of 300 parts in 1 MB", anchor: "raw pipe, same bytes"})
	undo := results.compare(comparison{name: "undo of 300 parts in 1 MB", anchor: "raw pipe, same bytes"})
	version := 0
	for b.Loop() {
		version++
		edits := e.beginEdit(path, parts)
		frame := changeOf(uri, version, edits)
		start := time.Now()
		raw.carry(frame)
		base := time.Since(start)
		start = time.Now()
		e.send(frame)
		e.endEdit()
		write.round(time.Since(start), base)

		version++
		frame = changeOf(uri, version, inverse(b, content, edits))
		start = time.Now()
		raw.carry(frame)
		base = time.Since(start)
		start = time.Now()
		e.send(frame)
		e.await()
		undo.round(time.Since(start), base)
	}
	write.report(b)
	undo.report(b)
}

type place struct{ Line, Character int }

type textEdit struct {
	Range   struct{ Start, End place }
	NewText string
}

// beginEdit has the agent change n rows of an open file, and returns the edits that the
// editor is asked to make, the last one first.
func (e *editor) beginEdit(path string, n int) []textEdit {
	e.prompt = e.request("workspace/executeCommand", fmt.Sprintf(`{"command":"acp.prompt","arguments":[{"wait":true,"text":%s}]}`,
		quote(fmt.Sprintf("edit %s %d", path, n))))
	for {
		var m message
		if err := json.Unmarshal(e.read(), &m); err != nil {
			e.b.Fatal(err)
		}
		if m.Method != "workspace/applyEdit" {
			if m.Method != "" && m.ID != nil {
				e.refuse(m.ID)
			}
			continue
		}
		e.asked = m.ID
		var p struct {
			Edit struct {
				DocumentChanges []struct{ Edits []textEdit }
			}
		}
		if err := json.Unmarshal(m.Params, &p); err != nil {
			e.b.Fatal(err)
		}
		edits := p.Edit.DocumentChanges[0].Edits
		if len(edits) != n {
			e.b.Fatalf("the editor is to make %d edits, not %d", len(edits), n)
		}
		if edits[0].Range.Start.Line < edits[n-1].Range.Start.Line {
			for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
				edits[i], edits[j] = edits[j], edits[i]
			}
		}
		return edits
	}
}

// endEdit answers that the edits are made, and returns when the agent's turn is over.
func (e *editor) endEdit() {
	e.send(framed(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":{"applied":true}}`, e.asked)))
	for {
		body := e.read()
		if bytes.HasPrefix(body, e.prompt) {
			return
		}
		if bytes.Contains(body, []byte(`"workspace/applyEdit"`)) {
			e.b.Fatalf("the edit is asked for once more: %.200s", body)
		}
	}
}

// changeOf is a notification that a document was changed by edits, the last of the
// document first.
func changeOf(uri string, version int, edits []textEdit) []byte {
	var changes strings.Builder
	for i, e := range edits {
		if i > 0 {
			changes.WriteByte(',')
		}
		s, t := e.Range.Start, e.Range.End
		fmt.Fprintf(&changes, `{"range":{"start":{"line":%d,"character":%d},"end":{"line":%d,"character":%d}},"text":%s}`,
			s.Line, s.Character, t.Line, t.Character, quote(e.NewText))
	}
	return notification("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":"%s","version":%d},"contentChanges":[%s]}`,
		uri, version, changes.String()))
}

// inverse takes back edits that replaced one row each of content.
func inverse(b *testing.B, content string, edits []textEdit) []textEdit {
	b.Helper()
	rows := strings.SplitAfter(content, "\n")
	back := make([]textEdit, len(edits))
	for i, e := range edits {
		from, to := e.Range.Start, e.Range.End
		if from.Character != 0 || to != (place{from.Line + 1, 0}) || strings.Count(e.NewText, "\n") != 1 {
			b.Fatalf("edit %+v does not replace one row", e)
		}
		back[i] = textEdit{Range: e.Range, NewText: rows[from.Line]}
	}
	return back
}
