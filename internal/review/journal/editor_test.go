package journal

import (
	"io"
	"os"
	"os/exec"
	"runtime"
	"testing"
)

// editor starts a process that lives until it is ended, and returns what stands for it.
func editor(t *testing.T) (process string, end func()) {
	t.Helper()
	switch runtime.GOOS {
	case "linux", "darwin", "windows":
	default:
		t.Skip("it is not known here whether a process lives")
	}
	c := exec.Command(os.Args[0], "-test.run=^TestEditorProcess$")
	c.Env = append(os.Environ(), "JOURNAL_EDITOR=1")
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	ended := false
	end = func() {
		if !ended {
			ended = true
			_ = in.Close()
			_ = c.Wait()
		}
	}
	t.Cleanup(end)
	if process = processOf(c.Process.Pid); process == "" {
		t.Fatal("nothing is known of a process that lives")
	}
	return process, end
}

// TestEditorProcess is no test: it is the process of an editor.
func TestEditorProcess(*testing.T) {
	if os.Getenv("JOURNAL_EDITOR") != "" {
		_, _ = io.Copy(io.Discard, os.Stdin)
	}
}

// What a process leaves whose editor lives is for the next process of this editor, and named to others.
// When the editor has ended, or another process has got its number, it is for whoever is there.
func TestLeftForItsEditor(t *testing.T) {
	theirs, end := editor(t)
	ours, _ := editor(t)
	for _, x := range []struct {
		name              string
		had, next         string
		end, taken, named bool
	}{
		{"another editor's", theirs, ours, false, false, true},
		{"of an unknown one, another editor's", theirs, "", false, false, true},
		{"the same editor's", theirs, theirs, false, true, false},
		{"an unknown editor's", "", ours, false, true, false},
		{"of one whose number another process has", theirs + "0", ours, false, true, false},
		{"of one that has ended", theirs, ours, true, true, false},
	} {
		dir := t.TempDir()
		a, b := Open(dir, workspace, Options{Editor: x.had}), Open(dir, workspace, Options{Editor: x.next})
		write(t, a, at("/x", "1"))
		takeOver(t, b).Keep() // while it lives
		a.die()
		if x.end {
			end()
		}
		if got := b.Dead(); got != x.taken {
			t.Errorf("%s: to take over: %v", x.name, got)
		}
		f := takeOver(t, b)
		if got := len(f.Entries) == 1; got != x.taken {
			t.Errorf("%s: taken over: %v", x.name, got)
		}
		if here := x.had == x.next; x.taken && f.Entries[0].Here != here {
			t.Errorf("%s: of this editor: %v", x.name, !here)
		}
		if got := len(f.Live) == 1 && f.Live[0].Ended && len(f.Live[0].Paths) == 1; got != x.named {
			t.Errorf("%s: named: %+v", x.name, f.Live)
		}
		if err := f.Release(); err != nil {
			t.Error(err)
		}
		// Whatever b has left alone is there for the editor's own.
		c := takeOver(t, Open(dir, workspace, Options{Editor: x.had}))
		if got := len(c.Entries) == 1; got == x.taken {
			t.Errorf("%s: there for the next: %v", x.name, got)
		}
		c.Keep()
	}
}

func TestParentLives(t *testing.T) {
	if p := Parent(); p != "" && !lives(p) {
		t.Errorf("%q does not live", p)
	}
	if lives("") || lives("1 x") || lives("x") {
		t.Error("what is no process lives")
	}
}
