//go:build unix

// Package ci tests the scripts of the checks, with stand-ins for what they call.
package ci

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// script writes a program of the shell.
func script(t *testing.T, name, body string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+body), 0o755); err != nil {
		t.Fatal(err)
	}
}

func copied(t *testing.T, from, to string) {
	t.Helper()
	b, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	script(t, to, strings.TrimPrefix(string(b), "#!/bin/sh\n"))
}

// styluaFolder is where that version is kept which tools installs.
func styluaFolder(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("tools")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), "\nstylua_version=")
	version, _, _ := strings.Cut(rest, "\n")
	return "stylua-" + version
}

// A program from npm is there after it was installed, also where mv knows no -T (macOS), and
// where what an earlier try has left stands in the way.
func TestStyluaIsInstalled(t *testing.T) {
	for _, left := range []bool{false, true} {
		dir := t.TempDir()
		script(t, filepath.Join(dir, "bin/mv"), `case $1 in -*) echo "mv: illegal option" >&2; exit 64 ;; esac; exec /bin/mv "$@"`+"\n")
		script(t, filepath.Join(dir, "bin/npm"), `mkdir -p "$2/node_modules/.bin"
printf '#!/bin/sh\n' >"$2/node_modules/.bin/stylua"
chmod +x "$2/node_modules/.bin/stylua"
`)
		cache := filepath.Join(dir, "cache")
		run := func() string {
			cmd := exec.Command("./tools", "stylua")
			cmd.Env = append(os.Environ(), "ACP_LS_CACHE="+cache, "PATH="+filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
			out, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			return strings.TrimSpace(string(out))
		}
		if left {
			if err := os.MkdirAll(filepath.Join(cache, styluaFolder(t), "half"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		path := run()
		if _, err := os.Stat(path); err != nil {
			t.Fatal(err)
		}
		if again := run(); again != path {
			t.Errorf("%q, then %q", path, again)
		}
		if all, _ := filepath.Glob(filepath.Join(cache, "*")); len(all) != 1 {
			t.Errorf("left in the cache: %q", all)
		}
	}
}

// Where a tool cannot be had all other tools are looked for and all other checks made, and
// it is said at the end what was not.
func TestOneToolMissing(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{"run", "tools", "beside"} {
		copied(t, name, filepath.Join(root, "tools/ci", name))
	}
	script(t, filepath.Join(root, "tools/get-nvim"), `echo "nvim $1" >>looked; [ "$1" = 0.10 ] || exit 3`+"\n")
	script(t, filepath.Join(root, "tools/get-vscode"), "echo vscode >>looked\n")
	script(t, filepath.Join(root, "tools/ci/step"), `[ "$1" = tools ] || { echo "made $1"; exit 0; }
exec tools/ci/tools
`)
	for _, name := range []string{"cc", "luacheck", "chromium"} {
		script(t, filepath.Join(root, "bin", name), "")
	}
	script(t, filepath.Join(root, "cache", styluaFolder(t), "node_modules/.bin/stylua"), "")
	cmd := exec.Command("tools/ci/run", "tools", "vet", "vscode", "test")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "ACP_LS_CACHE="+filepath.Join(root, "cache"), "PATH="+filepath.Join(root, "bin")+":"+os.Getenv("PATH"))
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Error("it has passed")
	}
	said := string(out)
	for _, want := range []string{"made vet", "made vscode", "made test", "not run:\n  without Neovim 0.12: tests in it (step test)\nfailed: tools\n"} {
		if !strings.Contains(said, want) {
			t.Errorf("no %q in\n%s", want, said)
		}
	}
	if looked, _ := os.ReadFile(filepath.Join(root, "looked")); string(looked) != "nvim 0.10\nnvim 0.12\nvscode\n" {
		t.Errorf("looked for %q", looked)
	}
}
