package session

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
)

// typist types at the end of the first row of a document until stop is closed, with a pause of
// gap() before each key, and returns what it has typed.
func typist(e *fakeEditor, uri string, stop <-chan struct{}, gap func() time.Duration) string {
	var typed strings.Builder
	for {
		select {
		case <-stop:
			return typed.String()
		case <-time.After(gap()):
		}
		key := string(rune('a' + typed.Len()%26))
		e.wire.Lock()
		at := strings.Index(e.text(uri), "\n")
		e.typeLocked(uri, at, at, key)
		e.wire.Unlock()
		typed.WriteString(key)
	}
}

// slow makes an editor take a while for an edit, which is refused if a key has come meanwhile.
func slow(e *fakeEditor, takes func() time.Duration) {
	e.onApply = func(d DocumentEdit) (bool, error) {
		time.Sleep(takes())
		return true, e.edit(d, true)
	}
}

// Whoever types at a usual pace, in an editor that is not quick, keeps no agent from writing the
// same file; and nothing of either is lost.
func TestTypingStarvesNobody(t *testing.T) {
	for _, pace := range []struct{ from, to, edit time.Duration }{
		{50, 150, 30}, {50, 90, 60}, {70, 70, 60}, {120, 180, 100}, {30, 300, 150},
	} {
		t.Run(fmt.Sprintf("%d-%d", pace.from, pace.to), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newEarth(t)
				w.start()
				w.t = t
				uri := w.uri("a")
				writeFile(t, w.path("a"), ten)
				w.e.open(uri, ten)
				keyboard, machine := rand.New(rand.NewPCG(1, 2)), rand.New(rand.NewPCG(3, 4))
				between := func(r *rand.Rand, from, to time.Duration) time.Duration {
					return (from + time.Duration(r.Int64N(int64(to-from)+1))) * time.Millisecond
				}
				slow(w.e, func() time.Duration { return between(machine, pace.edit/2, pace.edit*3/2) })
				stop, typed := make(chan struct{}), make(chan string)
				go func() {
					typed <- typist(w.e, uri, stop, func() time.Duration { return between(keyboard, pace.from, pace.to) })
				}()
				last := ""
				turnOf(t, w.c, w.l, func(h Host, sid string) {
					for i := range 30 {
						now, err := h.ReadTextFile(t.Context(), sid, w.path("a"), nil, nil)
						if err != nil {
							t.Error(err)
							return
						}
						rows := strings.SplitAfter(now, "\n")
						last = fmt.Sprintf("agent %d\n", i)
						rows[8] = last
						if err := h.WriteTextFile(t.Context(), sid, w.path("a"), strings.Join(rows, "")); err != nil {
							t.Errorf("write %d: %v", i, err)
						}
						time.Sleep(250 * time.Millisecond)
					}
				})
				close(stop)
				keys := <-typed
				synctest.Wait()
				want := strings.Split(ten, "\n")
				want[0] += keys
				base := strings.Join(want, "\n")
				want[8] = strings.TrimSuffix(last, "\n")
				if got := w.e.text(uri); got != strings.Join(want, "\n") {
					t.Errorf("text %q", got)
				}
				if got, err := w.c.Baseline(uri); err != nil || got != base {
					t.Errorf("baseline %q, %v", got, err)
				}
				w.close()
			})
		})
	}
}

// Who does not pause, in an editor that takes longer for an edit than there is between two keys, has
// what an agent writes as soon as they do. If they never do, the agent is told after a while; they keep
// nobody from other files.
func TestTypingWithoutEnd(t *testing.T) {
	for name, types := range map[string]time.Duration{"a while": 15 * time.Second, "for ever": time.Hour} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newEarth(t)
				w.start()
				w.t = t
				uri := w.uri("a")
				for _, name := range []string{"a", "b"} {
					writeFile(t, w.path(name), ten)
					w.e.open(w.uri(name), ten)
				}
				w.e.onApply = func(d DocumentEdit) (bool, error) {
					if d.URI == uri {
						time.Sleep(500 * time.Millisecond)
					}
					return true, w.e.edit(d, true)
				}
				stop, typed := make(chan struct{}), make(chan string)
				go func() {
					typed <- typist(w.e, uri, stop, func() time.Duration { return 250 * time.Millisecond })
				}()
				end := sync.OnceFunc(func() { close(stop) })
				time.AfterFunc(types, end)
				wrote := ""
				turnOf(t, w.c, w.l, func(h Host, sid string) {
					begun := time.Now()
					other := make(chan struct{})
					go func() {
						defer close(other)
						time.Sleep(5 * time.Second)
						at := time.Now()
						if err := h.WriteTextFile(t.Context(), sid, w.path("b"), ten+"agent\n"); err != nil || time.Since(at) > 0 {
							t.Errorf("the other file after %v: %v", time.Since(at), err)
						}
					}()
					err := h.WriteTextFile(t.Context(), sid, w.path("a"), ten+"agent\n")
					took, asked := time.Since(begun), w.c.waits.Asked
					switch {
					case types < asked && err != nil:
						t.Errorf("after %v: %v", took, err)
					case types < asked:
						wrote = "agent\n"
					case KindOf(err) != KindBusy || !strings.Contains(err.Error(), "changed meanwhile") ||
						took < asked || took > asked+time.Second:
						t.Errorf("after %v: %v", took, err)
					}
					<-other
				})
				end()
				base := strings.Replace(ten, "\n", <-typed+"\n", 1)
				if got := w.e.text(uri); got != base+wrote {
					t.Errorf("text %q, want %q", got, base+wrote)
				}
				if got, err := w.c.Baseline(uri); err != nil || got != base {
					t.Errorf("baseline %q, %v", got, err)
				}
				if got := readFile(t, string(buffers.Path(w.path("b")))); got != ten {
					t.Errorf("the disk has %q", got) // files are saved by the user here
				}
				w.close()
			})
		})
	}
}

// An editor that takes no edit at all is not asked for ever, and the user is told what to do.
func TestEditorThatTakesNothingBehindTheDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newEarth(t)
		w.start()
		w.t = t
		uri, path := w.uri("a"), w.path("a")
		writeFile(t, path, ten)
		w.e.open(uri, ten)
		asked := 0
		w.e.onApply = func(DocumentEdit) (bool, error) { asked++; return true, ErrRefused }
		turnOf(t, w.c, w.l, func(Host, string) {
			time.Sleep(time.Second)
			writeFile(t, path, strings.Replace(ten, "5\n", "AGENT\n", 1))
		})
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		before := asked
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if said := w.e.said(); len(said) != 1 || !strings.HasPrefix(inSight(said[0]), "Load a anew before you save it: ") || asked != before {
			t.Errorf("said %q, asked %d and %d times", said, before, asked)
		}
		if got := w.e.text(uri); got != ten {
			t.Errorf("text %q", got)
		}
		w.close()
	})
}

// What an agent has written on disk comes into a document in which the user never pauses as soon as
// they do, also after the turn, and after another has begun: it is the agent's. They are told of it.
func TestTypingWithoutEndBehindTheDisk(t *testing.T) {
	for _, another := range []bool{false, true} {
		t.Run(fmt.Sprintf("another turn %v", another), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := newEarth(t)
				w.start()
				w.t = t
				uri, path := w.uri("a"), w.path("a")
				writeFile(t, path, ten)
				w.e.open(uri, ten)
				slow(w.e, func() time.Duration { return 100 * time.Millisecond })
				stop, typed := make(chan struct{}), make(chan string)
				go func() {
					typed <- typist(w.e, uri, stop, func() time.Duration { return 50 * time.Millisecond })
				}()
				turnOf(t, w.c, w.l, func(Host, string) {
					time.Sleep(time.Second)
					writeFile(t, path, strings.Replace(ten, "5\n", "AGENT\n", 1))
				})
				if another {
					turnOf(t, w.c, w.l, func(Host, string) { time.Sleep(time.Second) })
				}
				for len(w.e.said()) == 0 {
					time.Sleep(time.Second)
				}
				if said := w.e.said(); len(said) != 1 || !strings.HasPrefix(inSight(said[0]), "Pause typing in a, and do not save over it: ") {
					t.Errorf("said %q", said)
				}
				close(stop)
				keys := <-typed
				time.Sleep(time.Minute)
				synctest.Wait()
				base := strings.Replace(ten, "\n", keys+"\n", 1)
				if got, want := w.e.text(uri), strings.Replace(base, "5\n", "AGENT\n", 1); got != want {
					t.Errorf("text %q, want %q", got, want)
				}
				if got, err := w.c.Baseline(uri); err != nil || got != base {
					t.Errorf("baseline %q, want %q, %v", got, base, err)
				}
				if hunks := hunksOf(t, w.c, uri); len(hunks) != 1 || hunks[0].Text != "AGENT\n" || hunks[0].Origins[0].Turn != "s1.1.1" {
					t.Errorf("hunks %+v", hunks)
				}
				w.close()
			})
		})
	}
}
