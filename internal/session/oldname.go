package session

import "acp-ls/buffers"

// A document whose file an agent has renamed stays as it is, and says where its file has
// gone, as long as that is undecided: what it says is the change of the new name.

// tellOldName has the file that this one was, before a rename that is undecided, say so;
// and no longer, when it was decided. mu is held.
func (f *file) tellOldName() {
	was := f.cameFrom
	if was == f.entire.from {
		return
	}
	f.cameFrom = f.entire.from
	now := f.cameFrom
	f.core.spawn(func() {
		for _, p := range []buffers.Path{was, now} {
			if p != "" && p != f.path {
				f.core.file(p).sayWhere(f)
			}
		}
	})
}

// sayWhere takes in whether f is the file that this one was.
func (old *file) sayWhere(f *file) {
	defer lockBoth(old, f)()
	where := old.wentTo
	switch {
	case f.entire.from == old.path:
		where = f.path
	case where == f.path:
		where = ""
	}
	if where == old.wentTo {
		return
	}
	old.wentTo = where
	old.shownRev = notShown
	old.publish()
}

// movedTo is where the file of a document has gone, if nothing else is to be decided on
// under its name.
func (f *file) movedTo() buffers.Path {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fileChange() != nil || len(f.open) == 0 || f.doc != nil && f.doc.Tracking() {
		return ""
	}
	return f.wentTo
}

// isHere takes in that the document was saved, and there are two files now; mu is held.
func (f *file) isHere() {
	if f.wentTo != "" {
		f.wentTo = ""
		f.shownRev = notShown
	}
}
