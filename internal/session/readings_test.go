package session

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// Who reverts a document takes back what is unsaved, and what comes with that of the disk is the agent's.
func TestRevertedAsTheEditorSays(t *testing.T) {
	t.Parallel()
	one := strings.Replace(ten, "3\n", "3\nAGENT 1\n", 1)
	two := strings.Replace(one, "7\n", "7\nAGENT 2\n", 1)
	for name, x := range map[string]struct{ pending, disk string }{
		"to what it had":                       {ten, ten},
		"to what the agent has written":        {one, one},
		"to what the agent has written since":  {ten, one},
		"to what it has written on since that": {one, two},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			c.unwatched = true
			path, uri := e.openTen(root)
			turnOf(t, c, l, func(Host, string) {
				if x.pending != ten {
					writeFile(t, path, x.pending)
					e.at.Read(uri, e.tellClean(uri, x.pending), true)
					lookNow(c)
				}
				e.at.Read(uri, e.tellClean(uri, strings.Replace(x.pending, "1\n", "1 USER\n", 1)), false)
				writeFile(t, path, x.disk)
				e.at.Read(uri, e.tellClean(uri, x.disk), true)
				lookNow(c)
			})
			if got := e.text(uri); got != x.disk {
				t.Errorf("text %q, want %q", got, x.disk)
			}
			if got, err := c.Baseline(uri); err != nil || got != ten {
				t.Errorf("baseline %q, %v", got, err)
			}
			if got, want := len(hunksOf(t, c, uri)), strings.Count(x.disk, "AGENT"); got != want {
				t.Errorf("%d hunks, want %d", got, want)
			}
			if got := hunksOf(t, c, uri, review.StateRejected); len(got) > 0 {
				t.Errorf("rejected: %+v", got)
			}
		})
	}
}

// An editor on a busy machine says late what it has read; nobody else's is concluded meanwhile.
func TestReadAnewIsToldLate(t *testing.T) {
	t.Setenv("PATH", "") // no git: what the folder held is copied
	synctest.Test(t, func(t *testing.T) {
		l := &fakeLauncher{}
		c, e, root := setup(t, l)
		c.unwatched = true
		path, uri := e.openTen(root)
		one := strings.Replace(ten, "3\n", "3\nAGENT 1\n", 1)
		two := strings.Replace(one, "7\n", "7\nAGENT 2\n", 1)
		turnOf(t, c, l, func(Host, string) {
			writeFile(t, path, one)
			version := e.tellClean(uri, one)
			writeFile(t, path, two)
			looked := make(chan struct{})
			go func() { defer close(looked); lookNow(c) }()
			time.Sleep(20 * time.Second)
			e.at.Read(uri, version, true)
			<-looked
		})
		if got := e.text(uri); got != two {
			t.Errorf("text %q, want %q", got, two)
		}
		if got, err := c.Baseline(uri); err != nil || got != ten {
			t.Errorf("baseline %q, %v", got, err)
		}
	})
}

// tellClean tells of a change after which the editor takes the document for unchanged.
func (e *fakeEditor) tellClean(uri, now string) (version int32) {
	e.wire.Lock()
	defer e.wire.Unlock()
	e.mu.Lock()
	d := e.docs[uri]
	d.text = d.text.Replace(0, d.text.Len(), now)
	d.version++
	version = d.version
	e.cond.Broadcast()
	e.mu.Unlock()
	e.sendLocked(buffers.Change{URI: uri, Version: version, Changes: []buffers.ContentChange{{Text: now}}, Clean: true})
	return version
}

// What an editor says that it has read of the disk is the agent's who wrote that, though the disk has gone on before
// anybody else has looked, and whatever the user types then; and what it says that it has not read is the user's.
func TestReadAnewAsTheEditorSays(t *testing.T) {
	t.Parallel()
	rows := []string{"3\n", "5\n", "7\n", "9\n"}
	disks := []string{ten}
	for i, row := range rows {
		disks = append(disks, strings.Replace(disks[i], row, row+fmt.Sprintf("AGENT %d\n", i+1), 1))
	}
	typed := func(s string) string { return strings.Replace(s, "1\n", "1 USER\n", 1) }
	for _, looks := range []bool{false, true} {
		for _, late := range []bool{false, true} {
			// Which of the texts are read, each when the disk has one that is so much later.
			for which := 1; which < 1<<4; which++ {
				for lag := range 4 {
					for _, types := range []int{0, 1, 2} { // not, at the end, before all
						if types == 2 && which != 1 {
							continue // no editor reads over what is unsaved
						}
						runOneIn(t, 3, fmt.Sprintf("read %04b, lag %d, typed %d, looks %v, late %v", which, lag, types, looks, late), func(t *testing.T) {
							t.Parallel()
							l := &fakeLauncher{}
							c, e, root := setup(t, l)
							c.unwatched = true
							path, uri := e.openTen(root)
							turnOf(t, c, l, func(Host, string) {
								var says []func()
								say := func(version int32, read bool) {
									if says = append(says, func() { e.at.Read(uri, version, read) }); late {
										return
									}
									for _, f := range says {
										f()
									}
									says = nil
								}
								if types == 2 {
									say(e.tellClean(uri, typed(ten)), false)
								} else {
									for i := 1; i <= 4; i++ {
										writeFile(t, path, disks[min(i+lag, 4)])
										if which&(1<<(i-1)) == 0 {
											continue
										}
										say(e.tellClean(uri, disks[i]), true)
										if looks && !late {
											lookNow(c)
										}
										// what is read then is what the document has
										if now := e.text(uri); now != disks[i] {
											break // acp-ls has brought what is new
										}
									}
									if types == 1 {
										say(e.tellClean(uri, typed(e.text(uri))), false)
									}
								}
								writeFile(t, path, disks[4])
								for _, f := range says {
									f()
								}
								lookNow(c)
							})
							want, base := disks[4], ten
							if types > 0 {
								want, base = typed(want), typed(base)
							}
							if got := e.text(uri); got != want {
								t.Errorf("text %q, want %q", got, want)
							}
							if got, err := c.Baseline(uri); err != nil || got != base {
								t.Errorf("baseline %q, %v, want %q", got, err, base)
							}
							if _, err := c.Reject(t.Context(), Decide{}); err != nil {
								t.Error(err)
							}
							if got := e.text(uri); got != base {
								t.Errorf("all rejected, the text is %q, want %q", got, base)
							}
						})
					}
				}
			}
		}
	}
}
