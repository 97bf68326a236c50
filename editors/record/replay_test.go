package main

import (
	"regexp"
	"strings"
	"testing"

	"acp-ls/internal/editorlog"
)

const fixtures = "../../internal/review/testdata/editors"

// The committed recordings hold together: applied by the plainest means, the messages
// give the text that the editor had at each checkpoint, or what is noted as told.
func TestRecordingsGiveTheEditorsText(t *testing.T) {
	logs, err := editorlog.Load(fixtures)
	if err != nil {
		t.Fatal(err)
	}
	for i := range logs {
		t.Run(logs[i].Name(), func(t *testing.T) {
			if err := check(&logs[i]); err != nil {
				t.Error(err)
			}
		})
	}
}

// Each scenario is there for each version that is there at all, and nothing else.
func TestRecordingsAreComplete(t *testing.T) {
	logs, err := editorlog.Load(fixtures)
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]map[string]bool{} // editor and version -> scenarios
	versions := map[string]int{}         // editor -> number of its versions
	for _, log := range logs {
		key := log.Editor + " " + log.Version
		if have[key] == nil {
			have[key] = map[string]bool{}
			versions[log.Editor]++
		}
		have[key][log.Scenario] = true
	}
	if versions["nvim"] != 2 || versions["vscode"] != 1 || len(versions) != 2 {
		t.Errorf("recordings of %v versions, want 2 of nvim and 1 of vscode", versions)
	}
	want := map[string][]string{}
	for _, sc := range nvimScenarios() {
		want["nvim"] = append(want["nvim"], sc.name)
	}
	script, err := vscodeFiles.ReadFile("vscode/scenarios.js")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile(`(?m)^    name: '([a-z-]+)',$`).FindAllSubmatch(script, -1) {
		want["vscode"] = append(want["vscode"], string(m[1]))
	}
	for key, scenarios := range have {
		editor, _, _ := strings.Cut(key, " ")
		for _, name := range want[editor] {
			if !scenarios[name] {
				t.Errorf("%s lacks scenario %s: record it", key, name)
			}
			delete(scenarios, name)
		}
		for name := range scenarios {
			t.Errorf("%s has a recording of %s, which is no scenario", key, name)
		}
	}
}

// The judge itself is judged: it must not pass what is wrong.
func TestCheckFindsFaults(t *testing.T) {
	const header = `{"editor":"e","version":"1","scenario":"s","encoding":"utf-16","uri":"u","initial":"a\n"}`
	const open = `{"dir":"in","method":"textDocument/didOpen","params":{"textDocument":{"uri":"u","version":0,"text":"a😀\r\nb\n"}}}`
	change := func(sl, sc, el, ec string, text string) string {
		return `{"dir":"in","method":"textDocument/didChange","params":{"textDocument":{"uri":"u"},"contentChanges":[{"range":{"start":{"line":` +
			sl + `,"character":` + sc + `},"end":{"line":` + el + `,"character":` + ec + `}},"text":"` + text + `"}]}}`
	}
	for _, tc := range []struct {
		name  string
		lines []string
		want  string // part of the error; "" for none
	}{
		{"right", []string{open, change("0", "1", "0", "3", "x"), `{"text":"ax\r\nb\n"}`}, ""},
		{"after carriage return", []string{open, change("0", "4", "0", "4", "x"), `{"text":"a😀\rx\nb\n"}`}, ""},
		{"at the end", []string{open, change("1", "1", "2", "0", ""), `{"text":"a😀\r\nb"}`}, ""},
		{"one line past the end", []string{open, change("3", "0", "3", "0", "c"), `{"text":"a😀\r\nb\nc"}`}, ""},
		{"full", []string{open, `{"dir":"in","method":"textDocument/didChange","params":{"textDocument":{"uri":"u"},"contentChanges":[{"text":"z"}]}}`, `{"text":"z"}`}, ""},
		{"closed and opened", []string{open, `{"dir":"in","method":"textDocument/didClose","params":{"textDocument":{"uri":"u"}}}`, open, `{"text":"a😀\r\nb\n"}`}, ""},
		{"told", []string{open, `{"text":"a\n","told":"a😀\r\nb\n"}`}, ""},
		{"untold", []string{open, `{"text":"a\n","uri":"v","untold":true}`}, ""},

		{"other text", []string{open, `{"text":"a😀\nb\n"}`}, "text is"},
		{"other told", []string{open, `{"text":"a\n","told":"b\n"}`}, "text is"},
		{"told the truth", []string{open, `{"text":"a😀\r\nb\n","told":"a😀\r\nb\n"}`}, "told the truth"},
		{"not untold", []string{open, `{"text":"a😀\r\nb\n","untold":true}`}, "open: true"},
		{"not open", []string{`{"text":"a"}`}, "open: false"},
		{"opened twice", []string{open, open, `{"text":"a😀\r\nb\n"}`}, "open already"},
		{"inside a character", []string{open, change("0", "2", "0", "3", ""), `{"text":""}`}, "inside"},
		{"past the line", []string{open, change("0", "5", "0", "5", ""), `{"text":""}`}, "has 4 characters"},
		{"past the text", []string{open, change("4", "0", "4", "0", ""), `{"text":""}`}, "has 3 lines"},
		{"backwards", []string{open, change("1", "0", "0", "0", ""), `{"text":""}`}, "before start"},
		{"empty", []string{open}, "no checkpoint"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			log, err := editorlog.Read(strings.NewReader(header + "\n" + strings.Join(tc.lines, "\n")))
			if err != nil {
				t.Fatal(err)
			}
			err = check(log)
			switch {
			case tc.want == "" && err != nil:
				t.Error(err)
			case tc.want != "" && err == nil:
				t.Error("no error")
			case tc.want != "" && !strings.Contains(err.Error(), tc.want):
				t.Errorf("error %q says nothing of %q", err, tc.want)
			}
		})
	}
}
