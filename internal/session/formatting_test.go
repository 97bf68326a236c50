package session

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"acp-ls/buffers"
)

// A text that an editor loads just after a save is the formatter's only if no tool
// call can have written it meanwhile.
func TestReloadAfterSave(t *testing.T) {
	type world struct {
		h       Host
		sid     string
		save    func() // by the user
		tool    func(id, kind, status string)
		advance func(time.Duration)
		reload  func() // of a text that somebody has put on the disk
	}
	for name, x := range map[string]struct {
		do        func(w world)
		formatter bool
	}{
		"no tool call": {func(w world) {
			w.save()
			w.reload()
		}, true},
		"one that reads": {func(w world) {
			w.tool("t", "read", "in_progress")
			w.save()
			w.reload()
		}, true},
		"one that has ended": {func(w world) {
			w.tool("t", "execute", "in_progress")
			w.tool("t", "execute", "completed")
			w.advance(time.Millisecond)
			w.save()
			w.reload()
		}, true},
		"one that runs": {func(w world) {
			w.tool("t", "execute", "in_progress")
			w.save()
			w.reload()
		}, false},
		"one of which nothing is told but that it is there": {func(w world) {
			w.tool("t", "", "pending")
			w.save()
			w.reload()
		}, false},
		"one that ends between": {func(w world) {
			w.tool("t", "execute", "in_progress")
			w.save()
			w.advance(time.Millisecond)
			w.tool("t", "execute", "completed")
			w.reload()
		}, false},
		"too late": {func(w world) {
			w.save()
			w.advance(time.Second)
			w.reload()
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			var clock atomic.Int64
			clock.Store(time.Now().UnixNano())
			c.now = func() time.Time { return time.Unix(0, clock.Load()) }
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, ten)
			e.open(uri, ten)
			other := strings.Replace(ten, "5\n", "FIVE\n", 1)
			turnOf(t, c, l, func(h Host, sid string) {
				x.do(world{
					h: h, sid: sid,
					save:    func() { e.send(buffers.Save{URI: uri}) },
					advance: func(d time.Duration) { clock.Add(int64(d)) },
					tool: func(id, kind, status string) {
						h.Update(sid, ToolPatch{ID: id, Title: str("Do"), Kind: str(kind), Status: str(status)})
					},
					reload: func() {
						writeFile(t, path, other)
						e.send(buffers.Close{URI: uri})
						e.open(uri, other)
					},
				})
			})
			hunks := map[bool]int{true: 0, false: 1}[x.formatter]
			e.await("the hunks", func() bool { return len(e.reviews[uri].Hunks) == hunks })
			base, _ := c.Baseline(uri)
			want := ten
			if x.formatter {
				want = other
			}
			if base != want {
				t.Errorf("baseline %q", base)
			}
		})
	}
}

// A formatter that writes the file when acp-ls has it saved is no other agent's
// command, and a command that runs beside the write is no formatter.
func TestReloadWhileSaving(t *testing.T) {
	for _, beside := range []bool{false, true} {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		e.caps["save"] = true
		path := filepath.Join(root, "a")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.open(uri, ten)
		e.onSave = func(uri string) error {
			writeFile(t, path, e.text(uri))
			e.send(buffers.Save{URI: uri})
			formatted := strings.Replace(e.text(uri), "9\n", "NINE\n", 1)
			writeFile(t, path, formatted)
			e.send(buffers.Close{URI: uri})
			e.open(uri, formatted)
			return nil
		}
		turnOf(t, c, l, func(h Host, sid string) {
			if beside {
				h.Update(sid, ToolPatch{ID: "x", Title: str("Run"), Kind: str("execute"), Status: str("in_progress")})
			}
			h.Update(sid, ToolPatch{ID: "t", Title: str("Edit"), Kind: str("edit"), Status: str("in_progress"), Locations: &[]Location{{Path: path}}})
			if err := h.WriteTextFile(t.Context(), sid, path, strings.Replace(ten, "2\n", "TWO\n", 1)); err != nil {
				t.Error(err)
			}
		})
		want := map[bool][]string{false: {"TWO\n"}, true: {"TWO\n", "NINE\n"}}[beside]
		e.await("the hunks", func() bool { // whose a load was is found out later
			var got []string
			for _, h := range e.reviews[uri].Hunks {
				got = append(got, h.Text)
			}
			return slices.Equal(got, want)
		})
		if base, _ := c.Baseline(uri); strings.Contains(base, "NINE") == beside {
			t.Errorf("beside %v: baseline %q", beside, base)
		}
	}
}
