package session

import (
	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// An agent can write a file in the moment in which its editor has saved it: the editor says so, and the
// file holds something else. As long as the document is open nothing of that is lost: to us it is
// unsaved. If it is closed then, what was saved is what the file was before the agent wrote.

// claim notes what an editor says that it has saved, where the file holds something else which it did
// not hold before; mu is held.
func (f *file) claim(ev buffers.Event) {
	f.claimed = nil
	if f.before == nil || ev.DiskErr != nil || !ev.Disk.Exists || !f.core.running(f.path) {
		return
	}
	if buffers.NormHash(ev.Disk.Content) != buffers.NormHashText(f.before.Text) {
		was := ev.After.Text
		f.claimed = &was
	}
}

// believeClaim takes what the editor has said that it saved last for what the file was, if the document, of
// the text now, still is that; mu is held.
func (f *file) believeClaim(now text.Text) {
	if f.claimed != nil && f.claimed.Equal(now) {
		f.keepBefore(now)
		f.savedAt = f.core.now() // so that it is noted, if this process ends now
	}
	f.claimed = nil
}
