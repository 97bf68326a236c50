package crashtest

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
)

var everyCall = flag.Bool("everycall", false, "kill in front of every call that changes a file, not of every fifth one")

// A decision about a file, as a whole or by its rows, is made or not, whenever acp-ls is killed
// while it makes it (rule 11): before each call that changes a file, its own ones included. What
// was not made is pending, and can be made; what was made can be taken back. Nothing is between.
func TestKillAtEveryCall(t *testing.T) {
	for _, x := range []struct {
		name   string
		before map[string]string
		agent  func(w *world)
	}{
		{"changed", map[string]string{"f": "1\n2\n3\n"}, func(w *world) { w.put("f", "1\nTWO\n3\n") }},
		{"made", nil, func(w *world) { w.put("f", "1\n") }},
		{"made in a folder", nil, func(w *world) { w.mkdir("d/e"); w.put("d/e/f", "1\n") }},
		{"deleted", map[string]string{"f": "1\n"}, func(w *world) { w.remove("f") }},
		{"deleted, could be run", map[string]string{"f+x": "1\n"}, func(w *world) { w.remove("f+x") }},
		{"deleted with its folder", map[string]string{"d/f": "1\n"}, func(w *world) { w.remove("d/f"); w.remove("d") }},
		{"empty, made", nil, func(w *world) { w.put("f", "") }},
		{"empty, made in a folder", nil, func(w *world) { w.mkdir("d/e"); w.put("d/e/f", "") }},
		{"empty, deleted", map[string]string{"f": ""}, func(w *world) { w.remove("f") }},
		{"empty, deleted, could be run", map[string]string{"f+x": ""}, func(w *world) { w.remove("f+x") }},
		{"renamed", map[string]string{"f": "1\n2\n3\n"}, func(w *world) { w.rename("f", "g") }},
		{"renamed to a name in front", map[string]string{"f": "1\n2\n3\n"}, func(w *world) { w.rename("f", "a") }},
		{"renamed and changed", map[string]string{"f": "1\n2\n3\n4\n5\n6\n"}, func(w *world) { w.rename("f", "g"); w.put("g", "1\n2\n3\nFOUR\n5\n6\n") }},
		{"renamed and made executable", map[string]string{"f": "1\n2\n3\n"}, func(w *world) { w.rename("f", "g"); w.chmod("g", 0o755) }},
		{"renamed into a folder", map[string]string{"f": "1\n2\n3\n"}, func(w *world) { w.mkdir("d/e"); w.rename("f", "d/e/f") }},
		{"renamed out of a folder", map[string]string{"d/f": "1\n2\n3\n"}, func(w *world) { w.rename("d/f", "f"); w.remove("d") }},
		{"renamed, no text", map[string]string{"f": "\x00\x01"}, func(w *world) { w.rename("f", "g") }},
		{"made executable", map[string]string{"f": "1\n"}, func(w *world) { w.chmod("f", 0o755) }},
		{"made not executable", map[string]string{"f+x": "1\n"}, func(w *world) { w.chmod("f+x", 0o644) }},
		{"changed and made executable", map[string]string{"f": "1\n2\n3\n"}, func(w *world) { w.put("f", "1\nTWO\n3\n"); w.chmod("f", 0o755) }},
		{"no text, changed", map[string]string{"f": "\x00\x01"}, func(w *world) { w.put("f", "\x00\x11") }},
		{"no text, made", nil, func(w *world) { w.put("f", "\x00\x11") }},
		{"no text, made in a folder", nil, func(w *world) { w.mkdir("d/e"); w.put("d/e/f", "\x00\x11") }},
		{"no text, deleted", map[string]string{"f": "\x00\x01"}, func(w *world) { w.remove("f") }},
		{"no text any more", map[string]string{"f": "1\n"}, func(w *world) { w.put("f", "\x00\x11") }},
		{"a link", nil, func(w *world) { check(w.t, os.Symlink("elsewhere", w.path("f"))) }},
		{"a link in the place of a file", map[string]string{"f": "1\n"}, func(w *world) { w.remove("f"); check(w.t, os.Symlink("elsewhere", w.path("f"))) }},
	} {
		t.Run(x.name, func(t *testing.T) {
			w := newWorld(t)
			for name, content := range x.before {
				w.mkdir(filepath.Dir(name))
				w.put(name, content)
				if strings.HasSuffix(name, "+x") {
					w.chmod(name, 0o755)
				}
			}
			w.start()
			turn := w.prompt()
			before := w.tree()
			x.agent(w)
			turn.end()
			e := everyCallOf{world: w, pending: w.listed()}
			w.kill()
			e.save("pending")
			for _, ids := range e.parts() {
				e.load("pending")
				w.start()
				w.decides("reject", ids...)
				e.between = append(e.between, w.listed())
				w.kill()
			}
			e.load("pending")
			w.start()
			w.decides("reject")
			e.rejected = w.listed()
			w.kill()
			e.save("rejected")
			if e.pending.pending == "" || e.rejected.pending != "" || e.rejected.rejected == "" || e.rejected.tree != before {
				t.Fatalf("%v\nbecame\n%v", e.pending, e.rejected)
			}
			n := 0
			for _, op := range []string{"reject", "restore"} {
				n += e.killAll(op)
			}
			t.Logf("killed %d times", n)
		})
	}
}

// listed is what there is of a change: the files, and what is listed of it.
type listed struct{ tree, pending, rejected string }

func (l listed) String() string {
	return fmt.Sprintf("%spending %s\nrejected %s", l.tree, cmp.Or(l.pending, "-"), cmp.Or(l.rejected, "-"))
}

// everyCallOf is a change of an agent's, and what there is of it undecided, rejected and, where
// it has several parts, with some of these rejected.
type everyCallOf struct {
	*world
	pending, rejected listed
	between           []listed
}

// killAll makes the decision again and again, with a kill one call later each time.
func (e *everyCallOf) killAll(op string) (n int) {
	w := e.world
	from, to := e.pending, e.rejected
	if op == "restore" {
		from, to = to, from
	}
	step := 1
	if !*everyCall {
		step = 5
	}
	for at := 1 + len(e.pending.tree)%step; ; at += step {
		e.load(map[string]string{"reject": "pending", "restore": "rejected"}[op])
		w.start()
		if got := w.listed(); got != from {
			w.t.Fatalf("before: %v\nwant\n%v", got, from)
		}
		calls, err := w.process.killAt(at)
		if errors.Is(err, os.ErrPermission) {
			w.t.Skip("nothing can be traced here")
		}
		check(w.t, err)
		c, err := w.editor.BeginCommand("acp.review."+op, map[string]any{})
		check(w.t, err)
		ended := c.Wait(w.limit(), nil) == nil
		w.kill()
		var trace []string
		for call := range calls {
			trace = append(trace, call)
		}
		want := append([]listed{from, to}, e.between...)
		if ended {
			want = []listed{to}
		}
		if e.found(want); w.t.Failed() {
			w.t.Fatalf("%s, killed in front of the last of (ended %v)\n%s", op, ended, strings.Join(trace, "\n"))
		}
		if n++; ended {
			return n
		}
	}
}

// found looks at what is there after a kill, and whether that is what is wanted, and can be
// taken back or made; and so once more.
func (e *everyCallOf) found(want []listed) {
	w := e.world
	w.t.Helper()
	for range 2 {
		w.start()
		got := w.listed()
		if !slices.Contains(want, got) {
			w.t.Errorf("found\n%v\nwant one of\n%v", got, want)
		}
		for _, m := range w.messages() {
			if strings.Contains(m, "not to be found") || strings.Contains(m, "could not") {
				w.t.Errorf("told %q", m)
			}
		}
		if got.pending != "" {
			w.decides("reject")
			want = []listed{e.rejected}
		} else {
			w.decides("restore")
			want = []listed{e.pending}
		}
		w.kill()
	}
}

// parts are the ids of the parts of the change that can be decided by themselves, if it has
// several, and of these one each.
func (e *everyCallOf) parts() [][]string {
	e.t.Helper()
	e.start()
	defer e.kill()
	var r struct {
		Files []struct {
			File  *struct{ ID, Op string }
			Hunks []hunk
		}
	}
	e.command("acp.review.list", map[string]any{"state": "pending"}, &r)
	var out [][]string
	for _, f := range r.Files {
		if f.File != nil && (f.File.Op == "create" || f.File.Op == "delete") {
			continue // with its rows
		}
		if len(f.Hunks) > 0 && f.File != nil && f.File.Op != "" {
			out = append(out, []string{f.Hunks[0].ID}, []string{f.File.ID})
		}
	}
	return out
}

// decides decides on hunks and files, or on everything there is.
func (w *world) decides(op string, ids ...string) {
	w.t.Helper()
	arg := map[string]any{}
	if len(ids) > 0 {
		arg["hunks"] = ids
	}
	var d struct{ Refused []any }
	w.command("acp.review."+op, arg, &d)
	if len(d.Refused) > 0 {
		w.t.Errorf("%s: refused %v", op, d.Refused)
	}
}

func (w *world) listed() listed {
	w.t.Helper()
	pending := w.reviews("pending") // which waits until all is taken up
	return listed{w.tree(), pending, w.reviews("rejected")}
}

// reviews shows what is listed in a state.
func (w *world) reviews(state string) string {
	w.t.Helper()
	var r struct {
		Files []struct {
			URI   string
			File  *struct{ Op, State, Mode, From string }
			Hunks []hunk
		}
	}
	w.command("acp.review.list", map[string]any{"state": state}, &r)
	var out []string
	for _, f := range r.Files {
		name := strings.TrimPrefix(f.URI, buffers.PathURI(w.root)+"/")
		if f.File != nil && f.File.Op != "" && (f.File.State == "rejected") == (state == "rejected") {
			out = append(out, strings.TrimSpace(fmt.Sprint(name, ": ", f.File.Op, f.File.Mode, " ", strings.TrimPrefix(f.File.From, w.root+"/"))))
		}
		for _, h := range f.Hunks {
			out = append(out, fmt.Sprintf("%s: %q for %q", name, h.Text, h.BaseText))
		}
	}
	slices.Sort(out)
	return strings.Join(out, "; ")
}

func (w *world) put(name, content string) {
	w.t.Helper()
	whole := filepath.Join(w.t.TempDir(), "whole")
	check(w.t, os.WriteFile(whole, []byte(content), 0o644))
	if info, err := os.Stat(w.path(name)); err == nil {
		check(w.t, os.Chmod(whole, info.Mode()))
	}
	check(w.t, os.Rename(whole, w.path(name)))
}

func (w *world) mkdir(name string)  { w.t.Helper(); check(w.t, os.MkdirAll(w.path(name), 0o755)) }
func (w *world) remove(name string) { w.t.Helper(); check(w.t, os.Remove(w.path(name))) }
func (w *world) rename(from, to string) {
	w.t.Helper()
	check(w.t, os.Rename(w.path(from), w.path(to)))
}
func (w *world) chmod(name string, mode fs.FileMode) {
	w.t.Helper()
	check(w.t, os.Chmod(w.path(name), mode))
}

// tree is all that is in the workspace. Folders are nobody's, and not told.
func (w *world) tree() string {
	w.t.Helper()
	var out strings.Builder
	check(w.t, filepath.WalkDir(w.root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || strings.HasPrefix(d.Name(), buffers.TempPrefix) {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content := ""
		switch {
		case d.Type().IsRegular():
			content = w.disk(path[len(w.root)+1:])
		case d.Type()&fs.ModeSymlink != 0:
			if content, err = os.Readlink(path); err != nil {
				return err
			}
		}
		fmt.Fprintf(&out, "%v %s %q\n", info.Mode(), path[len(w.root)+1:], content)
		return nil
	}))
	return out.String()
}

// save keeps what is on disk under a name, load brings it back.
func (e *everyCallOf) save(as string) {
	e.t.Helper()
	for _, dir := range []string{e.root, e.home} {
		out, err := exec.Command("cp", "-a", dir, dir+"."+as).CombinedOutput()
		if err != nil {
			e.t.Fatalf("%v: %s", err, out)
		}
	}
}

func (e *everyCallOf) load(as string) {
	e.t.Helper()
	for _, dir := range []string{e.root, e.home} {
		check(e.t, os.RemoveAll(dir))
		out, err := exec.Command("cp", "-a", dir+"."+as, dir).CombinedOutput()
		if err != nil {
			e.t.Fatalf("%v: %s", err, out)
		}
	}
}
