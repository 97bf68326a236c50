package crashtest

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/lspbridge/fakeeditor"
)

// What an agent has written by itself, and nobody has looked at before the kill, is shown and
// can be taken back: with git and without it, whatever was done to the file.
func TestKillBeforeAnybodyLooks(t *testing.T) {
	const binary = "\x00\x01\x02 before\n"
	for _, folder := range []string{"no git", "git"} {
		for _, withEditor := range []bool{false, true} {
			name := folder
			if withEditor {
				name += ", the editor dies too"
			}
			t.Run(name, func(t *testing.T) {
				w := newWorld(t)
				want := map[string]string{
					"text": "1\n2\n3\n", "gone": "g\n", "run": "#!/bin/sh\n", "binary": binary, "open": "1\n2\n3\n", "typed": "1\n2\n3\n4\n5\n",
					"crlf": "1\r\n2\r\n", "sub/deep": "d\n",
				}
				check(t, os.Mkdir(w.path("sub"), 0o755))
				for name, content := range want {
					w.write(name, content)
				}
				if folder == "git" {
					w.git("init", "-q")
					w.git("add", ".")
					w.git("-c", "user.name=n", "-c", "user.email=e", "commit", "-q", "-m", "m")
					want["text"] = "1\n2\n3 changed, not committed\n"
					w.write("text", want["text"])
				}
				w.start()
				w.open("open", want["open"])
				w.open("typed", want["typed"])
				check(t, w.editor.Type(w.uri("typed"), 0, 0, "mine\n"))
				w.prompt()
				w.write("text", "1\nTWO\n3\n")
				w.write("open", "1\nTWO\n3\n")
				w.write("typed", "1\n2\n3\n4\nFIVE\n")
				w.write("crlf", "1\r\n2\r\n3\r\n")
				w.write("new", "n\n")
				w.write("sub/deep", "D\n")
				w.write("binary", "\x00\x03 after\n")
				check(t, os.Remove(w.path("gone")))
				if runtime.GOOS != "windows" {
					check(t, os.Chmod(w.path("run"), 0o755))
				}
				w.kill()
				typed, open := "mine\n"+want["typed"], want["open"]
				if withEditor {
					typed, open = w.disk("typed"), w.disk("open")
				}
				for range 2 { // the second time from the journal
					w.start()
					w.open("open", open)
					w.open("typed", typed)
					ops := w.ops()
					for name, op := range map[string]string{"new": "create", "gone": "delete", "binary": "modify", "text": "", "crlf": "", "sub/deep": ""} {
						if got, ok := ops[name]; !ok || got != op {
							t.Errorf("%s is offered as %q (%v), want %q", name, got, ok, op)
						}
					}
					if _, ok := ops["run"]; !ok && runtime.GOOS != "windows" {
						t.Error("that run may be run is not offered")
					}
					for name, rows := range map[string]string{"open": "TWO\n", "typed": "FIVE\n"} {
						w.awaitHunk(name, rows)
					}
					open, _ = w.buffer("open")
					typed, _ = w.buffer("typed")
					w.kill()
				}
				w.start()
				w.open("open", open)
				w.open("typed", typed)
				w.awaitHunk("open", "TWO\n")
				w.awaitHunk("typed", "FIVE\n")
				w.command("acp.review.reject", map[string]any{}, nil)
				for name, content := range want {
					got := w.disk(name)
					switch name {
					case "open":
						got, _ = w.buffer(name)
					case "typed":
						if got, _ = w.buffer(name); !withEditor {
							content = "mine\n" + content
						}
					}
					if got != content {
						t.Errorf("%s is %q after everything was rejected, want %q", name, got, content)
					}
				}
				if _, err := os.Lstat(w.path("new")); !errors.Is(err, fs.ErrNotExist) {
					t.Errorf("what the agent has made is there yet (%v)", err)
				}
				if info, err := os.Lstat(w.path("run")); err != nil || info.Mode()&0o111 != 0 && runtime.GOOS != "windows" {
					t.Errorf("run may be run (%v)", err)
				}
				if left := w.ops(); len(left) > 0 {
					t.Errorf("left are %v", left)
				}
			})
		}
	}
}

// What was known when it was killed is not shown once more: what was decided, what the user
// has saved, and what was there when the turn began.
func TestKillKnowsWhatWasKnown(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"accepted", "rejected", "saved", "before"} {
		w.write(name, "1\n2\n3\n")
	}
	w.start()
	turn := w.prompt()
	turn.wrote(turn.writes("accepted", "1\nTWO\n3\n"))
	turn.wrote(turn.writes("rejected", "1\nTWO\n3\n"))
	w.command("acp.review.accept", map[string]any{"uri": w.uri("accepted")}, nil)
	w.command("acp.review.reject", map[string]any{"uri": w.uri("rejected")}, nil)
	w.open("saved", "1\n2\n3\n")
	check(t, w.editor.Type(w.uri("saved"), 0, 0, "mine\n"))
	check(t, w.editor.Save(w.uri("saved")))
	w.awaitIn(".before", "mine\n1\n2\n3\n")
	w.awaitIn(".before", "1\nTWO\n3\n")
	w.kill()
	w.start()
	if got := w.ops(); len(got) > 0 {
		t.Errorf("offered are %v", got)
	}
	for _, m := range w.messages() {
		if strings.Contains(m, "turn") || strings.Contains(m, "earlier run") {
			t.Errorf("told %q", m)
		}
	}
}

// An end in the middle of a turn that is no crash leaves nothing unseen either, and one after
// a turn leaves no copies.
func TestEndInTheMiddleOfATurn(t *testing.T) {
	w := newWorld(t)
	w.write("text", "1\n2\n3\n")
	p := w.start()
	w.prompt()
	w.write("text", "1\nTWO\n3\n")
	p.leave()
	w.start()
	w.awaitHunk("text", "TWO\n")
	w.command("acp.review.reject", map[string]any{}, nil)
	if got := w.disk("text"); got != "1\n2\n3\n" {
		t.Errorf("text is %q", got)
	}
	w.prompt().end()
	p = w.process
	p.leave()
	if left := w.journals(".before"); len(left) > 0 {
		t.Errorf("left are %v", left)
	}
}

// leave closes the editor's end, upon which acp-ls ends by itself.
func (p *process) leave() {
	p.w.t.Helper()
	p.dead = true
	_ = p.editor.Kill()
	check(p.w.t, p.cmd.Wait())
	p.w.living--
	p.w.awaitLocks()
}

// What others have written long after acp-ls has ended is theirs, and named.
func TestWrittenLongAfterTheKill(t *testing.T) {
	w := newWorld(t)
	w.write("text", "1\n2\n3\n")
	w.start()
	w.prompt()
	w.kill()
	long := time.Now().Add(-time.Hour)
	for _, name := range w.journals(".before") {
		check(t, os.Chtimes(name, long, long))
	}
	w.write("text", "1\nMINE\n3\n")
	w.start()
	w.told("Taken for yours: text")
	if got := w.ops(); len(got) > 0 {
		t.Errorf("offered are %v", got)
	}
}

// Of what may hold secrets no copy is noted, and what became of it is said.
func TestKillAndSecrets(t *testing.T) {
	w := newWorld(t)
	w.write(".env", "KEY=hunter2\n")
	w.write("other", "KEY=known2\n")
	w.start()
	w.prompt()
	w.awaitIn(".before", "known2")
	for _, name := range w.journals(".before") {
		if b, err := os.ReadFile(name); err != nil || strings.Contains(string(b), "hunter2") {
			t.Errorf("the notes hold the secret (%v)", err)
		}
	}
	w.write(".env", "KEY=hunter3\n")
	w.kill()
	w.start()
	w.told("No longer to be reviewed: changes in .env")
}

// git runs git in the workspace.
func (w *world) git(args ...string) {
	w.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = w.root
	if out, err := cmd.CombinedOutput(); err != nil {
		w.t.Fatalf("git %s: %v\n%s", args, err, out)
	}
}

// ops are the files that are offered, with what was done to each as a whole.
func (p *process) ops() map[string]string {
	p.w.t.Helper()
	var r struct {
		Files []struct {
			URI  string
			File struct{ Op string }
		}
	}
	p.command("acp.review.list", map[string]any{}, &r)
	ops := map[string]string{}
	for _, f := range r.Files {
		name := strings.TrimPrefix(f.URI, p.w.uri("")+"/")
		op := f.File.Op
		ops[name] = op
	}
	return ops
}

// awaitHunk waits until a hunk with this text is pending in a file.
func (p *process) awaitHunk(name, text string) {
	p.w.t.Helper()
	ok := func() bool {
		return slices.ContainsFunc(p.hunks(name, "pending"), func(h hunk) bool { return strings.Contains(h.Text, text) })
	}
	for {
		n := len(p.editor.Received("acp/review"))
		if ok() {
			return
		}
		check(p.w.t, p.editor.Await(p.w.limit(), "a review of "+name, fakeeditor.Received("acp/review", n+1)))
	}
}
