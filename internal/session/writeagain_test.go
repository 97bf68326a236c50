package session

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// again is what an agent makes of a text.
var again = strings.NewReplacer("2\n", "2 AGENT\nNEW\n", "9\n", "").Replace

// What an agent writes again, of a text that it has read and that has it no more, is made from
// what it has read, whatever the user did there since it was taken back.
func TestBaseOfWhatIsWrittenAgain(t *testing.T) {
	for name, edit := range map[string][]string{
		"a row changed":   {"5\n", "5 USER\n"},
		"a row put in":    {"5\n", "5\nUSER\n"},
		"a row taken":     {"5\n", ""},
		"a row moved":     {"5\n6\n", "6\n5\n"},
		"two rows":        {"5\n", "5 USER\n", "7\n", "7 USER\n"},
		"a row close by":  {"4\n", "4 USER\n"},
		"a row of blanks": {"5\n", "5\n\n", "7\n", "7 USER\n"},
	} {
		for more, other := range map[string]func(string) string{
			"as it was":    func(s string) string { return s },
			"with another": func(s string) string { return strings.Replace(s, "8\n", "8\nMORE\n", 1) },
		} {
			t.Run(name+"/"+more, func(t *testing.T) {
				const p = buffers.Path("p")
				now := strings.NewReplacer(edit...).Replace(ten)
				for _, see := range []func(l *ledger){
					func(*ledger) {},
					func(l *ledger) { l.read(p, text.New(again(ten))) },
					func(l *ledger) { l.mayHaveSeen(p, text.New(again(ten))) },
					func(l *ledger) { l.read(p, text.New(ten)) },
					func(l *ledger) { l.read(p, text.New(ten)); l.wrote(p, text.New(again(ten)), "c2") },
				} {
					l := newLedger(time.Now)
					l.read(p, text.New(ten))
					l.wrote(p, text.New(again(ten)), "c1")
					see(l)
					l.read(p, text.New(now))
					if got := l.base(p, other(again(now)), text.New(ten)).String(); got != now {
						t.Errorf("base %q, want %q", got, now)
					}
				}
			})
		}
	}
}

// And it is in the text when the write is answered, however it was taken back.
func TestWriteAgainOfWhatWasTakenBack(t *testing.T) {
	t.Parallel()
	for how, takeBack := range map[string]func(t *testing.T, c *Core, e *fakeEditor, uri string){
		"rejected": func(t *testing.T, c *Core, _ *fakeEditor, uri string) {
			if _, err := c.Reject(t.Context(), Decide{URI: uri}); err != nil {
				t.Error(err)
			}
		},
		"rejected, with a row moved": func(t *testing.T, c *Core, e *fakeEditor, uri string) {
			e.replace(uri, "5\n6\n", "6\n5\n")
			if _, err := c.Reject(t.Context(), Decide{URI: uri}); err != nil {
				t.Error(err)
			}
			e.replace(uri, "6\n5\n", "5\n6\n")
		},
		"by hand": func(_ *testing.T, _ *Core, e *fakeEditor, uri string) {
			e.replace(uri, "2 AGENT\nNEW\n", "2\n")
			e.replace(uri, "8\n", "8\n9\n")
		},
	} {
		for _, looks := range []bool{false, true} {
			name := how
			if looks {
				name += ", after it was looked at"
			}
			t.Run(name, func(t *testing.T) {
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
					write := func(s string) {
						if err := h.WriteTextFile(t.Context(), sid, path, s); err != nil {
							t.Error(err)
						}
					}
					for range 2 {
						write(again(read()))
						if looks {
							read()
						}
						takeBack(t, c, e, uri)
					}
					if got := e.text(uri); got != ten {
						t.Errorf("taken back: %q", got)
					}
					e.replace(uri, "5\n", "5 USER\n")
					want := again(read())
					write(want)
					if got := e.text(uri); got != want {
						t.Errorf("text %q, want %q", got, want)
					}
					if got := read(); got != want {
						t.Errorf("read %q, want %q", got, want)
					}
				})
				if h := hunksOf(t, c, uri); len(h) != 2 {
					t.Errorf("hunks %+v", h)
				}
			})
		}
	}
}

// But what an agent makes of an earlier text that it still has in mind takes nothing away
// that is new since, though it makes a change that the user has made too.
func TestWriteFromMemoryKeepsWhatIsNew(t *testing.T) {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	writeFile(t, path, ten)
	e.open(uri, ten)
	turnOf(t, c, l, func(h Host, sid string) {
		for range 2 {
			if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
				t.Error(err)
			}
			if e.text(uri) == ten {
				e.replace(uri, "2\n", "2 SAME\n")
				e.replace(uri, "5\n", "5\nUSER\nUSER TOO\nUSER THREE\n")
			}
		}
		if err := h.WriteTextFile(t.Context(), sid, path, strings.NewReplacer("2\n", "2 SAME\n", "9\n", "9 AGENT\n").Replace(ten)); err != nil {
			t.Error(err)
		}
	})
	want := strings.NewReplacer("2\n", "2 SAME\n", "5\n", "5\nUSER\nUSER TOO\nUSER THREE\n", "9\n", "9 AGENT\n").Replace(ten)
	if got := e.text(uri); got != want {
		t.Errorf("text %q, want %q", got, want)
	}
}
