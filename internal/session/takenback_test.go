package session

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
)

// What an agent has made is taken back by hand, all of it or a part, while the user works in
// other rows. What it writes when it has read that, with what was taken back and some more, is
// there to the byte: of no write only a part lands.
func TestBaseOfWhatWasTakenBack(t *testing.T) {
	const p = buffers.Path("p")
	for seed := range uint64(600) {
		r := rand.New(rand.NewPCG(seed, 3))
		type place struct{ was, agents, users, more string } // what a row is, or becomes
		var places []place
		for i := range 8 + r.IntN(6) {
			row := fmt.Sprintf("row %d\n", i)
			x := place{row, row, row, ""}
			switch r.IntN(5) {
			case 0:
				x.agents = fmt.Sprintf("agent %d\n", i)
			case 1:
				x.agents = row + fmt.Sprintf("agent %d\n", i)
			case 2:
				x.agents = ""
			}
			x.users = x.agents
			if x.agents != row && r.IntN(3) > 0 {
				x.users = row // taken back
			} else if x.agents == row && r.IntN(4) == 0 {
				x.users = fmt.Sprintf("user %d\n", i)
			}
			x.more = x.users
			if x.agents != row {
				x.more = x.agents // again
			} else if x.users == row && r.IntN(6) == 0 {
				x.more = fmt.Sprintf("more %d\n", i)
			}
			places = append(places, x)
		}
		all := func(of func(place) string) string {
			var b strings.Builder
			for _, x := range places {
				b.WriteString(of(x))
			}
			return b.String() + "end\n"
		}
		was, agents := all(func(x place) string { return x.was }), all(func(x place) string { return x.agents })
		now, again := all(func(x place) string { return x.users }), all(func(x place) string { return x.more })
		l := newLedger(time.Now)
		l.read(p, text.New(was))
		l.wrote(p, text.New(agents), "c1")
		switch r.IntN(3) {
		case 0:
			l.read(p, text.New(agents))
		case 1:
			l.mayHaveSeen(p, text.New(agents))
		}
		l.read(p, text.New(now))
		m := merge.TextsWith(l.base(p, again, text.New(was)).String(), now, again, merge.Options{WhitespaceYields: true})
		if len(m.Conflicts) > 0 || m.Text != again {
			t.Errorf("seed %d: read %q, wrote %q: %q, %+v", seed, now, again, m.Text, m.Conflicts)
		}
	}
}

// What was answered after a write was sent, the agent cannot have known.
func TestBaseOfWhatWasSentBefore(t *testing.T) {
	const p = buffers.Path("p")
	l := newLedger(time.Now)
	l.read(p, text.New(ten))
	made := strings.Replace(ten, "2\n", "AGENT\n", 1)
	l.wrote(p, text.New(made), "c1")
	arrived := l.arrived()
	l.read(p, text.New(ten))
	next := strings.Replace(made, "8\n", "MORE\n", 1)
	if got := l.baseSent(p, next, text.New(ten), arrived).String(); got != made {
		t.Errorf("sent before: base %q, want %q", got, made)
	}
	if got := l.baseSent(p, next, text.New(ten), l.arrived()).String(); got != ten {
		t.Errorf("sent after: base %q, want %q", got, ten)
	}
}

// It is in the text when the write is answered, and of the user's words none is lost.
func TestWriteOfWhatWasTakenBackAndMore(t *testing.T) {
	t.Parallel()
	agents := strings.NewReplacer("2\n", "2 AGENT\nNEW\n", "9\n", "", "5\n", "5\nPUT IN\n").Replace(ten)
	for name, x := range map[string]struct {
		takenBack []string // what is typed
		refused   bool     // there are words of the user's in it
	}{
		"all of it":             {takenBack: []string{agents, ten}},
		"what it put in":        {takenBack: []string{"PUT IN\n", ""}},
		"what it replaced":      {takenBack: []string{"2 AGENT\nNEW\n", "2\n"}},
		"what it deleted":       {takenBack: []string{"8\n", "8\n9\n"}},
		"with words beside it":  {takenBack: []string{"2 AGENT\nNEW\n", "2\nUSER\n"}, refused: true},
		"with words elsewhere":  {takenBack: []string{"2 AGENT\nNEW\n", "2\n", "7\n", "7\nUSER\n"}},
		"with a row taken away": {takenBack: []string{"PUT IN\n", "", "7\n", ""}},
	} {
		for _, looks := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, looked at %v", name, looks), func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a.txt")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				e.open(uri, ten)
				turnOf(t, c, l, func(h Host, sid string) {
					read := func() string {
						s, err := h.ReadTextFile(t.Context(), sid, path, nil, nil)
						if err != nil {
							t.Error(err)
						}
						return s
					}
					read()
					if err := h.WriteTextFile(t.Context(), sid, path, agents); err != nil {
						t.Error(err)
					}
					if looks {
						read()
					}
					for typed := range slices.Chunk(x.takenBack, 2) {
						e.replace(uri, typed[0], typed[1])
					}
					read()
					want := strings.Replace(agents, "4\n", "4 MORE\n", 1)
					if strings.Contains(e.text(uri), "7\nUSER\n") {
						want = strings.Replace(want, "7\n", "7\nUSER\n", 1)
					} else if !strings.Contains(e.text(uri), "7\n") {
						want = strings.Replace(want, "7\n", "", 1)
					}
					before := e.text(uri)
					err := h.WriteTextFile(t.Context(), sid, path, want)
					if x.refused {
						want = before
					}
					if x.refused != (KindOf(err) == KindConflict) || !x.refused && err != nil {
						t.Errorf("write: %v", err)
					}
					if got := e.text(uri); got != want {
						t.Errorf("text %q, want %q", got, want)
					}
				})
			})
		}
	}
}

// An agent that does not ask us for files cannot have known what the user has taken back in
// unsaved text, though that came with a prompt.
func TestBaseOfAgentThatReadsTheDisk(t *testing.T) {
	const p = buffers.Path("p")
	l := newLedger(time.Now)
	made := strings.Replace(ten, "2\n", "2\nAGENT\n", 1)
	l.saw(p, text.New(ten))
	l.wrote(p, text.New(made), "c1")
	l.saw(p, text.New(ten))
	if got := l.base(p, strings.Replace(made, "8\n", "MORE\n", 1), text.New(made)).String(); got != made {
		t.Errorf("base %q, want %q", got, made)
	}
}

// A write that is as near to what another program has made as to what the agent knows was made of
// the latter, if it asks us for the file: it takes back nothing that it need not have looked at.
func TestBaseAsNearToWhatOthersMade(t *testing.T) {
	const p = buffers.Path("p")
	made := strings.Replace(ten, "2\n", "2\nAGENT\n", 1)
	others := strings.Replace(made, "8\n", "OTHER\n", 1)
	content := strings.Replace(made, "8\n", "8 more\n", 1)
	for _, asks := range []bool{false, true} {
		l, want := newLedger(time.Now), others
		if asks {
			l.read(p, text.New(ten))
			want = made
		}
		l.wrote(p, text.New(made), "c1")
		l.mayHaveSeen(p, text.New(others))
		if got := l.base(p, content, text.New(made)).String(); got != want {
			t.Errorf("asks %v: base %q, want %q", asks, got, want)
		}
	}
}

// An agent that has changed the disk by itself, with a command, need not have looked at what else is
// there: what it writes then from memory is a change of what it knows, and brings back neither what
// it has taken out on disk nor what the user has thrown away meanwhile.
func TestWriteFromMemoryAfterOneOnDisk(t *testing.T) {
	t.Parallel()
	made := strings.Replace(ten, "3\n", "3\nAGENT\n", 1)
	more := func(s string) string { return strings.Replace(s, "9\n", "9\nMORE\n", 1) }
	for name, disk := range map[string]string{
		"takes out its own row":           ten,
		"takes out a row":                 strings.Replace(made, "6\n", "", 1),
		"takes out and puts in":           strings.NewReplacer("AGENT\n", "", "6\n", "6\nDISK\n").Replace(made),
		"puts in":                         strings.Replace(made, "6\n", "6\nDISK\n", 1),
		"replaces what it has put in":     strings.Replace(made, "AGENT\n", "DISK\n", 1),
		"takes out all that it has known": strings.NewReplacer("AGENT\n", "", "1\n", "", "6\n", "").Replace(made),
	} {
		for _, how := range []string{"closed", "open", "unsaved and thrown away"} {
			t.Run(name+", "+how, func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a.txt")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				if how != "closed" {
					e.open(uri, ten)
				}
				if how == "open" {
					e.caps["save"] = true
					e.onSave = func(string) error {
						writeFile(t, path, e.text(uri))
						e.send(buffers.Save{URI: uri})
						return nil
					}
				}
				known := made
				turnOf(t, c, l, func(h Host, sid string) {
					if how == "unsaved and thrown away" {
						e.replace(uri, "5\n", "5\nUSER\n")
						known = strings.Replace(made, "5\n", "5\nUSER\n", 1)
					}
					if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
						t.Error(err)
					}
					if err := h.WriteTextFile(t.Context(), sid, path, known); err != nil {
						t.Error(err)
					}
					writeFile(t, path, disk)
					c.turnPoint(c.allSessions()[0], c.allSessions()[0].now())
					if how == "unsaved and thrown away" {
						e.reopen(uri, path)
						awaitLook(t, c.file(buffers.Path(path)))
					}
					if err := h.WriteTextFile(t.Context(), sid, path, more(known)); err != nil {
						t.Error(err)
					}
				})
				got := ""
				if how == "closed" {
					got = readFile(t, path)
				} else {
					got = e.text(uri)
				}
				if want := more(disk); got != want {
					t.Errorf("text %q, want %q", got, want)
				}
			})
		}
	}
}
