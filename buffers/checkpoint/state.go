package checkpoint

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"
	"unicode/utf8"
)

// Opaque says why a file cannot be shown as text.
type Opaque string

const (
	Binary   Opaque = "binary"   // not UTF-8
	Large    Opaque = "large"    // above Options.MaxFile
	Filtered Opaque = "filtered" // git keeps something else than the file, as with LFS
	Link     Opaque = "link"     // a symbolic link, which is never followed
	Folder   Opaque = "folder"   // a folder stands where a file was
)

// State is what stood under a path at one time. The zero value: nothing.
type State struct {
	Exists  bool
	Content string // the text; of a binary file the bytes, if they are kept
	Opaque  Opaque
	Exec    bool   // the file may be run
	Target  string // of a link, as it is written in it
	hash    string // if it is opaque

	anyMode bool // who told does not know whether it could be run
}

// Same reports whether two states are one: the same content, which may be run or not.
func (s State) Same(t State) bool {
	if !s.Exists || !t.Exists {
		return s.Exists == t.Exists
	}
	return (s.Exec == t.Exec || s.anyMode || t.anyMode) && s.SameContent(t)
}

// SameContent compares what two files hold.
func (s State) SameContent(t State) bool {
	if s.Opaque == "" && t.Opaque == "" {
		return s.Content == t.Content
	}
	return s.Sum() == t.Sum()
}

// Sum is a hash of what the file holds: files of which SameContent says so have the same.
func (s State) Sum() string {
	if s.Opaque == "" {
		return hashOf(s.Content)
	}
	return s.hash
}

// fill puts content into a state: as text, or as what is known of what is none.
func fill(st State, b []byte) State {
	st.Content = string(b)
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		st.Opaque, st.hash = Binary, hashOf(st.Content)
	}
	return st
}

// Forget returns what is known of a state without its content. It is the same state;
// a text is Large then.
func (s State) Forget() State {
	if !s.Exists {
		return s
	}
	hash := s.Sum()
	if s.Opaque == "" {
		s.Opaque = Large
	}
	s.Content, s.hash = "", hash
	return s
}

func hashOf(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// maxHashed is the size up to which files are hashed whole.
const maxHashed = 64 << 20

// hashFile tells two contents of a file that is too large to be kept apart: by
// their hash or, if it is very large, by its size and time.
func hashFile(path string, info fs.FileInfo) string {
	if info.Size() > maxHashed {
		return fmt.Sprintf("%d at %d", info.Size(), info.ModTime().UnixNano())
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}

// racy is the age from which on a file's time stamp tells of every later write.
const racy = 2 * time.Second

// IsNoFile reports whether something else stands where a file was.
func (s State) IsNoFile() bool { return s.Opaque == Link || s.Opaque == Folder }

func linkTo(to string) State {
	return State{Exists: true, Opaque: Link, Target: to, hash: "link to " + to}
}

// lookNow is look with the limit that is the default.
func lookNow(path string) State { return look(path, Options{}.withDefaults().MaxFile) }

// look reads what stands under a path now. What is no file, link or folder is nothing.
func look(path string, maxFile int64) State {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return State{}
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		if err != nil {
			return State{}
		}
		return linkTo(to)
	case info.IsDir():
		return State{Exists: true, Opaque: Folder, hash: "folder"}
	case !info.Mode().IsRegular():
		return State{}
	}
	st := State{Exists: true, Exec: info.Mode()&0o111 != 0}
	if info.Size() > maxFile {
		st.Opaque, st.hash = Large, hashFile(path, info)
		return st
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return State{}
	}
	return fill(st, b)
}
