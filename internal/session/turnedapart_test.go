package session

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/review"
)

// turnsApart is an editor whose documents have line ends of one kind (VS Code): it turns them in a change of its
// own, before the rest when it reads a file anew, and after it in an edit. What is still to be told of is
// told while somebody reads the disk.
type turnsApart struct {
	t         *testing.T
	c         *Core
	e         *fakeEditor
	path, uri string

	mu    sync.Mutex
	reads int
	due   []due    // what is told next, by the read before which it is
	texts []string // which the user can undo and redo to, since the agent has written
}

type due struct {
	at   int
	text string
}

func (s *turnsApart) read(p buffers.Path) (buffers.Disk, error) {
	s.mu.Lock()
	s.reads++
	tells := len(s.due) > 0
	s.mu.Unlock()
	if tells {
		s.tellDue()
	}
	return buffers.ReadDisk(p)
}

// tellDue tells what is due by now.
func (s *turnsApart) tellDue() {
	s.e.wire.Lock()
	defer s.e.wire.Unlock()
	for s.mu.Lock(); len(s.due) > 0 && s.due[0].at <= s.reads; s.mu.Lock() {
		now := s.due[0].text
		s.due = s.due[1:]
		s.mu.Unlock()
		s.e.typeLocked(s.uri, 0, len(s.e.text(s.uri)), now)
	}
	s.mu.Unlock()
}

// becomes makes the document's text another one, by a change of the editor.
func (s *turnsApart) becomes(now string) {
	s.e.wire.Lock()
	defer s.e.wire.Unlock()
	s.e.typeLocked(s.uri, 0, len(s.e.text(s.uri)), now)
}

// does makes one step of the user's, who can undo and redo it.
func (s *turnsApart) does(now string) {
	if s.e.text(s.uri) == now {
		return
	}
	s.becomes(now)
	s.texts = append(s.texts, now)
}

// Line ends that an agent has turned are one change with what else it has made of the rows, whenever
// anybody has looked at the disk while the editor told of them: it is rejected, undone, rejected
// again and restored at once.
func TestTurnedInAChangeOfItsOwn(t *testing.T) {
	t.Parallel()
	crlf := "one\r\ntwo\r\nthree\r\nfour\r\n"
	lf := strings.ReplaceAll(crlf, "\r\n", "\n")
	turned := func(s, like string) string {
		if s = strings.ReplaceAll(s, "\r\n", "\n"); strings.Contains(like, "\r\n") {
			s = strings.ReplaceAll(s, "\n", "\r\n")
		}
		return s
	}
	const late = 100
	for name, x := range map[string]struct{ before, after string }{
		"turned":                     {crlf, lf},
		"turned, and a line changed": {crlf, strings.Replace(lf, "two", "TWO", 1)},
		"the other way":              {lf, strings.Replace(crlf, "four", "FOUR", 1)},
	} {
		half := turned(x.before, x.after)
		for _, at := range [][2]int{
			{0, 0}, {0, 1}, {0, 2}, {0, 3}, {0, 4}, {0, 5}, {0, 6}, {0, late}, {1, 1}, {1, 2}, {1, 3}, {1, 4}, {1, late}, {2, 2}, {2, 3}, {2, 4}, {2, late},
			{3, 3}, {3, 4}, {3, late}, {4, 4}, {4, late}, {late, late},
		} {
			for looks := range 1 << 6 {
				if looks != 0 && looks != 1<<2 && looks != 1<<6-1 && at != [2]int{0, 0} && at != [2]int{2, 3} && at != [2]int{3, late} {
					continue
				}
				t.Run(fmt.Sprintf("%s, told at %v, looks %06b", name, at, looks), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						l := &fakeLauncher{}
						c, e, root := setup(t, l)
						c.unwatched = true
						path := filepath.Join(root, "a.txt")
						s := &turnsApart{t: t, c: c, e: e, path: path, uri: buffers.PathURI(path)}
						e.at.store = buffers.NewStore(buffers.Options{Encoding: e.enc, Now: c.now, ReadDisk: s.read})
						c.read = s.read
						e.caps["reload"], e.caps["save"] = true, true
						e.onReload = func(string) (bool, error) {
							time.Sleep(time.Millisecond)
							s.mu.Lock()
							s.reads = 2 * late
							s.mu.Unlock()
							s.tellDue()
							return true, nil
						}
						e.onApply = func(d DocumentEdit) (bool, error) {
							want, err := e.wouldBe(d)
							if err != nil {
								return true, err
							}
							s.does(turned(want, e.text(s.uri)))
							if looks&1 != 0 {
								time.Sleep(time.Second)
							}
							s.does(want)
							return true, nil
						}
						e.onSave = func(string) error {
							writeFile(t, path, e.text(s.uri))
							e.send(buffers.Save{URI: s.uri})
							return nil
						}
						writeFile(t, path, x.before)
						e.open(s.uri, x.before)
						awaitLook(t, c.file(buffers.Path(path)))
						synctest.Wait()
						turnOf(t, c, l, func(Host, string) {
							writeFile(t, path, x.after)
							s.mu.Lock()
							s.reads = 0
							s.due = []due{{at[0], half}, {at[1], x.after}}
							s.mu.Unlock()
							s.tellDue()
							lookNow(c)
						})
						look := func(n int) {
							if looks&(1<<n) != 0 {
								time.Sleep(time.Second)
								synctest.Wait()
							}
						}
						wants := func(when, text string, states ...review.State) {
							t.Helper()
							synctest.Wait()
							if got := e.text(s.uri); got != text {
								t.Fatalf("%s: text %q, want %q", when, got, text)
							}
							if got := hunksOf(t, c, s.uri); len(got) != len(states) {
								t.Errorf("%s: %d hunks, want %d: %+v", when, len(got), len(states), got)
							}
						}
						wants("written", x.after, review.StatePending)
						s.texts = []string{x.after}
						if _, err := c.Reject(t.Context(), Decide{}); err != nil {
							t.Fatal(err)
						}
						wants("rejected", x.before)
						for i := len(s.texts) - 2; i >= 0; i-- {
							look(1)
							s.becomes(s.texts[i])
						}
						look(2)
						wants("undone", x.after, review.StatePending)
						for _, now := range s.texts[1:] {
							look(3)
							s.becomes(now)
						}
						look(4)
						wants("redone", x.before)
						list := hunksOf(t, c, s.uri, review.StateRejected)
						if len(list) != 1 {
							t.Fatalf("rejected: %+v", list)
						}
						if _, err := c.Restore(t.Context(), Decide{Hunks: []string{list[0].ID}}); err != nil {
							t.Fatal(err)
						}
						look(5)
						wants("restored", x.after, review.StatePending)
						if _, err := c.Accept(t.Context(), Decide{}); err != nil {
							t.Fatal(err)
						}
						wants("accepted", x.after)
					})
				})
			}
		}
	}
}

// wouldBe is what an edit would make of a document.
func (e *fakeEditor) wouldBe(d DocumentEdit) (string, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	doc := e.docs[d.URI]
	if doc == nil || doc.version != d.Version {
		return "", ErrRefused
	}
	t := doc.text
	for _, ed := range slices.Backward(d.Edits) { // from the end, so that ranges stay right
		start, end := position.RangeOffsets(t, ed.Range, e.enc)
		t = t.Replace(start, end, ed.NewText)
	}
	return t.String(), nil
}
