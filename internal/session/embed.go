package session

import (
	"fmt"
	"slices"
	"strings"

	"acp-ls/internal/session/mention"
)

// What goes along with a prompt, in whatever way it is named, is bounded: an agent that
// is given more than its model can take fails with the whole prompt.
const (
	maxEmbed  = 256 << 10 // one text; also all unsaved documents that nobody has named
	maxPrompt = 1 << 20   // all of them
)

// left is what may still go along of something of this size, which is named the first time.
func (r *resolver) left(size int) int {
	used := 0
	for _, n := range r.carried {
		used += n
	}
	return min(size, maxEmbed, maxPrompt-used)
}

// fits says whether the text of a source goes along. If it is too large the source becomes
// a link, of which user and agent are told.
func (r *resolver) fits(src *mention.Source, size int) bool {
	ref := src.Reference()
	if n, again := r.carried[ref]; again && n == size {
		return true
	}
	if r.left(size) < size {
		src.Link, src.Size = true, size
		r.tooLarge(*src)
		return false
	}
	r.carry(ref, size)
	return true
}

// beginning leaves of a text that has no file, and can be read nowhere else, as much as
// goes along, in whole lines where it has any.
func (r *resolver) beginning(src mention.Source) mention.Source {
	ref, size := src.Reference(), len(src.Text)
	if n, again := r.carried[ref]; again && n == size {
		return src
	}
	n := r.left(size)
	if n < size {
		src.Text = strings.ToValidUTF8(src.Text[:max(n, 0)], "")
		if i := strings.LastIndexByte(src.Text, '\n'); i >= 0 {
			src.Text = src.Text[:i+1]
		}
		src.Size = size
		r.tooLarge(src)
	}
	r.carry(ref, len(src.Text))
	return src
}

func (r *resolver) carry(ref string, size int) {
	if r.carried == nil {
		r.carried = map[string]int{}
	}
	r.carried[ref] = size
}

func (r *resolver) tooLarge(src mention.Source) {
	if !slices.ContainsFunc(r.large, func(o mention.Source) bool { return o.Reference() == src.Reference() }) {
		r.large = append(r.large, src)
	}
}

// largeNote tells the agent what it has to read by itself, and the user that it has to.
func (r *resolver) largeNote(turn string) string {
	var lines []string
	for _, src := range r.large {
		if r.unasked[src.URI] && !r.s.first("large "+src.URI) { // it would be said with every prompt
			continue // the note on unsaved files names it
		}
		what := fmt.Sprintf("%s (%s)", src.Name, kib(src.Size))
		if !src.Link {
			r.s.notice(turn, EntryNotice, fmt.Sprintf("%s is too large to go along with a prompt: the agent is given its first %s", what, kib(len(src.Text))))
			lines = append(lines, fmt.Sprintf("%s is too large to be given here whole: it goes on after its first %s.", what, kib(len(src.Text))))
			continue
		}
		r.s.notice(turn, EntryNotice, fmt.Sprintf(
			"%s is too large to go along with a prompt (%s each, %s in all): the agent is told where it is, and can read it by parts", what, kib(maxEmbed), kib(maxPrompt)))
		lines = append(lines, fmt.Sprintf("%s is too large to be given here, and only named: read it by parts, with the client's file reading if you can, which also has what is not saved.", what))
	}
	return strings.Join(lines, "\n")
}

// first says whether it is the first time in this session.
func (s *session) first(what string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.noted == nil {
		s.noted = map[string]bool{}
	}
	was := s.noted[what]
	s.noted[what] = true
	return !was
}

func kib(n int) string { return fmt.Sprintf("%d KiB", (n+1023)>>10) }
