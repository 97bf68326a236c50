package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// Agents that look at the disk themselves and write through the client (OpenCode,
// Kilo) have never had the unsaved text, though it came with the prompt. What
// they write is a patch of the disk, again and again, also when they write the
// disk after us.
func TestWriteOfAgentThatReadsTheDisk(t *testing.T) {
	t.Parallel()
	for _, mirrored := range []bool{false, true} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a.txt")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.open(uri, ten)
		e.replace(uri, "2\n", "2 USER\nnew USER\n")
		turnOf(t, c, l, func(h Host, sid string) {
			disk := readFile(t, path)
			for _, row := range []string{"5\n", "8\n", "10\n"} {
				disk = strings.Replace(disk, "\n"+row, "\nAGENT "+row, 1)
				if err := h.WriteTextFile(t.Context(), sid, path, disk); err != nil {
					t.Errorf("write: %v", err)
				}
				if mirrored {
					writeFile(t, path, disk)
				}
			}
		})
		want := "1\n2 USER\nnew USER\n3\n4\nAGENT 5\n6\n7\nAGENT 8\n9\nAGENT 10\n"
		if got := e.text(uri); got != want {
			t.Errorf("mirrored %v: text %q, want %q", mirrored, got, want)
		}
		if base, err := c.Baseline(uri); err != nil || base != strings.ReplaceAll(want, "AGENT ", "") {
			t.Errorf("mirrored %v: baseline %q, %v", mirrored, base, err)
		}
	}
}

// An agent that has read the file through us works on what it read, however much
// of it its write replaces.
func TestWriteOfAgentThatReadsTheBuffer(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, "1\n")
	e.open(uri, "1\n")
	e.replace(uri, "1\n", ten)
	turnOf(t, c, l, func(h Host, sid string) {
		if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
			t.Error(err)
		}
		if err := h.WriteTextFile(t.Context(), sid, path, "all\nanew\n"); err != nil {
			t.Errorf("write: %v", err)
		}
	})
	if got := e.text(uri); got != "all\nanew\n" {
		t.Errorf("text %q", got)
	}
	if base, err := c.Baseline(uri); err != nil || base != ten {
		t.Errorf("baseline %q, %v", base, err)
	}
}

// An agent that writes through us and the disk as well is a patch in whatever order the
// two come: what it wants of the user's own lines is in conflict, and the rest is there.
func TestMirroredWriteInAnyOrder(t *testing.T) {
	t.Parallel()
	const mirrored = "10 AGENT\n"
	content := strings.NewReplacer("10\n", mirrored, "5\n", "5 AGENT\n").Replace(ten)
	for name, early := range map[string]func(path string) (disk string, met func()){
		"disk first": func(string) (string, func()) { return content, func() {} },
		// The disk is written when it has just been looked at.
		"beside": func(path string) (string, func()) {
			return strings.Replace(ten, "2\n", "2 AGENT\n", 1), func() { _ = os.WriteFile(path, []byte(content), 0o644) }
		},
	} {
		for _, contested := range []bool{true, false} {
			t.Run(fmt.Sprint(name, ", contested ", contested), func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a.txt")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				e.open(uri, ten)
				users := "7 USER\n"
				turnOf(t, c, l, func(h Host, sid string) {
					e.replace(uri, "7\n", users)
					if contested {
						e.replace(uri, "10\n", "10 USER\n")
					}
					disk, met := early(path)
					e.caps["adopt"] = true
					e.onAdopt = func(string, int32, string) (bool, error) { // which is asked behind the look
						met()
						return false, nil
					}
					writeFile(t, path, disk)
					err := h.WriteTextFile(t.Context(), sid, path, content)
					if contested != (KindOf(err) == KindConflict) || !contested && err != nil {
						t.Errorf("write: %v", err)
					}
					writeFile(t, path, content)
				})
				want := strings.NewReplacer("7\n", users).Replace(content)
				conflicts := 0
				if contested {
					want, conflicts = strings.Replace(want, mirrored, "10 USER\n", 1), 1
				}
				if got := e.text(uri); got != want {
					t.Errorf("text %q, want %q", got, want)
				}
				if h := hunksOf(t, c, uri, review.StateConflict); len(h) != conflicts || conflicts > 0 && h[0].Text != mirrored {
					t.Errorf("conflicts %+v", h)
				}
			})
		}
	}
}

// An agent whose write was refused may write the disk all the same: that is the
// same conflict, with what else it changed merged in. Another proposal for the
// same lines takes its place: the disk has given up the first.
func TestRefusedWriteArrivesByTheDisk(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"\n", ""} { // of the last line, which the conflict is about
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a.txt")
		uri := buffers.PathURI(path)
		disk := strings.TrimSuffix(ten, "\n") + end
		writeFile(t, path, disk)
		e.open(uri, disk)
		turnOf(t, c, l, func(h Host, sid string) {
			e.replace(uri, "10", "10 USER")
			content := strings.NewReplacer("10", "10 AGENT", "5\n", "5 AGENT\n").Replace(disk)
			if err := h.WriteTextFile(t.Context(), sid, path, content); KindOf(err) != KindConflict {
				t.Errorf("write: %v", err)
			}
			writeFile(t, path, content)
		})
		want := strings.NewReplacer("10", "10 USER", "5\n", "5 AGENT\n").Replace(disk)
		if got := e.text(uri); got != want {
			t.Errorf("text %q, want %q", got, want)
		}
		if h := hunksOf(t, c, uri, review.StateConflict); len(h) != 1 || h[0].Text != "10 AGENT"+end {
			t.Errorf("conflicts %+v", h)
		}
		diskTurn(t, c, l, path, func(disk string) string { return strings.Replace(disk, "10 AGENT", "10 ANOTHER", 1) })
		if h := hunksOf(t, c, uri, review.StateConflict); len(h) != 1 || h[0].Text != "10 ANOTHER"+end {
			t.Errorf("conflicts %+v", h)
		}
	}
}

// What an agent sent through us once, and the file has not had since the next turn began, is a
// change if it comes to the disk again: it is not the second half of that old write.
func TestDiskAsItWasSentInAnEarlierTurn(t *testing.T) {
	t.Parallel()
	sent := strings.Replace(ten, "5\n", "FIVE\n", 1)
	for _, again := range []bool{false, true} { // the user has gone back, or on
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.open(uri, ten)
		turnOf(t, c, l, func(h Host, sid string) {
			if err := h.WriteTextFile(t.Context(), sid, path, sent); err != nil {
				t.Error(err)
			}
		})
		if _, err := c.Reject(t.Context(), Decide{}); err != nil {
			t.Fatal(err)
		}
		saved := ten
		if again {
			saved += "11\n"
		}
		e.typeAt(uri, 0, len(e.text(uri)), saved)
		writeFile(t, path, saved)
		e.send(buffers.Save{URI: uri})
		e.replace(uri, "1\n", "1 USER\n")
		turnOf(t, c, l, func(Host, string) { writeFile(t, path, sent) })
		if got, want := e.text(uri), strings.Replace(sent, "1\n", "1 USER\n", 1); got != want {
			t.Errorf("again %v: text %q, want %q", again, got, want)
		}
		if base, err := c.Baseline(uri); err != nil || base != strings.Replace(saved, "1\n", "1 USER\n", 1) {
			t.Errorf("again %v: baseline %q, %v", again, base, err)
		}
	}
}

// An agent that asks us for files, and sends one as it read it first, takes back what it has
// written since, and nothing that the user has: that they have saved it, and it lay on disk
// when a tool call ended, does not mean that the agent has looked.
func TestTakingBackLeavesWhatTheUserSaved(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]bool{"open": true, "not open": false} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		if open {
			e.open(uri, ten)
		}
		text := func() string {
			if open {
				return e.text(uri)
			}
			return readFile(t, path)
		}
		turnOf(t, c, l, func(h Host, sid string) {
			write := func(s string) {
				if err := h.WriteTextFile(t.Context(), sid, path, s); err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
			if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
				t.Error(err)
			}
			write(strings.Replace(ten, "5\n", "5\nAGENT\n", 1))
			if open {
				e.replace(uri, "2\n", "2\nUSER\n")
				writeFile(t, path, e.text(uri))
				e.send(buffers.Save{URI: uri})
			} else {
				e.open(uri, readFile(t, path))
				e.replace(uri, "2\n", "2\nUSER\n")
				writeFile(t, path, e.text(uri))
				e.send(buffers.Save{URI: uri})
				e.close(uri)
			}
			c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
			write(ten)
		})
		if got, want := text(), strings.Replace(ten, "2\n", "2\nUSER\n", 1); got != want {
			t.Errorf("%s: text %q, want %q", name, got, want)
		}
		if h := hunksOf(t, c, uri); len(h) > 0 {
			t.Errorf("%s: hunks %+v", name, h)
		}
	}
}
