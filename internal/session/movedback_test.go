package session

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// A file that an agent renames and renames back has, in its document, what the user has not saved, whenever that
// was typed and whatever the agent has changed under the other name; and rejecting is taking back the agent's alone.
func TestUnsavedTextOfAFileThatIsRenamedAndBack(t *testing.T) {
	t.Parallel()
	for _, folder := range []bool{false, true} {
		for _, typed := range []string{"before the turn", "before the rename", "in between", "behind it"} {
			for _, edits := range []string{"", "first", "away", "back", "first and away"} { // when the agent changes rows too
				for _, looks := range []string{"at the end", "each time", "turns", "turns, accepted"} {
					for _, end := range []string{"reject", "accept", "undo"} {
						if end == "undo" && strings.HasPrefix(looks, "turns") {
							continue // of one turn that is of the rename back alone
						}
						if (folder || end != "reject") && (looks != "each time" || typed != "in between") {
							continue // which is the same to them
						}
						runOneIn(t, 5, fmt.Sprintf("folder %v, typed %s, edits %s, looked at %s, %s", folder, typed, edits, looks, end), func(t *testing.T) {
							t.Parallel()
							testRenamedAndBack(t, folder, typed, edits, looks, end)
						})
					}
				}
			}
		}
	}
}

func testRenamedAndBack(t *testing.T, folder bool, typed, edits, looks, end string) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	name, other := filepath.Join(root, "d", "f"), filepath.Join(root, "d", "g")
	from, to := name, other
	if folder {
		other = filepath.Join(root, "m", "f")
		from, to = filepath.Join(root, "d"), filepath.Join(root, "m")
	}
	if err := os.Mkdir(filepath.Join(root, "d"), 0o755); err != nil {
		t.Fatal(err)
	}
	writeFile(t, name, ten)
	if typed == "in between" && edits != "back" {
		gitInit(t, root) // which is slow
	}
	uri := buffers.PathURI(name)
	e.caps["save"], e.caps["reload"] = true, true
	e.onSave = func(string) error {
		writeFile(t, name, e.text(uri))
		e.send(buffers.Save{URI: uri})
		return nil
	}
	e.open(uri, ten)
	awaitLook(t, c.file(buffers.Path(name)))
	users, agents, both := strings.Replace(ten, "9\n", "9 mine\n", 1), ten, ""
	types := func(when string) {
		if when == typed {
			e.replace(uri, "9\n", "9 mine\n")
		}
	}
	edit := func(p, row string) {
		writeFile(t, p, strings.Replace(readFile(t, p), row, "AGENT "+row, 1))
		agents = strings.Replace(agents, row, "AGENT "+row, 1)
	}
	move := func(from, to string) {
		if err := os.Rename(from, to); err != nil {
			t.Error(err)
		}
	}
	acts := []func(){
		func() {
			if types("before the rename"); strings.HasPrefix(edits, "first") {
				edit(name, "2\n")
			}
		},
		func() {
			if move(from, to); strings.HasSuffix(edits, "away") {
				edit(other, "5\n")
			}
		},
		func() { types("in between") },
		func() {
			if move(to, from); edits == "back" {
				edit(name, "7\n")
			}
		},
		func() { types("behind it") },
	}
	types("before the turn")
	look := func() {
		if looks == "each time" {
			c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
		}
	}
	if strings.HasPrefix(looks, "turns") {
		for _, act := range acts {
			turnOf(t, c, l, func(Host, string) { act() })
			if looks == "turns, accepted" {
				if _, err := c.Accept(t.Context(), Decide{}); err != nil {
					t.Error(err)
				}
			}
		}
	} else {
		turnOf(t, c, l, func(Host, string) {
			for _, act := range acts {
				act()
				look()
			}
		})
	}
	both = strings.Replace(agents, "9\n", "9 mine\n", 1)
	if got := e.text(uri); got != both {
		t.Errorf("text %q after the turn, want %q", got, both)
	}
	decide := func() (Decision, error) { return c.Reject(t.Context(), Decide{}) }
	switch end {
	case "accept":
		decide, users = func() (Decision, error) { return c.Accept(t.Context(), Decide{}) }, both
	case "undo":
		decide = func() (Decision, error) { return c.Undo(t.Context(), c.allSessions()[0].id, "") }
	case "reject":
		if looks == "turns, accepted" {
			users = both
		}
	}
	if d, err := decide(); err != nil || len(d.Refused) > 0 {
		t.Errorf("decision %+v, %v", d, err)
	}
	if got := e.text(uri); got != users {
		t.Errorf("text %q, want %q", got, users)
	}
	for _, r := range c.Reviews("", "") {
		if r.File != nil || len(r.Hunks) > 0 {
			t.Errorf("left %+v", r)
		}
	}
}
