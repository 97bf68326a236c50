package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

const byteOrderMark = "\ufeff"

// A byte order mark that an agent gives a file that nobody has open, or takes away, is part of
// its first row.
func TestByteOrderMarkOfAClosedFile(t *testing.T) {
	t.Parallel()
	for _, had := range []string{"", byteOrderMark} {
		for _, row := range []string{"", "1\n", "5\n"} {
			t.Run(fmt.Sprintf("had %q, %q", had, row), func(t *testing.T) {
				l := &fakeLauncher{}
				c, _, root := setup(t, l)
				path := filepath.Join(root, "a.txt")
				writeFile(t, path, had+ten)
				has := map[string]string{"": byteOrderMark, byteOrderMark: ""}[had]
				now := has + strings.Replace(ten, row, row+"AGENT\n", 1)
				if row == "" {
					now = has + ten
				}
				diskTurn(t, c, l, path, func(string) string { return now })
				if d, err := c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || len(d.Decided) == 0 {
					t.Errorf("%+v, %v", d, err)
				}
				if got := readFile(t, path); got != had+ten {
					t.Errorf("rejected %q", got)
				}
				if d, err := c.Restore(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || len(d.Decided) == 0 {
					t.Errorf("%+v, %v", d, err)
				}
				if got := readFile(t, path); got != now {
					t.Errorf("brought back %q", got)
				}
			})
		}
	}
}

// markScene is a document whose editor keeps the byte order mark of its file beside the text.
type markScene struct {
	t         *testing.T
	c         *Core
	e         *fakeEditor
	l         *fakeLauncher
	path, uri string
	mark      string // that the editor writes
}

func newMarkScene(t *testing.T, had string, caps ...string) *markScene {
	l := &fakeLauncher{}
	c, e, root := setup(t, l)
	m := &markScene{t: t, c: c, e: e, l: l, path: filepath.Join(root, "a.txt")}
	m.uri = buffers.PathURI(m.path)
	writeFile(t, m.path, had+ten)
	e.caps = map[string]bool{}
	for _, name := range caps {
		e.caps[name] = true
	}
	e.onReload = func(string) (bool, error) {
		if d, _ := e.at.Document(m.uri); d.State() == buffers.Dirty {
			return false, nil
		}
		m.read()
		return true, nil
	}
	if e.caps["save"] {
		e.onSave = func(string) error { m.save(); return nil }
	}
	return m
}

// read has the editor read the file.
func (m *markScene) read() {
	now := readFile(m.t, m.path)
	text := strings.TrimPrefix(now, byteOrderMark)
	m.mark = strings.TrimSuffix(now, text)
	if _, ok := m.e.at.Document(m.uri); ok {
		m.e.send(buffers.Close{URI: m.uri})
	}
	m.e.open(m.uri, text)
}

func (m *markScene) save() {
	writeFile(m.t, m.path, m.mark+m.e.text(m.uri))
	m.e.send(buffers.Save{URI: m.uri})
}

func (m *markScene) open() {
	m.read()
	awaitLook(m.t, m.c.file(buffers.Path(m.path)))
}

// change is what is shown to be decided of the file as a whole.
func (m *markScene) change() string {
	for _, r := range m.c.Reviews(m.uri, "") {
		if r.File != nil {
			return r.File.Op + " " + r.File.Mode
		}
	}
	return ""
}

func (m *markScene) wants(what, disk, change string) {
	m.t.Helper()
	if got := readFile(m.t, m.path); got != disk {
		m.t.Errorf("%s: the disk has %q, want %q", what, got, disk)
	}
	if got := m.change(); got != change {
		m.t.Errorf("%s: %q, want %q", what, got, change)
	}
	if strings.Contains(m.e.text(m.uri), byteOrderMark) {
		m.t.Errorf("%s: the document has %q", what, m.e.text(m.uri))
	}
}

// Beside an open document it is a change of the file: rejecting that, or all, gives back every
// byte, and what was rejected comes back. What the editor saves after that has the mark that
// there is.
func TestByteOrderMarkUnderADocument(t *testing.T) {
	t.Parallel()
	for _, had := range []string{"", byteOrderMark} {
		for _, row := range []string{"", "1\n", "5\n"} {
			for _, caps := range [][]string{{"reload", "save"}, {}} {
				t.Run(fmt.Sprintf("had %q, %q, %q", had, row, caps), func(t *testing.T) {
					m := newMarkScene(t, had, caps...)
					m.open()
					has, change := byteOrderMark, "modify +bom"
					if had != "" {
						has, change = "", "modify -bom"
					}
					rows := ten
					if row != "" {
						rows = strings.Replace(ten, row, row+"AGENT\n", 1)
					}
					for range 2 { // in the second turn there is nothing new
						diskTurn(t, m.c, m.l, m.path, func(string) string { return has + rows })
						m.wants("changed", has+rows, change)
					}
					decide := func(what string, f func() (Decision, error)) {
						t.Helper()
						if d, err := f(); err != nil || len(d.Refused) > 0 || len(d.Decided) == 0 {
							t.Errorf("%s: %+v, %v", what, d, err)
						}
					}
					decide("reject", func() (Decision, error) { return m.c.Reject(t.Context(), Decide{}) })
					after := ten
					if len(caps) == 0 {
						after = rows // the document is unsaved
					}
					m.wants("rejected", had+after, "")
					if got := m.e.text(m.uri); got != ten {
						t.Errorf("rejected, the text is %q", got)
					}
					if len(caps) == 0 {
						return
					}
					m.save()
					m.wants("saved", had+ten, "")
					decide("restore", func() (Decision, error) { return m.c.Restore(t.Context(), Decide{}) })
					m.wants("brought back", has+rows, change)
					decide("accept", func() (Decision, error) { return m.c.Accept(t.Context(), Decide{}) })
					m.wants("accepted", has+rows, "")
					diskTurn(t, m.c, m.l, m.path, func(s string) string { return s })
					m.wants("after that", has+rows, "")
				})
			}
		}
	}
}

// Under unsaved text the file is not touched: that is said, and done when it is saved.
func TestByteOrderMarkUnderUnsavedText(t *testing.T) {
	t.Parallel()
	for _, had := range []string{"", byteOrderMark} {
		m := newMarkScene(t, had, "reload", "save")
		m.open()
		m.e.replace(m.uri, "2\n", "2 USER\n")
		has, change := byteOrderMark, "modify +bom"
		if had != "" {
			has, change = "", "modify -bom"
		}
		diskTurn(t, m.c, m.l, m.path, func(string) string { return has + ten })
		m.wants("changed", has+ten, change)
		d, err := m.c.Reject(t.Context(), Decide{})
		if err != nil || len(d.Refused) != 1 || !strings.Contains(d.Refused[0].Reason, "unsaved") {
			t.Errorf("%+v, %v", d, err)
		}
		m.wants("refused", has+ten, change)
		m.save() // the editor has not read the file since, and writes the mark it knows
		m.wants("saved", had+strings.Replace(ten, "2\n", "2 USER\n", 1), "")
	}
}

// What the agent puts back itself is no change, nor is what the user does.
func TestByteOrderMarkPutBack(t *testing.T) {
	t.Parallel()
	m := newMarkScene(t, "", "reload")
	m.open()
	steps(t, m.c, m.l,
		func() { writeFile(t, m.path, byteOrderMark+ten) },
		func() { m.wants("changed", byteOrderMark+ten, "modify +bom"); writeFile(t, m.path, ten) })
	m.wants("put back", ten, "")
	steps(t, m.c, m.l, func() { m.mark = byteOrderMark; m.save() })
	m.wants("the user's", byteOrderMark+ten, "")
}

// A file that is closed, and one that is opened, goes on with what is undecided.
func TestByteOrderMarkOpenedAndClosed(t *testing.T) {
	t.Parallel()
	for _, had := range []string{"", byteOrderMark} {
		for _, row := range []string{"", "1\n", "5\n"} {
			for _, how := range []string{"closed", "opened", "opened and closed"} {
				t.Run(fmt.Sprintf("had %q, %q, %s", had, row, how), func(t *testing.T) {
					m := newMarkScene(t, had, "reload", "save")
					has := map[string]string{"": byteOrderMark, byteOrderMark: ""}[had]
					rows := ten
					if row != "" {
						rows = strings.Replace(ten, row, row+"AGENT\n", 1)
					}
					if how == "closed" {
						m.open()
					}
					diskTurn(t, m.c, m.l, m.path, func(string) string { return has + rows })
					if how != "closed" {
						m.open()
					}
					f := m.c.file(buffers.Path(m.path))
					if how != "opened" {
						m.e.close(m.uri)
						if err := f.lockOps(t.Context()); err != nil {
							t.Fatal(err)
						}
						f.unlockOps()
					}
					if d, err := m.c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) > 0 || len(d.Decided) == 0 {
						t.Errorf("%+v, %v", d, err)
					}
					if got := readFile(t, m.path); got != had+ten {
						t.Errorf("rejected %q", got)
					}
					if rs := m.c.Reviews("", ""); len(rs) > 0 {
						t.Errorf("left %+v", rs)
					}
				})
			}
		}
	}
}

// It outlives the process.
func TestByteOrderMarkSurvives(t *testing.T) {
	t.Parallel()
	for _, had := range []string{"", byteOrderMark} {
		for _, open := range []bool{true, false} {
			w := newEarth(t)
			w.start()
			writeFile(t, w.path("a"), had+ten)
			w.e.open(w.uri("a"), ten)
			awaitLook(t, w.c.file(buffers.Path(w.path("a"))))
			has := map[string]string{"": byteOrderMark, byteOrderMark: ""}[had]
			turnOf(t, w.c, w.l, func(Host, string) { writeFile(t, w.path("a"), has+ten) })
			for range 2 {
				w.wantHunks("a", "modify")
				w.crash()
				if open {
					w.e.open(w.uri("a"), ten)
					awaitLook(t, w.c.file(buffers.Path(w.path("a"))))
				}
			}
			if d, err := w.c.Reject(t.Context(), Decide{}); err != nil || len(d.Refused) != 0 || len(d.Decided) == 0 {
				t.Errorf("%+v, %v", d, err)
			}
			if got := readFile(t, w.path("a")); got != had+ten {
				t.Errorf("rejected %q", got)
			}
			w.close()
		}
	}
}

// A commit by the user accepts it, if it is in there.
func TestByteOrderMarkIsCommitted(t *testing.T) {
	t.Parallel()
	for _, staged := range []string{byteOrderMark + ten, ten + "more\n"} {
		m := newMarkScene(t, "", "reload")
		root := filepath.Dir(m.path)
		gitInit(t, root)
		m.open()
		diskTurn(t, m.c, m.l, m.path, func(string) string { return byteOrderMark + ten })
		m.wants("changed", byteOrderMark+ten, "modify +bom")
		writeFile(t, m.path, staged)
		gitIn(t, root, "add", "a.txt")
		gitIn(t, root, "-c", "user.name=t", "-c", "user.email=t@t", "commit", "-q", "-m", "x")
		writeFile(t, m.path, byteOrderMark+ten)
		m.c.lookAtGit(t.Context())
		want := "modify +bom"
		if strings.HasPrefix(staged, byteOrderMark) {
			want = ""
		}
		m.wants("committed", byteOrderMark+ten, want)
	}
}
