package session

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// A file that its editor is just writing is empty for a moment, or has a part of its rows. Who
// looks at it then has not seen what any agent could have made its next write from.
func TestHalfWrittenFileIsNoBase(t *testing.T) {
	for _, half := range []string{"", "on"} {
		for _, asked := range []bool{false, true} {
			for _, decides := range []bool{false, true} {
				for read := range 6 { // of the times that the disk is read
					t.Run(fmt.Sprintf("%q, asked %v, decides %v, read %d", half, asked, decides, read), func(t *testing.T) {
						t.Parallel()
						l := &fakeLauncher{}
						c, e, root := setup(t, l)
						e.caps["save"] = true
						path := filepath.Join(root, "a.txt")
						uri := buffers.PathURI(path)
						w := &halfWriter{t: t, path: path, half: half}
						c.read = w.read
						e.at.store = buffers.NewStore(buffers.Options{Encoding: e.enc, ReadDisk: w.read})
						e.onSave = func(uri string) error {
							w.write(e.text(uri))
							e.send(buffers.Save{URI: uri})
							return nil
						}
						writes := func(h Host, sid, content string) {
							if err := h.WriteTextFile(t.Context(), sid, path, content); err != nil {
								t.Error(err)
							}
						}
						writeFile(t, path, "one\n")
						e.open(uri, "one\n")
						turnOf(t, c, l, func(h Host, sid string) {
							if asked {
								if _, err := h.ReadTextFile(t.Context(), sid, path, nil, nil); err != nil {
									t.Error(err)
								}
							}
							writes(h, sid, "two\n")
						})
						if !decides {
							if _, err := c.Accept(t.Context(), Decide{}); err != nil {
								t.Error(err)
							}
							e.replace(uri, "two", "my two")
						}
						w.slowly(read)
						turnOf(t, c, l, func(Host, string) {
							if decides {
								if _, err := c.Reject(t.Context(), Decide{}); err != nil {
									t.Error(err)
								}
							} else if err := e.Save(t.Context(), uri, 0, true); err != nil {
								t.Error(err)
							}
							lookNow(c)
							lookNow(c)
						})
						w.done()
						turnOf(t, c, l, func(h Host, sid string) { writes(h, sid, "three\n") })
						if got := e.text(uri); got != "three\n" {
							t.Errorf("text %q", got)
						}
						if h := hunksOf(t, c, uri, review.StateConflict); len(h) > 0 {
							t.Errorf("conflicts %+v", h)
						}
					})
				}
			}
		}
	}
}

// halfWriter writes a file as editors do: it is half written for a while.
type halfWriter struct {
	t          *testing.T
	path, half string

	mu   sync.Mutex // guards what follows
	slow bool
	left int     // how often the file is read before the next step
	step int     // of the write that goes on
	want *string // what is being written; nil if nothing is
}

// slowly has the next write begin after the file was read a number of times more.
func (w *halfWriter) slowly(reads int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.slow, w.left = true, reads
}

func (w *halfWriter) write(s string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.slow {
		w.slow, w.step, w.want = false, 0, &s
		return
	}
	writeFile(w.t, w.path, s)
}

// done ends the write.
func (w *halfWriter) done() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.want != nil {
		writeFile(w.t, w.path, *w.want)
	}
	w.slow, w.want = false, nil
}

func (w *halfWriter) read(p buffers.Path) (buffers.Disk, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	disk, err := buffers.ReadDisk(p)
	if w.want == nil {
		return disk, err
	}
	if w.left--; w.left < 0 {
		w.left = 1
		if w.step++; w.step == 1 {
			writeFile(w.t, w.path, w.half)
		} else {
			writeFile(w.t, w.path, *w.want)
			w.want = nil
		}
	}
	return disk, err
}
