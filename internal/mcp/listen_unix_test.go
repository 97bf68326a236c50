//go:build unix

package mcp

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func shortDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "mcp")
	must(t, err)
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// Where a path would be too long for a socket, or a folder is somebody else's,
// another is taken.
func TestWhereTheSocketIs(t *testing.T) {
	dir := shortDir(t)
	t.Setenv("TMPDIR", dir)
	t.Setenv("HOME", dir)
	at := func() string {
		t.Helper()
		l, err := listen("")
		must(t, err)
		defer l.Close()
		rel, err := filepath.Rel(dir, filepath.Dir(l.Address()))
		must(t, err)
		info, err := os.Stat(filepath.Dir(l.Address()))
		must(t, err)
		if info.Mode().Perm() != 0o700 {
			t.Errorf("%s has mode %v", rel, info.Mode())
		}
		return rel
	}
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(dir, "run"))
	t.Setenv("XDG_STATE_HOME", "")
	if got := at(); got != "run/acp-ls" {
		t.Errorf("runtime directory: %s", got)
	}
	must(t, os.Chmod(filepath.Join(dir, "run", "acp-ls"), 0o755)) // by a user, or an older umask
	at()
	t.Setenv("XDG_RUNTIME_DIR", filepath.Join(dir, strings.Repeat("long", 30)))
	if got := at(); got != ".local/state/acp-ls/run" {
		t.Errorf("state directory: %s", got)
	}
	t.Setenv("XDG_RUNTIME_DIR", "relative")
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	must(t, os.MkdirAll(filepath.Join(dir, "state", "acp-ls"), 0o700))
	must(t, os.WriteFile(filepath.Join(dir, "state", "acp-ls", "run"), nil, 0o600))
	if got := at(); !strings.HasPrefix(got, "acp-ls-") {
		t.Errorf("temporary directory: %s", got)
	}
	tmp := filepath.Join(dir, at())
	must(t, os.Remove(tmp))
	must(t, os.Symlink(shortDir(t), tmp))
	if l, err := listen(""); err == nil {
		l.Close()
		t.Error("a link is taken for a folder of ours")
	}
	must(t, os.Remove(tmp))
	if os.Geteuid() == 0 {
		must(t, os.Mkdir(tmp, 0o777))
		must(t, os.Chown(tmp, 12345, -1))
		if l, err := listen(""); err == nil {
			l.Close()
			t.Error("a folder of another user is taken")
		}
	}
}

// Sockets of processes that were killed go; those that live, and other files, stay.
func TestDeadSocketsAreSwept(t *testing.T) {
	dir := shortDir(t)
	dead, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "mcp-dead.sock"), Net: "unix"})
	must(t, err)
	dead.SetUnlinkOnClose(false)
	must(t, dead.Close())
	young, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "mcp-young.sock"), Net: "unix"})
	must(t, err)
	young.SetUnlinkOnClose(false)
	must(t, young.Close())
	alive, err := listen(dir)
	must(t, err)
	defer alive.Close()
	must(t, os.WriteFile(filepath.Join(dir, "mcp-file.sock"), nil, 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o600))
	old := time.Now().Add(-time.Hour)
	for _, name := range []string{"mcp-dead.sock", filepath.Base(alive.Address()), "mcp-file.sock", "other"} {
		must(t, os.Chtimes(filepath.Join(dir, name), old, old))
	}
	l, err := listen(dir)
	must(t, err)
	defer l.Close()
	entries, err := os.ReadDir(dir)
	must(t, err)
	left := map[string]bool{}
	for _, e := range entries {
		left[e.Name()] = true
	}
	for name, want := range map[string]bool{"mcp-dead.sock": false, "mcp-young.sock": true, filepath.Base(alive.Address()): true, "mcp-file.sock": true, "other": true} {
		if left[name] != want {
			t.Errorf("%s is there: %v", name, left[name])
		}
	}
}
