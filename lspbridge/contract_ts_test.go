package lspbridge

import (
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"acp-ls/internal/review"
	"acp-ls/internal/session"
)

// typescriptFile is the contract as the VS Code extension reads it.
const typescriptFile = "../editors/vscode/src/contract.ts"

// typescriptWords are the values of strings that have a type of their own.
var typescriptWords = map[reflect.Type][]string{
	reflect.TypeFor[session.State]():     {"starting", "idle", "running", "waiting", "closed", "failed"},
	reflect.TypeFor[session.EntryKind](): {"user", "agent", "thought", "tool", "plan", "permission", "notice", "error"},
	reflect.TypeFor[review.State]():      {"pending", "proposed", "conflict", "rejected"},
}

// typescript writes a type as TypeScript does.
func typescript(t reflect.Type) string {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, n := range contractNames {
		if n.typ == t {
			return n.name
		}
	}
	if words, ok := typescriptWords[t]; ok {
		return "'" + strings.Join(words, "' | '") + "'"
	}
	switch t.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Slice:
		if t == reflect.TypeFor[jsontext.Value]() {
			return "unknown"
		}
		return typescriptList(typescript(t.Elem()))
	case reflect.Map:
		return "Record<string, " + typescript(t.Elem()) + ">"
	case reflect.Interface:
		return "unknown"
	case reflect.Struct:
		if len(members(t)) == 0 {
			return "Record<string, never>"
		}
		var out []string
		for _, f := range members(t) {
			out = append(out, typescriptMember(f))
		}
		return "{ " + strings.Join(out, "; ") + " }"
	}
	return "number"
}

func typescriptList(of string) string {
	if strings.ContainsAny(of, "| ") {
		return "Array<" + of + ">"
	}
	return of + "[]"
}

func typescriptMember(f wireMember) string {
	optional, null := "", ""
	switch {
	case f.optional:
		optional = "?"
	case f.typ.Kind() == reflect.Pointer:
		null = " | null"
	}
	return f.name + optional + ": " + typescript(f.typ) + null
}

// typescriptContract is the whole file.
func typescriptContract() string {
	var b strings.Builder
	b.WriteString("// Every message and command of the editor contract (docs/editor-contract.md), made from\n" +
		"// lspbridge/methods.go by `go test ./lspbridge -run Contract -update`. Do not edit.\n\n")
	fmt.Fprintf(&b, "export const contractVersion = %d;\n", contractVersion)

	for _, n := range contractNames {
		fmt.Fprintf(&b, "\nexport interface %s {\n", n.name)
		for _, f := range members(n.typ) {
			fmt.Fprintf(&b, "  %s;\n", typescriptMember(f))
		}
		b.WriteString("}\n")
	}

	var capabilities []string
	part := func(name, doc string, k kind, row func(method) string) {
		fmt.Fprintf(&b, "\n/** %s */\nexport interface %s {\n", doc, name)
		for _, m := range table {
			if m.kind == k {
				fmt.Fprintf(&b, "  /** %s */\n  '%s': %s;\n", m.doc, m.name, row(m))
			}
		}
		b.WriteString("}\n")
	}
	both := func(m method) string {
		return fmt.Sprintf("{ params: %s; result: %s }", typescript(m.params), typescript(m.result))
	}
	part("Commands", "Sent by workspace/executeCommand, with one object as the only argument.", command, both)
	part("Notifications", "From acp-ls.", serverNotification, func(m method) string { return typescript(m.params) })
	part("Requests", "From acp-ls; null is answered where there is no answer.", serverRequest, both)

	for _, m := range table {
		if m.capability != "" && !slices.Contains(capabilities, m.capability) {
			capabilities = append(capabilities, m.capability)
		}
	}
	capabilities = append(capabilities, "format") // how acp/save is meant
	fmt.Fprintf(&b, "\n/** Members of experimental.acp that allow the messages above, or parts of them. */\nexport type Capability =\n  | '%s';\n",
		strings.Join(capabilities, "'\n  | '"))
	return b.String()
}

// What the extension knows of the contract is what the code does.
func TestContractInTypeScriptIsUpToDate(t *testing.T) {
	want := typescriptContract()
	got, err := os.ReadFile(typescriptFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	if strings.ReplaceAll(string(got), "\r\n", "\n") == want {
		return
	}
	if !*update {
		t.Fatalf("%s is not what the code does; run go test ./lspbridge -run Contract -update", typescriptFile)
	}
	must(t, os.WriteFile(typescriptFile, []byte(want), 0o644))
}
