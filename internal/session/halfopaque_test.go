package session

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"acp-ls/buffers"
)

// steps has an agent make these steps in one turn, after each of which the disk is looked at.
func steps(t *testing.T, c *Core, l *fakeLauncher, do ...func()) {
	t.Helper()
	turnOf(t, c, l, func(Host, string) {
		s := c.allSessions()[0]
		for _, step := range do {
			step()
			c.turnPoint(s, s.now())
		}
	})
}

// What is looked at in the middle of being written is text as yet: when it is none any more,
// the hunks it had are part of the one change of the file, and rejecting that gives back every
// byte.
func TestHalfWrittenAndThenNoText(t *testing.T) {
	const was, half = "one\ntwo\r\nthree", "HALF\n"
	whole := map[string]string{"a zero byte": half + "\x00rest", "not UTF-8": half + "\xff\xfe"}
	for kind, whole := range whole {
		for name, tt := range map[string]struct {
			before string // "" for no file
			earlier,
			steps []string // "-" takes the file away
		}{
			"at once":                       {before: was, steps: []string{whole}},
			"half first":                    {before: was, steps: []string{half, whole}},
			"grown":                         {before: was, steps: []string{half, half + "MORE\n", whole, whole + "\x00"}},
			"a new file":                    {steps: []string{half, whole}},
			"made anew":                     {before: was, steps: []string{"-", half, whole}},
			"made anew at once":             {before: was, steps: []string{"-", whole}},
			"after a change of an old turn": {before: was, earlier: []string{"one\ntwo\r\nTHREE"}, steps: []string{half, whole}},
			"made by an old turn":           {earlier: []string{was}, steps: []string{half, whole}},
			"none in the old turn either":   {before: was, earlier: []string{half, whole}, steps: []string{whole + "\x00"}},
			"half in the old turn":          {before: was, earlier: []string{half}, steps: []string{whole}},
			"emptied":                       {before: was, steps: []string{"", whole}},
		} {
			t.Run(kind+", "+name, func(t *testing.T) {
				t.Parallel()
				l := &fakeLauncher{}
				c, _, root := setup(t, l)
				path := filepath.Join(root, "a")
				if tt.before != "" {
					writeFile(t, path, tt.before)
				}
				if oneIn(4, t.Name()) {
					gitInit(t, root)
				}
				for _, turn := range [][]string{tt.earlier, tt.steps} {
					var do []func()
					for _, content := range turn {
						do = append(do, func() {
							if content == "-" {
								remove(t, path)
							} else {
								writeFile(t, path, content)
							}
						})
					}
					if len(do) > 0 {
						steps(t, c, l, do...)
					}
				}
				turn := ""
				for _, r := range c.Reviews("", "") {
					for _, h := range r.Hunks {
						turn = h.Origins[0].Turn
						if len(tt.earlier) == 0 {
							t.Errorf("a hunk beside the whole: %+v", h)
						}
					}
					if r.File == nil || r.File.Opaque != "binary" {
						t.Errorf("%+v", r)
					}
				}
				if is := slices.Contains([]string{"after a change of an old turn", "made by an old turn", "half in the old turn"}, name); is != (turn != "") {
					t.Errorf("hunks of turn %q", turn)
				}
				if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
					t.Errorf("%+v, %v", d, err)
				}
				if tt.before == "" {
					if isThere(buffers.Path(path)) {
						t.Errorf("there is %q", readFile(t, path))
					}
				} else if got := readFile(t, path); got != tt.before {
					t.Errorf("rejected %q, want %q", got, tt.before)
				}
				if rs := c.Reviews("", ""); len(rs) > 0 {
					t.Errorf("left %+v", rs)
				}
				// The same turn's next look finds nothing, nor does that of another one.
				steps(t, c, l, func() {})
				if rs := c.Reviews("", ""); len(rs) > 0 {
					t.Errorf("found again %+v", rs)
				}
			})
		}
	}
}

// What was looked at in the middle of being written was no text as yet: when it is, it is
// reviewed by rows.
func TestNoTextAndThenText(t *testing.T) {
	const want = "1\nTWO\n3\n4\n5\n6\n7\n8\n9\nNEUF\u00e9\n"
	half := strings.TrimSuffix(want, "\xa9\n") // in the middle of a character
	for name, turns := range map[string][][]string{
		"in one turn":             {{half, want}},
		"in two":                  {{half}, {want}},
		"text, none, text":        {{"1\nTWO\n", half, want}},
		"text, none in one, text": {{"1\nTWO\n", half}, {want}},
		"and back":                {{half, ten, half, want}},
	} {
		for _, made := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				l := &fakeLauncher{}
				c, _, root := setup(t, l)
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				if !made {
					writeFile(t, path, ten)
				}
				if oneIn(4, t.Name()) {
					gitInit(t, root)
				}
				for _, turn := range turns {
					var do []func()
					for _, content := range turn {
						do = append(do, func() {
							if made && content == ten {
								remove(t, path)
								return
							}
							writeFile(t, path, content)
						})
					}
					steps(t, c, l, do...)
				}
				rs := c.Reviews(uri, "")
				switch {
				case len(rs) != 1:
					t.Fatalf("%+v", rs)
				case made:
					if f := rs[0].File; f == nil || f.Op != "create" || f.Opaque != "" || len(rs[0].Hunks) != 1 {
						t.Errorf("%+v", rs[0])
					}
				default:
					if rs[0].File != nil || len(rs[0].Hunks) != 2 || rs[0].Hunks[0].BaseText != "2\n" || rs[0].Hunks[1].BaseText != "10\n" {
						t.Errorf("%+v", rs[0])
					}
				}
				if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
					t.Errorf("%+v, %v", d, err)
				}
				if made {
					if isThere(buffers.Path(path)) {
						t.Errorf("there is %q", readFile(t, path))
					}
				} else if got := readFile(t, path); got != ten {
					t.Errorf("rejected %q", got)
				}
				if rs := c.Reviews("", ""); len(rs) > 0 {
					t.Errorf("left %+v", rs)
				}
			})
		}
	}
}

// Where a document is open it has rows, until it is closed; every byte comes back all the same.
func TestHalfWrittenAndThenNoTextUnderADocument(t *testing.T) {
	t.Parallel()
	const was, half = "caf\u00e9\ntwo\n", "HALF\u00e9\n"
	whole := half + "\x00rest\n"
	for name, tt := range map[string]struct{ first, closes, late, reloads bool }{
		"at once":                              {reloads: true},
		"half first":                           {first: true, reloads: true},
		"no reload":                            {first: true},
		"closed":                               {closes: true, reloads: true},
		"closed and followed late":             {closes: true, late: true, reloads: true},
		"half first and closed":                {first: true, closes: true, reloads: true},
		"half first, closed and followed late": {first: true, closes: true, late: true, reloads: true},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			looked := make(chan struct{})
			var closing atomic.Bool
			c.spawns = func(f func()) func() {
				if !closing.Load() {
					return f
				}
				return func() { <-looked; f() }
			}
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, was)
			if oneIn(4, t.Name()) {
				gitInit(t, root)
			}
			e.caps = map[string]bool{"reload": tt.reloads, "save": true}
			e.onReload = func(string) (bool, error) { e.reopen(uri, path); return true, nil }
			e.onSave = func(string) error {
				writeFile(t, path, e.text(uri))
				e.send(buffers.Save{URI: uri})
				return nil
			}
			e.open(uri, was)
			awaitLook(t, c.file(buffers.Path(path)))
			var do []func()
			if tt.first {
				do = append(do, func() { writeFile(t, path, half) })
			}
			steps(t, c, l, append(do, func() { writeFile(t, path, whole) }, func() {
				if tt.closes {
					closing.Store(tt.late)
					e.close(uri)
					closing.Store(false)
				}
			}, func() {
				close(looked)
				if err := c.followClosed(t.Context()); err != nil { // as each decision does
					t.Error(err)
				}
			})...)
			for _, r := range c.Reviews("", "") {
				if is := r.File != nil && r.File.Opaque == "binary"; is != tt.closes || is && len(r.Hunks) > 0 {
					t.Errorf("%+v", r)
				}
			}
			if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || len(d.Decided) == 0 {
				t.Errorf("%+v, %v", d, err)
			}
			if got := readFile(t, path); got != was {
				t.Errorf("rejected %q", got)
			}
			if !tt.closes {
				e.await("the document follows", func() bool { return e.docs[uri].text.String() == was })
			}
			if rs := c.Reviews("", ""); len(rs) > 0 {
				t.Errorf("left %+v", rs)
			}
		})
	}
}

// A document that is opened on what is no text any more has nothing of its own to decide, and
// follows what becomes of the file.
func TestOpenedOnWhatIsNoText(t *testing.T) {
	const was, half = "one\ntwo\n", "HALF\n"
	whole := half + "\x00rest\n"
	for name, tt := range map[string]struct {
		later    bool     // it is opened after the turn
		then     []string // written after it was opened
		accepted bool
		back     bool // what was rejected is brought back
	}{
		"rejected":               {},
		"accepted":               {accepted: true},
		"opened later, rejected": {later: true},
		"opened later, accepted": {later: true, accepted: true},
		"written on":             {then: []string{whole + "more\n"}},
		"written on later":       {later: true, then: []string{whole + "more\n"}},
		"text again":             {then: []string{half + "more\n"}},
		"brought back":           {back: true},
		"opened later, and so":   {later: true, back: true},
		"put back by the agent":  {then: []string{was}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, was)
			if oneIn(4, t.Name()) {
				gitInit(t, root)
			}
			e.caps = map[string]bool{"reload": true}
			e.onReload = func(string) (bool, error) { e.reopen(uri, path); return true, nil }
			opens := func() {
				e.open(uri, whole)
				awaitLook(t, c.file(buffers.Path(path)))
			}
			do := []func(){func() { writeFile(t, path, half) }, func() { writeFile(t, path, whole) }}
			if !tt.later {
				do = append(do, opens)
			} else {
				steps(t, c, l, do...)
				opens()
				do = nil
			}
			for _, content := range tt.then {
				do = append(do, func() { writeFile(t, path, content) })
			}
			if len(do) > 0 {
				steps(t, c, l, do...)
			}
			has := readFile(t, path)
			rs := c.Reviews("", "")
			for _, r := range rs {
				if r.File == nil || r.File.Opaque != "binary" || len(r.Hunks) > 0 {
					t.Errorf("%+v %+v", r, r.File)
				}
			}
			if (len(rs) == 0) != (has == was) {
				t.Errorf("%+v", rs)
			}
			follows := func(want string) {
				t.Helper()
				if got := readFile(t, path); got != want {
					t.Errorf("the disk has %q, want %q", got, want)
				}
				e.await("the document follows", func() bool { return e.docs[uri].text.String() == want })
			}
			decide, want := c.Reject, was
			if tt.accepted {
				decide, want = c.Accept, has
			}
			decided := func(d Decision, err error) {
				t.Helper()
				if err != nil || len(d.Refused) > 0 || len(d.Decided) != len(rs) {
					t.Errorf("%+v, %v", d, err)
				}
			}
			decided(decide(t.Context(), Decide{}))
			follows(want)
			if tt.back {
				decided(c.Restore(t.Context(), Decide{}))
				follows(has)
				decided(c.Reject(t.Context(), Decide{}))
				follows(want)
			}
			steps(t, c, l, func() {})
			if rs := c.Reviews("", ""); len(rs) > 0 {
				t.Errorf("left %+v", rs)
			}
		})
	}
}

// What was rejected of such a file can be brought back, as a whole too.
func TestHalfWrittenBroughtBack(t *testing.T) {
	const was, half = "one\ntwo\n", "HALF\n"
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := filepath.Join(root, "a")
	writeFile(t, path, was)
	if oneIn(4, t.Name()) {
		gitInit(t, root)
	}
	steps(t, c, l, func() { writeFile(t, path, half) }, func() { writeFile(t, path, half+"\x00") })
	for range 2 {
		if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || len(d.Decided) != 1 {
			t.Errorf("%+v, %v", d, err)
		}
		if got := readFile(t, path); got != was {
			t.Errorf("rejected %q", got)
		}
		if d, err := c.Restore(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || len(d.Decided) != 1 {
			t.Errorf("%+v, %v", d, err)
		}
		if got := readFile(t, path); got != half+"\x00" {
			t.Errorf("brought back %q", got)
		}
	}
}
