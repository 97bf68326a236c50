package session

import (
	"cmp"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"acp-ls/buffers"
)

// Completion is one proposal for a prompt's text: bytes [Start, End) of it
// become InsertText. Kind is file, folder, word or command.
type Completion struct {
	Label      string `json:"label"`
	Kind       string `json:"kind"`
	Detail     string `json:"detail,omitempty"`
	InsertText string `json:"insertText"`
	Start      int    `json:"start"`
	End        int    `json:"end"`
}

const (
	maxCompletions = 100
	// maxWalked bounds the files that are looked at for one completion.
	maxWalked = 20000
)

// Complete proposes what can stand at byte offset of a prompt's text: after @
// the mentions, after / at its beginning the agent's commands.
func (c *Core) Complete(id, text string, offset int) []Completion {
	if offset < 0 || offset > len(text) {
		return nil
	}
	s := c.sessionForCompletion(id)
	head := text[:offset]
	if rest, ok := strings.CutPrefix(head, "/"); ok && !strings.ContainsAny(rest, " \t\n") {
		return s.completeCommands(rest, offset)
	}
	at := strings.LastIndexByte(head, '@')
	if at < 0 || strings.ContainsAny(head[at:], " \t\n") {
		return nil
	}
	if r, size := utf8.DecodeLastRuneInString(head[:at]); size > 0 && !strings.ContainsRune(" \t\n([{\"'`,;:", r) {
		return nil
	}
	return c.completeMentions(s, head[at+1:], at, offset)
}

// sessionForCompletion is the one named, else the newest; it may be nil.
func (c *Core) sessionForCompletion(id string) *session {
	for _, s := range slices.Backward(c.allSessions()) {
		if id == "" || s.id == id {
			return s
		}
	}
	return nil
}

func (s *session) completeCommands(prefix string, offset int) []Completion {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []Completion
	for _, cmd := range s.commands {
		if strings.HasPrefix(cmd.Name, prefix) {
			out = append(out, Completion{Label: "/" + cmd.Name, Kind: "command", Detail: cmd.Description,
				InsertText: "/" + cmd.Name + " ", Start: 0, End: offset})
		}
	}
	return out
}

var mentionWords = []struct{ word, detail string }{
	{"selection", "what is selected in the editor"},
	{"buffer", "the document in front"},
	{"open", "all open documents"},
	{"diff", "what git sees as changed"},
}

func (c *Core) completeMentions(s *session, prefix string, start, end int) []Completion {
	prefix = strings.TrimPrefix(prefix, `"`)
	var out []Completion
	for _, w := range mentionWords {
		if strings.HasPrefix(w.word, prefix) {
			out = append(out, Completion{Label: "@" + w.word, Kind: "word", Detail: w.detail, InsertText: "@" + w.word, Start: start, End: end})
		}
	}
	var cwd string
	if s != nil {
		cwd = s.cwd
	} else {
		cwd = c.folderFor(c.ctx, "", false, nil).path
	}
	roots := []string{cwd}
	if p, err := buffers.Resolve(cwd); err == nil {
		roots = append(roots, c.otherRoots(string(p))...)
	}
	seen := map[string]bool{}
	add := func(name, kind, detail string) {
		if seen[name] || len(out) >= maxCompletions {
			return
		}
		seen[name] = true
		insert := "@" + name
		if strings.ContainsAny(name, " \t") {
			insert = `@"` + name + `"`
		}
		out = append(out, Completion{Label: "@" + name, Kind: kind, Detail: detail, InsertText: insert, Start: start, End: end})
	}
	for _, a := range c.attached() {
		for _, d := range a.store.All() {
			if p := d.Path(); p != "" {
				if name := relName(cwd, string(p)); inRoots(roots, string(p)) && matches(name, prefix) {
					add(name, "file", "open")
				}
			} else if !strings.HasPrefix(d.LanguageID, "acp-") && matches(d.URI, prefix) { // no prompt or chat
				add(d.URI, "file", "open, in no file yet")
			}
		}
	}
	for _, root := range roots {
		for _, f := range filesUnder(cwd, root, prefix) {
			kind := "file"
			if strings.HasSuffix(f, "/") {
				kind = "folder"
			}
			add(f, kind, "")
		}
	}
	return out
}

// matches tells whether the letters of prefix occur in name in order, which is
// how people abbreviate paths.
func matches(name, prefix string) bool {
	name, prefix = strings.ToLower(name), strings.ToLower(prefix)
	for _, r := range prefix {
		i := strings.IndexRune(name, r)
		if i < 0 {
			return false
		}
		name = name[i+utf8.RuneLen(r):]
	}
	return true
}

// filesUnder lists files in root whose name, seen from cwd, matches: those that begin
// with prefix and the shorter ones first. Hidden folders and those of dependencies are left out
// unless the prefix names them.
func filesUnder(cwd, root, prefix string) []string {
	var found []string
	walked := 0
	_ = filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			if d != nil && d.IsDir() {
				return fs.SkipDir
			}
			return nil
		}
		if walked++; walked > maxWalked {
			return fs.SkipAll
		}
		if p == root {
			return nil
		}
		rel := relName(cwd, p)
		name := path.Base(rel)
		if d.IsDir() {
			if (strings.HasPrefix(name, ".") || name == "node_modules" || name == "vendor" || name == "target") && !strings.HasPrefix(prefix, rel) {
				return fs.SkipDir
			}
			rel += "/"
		}
		if matches(rel, prefix) {
			found = append(found, rel)
		}
		return nil
	})
	slices.SortStableFunc(found, func(a, b string) int {
		pa, pb := strings.HasPrefix(a, prefix), strings.HasPrefix(b, prefix)
		switch {
		case pa != pb && pa:
			return -1
		case pa != pb:
			return 1
		}
		return cmp.Or(cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/")), cmp.Compare(a, b))
	})
	if len(found) > maxCompletions {
		found = found[:maxCompletions]
	}
	return found
}
