package session

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// A file that the user has taken away with something of an agent's in it is opened and closed: to
// look at what is not there decides nothing, and all that was listed before is listed then.
func TestLookingAtAFileThatIsGoneDecidesNothing(t *testing.T) {
	for name, made := range map[string]string{
		"rows put in":     ten + "11\n",
		"rows taken out":  strings.Replace(ten, "9\n10\n", "", 1),
		"rows changed":    strings.NewReplacer("2\n", "TWO\n", "9\n", "NINE\n").Replace(ten),
		"nothing is left": "\n",
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := &fakeLauncher{}
				c, e, root := setup(t, l)
				c.unwatched = true // nothing may wait for the system in virtual time
				path := filepath.Join(root, "a")
				uri := buffers.PathURI(path)
				writeFile(t, path, ten)
				turnOf(t, c, l, func(h Host, sid string) {
					if err := h.WriteTextFile(t.Context(), sid, path, made); err != nil {
						t.Error(err)
					}
				})
				remove(t, path)
				turnOf(t, c, l, func(Host, string) {})
				listed := func() (ids []string) {
					for _, h := range hunksOf(t, c, uri, review.StatePending, review.StateRejected) {
						ids = append(ids, string(h.State)+" "+h.ID)
					}
					return ids
				}
				before := listed()
				if len(before) == 0 {
					t.Fatal("nothing is listed")
				}
				for range 2 {
					e.open(uri, "")
					time.Sleep(time.Second)
					synctest.Wait()
					if got := listed(); !slices.Equal(got, before) {
						t.Errorf("opened: %q, before %q", got, before)
					}
					e.close(uri)
					time.Sleep(time.Second)
					synctest.Wait()
					if got := listed(); !slices.Equal(got, before) {
						t.Errorf("closed: %q, before %q", got, before)
					}
				}
			})
		})
	}
}
