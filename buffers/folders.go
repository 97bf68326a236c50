package buffers

import (
	"os"
	"path/filepath"
	"time"
)

// bornSlack is how much earlier than the time of the program the time may be that file
// systems give what is made: they look at a clock that ticks.
const bornSlack = 20 * time.Millisecond

// RemoveFolders removes the folders that a file was in which is gone, from the innermost
// on, as long as they are empty, inside of the folder named, and made at that time or
// later. Where the system does not say when they were made nothing is removed.
func RemoveFolders(p Path, inside string, since time.Time) {
	for dir := filepath.Dir(string(p)); ; dir = filepath.Dir(dir) {
		rel, err := filepath.Rel(inside, dir)
		if err != nil || rel == "." || !filepath.IsLocal(rel) {
			return
		}
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			return
		}
		made, ok := born(dir, info)
		if !ok || made.Before(since.Add(-bornSlack)) || os.Remove(dir) != nil {
			return
		}
	}
}
