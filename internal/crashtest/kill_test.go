package crashtest

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"acp-ls/internal/scriptagent"
)

var (
	kills    = flag.Int("kills", 24, "random histories that end with a kill")
	killSeed = flag.Uint64("killseed", 0, "the seed of the only history to run, if not 0")
)

var endTurn = scriptagent.Answer{Result: map[string]any{"stopReason": "end_turn"}}

// points are where things can be half done. Each leaves acp-ls killed.
var points = []struct {
	name string
	do   func(k *walk)
}{
	{"nothing was ever done", func(k *walk) { k.kill() }},
	{"a write is asked for", func(k *walk) { k.agentWrites("f", atOnce(0)) }},
	{"the record of a write is there", func(k *walk) { k.agentWrites("f", editAsked) }},
	{"the edit of a write is made", func(k *walk) { k.agentWrites("f", editMade) }},
	{"the edit of a write is told", func(k *walk) { k.agentWrites("f", editTold) }},
	{"the user was faster than a write", func(k *walk) { k.agentWrites("f", typedFirst) }},
	{"a write is answered", func(k *walk) { k.agentWrites("f", nil); k.kill() }},
	{"a second write is asked for", func(k *walk) { k.agentWrites("f", nil); k.agentWrites("f", editAsked) }},
	{"a second write is made", func(k *walk) { k.agentWrites("f", nil); k.agentWrites("f", editMade) }},
	{"a second write is told", func(k *walk) { k.agentWrites("f", nil); k.agentWrites("f", editTold) }},
	{"the user types on", func(k *walk) { k.agentWrites("f", nil); k.userTypes(); k.kill() }},
	{"the user types on and rests", func(k *walk) { k.agentWrites("f", nil); k.userTypes(); k.rests(); k.kill() }},
	{"the user types on and saves", func(k *walk) { k.agentWrites("f", nil); k.userTypes(); k.userSaves(); k.kill() }},
	{"the user saves, types on and rests", func(k *walk) {
		k.agentWrites("f", nil)
		k.userTypes()
		k.userSaves()
		k.userTypes()
		k.rests()
		k.userTypes()
		k.rests()
		k.kill()
	}},
	{"unsaved text, a write and typing", func(k *walk) {
		k.userTypes()
		k.agentWrites("f", nil)
		k.userTypes()
		k.rests()
		k.kill()
	}},
	{"unsaved text, and a write on top is asked for", func(k *walk) { k.userTypes(); k.agentWrites("f", editAsked) }},
	{"a hunk is accepted", func(k *walk) { k.agentWrites("f", nil); k.decides("f", true, nil); k.kill() }},
	{"a hunk is about to be accepted", func(k *walk) { k.agentWrites("f", nil); k.decides("f", true, atOnce(0)) }},
	{"a hunk is rejected", func(k *walk) { k.agentWrites("f", nil); k.decides("f", false, nil); k.kill() }},
	{"the record of a rejection is there", func(k *walk) { k.agentWrites("f", nil); k.decides("f", false, editAsked) }},
	{"the edit of a rejection is made", func(k *walk) { k.agentWrites("f", nil); k.decides("f", false, editMade) }},
	{"the edit of a rejection is told", func(k *walk) { k.agentWrites("f", nil); k.decides("f", false, editTold) }},
	{"a closed file is about to be written", func(k *walk) { k.agentWrites("g", atOnce(0)) }},
	{"a closed file is written", func(k *walk) { k.agentWrites("g", nil); k.kill() }},
	{"a closed file is written twice", func(k *walk) { k.agentWrites("g", nil); k.agentWrites("g", atOnce(time.Millisecond)) }},
	{"a hunk of a closed file is rejected", func(k *walk) { k.agentWrites("g", nil); k.decides("g", false, nil); k.kill() }},
	{"a hunk of a closed file is about to be rejected", func(k *walk) { k.agentWrites("g", nil); k.decides("g", false, atOnce(0)) }},
	{"an agent writes the disk", func(k *walk) { k.agentWritesDisk("g", nil); k.kill() }},
	{"an agent has written the disk and not said so", func(k *walk) { k.agentWritesDisk("g", atOnce(0)) }},
	{"an agent writes the disk after a write", func(k *walk) { k.agentWrites("g", nil); k.agentWritesDisk("g", atOnce(0)) }},
	{"both files are written", func(k *walk) { k.agentWrites("f", nil); k.agentWrites("g", nil); k.agentWritesDisk("g", nil); k.kill() }},
}

func TestKillAt(t *testing.T) {
	for i, p := range points {
		for _, withEditor := range []bool{false, true} {
			name := p.name
			if withEditor {
				name += ", and the editor dies too"
			}
			t.Run(name, func(t *testing.T) {
				k := newWalk(newWorld(t), uint64(i))
				p.do(k)
				k.restart(withEditor)
			})
		}
	}
}

// Random histories, each with a kill while something is under way.
func TestKillAtRandom(t *testing.T) {
	n, from := *kills, uint64(1)
	if testing.Short() {
		n = min(n, 6)
	}
	if *killSeed != 0 {
		n, from = 1, *killSeed
	}
	steps := 0
	for seed := from; seed < from+uint64(n); seed++ {
		ok := t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			k := newWalk(newWorld(t), 1000+seed)
			defer func() {
				steps += len(k.trace)
				if t.Failed() {
					t.Logf("-killseed %d:\n%s", seed, strings.Join(k.trace, "\n"))
				}
			}()
			for range k.r.IntN(8) {
				k.step(nil)
			}
			moments := []*moment{
				atOnce(0), atOnce(time.Duration(k.r.IntN(3000)) * time.Microsecond), editAsked, editMade, editTold, typedFirst,
			}
			m := moments[k.r.IntN(len(moments))]
			k.did("killed: %s", m.name)
			k.step(m)
			k.kill()
			k.restart(k.r.IntN(2) == 0)
		})
		if !ok {
			break
		}
	}
	t.Logf("%d steps", steps)
}

// step does something. With a moment, what can be half done is killed then.
func (k *walk) step(kill *moment) {
	name := []string{"f", "f", "g"}[k.r.IntN(3)]
	n := 10
	if kill != nil {
		n = 6
	}
	if name == "g" && kill == typedFirst {
		kill = editTold
	}
	switch k.r.IntN(n) {
	case 0, 1, 2:
		k.agentWrites(name, kill)
	case 3:
		if name == "f" {
			k.agentWrites(name, kill) // f is open: the agent's writing it is another test's
		} else {
			k.agentWritesDisk(name, kill)
		}
	case 4, 5:
		accept := k.r.IntN(3) == 0
		if accept && kill != nil {
			kill = atOnce(0) // no edit is asked for
		}
		if !k.decides(name, accept, kill) && kill != nil {
			k.agentWrites(name, kill)
		}
	case 6, 7:
		k.userTypes()
	case 8:
		k.userSaves()
	case 9:
		k.rests()
	}
}

// What was done to files as a whole is offered again too, and can be taken back.
func TestKillAfterWholeFiles(t *testing.T) {
	for _, ended := range []bool{false, true} {
		t.Run(fmt.Sprintf("the turn has ended: %v", ended), func(t *testing.T) {
			w := newWorld(t)
			w.write("gone", "1\n2\n")
			w.write("open", "1\n2\n")
			w.start()
			w.open("open", "1\n2\n")
			turn := w.prompt()
			turn.wrote(turn.writes("made", "m\n"))
			turn.reads("open")
			turn.wrote(turn.writes("open", "1\nTWO\n"))
			if ended {
				check(t, os.Remove(w.path("gone")))
				turn.end()
			}
			w.kill()
			for range 2 {
				w.start()
				ops := map[string]string{}
				var r struct {
					Files []struct {
						URI  string
						File struct{ Op string }
					}
				}
				w.command("acp.review.list", map[string]any{}, &r)
				for _, f := range r.Files {
					ops[f.URI] = f.File.Op
				}
				want := map[string]string{w.uri("made"): "create", w.uri("open"): ""}
				if ended {
					want[w.uri("gone")] = "delete"
				}
				if !maps.Equal(ops, want) {
					t.Errorf("offered are %v, want %v", ops, want)
				}
				w.kill()
			}
			w.start()
			w.command("acp.review.reject", map[string]any{}, nil)
			if got := w.disk("gone"); got != "1\n2\n" {
				t.Errorf("what was deleted is %q", got)
			}
			if got := w.disk("open"); got != "1\n2\n" {
				t.Errorf("what was changed is %q", got)
			}
			if _, err := os.Lstat(w.path("made")); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("what was made is still there (%v)", err)
			}
		})
	}
}
