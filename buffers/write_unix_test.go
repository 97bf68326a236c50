//go:build unix

package buffers

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

func TestWriteKeepsTheMode(t *testing.T) {
	dir := tempPath(t)
	for _, mode := range []fs.FileMode{0o600, 0o644, 0o755, 0o777, 0o640 | fs.ModeSetgid} {
		name := filepath.Join(dir, "f")
		must(t, os.WriteFile(name, []byte("x"), 0o600))
		must(t, os.Chmod(name, mode))
		must(t, WriteFileAtomic(Path(name), "y", seen(t, Path(name))))
		info, err := os.Stat(name)
		must(t, err)
		if info.Mode() != mode || content(t, name) != "y" {
			t.Errorf("mode %v became %v, content %q", mode, info.Mode(), content(t, name))
		}
	}
	// A new one gets what the umask leaves, as from any other program.
	must(t, os.WriteFile(filepath.Join(dir, "other"), nil, 0o666))
	must(t, WriteFileAtomic(Path(filepath.Join(dir, "new")), "y", Seen{}))
	a, err := os.Stat(filepath.Join(dir, "other"))
	must(t, err)
	b, err := os.Stat(filepath.Join(dir, "new"))
	must(t, err)
	if a.Mode() != b.Mode() {
		t.Errorf("a new file has mode %v, want %v", b.Mode(), a.Mode())
	}
}

func TestWriteKeepsHardLinks(t *testing.T) {
	dir := tempPath(t)
	name, other := filepath.Join(dir, "f"), filepath.Join(dir, "g")
	must(t, os.WriteFile(name, []byte("a long old text"), 0o644))
	must(t, os.Link(name, other))
	must(t, WriteFileAtomic(Path(name), "short", seen(t, Path(name))))
	if content(t, name) != "short" || content(t, other) != "short" {
		t.Errorf("the two names hold %q and %q", content(t, name), content(t, other))
	}
	noCrumbs(t, dir, "f", "g")
}

func TestWriteKeepsExtendedAttributes(t *testing.T) {
	name := filepath.Join(tempPath(t), "f")
	must(t, os.WriteFile(name, []byte("x"), 0o644))
	if err := unix.Setxattr(name, "user.acp", []byte("kept"), 0); err != nil {
		t.Skipf("no extended attributes here: %v", err)
	}
	must(t, WriteFileAtomic(Path(name), "y", seen(t, Path(name))))
	value := make([]byte, 20)
	if n, err := unix.Getxattr(name, "user.acp", value); err != nil || string(value[:n]) != "kept" {
		t.Errorf("the attribute is %q, %v", value[:max(n, 0)], err)
	}
}

// TestWriteReplacesTheInode shows that a reader of the old file goes on to see all of the old text.
func TestWriteReplacesTheInode(t *testing.T) {
	name := filepath.Join(tempPath(t), "f")
	must(t, os.WriteFile(name, []byte("old"), 0o644))
	f, err := os.Open(name)
	must(t, err)
	defer f.Close()
	must(t, WriteFileAtomic(Path(name), "new text", seen(t, Path(name))))
	buf := make([]byte, 10)
	if n, _ := f.Read(buf); string(buf[:n]) != "old" {
		t.Errorf("a reader of the old file sees %q", buf[:n])
	}
}

// TestReplaceReportsAWriteInBetween writes the old file after it was looked at, as another program would.
func TestReplaceReportsAWriteInBetween(t *testing.T) {
	dir := tempPath(t)
	name, temp := filepath.Join(dir, "f"), filepath.Join(dir, "temp")
	must(t, os.WriteFile(name, []byte("looked at"), 0o644))
	old, err := os.Open(name)
	must(t, err)
	defer old.Close()
	must(t, os.WriteFile(temp, []byte("ours"), 0o644))
	must(t, os.WriteFile(name, []byte("theirs"), 0o644)) // into the same inode
	was, err := replace(temp, name, old)
	if err != nil || was != "theirs" || content(t, name) != "ours" {
		t.Errorf("replace = %q, %v; the file holds %q", was, err, content(t, name))
	}
}

// TestReplacePutsALinkBack: what has become a link after the last look is not ours to replace.
func TestReplacePutsALinkBack(t *testing.T) {
	dir := tempPath(t)
	name, temp, target := filepath.Join(dir, "f"), filepath.Join(dir, "temp"), filepath.Join(dir, "target")
	must(t, os.WriteFile(target, []byte("theirs"), 0o644))
	must(t, os.WriteFile(temp, []byte("ours"), 0o644))
	must(t, os.Symlink(target, name))
	old, err := os.Open(name)
	must(t, err)
	defer old.Close()
	if was, err := replace(temp, name, old); err == nil {
		t.Errorf("replaced a link, which held %q", was)
	}
	if to, err := os.Readlink(name); err != nil || to != target || content(t, target) != "theirs" {
		t.Errorf("the link leads to %q, %v; its target holds %q", to, err, content(t, target))
	}
}

// TestNoRoomLeft has writes fail half-way: neither the file nor the folder may show it.
func TestNoRoomLeft(t *testing.T) {
	// The limit is the process's, and go test writes files too: a child has it.
	if os.Getenv("ACP_LS_NO_ROOM") == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestNoRoomLeft$", "-test.v")
		cmd.Env = append(os.Environ(), "ACP_LS_NO_ROOM=1")
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "--- PASS: TestNoRoomLeft") {
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir := tempPath(t)
	name, linked := filepath.Join(dir, "f"), filepath.Join(dir, "g")
	for _, n := range []string{name, linked} {
		must(t, os.WriteFile(n, []byte("old text\n"), 0o644))
	}
	must(t, os.Link(linked, filepath.Join(dir, "h"))) // written in place
	signal.Ignore(syscall.SIGXFSZ)
	defer signal.Reset(syscall.SIGXFSZ)
	var limit syscall.Rlimit
	must(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit))
	small := limit
	small.Cur = 1000
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small))
	long := strings.Repeat("new text\n", 1000)
	errs := []error{
		WriteFileAtomic(Path(name), long, seen(t, Path(name))),
		WriteFileAtomic(Path(linked), long, seen(t, Path(linked))),
		WriteFileAtomic(Path(filepath.Join(dir, "new")), long, Seen{}),
	}
	must(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit))
	for i, err := range errs {
		if !errors.Is(err, syscall.EFBIG) {
			t.Errorf("write %d: %v", i, err)
		}
	}
	if content(t, name) != "old text\n" || content(t, linked) != "old text\n" {
		t.Errorf("the files hold %.20q and %.20q", content(t, name), content(t, linked))
	}
	noCrumbs(t, dir, "f", "g", "h")
}

func TestReplaceContentRefusesAnotherInode(t *testing.T) {
	dir := tempPath(t)
	name := filepath.Join(dir, "f")
	must(t, os.WriteFile(name, []byte("x"), 0o644))
	disk, err := ReadDisk(Path(name))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(dir, "g"), []byte("theirs"), 0o644))
	must(t, os.Rename(filepath.Join(dir, "g"), name)) // another program's atomic write
	var moved *MovedError
	if err := replaceContent(Path(name), disk, "ours"); !errors.As(err, &moved) || moved.Found.Content != "theirs" {
		t.Errorf("replaceContent: %v", err)
	}
	if got := content(t, name); got != "theirs" {
		t.Errorf("the file holds %q", got)
	}
	noCrumbs(t, dir, "f")
}

func TestOverwrite(t *testing.T) {
	name := filepath.Join(tempPath(t), "f")
	must(t, os.WriteFile(name, []byte("theirs"), 0o644))
	var moved *MovedError
	if err := overwrite(Path(name), Disk{Content: "looked at"}, "ours"); !errors.As(err, &moved) || content(t, name) != "theirs" {
		t.Errorf("overwrote what has moved: %v", err)
	}
	must(t, overwrite(Path(name), Disk{Content: "theirs"}, "ours, and longer"))
	if got := content(t, name); got != "ours, and longer" {
		t.Errorf("the file holds %q", got)
	}
}

// TestFilesThatCannotBeReplaced: the owner must not change, and where the folder does not let us in, the file may.
func TestFilesThatCannotBeReplaced(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Run("as root the owner is kept", func(t *testing.T) {
			name := filepath.Join(tempPath(t), "f")
			must(t, os.WriteFile(name, []byte("x"), 0o644))
			must(t, os.Chown(name, 12345, 54321))
			must(t, WriteFileAtomic(Path(name), "y", seen(t, Path(name))))
			info, err := os.Stat(name)
			must(t, err)
			if stat := info.Sys().(*syscall.Stat_t); stat.Uid != 12345 || stat.Gid != 54321 || content(t, name) != "y" {
				t.Errorf("owner %d:%d, content %q", stat.Uid, stat.Gid, content(t, name))
			}
		})
		t.Run("as somebody whom permissions bind", asNobody)
		return
	}
	t.Run("a folder we cannot write", func(t *testing.T) {
		dir := tempPath(t)
		name := filepath.Join(dir, "f")
		must(t, os.WriteFile(name, []byte("x"), 0o644))
		must(t, os.Chmod(dir, 0o555))
		defer os.Chmod(dir, 0o755)
		must(t, WriteFileAtomic(Path(name), "y", seen(t, Path(name))))
		if got := content(t, name); got != "y" {
			t.Errorf("the file holds %q", got)
		}
	})
	t.Run("a file we cannot write", func(t *testing.T) {
		name := filepath.Join(tempPath(t), "f")
		must(t, os.WriteFile(name, []byte("x"), 0o444))
		if err := WriteFileAtomic(Path(name), "y", seen(t, Path(name))); !errors.Is(err, fs.ErrPermission) || content(t, name) != "x" {
			t.Errorf("wrote a protected file: %v", err)
		}
		if err := Writable(Path(name)); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a protected file is writable: %v", err)
		}
		must(t, os.Chmod(name, 0o644))
		must(t, Writable(Path(name)))
	})
	t.Run("a folder we cannot search", func(t *testing.T) {
		dir := filepath.Join(tempPath(t), "closed")
		must(t, os.Mkdir(dir, 0o000))
		defer os.Chmod(dir, 0o755)
		if p, err := Resolve(filepath.Join(dir, "f")); !errors.Is(err, fs.ErrPermission) {
			t.Errorf("resolved to %q, %v", p, err)
		}
	})
}

// asNobody runs the test around it once more, in a process of a user who may not do all.
func asNobody(t *testing.T) {
	dir, err := os.MkdirTemp("", "nobody") // go test's own folders let nobody else in
	must(t, err)
	defer os.RemoveAll(dir)
	must(t, os.Chmod(dir, 0o777))
	self, err := os.Executable()
	must(t, err)
	program, err := os.ReadFile(self)
	must(t, err)
	name := filepath.Join(dir, "buffers.test")
	must(t, os.WriteFile(name, program, 0o755))
	must(t, os.Chmod(name, 0o755)) // whatever the umask
	around, _, _ := strings.Cut(t.Name(), "/")
	cmd := exec.Command(name, "-test.run=^"+around+"$", "-test.v")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	out, err := cmd.CombinedOutput()
	if n := strings.Count(string(out), "    --- PASS: "); err != nil || n != 3 {
		t.Errorf("%d of the 3 cases have passed: %v\n%s", n, err, out)
	}
}

// TestSpecialFilesAreNotOpened: a pipe would block whoever opens it.
func TestSpecialFilesAreNotOpened(t *testing.T) {
	name := filepath.Join(tempPath(t), "pipe")
	must(t, unix.Mkfifo(name, 0o644))
	if _, err := ReadDisk(Path(name)); !errors.Is(err, ErrNotRegular) {
		t.Errorf("ReadDisk: %v", err)
	}
	if err := WriteFileAtomic(Path(name), "x", Seen{}); !errors.Is(err, ErrNotRegular) {
		t.Errorf("WriteFileAtomic: %v", err)
	}
	if _, err := ReadDisk("/dev/null"); !errors.Is(err, ErrNotRegular) {
		t.Errorf("a device: %v", err)
	}
}
