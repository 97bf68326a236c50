package session

import (
	"io/fs"
	"os"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// At every point of a turn all files that are known are compared with the disk. Nearly all
// of them are as they were, and nothing but their time and size is looked at.

// fine is what was found to be up to date: a document with this text, beside a disk with
// this hash of which this was taken in.
type fine struct {
	text   text.Text
	norm   text.Hash
	before *taken
}

// upToDate tells that nothing is to be taken in from the disk for a document.
func (f *file) upToDate(live openDoc, d *buffers.Document, before *taken, last fine, taken *buffers.Ends) bool {
	norm, ends, ok := live.at.store.Unmoved(d)
	if !ok || taken != nil && *taken != ends {
		return false
	}
	now := fine{d.Text, norm, before}
	if now == last {
		return true
	}
	switch d.State() {
	case buffers.Clean:
		if before != nil && norm != buffers.NormHashText(before.Text) {
			return false // it has come to what the disk has by itself
		}
	case buffers.Dirty:
		if before == nil || norm != buffers.NormHashText(before.Text) {
			return false
		}
	default:
		return false
	}
	f.mu.Lock()
	f.fine = now
	f.mu.Unlock()
	return true
}

// stamp is what a file that nobody has open was when it held a text.
type stamp struct {
	text text.Text
	info fs.FileInfo
	at   time.Time // of the look
}

// racy is the age from which on a time stamp tells of every later write.
const racy = 2 * time.Second

// holds tells that the file still has the text t, which it had.
func (s *stamp) holds(p buffers.Path, t text.Text) bool {
	if s == nil || !s.text.Equal(t) || s.at.Sub(s.info.ModTime()) < racy {
		return false
	}
	info, err := os.Lstat(string(p))
	return err == nil && os.SameFile(info, s.info) && info.Size() == s.info.Size() && info.ModTime().Equal(s.info.ModTime())
}
