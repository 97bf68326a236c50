package nvim_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"acp-ls/internal/nvimtest"
)

// The tests in Lua, of what needs no screen and no server.
func TestLua(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		home := t.TempDir()
		cmd := exec.Command(nvimtest.Path(t, version), "--clean", "-l", filepath.Join(pluginDir(), "test", "lua", "run.lua"))
		cmd.Dir = home
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_STATE_HOME="+home, "XDG_CACHE_HOME="+home)
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		t.Logf("%s", out)
	})
}
