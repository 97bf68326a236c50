package session

import (
	"encoding/json"
	"errors"
	"slices"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
)

// What was accepted can be undone in later runs too: the journal has the steps of a file whose
// changes were accepted, in a record of its own, for it outlives the undecided ones. Of the texts it
// has the last one, and of each before that how it differs from the one behind it.

const (
	// maxKeptSteps bounds what the journal has of the steps of one file, in bytes: from the
	// oldest turn on it has no more than that there was one.
	maxKeptSteps = 256 << 10
	// maxKeptAll bounds what the journal has of all files for that, in bytes.
	maxKeptAll = 16 << 20
)

// keptSteps is what the journal has of what agents have done to a file.
type keptSteps struct {
	Last     []byte         `json:",omitempty"` // the text behind the last step
	Steps    []keptStep     `json:",omitempty"` // the last first
	Wholes   []keptWhole    `json:",omitempty"`
	Dropped  []keptTurn     `json:",omitempty"`
	OldNames []buffers.Path `json:",omitempty"` // that the file has had

	Undecided bool                   `json:",omitempty"` // nothing was accepted yet
	Sessions  map[string]keptSession `json:",omitempty"` // by id
}

// keptSession says which session of an agent one was, and what the user knows it by.
type keptSession struct {
	Agent, SessionID string
	Title            string    `json:",omitempty"`
	Time             time.Time `json:",omitzero"` // when its last turn began
}

type keptStep struct {
	Session, Turn         string
	Created, Gone, Hidden bool         `json:",omitempty"`
	Texts                 [][]keptEdit // after, those between, and before; each made of the one in front of it here
}

type keptEdit struct {
	At, Len int
	Put     []byte `json:",omitempty"`
}

type keptWhole struct {
	By                     review.Origin
	ID                     string
	Opaque                 checkpoint.Opaque `json:",omitempty"`
	OpaqueOp               string            `json:",omitempty"`
	From, Ran              buffers.Path      `json:",omitempty"`
	WasMark, WasExec, Exec *bool             `json:",omitempty"`
	HasCopy, Emptied       bool              `json:",omitempty"`
	Copies                 []byte            `json:",omitempty"` // of a file that is no text: what it was and, without content, what it was then
}

// keptTurn is a turn of which no more is kept.
type keptTurn struct {
	Session, Turn string
	Secret        bool `json:",omitempty"`
}

// step is t as undo tells of it.
func (t keptTurn) step() agentStep {
	s := agentStep{session: t.Session, turn: t.Turn, why: errNoRoom}
	if t.Secret {
		s.why = errNothingOf
	}
	return s
}

var (
	errNoRoom     = errors.New("acp-ls had no room to keep how it was before, and was started anew since: bring that back with git or a backup")
	errNothingOf  = errors.New("acp-ls keeps no copy of it, for it may hold secrets or git ignores it, and was started anew since: bring back what was there before with git or a backup")
	errKeptBroken = errors.New("steps that do not read as such")
)

// keepSteps is what the journal has of steps, in at most limit bytes beside the contents of files that are
// no text, and of those in at most room bytes; secret: nothing of what the file holds.
func keepSteps(history []agentStep, wholes []wholeStep, dropped []agentStep, secret bool, limit, room int) *keptSteps {
	k := &keptSteps{}
	for _, s := range dropped {
		k.drop(s, s.why == errNothingOf)
	}
	if secret {
		for _, s := range history {
			k.drop(s, true)
		}
		history = nil
	}
	if n := len(history); n > 0 && history[n-1].after.Len() > min(limit, room) { // which is kept whole: no need to look at the others
		for _, s := range history {
			k.drop(s, false)
		}
		history = nil
	}
	for {
		sizes := k.keepTexts(history)
		if size := k.size(); size <= min(limit, room) || len(history) == 0 {
			room -= size
			break
		}
		for over := k.size() - min(limit, room); over > 0 && len(history) > 0; {
			oldest := history[0]
			for i, s := range history {
				if s.of(oldest.session, oldest.turn) {
					over -= sizes[i]
				}
			}
			k.drop(oldest, false)
			history = slices.DeleteFunc(slices.Clone(history), func(s agentStep) bool { return s.of(oldest.session, oldest.turn) })
		}
	}
	for _, w := range slices.Backward(wholes) {
		if w.entire.copy != nil && (secret || len(w.entire.copy.Content) > room) {
			without := w.entire.copy.WithoutContent()
			w.entire.copy = &without
		}
		room -= w.size()
		if kept, ok := w.kept(); ok {
			k.Wholes = slices.Insert(k.Wholes, 0, kept)
		}
	}
	return k
}

// drop notes that no more is known of the turn of a step.
func (k *keptSteps) drop(s agentStep, secret bool) {
	if !slices.ContainsFunc(k.Dropped, func(o keptTurn) bool { return o.Session == s.session && o.Turn == s.turn }) {
		k.Dropped = append(k.Dropped, keptTurn{s.session, s.turn, secret})
	}
}

func (k *keptSteps) encode() []byte {
	b, _ := json.Marshal(k) // it cannot fail
	return b
}

func (k *keptSteps) size() int { return len(k.encode()) }

// keepTexts makes the steps of k those, and returns how much each takes.
func (k *keptSteps) keepTexts(history []agentStep) []int {
	k.Last, k.Steps = nil, nil
	sizes := make([]int, len(history))
	if len(history) == 0 {
		return sizes
	}
	next := history[len(history)-1].after
	k.Last = []byte(next.String())
	sizes[len(history)-1] = len(k.Last)
	for i, s := range slices.Backward(history) {
		kept := keptStep{Session: s.session, Turn: s.turn, Created: s.created, Gone: s.gone, Hidden: s.hidden}
		texts := append(slices.Clone(s.between), s.after)
		slices.Reverse(texts)
		for _, t := range append(texts, s.before) {
			edits := editsTo(next, t)
			for _, e := range edits {
				sizes[i] += len(e.Put)
			}
			kept.Texts = append(kept.Texts, edits)
			next = t
		}
		k.Steps = append(k.Steps, kept)
	}
	return sizes
}

// steps are those of k, the oldest first.
func (k *keptSteps) steps() ([]agentStep, error) {
	out := make([]agentStep, len(k.Steps))
	t := text.New(string(k.Last))
	for i, kept := range k.Steps {
		var texts []text.Text
		for _, edits := range kept.Texts {
			var ok bool
			if t, ok = applyKept(t, edits); !ok {
				return nil, errKeptBroken
			}
			texts = append(texts, t)
		}
		if len(texts) < 2 {
			return nil, errKeptBroken
		}
		between := texts[1 : len(texts)-1 : len(texts)-1]
		slices.Reverse(between)
		out[len(out)-1-i] = agentStep{
			session: kept.Session, turn: kept.Turn, before: texts[len(texts)-1], after: texts[0], between: between,
			created: kept.Created, gone: kept.Gone, hidden: kept.Hidden,
		}
	}
	return out, nil
}

func applyKept(t text.Text, edits []keptEdit) (text.Text, bool) {
	for _, e := range slices.Backward(edits) {
		if e.At < 0 || e.Len < 0 || e.At+e.Len > t.Len() {
			return t, false
		}
		t = t.Replace(e.At, e.At+e.Len, string(e.Put))
	}
	return t, true
}

// kept is w as the journal has it.
func (w wholeStep) kept() (k keptWhole, ok bool) {
	e := w.entire
	k = keptWhole{By: w.by, ID: w.id, Opaque: w.opaque, OpaqueOp: w.opaqueOp, From: e.from, Ran: w.ran, WasMark: e.wasMark, WasExec: e.wasExec, Exec: e.exec, HasCopy: e.copy != nil, Emptied: w.emptied}
	was := checkpoint.Copy{State: e.was.Forget()}
	if e.copy != nil {
		was = *e.copy
	}
	if w.opaque == "" {
		return k, true
	}
	for _, c := range []checkpoint.Copy{was, {State: e.now.Forget()}} {
		var err error
		if k.Copies, err = c.AppendBinary(k.Copies); err != nil {
			return k, false
		}
	}
	return k, true
}

// whole is the step that k tells of.
func (k keptWhole) whole() (wholeStep, error) {
	w := wholeStep{by: k.By, id: k.ID, opaque: k.Opaque, opaqueOp: k.OpaqueOp, ran: k.Ran, emptied: k.Emptied}
	w.entire = entire{by: k.By, from: k.From, wasMark: k.WasMark, wasExec: k.WasExec, exec: k.Exec}
	if k.Opaque == "" {
		return w, nil
	}
	was, rest, err := checkpoint.ReadCopy(k.Copies)
	if err != nil {
		return w, err
	}
	now, _, err := checkpoint.ReadCopy(rest)
	if err != nil {
		return w, err
	}
	if w.entire.was, w.entire.now = was.State.Forget(), now.State; k.HasCopy {
		w.entire.copy = &was
	}
	return w, nil
}
