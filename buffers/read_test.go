package buffers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"acp-ls/buffers/text"
)

func TestSpellingsOfOneFile(t *testing.T) {
	dir := tempPath(t)
	real, link := filepath.Join(dir, "real.txt"), filepath.Join(dir, "link.txt")
	must(t, os.WriteFile(real, []byte("a\n"), 0o644))
	if err := os.Symlink(real, link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	s := NewStore(Options{})
	path := resolve(t, link)
	live := func(want string, clashes bool) {
		t.Helper()
		d, clash := s.Live(path)
		if d == nil || d.URI != PathURI(want) || (clash != nil) != clashes {
			t.Errorf("live is %+v, clash %v; want %s, %v", d, clash, want, clashes)
		}
		if clashes && clash != nil && (len(clash.URIs) != 2 || clash.URIs[0] != PathURI(want) ||
			!strings.Contains(clash.Error(), PathURI(real)) || !strings.Contains(clash.Error(), PathURI(link))) {
			t.Errorf("clash says %v", clash)
		}
	}
	if d, clash := s.Live(path); d != nil || clash != nil {
		t.Errorf("nothing is open, live is %v, %v", d, clash)
	}
	apply(t, s, Open{PathURI(real), "", 1, "a\n"})
	live(real, false)
	apply(t, s, Open{PathURI(link), "", 1, "a\n"})
	live(link, false) // both clean: the one changed last
	if s.Get(PathURI(real)).Path() != path || s.Get(PathURI(link)).Path() != path {
		t.Error("two documents of one file have different paths")
	}
	apply(t, s, Change{URI: PathURI(real), Version: 2, Changes: []ContentChange{{nil, "mine\n"}}})
	apply(t, s, Change{URI: PathURI(link), Version: 2, Changes: []ContentChange{{nil, "x\n"}}})
	apply(t, s, Change{URI: PathURI(link), Version: 3, Changes: []ContentChange{{nil, "a\n"}}})
	live(real, false) // the dirty one, though the other changed last
	apply(t, s, Change{URI: PathURI(link), Version: 4, Changes: []ContentChange{{nil, "theirs\n"}}})
	live(link, true)
	apply(t, s, Change{URI: PathURI(real), Version: 3, Changes: []ContentChange{{nil, "theirs\n"}}})
	live(real, false) // both dirty, with the same text
}

func TestReadRows(t *testing.T) {
	for _, c := range []struct {
		content     string
		line, limit int
		want        string
	}{
		{"a\nb\nc\n", 0, All, "a\nb\nc\n"},
		{"a\nb\nc\n", 1, All, "a\nb\nc\n"},
		{"a\nb\nc\n", 2, 1, "b\n"},
		{"a\nb\nc\n", 2, 2, "b\nc\n"},
		{"a\nb\nc\n", 2, 99, "b\nc\n"},
		{"a\nb\nc\n", 3, All, "c\n"},
		{"a\nb\nc\n", 4, All, ""},
		{"a\nb\nc\n", 5, All, ""},
		{"a\nb\nc\n", 999, 3, ""},
		{"a\nb\nc\n", 1, 0, ""},
		{"a\nb\nc\n", -7, 1, "a\n"},
		{"a\nb\nc", 3, All, "c"},
		{"a\r\nb\rc\n", 1, 2, "a\r\nb\r"},
		{"a\r\nb\rc\n", 3, 1, "c\n"},
		{"", 1, All, ""},
		{"\n", 1, 1, "\n"},
		{"\ufeffé\n", 1, 1, "\ufeffé\n"},
	} {
		f := newOnDisk(t, c.content)
		for _, open := range []bool{false, true} {
			if open {
				f.open(c.content)
			}
			got, err := f.Read(f.path, c.line, c.limit)
			if err != nil || got.Text != c.want || got.Whole.String() != c.content || (got.Document != nil) != open {
				t.Errorf("open %v: Read(%q, %d, %d) = %+v, %v; want %q", open, c.content, c.line, c.limit, got, err, c.want)
			}
		}
	}
}

func TestReadServesTheLiveText(t *testing.T) {
	f := newOnDisk(t, "disk\n")
	read := func(want string, document bool) {
		t.Helper()
		got, err := f.Read(f.path, 1, All)
		if err != nil || got.Text != want || (got.Document != nil) != document {
			t.Errorf("Read = %q from %v, %v; want %q", got.Text, got.Document, err, want)
		}
	}
	read("disk\n", false)
	f.open("disk\n")
	read("disk\n", true)
	f.change("unsaved\n")
	read("unsaved\n", true)
	f.write("written meanwhile\n")
	read("unsaved\n", true) // dirty: the disk is another matter
	f.change("disk\n")
	read("written meanwhile\n", false) // clean again, and behind
	apply(t, f.Store, Close{f.uri})
	f.open("written meanwhile\n")
	read("written meanwhile\n", true)
	// Behind is noticed by reading, without anyone having looked.
	f.write("once more\n")
	read("once more\n", false)
	must(t, os.Remove(f.name))
	if _, err := f.Read(f.path, 1, All); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("clean, and the file is gone: %v", err)
	}
	f.change("unsaved\n")
	read("unsaved\n", true)
}

// TestReadDoesNotReadTheDiskAgain: a clean document whose file is as it was costs a look at the time stamp.
func TestReadDoesNotReadTheDiskAgain(t *testing.T) {
	f := newOnDisk(t, "a\n")
	must(t, os.Chtimes(f.name, time.Time{}, time.Now().Add(-time.Hour)))
	reads := 0
	f.Store = NewStore(Options{ReadDisk: func(p Path) (Disk, error) { reads++; return ReadDisk(p) }})
	f.open("a\n")
	for range 5 {
		if got, err := f.Read(f.path, 1, All); err != nil || got.Document == nil {
			t.Fatalf("Read = %+v, %v", got, err)
		}
	}
	if reads != 1 {
		t.Errorf("the disk was read %d times", reads)
	}
	// A file written just now may be written again within the same tick of its clock.
	must(t, os.Chtimes(f.name, time.Time{}, time.Now()))
	for range 3 {
		_, err := f.Read(f.path, 1, All)
		must(t, err)
	}
	if reads != 4 {
		t.Errorf("the disk was read %d times, want 4", reads)
	}
}

// TestReadOfADirtyDocumentLeavesTheDiskAlone: what the disk says would make no difference.
func TestReadOfADirtyDocumentLeavesTheDiskAlone(t *testing.T) {
	f := newOnDisk(t, "a\n")
	f.Store = NewStore(Options{ReadDisk: func(p Path) (Disk, error) { t.Errorf("reads %s", p); return Disk{}, nil }})
	f.open("a\n")
	f.change("unsaved\n")
	if got, err := f.Read(f.path, 1, All); err != nil || got.Text != "unsaved\n" {
		t.Errorf("Read = %q, %v", got.Text, err)
	}
}

func TestReadErrors(t *testing.T) {
	dir := tempPath(t)
	must(t, os.WriteFile(filepath.Join(dir, "latin1"), []byte("caf\xe9"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "utf16"), []byte("\xff\xfea\x00"), 0o644))
	must(t, os.WriteFile(filepath.Join(dir, "file"), []byte("x"), 0o644))
	s := NewStore(Options{})
	for name, want := range map[string]error{
		"latin1": ErrNotUTF8, "utf16": ErrNotUTF8, "": ErrNotRegular, "none": fs.ErrNotExist, "none/x": fs.ErrNotExist, "file/x": fs.ErrNotExist,
	} {
		path := resolve(t, filepath.Join(dir, name))
		_, err := s.Read(path, 1, All)
		if !errors.Is(err, want) || !strings.Contains(err.Error(), string(path)) || strings.Count(err.Error(), dir) != 1 {
			t.Errorf("Read(%q): %v, want %v", name, err, want)
		}
	}
	// An open document can be read whatever the disk says.
	uri := PathURI(filepath.Join(dir, "latin1"))
	apply(t, s, Open{uri, "", 1, "café"})
	if got, err := s.Read(resolve(t, filepath.Join(dir, "latin1")), 1, All); err != nil || got.Text != "café" {
		t.Errorf("Read = %q, %v", got.Text, err)
	}
}

func TestReadTextKnowsItsLimit(t *testing.T) {
	if _, err := readText(strings.NewReader("x"), MaxFileSize+1); !errors.Is(err, ErrTooLarge) {
		t.Errorf("too large by its size: %v", err)
	}
	if got, err := readText(strings.NewReader("grown while read"), 2); err != nil || got != "grown while read" {
		t.Errorf("grown: %q, %v", got, err)
	}
	if got, err := readText(strings.NewReader(""), 10); err != nil || got != "" {
		t.Errorf("shrunk: %q, %v", got, err)
	}
}

// TestReadersAndWriter is for the race detector: one writer, many readers, and the disk moving.
func TestReadersAndWriter(t *testing.T) {
	f := newOnDisk(t, "row\n")
	f.open("row\n")
	stop := make(chan bool)
	var wg sync.WaitGroup
	reader := func(read func()) {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					read()
				}
			}
		})
	}
	reader(func() {
		if _, err := f.Read(f.path, 1, 2); err != nil {
			t.Error(err)
		}
	})
	reader(func() { f.Live(f.path) })
	reader(func() { f.Get(f.uri).State(); NormHashText(f.Get(f.uri).Text) })
	reader(func() {
		if _, err := f.Look(f.path); err != nil {
			t.Error(err)
		}
	})
	want := "row\n"
	for i := range 300 {
		switch i % 50 {
		case 10:
			f.write(want)
			apply(t, f.Store, Save{URI: f.uri, Text: &want})
		case 20:
			apply(t, f.Store, Close{f.uri})
			f.open(want)
		default:
			want = "x" + want
			apply(t, f.Store, Change{URI: f.uri, Version: int32(i), Changes: []ContentChange{{span(0, 0, 0, 0), "x"}}})
		}
	}
	close(stop)
	wg.Wait()
	if got := f.Get(f.uri).Text.String(); got != want {
		t.Errorf("in the end %q, want %q", got, want)
	}
	f.write(want)
	f.look()
	f.want(Clean)
}

func TestNormHashTextIsNormHash(t *testing.T) {
	content := "\ufeff" + strings.Repeat("row\r\n", 3000)
	doc := text.New(content).Replace(10, 12, "typed\r")
	if NormHashText(doc) != NormHash(doc.String()) {
		t.Error("the two differ")
	}
}

// UTF-16 without a byte order mark is no text, though in Latin letters it is valid UTF-8; a
// zero byte here and there in UTF-8 is text.
func TestReadWithoutMark(t *testing.T) {
	for content, encoded := range map[string]bool{
		"a\x00b\x00\n\x00": true, "\x00a\x00b\x00\n": true, "a\x00": true, "a\x00b\x00\x16\x20\n\x00": true, // U+2016
		"": false, "a\n": false, "a\x00b\x00\n": false, "a\x00b\n": false, "ab\x00c\x00d\ne": false, "one\x00two\x00": false, "\x00\x00": false,
		"a\x00\x00b": false, "abc\x00defg\n\n\n\x00": false,
	} {
		path := tempPath(t) + "/f"
		must(t, os.WriteFile(path, []byte(content), 0o600))
		disk, err := ReadDisk(Path(path))
		if _, is := SumOf(err); is != encoded || err == nil && disk.Content != content {
			t.Errorf("%q: %q, %v", content, disk.Content, err)
		}
	}
}
