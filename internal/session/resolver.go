package session

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"

	"acp-ls/buffers"
	"acp-ls/internal/session/mention"
)

// resolver says what mentions in a prompt stand for.
type resolver struct {
	s         *session
	ctx       context.Context
	prompt    Prompt
	dirtyNote string
	withheld  []string                // files of which only the name goes along
	why       map[mention.Kind]string // why words name nothing
	carried   map[string]int          // the sizes of what goes along, by reference
	large     []mention.Source        // what is too large to
	unasked   map[string]bool         // URIs of which nobody has asked that they go along
}

var _ mention.Resolver = (*resolver)(nil)

func (r *resolver) name(p buffers.Path) string {
	if inRoots(r.s.roots(), string(p)) {
		return relName(r.s.cwd, string(p))
	}
	return string(p)
}

// document is a whole open document that the user has pointed at.
func (r *resolver) document(d *buffers.Document) mention.Source {
	src := mention.Source{URI: d.URI, Name: d.URI, Language: d.LanguageID}
	p := d.Path()
	if p == "" { // nobody but us can read it
		src.Text = d.Text.String()
		return r.beginning(src)
	}
	src.URI, src.Name = buffers.PathURI(string(p)), r.name(p)
	if r.fits(&src, d.Text.Len()) {
		src.Text = d.Text.String()
		r.s.ledger.saw(p, d.Text)
	}
	return src
}

// linkTo names a file, of which the agent sees nothing.
func (r *resolver) linkTo(p buffers.Path) mention.Source {
	return mention.Source{URI: buffers.PathURI(string(p)), Name: r.name(p), Link: true}
}

// span is what the editor pointed at.
func (r *resolver) span(sp Span) (mention.Source, bool) {
	if sp.gone {
		return mention.Source{}, false
	}
	if sp.text != nil {
		src := mention.Source{URI: sp.URI, Name: sp.URI, Text: *sp.text, Lines: mention.Lines{First: sp.first, Last: sp.last}}
		if p, ok := r.s.core.pathOf(sp.URI); ok {
			src.URI, src.Name = buffers.PathURI(string(p)), r.name(p)
			if !r.fits(&src, len(*sp.text)) {
				src.Text = ""
			} else if t, err := r.s.core.readText(p); err == nil {
				r.s.ledger.saw(p, t)
			}
			return src, true
		}
		return r.beginning(src), true
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
	for _, a := range r.s.core.attached() {
		if d, ok := a.Document(path); ok && d.Path() == "" { // its URI is all the name it has
			src := r.document(d)
			src.Text, src.Lines, ok = mention.Cut(src.Text, lines)
			return src, ok
		}
	}
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
	if lines.Whole() && !r.fits(&src, t.Len()) {
		return src, true
	}
	cut, got, ok := mention.Cut(t.String(), lines)
	if !ok {
		return mention.Source{}, false
	}
	src.Lines = got
	if lines.Whole() || r.fits(&src, len(cut)) {
		r.s.ledger.saw(p, t)
		src.Text = cut
	}
	return src, true
}

// nothing notes why a word names nothing.
func (r *resolver) nothing(w mention.Kind, why string) (mention.Source, bool) {
	r.why[w] = why
	return mention.Source{}, false
}

func (r *resolver) Selection() (mention.Source, bool) {
	if given := r.prompt.Selection; given != nil {
		if src, ok := r.span(*given); ok {
			return src, true
		}
		return r.nothing(mention.Selection, given.whyNothing())
	}
	st, a, ok := r.s.core.editorState(r.ctx)
	switch {
	case !ok:
		return r.nothing(mention.Selection, "this editor does not tell what is selected")
	case len(st.Ranges) == 0 || st.Ranges[0].Start == st.Ranges[0].End:
		return r.nothing(mention.Selection, "nothing is selected")
	}
	d, open := a.Document(st.Active)
	if !open {
		return r.nothing(mention.Selection, "what is selected is in no file")
	}
	return r.span(r.s.core.pin([]Span{{URI: d.URI, Range: &st.Ranges[0]}})[0])
}

func (r *resolver) Buffer() (mention.Source, bool) {
	st, _, told := r.s.core.editorState(r.ctx)
	uri := st.Active
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
	switch {
	case uri != "":
		return r.nothing(mention.Buffer, shownURI(uri)+" is not open as a document")
	case !told:
		return r.nothing(mention.Buffer, "this editor does not tell which document is in front")
	}
	return r.nothing(mention.Buffer, "no document is in front")
}

func (r *resolver) Open() []mention.Source {
	var out []mention.Source
	for _, a := range r.s.core.attached() {
		for _, d := range a.store.All() {
			if d.Path() == "" {
				continue
			}
			if r.s.tellsDocument(d) {
				out = append(out, r.document(d))
				continue
			}
			src := r.linkTo(d.Path())
			r.withhold(src.Name)
			out = append(out, src)
		}
	}
	if out == nil {
		r.nothing(mention.Open, "no file is open")
	}
	return out
}

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
