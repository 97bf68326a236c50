package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
	"acp-ls/internal/session/mention"
)

// pin fixes what spans of a prompt mean at the moment it was sent: ranges move
// with every keystroke after it. Spans of documents that are not open stay.
func (c *Core) pin(spans []Span) []Span {
	out := make([]Span, len(spans))
	for i, s := range spans {
		if m, ok := c.marks.resolve(s.Mark); ok {
			s = m
		}
		out[i] = s
		if s.Range == nil || s.text != nil {
			continue
		}
		for _, a := range c.attached() {
			d, ok := a.Document(s.URI)
			if !ok {
				continue
			}
			start, end := position.RangeOffsets(d.Text, *s.Range, a.enc)
			out[i] = s.pinnedTo(d.Text, start, end)
			break
		}
	}
	return out
}

// pinnedTo returns s as what the bytes [start, end) of t are now.
func (s Span) pinnedTo(t text.Text, start, end int) Span {
	held := t.Slice(start, max(start, end))
	first, last := t.LineOf(start), t.LineOf(end)
	if end > start && last > first && end == t.LineStart(last) {
		last-- // the range ends before the first character of its last row
	}
	s.text, s.first, s.last = &held, first+1, last+1
	return s
}

// blocks makes a prompt's content: its text, what it mentions and what goes
// along, as resources with the live text.
func (s *session) blocks(ctx context.Context, info AgentInfo, t *turn) ([]Block, error) {
	r := &resolver{s: s, ctx: ctx, prompt: t.prompt, why: map[mention.Kind]string{}}
	mentions, nothing := mention.Resolve(t.prompt.Text, r)
	var others []mention.Source
	lost := lostWords(nothing, r.why)
	along := func(what string, span Span) {
		if src, ok := r.span(span); ok {
			others = append(others, src)
			return
		}
		l := lostThing{what, span.whyNothing()}
		if !slices.ContainsFunc(lost, func(o lostThing) bool { return o.why == l.why }) {
			lost = append(lost, l) // unless @selection has said so
		}
	}
	if t.prompt.Selection != nil {
		along("the selection", *t.prompt.Selection)
	}
	for _, span := range t.prompt.Context {
		along("the context", span)
	}
	if len(mentions) == 0 && len(others) == 0 && strings.TrimSpace(t.prompt.Text) == "" && len(t.prompt.Images) == 0 {
		return nil, Errorf(KindInvalid, "what the prompt points at does not exist")
	}
	for _, l := range lost {
		s.notice(t.id, EntryNotice, l.what+" names nothing: "+l.why)
	}
	others = append(others, s.dirtyDocuments(r, mentions, others)...)
	if news, ok := s.news(); ok {
		others = append(others, news)
	}
	var out []Block
	for _, b := range mention.Blocks(t.prompt.Text, mentions, others, info.EmbeddedContext) {
		out = append(out, Block{Type: b.Type, Text: b.Text, URI: b.URI, Name: b.Name, MimeType: b.MimeType})
	}
	if r.dirtyNote != "" {
		out = append(out, Block{Type: "text", Text: r.dirtyNote})
	}
	if note := r.largeNote(t.id); note != "" {
		out = append(out, Block{Type: "text", Text: note})
	}
	if users, agents := r.withheldNotes(); agents != "" {
		s.notice(t.id, EntryNotice, users)
		out = append(out, Block{Type: "text", Text: agents})
	}
	if note := s.foldersNote(); note != "" {
		out = append(out, Block{Type: "text", Text: note})
	}
	if note := wordsNote(mentions, lost); note != "" {
		out = append(out, Block{Type: "text", Text: note})
	}
	for _, img := range t.prompt.Images {
		if !info.Image {
			s.notice(t.id, EntryNotice, s.agentName+" takes no images; the prompt went without them")
			break
		}
		out = append(out, Block{Type: "image", Data: img.Data, MimeType: img.MimeType, URI: img.URI})
	}
	return out, nil
}

// whyNothing says why a span that names nothing does so.
func (s Span) whyNothing() string {
	if s.gone {
		return "its text in " + shownURI(s.URI) + " is gone"
	}
	return shownURI(s.URI) + " is neither open nor on disk"
}

// lostThing is something a prompt points at that is not there.
type lostThing struct{ what, why string }

func lostWords(words []mention.Kind, why map[mention.Kind]string) []lostThing {
	var lost []lostThing
	for _, w := range words {
		lost = append(lost, lostThing{w.String(), why[w]})
	}
	return lost
}

// wordsNote tells the agent what the words among the mentions stand for, which
// the text of a prompt does not say, and what is not there: an agent that guesses
// takes another file.
func wordsNote(mentions []mention.Mention, lost []lostThing) string {
	var lines []string
	for _, m := range mentions {
		for _, src := range m.Sources {
			line := fmt.Sprintf("%s is %s", m.Kind, src.Reference())
			if m.Kind != mention.File && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	for _, l := range lost {
		lines = append(lines, l.what+" names nothing: "+l.why)
	}
	return strings.Join(lines, "\n")
}

// shownURI is how a URI is shown to people.
func shownURI(uri string) string {
	if p, ok := buffers.URIPath(uri); ok {
		return p
	}
	return uri
}

// dirtyDocuments are the unsaved documents in the session's folder that the
// prompt does not carry already: an agent that reads the disk would see them
// as they were.
func (s *session) dirtyDocuments(r *resolver, mentions []mention.Mention, others []mention.Source) []mention.Source {
	switch s.core.settings().Files.Dirty {
	case config.DirtyIgnore:
		return nil
	case config.DirtySave: // what cannot be saved goes along
		s.saveDirty(r.ctx)
	}
	carried := map[string]bool{}
	for _, m := range mentions {
		for _, src := range m.Sources {
			carried[src.URI] = carried[src.URI] || src.Lines.Whole()
		}
	}
	for _, src := range others {
		carried[src.URI] = carried[src.URI] || src.Lines.Whole()
	}
	var out []mention.Source
	var names, large []string
	budget := maxEmbed // of all together: the prompt is the user's, and what they have open is not always what it is about
	for _, a := range s.core.attached() {
		for _, d := range a.store.All() {
			if p := d.Path(); p == "" || clean(d) || !inRoots(s.roots(), string(p)) {
				continue
			}
			src := r.linkTo(d.Path())
			names = append(names, src.Name)
			if carried[src.URI] {
				continue
			}
			switch size := d.Text.Len(); {
			case !s.tellsDocument(d): // the agent can ask for it
			case size > budget:
				src.Size = size
				large = append(large, src.Name)
				r.tooLarge(src)
			default:
				src = r.document(d)
			}
			if r.unasked == nil {
				r.unasked = map[string]bool{}
			}
			r.unasked[src.URI] = true
			budget -= len(src.Text)
			out = append(out, src)
		}
	}
	if len(names) > 0 {
		r.dirtyNote = "These files are open in the editor with changes that are not saved, so the disk has an older text: " +
			strings.Join(names, ", ") + ". Where their text is given here it is the current one; read them with the client's file reading if you can." +
			" To change one of them write it through the client, or with edit_buffer if you have that tool, rather than on disk."
		if len(large) > 0 {
			r.dirtyNote += fmt.Sprintf(" Not given here, as all together have more than %d kB: %s.", maxEmbed>>10, strings.Join(large, ", "))
		}
	}
	return out
}

// saveDirty saves the unsaved documents in the session's folder, as the user
// would.
func (s *session) saveDirty(ctx context.Context) {
	for _, a := range s.core.attached() {
		for _, d := range a.store.All() {
			p := d.Path()
			if p == "" || clean(d) || !inRoots(s.roots(), string(p)) {
				continue
			}
			s.core.file(p).asksToSave(d.Text)
			if err := a.editor.Save(ctx, d.URI, 0, true); err != nil {
				s.core.log.Info("save before prompt", "uri", d.URI, "err", err)
			}
		}
	}
}
