package journal

import (
	"errors"
	"testing"
	"time"
)

// Whatever the limit is, a journal that comes near it takes a record or says that it is full; it
// compacts itself for that once.
func TestWriteNearTheLimit(t *testing.T) {
	r := Record{Path: "/w/a", Pending: 1, State: make([]byte, 100)}
	other := Record{Path: "/w/b", Pending: 1, State: make([]byte, 30)}
	n := int64(len(r.frame()))
	head := int64(len(magic) + len(workspaceFrame("/w")))
	for limit := 2 * n; limit < 4*n+2*head; limit++ {
		j := Open(t.TempDir(), "/w", Options{Limit: limit, CompactAt: 1 << 30})
		wrote := make(chan bool, 1)
		go func() {
			full := false
			for i := range 8 {
				rec := r
				if i%3 == 2 {
					rec = other
				}
				err := j.Write(false, rec)
				full = full || errors.Is(err, ErrFull)
				if err != nil && !errors.Is(err, ErrFull) {
					t.Errorf("limit %d: %v", limit, err)
				}
			}
			wrote <- full
		}()
		select {
		case <-wrote:
		case <-time.After(20 * time.Second):
			t.Fatalf("with a limit of %d bytes it does not come back", limit)
		}
		if j.size > limit {
			t.Errorf("limit %d: it has %d bytes", limit, j.size)
		}
		if err := j.Close(); err != nil {
			t.Error(err)
		}
	}
}
