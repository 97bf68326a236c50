package session

import (
	"fmt"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/session/mention"
)

// An agent that is not told what became of its changes believes they are all
// there. So the next prompt carries what was rejected, and what the user changed
// since the agent last saw a file; nothing when there is nothing.

// rejectedHunk is a hunk whose rejection its session has not been told of.
type rejectedHunk struct {
	path    buffers.Path
	hunk    review.Hunk
	applied bool // not rejected: of a change that was refused, a part that was made all the same
}

// maxTold bounds what a prompt tells of changes, in bytes. Beyond it files are
// only named, with how much of what was rejected in them.
const maxTold = 32 << 10

// noteRejected keeps rejected hunks for the sessions whose they were.
func (c *Core) noteRejected(p buffers.Path, hunks []review.Hunk) {
	for _, h := range hunks {
		told := map[string]bool{}
		for _, o := range h.Origins {
			if o.Session == "" || told[o.Session] {
				continue
			}
			told[o.Session] = true
			if s, err := c.findSession(o.Session); err == nil {
				s.mu.Lock()
				s.untold = append(s.untold, rejectedHunk{path: p, hunk: h})
				s.mu.Unlock()
			}
		}
	}
}

// noteRestored takes back what was noted of hunks that are pending again.
func (c *Core) noteRestored(p buffers.Path, ids []string) {
	for _, s := range c.allSessions() {
		s.mu.Lock()
		again := func(r rejectedHunk) bool { return r.path == p && slices.Contains(ids, r.hunk.ID) }
		s.untold = slices.DeleteFunc(s.untold, again)
		if s.telling != nil {
			s.telling.rejected = slices.DeleteFunc(s.telling.rejected, again)
		}
		s.mu.Unlock()
	}
}

// news is what the session's agent should know of its files before it goes on.
func (s *session) news() (mention.Source, bool) {
	if !s.core.settings().Review.Tell {
		return mention.Source{}, false
	}
	s.mu.Lock()
	rejected, words := s.untold, s.words
	s.untold, s.words = nil, nil
	if s.telling != nil {
		s.telling.rejected, s.telling.words = slices.Clone(rejected), words
	}
	s.mu.Unlock()
	paths := s.ledger.paths()
	for _, r := range rejected {
		if !slices.Contains(paths, r.path) {
			paths = append(paths, r.path)
		}
	}
	slices.Sort(paths)
	var b strings.Builder
	b.WriteString(s.tools.lateNews())
	for _, w := range words {
		b.WriteString(w + "\n\n")
	}
	for _, p := range paths {
		changes := slices.DeleteFunc(slices.Clone(rejected), func(r rejectedHunk) bool { return r.path != p })
		part := s.newsOf(p, changes)
		if part == "" {
			continue
		}
		if b.Len()+len(part) > maxTold {
			part = newsInShort(p, changes)
		}
		b.WriteString(part)
	}
	if b.Len() == 0 {
		return mention.Source{}, false
	}
	return mention.Source{
		URI: "acp-ls:changes", Name: "what has changed since you last saw these files",
		Text: "# What has become of your changes, and what the user changed since you last saw these files\n\n" + b.String(),
	}, true
}

// newsOf is the part of one file. From then on the agent is taken to know the
// text as it is.
func (s *session) newsOf(p buffers.Path, rejected []rejectedHunk) string {
	now, err := s.core.readText(p)
	var b strings.Builder
	seen, known := s.ledger.latest(p)
	tells := s.tells(p)
	if !tells {
		b.WriteString(namedOnly(rejected))
	}
	var swaps []swap
	for _, r := range rejected {
		what, from, to := "The user rejected this change of yours", r.hunk.Text, r.hunk.BaseText
		if r.applied {
			what, from, to = "You were not allowed all that you asked for, but the user applied this part of it, which is in the file now", to, from
		}
		if tells {
			fmt.Fprintf(&b, "%s:\n\n```diff\n%s```\n\n", what,
				linediff.Unified("", linediff.Split(r.hunk.BaseText), linediff.Split(r.hunk.Text), 0))
		}
		swaps = append(swaps, swap{from, to})
	}
	if known { // what is left is what the user did
		seen = swapped(seen, swaps)
	}
	switch {
	case isMissing(err) && known && seen.Len() > 0:
		b.WriteString("The file is gone.\n\n")
	case err == nil && known && !tells:
		// Also where it has become that by what was rejected: what is said of that is not to be said again as the user's.
		if news := s.ledger.tell(p, now); news && buffers.NormHashText(seen) != buffers.NormHashText(now) {
			b.WriteString("The user changed it.\n\n")
		}
	case err == nil && known && buffers.NormHashText(seen) != buffers.NormHashText(now):
		fmt.Fprintf(&b, "The user changed it:\n\n```diff\n%s```\n\n",
			linediff.Unified("", seen.Lines(0, seen.LineCount()), now.Lines(0, now.LineCount()), 2))
	}
	if err == nil && known {
		gone := map[review.ChangeID]bool{}
		for _, r := range rejected {
			for _, o := range r.hunk.Origins {
				gone[o.Change] = true
			}
		}
		s.ledger.forgetWrites(p, func(c review.ChangeID) bool { return gone[c] })
		if tells {
			s.ledger.saw(p, now)
		}
	}
	if b.Len() == 0 {
		return ""
	}
	if !tells {
		b.WriteString("What it holds is not told, as it may be secret; read it if you need that: the user will be asked.\n\n")
	}
	return fmt.Sprintf("## %s\n\n%s", p, b.String())
}

// namedOnly says what has become of changes in a file of which nothing may be told.
func namedOnly(rejected []rejectedHunk) string {
	applied := 0
	for _, r := range rejected {
		if r.applied {
			applied++
		}
	}
	said := ""
	if n := len(rejected) - applied; n == 1 {
		said += "The user rejected a change of yours.\n\n"
	} else if n > 1 {
		said += fmt.Sprintf("The user rejected %d changes of yours.\n\n", n)
	}
	if applied > 0 {
		said += "You were not allowed all that you asked for, but the user applied a part of it, which is in the file now.\n\n"
	}
	return said
}

// swap is a replacement of whole rows.
type swap struct{ from, to string }

// swapped makes those replacements in a text for which there is one place.
func swapped(t text.Text, swaps []swap) text.Text {
	if len(swaps) == 0 {
		return t
	}
	rows := rowsWithEnds(t)
	at := map[string][]int{} // the rows, without their ends
	for i, row := range rows {
		body := strings.TrimRight(row, "\r\n")
		at[body] = append(at[body], i)
	}
	ends := map[int]int{} // of places to replace, by their first row
	becomes := map[int]string{}
	taken := make([]bool, len(rows))
	for _, sw := range swaps {
		want := rowsOf(sw.from)
		if sw.from == "" {
			continue
		}
		rare := 0 // the row by which the place is found
		for k := range want {
			if len(at[want[k]]) < len(at[want[rare]]) {
				rare = k
			}
		}
		found := -1
		for _, i := range at[want[rare]] {
			if first := i - rare; first >= 0 && first+len(want) <= len(rows) && !taken[first] && sameRows(rows[first:first+len(want)], want) {
				if found >= 0 {
					found = -1
					break
				}
				found = first
			}
		}
		if found < 0 {
			continue
		}
		ends[found], becomes[found] = found+len(want), sw.to
		if last := rows[found+len(want)-1]; sw.to != "" && !strings.HasSuffix(sw.to, "\n") && !strings.HasSuffix(sw.to, "\r") {
			becomes[found] += last[len(strings.TrimRight(last, "\r\n")):]
		}
		for i := range want {
			taken[found+i] = true
		}
	}
	var b strings.Builder
	for i := 0; i < len(rows); {
		if end, ok := ends[i]; ok {
			b.WriteString(becomes[i])
			i = end
			continue
		}
		b.WriteString(rows[i])
		i++
	}
	return text.New(b.String())
}

// sameRows compares rows with their ends with rows without.
func sameRows(rows, bodies []string) bool {
	return slices.EqualFunc(rows, bodies, func(a, b string) bool { return strings.TrimRight(a, "\r\n") == b })
}

// paths are the files the session can have seen anything of.
func (l *ledger) paths() []buffers.Path {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []buffers.Path
	for p, list := range l.seen {
		if len(list) > 0 {
			out = append(out, p)
		}
	}
	return out
}

// latest is the text of a file that the session saw last.
func (l *ledger) latest(p buffers.Path) (text.Text, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := l.seen[p]
	if len(list) == 0 {
		return text.Text{}, false
	}
	return list[len(list)-1].text, true
}
