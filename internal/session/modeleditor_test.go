package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

func (w *modelWorld) fileOf(uri string) *modelFile {
	i := slices.IndexFunc(w.files, func(f *modelFile) bool { return f.uri == uri })
	return w.files[i]
}

func (w *modelWorld) chance(n int) bool {
	w.erMu.Lock()
	defer w.erMu.Unlock()
	return w.er.IntN(n) == 0
}

// editor makes the editor one of the kind that the options say.
func (w *modelWorld) editor() {
	w.e.onApply = func(d DocumentEdit) (bool, error) {
		if w.opts.slow {
			w.erMu.Lock()
			wait := time.Duration(w.er.IntN(120)) * time.Millisecond
			w.erMu.Unlock()
			time.Sleep(wait)
		}
		if w.opts.refuses && w.chance(6) {
			return true, ErrRefused
		}
		if w.opts.forgets && w.chance(8) {
			return true, nil
		}
		err := w.e.edit(d, true)
		if err == nil {
			w.did(w.fileOf(d.URI))
		}
		return true, err
	}
	w.e.onSave = func(uri string) error {
		f := w.fileOf(uri)
		if !w.opts.save {
			return ErrUnsupported
		}
		if f.exists && f.disk != f.base {
			return errors.New("the file has changed since it was read")
		}
		w.saveNow(f)
		f.saves = true
		return nil
	}
	w.e.onReload = func(uri string) (bool, error) {
		f := w.fileOf(uri)
		if !f.exists || w.e.text(uri) != f.base {
			return false, nil
		}
		w.load(f)
		return true, nil
	}
	w.e.onAdopt = func(uri string, version int32, s string) (bool, error) {
		f := w.fileOf(uri)
		w.e.wire.Lock()
		defer w.e.wire.Unlock()
		w.e.mu.Lock()
		ok := w.e.docs[uri].version == version && f.exists
		old := w.e.docs[uri].text.String()
		w.e.mu.Unlock()
		if !ok {
			return false, nil
		}
		w.e.typeLocked(uri, 0, len(old), s)
		f.base = f.disk
		w.did(f)
		return true, nil
	}
}

// typeBeside is a row that the user types while something else goes on.
func (w *modelWorld) typeBeside(f *modelFile) string {
	w.e.wire.Lock()
	defer w.e.wire.Unlock()
	now := w.e.text(f.uri)
	name := w.name("U")
	at := 0
	if rows := rowsOfText(now); w.r.IntN(2) == 0 && strings.HasSuffix(now, "\n") {
		at = len(now) - len(rows[len(rows)-1])
	}
	w.logf("  meanwhile the user, %s: [%d,%d) %q", f.name, at, at, name)
	w.e.typeLocked(f.uri, at, at, name+w.opts.eol)
	w.did(f)
	return name
}

func (w *modelWorld) dump(f *modelFile) {
	s := w.see(f)
	var hs []string
	for _, h := range s.hunks {
		hs = append(hs, fmt.Sprintf("%s %q>%q", h.State, h.BaseText, h.Text))
	}
	w.logf("   now %q base %q %q disk %q taken %q", s.text, s.base, hs, f.disk, f.taken)
}
