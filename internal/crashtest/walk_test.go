package crashtest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"

	"acp-ls/lspbridge/fakeeditor"
)

// walk is a history: what was done to two files, of which f is open in the editor and g is
// not, and which states they may be found in.
type walk struct {
	*world
	r     *rand.Rand
	n     names
	m     map[string]rows
	tried map[string]rows // what was last begun
	past  map[string][]possible
	trace []string
}

// possible is a state in which a file may be found. What is under way may have happened or
// not; what is not has happened.
type possible struct {
	state
	underWay bool
}

func newWalk(w *world, seed uint64) *walk {
	k := &walk{world: w, r: rand.New(rand.NewPCG(seed, 3)), m: map[string]rows{}, tried: map[string]rows{}, past: map[string][]possible{}}
	for _, name := range []string{"f", "g"} {
		var m rows
		for range 14 {
			m = append(m, row{text: k.n.next("old")})
		}
		k.m[name] = m
		k.write(name, m.text())
		k.past[name] = []possible{{state: m.state()}}
	}
	k.start()
	k.open("f", k.m["f"].text())
	return k
}

func (k *walk) did(format string, args ...any) {
	k.trace = append(k.trace, fmt.Sprintf(format, args...))
}

// happened makes m what the file is, and compares that with what acp-ls says.
func (k *walk) happened(name string, m rows) {
	k.t.Helper()
	k.m[name] = m
	s := m.state()
	text := k.disk(name)
	if b, ok := k.buffer(name); ok {
		text = b
	}
	if base := k.baseline(name); base != s.baseline || text != s.text {
		k.t.Fatalf("%s before any crash: text\n%s\nwant\n%s\nbaseline\n%s\nwant\n%s", name, text, s.text, base, s.baseline)
	}
	s.hunks = k.shown(name)
	k.past[name] = append(k.past[name], possible{state: s})
}

// may notes that m is what the file may be found as.
func (k *walk) may(name string, m rows) {
	k.tried[name] = m
	k.past[name] = append(k.past[name], possible{m.state(), true})
}

// agentWrites has the agent change a file through acp-ls. Without a moment it is waited for.
func (k *walk) agentWrites(name string, kill *moment) {
	k.t.Helper()
	next := k.m[name].agentEdits(k.r, &k.n)
	t := k.prompt()
	t.reads(name)
	k.may(name, next)
	k.did("agent writes %s", name)
	if kill != nil {
		kill.of(k, name, func() { t.writes(name, next.text()) })
		return
	}
	t.wrote(t.writes(name, next.text()))
	t.end()
	k.happened(name, next)
}

// agentWritesDisk has the agent change a file that is not open behind acp-ls's back.
func (k *walk) agentWritesDisk(name string, kill *moment) {
	k.t.Helper()
	next := k.m[name].agentEdits(k.r, &k.n)
	t := k.prompt()
	k.may(name, next)
	k.did("agent writes %s by itself", name)
	k.write(name, next.text())
	if kill != nil {
		kill.of(k, name, func() {
			_ = t.p.agent.Reply(t.m, endTurn)
		})
		return
	}
	t.end()
	k.happened(name, next)
}

func (k *walk) userTypes() {
	k.t.Helper()
	next, before := k.m["f"].userTypes(k.r, &k.n)
	if next == nil {
		return
	}
	k.did("the user types")
	text, _ := k.buffer("f")
	at := strings.Index(text, before)
	typed := string(next[slices.IndexFunc(next, func(x row) bool { return x.text+"\n" == before })-1].text) + "\n"
	check(k.t, k.editor.Type(k.uri("f"), at, at, typed))
	k.happened("f", next)
}

func (k *walk) userSaves() {
	k.t.Helper()
	k.did("the user saves")
	check(k.t, k.editor.Save(k.uri("f")))
}

// rests waits until the text of f is written down, as it is when it has been left alone.
func (k *walk) rests() {
	k.t.Helper()
	if !slices.ContainsFunc(k.m["f"], func(x row) bool { return !x.plain() }) {
		return
	}
	k.did("the user rests")
	text, _ := k.buffer("f")
	k.awaitIn(".journal", text)
}

// awaitIn waits until a text is in one of the files of the state directory with this
// extension.
func (w *world) awaitIn(ext, text string) {
	w.t.Helper()
	watcher, err := fsnotify.NewWatcher()
	check(w.t, err)
	defer watcher.Close()
	files := w.journals(ext)
	if len(files) == 0 {
		w.t.Fatal("nothing was written down")
	}
	check(w.t, watcher.Add(filepath.Dir(files[0])))
	limit := time.After(patience)
	for {
		for _, name := range files {
			if b, err := os.ReadFile(name); err == nil && bytes.Contains(b, []byte(text)) {
				return
			}
		}
		select {
		case <-watcher.Events:
		case err := <-watcher.Errors:
			w.t.Fatal(err)
		case <-limit:
			w.t.Fatalf("%q was not written down", text)
		}
	}
}

// decides accepts or rejects one of the hunks of a file, if there is one.
func (k *walk) decides(name string, accept bool, kill *moment) bool {
	k.t.Helper()
	hunks := k.hunks(name, "pending")
	if len(hunks) == 0 {
		return false
	}
	h := hunks[k.r.IntN(len(hunks))]
	next := k.m[name].decided(h, accept)
	command := map[bool]string{true: "acp.review.accept", false: "acp.review.reject"}[accept]
	k.did("%s %s in %s", command, h, name)
	k.may(name, next)
	argument := map[string]any{"hunks": []string{h.ID}}
	if kill != nil {
		kill.of(k, name, func() { _, _ = k.editor.BeginCommand(command, argument) })
		return true
	}
	var d struct{ Decided []string }
	k.command(command, argument, &d)
	if len(d.Decided) != 1 {
		k.t.Fatalf("%s %s: decided %q", command, h, d.Decided)
	}
	k.happened(name, next)
	return true
}

// A moment is when acp-ls is killed while something is under way.
type moment struct {
	name string
	of   func(k *walk, file string, begin func())
}

// atOnce is as soon as it was begun, or d later.
func atOnce(d time.Duration) *moment {
	return &moment{fmt.Sprintf("after %v", d), func(k *walk, _ string, begin func()) {
		gone := make(chan struct{})
		begin()
		time.AfterFunc(d, func() { close(gone) })
		<-gone
		k.kill()
	}}
}

// editAsked is when the editor has been asked for the edit, whose record is therefore written.
// It has not made it and never will.
var editAsked = &moment{"the edit is asked for", func(k *walk, file string, begin func()) {
	k.editor.SetVices(fakeeditor.Vices{HoldEdits: true})
	k.awaitEdit(file, begin)
	k.kill()
}}

// editMade is when the editor has made the edit, and acp-ls does not know.
var editMade = &moment{"the edit is made", func(k *walk, file string, begin func()) {
	k.editor.SetVices(fakeeditor.Vices{LateChanges: true})
	k.awaitEdit(file, begin)
	k.kill()
}}

// editTold is when the editor has said so.
var editTold = &moment{"the edit is told", func(k *walk, file string, begin func()) {
	k.editor.SetVices(fakeeditor.Vices{HoldEdits: true})
	k.awaitEdit(file, begin)
	k.editor.Release()
	k.kill()
}}

// typedFirst is when the user has typed before the editor made the edit, which it therefore
// refuses.
var typedFirst = &moment{"the user was faster", func(k *walk, file string, begin func()) {
	k.editor.SetVices(fakeeditor.Vices{HoldEdits: true})
	k.awaitEdit(file, begin)
	past := k.past[file]
	k.past[file] = past[:len(past)-1]
	k.userTypes()
	k.editor.Release()
	k.kill()
}}

// awaitEdit waits for acp-ls to ask for an edit of a document. There is none in a file that is
// not open.
func (k *walk) awaitEdit(file string, begin func()) {
	k.t.Helper()
	before := len(k.editor.Received("workspace/applyEdit"))
	begin()
	if _, ok := k.buffer(file); !ok {
		return
	}
	check(k.t, k.editor.Await(k.limit(), "an edit", fakeeditor.Received("workspace/applyEdit", before+1)))
}

// found checks what a restart has made of what it found: the editor's text if that has lived
// on, or the disk's.
func (k *walk) found(name, text string) {
	k.t.Helper()
	var want []state
	for _, p := range slices.Backward(k.past[name]) {
		if p.text == text {
			want = append(want, p.state)
			if !p.underWay {
				break
			}
		}
	}
	if want == nil {
		k.t.Fatalf("%s has a text that it never had:\n%s\nit had %+v", name, text, k.past[name])
	}
	base, shown := k.baseline(name), k.shown(name)
	// Rows of the user's that were never saved, and that the agent had taken out, are offered on
	// top of what the disk had: they are nowhere else.
	rest := k.m[name].withoutGone(k.tried[name].withoutGone(base, text), text)
	// What was accepted before it was saved may be offered again, with the text of then.
	accepted := func(s state, later rows) bool { return s.m.acceptedSince(later).baseline() == base }
	fits := func(s state) bool {
		if text != k.m[name].text() && (accepted(s, k.m[name]) || accepted(s, k.tried[name])) {
			return true
		}
		return s.baseline == base && (s.hunks == nil || slices.Equal(s.hunks, shown)) || rest != base && s.baseline == rest
	}
	if !slices.ContainsFunc(want, fits) {
		k.t.Errorf("%s: text\n%s\nbaseline\n%s\nhunks %q\nit had %+v", name, text, base, shown, want)
	}
	// The agent's rows are all offered, and none of the user's.
	var offered strings.Builder
	for _, h := range k.hunks(name, "pending") {
		offered.WriteString(h.Text + h.BaseText)
	}
	for line := range strings.Lines(text) {
		if !strings.Contains(base, line) != strings.Contains(offered.String(), line) {
			t := "is not"
			if strings.Contains(offered.String(), line) {
				t = "is"
			}
			k.t.Errorf("%s: %q %s offered; baseline\n%s", name, line, t, base)
		}
	}
}

// restart starts acp-ls again after it was killed, with the editor or without, checks what it
// makes of the files, kills it and starts it again, rejects everything, and checks that
// nothing comes back after that.
func (k *walk) restart(withEditor bool) {
	k.t.Helper()
	text, open := k.buffer("f")
	if withEditor || !open {
		text = k.disk("f")
	}
	for range 2 {
		k.start()
		k.open("f", text)
		k.found("f", text)
		k.found("g", k.disk("g"))
		if now, _ := k.buffer("f"); now != text {
			k.t.Errorf("the restart has changed the text: %q, was %q", now, text)
		}
		k.kill()
	}
	k.start()
	k.open("f", text)
	want := map[string]string{}
	for _, name := range []string{"f", "g"} {
		want[name] = k.baseline(name)
	}
	k.command("acp.review.reject", map[string]any{}, nil)
	check := func(when string) {
		k.t.Helper()
		f, _ := k.buffer("f")
		for name, now := range map[string]string{"f": f, "g": k.disk("g")} {
			if now != want[name] || k.baseline(name) != want[name] {
				k.t.Errorf("%s: %s has the text %q and the baseline %q, want %q", when, name, now, k.baseline(name), want[name])
			}
			if left := k.shown(name); len(left) > 0 {
				k.t.Errorf("%s: %s has %q", when, name, left)
			}
		}
	}
	check("after the rejection")
	text, _ = k.buffer("f")
	k.kill()
	k.start()
	k.open("f", text)
	check("after the rejection and one more restart")
	for _, m := range k.messages() { // but of what an unsaved document has left on the disk
		if text == k.disk("f") && strings.Contains(m, "earlier run") && !strings.Contains(m, "not to be found") {
			k.t.Errorf("told %q with nothing undecided", m)
		}
	}
	k.kill()
}
