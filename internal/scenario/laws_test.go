package scenario

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// laws are the texts that a step must not change.
type laws struct {
	w         *world
	baselines map[string]string
	texts     map[string]string
	what      string
}

func (w *world) openFiles() []string {
	var out []string
	for _, f := range w.story.archive.Files {
		if _, ok := w.theEditor().Text(w.uri(f.Name)); ok {
			out = append(out, f.Name)
		}
	}
	return out
}

// lawsOfDecision: accept never changes a text, and nothing but accept and
// resolve a baseline. Where something is proposed, a decision can be the one that
// lets it land; and to accept a conflict by itself is to resolve it.
func (w *world) lawsOfDecision(command string, in any) laws {
	if w.acceptsConflict(command, in) {
		return laws{w: w}
	}
	l := laws{w: w, what: command, baselines: map[string]string{}, texts: map[string]string{}}
	for _, name := range w.openFiles() {
		if proposed, err := w.reviews(map[string]any{"uri": w.uri(name), "state": "proposed"}); err != nil || len(proposed) > 0 && len(proposed[0].Hunks) > 0 {
			continue
		}
		switch command {
		case "acp.review.accept":
			l.texts[name], _ = w.editor.Text(w.uri(name))
		case "acp.review.reject", "acp.review.restore":
			if b, err := w.baseline(name); err == nil && !w.typing && (w.format == nil || w.canFormat) {
				l.baselines[name] = b
			}
		}
	}
	return l
}

// acceptsConflict reports whether one conflict, and nothing else, is accepted.
func (w *world) acceptsConflict(command string, in any) bool {
	m, _ := in.(map[string]any)
	ids, _ := m["hunks"].([]string)
	if command != "acp.review.accept" || len(ids) != 1 {
		return false
	}
	files, err := w.reviews(map[string]any{"state": "conflict"})
	return err == nil && slices.ContainsFunc(files, func(r review) bool {
		return slices.ContainsFunc(r.Hunks, func(h hunk) bool { return h.ID == ids[0] })
	})
}

// lawsBefore: an agent's write never changes the baseline, unless it was accepted
// beforehand.
func (s *scene) lawsBefore(_ context.Context, verb string, _ *args) laws {
	l := laws{w: s.w, what: "a write"}
	if verb != "write" || s.w.typing || s.w.format != nil && !s.w.canFormat || s.w.conf.current.Load().Review.Before() {
		return l
	}
	l.baselines = map[string]string{}
	for _, name := range s.w.openFiles() {
		if b, err := s.w.baseline(name); err == nil {
			l.baselines[name] = b
		}
	}
	return l
}

func (l laws) after(context.Context) error {
	for name, was := range l.baselines {
		now, err := l.w.baseline(name)
		if err != nil {
			return err
		}
		if now != was {
			return fmt.Errorf("law broken: %s changed the baseline of %s from %q to %q", l.what, name, was, now)
		}
	}
	for name, was := range l.texts {
		if now, _ := l.w.editor.Text(l.w.uri(name)); now != was {
			return fmt.Errorf("law broken: %s changed the text of %s from %q to %q", l.what, name, was, now)
		}
	}
	return nil
}

// finalChecks hold at the end of every story.
func (w *world) finalChecks() error {
	if w.editor == nil {
		return nil
	}
	files, err := w.reviews(map[string]any{})
	if err != nil {
		return err
	}
	var errs []error
	for _, f := range files {
		errs = append(errs, w.checkReview(f))
	}
	if w.can("session") {
		errs = append(errs, w.checkTranscripts())
	}
	return errors.Join(errs...)
}

// checkReview: with every pending hunk put back the text is the baseline.
func (w *world) checkReview(r review) error {
	if _, err := w.review(r.URI); err != nil {
		return err
	}
	text, open := w.editor.Text(r.URI)
	if !open {
		return nil
	}
	base, err := w.baseline(r.URI)
	if err != nil {
		return err
	}
	starts := lineStarts(text)
	at := func(line int) int {
		if line >= len(starts) {
			return len(text)
		}
		return starts[line]
	}
	got := text
	for _, h := range slices.Backward(r.Hunks) {
		if h.State != "pending" {
			continue
		}
		if was := text[at(h.Range.Start.Line):at(h.Range.End.Line)]; was != h.Text {
			return fmt.Errorf("%s: a hunk has %q, and in its place stands %q", r.URI, h.Text, was)
		}
		got = got[:at(h.Range.Start.Line)] + h.BaseText + got[at(h.Range.End.Line):]
	}
	if got != base {
		return fmt.Errorf("%s: with the hunks put back it is %q, and the baseline %q", r.URI, got, base)
	}
	return nil
}

func lineStarts(text string) []int {
	starts := []int{0}
	for i := range len(text) {
		if text[i] == '\n' || text[i] == '\r' && !strings.HasPrefix(text[i+1:], "\n") {
			starts = append(starts, i+1)
		}
	}
	return starts
}
