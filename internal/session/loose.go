package session

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
)

// A session whose folder nobody chose, or whose folder is no project but holds whatever
// all programs of the user write, cannot take what changes in it for its agent's. It
// works there all the same, but reviews open documents and what the agent names, and
// nothing else is looked at.

// folder is where a session is to work.
type folder struct {
	path string
	none bool // no editor has a folder open, and nobody has named one
}

// noFolder is told of a session without a folder.
const noFolder = "No folder is open: what the agent changes is shown in open files and in those that its tool calls name, and nowhere else. Open a folder to have all of its changes there reviewed"

// whyLoose says why what is in a folder is not compared; empty: it is. p is its path,
// links resolved.
func (a folder) whyLoose(p buffers.Path) string {
	switch {
	case a.none:
		return noFolder
	case checkpoint.Everything(string(p)):
		return fmt.Sprintf("%s is no project: what the agent changes is shown in open files and in those that its tool calls name, and nowhere else. Open the folder of a project to have all of its changes there reviewed", p)
	}
	return ""
}

// folderFor finds the folder of a session: cwd, which was chosen by whoever asks, or is
// that of an earlier session; else a workspace folder: of several the one that holds what
// the user has pointed at, or looks at, by default the first; else the folder of such a
// document; else the home folder.
func (c *Core) folderFor(ctx context.Context, cwd string, chosen bool, pointed []Span) folder {
	open := c.workspaceFolders()
	switch {
	case cwd != "":
		return folder{cwd, len(open) == 0 && !chosen}
	case len(open) == 1:
		return folder{open[0], false}
	}
	var uris []string
	for _, sp := range pointed {
		uris = append(uris, sp.URI)
	}
	if st, _, ok := c.editorState(ctx); ok {
		uris = append(append(uris, st.Active), st.Visible...)
	}
	for _, uri := range uris {
		switch dir, ok := folderOf(uri); {
		case !ok:
		case len(open) == 0:
			return folder{dir, true}
		case inRoots(open, dir):
			return folder{rootOf(open, dir), false}
		}
	}
	if len(open) > 0 {
		return folder{open[0], false}
	}
	home, err := os.UserHomeDir()
	if err != nil {
		home = existing(os.TempDir())
	}
	return folder{home, true}
}

// workspaceFolders are those of the first editor that has any.
func (c *Core) workspaceFolders() []string {
	for _, a := range c.attached() {
		if roots := a.rootsNow(); len(roots) > 0 {
			return roots
		}
	}
	return nil
}

// folderOf is the folder of a document, or what there is of it; false: it is no file.
func folderOf(uri string) (string, bool) {
	p, ok := buffers.URIPath(uri)
	if !ok || !filepath.IsAbs(p) {
		return "", false
	}
	return existing(filepath.Dir(p)), true
}

// spans are what a prompt points at.
func (r Prompt) spans() []Span {
	if r.Selection == nil {
		return r.Context
	}
	return append([]Span{*r.Selection}, r.Context...)
}

// reviews reports whether what happens to a file may be the session's though it does not
// name it.
func (s *session) reviews(p buffers.Path) bool {
	switch {
	case s.core.isOwn(p):
		return false
	case s.loose != "":
		_, open := s.core.opened.Load(p)
		return open
	}
	return inRoots(s.roots(), string(p))
}

// isOwn reports whether a file is one that acp-ls itself writes.
func (c *Core) isOwn(p buffers.Path) bool { return len(c.own) > 0 && inRoots(c.own, string(p)) }

// nameRead copies a file that the agent is about to read, and may then write by other means.
func (s *session) nameRead(ctx context.Context, p buffers.Path) {
	s.mu.Lock()
	if s.running != nil {
		s.toName = append(s.toName, string(p))
	}
	s.mu.Unlock()
	s.takeNamed(ctx)
}
