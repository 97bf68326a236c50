package archtest

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// shipped are the modules that may be part of the program.
var shipped = []string{
	"acp-ls",
	"github.com/bmatcuk/doublestar/v4",
	"github.com/fsnotify/fsnotify",
	"github.com/go-json-experiment/json",
	"github.com/inconshreveable/mousetrap", // cobra, on Windows
	"github.com/spf13/cobra",
	"github.com/spf13/pflag",
	"github.com/tailscale/hujson",
	"go.lsp.dev/jsonrpc2",
	"go.lsp.dev/protocol",
	"go.lsp.dev/uri",
	"golang.org/x/sync",
	"golang.org/x/sys",
	"znkr.io/diff",
}

// maxSize of the stripped program, in bytes: what an editor's extension can
// carry along. Raise it, by little, for code of its own alone.
const maxSize = 25 << 19

// lookup is how the linker marks functions that look methods up by a name or number it
// does not know. One of them in the program, and it keeps every exported method of every
// type there is: a library that read the command line so cost a ninth of the program, and
// cobra does with text/template, if a template of its is set.
const lookup = " <ReflectMethod> -> "

func TestTheProgramHasNoOtherDependencies(t *testing.T) {
	for _, p := range list(t, "-deps", "./cmd/acp-ls") {
		if !p.Standard && (p.Module == nil || !slices.Contains(shipped, p.Module.Path)) {
			t.Errorf("the program links %s of a module that is not in the list", p.ImportPath)
		}
	}
}

func TestTheProgramIsSmall(t *testing.T) {
	out := filepath.Join(t.TempDir(), "acp-ls")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags=-s -w -dumpdep", "-o", out, "./cmd/acp-ls")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	text, err := cmd.CombinedOutput() // what needs what
	if err != nil {
		t.Fatalf("go build: %v\n%.1000s", err, text)
	}
	if !strings.Contains(string(text), "main.main -> ") {
		t.Error("the linker does not say what needs what")
	}
	if at := strings.Index(string(text), lookup); at >= 0 {
		from := strings.LastIndexByte(string(text[:at]), '\n') + 1
		t.Errorf("%s looks methods up by their names", text[from:at])
	}
	info, err := os.Stat(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d bytes for %s/%s", info.Size(), runtime.GOOS, runtime.GOARCH)
	if info.Size() > maxSize {
		t.Errorf("the program has %d bytes, more than %d", info.Size(), maxSize)
	}
}
