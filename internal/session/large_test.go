package session

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// A checkpoint keeps no text that is as large as this. Where the text is known all the same, as
// it was written through us or was open, what becomes of it is reviewed by rows, and can be taken
// back, with git and without.
func TestLargeTextThatIsKnownHasRows(t *testing.T) {
	row := strings.Repeat("f", 79) + "\n"
	t.Run("large", func(t *testing.T) { testKnownText(t, strings.Repeat(row, 20_000), true, false) })
	t.Run("small", func(t *testing.T) { testKnownText(t, strings.Repeat(row, 20), false) }) // which is no different
}

// testKnownText is about a text that begins with filler.
func testKnownText(t *testing.T, filler string, gits ...bool) {
	edited := func(rows ...string) string {
		s := ten
		for _, r := range rows {
			s = strings.Replace(s, r+"\n", "agent "+r+"\n", 1)
		}
		return filler + s
	}
	type step func(t *testing.T, c *Core, e *fakeEditor, h Host, sid, path string)
	through := func(rows ...string) step {
		return func(t *testing.T, _ *Core, _ *fakeEditor, h Host, sid, path string) {
			if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil && isThere(buffers.Path(path)) {
				t.Error(err)
			}
			if err := h.WriteTextFile(t.Context(), sid, path, edited(rows...)); err != nil {
				t.Error(err)
			}
		}
	}
	behind := func(rows ...string) step {
		return func(t *testing.T, _ *Core, _ *fakeEditor, _ Host, _, path string) {
			writeFile(t, path, edited(rows...))
		}
	}
	look := func(_ *testing.T, c *Core, _ *fakeEditor, _ Host, _, _ string) {
		s := c.allSessions()[0]
		c.turnPoint(s, s.now())
	}
	open := func(t *testing.T, _ *Core, e *fakeEditor, _ Host, _, path string) {
		e.open(buffers.PathURI(path), readFile(t, path))
	}
	shut := func(_ *testing.T, _ *Core, e *fakeEditor, _ Host, _, path string) {
		e.close(buffers.PathURI(path))
	}
	gone := func(t *testing.T, _ *Core, _ *fakeEditor, _ Host, _, path string) { remove(t, path) }
	moved := func(t *testing.T, _ *Core, _ *fakeEditor, _ Host, _, path string) {
		if err := os.Rename(path, path+".new"); err != nil {
			t.Error(err)
		}
	}
	back := func(t *testing.T, _ *Core, _ *fakeEditor, _ Host, _, path string) {
		if err := os.Rename(path+".new", path); err != nil {
			t.Error(err)
		}
	}
	out := func(t *testing.T, _ *Core, _ *fakeEditor, _ Host, _, path string) { // where nobody looks
		if err := os.Rename(path, filepath.Dir(path)+".out"); err != nil {
			t.Error(err)
		}
	}
	in := func(t *testing.T, _ *Core, _ *fakeEditor, _ Host, _, path string) {
		if err := os.Rename(filepath.Dir(path)+".out", path+".new"); err != nil {
			t.Error(err)
		}
	}
	copied := func(t *testing.T, _ *Core, _ *fakeEditor, _ Host, _, path string) {
		writeFile(t, path+".new", readFile(t, path))
	}
	for name, tt := range map[string]struct {
		none  bool // there is no file
		turns [][]step
		hunks int
		whole string // what has become of the file as a whole
	}{
		"written through us":              {turns: [][]step{{through("2", "8")}}, hunks: 2},
		"looked at between":               {turns: [][]step{{through("2"), look, through("2", "8"), look}}, hunks: 2},
		"in two turns":                    {turns: [][]step{{through("2")}, {through("2", "8")}}, hunks: 2},
		"and behind our back":             {turns: [][]step{{through("2"), behind("2", "8")}}, hunks: 2},
		"behind our back in another turn": {turns: [][]step{{through("2")}, {behind("2", "8")}}, hunks: 2},
		"and then":                        {turns: [][]step{{through("2"), behind("2", "5"), through("2", "5", "8")}}, hunks: 3},
		"put back behind our back":        {turns: [][]step{{through("2"), look, behind()}}},
		"put back in part":                {turns: [][]step{{through("2", "8"), look, behind("8")}}, hunks: 1},
		"open, and shut":                  {turns: [][]step{{open, behind("2", "8"), look, shut}}, hunks: 2},
		"shut in another turn":            {turns: [][]step{{open, behind("2"), look}, {shut, behind("2", "8")}}, hunks: 2},
		"made":                            {none: true, turns: [][]step{{through("2")}}, hunks: 1, whole: "create"},
		"made, and changed":               {none: true, turns: [][]step{{through("2"), look}, {behind("2", "8")}}, hunks: 1, whole: "create"},
		"taken away":                      {turns: [][]step{{through("2"), look, gone}}, hunks: 1, whole: "delete"},
		"taken away in another turn":      {turns: [][]step{{through("2")}, {gone}}, hunks: 1, whole: "delete"},
		"renamed":                         {turns: [][]step{{through("2"), look, moved}}, hunks: 1, whole: "rename"},
		"renamed, and back":               {turns: [][]step{{through("2"), look, moved, look, back}}, hunks: 1},
		"and back in another turn":        {turns: [][]step{{through("2"), look, moved}, {back}}, hunks: 1},
		"renamed in another turn":         {turns: [][]step{{through("2")}, {moved}}, hunks: 1, whole: "rename"},
		"gone, and then renamed":          {turns: [][]step{{through("2"), look, out, look, in}}, hunks: 1, whole: "rename"},
		"gone first in another turn":      {turns: [][]step{{through("2")}, {out, look, in}}, hunks: 1, whole: "rename"},
		"there first":                     {turns: [][]step{{through("2"), look, copied, look, gone}}, hunks: 1, whole: "rename"},
		"there first in another turn":     {turns: [][]step{{through("2")}, {copied, look, gone}}, hunks: 1, whole: "rename"},
		"made, gone in another turn":      {none: true, turns: [][]step{{through("2")}, {out, look, in}}, hunks: 1, whole: "create"},
		"open, and renamed":               {turns: [][]step{{open, behind("2"), look, moved}}, hunks: 1, whole: "renamerename"}, // its document says so too
		"open in another turn":            {turns: [][]step{{open, through("2")}, {moved}}, hunks: 1, whole: "renamerename"},
		"open, and gone first":            {turns: [][]step{{open, through("2")}, {out, look, in}}, hunks: 1, whole: "renamerename"},
		"open, and there first":           {turns: [][]step{{open, through("2")}, {copied, look, gone}}, hunks: 1, whole: "renamerename"},
		"changed again, and renamed":      {turns: [][]step{{through("2")}, {through("2", "8"), look, moved}}, hunks: 2, whole: "rename"},
		"changed behind, and renamed":     {turns: [][]step{{through("2")}, {behind("2", "8"), look, moved}}, hunks: 2, whole: "rename"},
		"put back, and renamed":           {turns: [][]step{{through("2"), look, behind(), moved}}, whole: "rename"},
		"made, gone, and renamed":         {none: true, turns: [][]step{{through("2"), look, out, look, in}}, hunks: 1, whole: "create"},
	} {
		for _, git := range gits {
			runOneIn(t, 3, name+map[bool]string{true: ", git"}[git], func(t *testing.T) {
				t.Parallel()
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				path := filepath.Join(root, "a")
				e.caps["reload"] = true
				e.onReload = func(uri string) (bool, error) {
					e.typeAt(uri, 0, len(e.text(uri)), readFile(t, path))
					return true, nil
				}
				if !tt.none {
					writeFile(t, path, edited())
				}
				if git {
					gitInit(t, root)
				}
				for _, turn := range tt.turns {
					turnOf(t, c, l, func(h Host, sid string) {
						for _, step := range turn {
							step(t, c, e, h, sid, path)
						}
					})
				}
				hunks, whole := 0, ""
				for _, r := range c.Reviews("", "") {
					hunks += len(r.Hunks)
					if r.File != nil {
						whole += r.File.Op
						if r.File.Opaque != "" {
							t.Errorf("a text is said to be %s", r.File.Opaque)
						}
					}
				}
				if hunks != tt.hunks || whole != tt.whole {
					t.Errorf("%d hunks and %q, want %d and %q", hunks, whole, tt.hunks, tt.whole)
				}
				if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 {
					t.Errorf("%+v, %v", d, err)
				}
				switch {
				case tt.none && isThere(buffers.Path(path)):
					t.Error("what was made is there")
				case !tt.none && readFile(t, path) != edited():
					t.Error("what was is not back")
				}
				turnOf(t, c, l, nil)
				if rs := c.Reviews("", ""); len(rs) > 0 {
					t.Errorf("left %d", len(rs))
				}
			})
		}
	}
}

// What such a file was before it was written behind our back is not known any more when it is
// then written through us: that it has been changed is said all the same.
func TestLargeTextThatWasChangedUnseen(t *testing.T) {
	l := &fakeLauncher{}
	c, _, root := setup(t, l)
	path := filepath.Join(root, "a")
	was := strings.Repeat(ten, 100_000)
	writeFile(t, path, was)
	turnOf(t, c, l, func(h Host, sid string) {
		writeFile(t, path, strings.Replace(was, "2\n", "TWO\n", 1))
		now, err := h.ReadTextFile(t.Context(), sid, path, nil, nil)
		if err != nil {
			t.Error(err)
		}
		if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(now, "8\n", "EIGHT\n", 1)); err != nil {
			t.Error(err)
		}
	})
	large := func(r Review) bool { return r.File != nil && r.File.Opaque == "large" && r.File.Op == "modify" }
	if rs := c.Reviews("", ""); !slices.ContainsFunc(rs, large) {
		t.Errorf("%+v", rs)
	}
}

// The rows of such a file are what they were when acp-ls is there again that was killed in the
// turn, looked at before or not.
func TestLargeTextIsKnownAfterACrash(t *testing.T) {
	was := strings.Repeat(strings.Repeat("f", 79)+"\n", 20_000) + ten
	two := strings.Replace(was, "2\n", "TWO\n", 1)
	for name, tt := range map[string]struct{ looks, again bool }{
		"not looked at": {}, "looked at": {looks: true}, "after another crash": {looks: true, again: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newEarth(t)
			writeFile(t, w.path("f"), was)
			w.start()
			wrote := make(chan struct{})
			w.l.prompt = func(ctx context.Context, a *fakeAgent, sid string, _ []Block) (StopReason, error) {
				if err := a.host.WriteTextFile(ctx, sid, w.path("f"), two); err != nil {
					t.Error(err)
				}
				close(wrote)
				<-ctx.Done()
				return StopCancelled, nil
			}
			if _, err := w.c.Prompt(t.Context(), Prompt{Text: "go"}); err != nil {
				t.Fatal(err)
			}
			<-wrote
			if s := w.c.allSessions()[0]; tt.looks {
				w.c.turnPoint(s, s.now())
			}
			w.crash()
			if tt.again {
				w.crash()
			}
			rs := w.c.Reviews("", "")
			if len(rs) != 1 || rs[0].File != nil || len(rs[0].Hunks) != 1 {
				t.Fatalf("%+v", rs)
			}
			if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || readFile(t, w.path("f")) != was {
				t.Errorf("rejected: %+v, %v", d, err)
			}
		})
	}
}
