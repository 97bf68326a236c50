package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// A user opens a file in the moment in which an agent's command has emptied it, has written a part of it or has moved its
// folder away, and that goes on. What the editor has read there is no text of the user's, who has typed nothing yet: to
// reject is to have what the file had before, to accept what it came to, each with what the user has typed.
func TestOpenedMidWrite(t *testing.T) {
	t.Parallel()
	agents := strings.Replace(strings.Replace(ten, "5\n", "FIVE\n", 1), "8\n", "", 1)
	for name, mid := range map[string]struct{ until, adds, comes string }{ // what has come of it; "" is away
		"emptied":                        {"1", "", agents},
		"emptied, as Neovim reads it":    {"1", "\n", agents},
		"emptied and put back":           {"1", "\n", ten},
		"half a text":                    {"6", "", agents},
		"half a row":                     {"VE", "", agents},
		"half a row, as Neovim reads it": {"VE", "\n", agents},
		"away":                           {"", "", ten},
		"away, as Neovim reads it":       {"", "\n", ten},
		"away, unseen":                   {"", "\n", ten},
		"away and written on":            {"", "\n", agents},
	} {
		unseen := strings.HasSuffix(name, "unseen")
		for _, steps := range []string{
			"mid open known on", "mid open on known", "mid open known on type", "mid open known type on", "mid open type known on",
			"mid open on type known", "mid open known look on", "mid open known look type on",
			"mid open known on look again", "mid open known type on look again", "mid open known look type on again",
		} {
			for _, pre := range []bool{false, true} {
				for _, at := range []int{0, -1} {
					if at != 0 && !strings.Contains(steps, "type") || unseen && strings.Contains(steps, "type known") {
						continue // of one that is typed in before it is known what it had, git is asked yet
					}
					for _, accept := range []bool{true, false} {
						if accept && (pre || at != 0) {
							continue // that asks for what has come alone
						}
						git := !pre && !accept && at == 0 && (steps == "mid open known on" || steps == "mid open known type on") // which is slow
						o := openedMid{unseen: unseen, until: mid.until, adds: mid.adds, comes: mid.comes, steps: steps, pre: pre, git: git, at: at, accept: accept}
						ways := map[bool]string{true: "yes", false: "no"}
						runOneIn(t, 3, strings.Join([]string{name, steps, "pre " + ways[pre], "git " + ways[git], "accept " + ways[accept], []string{"end", "begin"}[at+1]}, ", "), func(t *testing.T) {
							synctest.Test(t, func(t *testing.T) { o.test(t) })
						})
					}
				}
			}
		}
	}
}

type openedMid struct {
	until, adds, comes string
	steps              string
	pre, git, accept   bool
	unseen             bool // that it is away
	at                 int  // where is typed: at the begin, or the end
}

func (o openedMid) test(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	c.unwatched = true // nothing may wait for the system in virtual time
	dir := filepath.Join(root, "d")
	path, uri := filepath.Join(dir, "a"), buffers.PathURI(filepath.Join(dir, "a"))
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	f := c.file(buffers.Path(path))
	writeFile(t, path, ten)
	if o.git {
		gitInit(t, root)
	}
	e.caps["reload"], e.caps["reopens"], e.caps["adopt"] = true, true, true
	e.onReload = func(string) (bool, error) { e.reopen(uri, path); return true, nil }
	e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
		e.typeAt(uri, 0, len(e.text(uri)), s)
		return true, nil
	}
	comes := o.comes
	if o.pre {
		comes = strings.Replace(comes, "2\n", "TWO\n", 1)
	}
	mid, _, _ := strings.Cut(comes, o.until)
	read := mid + o.adds
	compare := func() {}
	typed := false
	again := strings.Replace(comes, "3\n", "THREE\n", 1)
	do := map[string]func(){
		"mid": func() {
			if o.until == "" {
				if err := os.Rename(dir, dir+".away"); err != nil {
					t.Fatal(err)
				}
				if !o.unseen {
					lookNow(c)
				}
				return
			}
			writeFile(t, path, mid)
		},
		"open": func() {
			e.wire.Lock()
			defer e.wire.Unlock()
			e.note(func() { e.docs[uri] = &fakeDoc{version: 1, text: text.New(read)} })
			events, err := e.at.store.Apply(buffers.Open{URI: uri, Version: 1, Text: read}, "test")
			if err != nil {
				t.Fatal(err)
			}
			compare = e.at.arrived(f, events[0])
		},
		"known": func() { compare() },
		"look":  func() { lookNow(c) },
		"again": func() {
			comes = again
			writeFile(t, path, again)
		},
		"type": func() {
			typed = true
			if is := e.text(uri); o.at == 0 && strings.Trim(is, "\n") != "" {
				e.typeAt(uri, 0, 0, "kk\n")
			} else if end := len(strings.TrimSuffix(is, "\n")); end == 0 {
				e.typeAt(uri, 0, len(is), "kk\n")
			} else {
				e.typeAt(uri, end, end, "\nkk")
			}
		},
		"on": func() {
			if o.until == "" {
				if err := os.Rename(dir+".away", dir); err != nil {
					t.Fatal(err)
				}
			}
			writeFile(t, path, comes)
		},
	}
	l.prompt = func(context.Context, *fakeAgent, string, []Block) (StopReason, error) {
		if o.pre {
			writeFile(t, path, strings.Replace(ten, "2\n", "TWO\n", 1))
			lookNow(c)
		}
		for _, step := range strings.Fields(o.steps) {
			do[step]()
			time.Sleep(20 * time.Millisecond)
		}
		return "end_turn", nil
	}
	if _, err := c.Prompt(t.Context(), Prompt{Text: "go", Wait: true}); err != nil {
		t.Fatal(err)
	}
	time.Sleep(time.Second)
	synctest.Wait()
	if d, _ := e.at.Document(uri); !typed && d.State() != buffers.Clean {
		t.Errorf("it is %v with %q", d.State(), e.text(uri))
	}
	without := func(is string) string {
		if !typed {
			return is
		}
		for _, kk := range []string{"kk\n", "\nkk"} {
			if i := strings.Index(is, kk); i >= 0 {
				return is[:i] + is[i+len(kk):]
			}
		}
		return "without what was typed: " + is
	}
	if is := without(e.text(uri)); strings.TrimSuffix(is, "\n") != strings.TrimSuffix(comes, "\n") {
		t.Errorf("text %q", is)
	}
	for _, h := range hunksOf(t, c, uri, review.StatePending, review.StateConflict) {
		if h.State != review.StatePending || h.Origins[0].Author != review.AuthorAgent {
			t.Errorf("%v of %+v: %q %q", h.State, h.Origins, h.BaseText, h.Text)
		}
	}
	decide, want := c.Reject, ten
	if o.accept {
		decide, want = c.Accept, comes
	}
	if out, err := decide(t.Context(), Decide{URI: uri}); err != nil && KindOf(err) != KindInvalid || len(out.Refused) > 0 {
		t.Errorf("%+v, %v", out, err)
	}
	if is := without(e.text(uri)); strings.TrimSuffix(is, "\n") != strings.TrimSuffix(want, "\n") {
		t.Errorf("decided: %q", is)
	}
	if left := hunksOf(t, c, uri, review.StatePending, review.StateConflict); len(left) > 0 {
		t.Errorf("left: %+v", left)
	}
}
