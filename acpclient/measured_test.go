package acpclient

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the generated part of docs/agents.md")

// The document has what was measured, and the quirks agree with it.
func TestMeasured(t *testing.T) {
	const file, begin, end = "../docs/agents.md", "<!-- generated: waits -->\n", "<!-- end -->\n"
	var b strings.Builder
	b.WriteString("| agent | version | open question | open write |\n|---|---|---|---|\n")
	for _, m := range measured {
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", m.agent, m.version, m.question, m.write)
		if got := quirksOf(m.agent, "").mirrorsWrites; got != (m.write == mirrors) {
			t.Errorf("%s: mirrorsWrites is %v", m.agent, got)
		}
	}
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(raw), begin)
	had, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no part %q", file, begin)
	}
	switch {
	case had == b.String():
	case *update:
		if err := os.WriteFile(file, []byte(head+begin+b.String()+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s is not what was measured; run go test ./acpclient -run Measured -update", file)
	}
}
