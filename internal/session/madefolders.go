package session

import (
	"slices"
	"sync"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/review"
)

// The folders that were made for a file of an agent's go with it when that is taken back, if nothing is in
// them then. Nobody tells who has made a folder; one that is younger than the turn was not there before it.

// madeFolders is what is known of folders that turns have made. Sessions end, and acp-ls does, before
// the user decides.
type madeFolders struct {
	mu    sync.Mutex
	turns map[turnOfSession]turnPlaces
	made  map[string]time.Time // as in buffers.RemoveFolders
}

type turnOfSession struct{ session, turn string }

type turnPlaces struct {
	began time.Time
	roots []string // it works in
}

// keptFolders is what the journal has of the turn that has made a file: folders are its own that were made
// since it began, inside of its root.
type keptFolders struct {
	Since int64 // in milliseconds since 1970
	In    string
}

// begins notes that a turn begins in roots.
func (m *madeFolders) begins(session, turn string, at time.Time, roots []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns == nil {
		m.turns, m.made = map[turnOfSession]turnPlaces{}, map[string]time.Time{}
	}
	m.turns[turnOfSession{session, turn}] = turnPlaces{at, roots}
}

// recall takes up what an earlier run knew.
func (m *madeFolders) recall(by review.Origin, k *keptFolders) {
	if k == nil {
		return
	}
	m.mu.Lock()
	had := m.turns[turnOfSession{by.Session, by.Turn}].roots
	m.mu.Unlock()
	if !slices.Contains(had, k.In) {
		m.begins(by.Session, by.Turn, time.UnixMilli(k.Since), append(slices.Clone(had), k.In))
	}
}

// of is what is kept of the turn that by names, which has made a file; nil if it is not known.
func (m *madeFolders) of(by review.Origin, p buffers.Path) *keptFolders {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.turns[turnOfSession{by.Session, by.Turn}]
	if !ok {
		return nil
	}
	return &keptFolders{t.began.UnixMilli(), rootOf(t.roots, string(p))}
}

// remove removes the folders that were made for a file of by's that is gone, if nothing is in them.
func (m *madeFolders) remove(p buffers.Path, by review.Origin) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if t, ok := m.turns[turnOfSession{by.Session, by.Turn}]; ok {
		buffers.RemoveFolders(p, rootOf(t.roots, string(p)), t.began, m.made)
	}
}
