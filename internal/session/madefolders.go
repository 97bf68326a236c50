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
	turns map[string]turnPlaces // by session and turn
	made  map[string]time.Time  // as in buffers.RemoveFolders
}

type turnPlaces struct {
	began time.Time
	roots []string // it works in
}

// begins notes that a turn begins in roots.
func (m *madeFolders) begins(session, turn string, at time.Time, roots []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.turns == nil {
		m.turns, m.made = map[string]turnPlaces{}, map[string]time.Time{}
	}
	m.turns[session+" "+turn] = turnPlaces{at, roots}
}

// of is the turn that by names; false if it is not known.
func (m *madeFolders) of(by review.Origin) (turnPlaces, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	t, ok := m.turns[by.Session+" "+by.Turn]
	return t, ok
}

// keep notes in k what is known of the turn that has made a file.
func (m *madeFolders) keep(k *keptBy, p buffers.Path) {
	if t, ok := m.of(k.By); ok {
		k.Since, k.In = t.began.UnixMilli(), rootOf(t.roots, string(p))
	}
}

// recall takes up what an earlier run knew.
func (m *madeFolders) recall(k *keptBy) {
	if t, _ := m.of(k.By); k.In != "" && !slices.Contains(t.roots, k.In) {
		m.begins(k.By.Session, k.By.Turn, time.UnixMilli(k.Since), append(slices.Clip(t.roots), k.In))
	}
}

// remove removes the folders that were made for a file of by's that is gone, if nothing is in them.
func (m *madeFolders) remove(p buffers.Path, by review.Origin) {
	if t, ok := m.of(by); ok {
		m.mu.Lock()
		defer m.mu.Unlock()
		buffers.RemoveFolders(p, rootOf(t.roots, string(p)), t.began, m.made)
	}
}
