package editorlog_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/internal/editorlog"
)

const recording = `{"editor":"e","version":"1.2.3","scenario":"s","encoding":"utf-8","uri":"file:///w/t.txt","initial":"<a>\n"}
{"act":"ggVGd"}
{"dir":"in","method":"textDocument/didOpen","params":{"textDocument":{"text":"<a>\n"}}}
{"dir":"out","t":3,"method":"workspace/applyEdit","id":1,"params":{"edit":{}}}
{"dir":"in","t":4,"method":"workspace/applyEdit","id":1,"result":null}
{"dir":"in","t":5,"method":"workspace/applyEdit","id":2,"error":{"code":1}}
{"text":"","told":"\n"}
{"text":"x","untold":true,"uri":"file:///w/u.txt"}
{"disk":"","uri":"file:///w/u.txt"}
{"gone":true}
`

// What was written is what is read, to the byte: a recording read and written again
// makes no difference in a commit.
func TestReadThenWrite(t *testing.T) {
	log, err := editorlog.Read(strings.NewReader(recording))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := log.Name(), "e-1.2.3-s.jsonl"; got != want {
		t.Errorf("name %q, want %q", got, want)
	}
	if len(log.Events) != 9 {
		t.Fatalf("%d events, want 9", len(log.Events))
	}
	if e := log.Events[3]; string(e.Result) != "null" || e.ID != 1 || e.Dir != editorlog.In {
		t.Errorf("answer was read as %+v", e)
	}
	if e := log.Events[5]; e.Text == nil || *e.Text != "" || e.Told == nil || *e.Told != "\n" {
		t.Errorf("checkpoint was read as %+v", e)
	}
	var b bytes.Buffer
	if err := log.Write(&b); err != nil {
		t.Fatal(err)
	}
	if b.String() != recording {
		t.Errorf("written\n%s\nread\n%s", b.String(), recording)
	}
}

func TestReadRefuses(t *testing.T) {
	header, _, _ := strings.Cut(recording, "\n")
	for name, line := range map[string]string{
		"nothing":         `{}`,
		"two kinds":       `{"act":"x","text":"y"}`,
		"a direction":     `{"dir":"up","method":"m"}`,
		"no method":       `{"dir":"in","params":{}}`,
		"told alone":      `{"disk":"x","told":"y"}`,
		"untold alone":    `{"act":"x","untold":true}`,
		"unknown member":  `{"act":"x","txet":"y"}`,
		"a cut-off line":  `{"act":"x"`,
		"a second header": header,
	} {
		if _, err := editorlog.Read(strings.NewReader(header + "\n" + line + "\n")); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if _, err := editorlog.Read(strings.NewReader("")); err == nil {
		t.Error("empty file: no error")
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	if _, err := editorlog.Load(dir); err == nil {
		t.Error("folder without recordings: no error")
	}
	write := func(name string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(recording), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("e-1.2.3-s.jsonl")
	write("README.md")
	logs, err := editorlog.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(logs) != 1 || logs[0].Scenario != "s" {
		t.Errorf("loaded %+v", logs)
	}
	write("other.jsonl")
	if _, err := editorlog.Load(dir); err == nil {
		t.Error("file under another name than its header's: no error")
	}
}
