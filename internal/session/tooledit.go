package session

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/text"
)

// BufferEdit is one replacement, in one of two ways. With Old, that text is
// replaced: it must occur once, or begin on line First, or All of it is meant.
// Without, the lines First to Last (1-based, both included) are replaced; Last
// one before First inserts in front of First.
type BufferEdit struct {
	Old, New    string
	ByText      bool // Old is given
	All         bool
	First, Last int
}

// Edited is what became of an edit.
type Edited struct {
	Path    string
	Version string // of the text there is now
	Changed bool   // false: the text was like that already
	// Lines are where the edit is in the text there is now, 1-based and both
	// included; Last before First: something is gone in front of First.
	Lines [][2]int
	// Merged are lines that the user had changed since that version, and that
	// are still as the user wants them.
	Merged  [][2]int
	OnDisk  bool  // no editor has the file open
	SaveErr error // why the document is not saved; nil if it is
	Total   int   // lines of the whole text

	// Waiting: the user has not decided on it yet; nothing else is known but Path, as it
	// was named.
	Waiting bool
}

// errSame says that an edit would change nothing.
var errSame = errors.New("nothing to change")

// Edit makes edits, all or none, by the road of fs/write_text_file. They are
// meant for the version of that name, which Read or Edit has given; without one
// for the text there is now, and then not by line numbers. If the user takes long to
// decide on it, it is Waiting, and Late tells what has become of it.
func (t *Tools) Edit(ctx context.Context, path, version string, edits []BufferEdit) (Edited, error) {
	key := fmt.Sprintf("%q %q %q", path, version, fmt.Sprintf("%+v", edits))
	return t.patiently(ctx, key, path, func(ctx context.Context) (Edited, error) { return t.edit(ctx, path, version, edits) })
}

func (t *Tools) edit(ctx context.Context, path, version string, edits []BufferEdit) (Edited, error) {
	if err := t.usable(); err != nil {
		return Edited{}, err
	}
	if len(edits) == 0 {
		return Edited{}, Errorf(KindInvalid, "there is no edit in edits")
	}
	path = t.absolute(path)
	if _, d, ok := t.documentNamed(path); ok && d.Path() == "" {
		return Edited{}, Errorf(KindInvalid, "%s is no file yet; the user has to save it first", path)
	}
	var same text.Text
	apply := func(x text.Text) (string, error) {
		content, err := applyEdits(x, edits)
		if err != nil {
			return "", Errorf(KindInvalid, "nothing was written to %s: %w", path, err)
		}
		if content == x.String() {
			same = x
			return "", errSame
		}
		return content, nil
	}
	n := t.begin()
	defer t.settled(n)
	w, err := t.s.write(ctx, path, func(p buffers.Path, _ buffers.Disk) (proposal, error) {
		o := t.origin(n)
		if version == "" {
			return proposal{edit: apply, origin: o}, t.onlyByText(p, edits)
		}
		base, ok := t.version(p, version)
		if !ok {
			return proposal{}, Errorf(KindStale, "version %s of %s is not known (or too old): call read_buffer and make the edit for the version it returns; nothing was written", version, path)
		}
		content, err := apply(base)
		return proposal{base: base.String(), content: content, origin: o}, err
	})
	if errors.Is(err, errSame) {
		return Edited{Path: string(w.path), Version: t.keep(w.path, same), Total: lineCount(same)}, nil
	}
	if err != nil {
		return Edited{}, err
	}
	t.made(n, w.path, w.proposal.origin)
	e := Edited{
		Path: string(w.path), Version: t.keep(w.path, w.after), Changed: w.out.changed, Total: lineCount(w.after),
		OnDisk: w.out.onDisk, SaveErr: w.saveErr,
	}
	rows := func(x text.Text) []string { return x.Lines(0, lineCount(x)) }
	base, before, after := rows(text.New(w.proposal.base)), rows(w.before), rows(w.after)
	made := linediff.Diff(before, after)
	for _, d := range made {
		e.Lines = append(e.Lines, [2]int{d.B0 + 1, d.B1})
	}
	for _, d := range linediff.Diff(base, before) {
		shift := 0
		for _, m := range made {
			if m.A1 <= d.B0 {
				shift += (m.B1 - m.B0) - (m.A1 - m.A0)
			}
		}
		e.Merged = append(e.Merged, [2]int{d.B0 + shift + 1, d.B1 + shift})
	}
	return e, nil
}

// onlyByText refuses line numbers of which nobody can know what they mean.
func (t *Tools) onlyByText(p buffers.Path, edits []BufferEdit) error {
	if !slices.ContainsFunc(edits, func(e BufferEdit) bool { return !e.ByText }) {
		return nil
	}
	if x, err := t.s.core.readText(p); isMissing(err) || err == nil && x.Len() == 0 {
		return nil
	}
	return Errorf(KindInvalid, "line numbers mean nothing without the version they are for: give the version that read_buffer returned, or oldText instead of lines; nothing was written")
}

// span is a replacement of bytes [start, end) of a text; n is the edit's number
// in the agent's list, from 1.
type span struct {
	start, end int
	new        string
	n          int
}

// applyEdits makes edits of one text, all of which refer to it as it is.
func applyEdits(base text.Text, edits []BufferEdit) (string, error) {
	var spans []span
	s := base.String()
	for i, e := range edits {
		var err error
		if e.ByText {
			spans, err = locate(spans, base, s, e)
		} else {
			spans, err = lines(spans, base, e)
		}
		if err != nil {
			if len(edits) > 1 {
				err = fmt.Errorf("edit %d: %w", i+1, err)
			}
			return "", err
		}
		for j := range spans {
			if spans[j].n == 0 {
				spans[j].n = i + 1
			}
		}
	}
	slices.SortStableFunc(spans, func(a, b span) int {
		if a.start != b.start {
			return a.start - b.start
		}
		return a.end - b.end
	})
	var out strings.Builder
	at := 0
	for i, sp := range spans {
		if sp.start < at {
			return "", fmt.Errorf("edits %d and %d overlap; join them into one", spans[i-1].n, sp.n)
		}
		out.WriteString(s[at:sp.start])
		out.WriteString(sp.new)
		at = sp.end
	}
	out.WriteString(s[at:])
	return out.String(), nil
}

// lines finds an edit by line numbers.
func lines(spans []span, base text.Text, e BufferEdit) ([]span, error) {
	total := lineCount(base)
	if e.First < 1 || e.Last < e.First-1 || e.First > total+1 || e.Last > total {
		return spans, fmt.Errorf("lines %d to %d are not in the text, which has %d (1-based, both included; endLine one less than startLine inserts)", e.First, e.Last, total)
	}
	at := func(line int) int { // where the 1-based line begins
		if line > total {
			return base.Len()
		}
		return base.LineStart(line - 1)
	}
	sp := span{start: at(e.First), end: at(e.Last + 1), new: e.New}
	terminated := base.Len() == 0 || base.LineStart(base.LineCount()-1) == base.Len()
	whole := strings.HasSuffix(sp.new, "\n") || strings.HasSuffix(sp.new, "\r")
	switch {
	case sp.new == "":
	case sp.start == base.Len() && !terminated: // below a last line that does not end
		sp.new = "\n" + strings.TrimSuffix(strings.TrimSuffix(sp.new, "\n"), "\r")
	case sp.end == base.Len() && !terminated:
		sp.new = strings.TrimSuffix(strings.TrimSuffix(sp.new, "\n"), "\r")
	case !whole && base.Len() > 0:
		sp.new += "\n"
	}
	return append(spans, sp), nil
}

// locate finds an edit by the text that is to be replaced.
func locate(spans []span, base text.Text, s string, e BufferEdit) ([]span, error) {
	old, new := e.Old, e.New
	if old == "" {
		if s == "" {
			return append(spans, span{new: new}), nil
		}
		return spans, errors.New("oldText is empty: to insert, give startLine and endLine = startLine-1, with the version; to replace all, give all lines")
	}
	found := occurrences(s, old)
	if len(found) == 0 && strings.Contains(s, "\r\n") {
		old, new = crlf(old), crlf(new)
		found = occurrences(s, old)
	}
	line := func(at int) int { return base.LineOf(at) + 1 }
	switch {
	case len(found) == 0:
		if n := loosely(base, old); n > 0 {
			return spans, fmt.Errorf("oldText does not occur; something that differs in white space only is at line %d: read it with read_buffer and copy it exactly", n)
		}
		return spans, errors.New("oldText does not occur: read the text with read_buffer and copy it exactly, without line numbers")
	case e.First > 0 && !e.All:
		i := slices.IndexFunc(found, func(at int) bool { return line(at) == e.First })
		if i < 0 {
			return spans, fmt.Errorf("oldText does not begin on line %d; it is at %s", e.First, atLines(found, line))
		}
		found = found[i : i+1]
	case len(found) > 1 && !e.All:
		return spans, fmt.Errorf("oldText is ambiguous: it occurs %d times, at %s. Add lines around it, or give the startLine that is meant, or replaceAll", len(found), atLines(found, line))
	}
	for _, at := range found {
		spans = append(spans, span{start: at, end: at + len(old), new: new})
	}
	return spans, nil
}

// occurrences are where old is in s; they do not overlap.
func occurrences(s, old string) []int {
	var found []int
	for at := 0; ; {
		i := strings.Index(s[at:], old)
		if i < 0 {
			return found
		}
		found = append(found, at+i)
		at += i + len(old)
	}
}

func crlf(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\n", "\r\n")
}

const maxNamed = 20 // lines that a message names

func atLines(found []int, line func(int) int) string {
	var names []string
	for _, at := range found[:min(len(found), maxNamed)] {
		names = append(names, fmt.Sprint(line(at)))
	}
	if len(found) > maxNamed {
		names = append(names, "...")
	}
	if len(names) == 1 {
		return "line " + names[0]
	}
	return "lines " + strings.Join(names, ", ")
}

// loosely is the 1-based line where old begins if white space does not count, or
// 0.
func loosely(base text.Text, old string) int {
	squeeze := func(s string) string { return strings.Join(strings.Fields(s), " ") }
	var want []string
	for l := range strings.Lines(old) {
		if l = squeeze(l); l != "" {
			want = append(want, l)
		}
	}
	if len(want) == 0 {
		return 0
	}
	var have []string
	var at []int
	for i, l := range base.Lines(0, base.LineCount()) {
		if l = squeeze(l); l != "" {
			have, at = append(have, l), append(at, i+1)
		}
	}
	for i := range have {
		if len(have)-i < len(want) {
			break
		}
		if slices.Equal(have[i:i+len(want)], want) {
			return at[i]
		}
	}
	return 0
}
