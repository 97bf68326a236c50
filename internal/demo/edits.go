package demo

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/demo/code"
)

// change is what a request comes to in one text.
type change struct {
	edits []code.Edit
	// did says what the edits do, as "renamed foo to bar (3 places)". notes are
	// what the user should know besides.
	did   string
	notes []string
}

// work works a change out. Its errors are told to the user.
type work func(text string, t target) (change, error)

// stepsOf are the steps of one request.
func (t *turn) stepsOf(r request, targets []target) []step {
	if !r.verb.edits() {
		return []step{{r.describe(), func() error { return t.answer(r, targets) }}}
	}
	w := workOf(r)
	search := (r.verb == rename || r.verb == replace) && !t.prompt.lost(r, t.session.cwd)
	if r.everywhere || len(targets) == 0 && search {
		return []step{{r.describe(), func() error { return t.editFound(r, w) }}}
	}
	if len(targets) == 0 {
		return []step{{r.describe(), func() error {
			return t.sayf("Which file shall I %s in? Point at it with @, as in \"@main.go\", or open it and select the lines.", r.verb.phrase())
		}}}
	}
	var all []step
	for _, file := range targets {
		all = append(all, step{capital(r.verb.phrase()) + " in " + file.title(), func() error { return t.edit(file, r, w) }})
	}
	return all
}

func workOf(r request) work {
	switch r.verb {
	case rename:
		return func(text string, t target) (change, error) { return renameWork(r, text, t) }
	case replace:
		return func(text string, t target) (change, error) {
			edits := code.Within(text, code.Replace(text, r.a, r.b), t.lines)
			return change{edits: edits, did: fmt.Sprintf("replaced %q with %q (%s)", r.a, r.b, places(len(edits)))}, nil
		}
	case sortImports:
		return sortWork
	case addDocs:
		return docWork
	case trim:
		return trimWork
	case insertLine:
		return func(text string, _ target) (change, error) {
			edits, err := code.InsertLine(text, r.line, r.a)
			where := "at the end"
			if r.line > 0 {
				where = fmt.Sprintf("as line %d", r.line)
			}
			return change{edits: edits, did: fmt.Sprintf("inserted `%s` %s", r.a, where)}, err
		}
	case deleteLines:
		return func(text string, _ target) (change, error) {
			edits, err := code.DeleteLines(text, code.Lines{First: r.line, Last: r.until})
			return change{edits: edits, did: fmt.Sprintf("deleted %s", code.Lines{First: r.line, Last: r.until})}, err
		}
	}
	return tidyWork
}

func renameWork(r request, text string, t target) (change, error) {
	l := t.language()
	if err := code.CheckName(l, r.b); err != nil {
		return change{}, fmt.Errorf("it cannot be renamed to that: %w", err)
	}
	if r.a == r.b {
		return change{}, errors.New("the two names are the same")
	}
	found := code.Rename(text, l, r.a, r.b)
	c := change{edits: code.Within(text, found.Edits, t.lines)}
	c.did = fmt.Sprintf("renamed `%s` to `%s` (%s)", r.a, r.b, places(len(c.edits)))
	if found.InStrings > 0 {
		c.notes = append(c.notes, fmt.Sprintf("`%s` also stands in strings (%s); I left those alone.", r.a, places(found.InStrings)))
	}
	if found.Taken > 0 && len(c.edits) > 0 {
		c.notes = append(c.notes, fmt.Sprintf("Careful: `%s` was already there on line %d. I know no scopes, so check that the two are not mixed up.", r.b, found.Taken))
	}
	return c, nil
}

func sortWork(text string, t target) (change, error) {
	edits, err := code.SortImports(text, t.language())
	return change{edits: code.Within(text, edits, t.lines), did: "sorted the imports"}, err
}

func trimWork(text string, t target) (change, error) {
	edits, left := code.Trim(text, t.language())
	edits = code.Within(text, edits, t.lines)
	c := change{edits: edits, did: fmt.Sprintf("removed the blanks at the end of %s", counted(len(edits), "line"))}
	if left > 0 {
		c.notes = append(c.notes, fmt.Sprintf("%s end in blanks that mean something (they are in strings, or are Markdown's line breaks); I left those.", counted(left, "more line")))
	}
	return c, nil
}

func docWork(text string, t target) (change, error) {
	docs, err := code.AddDocs(text, t.language())
	var c change
	var names []string
	for _, d := range docs {
		// A selection that touches the declaration means it.
		if len(code.Within(text, []code.Edit{d.Edit}, t.lines)) > 0 {
			c.edits = append(c.edits, d.Edit)
			names = append(names, "`"+d.Name+"`")
		}
	}
	c.did = "documented " + listed(names, 6)
	if len(names) > 0 {
		c.notes = append(c.notes, "The comments say what the declarations themselves say; what the code is for is yours to add.")
	}
	return c, err
}

// tidyWork does whatever of trimming, sorting and documenting applies.
func tidyWork(text string, t target) (change, error) {
	whole := change{}
	var did []string
	now := text
	for _, w := range []work{trimWork, sortWork, docWork} {
		c, err := w(now, t)
		if err != nil && !errors.Is(err, code.ErrNoImports) && !errors.Is(err, code.ErrNoDocs) {
			whole.notes = append(whole.notes, "Left out: "+err.Error()+".")
			continue
		}
		if len(c.edits) == 0 {
			continue
		}
		after := code.Apply(now, c.edits)
		if !t.lines.Whole() { // the selection grows with what is put into it
			t.lines.Last += strings.Count(after, "\n") - strings.Count(now, "\n")
		}
		now = after
		did = append(did, c.did)
		whole.notes = append(whole.notes, c.notes...)
	}
	if now != text {
		whole.edits = []code.Edit{{Start: 0, End: len(text), New: now}}
	}
	whole.did = strings.Join(did, "; ")
	return whole, nil
}

// edit makes one change of one file, from reading it to telling what was done.
func (t *turn) edit(file target, r request, w work) error {
	if file.path == "" {
		return t.sayf("`%s` is no file on disk, so I cannot change it. Save it first.", file.name)
	}
	const tries = 2
	for try := 1; ; try++ {
		text, ok, err := t.readShown(file)
		if err != nil || !ok {
			return err
		}
		c, err := w(text, file)
		if err != nil {
			return t.sayf("%s: %s.", file.name, err)
		}
		after := code.Apply(text, c.edits)
		if after == text && file.recalled && (r.verb == rename || r.verb == replace) {
			return t.editFound(r, w) // it was not this file that was meant
		}
		if after == text {
			if err := t.sayf("Nothing to do in `%s`: there is nothing to change.", file.title()); err != nil {
				return err
			}
			return t.notes(c)
		}
		problem, err := t.writeShown(file, text, after, c)
		switch {
		case err != nil:
			return err
		case problem == "":
			return nil
		case try < tries:
			// The user edited the same lines meanwhile; their text comes first.
			if err := t.sayf("That was not taken (%s). I read it again.\n\n", problem); err != nil {
				return err
			}
		default:
			return t.sayf("I could not write `%s`: %s", file.name, problem)
		}
	}
}

// readShown reads a file in a tool call. ok is false if there is nothing to
// work on, which has been said then.
func (t *turn) readShown(file target) (text string, ok bool, err error) {
	call, err := t.tool(wire.ToolCall{Title: "Read " + file.name, Kind: wire.ToolRead, Locations: locations(file.path, file.lines.First)})
	if err != nil {
		return "", false, err
	}
	text, problem, err := t.read(file.path)
	if err != nil {
		_ = call.fail("cancelled")
		return "", false, err
	}
	if problem != "" {
		if err := call.fail(problem); err != nil {
			return "", false, err
		}
		return "", false, t.sayf("I could not read `%s`: %s", file.name, problem)
	}
	return text, true, call.done()
}

// writeShown shows a change, asks for it where the mode says so, and makes it.
// A problem is that of the write; a refusal is none.
func (t *turn) writeShown(file target, text, after string, c change) (problem string, err error) {
	diff := wire.ToolCallContent{Type: wire.ToolDiff, Path: file.path, OldText: &text, NewText: &after}
	call, err := t.tool(wire.ToolCall{
		Title: "Edit " + file.name, Kind: wire.ToolEdit, Status: wire.ToolPending,
		Content: []wire.ToolCallContent{diff}, Locations: locations(file.path, code.LineOf(text, c.edits[0].Start)),
		RawInput: rawInput(map[string]string{"path": file.path}),
	})
	if err != nil {
		return "", err
	}
	if t.session.asksForEdits() {
		answer, err := call.ask("Allow all edits in this session")
		if err != nil {
			_ = call.fail("cancelled")
			return "", err
		}
		switch answer {
		case refused:
			if err := call.fail("rejected"); err != nil {
				return "", err
			}
			return "", t.sayf("I left `%s` as it is.", file.name)
		case allowedAlways:
			t.session.allowEdits()
		}
	}
	if err := call.progress(diff); err != nil {
		_ = call.fail("cancelled")
		return "", err
	}
	problem, err = t.write(file.path, after)
	if err != nil {
		_ = call.fail("cancelled while the file was being written: look at it before going on")
		return "", err
	}
	if problem != "" {
		return problem, call.fail(problem)
	}
	if err := call.done(diff); err != nil {
		return "", err
	}
	if err := t.sayf("%s in `%s`.", capital(c.did), file.title()); err != nil {
		return "", err
	}
	return "", t.notes(c)
}

func (t *turn) notes(c change) error {
	for _, n := range c.notes {
		if err := t.say(" " + n); err != nil {
			return err
		}
	}
	return nil
}

// editFound makes a change in the files of the folder that have what it is
// about: in the only one, or, if the user said so, in all.
func (t *turn) editFound(r request, w work) error {
	if r.verb != rename && r.verb != replace {
		return t.say("I change whole folders only when something is renamed or replaced. Name the files, please.")
	}
	hits, limited, err := t.search(r.a, r.verb == rename)
	if err != nil {
		return err
	}
	switch {
	case len(hits) == 0:
		return t.sayf("I find `%s` in no file of %s.%s", r.a, t.session.cwd, limited)
	case len(hits) > 1 && !r.everywhere:
		var names []string
		for _, h := range hits {
			names = append(names, "`@"+h.file.name+"`")
		}
		return t.sayf("`%s` stands in %d files: %s. Name those you mean, or say \"everywhere\".%s", r.a, len(hits), listed(names, 8), limited)
	}
	for i, h := range hits {
		if i > 0 {
			if err := t.say("\n"); err != nil {
				return err
			}
		}
		if err := t.edit(h.file, r, w); err != nil {
			return err
		}
	}
	if limited != "" {
		return t.say(limited)
	}
	return nil
}

func locations(path string, line int) []wire.Location {
	l := wire.Location{Path: filepath.Clean(path)}
	if line > 0 {
		n := uint32(line)
		l.Line = &n
	}
	return []wire.Location{l}
}

func places(n int) string { return counted(n, "place") }

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// listed joins names, and counts those beyond the limit.
func listed(names []string, limit int) string {
	if len(names) > limit {
		return strings.Join(names[:limit], ", ") + fmt.Sprintf(" and %d more", len(names)-limit)
	}
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
