package session

import (
	"encoding/json"
	"errors"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
	"acp-ls/buffers/text"
	"acp-ls/internal/review"
	"acp-ls/internal/review/journal"
)

// What was rejected of a file as a whole stands in the journal beside the file's state, or by
// itself where nothing else is known of the file. What was in a file that is no text stands
// there too, so it lasts as long as the record.

// keptUndone is what was rejected of a file as a whole, as the journal has it.
type keptUndone struct {
	Change        FileChange
	By            review.Origin
	Opaque        checkpoint.Opaque `json:",omitempty"`
	OpaqueOp      string            `json:",omitempty"`
	WasExec, Exec *bool             `json:",omitempty"`
	WasMark       *bool             `json:",omitempty"`
	Gone, Emptied bool              `json:",omitempty"`
	Ran           bool              `json:",omitempty"`
	Held          string            `json:",omitempty"`
	From          buffers.Path      `json:",omitempty"`
	// Copies are, of a file that is no text, what it was, what the agent had made of it and,
	// without content, what the rejection has.
	Copies []byte `json:",omitempty"`
}

// kept is u as the journal has it; nil if it could not be brought back from there. secret: no
// content of the file is to be kept.
func (u *undone) kept(secret bool) *keptUndone {
	if u == nil {
		return nil
	}
	k := &keptUndone{
		Change: u.change, By: u.entire.by, Opaque: u.opaque, OpaqueOp: u.opaqueOp, WasExec: u.entire.wasExec, WasMark: u.entire.wasMark, Exec: u.entire.exec,
		Gone: u.entire.gone, Emptied: u.emptied, Ran: u.entire.ran, Held: u.entire.held, From: u.entire.from,
	}
	if secret && k.Gone {
		return nil
	}
	if u.opaque == "" || u.renamed != nil {
		return k
	}
	was, agents := checkpoint.Copy{State: u.entire.was}, u.agents
	if u.entire.copy != nil {
		was = *u.entire.copy
	}
	if secret {
		was, agents = was.WithoutContent(), agents.WithoutContent()
	}
	if !agents.Kept() {
		return nil
	}
	for _, c := range []checkpoint.Copy{was, agents, {State: u.rested}} {
		var err error
		if k.Copies, err = c.AppendBinary(k.Copies); err != nil {
			return nil
		}
	}
	return k
}

// undone is what can be brought back of the file at path, as an earlier run has kept it.
func (k *keptUndone) undone(path buffers.Path) (*undone, error) {
	u := &undone{change: k.Change, opaque: k.Opaque, opaqueOp: k.OpaqueOp, emptied: k.Emptied}
	u.entire = entire{by: k.By, from: k.From, wasExec: k.WasExec, wasMark: k.WasMark, exec: k.Exec, gone: k.Gone, ran: k.Ran, held: k.Held}
	switch {
	case k.From != "":
		u.renamed = renameBack(k.From, path)
	case k.Opaque != "":
		var was, rested checkpoint.Copy
		rest := k.Copies
		for _, c := range []*checkpoint.Copy{&was, &u.agents, &rested} {
			var err error
			if *c, rest, err = checkpoint.ReadCopy(rest); err != nil {
				return nil, err
			}
		}
		u.rested, u.entire.was, u.entire.now, u.entire.copy = rested.State, was.State.Forget(), u.agents.State.Forget(), &was
	case !k.Gone && !k.Emptied && k.WasExec == nil && k.WasMark == nil:
		return nil, errors.New("nothing that was rejected")
	}
	return u, nil
}

// hasContent reports whether keeping u means to keep what a file holds.
func (u *undone) hasContent() bool { return u != nil && (u.opaque != "" || u.entire.gone) }

// besideOf is what the record of a version has beside the state, of which x is known; mu is not
// held.
func (f *file) besideOf(v version, x beside) []byte {
	if (v.under != nil || x.Untouched != nil) && f.unkept() {
		x.Untouched = nil // of rows that may be short and secret a hash tells too much
	} else {
		x.Disputed = v.under.kept()
	}
	if v.undone != nil || v.refused != nil { // beside those of hunks
		for id, n := range f.core.rejections.among([]string{"file:" + string(f.path)}) {
			if x.Rejected == nil {
				x.Rejected = map[string]int64{}
			}
			x.Rejected[id] = n
		}
	}
	x.Undone = v.undone.kept(v.undone.hasContent() && f.unkept())
	x.Refused = v.refused
	return x.encode()
}

// onlyUndone reports whether a record says no more than what was rejected of a file as a whole.
func onlyUndone(r journal.Record) bool {
	return r.State == nil && r.Opaque == "" && !r.Secret && r.Beside != nil
}

// carryUndone makes what from has of it a part of to, which has none.
func carryUndone(to *[]byte, from []byte) {
	var x, old beside
	if json.Unmarshal(from, &old) != nil || old.Undone == nil && old.Refused == nil {
		return
	}
	if *to != nil && (json.Unmarshal(*to, &x) != nil || x.Undone != nil || x.Refused != nil) {
		return
	}
	x.Undone, x.Refused = old.Undone, old.Refused
	if b, err := json.Marshal(x); err == nil {
		*to = b
	}
}

// recallUndone takes up what an earlier run has rejected of the file as a whole, if this one
// knows nothing of the kind.
func (f *file) recallUndone(r journal.Record) {
	var x beside
	if len(r.Beside) == 0 || json.Unmarshal(r.Beside, &x) != nil || x.Undone == nil && x.Refused == nil {
		return
	}
	if f.core.now().Sub(r.Time) > keepRejected {
		return
	}
	f.core.rejections.recall(x.Rejected)
	there := isThere(f.path)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.undone != nil || f.entire.refused != nil {
		return
	}
	if u := x.Undone; u != nil && (!u.Emptied || there) {
		u, err := x.Undone.undone(f.path)
		if err != nil {
			f.core.log.Warn("take up what an earlier run has rejected", "path", f.path, "err", err)
			return
		}
		f.undone = u
	}
	if x.Refused != nil && !there {
		f.entire.refused = x.Refused
		if len(f.open) == 0 && f.before == nil {
			f.keepBefore(text.Text{})
			f.missing = true
		}
	}
	if onlyUndone(r) {
		f.kept.rested = r.Time
	}
}
