package session

import (
	"context"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
)

// EditorTools brings the tools of a session to its agent. Package mcp
// implements it.
type EditorTools interface {
	// Offer says how an agent reaches these tools. It is called each time the
	// session is opened at its agent, and answers alike each time. What it
	// answers is valid until the Done channel of the tools is closed.
	Offer(*Tools) (MCPServer, error)
}

// Tools are what the agent of one session can do with the editor beyond ACP: it
// sees what the user sees and edits what the user edits. They admit what
// reading and writing files by ACP admit, and nothing else; of other sessions
// nothing is told. Methods may be called from any goroutine.
type Tools struct {
	s     *session
	done  chan struct{}
	ended sync.Once

	mu       sync.Mutex                   // taken after a session's and before none
	versions map[buffers.Path][]text.Text // what was read or made, oldest first
	unnamed  []*naming                    // edits whose tool call has not come yet, oldest first
	claimed  map[string]bool              // tool calls that an edit is of
	late     []*lateEdit                  // edits whose calls were answered before, oldest first
}

// versionDepth bounds the versions of one file that an edit can be meant for.
const versionDepth = 12

func newTools(s *session) *Tools {
	return &Tools{s: s, done: make(chan struct{}), versions: map[buffers.Path][]text.Text{}, claimed: map[string]bool{}}
}

func (t *Tools) end() { t.ended.Do(func() { close(t.done) }) }

// Session is the session's id.
func (t *Tools) Session() string { return t.s.id }

// Done is closed when the session has ended.
func (t *Tools) Done() <-chan struct{} { return t.done }

// offerTools is the server of our own tools for the agent, unless the user has
// turned it off. A session without it is better than none.
func (s *session) offerTools() (MCPServer, bool) {
	if s.core.tools == nil || !s.core.settings().EditorTools {
		return MCPServer{}, false
	}
	srv, err := s.core.tools.Offer(s.tools)
	if err != nil {
		s.core.log.Warn("editor tools are not offered", "session", s.id, "err", err)
	}
	return srv, err == nil
}

func (t *Tools) usable() error {
	select {
	case <-t.done:
		return Errorf(KindUnknownSession, "the session has ended")
	default:
	}
	if !t.s.core.settings().EditorTools {
		return Errorf(KindInvalid, "the user has turned the editor's tools off (setting editorTools); use your own tools")
	}
	t.s.mu.Lock()
	defer t.s.mu.Unlock()
	t.s.hasPrompt()
	return nil
}

// absolute lets a path be relative to the session's folder, as models like to
// have it.
func (t *Tools) absolute(path string) string {
	if _, ok := buffers.URIPath(path); ok || filepath.IsAbs(path) {
		return path
	}
	if _, _, ok := t.documentNamed(path); ok { // a document that is no file
		return path
	}
	return filepath.Join(t.s.cwd, path)
}

// Version names a text: an edit says by it what it was made from.
func versionOf(t text.Text) string {
	h := t.Hash()
	return hex.EncodeToString(h[:6])
}

func (t *Tools) keep(p buffers.Path, x text.Text) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	list := slices.DeleteFunc(t.versions[p], func(o text.Text) bool { return o.Equal(x) })
	list = append(list, x)
	if len(list) > versionDepth {
		list = slices.Delete(list, 0, len(list)-versionDepth)
	}
	t.versions[p] = list
	return versionOf(x)
}

func (t *Tools) version(p buffers.Path, name string) (text.Text, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, x := range slices.Backward(t.versions[p]) {
		if versionOf(x) == name {
			return x, true
		}
	}
	return text.Text{}, false
}

// BufferText is a part of a text as it is now. Lines are 1-based, First after
// Last if there are none; Total counts those of the whole text.
type BufferText struct {
	Path               string // or the URI of a document that is no file
	Version            string // empty for a document that cannot be edited
	Text               string
	First, Last, Total int
	Open, Unsaved      bool
}

// Read returns limit lines from the 1-based line on, all of them if limit is 0.
// A document that is no file is named by its URI.
func (t *Tools) Read(ctx context.Context, path string, line, limit int) (BufferText, error) {
	if err := t.usable(); err != nil {
		return BufferText{}, err
	}
	path = t.absolute(path)
	if _, d, ok := t.documentNamed(path); ok && d.Path() == "" {
		if err := t.s.admitDocument(ctx, d); err != nil {
			return BufferText{}, err
		}
		b := BufferText{Path: d.URI, Open: true, Unsaved: true}
		b.take(d.Text, line, limit)
		return b, nil
	}
	p, x, err := t.s.read(ctx, path)
	if err != nil {
		return BufferText{}, err
	}
	b := BufferText{Path: string(p), Version: t.keep(p, x)}
	b.Open, b.Unsaved = t.s.core.openState(p)
	b.take(x, line, limit)
	return b, nil
}

func (b *BufferText) take(x text.Text, line, limit int) {
	b.Total = lineCount(x)
	b.First = min(max(line, 1), b.Total+1)
	b.Last = b.Total
	if limit > 0 {
		b.Last = min(b.Total, b.First+limit-1)
	}
	if b.First <= b.Last {
		b.Text = x.Slice(x.LineStart(b.First-1), x.LineStart(b.Last))
	}
}

// lineCount counts lines as people do: a line end at the end begins no line.
func lineCount(x text.Text) int {
	n := x.LineCount()
	if n > 0 && x.LineStart(n-1) == x.Len() {
		n--
	}
	return n
}

// openState tells whether a file is open in an editor, and not saved.
func (c *Core) openState(p buffers.Path) (open, unsaved bool) {
	f := c.file(p)
	f.mu.Lock()
	defer f.mu.Unlock()
	_, d, open := f.live()
	return open, open && !clean(d)
}

// documentNamed is the open document of that URI that agents may know of.
func (t *Tools) documentNamed(uri string) (*Attachment, *buffers.Document, bool) {
	for _, a := range t.s.core.attached() {
		if d, ok := a.Document(uri); ok && !ours(d) {
			return a, d, true
		}
	}
	return nil, nil, false
}

// ours tells that a document is a surface of acp-ls itself: a chat holds what
// other sessions said.
func ours(d *buffers.Document) bool {
	return d.LanguageID == "acp-chat" || d.LanguageID == "acp-prompt" || strings.HasPrefix(d.URI, "acp-")
}

// Buffer is one open document. Visible is nil where the editor does not tell.
type Buffer struct {
	Path     string // or the URI of a document that is no file
	Language string
	Lines    int
	Unsaved  bool
	Active   bool
	Visible  *bool
	Outside  bool // of the session's folder: reading it asks the user
}

// Buffers lists the open documents, the one the user works in first.
func (t *Tools) Buffers(ctx context.Context) ([]Buffer, error) {
	if err := t.usable(); err != nil {
		return nil, err
	}
	c := t.s.core
	var out []Buffer
	seen := map[string]int{}
	for _, a := range c.attached() {
		state, err := a.editor.State(ctx)
		told := err == nil
		for _, d := range a.store.All() {
			if ours(d) {
				continue
			}
			b := Buffer{Path: d.URI, Language: d.LanguageID, Lines: lineCount(d.Text), Unsaved: true}
			if p := d.Path(); p != "" {
				b.Path, b.Unsaved, b.Outside = string(p), !clean(d), !inRoots(t.s.roots(), string(p))
			}
			if b.Outside && c.settings().Files.Outside == config.OutsideDeny {
				continue
			}
			if told {
				visible := slices.Contains(state.Visible, d.URI)
				b.Visible, b.Active = &visible, state.Active == d.URI
			}
			if i, ok := seen[b.Path]; ok { // in two editors, or by two names
				o := &out[i]
				o.Unsaved, o.Active = o.Unsaved || b.Unsaved, o.Active || b.Active
				if o.Visible == nil || b.Visible != nil && *b.Visible {
					o.Visible = b.Visible
				}
				continue
			}
			seen[b.Path] = len(out)
			out = append(out, b)
		}
	}
	slices.SortStableFunc(out, func(a, b Buffer) int {
		if a.Active != b.Active {
			if a.Active {
				return -1
			}
			return 1
		}
		return strings.Compare(a.Path, b.Path)
	})
	return out, ctx.Err()
}
