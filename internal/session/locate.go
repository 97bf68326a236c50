package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
)

// scene is a file as claims about it are to be understood.
type scene struct {
	live   string   // what the user has
	exists bool     // on disk or in an editor
	others []string // what the agent may have seen instead, the likeliest first
	// base is the text that the agent is most likely to have made content from.
	base func(content string) string
}

// Why a claim cannot be shown in its place.
var (
	errNotThere  = errors.New("the text to be replaced is not there")
	errNoFile    = errors.New("there is no such file")
	errNotEmpty  = errors.New("the file is not empty, as the agent believes")
	errOverlap   = errors.New("its parts overlap")
	errContested = errors.New("you have changed the same place")
)

type ambiguousError int

func (n ambiguousError) Error() string {
	return fmt.Sprintf("the text to be replaced occurs %d times, and which one is meant is not said", int(n))
}

// locate returns the text that a file would have if what an agent says of it came
// true: a fragment is found exactly once, or it is not known what is meant. What
// the user has and the agent has not seen stays.
func (w scene) locate(ways [][]claim) (string, error) {
	var first error
	for _, claims := range ways {
		want, err := w.apply(claims)
		if err == nil || errors.Is(err, errContested) {
			return want, err
		}
		if first == nil {
			first = err
		}
	}
	return "", first
}

func (w scene) apply(claims []claim) (string, error) {
	if len(claims) == 1 && claims[0].old == nil && claims[0].rows == nil {
		if !w.exists || w.live == "" {
			return claims[0].new, nil
		}
		return w.merge(w.base(claims[0].new), claims[0].new)
	}
	var first error
	for _, seen := range append([]string{w.live}, w.others...) {
		content, err := resultOf(seen, claims)
		if err == nil {
			return w.merge(seen, content)
		}
		if first == nil || errors.Is(first, errNotThere) {
			first = err
		}
	}
	if !w.exists && errors.Is(first, errNotThere) {
		first = errNoFile
	}
	return "", first
}

// merge joins what the agent has made of a text it may have seen with what the
// user has.
func (w scene) merge(seen, content string) (string, error) {
	m := merge.TextsWith(seen, w.live, content, merge.Options{WhitespaceYields: true})
	if len(m.Conflicts) > 0 {
		return "", errContested
	}
	return m.Text, nil
}

// resultOf is what claims make of a text.
func resultOf(seen string, claims []claim) (string, error) {
	if len(claims) == 1 && claims[0].old != nil && sameBesidesEnds(seen, *claims[0].old) { // the whole file
		if seen == *claims[0].old {
			return claims[0].new, nil
		}
		return buffers.KeepStyle(seen, claims[0].new), nil
	}
	if slices.ContainsFunc(claims, func(c claim) bool { return c.rows != nil }) {
		if len(claims) > 1 {
			return "", errOverlap
		}
		return patched(seen, claims[0].rows)
	}
	var spans []span
	for i, c := range claims {
		found, err := c.find(seen)
		if err != nil {
			if i == 0 {
				return "", err
			}
			return inTurn(seen, claims) // it may replace what another one puts in
		}
		spans = append(spans, found...)
	}
	slices.SortStableFunc(spans, func(a, b span) int { return a.start - b.start })
	var out strings.Builder
	at := 0
	for _, s := range spans {
		if s.start < at {
			return inTurn(seen, claims)
		}
		out.WriteString(seen[at:s.start])
		out.WriteString(s.new)
		at = s.end
	}
	out.WriteString(seen[at:])
	return out.String(), nil
}

// inTurn makes claims one after the other, each of what the one before has left.
func inTurn(seen string, claims []claim) (string, error) {
	for i, c := range claims {
		found, err := c.find(seen)
		if err != nil {
			if i > 0 && errors.Is(err, errNotThere) {
				err = errOverlap
			}
			return "", err
		}
		for _, s := range slices.Backward(found) {
			seen = seen[:s.start] + s.new + seen[s.end:]
		}
	}
	return seen, nil
}

// sameBesidesEnds compares texts without their line ends and byte order mark.
func sameBesidesEnds(a, b string) bool {
	plain := func(s string) string { return lf(strings.TrimPrefix(s, "\uFEFF")) }
	return a == b || plain(a) == plain(b)
}

func lf(s string) string { return strings.ReplaceAll(s, "\r\n", "\n") }

// find returns where a claim is in s: in one place, or wherever it occurs if
// that is meant.
func (c claim) find(s string) ([]span, error) {
	if c.old == nil {
		return nil, errOverlap // the whole of the file, among others
	}
	old, new := *c.old, c.new
	if old == "" {
		if s == "" {
			return []span{{new: new}}, nil
		}
		return nil, errNotEmpty
	}
	found := occurrences(s, old)
	if len(found) == 0 {
		if turn := crlf; strings.Contains(s, "\r\n") || strings.Contains(old, "\r\n") {
			if !strings.Contains(s, "\r\n") {
				turn = lf
			}
			old, new = turn(old), turn(new)
			found = occurrences(s, old)
		}
	}
	if rows := strings.TrimRight(old, "\r\n"); len(found) == 0 && rows != old && rows != "" && strings.HasSuffix(s, rows) {
		// The last row of the text has no line end, and agents give rows theirs.
		at := len(s) - len(rows)
		if at == 0 || s[at-1] == '\n' {
			return []span{{start: at, end: len(s), new: strings.TrimRight(new, "\r\n")}}, nil
		}
	}
	if len(found) > 1 && !c.all && strings.HasSuffix(old, "\n") {
		// Whole rows are meant to be whole.
		whole := slices.DeleteFunc(slices.Clone(found), func(at int) bool { return at > 0 && s[at-1] != '\n' })
		if len(whole) == 1 {
			found = whole
		}
	}
	switch {
	case len(found) == 0:
		return nil, errNotThere
	case len(found) > 1 && !c.all:
		return nil, ambiguousError(len(found))
	}
	var out []span
	for _, at := range found {
		out = append(out, span{start: at, end: at + len(old), new: new})
	}
	return out, nil
}

// patched applies the hunks of a patch: where they say, or else where their old
// rows are found once. Copilot counts what is behind the last line end as a row.
func patched(seen string, hunks []patchHunk) (string, error) {
	rows := linediff.Split(seen)
	if rows[len(rows)-1] != "" {
		return patchedRows(seen, rows, hunks)
	}
	s, err := patchedRows(seen, rows[:len(rows)-1], hunks)
	if errors.Is(err, errNotThere) && seen != "" {
		if s, err = patchedRows(seen, rows, hunks); err == nil {
			s = strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r")
		}
	}
	return s, err
}

func patchedRows(seen string, rows []string, hunks []patchHunk) (string, error) {
	is := func(at int, want []string) bool {
		return at >= 0 && at+len(want) <= len(rows) && slices.Equal(rows[at:at+len(want)], want)
	}
	exact := !slices.ContainsFunc(hunks, func(h patchHunk) bool { return !is(h.at, h.old) })
	var out []string
	done := 0
	for _, h := range hunks {
		at := h.at
		if !exact {
			var found []int
			for i := 0; i+len(h.old) <= len(rows) && len(h.old) > 0; i++ {
				if is(i, h.old) {
					found = append(found, i)
				}
			}
			switch {
			case len(found) == 0:
				return "", errNotThere
			case len(found) > 1:
				return "", ambiguousError(len(found))
			}
			at = found[0]
		}
		if at < done {
			return "", errOverlap
		}
		out = append(append(out, rows[done:at]...), h.new...)
		done = at + len(h.old)
	}
	out = append(out, rows[done:]...)
	if len(out) == 0 {
		return "", nil
	}
	return buffers.KeepStyle(seen, strings.Join(out, "\n")+"\n"), nil
}

// shownInPlace is how large a file may be, in bytes, for a change of it to be
// shown before it is made.
const shownInPlace = 4 << 20

// sceneOf is a file as the session's agent may know it; live is the text that is
// tracked.
func (s *session) sceneOf(p buffers.Path, disk buffers.Disk, live string, open bool) scene {
	w := scene{live: live, exists: disk.Exists || open}
	add := func(t string) {
		if t != w.live && !slices.Contains(w.others, t) {
			w.others = append(w.others, t)
		}
	}
	if disk.Exists {
		add(disk.Content)
	}
	for _, t := range s.ledger.texts(p) {
		add(t.String())
	}
	w.base = func(content string) string { return s.ledger.base(p, content, text.New(disk.Content)).String() }
	return w
}
