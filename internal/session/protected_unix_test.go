//go:build unix

package session

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/config"
)

// A file that may not be written is as good as a document that is read-only: what comes to that could
// not be saved. Who saves by hand, or has unsaved text there already, sees to that themselves.
func TestProtectedFile(t *testing.T) {
	if os.Geteuid() == 0 {
		asNobody(t)
		return
	}
	for name, x := range map[string]struct {
		save  config.Save
		typed bool
		comes bool
	}{
		"clean":   {config.SaveClean, false, false},
		"always":  {config.SaveAlways, false, false},
		"by hand": {config.SaveNever, false, true},
		"unsaved": {config.SaveClean, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l, func(st *config.Settings) { st.Files.Save = x.save })
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			if err := os.Chmod(path, 0o444); err != nil {
				t.Fatal(err)
			}
			e.open(uri, ten)
			had := ten
			if x.typed {
				e.typeAt(uri, len(ten), len(ten), "typed\n")
				had += "typed\n"
			}
			want := had
			if x.comes {
				want = strings.Replace(had, "2\n", "TWO\n", 1)
			}
			turnOf(t, c, l, func(h Host, sid string) {
				err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(had, "2\n", "TWO\n", 1))
				if x.comes != (err == nil) || err != nil && !errors.Is(err, ErrReadOnly) {
					t.Errorf("the agent is told %v", err)
				}
			})
			if e.text(uri) != want || readFile(t, path) != ten {
				t.Errorf("text %q, disk %q", e.text(uri), readFile(t, path))
			}
			if told := strings.Contains(strings.Join(e.notices(), ""), "a was not changed: it is read-only: permission denied"); told == x.comes {
				t.Errorf("the user is told %q", e.notices())
			}
		})
	}
}

// asNobody runs the test once more, in a process of a user who may not do all.
func asNobody(t *testing.T) {
	dir, err := os.MkdirTemp("", "nobody") // go test's own folders let nobody else in
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(self)
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "session.test")
	for _, err := range []error{os.WriteFile(name, program, 0o755), os.Chmod(name, 0o755), os.Chmod(dir, 0o777)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(name, "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if n := strings.Count(string(out), "    --- PASS: "); err != nil || n != 4 {
		t.Errorf("%d of the 4 cases have passed: %v\n%s", n, err, out)
	}
}
