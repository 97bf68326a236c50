package session

import (
	"cmp"
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
)

// A session whose folder is a workspace folder of an editor that has several of them works
// in all of those. Agents are told of the others when the session begins; what is in them
// is read, written and compared as what is in its own. Which they are is settled anew
// whenever a turn begins: folders come and go while an editor runs.

// roots are the folders the session works in, its own first.
func (s *session) roots() []string {
	if all := s.folders.Load(); all != nil {
		return *all
	}
	return []string{s.cwd}
}

// findRoots settles which folders the session works in.
func (s *session) findRoots() {
	all := append([]string{s.cwd}, s.core.otherRoots(s.cwd)...)
	s.folders.Store(&all)
}

// otherRoots are the workspace folders beside one, in the editors that have it open too.
// A folder that is no project is none: see whyLoose.
func (c *Core) otherRoots(folder string) (others []string) {
	for _, a := range c.attached() {
		var roots []string
		for _, r := range a.rootsNow() {
			if p, err := buffers.Resolve(r); err == nil {
				roots = append(roots, string(p))
			}
		}
		if !slices.Contains(roots, folder) {
			continue
		}
		for _, r := range roots {
			st, err := os.Stat(r)
			if r != folder && !slices.Contains(others, r) && err == nil && st.IsDir() && !checkpoint.Everything(r) {
				others = append(others, r)
			}
		}
	}
	return others
}

// moreRootsFor are the folders beside its own that an agent is told of when the session
// begins, if it wants to know.
func (s *session) moreRootsFor(info AgentInfo) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.knows = nil
	if info.MoreRoots {
		s.knows = s.roots()[1:]
	}
	return s.knows
}

// foldersNote tells the agent with a prompt which folders there are beside its own, if it
// has not been told.
func (s *session) foldersNote() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	more := s.roots()[1:]
	if slices.Equal(more, s.knows) {
		return ""
	}
	s.knows = more
	if len(more) == 0 {
		return "The user's workspace has no other folder than " + s.cwd + " any more."
	}
	return "The user's workspace has these folders beside " + s.cwd + ", in which you may work as well: " + strings.Join(more, ", ")
}

// rootOf is the folder of the session that a file lies in; the innermost one, if they lie
// in each other. Of a file that is in none it is the session's own.
func rootOf(roots []string, path string) string {
	holds := func(r string) int {
		if !inRoots([]string{r}, path) {
			return -1
		}
		return len(r)
	}
	root := slices.MaxFunc(roots, func(a, b string) int { return cmp.Compare(holds(a), holds(b)) })
	if holds(root) < 0 {
		return roots[0]
	}
	return root
}

// worksIn reports whether the session's files may be in a folder.
func (s *session) worksIn(folder string) bool {
	return slices.ContainsFunc(s.roots(), func(r string) bool {
		return inRoots([]string{r}, folder) || inRoots([]string{folder}, r)
	})
}

// relName is how a file is named in a session: relative to its folder if it is in there,
// or beside it.
func relName(cwd, path string) string {
	up := ".." + string(filepath.Separator)
	if rel, err := filepath.Rel(cwd, path); err == nil && !hasPrefixTwice(rel, up) {
		return filepath.ToSlash(rel)
	}
	return filepath.ToSlash(path)
}

func hasPrefixTwice(s, prefix string) bool {
	twice := prefix + prefix
	return len(s) >= len(twice) && s[:len(twice)] == twice
}

// points are the checkpoints of a turn: of each of the session's folders one, its own
// first. What lies in two of them is the inner one's.
type points struct {
	roots []string
	of    []*checkpoint.Checkpoint
}

// forRoot is the checkpoint of a folder; nil if there is none. p may be nil.
func (p *points) forRoot(root string) *checkpoint.Checkpoint {
	if p != nil {
		if i := slices.Index(p.roots, root); i >= 0 {
			return p.of[i]
		}
	}
	return nil
}

func (p *points) at(path buffers.Path) *checkpoint.Checkpoint {
	return p.forRoot(rootOf(p.roots, string(path)))
}

func (p *points) Before(ctx context.Context, path buffers.Path) (checkpoint.State, error) {
	return p.at(path).Before(ctx, path)
}

func (p *points) Covers(ctx context.Context, path buffers.Path) (bool, error) {
	return p.at(path).Covers(ctx, path)
}

func (p *points) Copy(ctx context.Context, path buffers.Path) (checkpoint.Copy, error) {
	return p.at(path).Copy(ctx, path)
}

func (p *points) Look(path buffers.Path) checkpoint.State { return p.at(path).Look(path) }

// Changes are those in all folders. One that cannot be compared does not keep the others
// from being.
func (p *points) Changes(ctx context.Context) (changes []checkpoint.Change, err error) {
	for i, point := range p.of {
		some, failed := point.Changes(ctx)
		err = errors.Join(err, failed)
		for _, ch := range some {
			if rootOf(p.roots, string(ch.Path)) == p.roots[i] {
				changes = append(changes, ch)
			}
		}
	}
	return changes, err
}
