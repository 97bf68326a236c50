package journal

import (
	"io"
	"os"
	"strconv"
	"strings"
)

// What a process has left is for the next one of the editor that has started it, as long as that
// lives: its documents have the text. So a journal's lock names that editor, by its process and
// when that began, for the numbers of processes come again.

// Parent stands for the process that has started this one: for Options.Editor. It is empty if that
// is gone, or is not known.
func Parent() string { return processOf(os.Getppid()) }

// processOf stands for a process that lives; it is empty if that is not known.
func processOf(pid int) string {
	if pid <= 1 { // whoever has started this one has ended
		return ""
	}
	began, ok := beginOf(pid)
	if !ok {
		return ""
	}
	return strconv.Itoa(pid) + " " + began
}

// lives reports whether a process lives for which processOf has stood.
func lives(process string) bool {
	number, _, _ := strings.Cut(process, " ")
	pid, err := strconv.Atoi(number)
	return err == nil && processOf(pid) == process
}

// maxEditor bounds what a lock says.
const maxEditor = 256

// isForAnother reports whether what a dead process has left, whose lock is held, is for the next one
// of an editor that lives, and j is none of that.
func (j *Journal) isForAnother(lock *os.File) bool {
	editor := editorIn(lock)
	return editor != "" && editor != j.opts.Editor && lives(editor)
}

// isHere reports whether what a dead process has left, whose lock is held, is of the editor that has started j's.
func (j *Journal) isHere(lock *os.File) bool {
	editor := editorIn(lock)
	return editor != "" && editor == j.opts.Editor
}

// editorIn stands for the editor that a lock names; it is empty if that is not known.
func editorIn(lock *os.File) string {
	b, err := io.ReadAll(io.NewSectionReader(lock, 0, maxEditor))
	if err != nil {
		return ""
	}
	return string(b)
}
