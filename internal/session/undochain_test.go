package session

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// Whatever was accepted and rejected of what an agent wrote, on what a formatter had made of
// what it wrote before: undoing the session gives back the text from before it, but for what the
// user did in rows of their own, and leaves nothing to settle.
func TestUndoOfAChain(t *testing.T) {
	t.Parallel()
	for seed := range uint64(80) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			r := rand.New(rand.NewPCG(seed, 2))
			var rows []string
			for i := range 14 {
				rows = append(rows, fmt.Sprintf("row %d%s", i, strings.Repeat(" ", r.IntN(2))))
			}
			before := strings.Join(append(rows, "a", "b", "c", "mine", "d", "e", ""), "\n")
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			path := filepath.Join(root, "a")
			uri := buffers.PathURI(path)
			writeFile(t, path, before)
			e.open(uri, before)
			if r.IntN(4) > 0 {
				e.formatsOnSave(path, func() {})
			}
			want, typed := before, "mine"
			for turn := range 2 + r.IntN(3) {
				turnOf(t, c, l, func(h Host, sid string) {
					for range 1 + r.IntN(2) {
						now, err := h.ReadTextFile(t.Context(), sid, path, nil, nil)
						if err != nil {
							t.Error(err)
						}
						rows := strings.SplitAfter(now, "\n")
						end := slices.Index(rows, "a\n")
						for n := range 1 + r.IntN(3) {
							at, put := r.IntN(end), fmt.Sprintf("agent %d.%d%s\n", turn, n, strings.Repeat(" ", r.IntN(2)))
							switch r.IntN(3) {
							case 0:
								rows[at] = put
							case 1:
								rows = slices.Insert(rows, at, put)
								end++
							case 2:
								if end > 2 {
									rows = slices.Delete(rows, at, at+1)
									end--
								}
							}
						}
						if err := h.WriteTextFile(t.Context(), sid, path, strings.Join(rows, "")); err != nil && KindOf(err) != KindConflict {
							t.Error(err)
						}
					}
				})
				for _, h := range hunksOf(t, c, uri) {
					var err error
					switch r.IntN(3) {
					case 0:
						_, err = c.Accept(t.Context(), Decide{Hunks: []string{h.ID}})
					case 1:
						_, err = c.Reject(t.Context(), Decide{Hunks: []string{h.ID}})
					}
					if err != nil {
						t.Error(err)
					}
				}
				if r.IntN(3) == 0 {
					next := fmt.Sprintf("mine %d", turn)
					e.replace(uri, typed+"\n", next+"\n")
					want, typed = strings.Replace(want, typed+"\n", next+"\n", 1), next
				}
			}
			d, err := c.Undo(t.Context(), c.allSessions()[0].id, "")
			if err != nil || len(d.Refused) > 0 {
				t.Errorf("%+v %v", d, err)
			}
			if got := e.text(uri); got != want {
				t.Errorf("text %q, want %q", got, want)
			}
			if h := hunksOf(t, c, uri, review.StateConflict); len(h) > 0 {
				t.Errorf("conflicts %+v", h)
			}
		})
	}
}
