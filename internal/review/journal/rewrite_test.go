package journal

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// Whatever fails when a file is made anew: its frames can be read where they are said to be, and
// nothing is left beside it.
func TestRewrite(t *testing.T) {
	const old = "head|one|two|three|"
	one, three := place{5, 4}, place{13, 6}
	head := func(name string) (*os.File, error) {
		f, err := os.Create(name)
		if err == nil {
			_, err = f.WriteString("HEAD+|")
		}
		return f, err
	}
	noFolder := func(name string) (*os.File, error) { return nil, errors.New("no") }
	for _, x := range []struct {
		name   string
		create func(string) (*os.File, error)
		frames []place
		before func(name string)
		want   string // of the file; "" if there is none any more
		fails  bool
	}{
		{"all is well", head, []place{three, one}, nil, "HEAD+|three|one|", false},
		{"nothing counts", head, nil, nil, "HEAD+|", false},
		{"it cannot be made", noFolder, []place{one}, nil, old, true},
		{"a frame cannot be read", head, []place{one, {17, 40}}, nil, old, true},
		{"something of that name is in the way", head, []place{one}, func(name string) {
			if os.Remove(name) != nil || os.MkdirAll(filepath.Join(name, "x"), 0o700) != nil {
				t.Skip("what is open cannot be removed")
			}
		}, "", true},
	} {
		t.Run(x.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "f")
			if err := os.WriteFile(name, []byte(old), 0o600); err != nil {
				t.Fatal(err)
			}
			from, err := os.OpenFile(name, os.O_RDWR, 0)
			if err != nil {
				t.Fatal(err)
			}
			if x.before != nil {
				x.before(name)
			}
			f, to, size, err := rewrite(from, name, name+".tmp", x.create, x.frames)
			if (err != nil) != x.fails {
				t.Errorf("error %v", err)
			}
			if f != nil {
				defer f.Close()
			}
			if _, err := os.Lstat(name + ".tmp"); !errors.Is(err, os.ErrNotExist) {
				t.Errorf("left beside it: %v", err)
			}
			if (f == nil) != (x.want == "") {
				t.Fatalf("the file is %v", f)
			}
			if f == nil {
				return
			}
			if b, err := os.ReadFile(name); err != nil || string(b) != x.want {
				t.Errorf("it has %q, %v, want %q", b, err, x.want)
			}
			if x.fails {
				b := make([]byte, one.n)
				if _, err := f.ReadAt(b, one.at); err != nil || string(b) != "one|" {
					t.Errorf("read %q, %v", b, err)
				}
				return
			}
			if size != int64(len(x.want)) {
				t.Errorf("size %d", size)
			}
			for _, p := range x.frames {
				b := make([]byte, p.n)
				if _, err := f.ReadAt(b, to[p].at); err != nil || string(b) != old[p.at:p.at+p.n] {
					t.Errorf("%v is %q, %v", p, b, err)
				}
			}
		})
	}
}
