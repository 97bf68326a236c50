package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// asked are the dialogs that the server has the editor show. They stay until the
// user answers, as dialogs do.
type asked struct {
	mu      sync.Mutex
	all     []*dialog
	changed chan struct{}
	ended   bool
}

type dialog struct {
	method  string
	message string
	id      string
	actions []dialogAction
	params  json.RawMessage
	answer  chan any // takes one
	told    bool     // the script knows of it
	done    bool
}

type dialogAction struct {
	Title    string `json:"title"`
	Name     string `json:"name"`
	OptionID string `json:"optionId"`
}

func newAsked() *asked { return &asked{changed: make(chan struct{})} }

func (q *asked) show(ctx context.Context, d *dialog) (any, error) {
	d.answer = make(chan any, 1)
	q.mu.Lock()
	if q.ended {
		q.mu.Unlock()
		return nil, nil
	}
	q.all = append(q.all, d)
	q.stir()
	q.mu.Unlock()
	select {
	case a := <-d.answer:
		if err, ok := a.(error); ok {
			return nil, err
		}
		return a, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// stir wakes whoever waits for a dialog; mu is held.
func (q *asked) stir() {
	close(q.changed)
	q.changed = make(chan struct{})
}

// permission answers acp/permission.
func (q *asked) permission(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		ID      string         `json:"id"`
		Message string         `json:"message"`
		Options []dialogAction `json:"options"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	return q.show(ctx, &dialog{method: "acp/permission", id: p.ID, message: p.Message, actions: p.Options, params: params})
}

// popUp answers window/showMessageRequest.
func (q *asked) popUp(ctx context.Context, params json.RawMessage) (any, error) {
	var p struct {
		Message string         `json:"message"`
		Actions []dialogAction `json:"actions"`
		ACP     struct {
			ID string `json:"id"`
		} `json:"acp"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	return q.show(ctx, &dialog{method: "window/showMessageRequest", id: p.ACP.ID, message: p.Message, actions: p.Actions, params: params})
}

// dialog answers a request whose answer the script writes itself.
func (q *asked) dialog(method string) func(context.Context, json.RawMessage) (any, error) {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		return q.show(ctx, &dialog{method: method, params: params})
	}
}

// next is the oldest dialog the script does not know of.
func (q *asked) next(ctx context.Context) (*dialog, error) {
	for {
		q.mu.Lock()
		i := slices.IndexFunc(q.all, func(d *dialog) bool { return !d.told })
		changed := q.changed
		if i >= 0 {
			q.all[i].told = true
			q.mu.Unlock()
			return q.all[i], nil
		}
		q.mu.Unlock()
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, errors.New("the user is asked nothing")
		}
	}
}

// open is the n-th (1-based) dialog that waits for an answer.
func (q *asked) open(n int) (*dialog, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, d := range q.all {
		if !d.done {
			if n--; n == 0 {
				d.done, d.told = true, true
				return d, nil
			}
		}
	}
	return nil, errors.New("no such dialog is open")
}

func (q *asked) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.ended = true
	for _, d := range q.all {
		if !d.done {
			d.done = true
			d.answer <- nil
		}
	}
}

func init() {
	register(map[string]func(*world, *args) ([]string, error){
		// asked waits for a dialog and says what it shows.
		"asked": func(w *world, _ *args) ([]string, error) {
			w.theEditor()
			ctx, cancel := w.limit()
			defer cancel()
			d, err := w.asked.next(ctx)
			if err != nil {
				return nil, err
			}
			if d.actions == nil {
				return []string{d.method, w.shorten(string(d.params))}, nil
			}
			out := strings.Split(w.shorten(d.message), "\n")
			var titles []string
			for _, a := range d.actions {
				titles = append(titles, a.Title+a.Name)
			}
			return append(out, "["+strings.Join(titles, "] [")+"]"), nil
		},
		// choose answers a dialog with an option, by its id or its title.
		"choose": func(w *world, a *args) ([]string, error) {
			n := 1
			if v, ok := a.option("dialog"); ok {
				if _, err := fmt.Sscan(v, &n); err != nil {
					return nil, err
				}
			}
			d, err := w.asked.open(n)
			if err != nil {
				return nil, err
			}
			what := a.text()
			i := slices.IndexFunc(d.actions, func(x dialogAction) bool {
				return x.OptionID == what || x.Title == what || x.Name == what
			})
			var answer any
			switch {
			case what == "nothing": // the dialog is closed
			case what == "an error":
				answer = errors.New("the editor cannot show this")
			case strings.HasPrefix(what, "{"):
				answer = json.RawMessage(what)
			case i < 0:
				return nil, fmt.Errorf("%q is none of %v", what, d.actions)
			case d.method == "acp/permission":
				answer = map[string]any{"optionId": d.actions[i].OptionID}
			default:
				answer = map[string]any{"title": d.actions[i].Title}
			}
			d.answer <- answer
			return nil, nil
		},
	})
}
