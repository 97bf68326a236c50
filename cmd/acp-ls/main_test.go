package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"acp-ls": main})
}

// TestScripts runs the program as a user's shell or editor does. A script can
// use `frames FILE`, which makes LSP messages of a file's lines.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(e *testscript.Env) error {
			for _, name := range []string{"HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "AppData"} {
				e.Setenv(name, e.WorkDir+"/home")
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"frames": frames},
	})
}

// A program that `go build` or `go install` has made tells its version too.
func TestVersion(t *testing.T) {
	for _, c := range []struct{ set, noted, want string }{
		{"unknown", "v0.0.0-20261129154638-ee5970ee0d99+dirty", "v0.0.0-20261129154638-ee5970ee0d99+dirty"},
		{"unknown", "v1.2.3", "v1.2.3"},
		{"unknown", "(devel)", "unknown"},
		{"unknown", "", "unknown"},
		{"v1.2.3-4-gee5970e", "v1.2.4-0.20261129154638-ee5970ee0d99", "v1.2.3-4-gee5970e"},
	} {
		if got := versionOf(c.set, &debug.BuildInfo{Main: debug.Module{Version: c.noted}}); got != c.want {
			t.Errorf("set %q, noted %q: %q, want %q", c.set, c.noted, got, c.want)
		}
	}
}

func frames(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: frames FILE")
	}
	var out bytes.Buffer
	for line := range strings.Lines(ts.ReadFile(args[0])) {
		if line = strings.TrimSpace(line); line != "" {
			fmt.Fprintf(&out, "Content-Length: %d\r\n\r\n%s", len(line), line)
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), out.Bytes(), 0o600))
}

// Whoever ends the program by a signal does not wait for standard input.
func TestRunEndsWithItsContext(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir())
	for _, command := range []string{"serve", "demo-agent"} {
		t.Run(command, func(t *testing.T) {
			stdin, w := io.Pipe() // never written to, never closed
			t.Cleanup(func() { w.Close() })
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan int)
			go func() { done <- run(ctx, []string{command}, io.MultiReader(stdin), io.Discard, io.Discard) }()
			cancel()
			select {
			case code := <-done:
				if code != 0 {
					t.Errorf("exit code %d", code)
				}
			case <-time.After(time.Minute):
				t.Fatal("still running")
			}
		})
	}
}
