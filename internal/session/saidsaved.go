package session

import (
	"slices"
	"sync"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
)

// saidSaved is what editors say to have written to files of which they have no document (a part
// of one, or at the end of another file). That is worked off when the disk is looked at the next
// time; until then others may find it there, also beside a document that was opened right after,
// and while an agent works it would be taken for the agent's.
type saidSaved struct {
	mu    sync.Mutex // guards texts
	texts map[buffers.Path][]saidText
}

type saidText struct {
	hash text.Hash
	at   time.Time
}

// maxSaid bounds how many texts are known of a file: the latest.
const maxSaid = 8

// note notes that an editor says so.
func (s *saidSaved) note(p buffers.Path, saved string, at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = map[buffers.Path][]saidText{}
	}
	list := append(slices.Clone(s.texts[p]), saidText{buffers.NormHash(saved), at})
	s.texts[p] = list[max(len(list)-maxSaid, 0):]
}

// is reports whether a file has just such a text, and was not written after that was said.
func (s *saidSaved) is(p buffers.Path, now text.Text) bool {
	s.mu.Lock()
	list := s.texts[p]
	s.mu.Unlock()
	if len(list) == 0 {
		return false
	}
	hash, written := buffers.NormHashText(now), lastWritten(p)
	return slices.ContainsFunc(list, func(t saidText) bool { return t.hash == hash && !written.After(t.at.Add(clockTick)) })
}
