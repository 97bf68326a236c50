package buffers

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// Path names a file or folder: absolute, cleaned, the symbolic links of every component resolved, and on file systems
// that ignore case spelled as on disk. Two Paths made by Resolve name the same file exactly if they are equal. The file
// need not exist.
type Path string

// maxLinks bounds the links followed in one name, as kernels do.
const maxLinks = 255

// Resolve returns the Path of an absolute name. What exists of it is resolved, a dangling link to where it points; the
// rest is taken as it is written. ".." is removed before links are followed, as agents and editors do it, not after.
func Resolve(name string) (Path, error) {
	if !filepath.IsAbs(name) {
		return "", fmt.Errorf("path %q: must be absolute", name)
	}
	if strings.IndexByte(name, 0) >= 0 {
		return "", fmt.Errorf("path %q: contains a zero byte", name)
	}
	name = filepath.Clean(name)
	links := 0
	at, exists := rootOf(name) // resolved so far
	rest := components(name)
	for len(rest) > 0 {
		part := rest[0]
		rest = rest[1:]
		if part == ".." { // only from the target of a link; at is free of links here
			at = filepath.Dir(at)
			continue
		}
		next := filepath.Join(at, part)
		if !exists {
			at = next
			continue
		}
		info, err := os.Lstat(next)
		switch {
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
			at, exists = next, false
			continue
		case err != nil:
			return "", fmt.Errorf("path %q: %w", name, err)
		}
		target, link, err := readLink(next, info)
		if err != nil {
			return "", fmt.Errorf("path %q: %w", name, err)
		}
		if !link {
			at = filepath.Join(at, spelling(at, part, info))
			continue
		}
		if links++; links > maxLinks {
			return "", fmt.Errorf("path %q: too many levels of symbolic links", name)
		}
		if filepath.IsAbs(target) {
			at, exists = rootOf(target)
		}
		rest = append(components(target), rest...)
	}
	return Path(at), nil
}

// rootOf returns the root of an absolute name, which is taken to exist.
func rootOf(name string) (root string, exists bool) {
	return canonicalVolume(filepath.VolumeName(name)) + string(filepath.Separator), true
}

// components returns the parts of a name behind its volume. It does not clean: in the target of a link, ".." is about
// the folder that the part before it leads to.
func components(name string) []string {
	return strings.FieldsFunc(name[len(filepath.VolumeName(name)):], func(r rune) bool {
		return r < 0x80 && os.IsPathSeparator(uint8(r))
	})
}

// readLink returns where name leads if it is a symbolic link or, on Windows, a junction.
func readLink(name string, info fs.FileInfo) (target string, link bool, err error) {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		target, err = os.Readlink(name)
		return target, true, err
	case info.Mode()&fs.ModeIrregular != 0: // a junction, or something that only looks like one from here
		target, err = os.Readlink(name)
		return target, err == nil, nil
	}
	return "", false, nil
}

// entrySpelling returns how the folder spells the entry that was found there under the name part.
func entrySpelling(dir, part string, info fs.FileInfo) string {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return part // not allowed to list it: any spelling will do
	}
	var folded, same string
	for _, e := range entries {
		switch name := e.Name(); {
		case name == part:
			return part
		case folded == "" && strings.EqualFold(name, part):
			folded = name
		case same == "" && folded == "" && !isASCII(part):
			// The same name in another Unicode normal form.
			if other, err := e.Info(); err == nil && os.SameFile(info, other) {
				same = name
			}
		}
	}
	switch {
	case folded != "":
		return folded
	case same != "":
		return same
	}
	return part
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}
