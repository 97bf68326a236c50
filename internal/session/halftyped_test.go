package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// An editor that takes its time to write what the user has typed leaves the beginning of it on disk for a while, also to
// those who look twice: that is no change of anybody's, whether a turn begins or runs. An agent that cuts off the end of a
// file has changed it.
func TestEditorIsStillWriting(t *testing.T) {
	t.Parallel()
	mine := strings.Replace(ten, "2\n", "2 USER\n", 1)
	begun := strings.Index(mine, "6\n")
	ways := map[string]struct{ parts, looks int }{ // of the file, and how often each is looked at
		"in two parts":                 {2, 5}, // somebody has looked twice by then
		"in two parts, after a while":  {2, mostReads * 2},
		"in many parts":                {mostReads, 2},
		"of which each takes a moment": {6, mostReads / 2},
	}
	for how, x := range ways {
		for _, inTurn := range []bool{false, true} {
			for _, goesOn := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, in a turn %v, the user goes on %v", how, inTurn, goesOn), func(t *testing.T) {
					t.Parallel()
					testStillWriting(t, mine, begun, x.parts, x.looks, inTurn, goesOn, false)
				})
			}
		}
	}
	for _, inTurn := range []bool{false, true} {
		t.Run(fmt.Sprintf("an agent's, in a turn %v", inTurn), func(t *testing.T) {
			t.Parallel()
			testStillWriting(t, mine, begun, 2, 5, inTurn, false, true)
		})
	}
}

func testStillWriting(t *testing.T, mine string, half, parts, looks int, inTurn, goesOn, agents bool) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	c.unwatched = true
	path := filepath.Join(root, "a")
	uri := buffers.PathURI(path)
	upTo := func(part int) int { return half + (len(mine)-half)*(part-1)/(parts-1) }
	var mu sync.Mutex // guards part and looked: files are looked at by several
	part, looked := 0, 0
	c.read = func(p buffers.Path) (buffers.Disk, error) {
		mu.Lock()
		defer mu.Unlock()
		disk, err := buffers.ReadDisk(p)
		if string(p) == path && 0 < part && part < parts && disk.Content == mine[:upTo(part)] {
			if looked++; looked == looks {
				part, looked = part+1, 0
				writeFile(t, path, mine[:upTo(part)])
			}
		}
		return disk, err
	}
	e.at.store = buffers.NewStore(buffers.Options{Encoding: e.enc, ReadDisk: c.read})
	writeFile(t, path, ten)
	e.open(uri, ten)
	awaitLook(t, c.file(buffers.Path(path)))
	write := func() {
		if agents {
			writeFile(t, path, ten[:strings.Index(ten, "6\n")])
		} else {
			mu.Lock()
			part = 1
			writeFile(t, path, mine[:half])
			mu.Unlock()
		}
	}
	e.typeAt(uri, 0, len(ten), mine)
	want := mine
	if goesOn {
		e.replace(uri, "USER", "USER AGAIN")
		want = e.text(uri)
	}
	if !inTurn {
		write()
	}
	turnOf(t, c, l, func(Host, string) {
		if inTurn {
			write()
		}
		lookNow(c)
	})
	if agents {
		want = mine[:half]
	}
	if got := e.text(uri); got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	base := want
	if agents && inTurn {
		base = mine
	}
	if got, err := c.Baseline(uri); err != nil || got != base {
		t.Errorf("baseline %q, %v, want %q", got, err, base)
	}
	if h := hunksOf(t, c, uri, review.StateConflict); len(h) > 0 {
		t.Errorf("conflicts %+v", h)
	}
}
