package session

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"acp-ls/buffers"
	"acp-ls/buffers/position"
	"acp-ls/internal/config"
	"acp-ls/internal/session/mention"
)

// maxEmbed is the largest file that is embedded whole; a larger one is linked.
const maxEmbed = 256 << 10

// pin fixes what spans of a prompt mean at the moment it was sent: ranges move
// with every keystroke after it. Spans of documents that are not open stay.
func (c *Core) pin(spans []Span) []Span {
	out := make([]Span, len(spans))
	for i, s := range spans {
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
			t := d.Text.Slice(start, max(start, end))
			first := d.Text.LineOf(start)
			last := d.Text.LineOf(end)
			if end > start && last > first && end == d.Text.LineStart(last) {
				last-- // the range ends before the first character of its last row
			}
			out[i].text, out[i].first, out[i].last = &t, first+1, last+1
			break
		}
	}
	return out
}

// blocks makes a prompt's content: its text, what it mentions and what goes
// along, as resources with the live text.
func (s *session) blocks(ctx context.Context, info AgentInfo, t *turn) ([]Block, error) {
	r := &resolver{s: s, ctx: ctx, prompt: t.prompt}
	mentions := mention.Resolve(t.prompt.Text, r)
	var others []mention.Source
	if t.prompt.Selection != nil {
		if src, ok := r.span(*t.prompt.Selection); ok {
			others = append(others, src)
		}
	}
	for _, span := range t.prompt.Context {
		if src, ok := r.span(span); ok {
			others = append(others, src)
		}
	}
	if len(mentions) == 0 && len(others) == 0 && strings.TrimSpace(t.prompt.Text) == "" && len(t.prompt.Images) == 0 {
		return nil, Errorf(KindInvalid, "what the prompt points at does not exist")
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
	for _, img := range t.prompt.Images {
		if !info.Image {
			s.notice(t.id, EntryNotice, s.agentName+" takes no images; the prompt went without them")
			break
		}
		out = append(out, Block{Type: "image", Data: img.Data, MimeType: img.MimeType, URI: img.URI})
	}
	return out, nil
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
	var names []string
	budget := maxEmbed
	for _, a := range s.core.attached() {
		for _, d := range a.store.All() {
			if p := d.Path(); p == "" || clean(d) || !inRoots(s.roots(), string(p)) {
				continue
			}
			src := r.document(d)
			names = append(names, src.Name)
			if carried[src.URI] {
				continue
			}
			if len(src.Text) > budget {
				src.Link, src.Text = true, ""
			}
			budget -= len(src.Text)
			out = append(out, src)
		}
	}
	if len(names) > 0 {
		r.dirtyNote = "These files are open in the editor with changes that are not saved, so the disk has an older text: " +
			strings.Join(names, ", ") + ". Where their text is given here it is the current one; read them with the client's file reading if you can."
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
			if err := a.editor.Save(ctx, d.URI); err != nil {
				s.core.log.Info("save before prompt", "uri", d.URI, "err", err)
			}
		}
	}
}

// resolver says what mentions in a prompt stand for.
type resolver struct {
	s         *session
	ctx       context.Context
	prompt    Prompt
	dirtyNote string
}

var _ mention.Resolver = (*resolver)(nil)

func (r *resolver) name(p buffers.Path) string {
	if rel, err := filepath.Rel(r.s.cwd, string(p)); err == nil && inRoots(r.s.roots(), string(p)) {
		return filepath.ToSlash(rel)
	}
	return string(p)
}

// document is a whole open document.
func (r *resolver) document(d *buffers.Document) mention.Source {
	src := mention.Source{URI: d.URI, Name: d.URI, Language: d.LanguageID, Text: d.Text.String()}
	if p := d.Path(); p != "" {
		src.URI, src.Name = buffers.PathURI(string(p)), r.name(p)
		r.s.ledger.saw(p, d.Text)
	}
	return src
}

// span is what the editor pointed at.
func (r *resolver) span(sp Span) (mention.Source, bool) {
	if sp.text != nil {
		src := mention.Source{URI: sp.URI, Name: sp.URI, Text: *sp.text, Lines: mention.Lines{First: sp.first, Last: sp.last}}
		if p, ok := r.s.core.pathOf(sp.URI); ok {
			src.URI, src.Name = buffers.PathURI(string(p)), r.name(p)
			if t, err := r.s.core.readText(p); err == nil {
				r.s.ledger.saw(p, t)
			}
		}
		return src, true
	}
	for _, a := range r.s.core.attached() {
		if d, ok := a.Document(sp.URI); ok {
			return r.document(d), true
		}
	}
	name, ok := buffers.URIPath(sp.URI)
	if !ok {
		return mention.Source{}, false
	}
	var lines mention.Lines
	if sp.Range != nil {
		lines = mention.Lines{First: int(sp.Range.Start.Line) + 1, Last: int(sp.Range.End.Line) + 1}
	}
	return r.File(name, lines)
}

func (r *resolver) File(path string, lines mention.Lines) (mention.Source, bool) {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return mention.Source{}, false
		}
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(r.s.cwd, filepath.FromSlash(path))
	}
	p, err := buffers.Resolve(path)
	if err != nil {
		return mention.Source{}, false
	}
	src := mention.Source{URI: buffers.PathURI(string(p)), Name: r.name(p), Lines: lines}
	t, err := r.s.core.readText(p)
	if err != nil {
		st, statErr := os.Stat(string(p))
		if statErr != nil || st.IsDir() && !lines.Whole() {
			return mention.Source{}, false
		}
		src.Link, src.Lines = true, mention.Lines{} // a folder, or not text
		return src, true
	}
	if lines.Whole() && t.Len() > maxEmbed {
		src.Link = true
		return src, true
	}
	cut, got, ok := mention.Cut(t.String(), lines)
	if !ok {
		return mention.Source{}, false
	}
	r.s.ledger.saw(p, t)
	src.Text, src.Lines = cut, got
	return src, true
}

func (r *resolver) Selection() (mention.Source, bool) {
	if r.prompt.Selection != nil {
		return r.span(*r.prompt.Selection)
	}
	if st, a, ok := r.s.core.editorState(r.ctx); ok && len(st.Ranges) > 0 && st.Ranges[0].Start != st.Ranges[0].End {
		if d, open := a.Document(st.Active); open {
			return r.span(r.s.core.pin([]Span{{URI: d.URI, Range: &st.Ranges[0]}})[0])
		}
	}
	return mention.Source{}, false
}

func (r *resolver) Buffer() (mention.Source, bool) {
	uri := ""
	if st, _, ok := r.s.core.editorState(r.ctx); ok {
		uri = st.Active
	}
	if uri == "" && r.prompt.Selection != nil {
		uri = r.prompt.Selection.URI
	}
	if uri == "" && len(r.prompt.Context) > 0 {
		uri = r.prompt.Context[0].URI
	}
	for _, a := range r.s.core.attached() {
		if d, ok := a.Document(uri); ok {
			return r.document(d), true
		}
	}
	return mention.Source{}, false
}

func (r *resolver) Open() []mention.Source {
	var out []mention.Source
	for _, a := range r.s.core.attached() {
		for _, d := range a.store.All() {
			if d.Path() == "" {
				continue
			}
			src := r.document(d)
			if len(src.Text) > maxEmbed {
				src.Link, src.Text = true, ""
			}
			out = append(out, src)
		}
	}
	return out
}

// Diff is what git sees as changed in the session's folder, staged or not.
func (r *resolver) Diff() (mention.Source, bool) {
	ctx, cancel := context.WithTimeout(r.ctx, gitWait)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", "-C", r.s.cwd, "diff", "--no-color", "--no-ext-diff", "HEAD", "--", ".")
	cmd.Env = append(os.Environ(), "GIT_OPTIONAL_LOCKS=0")
	out, err := cmd.Output()
	if err != nil || len(out) == 0 {
		return mention.Source{}, false
	}
	if len(out) > maxEmbed {
		out = append(out[:maxEmbed], "\n[cut: the diff is longer]\n"...)
	}
	return mention.Source{URI: buffers.PathURI(r.s.cwd), Name: "git diff", Language: "diff",
		Text: strings.ToValidUTF8(string(out), "\uFFFD")}, true
}

// gitWait bounds a call of git that the user waits for.
const gitWait = 5 * time.Second

// editorState asks the first editor that can tell what the user looks at.
func (c *Core) editorState(ctx context.Context) (EditorState, *Attachment, bool) {
	for _, a := range c.attached() {
		if !a.editor.Can("editor") {
			continue
		}
		ctx, cancel := context.WithTimeout(ctx, editorWait)
		st, err := a.editor.State(ctx)
		cancel()
		if err == nil {
			return st, a, true
		}
	}
	return EditorState{}, nil, false
}

// editorWait bounds a question to the editor that needs no user.
const editorWait = 2 * time.Second
