package archtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"path"
	"slices"
	"strings"
	"testing"
)

const module = "acp-ls/"

// allowed says what of this module each package may import: imports point
// downwards only. A name that ends in /... stands for a package and all below
// it. Tests may import more.
//
// The types of ACP stay inside acpclient, which translates them for the core; to the core, to
// editors and to the tools nobody says how agents put things. The one other package that
// knows them is internal/demo: it is no part of the client but an agent, and an agent's
// side of the protocol has the same types. It shares nothing else with the program that it
// is in, and only cmd/acp-ls may start it (see TestWhoKnowsTheWire).
var allowed = map[string][]string{
	"buffers/text":       nil,
	"buffers/position":   {"buffers/text"},
	"buffers/linediff":   {"buffers/text"},
	"buffers/merge":      {"buffers/text", "buffers/linediff"},
	"buffers/watch":      nil,
	"buffers":            {"buffers/text", "buffers/position", "buffers/linediff", "buffers/merge", "buffers/watch"},
	"buffers/checkpoint": {"buffers"},
	"internal/policy":    nil,
	"internal/config":    {"internal/policy"},
	"internal/review":    {"buffers/text", "buffers/linediff", "buffers/merge", "buffers/position"},
	"internal/session":   {"buffers/...", "internal/review/...", "internal/config", "internal/policy", "internal/session/..."},
	"acpclient/wire":     nil,
	"acpclient/proc":     nil,
	"acpclient":          {"acpclient/...", "internal/session", "internal/config", "buffers/..."},
	"lspbridge":          {"lspbridge/...", "internal/session", "internal/review", "internal/config", "buffers/..."},
	"internal/mcp":       {"internal/session", "buffers/..."},
	"internal/demo":      {"acpclient/wire", "internal/demo/..."},
	"internal/archtest":  nil,

	"internal/review/journal":  {"buffers/text"},
	"internal/session/mention": nil,
	"cmd/acp-ls":               {"..."},
}

// tools are programs and test helpers that are no part of acp-ls. Nothing above
// may import them.
var tools = []string{"tools", "editors", "internal/editorlog", "internal/nvimtest", "internal/scriptagent", "internal/scenario", "internal/agenttest", "internal/replay", "internal/crashtest", "internal/bench"}

// owners says which packages may know a module, tests aside. What is not named
// here no package may import.
var owners = map[string][]string{
	"github.com/bmatcuk/doublestar/v4":   {"internal/policy", "buffers/watch", "internal/session"},
	"github.com/fsnotify/fsnotify":       {"buffers/watch"},
	"github.com/go-json-experiment/json": {"acpclient/...", "lspbridge/...", "internal/demo", "internal/session", "internal/review", "internal/mcp"},
	"github.com/spf13/cobra":             {"cmd/acp-ls"},
	"github.com/spf13/pflag":             {"cmd/acp-ls"},
	"github.com/tailscale/hujson":        {"internal/config"},
	"go.lsp.dev/jsonrpc2":                {"acpclient/...", "lspbridge/...", "internal/mcp"},
	"go.lsp.dev/protocol":                {"lspbridge/..."}, // types of LSP stay inside
	"go.lsp.dev/uri":                     {"lspbridge/...", "buffers", "acpclient", "internal/session"},
	"golang.org/x/sync":                  {"..."},
	"golang.org/x/sys":                   {"acpclient/proc", "buffers/...", "internal/session", "internal/review/..."},
	"znkr.io/diff":                       {"buffers/linediff"},
	// The ACP SDK and Neovim's client are doubles and drivers for tests only.
}

// pkg is what `go list -json` says of a package.
type pkg struct {
	ImportPath string
	Imports    []string
	Module     *struct{ Path string }
	Standard   bool
}

func list(t *testing.T, args ...string) []pkg {
	t.Helper()
	cmd := exec.Command("go", append([]string{"list", "-json=ImportPath,Imports,Module,Standard"}, args...)...)
	cmd.Dir = "../.."
	out, err := cmd.Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %v\n%s", err, exit.Stderr)
		}
		t.Fatal(err)
	}
	var all []pkg
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p pkg
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if p == "..." {
			return true
		}
		base, below := strings.CutSuffix(p, "/...")
		return name == base || below && strings.HasPrefix(name, base+"/")
	})
}

func within(name string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(d string) bool { return name == d || strings.HasPrefix(name, d+"/") })
}

// rulesFor finds the entry of a package or of the nearest package above it:
// parts of a package follow its rules.
func rulesFor(name string) ([]string, bool) {
	for n := name; n != "."; n = path.Dir(n) {
		if rules, ok := allowed[n]; ok {
			return rules, true
		}
	}
	return nil, false
}

// violations checks one package. owner says to which module a package outside
// this one belongs; the standard library has none.
func violations(name string, imports []string, owner func(string) string) []string {
	if within(name, tools) {
		return nil
	}
	rules, ok := rulesFor(name)
	if !ok {
		return []string{fmt.Sprintf("%s is not in the table of allowed imports", name)}
	}
	var all []string
	for _, imp := range imports {
		if local, ok := strings.CutPrefix(imp, module); ok {
			if within(local, tools) {
				all = append(all, fmt.Sprintf("%s imports %s, which is a tool", name, local))
			} else if !matches(local, rules) {
				all = append(all, fmt.Sprintf("%s must not import %s", name, local))
			}
			continue
		}
		if m := owner(imp); m != "" && !matches(name, owners[m]) {
			all = append(all, fmt.Sprintf("%s must not import %s", name, imp))
		}
	}
	return all
}

func TestImportsPointDownwards(t *testing.T) {
	modules := map[string]string{}
	for _, p := range list(t, "-deps", "./...") {
		if p.Module != nil {
			modules[p.ImportPath] = p.Module.Path
		}
	}
	for _, p := range list(t, "./...") {
		for _, v := range violations(strings.TrimPrefix(p.ImportPath, module), p.Imports, func(imp string) string { return modules[imp] }) {
			t.Error(v)
		}
	}
}

// What the core and the editors' side know of agents is what acpclient made of it.
func TestWhoKnowsTheWire(t *testing.T) {
	want := map[string][]string{
		"acpclient/wire": {"acpclient", "internal/demo"},
		"internal/demo":  {"cmd/acp-ls"},
	}
	got := map[string][]string{}
	for _, p := range list(t, "./...") {
		name := strings.TrimPrefix(p.ImportPath, module)
		if within(name, tools) {
			continue
		}
		for _, imp := range p.Imports {
			if local := strings.TrimPrefix(imp, module); want[local] != nil {
				got[local] = append(got[local], name)
			}
		}
	}
	for imported, by := range want {
		if !slices.Equal(slices.Sorted(slices.Values(got[imported])), by) {
			t.Errorf("%s is imported by %q, not by %q alone", imported, got[imported], by)
		}
	}
}

// The check itself, against imports that must not pass.
func TestViolationsAreFound(t *testing.T) {
	owner := func(imp string) string {
		for m := range maps.Keys(owners) {
			if imp == m || strings.HasPrefix(imp, m+"/") {
				return m
			}
		}
		if strings.Contains(imp, ".") {
			return imp
		}
		return ""
	}
	for _, tt := range []struct {
		name, imp string
		bad       bool
	}{
		{"buffers", "acp-ls/buffers/text", false},
		{"buffers/text", "acp-ls/buffers", true},
		{"buffers", "acp-ls/internal/review", true},
		{"internal/review", "acp-ls/internal/session", true},
		{"internal/review", "go.lsp.dev/protocol", true},
		{"internal/session", "acp-ls/acpclient/wire", true},
		{"internal/session", "acp-ls/acpclient", true},
		{"internal/session/mention", "acp-ls/internal/session", true},
		{"acpclient", "acp-ls/lspbridge", true},
		{"acpclient", "go.lsp.dev/protocol", true},
		{"lspbridge", "acp-ls/acpclient/wire", true},
		{"lspbridge", "go.lsp.dev/protocol", false},
		{"lspbridge/chat", "go.lsp.dev/protocol", false},
		{"cmd/acp-ls", "acp-ls/lspbridge", false},
		{"cmd/acp-ls", "go.lsp.dev/protocol", true},
		{"acpclient", "github.com/coder/acp-go-sdk", true},
		{"cmd/acp-ls", "acp-ls/internal/editorlog", true},
		{"internal/new", "fmt", true},
		{"internal/config", "fmt", false},
		{"tools/x", "github.com/coder/acp-go-sdk", false},
	} {
		if got := violations(tt.name, []string{tt.imp}, owner); (len(got) > 0) != tt.bad {
			t.Errorf("%s imports %s: %q", tt.name, tt.imp, got)
		}
	}
}
