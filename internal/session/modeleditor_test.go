package session

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"acp-ls/buffers"
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

// unwilling tells whether the editor may not make an edit once more: what it never makes is given
// up after maxTries, and then is not in the text until somebody tries again.
func (w *modelWorld) unwilling() bool {
	w.erMu.Lock()
	defer w.erMu.Unlock()
	w.refusals++
	return w.refusals < maxTries
}

func (w *modelWorld) willing() {
	w.erMu.Lock()
	defer w.erMu.Unlock()
	w.refusals = 0
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
		if w.opts.refuses && w.chance(6) && w.unwilling() {
			return true, ErrRefused
		}
		if w.opts.forgets && w.chance(8) && w.unwilling() {
			return true, nil
		}
		w.willing()
		err := w.e.edit(d, true)
		if err == nil {
			w.did(w.fileOf(d.URI))
		}
		return true, err
	}
	w.e.onSaving = func(uri string, format bool) error {
		f := w.fileOf(uri)
		if !w.opts.save {
			return ErrUnsupported
		}
		if f.exists && f.disk != f.base {
			return errors.New("the file has changed since it was read")
		}
		w.saveAs(f, format || !w.opts.marks, w.opts.marks)
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
	w.e.onBase = func(uri string, version int32, disk string) (bool, error) {
		f := w.fileOf(uri)
		w.e.wire.Lock()
		defer w.e.wire.Unlock()
		w.e.mu.Lock()
		defer w.e.mu.Unlock()
		if w.e.docs[uri].version < version {
			return false, nil
		}
		if f.exists && f.disk == disk {
			f.base = disk
		}
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
	o := w.c.file(buffers.Path(f.path))
	w.logf("   now %q base %q %q created %v deleted %v gone %v missing %v disk %q taken %q", s.text, s.base, hs, o.created, o.deleted, o.entire.gone, o.missing, f.disk, f.taken)
}
