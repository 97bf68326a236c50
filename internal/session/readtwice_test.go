package session

import (
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"acp-ls/buffers"
)

// readsTwice is a file that is written more than once, and read anew by its editor each time. A look
// at the disk is held until it is let go.
type readsTwice struct {
	t         *testing.T
	c         *Core
	e         *fakeEditor
	path, uri string
	disk      []string // what was written and not told of

	mu    sync.Mutex
	looks sync.Cond
	begun int
	held  bool
}

func (s *readsTwice) read(p buffers.Path) (buffers.Disk, error) {
	s.mu.Lock()
	for s.begun++; s.held; {
		s.looks.Wait()
	}
	s.mu.Unlock()
	return buffers.ReadDisk(p)
}

func (s *readsTwice) hold(held bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.held = held
	s.looks.Broadcast()
}

// look waits until what was told of has been looked at.
func (s *readsTwice) look() {
	s.hold(false)
	if err := s.c.file(buffers.Path(s.path)).findOut(s.t.Context()); err != nil {
		s.t.Error(err)
	}
	s.hold(true)
}

func (s *readsTwice) write(old, new string) {
	s.t.Helper()
	was := readFile(s.t, s.path)
	if !strings.Contains(was, old) {
		s.t.Fatalf("%q is not in %q", old, was)
	}
	now := strings.Replace(was, old, new, 1)
	writeFile(s.t, s.path, now)
	s.disk = append(s.disk, now)
}

// tell tells of the first text that was written and not told of.
func (s *readsTwice) tell() {
	s.e.typeAt(s.uri, 0, len(s.e.text(s.uri)), s.disk[0])
	s.disk = s.disk[1:]
}

// What the editor of a file has read of the disk is whose it is that wrote it, however late anybody
// else looks at the disk, and though that had something else by then.
func TestReadAnewMoreThanOnce(t *testing.T) {
	t.Parallel()
	one := func(s *readsTwice) { s.write("3\n", "3\nONE AGENT\n") }
	two := func(s *readsTwice) { s.write("8\n", "8\nTWO AGENT\n") }
	three := func(s *readsTwice) { s.write("6\n", "SIX AGENT\n") }
	tell, look := (*readsTwice).tell, (*readsTwice).look
	typed := func(s *readsTwice) { s.e.replace(s.uri, "1\n", "1 USER\n") }
	point := func(s *readsTwice) { // which is on its way when the rest is told
		look(s)
		s.c.spawn(func() { s.c.turnPoint(s.c.allSessions()[0], s.c.allSessions()[0].now()) })
	}
	for name, steps := range map[string][]func(*readsTwice){
		"one, told, two, told":                {one, tell, two, tell},
		"one, told, looked, two, told":        {one, tell, look, two, tell},
		"one, told, two, looked, told":        {one, tell, two, look, tell},
		"one, two, told, told":                {one, two, tell, tell},
		"one, two, told, looked, told":        {one, two, tell, look, tell},
		"three, told, told, told":             {one, two, three, tell, tell, tell},
		"three, told, looked, told, told":     {one, two, three, tell, look, tell, tell},
		"three, looked after each":            {one, two, three, tell, look, tell, look, tell},
		"three, the last two at once":         {one, tell, two, three, tell, look, tell},
		"two, told, then the third":           {one, two, tell, three, tell, look, tell},
		"one, two, told, the second's point":  {one, two, tell, point, tell},
		"one, told, typed":                    {one, tell, typed},
		"one, two, told, told, typed":         {one, two, tell, tell, typed},
		"one, two, told, looked, told, typed": {one, two, tell, look, tell, typed},
		"one, two, told, told, looked, typed": {one, two, tell, tell, look, typed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			s := &readsTwice{t: t, c: c, e: e, path: filepath.Join(root, "a.txt"), uri: buffers.PathURI(filepath.Join(root, "a.txt"))}
			s.looks.L = &s.mu
			c.read = s.read
			t.Cleanup(func() { s.hold(false) })
			writeFile(t, s.path, ten)
			e.open(s.uri, ten)
			turnOf(t, c, l, func(Host, string) {
				s.hold(true)
				for _, step := range steps {
					step(s)
				}
				s.hold(false)
			})
			base, err := c.Baseline(s.uri)
			if want := strings.Replace(ten, "1\n", "1 USER\n", 1); err != nil || base != ten && base != want || strings.Contains(e.text(s.uri), "USER") != (base == want) {
				t.Errorf("baseline %q, %v", base, err)
			}
			for _, h := range hunksOf(t, c, s.uri) {
				if !strings.Contains(h.Text, "AGENT") || strings.Contains(h.Text, "USER") {
					t.Errorf("hunk %+v", h)
				}
			}
		})
	}
}

// What the user types while their editor has something of the disk to read is theirs.
func TestTypedNextToWhatIsReadAnew(t *testing.T) {
	t.Parallel()
	agents := func(s *readsTwice) { s.write("8\n", "8\nTWO AGENT\n"); s.disk = nil }
	typed := func(s *readsTwice) { s.e.replace(s.uri, "1\n", "1 USER\n") }
	more := func(s *readsTwice) { s.e.replace(s.uri, "3\n", "3 USER\n") }
	saved := func(s *readsTwice) {
		writeFile(s.t, s.path, s.e.text(s.uri))
		s.e.send(buffers.Save{URI: s.uri})
	}
	// The editor has written what it tells of then.
	writtenFirst := func(s *readsTwice) {
		one := s.e.typeUntold(s.uri, "1\n", "1 USER\n")
		two := s.e.typeUntold(s.uri, "3\n", "3 USER\n")
		writeFile(s.t, s.path, s.e.text(s.uri))
		one()
		two()
		s.e.send(buffers.Save{URI: s.uri})
	}
	back := func(s *readsTwice) {
		s.e.replace(s.uri, "4\n", "4 TYPO\n")
		s.e.replace(s.uri, "4 TYPO\n", "4\n")
	}
	look := (*readsTwice).look
	for name, steps := range map[string][]func(*readsTwice){
		"behind":                        {agents, typed, more},
		"behind, looked":                {agents, typed, look, more},
		"typed, then behind":            {typed, agents, more},
		"typed, looked, behind":         {typed, look, agents, more, look},
		"taken back":                    {back, typed, more},
		"taken back, looked":            {back, look, typed, more, saved},
		"taken back, behind":            {back, agents, look, typed, more},
		"behind, taken back":            {agents, back, look, typed, more},
		"saved":                         {typed, more, saved},
		"saved, looked":                 {typed, look, more, look, saved, look},
		"saved twice":                   {typed, saved, more, saved},
		"saved twice, looked":           {typed, saved, look, more, saved},
		"written before it is told":     {writtenFirst},
		"written before, looked":        {writtenFirst, look},
		"written before, then the disk": {writtenFirst, agents},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := &fakeLauncher{}
			c, e, root := setup(t, l)
			s := &readsTwice{t: t, c: c, e: e, path: filepath.Join(root, "a.txt"), uri: buffers.PathURI(filepath.Join(root, "a.txt"))}
			s.looks.L = &s.mu
			c.read = s.read
			t.Cleanup(func() { s.hold(false) })
			writeFile(t, s.path, ten)
			e.open(s.uri, ten)
			turnOf(t, c, l, func(Host, string) {
				s.hold(true)
				for _, step := range steps {
					step(s)
				}
				s.hold(false)
			})
			want := strings.NewReplacer("1\n", "1 USER\n", "3\n", "3 USER\n").Replace(ten)
			want = strings.Replace(want, "11 USER", "11", 1)
			if base, err := c.Baseline(s.uri); err != nil || base != want {
				t.Errorf("baseline %q, %v", base, err)
			}
			for _, h := range hunksOf(t, c, s.uri) {
				if strings.Contains(h.Text, "USER") {
					t.Errorf("hunk %+v", h)
				}
			}
		})
	}
}
