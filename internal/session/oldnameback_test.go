package session

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// A file that an agent renames, and whose old name it makes again while that is undecided, is reviewed under the old name, with
// what it had before, whatever has become of acp-ls in between; and one that is left with the new name is made.
func TestOldNameOfARenameIsThereAgain(t *testing.T) {
	t.Parallel()
	for _, does := range []string{"both", "copied", "back", "back, edited"} {
		for _, z := range []string{"closed", "open", "unsaved"} {
			for _, between := range []string{"looks", "looks, restart", "turns", "restarts", "killed before", "killed behind"} {
				for _, end := range []string{"reject", "accept", "undo"} {
					if end != "reject" && does != "both" && does != "back, edited" || end == "undo" && between != "looks" && between != "turns" {
						continue
					}
					if between == "killed behind" && z != "closed" {
						continue // a document may have a conflict then, as it is not known what its file had
					}
					t.Run(fmt.Sprintf("%s, %s, %s, %s", does, z, between, end), func(t *testing.T) {
						t.Parallel()
						testOldNameThereAgain(t, does, z, between, end)
					})
				}
			}
		}
	}
}

func testOldNameThereAgain(t *testing.T, does, z, between, end string) {
	w := newEarth(t)
	w.prepare = func(e *fakeEditor) {
		e.caps["reload"] = true
		e.onReload = func(uri string) (bool, error) {
			p, _ := buffers.URIPath(uri)
			if !isThere(buffers.Path(p)) {
				return false, nil
			}
			e.reopen(uri, p)
			return true, nil
		}
	}
	w.start()
	edit := func(name, row string) {
		writeFile(t, w.path(name), strings.Replace(readFile(t, w.path(name)), row, "AGENT "+row, 1))
	}
	move := func(from, to string) {
		if err := os.Rename(w.path(from), w.path(to)); err != nil {
			t.Error(err)
		}
	}
	const old, other = "m", "a"
	acts := []func(){func() { edit(old, "2\n"); move(old, other) }}
	made := true
	switch does {
	case "both":
		acts = append(acts, func() {
			writeFile(t, w.path(old), strings.Replace(readFile(t, w.path(other)), "7\n", "AGENT 7\n", 1))
		})
	case "copied":
		acts = []func(){
			func() { edit(old, "2\n") },
			func() { writeFile(t, w.path(other), readFile(t, w.path(old))); remove(t, w.path(old)) },
			func() { writeFile(t, w.path(old), readFile(t, w.path(other))); edit(old, "7\n") },
		}
	case "back", "back, edited":
		made = false
		acts = append(acts, func() { edit(other, "7\n") }, func() {
			if move(other, old); does == "back, edited" {
				edit(old, "5\n")
			}
		})
	}
	writeFile(t, w.path(old), ten)
	users := func(s string) string { return s }
	if z != "closed" {
		w.e.open(w.uri(old), ten)
		awaitLook(t, w.c.file(buffers.Path(w.path(old))))
	}
	if z == "unsaved" {
		w.e.replace(w.uri(old), "9\n", "9 mine\n")
		users = func(s string) string { return strings.Replace(s, "9\n", "9 mine\n", 1) }
	}
	again := func() {
		for _, name := range []string{old, other} {
			w.awaitWritten(name)
		}
		w.again(true)
	}
	if between == "turns" || between == "restarts" {
		for i, act := range acts {
			if i > 0 && between == "restarts" {
				again()
			}
			turnOf(t, w.c, w.l, func(Host, string) { act() })
		}
	} else {
		last := len(acts) - 1
		var state, root string
		var texts map[string]string
		turnOf(t, w.c, w.l, func(Host, string) {
			look := func() { s := w.c.allSessions()[0]; w.c.turnPoint(s, s.now()) }
			for i, act := range acts {
				if i == last && between == "killed before" {
					state, root = w.snapshot()
					texts = w.e.texts()
				}
				act()
				if i < last || !strings.HasPrefix(between, "killed") {
					look()
					w.awaitWritten(old)
					w.awaitWritten(other)
				}
			}
			if between == "killed behind" {
				state, root = w.snapshot()
				texts = w.e.texts()
			}
		})
		if state != "" {
			w.close()
			w.revert(state, root)
			w.start()
			for uri, text := range texts {
				w.e.open(uri, text)
			}
			if between == "killed before" {
				turnOf(t, w.c, w.l, func(Host, string) { acts[last]() })
			}
		} else if between == "looks, restart" {
			again()
		}
	}
	turnOf(t, w.c, w.l, nil) // whatever is not seen yet is looked at
	text := func(name string) string {
		if z != "closed" && name == old {
			return w.e.text(w.uri(name))
		}
		return readFile(t, w.path(name))
	}
	both := users(readFile(t, w.path(old)))
	if got := text(old); got != both {
		t.Errorf("%s has %q, want %q", old, got, both)
	}
	if got, err := w.c.Baseline(w.uri(old)); err != nil || got != users(ten) {
		t.Errorf("the baseline of %s is %q, %v", old, got, err)
	}
	list := w.hunks(old)
	if n := strings.Count(both, "AGENT"); strings.Count(list, "AGENT") != n || n == 0 || strings.Contains(list, "rename") {
		t.Errorf("hunks of %s: %s", old, list)
	}
	if got := w.hunks(other); made && !strings.HasPrefix(got, "create") || !made && got != "" {
		t.Errorf("hunks of %s: %s", other, got)
	}
	decide, want := w.c.Reject, users(ten)
	switch end {
	case "accept":
		decide, want = w.c.Accept, both
	case "undo":
		session := w.c.allSessions()[0].id
		d, err := w.c.Undo(t.Context(), session, "")
		if err != nil || len(d.Refused) > 0 {
			t.Errorf("undo: %+v, %v", d, err)
		}
		decide = nil
	}
	if decide != nil {
		if d, err := decide(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
			t.Errorf("%s: %+v, %v", end, d, err)
		}
	}
	if got := text(old); got != want {
		t.Errorf("%s has %q then, want %q", old, got, want)
	}
	if !isThere(buffers.Path(w.path(old))) || isThere(buffers.Path(w.path(other))) != (made && end == "accept") {
		t.Errorf("there is %q", wholeTree(t, w.root))
	}
	for _, r := range w.c.Reviews("", "") {
		t.Errorf("left %s: %+v %+v", r.Path, r.File, r.Hunks)
	}
}

// What the user does about the old name of a rename, while no turn runs, is theirs: where they give the file that name back
// what is undecided goes along, and what they make there no rejection touches.
func TestUserMakesTheOldNameOfARename(t *testing.T) {
	t.Parallel()
	const old, other = "m", "a"
	edited := strings.Replace(ten, "2\n", "AGENT 2\n", 1)
	for does, act := range map[string]func(w *earth){
		"renames it back": func(w *earth) {
			if err := os.Rename(w.path(other), w.path(old)); err != nil {
				w.t.Error(err)
			}
		},
		"renames it back, and edits": func(w *earth) {
			writeFile(w.t, w.path(old), strings.Replace(edited, "9\n", "9 mine\n", 1))
			remove(w.t, w.path(other))
		},
		"makes another": func(w *earth) { writeFile(w.t, w.path(old), "mine\n") },
	} {
		for _, when := range []string{"", "told", "before a turn", "acp-ls is down"} {
			for _, end := range []string{"reject", "accept"} {
				t.Run(fmt.Sprintf("%s, %s, %s", does, when, end), func(t *testing.T) {
					t.Parallel()
					w := newEarth(t)
					w.start()
					writeFile(t, w.path(old), ten)
					turnOf(t, w.c, w.l, func(Host, string) {
						writeFile(t, w.path(other), edited)
						remove(t, w.path(old))
					})
					w.wantHunks(other, "rename 2|>AGENT 2|")
					if when == "acp-ls is down" {
						w.meanwhile = func() { act(w) }
						w.crash()
					} else {
						act(w)
					}
					made := does == "makes another"
					if when == "told" {
						op := FileOperation{From: w.path(other), To: w.path(old)}
						if made {
							op.From = ""
						}
						c := w.c
						release, err := c.betweenPoints(t.Context())
						if err != nil {
							t.Fatal(err)
						}
						for _, one := range c.filesOfOperation(op) {
							if err := c.usersFile(t.Context(), one); err != nil {
								t.Error(err)
							}
						}
						release()
					}
					if when == "before a turn" {
						turnOf(t, w.c, w.l, nil)
					}
					decide := map[string]func(context.Context, Decide) (Decision, error){"reject": w.c.Reject, "accept": w.c.Accept}[end]
					d, err := decide(t.Context(), Decide{})
					if err != nil || (len(d.Refused) > 0) != (made && end == "reject") {
						t.Errorf("%+v, %v", d, err)
					}
					for _, r := range d.Refused {
						if !strings.Contains(r.Reason, "there is a file") {
							t.Errorf("%+v", r)
						}
					}
					want := map[string]string{"reject": ten, "accept": edited}[end]
					is := map[string]string{old: "false " + want}
					switch {
					case made:
						is = map[string]string{old: "false mine\n", other: "false " + want}
					case does != "renames it back":
						is[old] = strings.Replace(is[old], "9\n", "9 mine\n", 1)
					}
					if got := wholeTree(t, w.root); fmt.Sprint(got) != fmt.Sprint(is) {
						t.Errorf("there is %q, want %q", got, is)
					}
					if got := w.hunks(old) + w.hunks(other); got != "" && !(made && end == "reject" && got == "rename") {
						t.Errorf("left %s", got)
					}
				})
			}
		}
	}
}

// What the user has typed in a file under its new name stays where they have typed it, and is no agent's, whether it is saved
// or not; saved, it goes along with what is undecided.
func TestTypedUnderTheNewNameOfARename(t *testing.T) {
	t.Parallel()
	const old, other = "m", "z"
	for _, back := range []bool{false, true} {
		for _, saved := range []bool{false, true} {
			for _, restart := range []bool{false, true} {
				for _, end := range []string{"reject", "accept"} {
					t.Run(fmt.Sprintf("back %v, saved %v, restart %v, %s", back, saved, restart, end), func(t *testing.T) {
						t.Parallel()
						w := newEarth(t)
						w.start()
						writeFile(t, w.path(old), ten)
						turnOf(t, w.c, w.l, func(Host, string) {
							writeFile(t, w.path(old), strings.Replace(ten, "2\n", "AGENT 2\n", 1))
							if err := os.Rename(w.path(old), w.path(other)); err != nil {
								t.Error(err)
							}
						})
						uri := w.uri(other)
						w.e.open(uri, readFile(t, w.path(other)))
						awaitLook(t, w.c.file(buffers.Path(w.path(other))))
						w.e.replace(uri, "9\n", "9\nmine\n")
						if saved {
							writeFile(t, w.path(other), w.e.text(uri))
							w.e.send(buffers.Save{URI: uri})
						}
						if restart {
							w.awaitWritten(other)
							w.again(true)
							awaitLook(t, w.c.file(buffers.Path(w.path(other))))
						}
						turnOf(t, w.c, w.l, func(Host, string) {
							now := strings.Replace(readFile(t, w.path(other)), "5\n", "AGENT 5\n", 1)
							if back {
								remove(t, w.path(other))
							}
							writeFile(t, w.path(old), now)
						})
						decide := map[string]func(context.Context, Decide) (Decision, error){"reject": w.c.Reject, "accept": w.c.Accept}[end]
						typed := w.e.text(uri)
						both := readFile(t, w.path(old))
						if d, err := decide(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
							t.Errorf("%+v, %v", d, err)
						}
						want := map[string]string{"reject": ten, "accept": both}[end]
						if saved && end == "reject" {
							want = strings.Replace(ten, "9\n", "9\nmine\n", 1)
						}
						if got := readFile(t, w.path(old)); got != want {
							t.Errorf("%s has %q, want %q", old, got, want)
						}
						if end == "reject" && !back {
							typed = "mine\n" // and nothing else of a file that the agent has made
						}
						if got := w.e.text(uri); got != typed {
							t.Errorf("the text of %s is %q, want %q", other, got, typed)
						}
						if got := w.hunks(old) + w.hunks(other); got != "" {
							t.Errorf("left %s", got)
						}
					})
				}
			}
		}
	}
}
