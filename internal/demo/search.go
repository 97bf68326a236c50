package demo

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/demo/code"
)

// found is a file with something that was looked for.
type found struct {
	file target
	hits []code.Hit
}

func (t *turn) find(r request, targets []target) error {
	what := r.a
	if what == "" {
		return t.say("What shall I look for? Say it as in: find \"TODO\" in @main.go")
	}
	var all []found
	limited, where := "", "the folder"
	if len(targets) == 0 && !r.everywhere && t.prompt.lost(r, t.session.cwd) {
		return t.say(whichFile)
	}
	if len(t.prompt.named(r.text, t.session.cwd)) > 0 || len(t.prompt.given) > 0 && !r.everywhere {
		var names []string
		for _, file := range targets {
			text, ok, err := t.textOf(file)
			if err != nil {
				return err
			}
			names = append(names, "`"+file.title()+"`")
			if hits := code.Find(text, what); ok && len(hits) > 0 {
				all = append(all, found{file, hits})
			}
		}
		where = listed(names, 4)
	} else {
		var err error
		if all, limited, err = t.search(what, false); err != nil {
			return err
		}
	}
	if len(all) == 0 {
		return t.sayf("`%s` is not in %s.%s", what, where, limited)
	}
	var b strings.Builder
	lines := 0
	for _, f := range all {
		lines += len(f.hits)
	}
	fmt.Fprintf(&b, "`%s` stands on %s of %s:\n", what, counted(lines, "line"), counted(len(all), "file"))
	const limit = 30
	shown := 0
	for _, f := range all {
		for _, h := range f.hits {
			if shown++; shown <= limit {
				fmt.Fprintf(&b, "\n- `%s:%d` `%s`", f.file.name, h.Line+max(f.file.lines.First, 1)-1, clip(h.Text))
			}
		}
	}
	if shown > limit {
		fmt.Fprintf(&b, "\n- and %d more", shown-limit)
	}
	b.WriteString(limited)
	return t.say(b.String())
}

// Bounds of a search through the folder.
const (
	maxFiles    = 300
	maxFileSize = 1 << 20
)

// search looks through the session's folder, at every file's text as the user
// sees it. limited says, to be shown, what was left out.
func (t *turn) search(what string, wholeWord bool) (all []found, limited string, err error) {
	call, err := t.tool(wire.ToolCall{Title: fmt.Sprintf("Search for %q", what), Kind: wire.ToolSearch, RawInput: rawInput(map[string]string{"query": what})})
	if err != nil {
		return nil, "", err
	}
	files, more, err := t.files()
	for _, file := range files {
		if err != nil {
			break
		}
		var text, problem string
		if text, problem, err = t.read(file.path); err != nil || problem != "" || strings.IndexByte(text, 0) >= 0 {
			continue
		}
		hits := code.Find(text, what)
		if wholeWord && len(code.Rename(text, file.language(), what, what).Edits) == 0 {
			hits = nil
		}
		if len(hits) > 0 {
			all = append(all, found{file, hits})
		}
	}
	if err != nil {
		_ = call.fail("cancelled")
		return nil, "", err
	}
	if more {
		limited = fmt.Sprintf(" (I looked at the first %d files only.)", maxFiles)
	}
	return all, limited, call.done(textContent(counted(len(all), "file") + " of " + fmt.Sprint(len(files))))
}

// files are the files of the folder, in order of their names. Hidden folders
// and those of package managers are left out.
func (t *turn) files() (files []target, more bool, err error) {
	skip := []string{"node_modules", "vendor", "target", "dist", "build", "__pycache__"}
	err = filepath.WalkDir(t.session.cwd, func(path string, d fs.DirEntry, err error) error {
		if t.ctx.Err() != nil {
			return t.ctx.Err()
		}
		if err != nil {
			return nil // a folder that cannot be read has nothing to find
		}
		name := d.Name()
		if d.IsDir() {
			if path != t.session.cwd && (strings.HasPrefix(name, ".") || slices.Contains(skip, name)) {
				return fs.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err != nil || !info.Mode().IsRegular() || info.Size() > maxFileSize || !isText(path) {
			return nil
		}
		if len(files) == maxFiles {
			more = true
			return fs.SkipAll
		}
		files = append(files, target{path: path, name: shown(path, t.session.cwd)})
		return nil
	})
	return files, more, err
}

// isText looks at the beginning of a file, so that the client is not asked for
// pictures.
func isText(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 1024)
	n, _ := f.Read(head)
	return !slices.Contains(head[:n], 0)
}
