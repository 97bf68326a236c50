package agenttest

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-ls/internal/scriptagent"
)

// patience bounds a hang and is part of no expectation. ACP_LS_TEST_PATIENCE
// sets it.
var patience = func() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("ACP_LS_TEST_PATIENCE")); err == nil {
		return d
	}
	return 4 * time.Minute
}()

const root = "../.."

// program is the acp-ls under test, built once; removeProgram removes it.
var (
	program       = sync.OnceValues(buildProgram)
	removeProgram = func() {}
)

func buildProgram() (string, error) {
	dir, err := os.MkdirTemp("", "acp-ls-agenttest")
	if err != nil {
		return "", err
	}
	removeProgram = func() { _ = os.RemoveAll(dir) }
	out := filepath.Join(dir, "acp-ls")
	args := []string{"build", "-o", out}
	if raceEnabled {
		args = append(args, "-race")
	}
	cmd := exec.Command("go", append(args, "./cmd/acp-ls")...)
	cmd.Dir = root
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build ./cmd/acp-ls: %w\n%s", err, text)
	}
	return out, nil
}

func TestMain(m *testing.M) {
	if scriptagent.Started() {
		os.Exit(scriptagent.Main())
	}
	flag.Parse()
	if !flagGiven("test.parallel") {
		_ = flag.Set("test.parallel", "6") // most of what is replayed is waiting
	}
	code := m.Run()
	removeProgram()
	os.Exit(code)
}

func flagGiven(name string) bool {
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == name })
	return given
}

// agentFolder installs an agent, if it is not there, and returns its npm tree.
func agentFolder(t *testing.T, name string) string {
	t.Helper()
	if testing.Short() {
		t.Skip("real agents are left out of short runs")
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("tools/get-agents installs agents for linux/amd64 only, this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	var stdout, stderr bytes.Buffer
	cmd := exec.Command(filepath.Join(root, "tools", "get-agents"), name)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("agent %s cannot be installed (tools/get-agents needs npm and its registry): %v\n%s", name, err, stderr.String())
	}
	_, dir, ok := strings.Cut(strings.TrimSpace(stdout.String()), "\t")
	if !ok {
		t.Fatalf("tools/get-agents %s printed %q", name, stdout.String())
	}
	return dir
}

// readSources looks at every source that acp-ls is built of: go test runs a test
// anew only if what it looked at has changed, and it does not see what the
// programs look at that the test starts.
func readSources(t *testing.T) {
	t.Helper()
	for _, top := range []string{"acpclient", "buffers", "cmd", "editors/nvim", "internal", "lspbridge", "tools", "go.mod"} {
		err := filepath.WalkDir(filepath.Join(root, top), func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			_, err = os.Stat(path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
