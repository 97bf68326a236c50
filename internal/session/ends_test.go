package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// What an agent writes to the disk of an open file may be no more than a final line end: that
// is shown and rejected like all else, and is there once. What the user's editor does with
// it is not the agent's.
func TestFinalLineEndOnDiskIsReviewed(t *testing.T) {
	t.Parallel()
	without := strings.TrimSuffix(ten, "\n")
	for _, caps := range []map[string]bool{nil, {"reload": true, "save": true}} {
		for _, dirty := range []bool{false, true} {
			for _, had := range []string{ten, without} {
				t.Run(fmt.Sprintf("%v, dirty %v, %q", caps, dirty, had[len(had)-1:]), func(t *testing.T) {
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					path := filepath.Join(root, "a.txt")
					uri := buffers.PathURI(path)
					e.caps = caps
					e.onReload = func(string) (bool, error) {
						e.send(buffers.Close{URI: uri})
						e.open(uri, readFile(t, path))
						return true, nil
					}
					e.onSave = func(string) error {
						writeFile(t, path, e.text(uri))
						e.send(buffers.Save{URI: uri})
						return nil
					}
					writeFile(t, path, had)
					e.open(uri, had)
					users, has := had, map[string]string{ten: without, without: ten}[had]
					want := has
					if dirty {
						e.replace(uri, "2\n", "2 USER\n")
						users, want = e.text(uri), strings.Replace(has, "2\n", "2 USER\n", 1)
					}
					for range 2 { // in the second turn there is nothing new
						diskTurn(t, c, l, path, func(string) string { return has })
						if got := e.text(uri); got != want {
							t.Errorf("text %q, want %q", got, want)
						}
						if h := hunksOf(t, c, uri); len(h) != 1 || h[0].Origins[0].Agent != "fake" {
							t.Errorf("hunks %+v", h)
						}
					}
					if _, err := c.Reject(t.Context(), Decide{}); err != nil {
						t.Error(err)
					}
					if got := e.text(uri); got != users {
						t.Errorf("rejected, the text is %q, want %q", got, users)
					}
					if got := readFile(t, path); got != users && !dirty && caps["save"] {
						t.Errorf("rejected, the disk has %q", got)
					}
				})
			}
		}
	}
}

// An editor may write a final line end that is not in its document. That is nobody's change.
func TestFinalLineEndOfTheEditor(t *testing.T) {
	t.Parallel()
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "a.txt")
	uri := buffers.PathURI(path)
	without := strings.TrimSuffix(ten, "\n")
	writeFile(t, path, without)
	e.open(uri, without)
	turnOf(t, c, l, func(Host, string) {
		e.replace(uri, "2\n", "2 USER\n")
		writeFile(t, path, e.text(uri)+"\n")
		e.send(buffers.Save{URI: uri})
	})
	turnOf(t, c, l, func(Host, string) {})
	if h := hunksOf(t, c, uri); len(h) > 0 || strings.HasSuffix(e.text(uri), "\n") {
		t.Errorf("text %q, hunks %+v", e.text(uri), h)
	}
}

// A byte order mark that an agent gives a file on the disk, or takes away, is told of once, as
// it is not in the text of a document; what the user does is not.
func TestByteOrderMarkOnDiskIsTold(t *testing.T) {
	t.Parallel()
	const mark = "\ufeff"
	for _, had := range []string{"", mark} {
		for _, dirty := range []bool{false, true} {
			for _, change := range []string{"", "5 AGENT"} {
				t.Run(fmt.Sprintf("had %q, dirty %v, %s", had, dirty, change), func(t *testing.T) {
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					path := filepath.Join(root, "a.txt")
					uri := buffers.PathURI(path)
					e.caps = map[string]bool{"reload": true}
					e.onReload = func(string) (bool, error) {
						if now, disk := e.text(uri), strings.TrimPrefix(readFile(t, path), mark); now != disk {
							e.send(buffers.Close{URI: uri})
							e.open(uri, disk)
						}
						return true, nil
					}
					writeFile(t, path, had+ten)
					e.open(uri, ten)
					if dirty {
						e.replace(uri, "2\n", "2 USER\n")
					}
					has := map[string]string{"": mark, mark: ""}[had]
					for range 2 {
						diskTurn(t, c, l, path, func(string) string {
							if change == "" {
								return has + ten
							}
							return has + strings.Replace(ten, "5\n", change+"\n", 1)
						})
					}
					told := 0
					e.mu.Lock()
					for _, m := range e.messages {
						if strings.Contains(m, "byte order mark") {
							told++
						}
						// It stands there when that is decided, and cannot be under unsaved text.
						if !strings.Contains(m, "by fake") || strings.Contains(m, "eject") || strings.Contains(m, "to save it takes that back") != dirty {
							t.Errorf("said %q", m)
						}
					}
					e.mu.Unlock()
					if told != 1 {
						t.Errorf("told %d times: %q", told, e.messages)
					}
					if h := hunksOf(t, c, uri); len(h) != len(strings.Fields(change))/2 {
						t.Errorf("hunks %+v", h)
					}
					if strings.Contains(e.text(uri), mark) {
						t.Errorf("text %q", e.text(uri))
					}
				})
			}
		}
	}
}

// Who looks at the disk beside a document that was just opened may come late, when a turn has begun
// and the agent has changed the ends of the file: these are the agent's all the same.
func TestEndsAreChangedBeforeTheFirstLook(t *testing.T) {
	t.Parallel()
	for name, has := range map[string]string{"final line end": strings.TrimSuffix(ten, "\n"), "mark": "\ufeff" + ten, "line ends": strings.ReplaceAll(ten, "\n", "\r\n")} {
		t.Run(name, func(t *testing.T) {
			c, e, l, path, uri := readingScene(t, map[string]bool{"reload": true})
			f := c.file(buffers.Path(path))
			f.mu.Lock()
			late := arrival{text: text.New(ten), first: true, number: f.arrivals, then: users}
			f.mu.Unlock()
			turnOf(t, c, l, func(Host, string) {
				writeFile(t, path, has)
				disk, err := e.at.store.Look(f.path)
				f.looked(c.ctx, disk, err, late)
				lookNow(c)
			})
			rs := c.Reviews(uri, "")
			if len(rs) != 1 || rs[0].File == nil && len(rs[0].Hunks) == 0 {
				t.Errorf("shown %+v", rs)
			}
		})
	}
}
