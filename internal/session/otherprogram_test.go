package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// What another program writes before a turn begins is none of the agent's, whatever has
// become of the document meanwhile and however the agent's own comes into it.
func TestOtherProgramsRowsAreNotTheAgents(t *testing.T) {
	type scene struct {
		t         *testing.T
		c         *Core
		l         *fakeLauncher
		e         *fakeEditor
		path, uri string
	}
	other := func(s *scene) { writeFile(s.t, s.path, strings.Replace(readFile(s.t, s.path), "3\n", "3\nOTHER\n", 1)) }
	before := map[string]func(s *scene){
		"behind": func(s *scene) { s.e.open(s.uri, ten); other(s) },
		"behind, undecided rows": func(s *scene) {
			s.e.open(s.uri, ten)
			diskTurn(s.t, s.c, s.l, s.path, func(d string) string { return strings.Replace(d, "6\n", "SIX AGENT\n", 1) })
			other(s)
		},
		"closed": func(s *scene) { s.e.open(s.uri, ten); s.e.close(s.uri); other(s) },
		"closed unsaved": func(s *scene) {
			s.e.open(s.uri, ten)
			s.e.replace(s.uri, "2\n", "2 typed\n")
			s.e.close(s.uri)
			other(s)
		},
		"closed, undecided rows": func(s *scene) {
			s.e.open(s.uri, ten)
			diskTurn(s.t, s.c, s.l, s.path, func(d string) string { return strings.Replace(d, "6\n", "SIX AGENT\n", 1) })
			s.e.close(s.uri)
			other(s)
		},
		"never open, undecided rows": func(s *scene) {
			diskTurn(s.t, s.c, s.l, s.path, func(d string) string { return strings.Replace(d, "6\n", "SIX AGENT\n", 1) })
			other(s)
		},
	}
	reread := func(s *scene) {
		if _, ok := s.e.at.Document(s.uri); ok {
			s.e.reopen(s.uri, s.path)
		}
	}
	during := map[string]func(s *scene){
		"nothing":            func(*scene) {},
		"reread by the user": reread,
		"closed and opened": func(s *scene) {
			if _, ok := s.e.at.Document(s.uri); ok {
				s.e.close(s.uri)
			}
			s.e.open(s.uri, readFile(s.t, s.path))
		},
		"reread as a change": func(s *scene) {
			if _, ok := s.e.at.Document(s.uri); ok {
				s.e.readAnew(s.uri, s.path)
			}
		},
	}
	for name, prepare := range before {
		for how, meanwhile := range during {
			for _, reloads := range []bool{false, true} {
				t.Run(name+", "+how+map[bool]string{true: ", reload"}[reloads], func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					s := &scene{t, c, l, e, filepath.Join(root, "a.txt"), buffers.PathURI(filepath.Join(root, "a.txt"))}
					e.caps["reload"] = reloads
					e.onReload = func(u string) (bool, error) {
						e.reopen(u, s.path)
						return true, nil
					}
					writeFile(t, s.path, ten)
					prepare(s)
					turnOf(t, c, l, func(Host, string) {
						writeFile(t, s.path, strings.Replace(readFile(t, s.path), "9\n", "NINE AGENT\n", 1))
						meanwhile(s)
					})
					base, err := c.Baseline(s.uri)
					if err != nil || !strings.Contains(base, "OTHER") || strings.Contains(base, "AGENT") {
						t.Errorf("baseline %q, %v", base, err)
					}
					for _, h := range hunksOf(t, c, s.uri, review.StatePending, review.StateConflict) {
						if strings.Contains(h.Text, "OTHER") {
							t.Errorf("hunk %+v", h)
						}
					}
				})
			}
		}
	}
}
