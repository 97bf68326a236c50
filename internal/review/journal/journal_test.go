package journal

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/text"
)

const workspace = "/home/u/project"

// die ends a journal as kill -9 does.
func (j *Journal) die() {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.closed = true
	if j.file != nil {
		j.file.Close()
		j.lock.Close()
	}
	if j.notes.file != nil {
		j.notes.file.Close()
	}
}

func state(s string) Record {
	return Record{Path: "/p", Text: text.HashString(s), State: []byte(s), Pending: len(s)}
}

func at(path, s string) Record {
	r := state(s)
	r.Path = path
	return r
}

func write(t testing.TB, j *Journal, records ...Record) {
	t.Helper()
	if err := j.Write(false, records...); err != nil {
		t.Fatal(err)
	}
}

func takeOver(t testing.TB, j *Journal) *Found {
	t.Helper()
	f, err := j.TakeOver()
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// show writes entries as "path: prev > last".
func show(f *Found) string {
	var out []string
	for _, e := range f.Entries {
		prev := ""
		if e.Prev != nil {
			prev = string(e.Prev.State) + " > "
		}
		out = append(out, e.Last.Path+": "+prev+string(e.Last.State))
	}
	return strings.Join(out, "; ")
}

// Of a live process those files are named that have anything undecided.
func TestLiveProcessNamesWhatIsUndecided(t *testing.T) {
	dir := t.TempDir()
	a := Open(dir, workspace, Options{})
	write(t, a, at("/pending", "1"), Record{Path: "/decided", State: []byte("1")},
		Record{Path: "/made", State: []byte("1"), Created: true}, Record{Path: "/opaque", Opaque: "binary"}, Record{Path: "/secret", Secret: true})
	f := takeOver(t, Open(dir, workspace, Options{}))
	if want := []string{"/made", "/opaque", "/pending", "/secret"}; len(f.Live) != 1 || !slices.Equal(f.Live[0].Paths, want) {
		t.Errorf("%+v, want %q", f.Live, want)
	}
	a.die()
}

func TestDeadProcessIsTakenOver(t *testing.T) {
	dir := t.TempDir()
	a := Open(dir, workspace, Options{})
	write(t, a, at("/x", "1"), at("/y", "1"))
	write(t, a, at("/x", "2"))
	write(t, a, at("/x", "3"))
	write(t, a, Record{Path: "/y"})
	b := Open(dir, workspace, Options{})
	f := takeOver(t, b)
	if show(f) != "" || len(f.Live) != 1 || !slices.Equal(f.Live[0].Paths, []string{"/x"}) {
		t.Errorf("while it lives: entries %q, live %+v", show(f), f.Live)
	}
	if err := f.Release(); err != nil {
		t.Fatal(err)
	}
	a.die()
	f = takeOver(t, b)
	if show(f) != "/x: 2 > 3" || len(f.Live) != 0 || len(f.Reports) != 0 {
		t.Errorf("entries %q, live %+v, reports %q", show(f), f.Live, f.Reports)
	}
	c := Open(dir, workspace, Options{})
	if g := takeOver(t, c); show(g) != "" {
		t.Errorf("two processes take over one journal: %q", show(g))
	}
	f.Keep() // as if b died
	f = takeOver(t, c)
	if show(f) != "/x: 2 > 3" {
		t.Errorf("after the heir's death %q", show(f))
	}
	if err := f.Release(); err != nil {
		t.Fatal(err)
	}
	if list, _ := os.ReadDir(folderOf(dir, workspace)); len(list) != 0 {
		t.Errorf("left behind: %v", list)
	}
}

func TestOtherWorkspacesAreLeftAlone(t *testing.T) {
	dir := t.TempDir()
	a := Open(dir, workspace, Options{})
	write(t, a, state("1"))
	a.die()
	if f := takeOver(t, Open(dir, workspace+"2", Options{})); show(f) != "" {
		t.Errorf("got %q", show(f))
	}
}

func TestRecordKeepsEverything(t *testing.T) {
	dir := t.TempDir()
	now := time.UnixMilli(1_700_000_000_123)
	o := Options{Now: func() time.Time { return now }}
	for _, r := range []Record{
		{Path: "/a", Text: text.HashString("t"), State: []byte("s"), Before: &Seen{Text: text.HashString("b")}, Pending: 7},
		{Path: "/b", State: []byte{}, Before: &Seen{Missing: true}, Created: true},
		{Path: "/c", State: []byte("s"), Deleted: true},
		{Path: "/d", Opaque: "binary", OpaqueOp: "modify"},
		{Path: "/f", State: []byte("s"), OnDisk: true, Told: true},
		{Path: "/e", Secret: true, Text: text.HashString("x"), Pending: 1},
	} {
		j := Open(dir, workspace, o)
		write(t, j, r)
		j.die()
		f := takeOver(t, Open(dir, workspace, o))
		r.Time = now
		if len(f.Entries) != 1 || !reflect.DeepEqual(f.Entries[0].Last, r) {
			t.Errorf("got %+v, want %+v", f.Entries, r)
		}
		if err := f.Release(); err != nil {
			t.Fatal(err)
		}
	}
}

func TestNothingIsCreatedOrLeftForNothing(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, workspace, Options{})
	takeOver(t, j)
	if list, _ := os.ReadDir(dir); len(list) != 0 {
		t.Errorf("created %v before anything was written", list)
	}
	write(t, j, state("1"))
	write(t, j, Record{Path: "/p"})
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if list, _ := os.ReadDir(folderOf(dir, workspace)); len(list) != 0 {
		t.Errorf("left %v with nothing undecided", list)
	}
	if err := j.Write(true, state("2")); err == nil {
		t.Error("a closed journal takes records")
	}
}

func TestClosedJournalKeepsWhatIsUndecided(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, workspace, Options{})
	write(t, j, state("1"))
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	if f := takeOver(t, Open(dir, workspace, Options{})); show(f) != "/p: 1" {
		t.Errorf("got %q", show(f))
	}
}

// file is the one journal of the workspace.
func file(t testing.TB, dir string) string {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(folderOf(dir, workspace), "*"+journalExt))
	if err != nil || len(list) != 1 {
		t.Fatalf("journals %v, %v", list, err)
	}
	return list[0]
}

// However many bytes of the last record have reached the disk, what came before counts, and
// the record counts or does not.
func TestTornTail(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, workspace, Options{})
	write(t, j, state("1"))
	before := j.size
	write(t, j, state("22"))
	name := file(t, dir)
	j.die()
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := int64(0); n <= int64(len(whole)); n++ {
		for _, fill := range []byte{0, 0xff} { // a file may have grown before its data came
			b := append(slices.Clone(whole[:n]), bytes.Repeat([]byte{fill}, len(whole)-int(n))...)
			if fill == 0xff {
				b = slices.Clone(whole[:n])
			}
			if err := os.WriteFile(name, b, 0o600); err != nil {
				t.Fatal(err)
			}
			f := takeOver(t, Open(dir, workspace, Options{}))
			want := ""
			switch {
			case n == int64(len(whole)):
				want = "/p: 1 > 22"
			case n >= before:
				want = "/p: 1"
			case n < int64(len(magic)) && fill == 0: // not to be told from another program's file
				want = ""
			}
			if show(f) != want {
				t.Errorf("with %d of %d bytes (%x): %q, want %q", n, len(whole), fill, show(f), want)
			}
			if n != int64(len(whole)) && n != before && n != int64(len(magic)) && n != int64(len(magic)+len(workspaceFrame(workspace))) && len(f.Reports) != 1 {
				t.Errorf("with %d bytes: reports %q", n, f.Reports)
			}
			f.Keep()
		}
	}
}

// Any byte may be damaged: what is used was written, and that something is wrong is said.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	j := Open(dir, workspace, Options{})
	for i := range 5 {
		write(t, j, at("/p", strings.Repeat("x", i+1)))
	}
	name := file(t, dir)
	j.die()
	whole, _ := os.ReadFile(name)
	for i := range whole {
		b := slices.Clone(whole)
		b[i] ^= 0x41
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		f := takeOver(t, Open(dir, workspace, Options{}))
		if len(f.Reports) != 1 {
			t.Errorf("byte %d: reports %q", i, f.Reports)
		}
		for _, e := range f.Entries {
			for _, s := range [][]byte{e.Last.State} {
				if strings.Trim(string(s), "x") != "" || len(s) > 5 {
					t.Errorf("byte %d: state %q was never written", i, s)
				}
			}
		}
		aside, _ := filepath.Glob(filepath.Join(folderOf(dir, workspace), "*"+asideExt+"*"))
		for _, a := range aside {
			if kept, _ := os.ReadFile(a); !bytes.Equal(kept, b) {
				t.Errorf("byte %d: what was set aside is not what was found", i)
			}
			os.Remove(a)
		}
		if i < len(whole)-60 && len(aside) != 1 {
			t.Errorf("byte %d: %d set aside", i, len(aside))
		}
		f.Keep()
	}
}

func TestForeignJournalIsSetAside(t *testing.T) {
	for name, b := range map[string]string{
		"of another program": "hello, world, I am a file", "of another version": magic[:len(magic)-1] + "\x03" + "rest",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			j := Open(dir, workspace, Options{})
			write(t, j, state("1"))
			file := file(t, dir)
			j.die()
			if err := os.WriteFile(file, []byte(b), 0o600); err != nil {
				t.Fatal(err)
			}
			h := Open(dir, workspace, Options{})
			f := takeOver(t, h)
			if len(f.Entries) != 0 || len(f.Reports) != 1 || !strings.Contains(f.Reports[0], asideExt) {
				t.Errorf("entries %q, reports %q", show(f), f.Reports)
			}
			if kept, _ := os.ReadFile(file + asideExt); string(kept) != b {
				t.Errorf("set aside is %q", kept)
			}
			if f := takeOver(t, h); len(f.Reports) != 0 {
				t.Errorf("it is reported again: %q", f.Reports)
			}
		})
	}
}

// A random run: whatever is written, however often the journal is rewritten, and wherever it
// ends, the last two records of each path that is not ended are found, and the last of what was
// on disk.
func TestRandomRuns(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 5))
		dir := t.TempDir()
		want := map[string][3]string{} // previous, last, saved
		for range 1 + r.IntN(3) {      // processes
			j := Open(dir, workspace, Options{CompactAt: 300})
			f := takeOver(t, j)
			got := map[string][3]string{}
			for _, e := range f.Entries {
				x := [3]string{1: string(e.Last.State)}
				if e.Prev != nil {
					x[0] = string(e.Prev.State)
				}
				if r := e.Saved(); r != nil {
					x[2] = string(r.State)
				}
				got[e.Last.Path] = x
			}
			if !maps.Equal(got, want) {
				t.Fatalf("seed %d: found %v, want %v", seed, got, want)
			}
			for _, e := range f.Entries {
				write(t, j, e.Records()...)
			}
			if err := f.Release(); err != nil {
				t.Fatal(err)
			}
			for i := range r.IntN(80) {
				path := fmt.Sprintf("/%d", r.IntN(5))
				if r.IntN(5) == 0 {
					write(t, j, Record{Path: path})
					delete(want, path)
					continue
				}
				s := fmt.Sprintf("%d-%d", seed, i) + strings.Repeat("x", r.IntN(60))
				rec := at(path, s)
				rec.OnDisk = r.IntN(4) == 0
				write(t, j, rec)
				x := [3]string{want[path][1], s, want[path][2]}
				if rec.OnDisk {
					x[2] = s
				}
				want[path] = x
			}
			if live := j.counted(); live != j.live {
				t.Fatalf("seed %d: %d bytes count, noted are %d", seed, live, j.live)
			}
			j.die()
		}
	}
}

// counted is what live is to be.
func (j *Journal) counted() (n int64) {
	for _, s := range j.index {
		n += s.bytes()
	}
	return n
}

func FuzzRead(f *testing.F) {
	j := append([]byte(magic), workspaceFrame(workspace)...)
	f.Add(append(j, state("1").frame()...))
	f.Add([]byte(magic))
	f.Add([]byte("x"))
	name := filepath.Join(f.TempDir(), "f")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
		c, err := read(name, true)
		for _, e := range c.entries {
			if err == nil && e.Last.Path == "" {
				t.Error("an entry without a path")
			}
		}
	})
}
