package session

import "sync"

// noted is what the core knows of hunks beside the engine, by their IDs: of the last maxNoted.
// As the ID of a hunk is made of its rows, to note one that comes to nothing does no harm.
// The zero value is ready.
type noted[V any] struct {
	mu  sync.Mutex
	of  map[string]V
	ids []string // in the order in which they were noted
}

const maxNoted = 5000

func (n *noted[V]) note(id string, v V) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.of == nil {
		n.of = map[string]V{}
	}
	if _, known := n.of[id]; !known {
		n.ids = append(n.ids, id)
	}
	n.of[id] = v
	if len(n.ids) > maxNoted {
		delete(n.of, n.ids[0])
		n.ids = n.ids[1:]
	}
}

func (n *noted[V]) get(id string) (v V, known bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	v, known = n.of[id]
	return v, known
}

// among is what is known of some hunks; nil: nothing.
func (n *noted[V]) among(ids []string) map[string]V {
	n.mu.Lock()
	defer n.mu.Unlock()
	var out map[string]V
	for _, id := range ids {
		if v, known := n.of[id]; known {
			if out == nil {
				out = map[string]V{}
			}
			out[id] = v
		}
	}
	return out
}
