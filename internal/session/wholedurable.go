package session

import (
	"strconv"

	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// Whose it is what has become of a file as a whole no row says, or not of all of it: so that stands in the
// journal beside the file's state. Else nobody could undo in a later run what a session has done.

// keptBy is what the journal has of whose it is what has become of a file as a whole.
type keptBy struct {
	By review.Origin
	// Later are those that have changed it since, as in entire. What it was before each of these
	// is in the record's state, behind what that begins with.
	Later []review.Origin `json:",omitempty"`
	// Moved is what a file had when it was renamed.
	Moved *keptMoved `json:",omitempty"`
	// Since is when the turn began that has made or moved the file, in milliseconds since 1970, and In the
	// folder it works in: what folders were made in there since then, for the file, are its own.
	Since int64  `json:",omitempty"`
	In    string `json:",omitempty"`
}

// keptMoved is what the journal has of a movedWith; what is nil is that of the record's state.
type keptMoved struct {
	Baseline, Text *string `json:",omitempty"`
}

// kept is what is kept of m beside the state of doc.
func (m *movedWith) kept(doc *review.Doc) *keptMoved {
	k := &keptMoved{}
	if t := m.baseline; !t.Equal(doc.Baseline()) {
		s := t.String()
		k.Baseline = &s
	}
	if t := m.text; !t.Equal(doc.Text()) {
		s := t.String()
		k.Text = &s
	}
	if *k == (keptMoved{}) {
		return nil
	}
	return k
}

func (k *keptMoved) recall(m *movedWith) {
	if k.Baseline != nil {
		m.baseline = text.New(*k.Baseline)
	}
	if k.Text != nil {
		m.text = text.New(*k.Text)
	}
}

// keptBy is what is kept of w in the record of v.
func (f *file) keptBy(v version, w entire) *keptBy {
	if v.by == (review.Origin{}) {
		return nil
	}
	k := &keptBy{By: v.by}
	if v.created || v.opaqueOp == "create" || v.from != "" {
		f.core.made.keep(k, f.path)
	}
	if v.opaque != "" {
		for _, l := range w.later {
			k.Later = append(k.Later, l.by)
		}
	}
	return k
}

// noteSessions notes in in which sessions of their agents those of k are.
func (c *Core) noteSessions(in map[string]keptSession, k *keptBy) {
	if k == nil {
		return
	}
	for _, o := range append([]review.Origin{k.By}, k.Later...) {
		if o.Session != "" {
			c.noteSession(in, o.Session)
		}
	}
}

// setBy says whose it is what has become of the file as a whole: nobody's if nothing has.
func (v *version) setBy(o review.Origin) {
	if v.by = o; !v.entire() && v.opaque == "" {
		v.by = review.Origin{}
	}
}

// opaqueIsOf stands for what is known of a file that is no text.
func opaqueIsOf(w entire) string {
	return w.was.Sum() + " " + w.now.Sum() + " " + strconv.Itoa(len(w.later))
}

// opaqueState is what the journal keeps of a change of a file that is no text: what was
// there, without its content what is, and what was there before each later change of it.
func (f *file) opaqueState(w entire) []byte {
	copies := []checkpoint.Copy{*w.copy, {State: w.now.Forget()}}
	for _, l := range w.later {
		copies = append(copies, l.copy)
	}
	if f.unkept() {
		for i, k := range copies {
			copies[i] = k.WithoutContent()
		}
	}
	b := make([]byte, 0, len(w.copy.Content)+256)
	for _, k := range copies {
		var err error
		if b, err = k.AppendBinary(b); err != nil {
			f.core.log.Error("journal", "path", f.path, "err", err)
		}
	}
	return b
}

// recallBy takes up whose it is what has become of the file as a whole, of which copies are what it was
// before each later change; mu is held.
func (f *file) recallBy(k *keptBy, copies []byte) {
	if k == nil {
		return
	}
	f.entire.by = k.By
	f.core.made.recall(k)
	if k.Moved != nil && f.entire.moved != nil {
		k.Moved.recall(f.entire.moved)
	}
	var err error
	if f.entire.later, err = k.later(copies); err != nil {
		f.core.log.Warn("take up changes of an earlier run", "path", f.path, "err", err)
	}
}

// later are those of k, of which copies are what the file was before each.
func (k *keptBy) later(copies []byte) (out []laterWhole, err error) {
	if k == nil {
		return nil, nil
	}
	for _, o := range k.Later {
		l := laterWhole{by: o}
		if l.copy, copies, err = checkpoint.ReadCopy(copies); err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, nil
}

// carryBy makes whose it is what has become of the file as a whole, as the record from says, a part of
// to, which has taken that over and has nothing of the kind.
func carryBy(to *journal.Record, from journal.Record) {
	old, _ := besideIn(from)
	x, ok := besideIn(*to)
	if old.Whole == nil || !ok && len(to.Beside) > 0 || x.Whole != nil || !to.Created && to.From == "" && to.Mode == "" {
		return
	}
	x.Whole = old.Whole
	to.Beside = x.encode()
}
