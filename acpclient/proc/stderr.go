package proc

import (
	"bytes"
	"strings"
	"sync"
	"unicode/utf8"
)

const (
	stderrKept = 64 << 10 // bytes of stderr kept
	stderrLine = 8 << 10  // a longer line is given out in pieces
)

// stderrTail keeps the last of a command's stderr and gives its lines to a
// callback.
type stderrTail struct {
	line func(string)
	part []byte // the line that is not finished; owned by the writing goroutine

	mu   sync.Mutex
	kept []byte // at most 2*stderrKept; the tail counts
	lost bool   // something before kept was dropped
}

// write takes the next piece of stderr.
func (s *stderrTail) write(p []byte) {
	s.mu.Lock()
	s.kept = append(s.kept, p...)
	if over := len(s.kept) - stderrKept; over > stderrKept {
		s.kept = append(s.kept[:0], s.kept[over:]...)
		s.lost = true
	}
	s.mu.Unlock()
	if s.line == nil {
		return
	}
	for len(p) > 0 {
		i := bytes.IndexByte(p, '\n')
		if i < 0 {
			s.part = append(s.part, p...)
			p = nil
		} else {
			s.part = append(s.part, p[:i]...)
			p = p[i+1:]
		}
		for len(s.part) > stderrLine {
			cut := stderrLine
			for cut > stderrLine-utf8.UTFMax && !utf8.RuneStart(s.part[cut]) {
				cut--
			}
			s.give(s.part[:cut])
			s.part = append(s.part[:0], s.part[cut:]...)
		}
		if i >= 0 {
			s.give(s.part)
			s.part = s.part[:0]
		}
	}
}

// end gives out a last line without an end.
func (s *stderrTail) end() {
	if len(s.part) > 0 && s.line != nil {
		s.give(s.part)
		s.part = nil
	}
}

func (s *stderrTail) give(line []byte) {
	s.line(strings.ToValidUTF8(strings.TrimSuffix(string(line), "\r"), "\uFFFD"))
}

func (s *stderrTail) tail() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	kept, cut := s.kept, s.lost
	if over := len(kept) - stderrKept; over > 0 {
		kept, cut = kept[over:], true
	}
	if i := bytes.IndexByte(kept, '\n'); cut && i >= 0 {
		kept = kept[i+1:]
	}
	return strings.ToValidUTF8(string(kept), "\uFFFD")
}
