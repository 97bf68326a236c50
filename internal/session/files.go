package session

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/linediff"
	"acp-ls/buffers/merge"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
	"acp-ls/internal/policy"
	"acp-ls/internal/review"
)

func isMissing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

// ReadTextFile serves a file's live text (ACP fs/read_text_file): that of the
// document, if one is open and the disk has not moved under it, else the disk.
func (h *host) ReadTextFile(ctx context.Context, sessionID, path string, line, limit *uint32) (string, error) {
	s, err := h.session(sessionID)
	if err != nil {
		return "", err
	}
	_, t, err := s.read(ctx, path)
	if KindOf(err) == KindNotFound && h.proc.agent.Info().MissingReadsEmpty {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return window(t, line, limit), nil
}

// read returns a file's live text, if the session may have it, and notes that
// its agent has seen it.
func (s *session) read(ctx context.Context, path string) (buffers.Path, text.Text, error) {
	c := s.core
	p, err := c.admitRead(ctx, s, path)
	if err != nil {
		return "", text.Text{}, err
	}
	t, err := c.readText(p)
	switch {
	case isMissing(err):
		s.ledger.gone(p)
		return p, text.Text{}, Errorf(KindNotFound, "%s does not exist", path)
	case err != nil:
		return p, text.Text{}, Errorf(KindInvalid, "%w", err)
	}
	f := c.file(p)
	f.mu.Lock()
	rejected := f.rejectedChanges()
	f.mu.Unlock()
	s.ledger.forgetWrites(p, func(c review.ChangeID) bool { return rejected[c] })
	s.ledger.read(p, t)
	return p, t, nil
}

// window is the part of a text that a read asked for: limit rows from the
// 1-based row line on, exactly; past the end it is empty.
func window(t text.Text, line, limit *uint32) string {
	from, to := 0, t.LineCount()
	if line != nil {
		from = min(max(int(*line)-1, 0), to)
	}
	if limit != nil {
		to = min(from+int(*limit), to)
	}
	return t.Slice(t.LineStart(from), t.LineStart(to))
}

// rejectedChanges are the changes of which anything was rejected: what they left is not what
// their writes had; mu is held.
func (f *file) rejectedChanges() map[review.ChangeID]bool {
	if f.doc == nil || !f.doc.Tracking() {
		return nil
	}
	gone := map[review.ChangeID]bool{}
	for _, h := range f.doc.Hunks(review.StateRejected) {
		for _, o := range h.Origins {
			gone[o.Change] = true
		}
	}
	return gone
}

// readText is the live text of a file: that of its document, unless that is
// behind the disk, else the disk's.
func (c *Core) readText(p buffers.Path) (text.Text, error) {
	f := c.file(p)
	f.mu.Lock()
	live, _, open := f.live()
	f.mu.Unlock()
	if open {
		r, err := live.at.store.Read(p, 0, buffers.All)
		return r.Whole, err
	}
	d, err := buffers.ReadDisk(p)
	if err == nil && !d.Exists {
		err = fs.ErrNotExist
	}
	return text.New(d.Content), err
}

// WriteTextFile takes a write of the agent as a patch (ACP
// fs/write_text_file): against the text the agent can have made it from, merged
// with what the user has now. It returns nil when all of it is in the text. An
// edit of the user's own lines is never overwritten: then nothing is applied,
// the proposal is kept as a conflict, and the error names the lines.
func (h *host) WriteTextFile(ctx context.Context, sessionID, path, content string) error {
	s, err := h.session(sessionID)
	if err != nil {
		return err
	}
	mine := h.proc.writes.join(queueOf(path))
	defer mine.leave()
	arrived := s.ledger.arrived()
	placed(ctx)
	if err := mine.wait(ctx); err != nil {
		return err
	}
	w, err := s.write(ctx, path, func(p buffers.Path, disk buffers.Disk) (proposal, error) {
		base, err := s.core.readText(p)
		had := s.core.file(p).hasTaken()
		if err != nil || !s.ledger.made(p, base, arrived) {
			seen := text.New(disk.Content)
			if had != nil { // what it has since is not in the document yet, and to be merged as well
				seen = had.Text
			}
			base = s.ledger.baseSent(p, content, seen, arrived)
		}
		return proposal{
			base: base.String(), taken: had, content: content, origin: s.origin(p),
			mirrored: h.proc.agent.Info().MirrorsWrites,
		}, nil
	})
	if KindOf(err) == KindConflict {
		s.ledger.refuse(w.path)
	}
	if to, ok := ctx.Value(wroteKey{}).(*Wrote); ok && err == nil {
		*to = w.note(content)
	}
	return err
}

// Wrote is what an agent cannot know of a write that was made.
type Wrote struct {
	// Merged are the lines of the text now, 1-based and the last included, that are others
	// than those that were written: the user's, or another agent's. Where such lines are
	// gone the last is the one before the first.
	Merged  [][2]int
	SaveErr error // why it is not on disk
}

type wroteKey struct{}

// Telling returns a context for [Host.WriteTextFile], which says in w what became of the write.
func Telling(ctx context.Context, w *Wrote) context.Context {
	return context.WithValue(ctx, wroteKey{}, w)
}

// note says what became of content that was written.
func (w written) note(content string) Wrote {
	n := Wrote{SaveErr: w.saveErr}
	sent := text.New(content)
	if w.after.Equal(sent) {
		return n
	}
	then, now := sent.Lines(0, lineCount(sent)), w.after.Lines(0, lineCount(w.after))
	if len(now) > 0 && len(then) > 0 && !strings.HasPrefix(then[0], byteOrderMarkBytes) {
		now[0] = strings.TrimPrefix(now[0], byteOrderMarkBytes) // kept, though most agents do not write it
	}
	for _, d := range linediff.Diff(then, now) {
		n.Merged = append(n.Merged, [2]int{d.B0 + 1, d.B1})
	}
	return n
}

// A proposal is the text that an agent wants a file to have, and the text it
// has made it from; or an edit of whatever text there is.
type proposal struct {
	base, content string
	taken         *taken                                          // what an open document has taken in of the disk, nil if unknown
	edit          func(now text.Text) (content string, err error) // instead; may be called several times
	origin        review.Origin
	mirrored      bool // the agent writes it to the disk as well, and waits for no answer
}

// from is the base as far as it is in the text of d: that of the disk may be in conflict
// with it, and what the agent wants still is in conflict again.
func (p proposal) from(d *review.Doc) string {
	if p.taken == nil || !p.taken.Equal(text.New(p.base)) {
		return p.base
	}
	return p.taken.in(d).String()
}

// written is what became of a proposal that was applied.
type written struct {
	path     buffers.Path
	out      outcome
	proposal proposal
	before   text.Text // what it was merged into
	after    text.Text // and the result
	saveErr  error     // why a document that is changed is not saved
}

// write makes real what an agent wants of a file, if it may: propose is called
// when the user has let it, with what the disk has.
func (s *session) write(ctx context.Context, path string, propose func(buffers.Path, buffers.Disk) (proposal, error)) (written, error) {
	var w written
	c := s.core
	p, err := c.admit(ctx, s, path, true)
	if err != nil {
		return w, err
	}
	if info, err := os.Stat(string(p)); err == nil && info.IsDir() {
		return w, Errorf(KindInvalid, "%s is a folder, and no file can be written in its place", path)
	}
	if policy.Sensitive(string(p)) {
		if err := c.askSensitive(ctx, s, p); err != nil {
			return w, err
		}
	}
	f := c.file(p)
	if err := unlessBehind(f.catchUp(ctx)); err != nil {
		return w, Errorf(KindInvalid, "%s could not be brought up to date with the disk: %w", path, err)
	}
	if err := s.takeInFirst(ctx, f); err != nil {
		return w, Errorf(KindInvalid, "%s could not be compared with what it was: %w", path, err)
	}
	disk, err := buffers.ReadDisk(p)
	if errors.Is(err, buffers.ErrNotUTF8) {
		return w, Errorf(KindInvalid, "%s is not UTF-8 text: it is not written over, as what it has could not be kept", path)
	} else if err != nil {
		return w, Errorf(KindInvalid, "%w", err)
	}
	w.path = p
	if w.proposal, err = propose(p, disk); err != nil {
		return w, err
	}
	o := w.proposal.origin
	o.Change = c.changeID()
	g, err := s.hold(ctx, f, &w.proposal, o)
	if err != nil {
		return w, err
	}
	defer g.close()
	if g.isPartly() {
		l, err := g.landPart(ctx, f)
		w.out, w.saveErr = l.out, l.saveErr
		s.unchanged(string(p), err)
		return w, err
	}
	base, content := w.proposal.base, w.proposal.content
	edit := w.proposal.edit
	var before, after, baseline text.Text // looked at only when change is through, like base and content
	w.out, err = f.change(ctx, operation{
		label: s.agentName + ": " + o.Title, by: &o,
		apply: func(d *review.Doc) error {
			before, baseline = d.Text(), d.Baseline()
			base = w.proposal.from(d)
			if edit != nil {
				made, err := edit(before)
				if err != nil {
					return err
				}
				base, content = before.String(), made
			}
			put := c.untouched.patch
			if g != nil {
				put = g.patch
			}
			err := put(d, base, content, o)
			after = d.Text()
			return err
		},
	})
	s.unchanged(string(p), err)
	if err != nil {
		return w, err
	}
	w.before, w.after = before, after
	w.proposal.base, w.proposal.content, w.proposal.origin = base, content, o
	sent := text.New(content)
	s.ledger.wrote(p, sent, o.Change)
	f.mu.Lock()
	f.sent = &sent
	f.mu.Unlock()
	switch {
	case g != nil:
		f.acceptedFile()
	// What stood in a document that nobody has saved is the user's, and so is the file.
	case !w.out.onDisk && !disk.Exists && blank(before):
		f.markCreated(o)
	}
	if !w.out.onDisk {
		w.saveErr = c.saveAfter(ctx, s, p, w.out, g == nil && !f.tookAsApproved(o.Change, baseline))
	}
	return w, nil
}

// patch merges content, made from base, into d as a change of o.
func (u *untouched) patch(d *review.Doc, base, content string, o review.Origin) error {
	live := d.Text().String()
	m := merge.TextsWith(base, live, content, merge.Options{WhitespaceYields: true})
	if len(m.Conflicts) == 0 {
		// A conflict this session left earlier is settled by its new write.
		for _, h := range d.Hunks(review.StateConflict) {
			if slices.ContainsFunc(h.Origins, func(p review.Origin) bool { return p.Session == o.Session }) {
				d.DropConflict(h.ID)
			}
		}
		d.AgentEdit(text.New(m.Text), o)
		return nil
	}
	u.addConflicts(d, always(o), m, base, content)
	return keptError{Errorf(KindConflict,
		"not applied: %s changed %s since you read the file. Read it again and redo your edit on what is there now; nothing was written",
		whoChanged(d, m.Conflicts, o), inDispute(m.Conflicts, d.Text().LineCount()))}
}

// inDispute names the rows of conflicts with a text of so many.
func inDispute(conflicts []merge.Conflict, rows int) string {
	var same, beside []string
	for _, k := range conflicts {
		if span := lineSpan(k.Ours, rows); k.Beside {
			beside = append(beside, span)
		} else {
			same = append(same, span)
		}
	}
	var out []string
	if len(same) > 0 {
		out = append(out, "the same lines ("+strings.Join(same, ", ")+")")
	}
	if len(beside) > 0 {
		out = append(out, "lines next to yours ("+strings.Join(beside, ", ")+")")
	}
	return strings.Join(out, ", and ")
}

// whoChanged says who has changed the lines of conflicts with a change of o.
func whoChanged(d *review.Doc, conflicts []merge.Conflict, o review.Origin) string {
	var agents []string
	for _, h := range d.Hunks(review.StatePending) {
		touched := slices.ContainsFunc(conflicts, func(k merge.Conflict) bool { return h.StartLine <= k.Ours[1] && k.Ours[0] <= h.EndLine })
		for _, by := range h.Origins {
			if touched && by.Author == review.AuthorAgent && by.Session != o.Session && !slices.Contains(agents, by.Agent) {
				agents = append(agents, by.Agent)
			}
		}
	}
	if len(agents) == 0 {
		return "the user has"
	}
	return "the user, or " + strings.Join(agents, " or ") + " in another session, has"
}

// always says of whatever is in a conflict that it is o's.
func always(o review.Origin) func(string) review.Origin {
	return func(string) review.Origin { return o }
}

// rowsOf are the rows of a piece of text, whether or not the last has a line end.
func rowsOf(s string) []string {
	return linediff.Split(strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\r"))
}

// lineSpan names rows [from, to) as 1-based lines.
func lineSpan(r [2]int, rows int) string {
	first, last := r[0]+1, r[1]
	if last < first {
		last = first
	}
	first, last = min(first, rows), min(last, rows)
	if first == last {
		return fmt.Sprintf("line %d", first)
	}
	return fmt.Sprintf("lines %d-%d", first, last)
}

// Why a document that the agent has changed is left unsaved on purpose.
var (
	errSaveNever = errors.New("the user saves by hand (setting files.save)")
	errWasDirty  = errors.New("the user had unsaved changes in it before, and saves it when ready")
	errTypedIn   = errors.New("it was typed in meanwhile, and will be saved with that by the user")
)

// saveAfter saves a document the agent has changed, if the setting says so, and
// says why it is not saved. What a formatter makes of it then is undecided if the
// change is.
func (c *Core) saveAfter(ctx context.Context, s *session, p buffers.Path, out outcome, undecided bool) error {
	mode := c.settings().Files.Save
	switch {
	case !out.changed:
		return nil
	case mode == config.SaveNever:
		return errSaveNever
	case mode == config.SaveClean && !out.wasSaved():
		return errWasDirty
	}
	f, by := c.file(p), s.origin(p)
	saved := f.beginSave(by, undecided, out)
	err := f.saveFor(ctx, out, mode == config.SaveClean)
	saved()
	if err != nil {
		s.unsaved(string(p), err)
	}
	return err
}

// saveFor has a document saved that an operation for an agent has changed; untouched says: unless
// the user has changed it since. Another agent may.
func (f *file) saveFor(ctx context.Context, out outcome, untouched bool) error {
	for try := 1; ; try++ {
		d, moved, here := f.sinceChanged(out)
		switch {
		case untouched && moved:
			return errTypedIn
		case !here:
			return out.doc.at.editor.Save(ctx, out.doc.uri, 0, true)
		}
		f.core.elsewhere.wrote(f.path, d.Text)
		f.asksToSave(d.Text)
		version := d.Version
		if !untouched {
			version = 0
		}
		err := out.doc.at.editor.Save(ctx, out.doc.uri, version, true)
		if !errors.Is(err, ErrNotSaved) {
			return err
		}
		// Who types while an editor saves is left with unsaved changes, or with no save at all.
		now, moved, here := f.sinceChanged(out)
		switch {
		case !here || now.Text.Equal(d.Text):
			return err
		case moved || !untouched || try == maxTries:
			return errTypedIn
		}
	}
}

// sinceChanged returns the document of an operation, and whether the user has changed it since.
// What it is by then is known to be theirs or not: here is false if the document is not
// the file's any more.
func (f *file) sinceChanged(out outcome) (d *buffers.Document, moved, here bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		live, d, ok := f.live()
		switch {
		case !ok || live != out.doc || f.doc == nil:
			return nil, false, false
		case f.doc.Text().Equal(d.Text):
			return d, f.keys != out.keys, true
		}
		told := f.moved // a change that is being taken in just now
		f.mu.Unlock()
		select {
		case <-told:
		case <-f.core.ctx.Done():
		}
		f.mu.Lock()
		if f.core.ctx.Err() != nil {
			return nil, false, false
		}
	}
}

// unsaved says, once for each file and reason, that the agent's change is not on disk.
func (s *session) unsaved(path string, err error) {
	why := err.Error()
	switch {
	case errors.Is(err, ErrUnsupported):
		why = "save it when you are ready"
	case errors.Is(err, errTypedIn):
		why = "you typed in it meanwhile, save it when you are ready"
	}
	s.tellOfFile(path, fmt.Sprintf("%s was changed in the editor and is not saved: %s", s.relative(path), why))
}

// unchanged says that a document is not to be changed, if that is the error of the agent's write.
func (s *session) unchanged(path string, err error) {
	if errors.Is(err, ErrReadOnly) {
		s.tellOfFile(path, fmt.Sprintf("%s was not changed: %v", s.relative(path), errors.Unwrap(err)))
	}
}

// tellOfFile says something of a file, if that is not what was said of it last.
func (s *session) tellOfFile(path, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.notOnDisk[path] == what {
		return
	}
	if s.notOnDisk == nil {
		s.notOnDisk = map[string]string{}
	}
	s.notOnDisk[path] = what
	turnID := ""
	if s.running != nil {
		turnID = s.running.id
	}
	s.entryChanged(s.log.add(EntryNotice, turnID, what))
}
