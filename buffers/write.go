package buffers

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"

	"acp-ls/buffers/text"
)

// Seen is what a writer believes a file to hold, exactly, byte for byte. The zero value is a file that does not exist.
type Seen struct {
	Exists bool
	Hash   text.Hash
}

// Seen returns what there is to remember of d for a later write.
func (d Disk) Seen() Seen {
	if !d.Exists {
		return Seen{}
	}
	return Seen{true, text.HashString(d.Content)}
}

// MovedError is the error for a file that does not hold what the writer believed. Nothing was written.
type MovedError struct {
	Path  Path
	Found Disk
}

func (e *MovedError) Error() string {
	if !e.Found.Exists {
		return fmt.Sprintf("write %s: the file is gone", e.Path)
	}
	return fmt.Sprintf("write %s: the file has changed on disk: read it again", e.Path)
}

// OverwroteError is the error for a file that another program wrote in the moment between the last look and the
// replacement. The new content stands in the file; what the other program wrote is kept here alone, and the caller is
// to bring it back, by a merge.
type OverwroteError struct {
	Path    Path
	Content string // raw, not necessarily UTF-8
}

func (e *OverwroteError) Error() string {
	return fmt.Sprintf("write %s: another program wrote the file at the same moment, and its text has to be merged", e.Path)
}

// TempPrefix begins the name of each file that exists only while another is being written, in the folder of that one.
const TempPrefix = ".acp-ls-"

// TempName is a new name for such a file: ext is .tmp for what is to be put in the place of another, .old for what was.
func TempName(ext string) string { return TempPrefix + strings.ToLower(rand.Text()) + ext }

var tempName = regexp.MustCompile(`^` + regexp.QuoteMeta(TempPrefix) + `[a-z2-7]{26}\.(tmp|old)$`)

// IsTemp reports whether a file is one that has such a name, and so is no file of anybody's.
func IsTemp(path string) bool {
	name := filepath.Base(path)
	return strings.HasPrefix(name, TempPrefix) && tempName.MatchString(name)
}

// errInPlace says that a file can be written, but not replaced without losing something of it.
var errInPlace = errors.New("file cannot be replaced")

// errReplaced says that a file was replaced by another between two looks.
var errReplaced = errors.New("file was replaced meanwhile")

// WriteFileAtomic makes content the whole of a file that no editor has open. The file holds the old content or the new
// one at any time, also after a crash: a file in the same folder is written, synced, and renamed. Mode, owner and
// extended attributes are kept, missing folders made. A file that must not be replaced (it has several hard links, or
// belongs to someone else) is overwritten instead, and restored if that fails.
//
// It fails with a *MovedError, before anything is written, unless the file holds what was seen, with an *OverwroteError
// after the write if someone else wrote at the same moment, and otherwise with an error that wraps ErrNotRegular,
// ErrTooLarge, ErrNotUTF8 or what the system says. content is written as it is; see KeepStyle.
func WriteFileAtomic(p Path, content string, seen Seen) error {
	return written(p, writeFile(p, content, seen, 0o666))
}

// MakeFile is WriteFileAtomic for a file that is not there, which has the mode of one that may be run if exec says so.
func MakeFile(p Path, content string, exec bool) error {
	perm := fs.FileMode(0o666)
	if exec {
		perm = 0o777
	}
	return written(p, writeFile(p, content, Seen{}, perm))
}

func written(p Path, err error) error {
	switch err.(type) {
	case nil, *MovedError, *OverwroteError:
		return err
	}
	return fmt.Errorf("write %s: %w", p, err)
}

func writeFile(p Path, content string, seen Seen, perm fs.FileMode) error {
	if !utf8.ValidString(content) {
		return fmt.Errorf("new content: %w", ErrNotUTF8)
	}
	if now, err := Resolve(string(p)); err != nil {
		return err
	} else if now != p {
		return fmt.Errorf("it has become a link to %s: look at it again", now)
	}
	disk, err := readDisk(string(p))
	if err != nil {
		return err
	}
	if disk.Seen() != seen {
		return &MovedError{p, disk}
	}
	if disk.Exists {
		return replaceContent(p, disk, content)
	}
	dir := filepath.Dir(string(p))
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	temp, err := writeTemp(dir, content, perm, nil)
	if err != nil {
		return bare(err)
	}
	if err := moveNew(temp, string(p)); err != nil {
		os.Remove(temp)
		if errors.Is(err, fs.ErrExist) {
			disk, err := readDisk(string(p))
			if err != nil {
				return err
			}
			return &MovedError{p, disk}
		}
		return bare(err)
	}
	return syncDir(dir)
}

// replaceContent replaces the content of an existing file, which held disk a moment ago.
func replaceContent(p Path, disk Disk, content string) error {
	name := string(p)
	// A rename asks the folder for permission, not the file: a file that the user protected stays protected.
	writable, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return bare(err)
	}
	writable.Close()

	old, err := openShared(name)
	if err != nil {
		return bare(err)
	}
	defer old.Close()
	if info, err := old.Stat(); err != nil || !os.SameFile(info, disk.Info) {
		return movedMeanwhile(p, err)
	}
	err = errInPlace
	if !manyLinks(old) {
		var temp string
		if temp, err = writeTemp(filepath.Dir(name), content, 0o600, old); err == nil {
			var was string
			was, err = replace(temp, name, old)
			switch {
			case err == nil && was != disk.Content:
				return &OverwroteError{p, was}
			case err == nil:
				return syncDir(filepath.Dir(name))
			}
			os.Remove(temp)
			if errors.Is(err, errReplaced) || errors.Is(err, fs.ErrNotExist) {
				return movedMeanwhile(p, nil)
			}
		}
	}
	if !needsInPlace(err) {
		return bare(err)
	}
	return overwrite(p, disk, content)
}

// movedMeanwhile returns the error for a file that was replaced between two looks.
func movedMeanwhile(p Path, err error) error {
	if err != nil {
		return bare(err)
	}
	disk, err := readDisk(string(p))
	if err != nil {
		return err
	}
	return &MovedError{p, disk}
}

// writeTemp writes and syncs a new file in dir and returns its name. With like, an open file, it gets the attributes of
// that one; the error wraps errInPlace if it cannot.
func writeTemp(dir, content string, perm fs.FileMode, like *os.File) (_ string, err error) {
	name := filepath.Join(dir, TempName(".tmp"))
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return "", err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			os.Remove(name)
		}
	}()
	if _, err := io.WriteString(f, content); err != nil {
		return "", err
	}
	if like != nil {
		if err := copyAttributes(f, like); err != nil {
			return "", err
		}
	}
	return name, f.Sync()
}

// overwrite writes content into the file as it is, and the old content back if that fails.
func overwrite(p Path, disk Disk, content string) error {
	f, err := os.OpenFile(string(p), os.O_RDWR, 0)
	if err != nil {
		return bare(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return bare(err)
	}
	switch now, err := readText(f, info.Size()); {
	case err != nil:
		return err
	case now != disk.Content:
		return &MovedError{p, Disk{true, now, info}}
	}
	if err := fill(f, content); err != nil {
		if back := fill(f, disk.Content); back != nil {
			return fmt.Errorf("%w; and the old content could not be restored: %v", bare(err), back)
		}
		return bare(err)
	}
	// If the name leads elsewhere by now, what was written is in a file that nobody finds.
	if now, err := os.Stat(string(p)); err != nil || !os.SameFile(info, now) {
		return movedMeanwhile(p, nil)
	}
	return nil
}

// fill makes content the whole of f and syncs it. The length is set last, so that a full disk is noticed before anything
// is cut off.
func fill(f *os.File, content string) error {
	if _, err := f.WriteAt([]byte(content), 0); err != nil {
		return err
	}
	if err := f.Truncate(int64(len(content))); err != nil {
		return err
	}
	return f.Sync()
}

// RemoveFile removes a file that holds what was seen, else it fails with a *MovedError and the file stays.
func RemoveFile(p Path, seen Seen) error {
	err := removeFile(p, seen)
	if _, moved := err.(*MovedError); err == nil || moved {
		return err
	}
	return fmt.Errorf("remove %s: %w", p, err)
}

func removeFile(p Path, seen Seen) error {
	if dir, err := Resolve(filepath.Dir(string(p))); err != nil {
		return err
	} else if string(dir) != filepath.Dir(string(p)) {
		return fmt.Errorf("its folder has become a link to %s: look at it again", dir)
	}
	disk, err := readDisk(string(p))
	if err != nil {
		return err
	}
	if !disk.Exists || disk.Seen() != seen {
		return &MovedError{p, disk}
	}
	// Under another name it can be looked at once more where nobody writes any longer.
	dir := filepath.Dir(string(p))
	aside := filepath.Join(dir, TempName(".old"))
	if err := os.Rename(string(p), aside); err != nil {
		return bare(err)
	}
	if last, err := readDisk(aside); err != nil || last.Seen() != seen {
		if back := moveNew(aside, string(p)); back != nil {
			return fmt.Errorf("it was written meanwhile, and is now %s: %w", aside, back)
		}
		return &MovedError{p, last}
	}
	if err := os.Remove(aside); err != nil {
		return bare(err)
	}
	return syncDir(dir)
}
