package buffers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"acp-ls/buffers/text"
)

// onDisk is a store with one file and its URI.
type onDisk struct {
	*Store
	t    *testing.T
	name string
	path Path
	uri  string
}

func newOnDisk(t *testing.T, content string) onDisk {
	name := filepath.Join(tempPath(t), "file.txt")
	f := onDisk{NewStore(Options{}), t, name, resolve(t, name), PathURI(name)}
	f.write(content)
	return f
}

func (f onDisk) write(content string) {
	f.t.Helper()
	must(f.t, os.WriteFile(f.name, []byte(content), 0o644))
}

func (f onDisk) look() {
	f.t.Helper()
	_, err := f.Look(f.path)
	must(f.t, err)
}

func (f onDisk) open(content string) {
	f.t.Helper()
	apply(f.t, f.Store, Open{f.uri, "", 1, content})
}

func (f onDisk) change(content string) {
	f.t.Helper()
	apply(f.t, f.Store, Change{URI: f.uri, Version: 2, Changes: []ContentChange{{nil, content}}})
}

func (f onDisk) want(state State) {
	f.t.Helper()
	if got := f.Get(f.uri).State(); got != state {
		f.t.Errorf("the document is %v, want %v", got, state)
	}
}

// The kind of line ends says nothing of the state of a document, but that the user has turned them is unsaved.
func TestTurned(t *testing.T) {
	for _, c := range []struct {
		name, file, opened string
		then               func(f onDisk)
		want               bool
	}{
		{"as opened", "a\nb\n", "a\nb\n", nil, false},
		{"as the editor has them", "a\r\nb\r\n", "a\nb\n", nil, false},
		{"to CRLF", "a\nb\n", "a\nb\n", func(f onDisk) { f.change("a\r\nb\r\n") }, true},
		{"to LF", "a\r\nb\r\n", "a\r\nb\r\n", func(f onDisk) { f.change("a\nb\n") }, true},
		{"and back", "a\nb\n", "a\nb\n", func(f onDisk) { f.change("a\r\nb\r\n"); f.change("a\nb\n") }, false},
		{"some of them", "a\nb\n", "a\nb\n", func(f onDisk) { f.change("a\r\nb\n") }, false},
		{"saved", "a\nb\n", "a\nb\n", func(f onDisk) {
			f.change("a\r\nb\r\n")
			f.write("a\r\nb\r\n")
			apply(t, f.Store, Save{URI: f.uri})
		}, false},
		{"reloaded by an ordinary change", "a\nb\n", "a\nb\n", func(f onDisk) {
			f.write("a\r\nb\r\n")
			f.change("a\r\nb\r\n")
			f.look()
		}, false},
		{"another language", "a\nb\n", "a\nb\n", func(f onDisk) {
			f.change("a\r\nb\r\n")
			apply(t, f.Store, Close{f.uri})
			f.open("a\r\nb\r\n")
		}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newOnDisk(t, c.file)
			f.open(c.opened)
			f.look()
			if c.then != nil {
				c.then(f)
			}
			f.want(Clean)
			if got := f.Get(f.uri).Turned(); got != c.want {
				t.Errorf("turned is %v, want %v", got, c.want)
			}
		})
	}
}

func TestState(t *testing.T) {
	t.Run("as opened", func(t *testing.T) {
		f := newOnDisk(t, "\ufeffa\r\nb\r\n")
		f.open("a\nb")
		f.want(Clean)
		f.look()
		f.want(Clean)
	})
	t.Run("typing and undo", func(t *testing.T) {
		f := newOnDisk(t, "a\n")
		f.open("a\n")
		f.look()
		f.change("ab\n")
		f.want(Dirty)
		f.change("a\n")
		f.want(Clean)
	})
	t.Run("opened with unsaved text", func(t *testing.T) {
		f := newOnDisk(t, "a\n")
		f.open("unsaved\n")
		f.want(Clean) // as far as known
		if f.Get(f.uri).Checked() {
			t.Error("checked without a look")
		}
		f.look()
		f.want(Dirty)
		f.change("a\n")
		f.want(Clean)
		if !f.Get(f.uri).Checked() {
			t.Error("not checked after a look")
		}
	})
	t.Run("saved", func(t *testing.T) {
		f := newOnDisk(t, "a\n")
		f.open("a\n")
		f.look()
		f.change("b\n")
		f.want(Dirty)
		f.write("b\n")
		apply(t, f.Store, Save{URI: f.uri})
		f.want(Clean)
		f.change("a\n") // what it was before the save is not what is saved
		f.want(Dirty)
	})
	t.Run("the file moves on", func(t *testing.T) {
		f := newOnDisk(t, "a\n")
		f.open("a\n")
		f.look()
		f.write("b\n")
		f.want(Clean) // not known yet
		f.look()
		f.want(Behind)
		f.change("typed\n")
		f.want(Dirty)
		f.change("a\n")
		f.want(Behind)
		f.write("\ufeffa") // not a change at all
		f.look()
		f.want(Clean)
	})
	t.Run("reload by close and open", func(t *testing.T) {
		f := newOnDisk(t, "a\n")
		f.open("a\n")
		f.look()
		f.write("b\n")
		f.look()
		apply(t, f.Store, Close{f.uri})
		f.open("b\n")
		f.want(Clean)
		f.look()
		f.want(Clean)
		f.change("a\n")
		f.want(Dirty)
	})
	t.Run("reload by an ordinary change", func(t *testing.T) {
		f := newOnDisk(t, "a\n")
		f.open("a\n")
		f.look()
		f.write("b\n")
		f.look()
		f.change("b\n")
		f.want(Clean)
		f.change("a\n") // the reload undone is not behind, but the user's wish
		f.want(Dirty)
	})
	t.Run("reload by an ordinary change, noticed later", func(t *testing.T) {
		f := newOnDisk(t, "a\n")
		f.open("a\n")
		f.look()
		f.write("b\n")
		f.change("b\n")
		f.want(Dirty)
		f.look()
		f.want(Clean)
		f.change("a\n")
		f.want(Dirty)
	})
	t.Run("another language", func(t *testing.T) {
		f := newOnDisk(t, "a\n")
		f.open("a\n")
		f.look()
		f.change("unsaved\n")
		apply(t, f.Store, Close{f.uri})
		apply(t, f.Store, Open{f.uri, "markdown", 1, "unsaved\n"})
		f.want(Dirty)
	})
	t.Run("no file yet", func(t *testing.T) {
		f := newOnDisk(t, "")
		must(t, os.Remove(f.name))
		f.open("")
		f.look()
		f.want(Clean)
		f.change("new\n")
		f.want(Dirty)
		f.write("new\n")
		apply(t, f.Store, Save{URI: f.uri})
		f.want(Clean)
	})
	t.Run("the file goes away", func(t *testing.T) {
		f := newOnDisk(t, "a\n")
		f.open("a\n")
		f.look()
		must(t, os.Remove(f.name))
		f.look()
		f.want(Behind)
	})
	t.Run("a file that is no text", func(t *testing.T) {
		f := newOnDisk(t, "caf\xe9\n")
		f.open("café\n") // the editor knows the encoding
		if _, err := f.Look(f.path); !errors.Is(err, ErrNotUTF8) {
			t.Errorf("Look: %v", err)
		}
		f.want(Clean)
	})
	t.Run("text that the editor reads in another encoding", func(t *testing.T) {
		f := newOnDisk(t, "café\n")
		is := func(encoded bool) {
			t.Helper()
			if _, err := f.Look(f.path); errors.Is(err, ErrNotUTF8) != encoded || f.Get(f.uri).Encoded() != encoded {
				t.Errorf("Look: %v, of a document that is encoded: %v", err, f.Get(f.uri).Encoded())
			}
		}
		f.open("cafÃ©\n")
		is(true)
		f.want(Clean)
		f.change("cafÃ©!\n")
		is(true)
		f.want(Dirty)
		f.write("café!\n")
		if e := apply(t, f.Store, Save{URI: f.uri})[0]; e.Unwritten || !errors.Is(e.DiskErr, ErrNotUTF8) {
			t.Errorf("saved: %+v", e)
		}
		is(true)
		f.want(Clean)
		f.write("café?\n")
		is(true)
		apply(t, f.Store, Close{URI: f.uri})
		f.open("café?\n")
		is(false)
		f.want(Clean)
		f.open("unsaved, and ü for é\n")
		is(false)
	})
	t.Run("untitled", func(t *testing.T) {
		s := NewStore(Options{})
		apply(t, s, Open{"untitled:a", "", 1, ""})
		if got := s.Get("untitled:a").State(); got != Clean {
			t.Errorf("an empty one is %v", got)
		}
		apply(t, s, Change{URI: "untitled:a", Version: 2, Changes: []ContentChange{{nil, "x"}}})
		apply(t, s, Save{URI: "untitled:a"})
		if got := s.Get("untitled:a").State(); got != Dirty {
			t.Errorf("one with text is %v", got)
		}
	})
}

// TestALateLookDoesNotUndoASave has the save arrive while the disk is being read.
func TestALateLookDoesNotUndoASave(t *testing.T) {
	reading, proceed := make(chan bool), make(chan bool)
	var reads atomic.Int32
	s := NewStore(Options{ReadDisk: func(p Path) (Disk, error) {
		switch reads.Add(1) {
		case 2:
			reading <- true
			<-proceed
		case 3: // by the save
			return Disk{Exists: true, Content: "new\n"}, nil
		}
		return Disk{Exists: true, Content: "old\n"}, nil
	}})
	name := filepath.Join(tempPath(t), "f")
	uri, path := PathURI(name), resolve(t, name)
	apply(t, s, Open{uri, "", 1, "old\n"})
	_, err := s.Look(path)
	must(t, err)
	apply(t, s, Change{URI: uri, Version: 2, Changes: []ContentChange{{nil, "new\n"}}})
	done := make(chan error)
	go func() {
		_, err := s.Look(path)
		done <- err
	}()
	<-reading
	apply(t, s, Save{URI: uri})
	proceed <- true
	must(t, <-done)
	if got := s.Get(uri).State(); got != Clean {
		t.Errorf("after the save the document is %v", got)
	}
}

// TestASaveIsLookedAt has editors say of writes that were refused, failed or went elsewhere that the document is saved:
// Neovim does.
func TestASaveIsLookedAt(t *testing.T) {
	for _, c := range []struct {
		name, opened, text, onDisk string
		want                       State
		unwritten                  bool
	}{
		{"written", "a\n", "b\n", "b\n", Clean, false},
		{"not written", "a\n", "b\n", "a\n", Dirty, true},
		{"another program's", "a\n", "b\n", "c\n", Dirty, true},
		{"nothing to write, and another program's", "a\n", "a\n", "c\n", Behind, true},
		{"the file is gone", "a\n", "b\n", "", Dirty, true},
		{"in another encoding", "a\n", "caf\u00e9\n", "caf\xe9\n", Clean, false},
		{"with other line ends", "a\n", "b\n", "b\r\n", Clean, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newOnDisk(t, c.opened)
			f.open(c.opened)
			f.look()
			f.change(c.text)
			if f.write(c.onDisk); c.onDisk == "" {
				must(t, os.Remove(f.name))
			}
			if e := apply(t, f.Store, Save{URI: f.uri}); e[0].Unwritten != c.unwritten {
				t.Errorf("unwritten: %v", e[0].Unwritten)
			}
			_, _ = f.Look(f.path)
			f.want(c.want)
		})
	}
}

// TestASaveThatWasSeenBefore has somebody look at a file that is not UTF-8 between its being written and the editor's word
// of that: it was saved if the bytes are the text, and not if somebody else has written them.
func TestASaveThatWasSeenBefore(t *testing.T) {
	for _, c := range []struct {
		name, text, onDisk string
		want               State
	}{
		{"Latin 1", "caf\u00e9\nb\n", "caf\xe9\nb\n", Clean},
		{"Latin 1, another program's", "caf\u00e9\nb\n", "caf\xe9\nc\n", Dirty},
		{"Latin 1 with other line ends", "caf\u00e9\nb\n", "caf\xe9\r\nb", Clean},
		{"UTF-16", "\u00e9\n", "\xff\xfe\xe9\x00\n\x00", Clean},
		{"UTF-16, another program's", "\u00e9\n", "\xff\xfe\xe8\x00\n\x00", Dirty},
		{"Shift JIS", "\u8868 b\n", "\x95\x5c b\n", Clean},
		{"Shift JIS, another program's", "\u8868 b\n", "\x95\x5c c\n", Dirty},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newOnDisk(t, "caf\xe9\n")
			f.open("caf\u00e9\n")
			_, _ = f.Look(f.path)
			f.change(c.text)
			f.write(c.onDisk)
			_, _ = f.Look(f.path)
			if e := apply(t, f.Store, Save{URI: f.uri}); e[0].Unwritten != (c.want == Dirty) {
				t.Errorf("unwritten: %v", e[0].Unwritten)
			}
			f.want(c.want)
		})
	}
}

// TestApplyLeavesTheDiskAlone: the loop that reads from the editor must never wait for it, but at a save, when the editor
// has just done so.
func TestApplyLeavesTheDiskAlone(t *testing.T) {
	s := NewStore(Options{
		ReadDisk: func(p Path) (Disk, error) { t.Errorf("reads %s", p); return Disk{}, nil },
		Stat:     func(p Path) (fs.FileInfo, error) { t.Errorf("stats %s", p); return nil, fs.ErrNotExist },
	})
	const uri = "file:///some/file"
	apply(t, s, Open{uri, "", 1, "x"})
	resolved := s.Get(uri).file
	resolved.path = func() Path { t.Error("resolves the path"); return "" }
	apply(t, s, Change{URI: uri, Version: 1, Changes: []ContentChange{{nil, "y"}}})
	apply(t, s, Close{uri})
	apply(t, s, Open{uri, "", 1, "z"})
	apply(t, s, Close{uri})
	s.Settle("test")
}

// What an editor has written of a document that has gone on since, or back, is older than that: the document is dirty,
// also where it has what was saved before, until it is saved or comes to what the file has.
func TestAnEarlierTextWasWritten(t *testing.T) {
	for _, written := range []string{"before\n", "after\n"} {
		is := map[string]string{"before\n": "after\n", "after\n": "before\n"}[written]
		f := newOnDisk(t, is)
		f.open(is)
		f.look()
		f.change(written)
		f.write(written)
		f.change(is)
		f.want(Clean)
		for _, ev := range apply(t, f.Store, Save{URI: f.uri, Earlier: true}) {
			if !ev.Earlier || !ev.Unwritten {
				t.Errorf("%q written: %+v", written, ev)
			}
			f.Wrote(ev.After, text.New(ev.Disk.Content))
		}
		f.want(Dirty)
		f.look()
		f.want(Dirty)
		f.change(written)
		f.want(Clean)
		f.change(is)
		f.write(is)
		for _, ev := range apply(t, f.Store, Save{URI: f.uri, Earlier: true}) {
			if ev.Earlier {
				t.Errorf("%q written: it has what it had before", is)
			}
		}
		f.want(Clean)
	}
}
