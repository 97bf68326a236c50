package journal

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestOldChangesAreDropped(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	o := Options{Now: func() time.Time { return now }}
	j := Open(dir, workspace, o)
	write(t, j, at("/old", "1"))
	now = now.Add(60 * 24 * time.Hour)
	write(t, j, at("/new", "1"))
	j.die()
	now = now.Add(31 * 24 * time.Hour)
	f := takeOver(t, Open(dir, workspace, o))
	if show(f) != "/new: 1" || len(f.Reports) != 1 || !strings.Contains(f.Reports[0], "/old") {
		t.Errorf("entries %q, reports %q", show(f), f.Reports)
	}
}

func TestLimit(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, workspace, Options{Limit: 4000, CompactAt: 100_000})
	for i := range 50 { // old news makes room
		write(t, j, at("/p", fmt.Sprintf("%0500d", i)))
	}
	if err := j.Write(true, at("/q", strings.Repeat("x", 4000))); err == nil || !strings.Contains(err.Error(), "full") {
		t.Errorf("error %v", err)
	}
	write(t, j, at("/q", "x"))
	j.die()
	if f := takeOver(t, Open(dir, workspace, Options{})); show(f) != fmt.Sprintf("/p: %0500d > %0500d; /q: x", 48, 49) {
		t.Errorf("entries %q", show(f))
	}
}

// The limit is that of all journals together, whoever writes them.
func TestLimitOfAll(t *testing.T) {
	dir := t.TempDir()
	a, b := Open(dir, "/a", Options{}), Open(dir, "/b", Options{Limit: 4000})
	write(t, a, at("/p", strings.Repeat("x", 3000)))
	defer a.die()
	if err := b.Write(true, at("/q", strings.Repeat("x", 1500))); !errors.Is(err, ErrFull) {
		t.Errorf("error %v", err)
	}
	write(t, b, at("/q", strings.Repeat("x", 500)))
	b.die()
	c := Open(dir, "/b", Options{Limit: 4000})
	f := takeOver(t, c)
	if len(f.Entries) != 1 {
		t.Fatalf("what is undecided was cleaned away: %q", show(f))
	}
	write(t, c, at("/q", strings.Repeat("x", 600))) // what it takes over makes room
	if err := f.Release(); err != nil {
		t.Fatal(err)
	}
	c.die()
}

// Whoever starts cleans up in all workspaces, and never what is undecided and not too old.
func TestClean(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	o := Options{Now: func() time.Time { return now }}
	journal := func(workspace string) *Journal {
		j := Open(dir, workspace, o)
		write(t, j, at(workspace+"/f", "1"))
		return j
	}
	dead, live := journal("/dead"), journal("/live")
	dead.die()
	defer live.die()
	bad := journal("/bad")
	bad.die()
	put := func(name string) string {
		name = filepath.Join(folderOf(dir, workspace), name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte("junk"), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	if err := os.WriteFile(bad.name+journalExt, []byte("junk"), 0o600); err != nil {
		t.Fatal(err)
	}
	own := journal(workspace)
	own.die()
	aside, second := put("x.journal.aside"), put("x.journal.aside1")
	other := filepath.Join(folderOf(dir, "/left"), "y.lock")
	if err := os.MkdirAll(filepath.Dir(other), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(other, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	there := func(name string) bool {
		_, err := os.Lstat(name)
		return err == nil
	}
	for _, x := range []struct {
		days    int
		reports string
		want    string
	}{
		{0, "", "dead live bad aside second lock"},
		{29, "", "dead live bad aside second lock"},
		{31, "", "dead live bad"},
		{89, "", "dead live bad"},
		{91, "/dead/f are too old; could not be read; /home/u/project/f are too old", "live"},
	} {
		now = time.Now().Add(time.Duration(x.days) * 24 * time.Hour)
		f := takeOver(t, Open(dir, workspace, o))
		f.Keep()
		reports := strings.Join(f.Reports, "\n")
		for want := range strings.SplitSeq(x.reports, "; ") {
			if !strings.Contains(reports, want) || x.reports == "" && reports != "" {
				t.Errorf("after %d days told %q, want %q", x.days, reports, want)
			}
		}
		var got []string
		for _, y := range []struct{ what, name string }{
			{"dead", dead.name + journalExt}, {"live", live.name + journalExt}, {"bad", bad.name + journalExt},
			{"aside", aside}, {"second", second}, {"lock", other},
		} {
			if there(y.name) {
				got = append(got, y.what)
			}
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("after %d days there are %q, want %q", x.days, got, x.want)
		}
	}
	if there(dead.folder) || there(filepath.Dir(other)) {
		t.Error("empty folders are left")
	}
	write(t, live, at("/live/g", "1"))
}

func TestStateDir(t *testing.T) {
	home := func() (string, error) { return filepath.FromSlash("/home/u"), nil }
	for _, x := range []struct {
		system, want string
		env          map[string]string
	}{
		{"linux", "/home/u/.local/state/acp-ls", nil},
		{"linux", "/s/acp-ls", map[string]string{"XDG_STATE_HOME": "/s"}},
		{"linux", "/home/u/.local/state/acp-ls", map[string]string{"XDG_STATE_HOME": "relative"}},
		{"darwin", "/home/u/Library/Application Support/acp-ls", nil},
		{"windows", "/l/acp-ls", map[string]string{"LOCALAPPDATA": "/l"}},
	} {
		if runtime.GOOS == "windows" && x.env["XDG_STATE_HOME"] == "/s" {
			continue // not absolute there
		}
		got, err := stateDir(x.system, func(k string) string { return x.env[k] }, home)
		if err != nil || filepath.ToSlash(got) != x.want {
			t.Errorf("%s: %s, %v, want %s", x.system, got, err, x.want)
		}
	}
	if _, err := stateDir("windows", func(string) string { return "" }, home); err == nil {
		t.Error("no folder on Windows is no error")
	}
}

func TestStateDirIsOutsideOfTheProject(t *testing.T) {
	for _, x := range []struct {
		state, workspace string
		ok               bool
	}{
		{"/home/u/.local/state/acp-ls", "/home/u/project", true},
		{"/home/u/.local/state/acp-ls", "", true},
		{"/home/u/project/.state/acp-ls", "/home/u/project", false},
		{"/home/u/project/acp-ls", "/home/u/project/acp-ls", false},
		{"/home/u/project2/acp-ls", "/home/u/project", true},
		// A home folder is no project.
		{"/home/u/.local/state/acp-ls", "/home/u", true},
		{"/home/u/.local/state/acp-ls", "/home", true},
		{"/home/u/.local/state/acp-ls", "/", true},
		{"/home/u/.local/state/acp-ls", "/home/u/.local", false},
	} {
		at := filepath.FromSlash
		if err := checkPlace(at(x.state), at(x.workspace), at("/home/u")); (err == nil) != x.ok {
			t.Errorf("state %s, workspace %s: %v", x.state, x.workspace, err)
		}
	}
	// Links lead nowhere else.
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", filepath.Join(dir, "home"))
	link := filepath.Join(dir, "link")
	if err := os.Mkdir(filepath.Join(dir, "project"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(dir, "project"), link); err != nil {
		t.Skip(err)
	}
	if CheckPlace(filepath.Join(link, "not", "there"), filepath.Join(dir, "project")) == nil {
		t.Error("a state directory behind a link into the project is taken")
	}
}

// What others have made of the state directory before, for all to see, is closed.
func TestOpenStateDirIsClosed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("access lists are inherited from the user's folder")
	}
	parent := t.TempDir()
	if err := os.Chmod(parent, 0o755); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(parent, "acp-ls")
	if err := os.MkdirAll(filepath.Join(dir, "journal"), 0o755); err != nil {
		t.Fatal(err)
	}
	j := Open(dir, workspace, Options{})
	write(t, j, state("1"))
	defer j.die()
	for _, d := range []string{dir, filepath.Join(dir, "journal"), j.folder} {
		if info, err := os.Stat(d); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, %v", d, info.Mode(), err)
		}
	}
	if info, err := os.Stat(parent); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("the folder around it has mode %v now (%v)", info.Mode(), err)
	}
}

func TestOnlyTheUserMayRead(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("access lists are inherited from the user's folder")
	}
	dir := filepath.Join(t.TempDir(), "state")
	j := Open(dir, workspace, Options{})
	write(t, j, state("1"))
	_ = filepath.Walk(dir, func(p string, info os.FileInfo, err error) error {
		if err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v (%v)", p, info.Mode(), err)
		}
		return nil
	})
	j.die()
}

func TestStore(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	o := Options{Now: func() time.Time { return now }}
	dead, live, old := Open(dir, "/dead", o), Open(dir, "/live", o), Open(dir, "/old", o)
	write(t, old, state("1"))
	now = now.Add(100 * 24 * time.Hour)
	write(t, dead, state("1"))
	write(t, live, state("1"))
	dead.die()
	old.die()
	defer live.die()
	list := func() string {
		all, err := List(dir)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, s := range all {
			out = append(out, fmt.Sprint(s.Workspace, " ", s.Live, " ", len(s.Files)))
		}
		slices.Sort(out)
		return strings.Join(out, "; ")
	}
	if got := list(); got != "/dead false 1; /live true 1; /old false 1" {
		t.Errorf("list %q", got)
	}
	for _, x := range []struct {
		all  bool
		left string
	}{{false, "/dead false 1; /live true 1"}, {true, "/live true 1"}} {
		if _, err := Purge(dir, x.all, 90*24*time.Hour, now); err != nil {
			t.Fatal(err)
		}
		if got := list(); got != x.left {
			t.Errorf("after purge (all: %v) %q", x.all, got)
		}
	}
}
