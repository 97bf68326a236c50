package session

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// Who decides between the close of a document and the look at the disk that follows decides on
// what the disk has: what was unsaved is thrown away first, and a byte order mark that the
// document did not have is nothing that came meanwhile. No byte but the agent's is changed.
func TestDecisionBeforeTheLookAfterAClose(t *testing.T) {
	decisions := map[string]struct{ accepts, byID bool }{
		"reject all": {}, "reject what was shown": {byID: true},
		"accept all": {accepts: true}, "accept what was shown": {accepts: true, byID: true},
	}
	type scene struct {
		had, has string // in front of the text, before and after the agent's change
		edit     [2]string
		opened   bool   // after that
		typed    string // instead of the agent's rows, and not saved
	}
	var scenes []scene
	for _, marks := range [][2]string{{"", ""}, {"", byteOrderMark}, {byteOrderMark, ""}, {byteOrderMark, byteOrderMark}} {
		for _, edit := range [][2]string{{"", ""}, {"1\n", "ONE\n"}, {"1\n", "0\n1\n"}, {"1\n", ""}, {"5\n", "5\nAGENT\n"}} {
			for _, opened := range []bool{false, true} {
				for _, typed := range []string{"", ten, "1\n2\nUSER\n"} {
					if marks[0] != marks[1] || edit[0] != edit[1] {
						scenes = append(scenes, scene{marks[0], marks[1], edit, opened, typed})
					}
				}
			}
		}
	}
	for _, s := range scenes {
		for name, how := range decisions {
			t.Run(fmt.Sprintf("%q, %q, %q, opened %v, typed %q, %s", s.had, s.has, s.edit, s.opened, s.typed, name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					m := newMarkScene(t, s.had, "reload", "save")
					m.c.unwatched = true // nothing may wait for the system in virtual time
					rows := strings.Replace(ten, s.edit[0], s.edit[1], 1)
					if !s.opened {
						m.open()
					}
					diskTurn(t, m.c, m.l, m.path, func(string) string { return s.has + rows })
					if s.opened {
						m.open()
					}
					synctest.Wait()
					d := Decide{}
					for _, r := range m.c.Reviews("", "") {
						if r.File != nil && how.byID {
							d.Hunks = append(d.Hunks, r.File.ID)
						}
						for _, h := range r.Hunks {
							if how.byID {
								d.Hunks = append(d.Hunks, h.ID)
							}
						}
					}
					if s.typed != "" {
						m.e.typeAt(m.uri, 0, len(rows), s.typed)
					}
					f := m.c.file(buffers.Path(m.path))
					if err := f.lockOps(t.Context()); err != nil { // nobody looks
						t.Fatal(err)
					}
					m.e.close(m.uri)
					done := make(chan struct{})
					go func() {
						defer close(done)
						decide := m.c.Reject
						if how.accepts {
							decide = m.c.Accept
						}
						if d, err := decide(t.Context(), d); err != nil || len(d.Refused) > 0 || len(d.Decided) == 0 {
							t.Errorf("%+v, %v", d, err)
						}
					}()
					synctest.Wait()
					f.unlockOps()
					<-done
					synctest.Wait()
					want := s.had + ten
					if how.accepts {
						want = s.has + rows
					}
					if got := readFile(t, m.path); got != want {
						t.Errorf("the disk has %q, want %q", got, want)
					}
					if rs := m.c.Reviews("", ""); len(rs) > 0 {
						t.Errorf("left %+v", rs)
					}
					if how.accepts {
						return
					}
					if s.edit[0] != s.edit[1] { // and comes back
						var back []string
						for _, h := range hunksOf(t, m.c, m.uri, review.StateRejected) {
							back = append(back, h.ID)
						}
						if d, err := m.c.Restore(t.Context(), Decide{Hunks: back}); err != nil || len(d.Refused) > 0 || len(d.Decided) == 0 {
							t.Errorf("restore: %+v, %v", d, err)
						}
						if got := strings.TrimPrefix(readFile(t, m.path), byteOrderMark); got != rows {
							t.Errorf("brought back, the disk has %q, want %q", got, rows)
						}
					}
				})
			})
		}
	}
}
