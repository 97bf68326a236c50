package lspbridge

import (
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/internal/session"
)

var update = flag.Bool("update", false, "write the generated parts of docs/editor-contract.md")

const contractFile = "../docs/editor-contract.md"

// contractNames are the shapes that the document describes by name.
var contractNames = []struct {
	name string
	typ  reflect.Type
}{
	{"SessionInfo", reflect.TypeFor[session.Info]()},
	{"Option", reflect.TypeFor[session.Option]()},
	{"Choice", reflect.TypeFor[session.OptionChoice]()},
	{"SlashCommand", reflect.TypeFor[session.Command]()},
	{"Usage", reflect.TypeFor[session.Usage]()},
	{"Queued", reflect.TypeFor[session.Queued]()},
	{"Entry", reflect.TypeFor[session.Entry]()},
	{"ToolCall", reflect.TypeFor[session.ToolCall]()},
	{"ToolContent", reflect.TypeFor[session.ToolContent]()},
	{"PlanItem", reflect.TypeFor[session.PlanItem]()},
	{"Question", reflect.TypeFor[session.Question]()},
	{"PermissionOption", reflect.TypeFor[session.PermissionOption]()},
	{"Review", reflect.TypeFor[Review]()},
	{"FileChange", reflect.TypeFor[session.FileChange]()},
	{"Hunk", reflect.TypeFor[Hunk]()},
	{"Origin", reflect.TypeFor[Origin]()},
	{"Decision", reflect.TypeFor[decisionResult]()},
	{"Undoable", reflect.TypeFor[session.Undoable]()},
	{"FormQuestion", reflect.TypeFor[session.FormQuestion]()},
	{"Completion", reflect.TypeFor[session.Completion]()},
	{"Diagnostic", reflect.TypeFor[Diagnostic]()},
	{"Range", reflect.TypeFor[Range]()},
}

// words are the values of strings that have a type of their own.
var words = map[reflect.Type]string{
	reflect.TypeFor[session.State]():     `"starting" \| "idle" \| "running" \| "waiting" \| "closed" \| "failed"`,
	reflect.TypeFor[session.EntryKind](): `"user" \| "agent" \| "thought" \| "tool" \| "plan" \| "permission" \| "notice" \| "error"`,
}

// shape writes a type the way the document does: {a, b?: [T]}. Members that are
// strings show their name alone.
func shape(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, n := range contractNames {
		if n.typ == t {
			return n.name
		}
	}
	if w, ok := words[t]; ok {
		return w
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		if t == reflect.TypeFor[jsontext.Value]() {
			return "any"
		}
		return "[" + shape(t.Elem()) + "]"
	case reflect.Map:
		return "{name: " + shape(t.Elem()) + "}"
	case reflect.Interface:
		return "any"
	case reflect.Struct:
		return "{" + shapeMembers(t) + "}"
	}
	return "number"
}

func shapeMembers(t reflect.Type) string {
	var out []string
	for _, f := range members(t) {
		s := f.name
		if f.optional {
			s += "?"
		}
		if of := shape(f.typ); of != "string" {
			s += ": " + of
		}
		if f.typ.Kind() == reflect.Pointer && !f.optional {
			s += ` \| null`
		}
		out = append(out, s)
	}
	return strings.Join(out, ", ")
}

// generated are the parts of the document that are made of the table.
func generated() map[string]string {
	var commands, messages, shapes strings.Builder
	commands.WriteString("| command | argument | result | |\n|---|---|---|---|\n")
	messages.WriteString("| message | | capability | params | answer | |\n|---|---|---|---|---|---|\n")
	for _, m := range table {
		switch m.kind {
		case command:
			fmt.Fprintf(&commands, "| `%s` | %s | %s | %s |\n", m.name, shapeMembers(m.params), shape(m.result), m.doc)
		case serverNotification:
			fmt.Fprintf(&messages, "| `%s` | n | `%s` | %s | | %s |\n", m.name, m.capability, shape(m.params), m.doc)
		case serverRequest:
			fmt.Fprintf(&messages, "| `%s` | r | `%s` | %s | %s | %s |\n", m.name, m.capability, shape(m.params), shape(m.result), m.doc)
		}
	}
	shapes.WriteString("| shape | members |\n|---|---|\n")
	for _, n := range contractNames {
		fmt.Fprintf(&shapes, "| %s | %s |\n", n.name, shapeMembers(n.typ))
	}
	return map[string]string{"commands": commands.String(), "messages": messages.String(), "shapes": shapes.String()}
}

// The tables of docs/editor-contract.md are what the code does. After a change
// of the table, run: go test ./lspbridge -run Contract -update
func TestContractIsUpToDate(t *testing.T) {
	raw, err := os.ReadFile(contractFile)
	must(t, err)
	doc := strings.ReplaceAll(string(raw), "\r\n", "\n")
	was := doc
	for name, part := range generated() {
		begin, end := "<!-- generated: "+name+" -->\n", "<!-- end -->\n"
		i := strings.Index(doc, begin)
		if i < 0 {
			t.Fatalf("%s has no part %s", contractFile, name)
		}
		i += len(begin)
		j := strings.Index(doc[i:], end)
		if j < 0 {
			t.Fatalf("part %s of %s has no end", name, contractFile)
		}
		if doc[i:i+j] != part && !*update {
			t.Errorf("part %s of %s is not what the code does; run go test ./lspbridge -run Contract -update", name, contractFile)
		}
		doc = doc[:i] + part + doc[i+j:]
	}
	if *update && doc != was {
		must(t, os.WriteFile(contractFile, []byte(doc), 0o644))
	}
}

// Every shape is used, and every capability and name is unique and well-formed.
func TestContractIsConsistent(t *testing.T) {
	seen := map[string]bool{}
	all := strings.Join(slices.Sorted(func(yield func(string) bool) {
		for _, part := range generated() {
			if !yield(part) {
				return
			}
		}
	}), "\n")
	for _, m := range table {
		if seen[m.name] {
			t.Errorf("%s is twice in the table", m.name)
		}
		seen[m.name] = true
		switch {
		case m.kind == command && (!strings.HasPrefix(m.name, "acp.") || m.run == nil || m.capability != ""):
			t.Errorf("command %s", m.name)
		case m.kind != command && (!strings.HasPrefix(m.name, "acp/") || m.capability == "" || m.run != nil):
			t.Errorf("message %s", m.name)
		case m.doc == "" || !strings.HasSuffix(m.doc, ".") || strings.Contains(m.doc, "\n") || strings.Contains(m.doc, "|"):
			t.Errorf("%s is described as %q", m.name, m.doc)
		case (m.kind == serverNotification) != (m.result == nil):
			t.Errorf("%s has an answer or lacks one", m.name)
		}
	}
	for _, n := range contractNames {
		if strings.Count(all, n.name) < 2 {
			t.Errorf("shape %s is used nowhere", n.name)
		}
	}
}
