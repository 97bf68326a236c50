package buffers

import (
	"os"
	"path/filepath"
	"time"
)

// bornSlack is how much earlier than the time of the program the time may be that file
// systems give what is made: they look at a clock that ticks.
const bornSlack = 20 * time.Millisecond

// RemoveFolders removes the folders that were in the way to a file that is gone, from the innermost
// on, as long as they are inside of the folder named, and made at that time or later. Where the system
// does not say when they were made nothing is removed. In one that is not empty may be another file for
// which it was made, and which goes later: made has those, with when they were made, and gets what is
// left; they go too.
func RemoveFolders(p Path, inside string, since time.Time, made map[string]time.Time) {
	empty := true
	for dir := filepath.Dir(string(p)); ; dir = filepath.Dir(dir) {
		rel, err := filepath.Rel(inside, dir)
		if err != nil || rel == "." || !filepath.IsLocal(rel) {
			return
		}
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			return
		}
		at, ok := born(dir, info)
		if known, is := made[dir]; !ok || at.Before(since.Add(-bornSlack)) && !(is && known.Equal(at)) {
			return
		}
		if empty = empty && os.Remove(dir) == nil; empty {
			delete(made, dir)
		} else {
			made[dir] = at
		}
	}
}
