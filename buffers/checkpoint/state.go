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

// fill puts content into a state: as text, or as what is known of what is none.
func fill(st State, b []byte) State {
	if !utf8.Valid(b) || bytes.IndexByte(b, 0) >= 0 {
		st.Opaque, st.hash = Binary, hashOf(string(b))
		return st
	}
	st.Content = string(b)
	return st
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
