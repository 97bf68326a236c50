package session

import (
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// basesOf has the editors that are started next take bases, and returns what tells how often they were told.
func (w *earth) basesOf() (n func() int) {
	var told atomic.Int32
	w.prepare = func(e *fakeEditor) {
		told.Store(0)
		e.caps["base"] = true
		e.onBase = func(string, int32, string) (bool, error) {
			told.Add(1)
			e.cond.Broadcast()
			return true, nil
		}
	}
	return func() int { return int(told.Load()) }
}

// What an agent has put on disk under unsaved text is in the document again if the editor opens an older
// text of that after a restart, as it was decided on, and is not asked about when it is saved.
func TestOlderTextIsOpenedAfterARestart(t *testing.T) {
	t.Parallel()
	const first, second = "mine\n", "mine too\n"
	agents := strings.NewReplacer("3\n", "THREE\n", "8\n", "8\neight\n").Replace
	for _, decided := range []string{"undecided", "accepted", "rejected", "one each", "taken out", "undone"} {
		for _, opened := range []string{"before it", "long before it", "unknown", "last"} {
			for _, ended := range []string{"closed", "killed", "killed at once"} {
				if ended == "killed at once" && decided != "undecided" {
					continue
				}
				for _, early := range []bool{false, true} { // it is opened before acp-ls knows what there is
					t.Run(fmt.Sprintf("%s, %s, %s, early %v", decided, opened, ended, early), func(t *testing.T) {
						t.Parallel()
						w := newEarth(t)
						bases := w.basesOf()
						w.start()
						writeFile(t, w.path("f"), ten)
						w.e.open(w.uri("f"), ten)
						f := w.c.file(buffers.Path(w.path("f")))
						awaitLook(t, f)
						w.e.typeAt(w.uri("f"), 0, 0, first)
						w.e.typeAt(w.uri("f"), len(first), len(first), second)
						var state, root string
						if ended == "killed at once" {
							w.written = func() {
								if state == "" {
									state, root = w.snapshot()
								}
							}
						}
						w.writesDisk("f", agents(ten))
						w.written = nil
						if got := w.e.text(w.uri("f")); got != first+second+agents(ten) {
							t.Fatalf("text %q", got)
						}
						hunks := hunksOf(t, w.c, w.uri("f"), review.StatePending)
						if len(hunks) != 2 {
							t.Fatalf("%d hunks", len(hunks))
						}
						decide := func(accept bool, of ...review.Hunk) {
							do := w.c.Reject
							if accept {
								do = w.c.Accept
							}
							for _, h := range of {
								if d, err := do(t.Context(), Decide{Hunks: []string{h.ID}}); err != nil || len(d.Refused) > 0 {
									t.Fatalf("%+v, %v", d, err)
								}
							}
						}
						const both = "3|>THREE| >eight|"
						want, text, base := both, agents(ten), ten
						switch decided {
						case "accepted":
							decide(true, hunks...)
							want, base = "", agents(ten)
							if opened == "unknown" { // nobody knows that it was not taken out
								want, base = both, ten
							}
						case "rejected":
							decide(false, hunks...)
							want, text = "", ten
						case "one each":
							decide(false, hunks[1])
							decide(true, hunks[0])
							want, text = "", strings.Replace(ten, "3\n", "THREE\n", 1)
							if base = text; opened == "unknown" {
								want, base = "3|>THREE|", ten
							}
						case "taken out":
							w.e.replace(w.uri("f"), "THREE\n", "")
							want, text = "3|> >eight|", strings.Replace(agents(ten), "THREE\n", "", 1)
						case "undone":
							w.e.typeAt(w.uri("f"), 0, len(w.e.text(w.uri("f"))), first+second+ten)
							want, text = "", ten
						}
						typed, is := first+second, ten
						switch opened {
						case "long before it":
							typed = first
						case "unknown":
							typed = "more " + typed
						case "last":
							is = text
						}
						switch ended {
						case "closed":
							w.close()
						case "killed":
							f.keep(true)
							w.kill()
						case "killed at once":
							w.close()
							w.revert(state, root)
							w.e = nil
						}
						if early {
							w.opens = map[string]string{w.uri("f"): typed + is}
						}
						w.start()
						if !early {
							w.e.open(w.uri("f"), typed+is)
						}
						w.e.await("that the document contains what the disk has", func() bool { return bases() > 0 })
						if got := w.e.text(w.uri("f")); got != typed+text {
							t.Errorf("text %q, want %q", got, typed+text)
						}
						w.wantHunks("f", want, review.StatePending)
						if got, err := w.c.Baseline(w.uri("f")); err == nil && got != typed+base || err != nil && want != "" {
							t.Errorf("baseline %q, want %q, %v", got, typed+base, err)
						}
						for _, m := range w.e.said() {
							if strings.Contains(m, "not to be found") {
								t.Errorf("told %q", m)
							}
						}
						if _, err := w.c.Reject(t.Context(), Decide{URI: w.uri("f")}); err != nil {
							t.Fatal(err)
						}
						if got := w.e.text(w.uri("f")); want != "" && got != typed+base {
							t.Errorf("after reject %q, want %q", got, typed+base)
						}
					})
				}
			}
		}
	}
}

// An older text that has some of what agents have put under it gets the rest, each as whose it is; what
// one has written through the editor is on no disk, and stays away.
func TestOlderTextHasSomeOfIt(t *testing.T) {
	t.Parallel()
	disk := []string{ten}
	for _, x := range [][2]string{{"2\n", "2\ntwo\n"}, {"two\n", "two\nagain\n"}, {"5\n", "five\n"}, {"9\n", ""}} {
		disk = append(disk, strings.Replace(disk[len(disk)-1], x[0], x[1], 1))
	}
	const through = "7\nthrough the editor\n"
	for saved := range 3 { // so much of it was on disk when the user saved last
		for had := saved; had < len(disk); had++ { // and so much is in the text
			for _, adopts := range []bool{false, true} {
				t.Run(fmt.Sprintf("saved %d, had %d, adopts %v", saved, had, adopts), func(t *testing.T) {
					t.Parallel()
					w := newEarth(t)
					w.start()
					writeFile(t, w.path("f"), disk[0])
					w.e.open(w.uri("f"), disk[0])
					f := w.c.file(buffers.Path(w.path("f")))
					awaitLook(t, f)
					w.e.typeAt(w.uri("f"), 0, 0, "mine\n")
					own, older := "", ""
					for i, s := range disk {
						if i > 0 {
							w.writesDisk("f", own+s)
						}
						if i == saved {
							own = "mine\n"
							writeFile(t, w.path("f"), w.e.text(w.uri("f")))
							w.e.send(buffers.Save{URI: w.uri("f")})
							w.e.typeAt(w.uri("f"), 0, 0, "more\n")
						}
						if i == had {
							older = w.e.text(w.uri("f"))
						}
					}
					full := w.e.text(w.uri("f"))
					if full != "more\nmine\n"+disk[len(disk)-1] {
						t.Fatalf("text %q", full)
					}
					w.agent("f", strings.Replace(full, "7\n", through, 1))
					w.close()
					bases := w.basesOf()
					based := w.prepare
					w.prepare = func(e *fakeEditor) {
						based(e)
						if !adopts {
							return
						}
						e.caps["adopt"] = true
						e.onAdopt = func(uri string, _ int32, s string) (bool, error) {
							e.typeAt(uri, 0, len(e.text(uri)), s)
							return true, nil
						}
					}
					w.start()
					w.e.open(w.uri("f"), older)
					if adopts {
						w.e.await("the text", func() bool { return w.e.docs[w.uri("f")].text.String() == full })
						f := w.c.file(buffers.Path(w.path("f")))
						if err := f.lockOps(t.Context()); err != nil { // until that is taken in
							t.Fatal(err)
						}
						f.unlockOps()
					} else {
						w.e.await("that the document contains what the disk has", func() bool { return bases() > 0 })
					}
					if got := w.e.text(w.uri("f")); got != full {
						t.Errorf("text %q, want %q", got, full)
					}
					if got, err := w.c.Baseline(w.uri("f")); err != nil || got != "more\nmine\n"+ten {
						t.Errorf("baseline %q, want %q, %v", got, "more\nmine\n"+ten, err)
					}
					turns := map[string]bool{}
					for _, h := range hunksOf(t, w.c, w.uri("f"), review.StatePending) {
						for _, o := range h.Origins {
							turns[o.Turn] = true
							if o.Agent != "fake" {
								t.Errorf("origin %+v", o)
							}
						}
					}
					if len(turns) != len(disk)-1 {
						t.Errorf("turns %v, want %d", turns, len(disk)-1)
					}
					// In front of that it was never made.
					if got := w.hunks("f", review.StateRejected); had < len(disk)-1 && !strings.Contains(got, "through the editor") {
						t.Errorf("rejected %q", got)
					}
				})
			}
		}
	}
}

// In an editor that lives what has changed is the user's, also if it is a text that acp-ls knows, and however
// often that was started before the file was looked at; in another one nothing is lost by that.
func TestOlderTextInAnEditorThatLives(t *testing.T) {
	t.Parallel()
	agents := strings.Replace(ten, "3\n", "THREE\n", 1)
	for _, editors := range [][]string{{"a", "a"}, {"a", "a", "a"}, {"a", "b"}, {"a", "b", "b"}, {"", ""}} {
		t.Run(fmt.Sprint(editors), func(t *testing.T) {
			t.Parallel()
			w := newEarth(t)
			w.editor = editors[0]
			w.start()
			writeFile(t, w.path("f"), ten)
			w.e.open(w.uri("f"), ten)
			f := w.c.file(buffers.Path(w.path("f")))
			awaitLook(t, f)
			w.e.typeAt(w.uri("f"), 0, 0, "mine\n")
			w.writesDisk("f", agents)
			f.keep(true)
			bases := w.basesOf()
			for _, w.editor = range editors[1:] {
				w.crash()
			}
			w.e.open(w.uri("f"), "mine\n"+ten) // undone there, or kept before
			f = w.c.file(buffers.Path(w.path("f")))
			awaitLook(t, f)
			if editors[0] == editors[len(editors)-1] && editors[0] != "" {
				turnOf(t, w.c, w.l, func(Host, string) {})
				w.wantHunks("f", "")
				if got := w.e.text(w.uri("f")); got != "mine\n"+ten {
					t.Errorf("text %q", got)
				}
				return
			}
			w.e.await("that the document contains what the disk has", func() bool { return bases() > 0 })
			w.wantHunks("f", "3|>THREE|")
			if got := w.e.text(w.uri("f")); got != "mine\n"+agents {
				t.Errorf("text %q", got)
			}
		})
	}
}
