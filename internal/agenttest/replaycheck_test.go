package agenttest

import (
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"acp-ls/internal/replay"
	"acp-ls/lspbridge/fakeeditor"
)

// What ought to come of a recording, and whether it has.

// wrote takes down what ought to come of a write.
func (p *played) wrote(s replay.Step, content string, own, read bool) {
	path := s.Write
	old, had := p.now[path]
	opened := p.at.open && p.rec.Files[path] != ""
	now := content
	switch {
	case !had || !opened:
		p.disk[path] = content
	case own || !read: // it is the disk's text, of which the document has more
		var err error
		if now, err = replay.Adapt(p.taken[path], content, old); err != nil {
			p.t.Fatal(err)
		}
		p.taken[path] = content
		if own || !p.at.dirty {
			p.disk[path] = content
		}
	case !p.at.dirty:
		p.disk[path], p.taken[path] = content, content
	}
	p.now[path] = now
	for _, d := range replay.Hunks(old, now) {
		for row := range strings.Lines(d.Before + d.After) {
			p.calls[row] = s.Call
		}
	}
}

// hunks are those that a file ought to have.
func (p *played) hunks(path string) []replay.Hunk { return replay.Hunks(p.before[path], p.now[path]) }

func (p *played) paths() []string { return slices.Sorted(maps.Keys(p.now)) }

// settled waits until everything has been taken in that was written so far.
func (p *played) settled() error {
	type told struct {
		URI   string
		File  *struct{ Op string }
		Hunks []hunk
	}
	for _, path := range p.paths() {
		_, was := p.before[path]
		want, uri := p.hunks(path), p.uri(path)
		var last told
		err := p.editor.Await(p.ctx, "the hunks of "+path, func(s fakeeditor.State) bool {
			last = told{}
			for _, m := range s.Received("acp/review") {
				var t told
				if unmarshal(m.Params, &t) && t.URI == uri {
					last = t
				}
			}
			return reflect.DeepEqual(pairs(last.Hunks), want) && (was || last.File != nil && last.File.Op == "create")
		})
		if err != nil {
			p.t.Fatalf("%s was last told to have %+v; awaited were %q", path, last, want)
		}
	}
	return nil
}

// pairs are hunks that are all pending, or nil.
func pairs(hunks []hunk) []replay.Hunk {
	out := []replay.Hunk{}
	for _, h := range hunks {
		if h.State != "pending" {
			return nil
		}
		out = append(out, replay.Hunk{Before: h.BaseText, After: h.Text})
	}
	return out
}

// decides looks at what there is to decide on, and decides.
func (p *played) decides() {
	p.t.Helper()
	p.looks()
	if len(p.changed()) == 0 {
		return
	}
	p.command("acp.review.reject", map[string]any{}, nil)
	for _, path := range p.paths() {
		text, was := p.before[path]
		p.has(path, text, was)
		p.wantHunks(path)
	}
	p.command("acp.review.restore", map[string]any{}, nil)
	p.looks()
	p.command("acp.review.accept", map[string]any{}, nil)
	for _, path := range p.paths() {
		p.has(path, p.now[path], true)
		p.wantHunks(path)
		p.wantBaseline(path, p.now[path])
	}
}

// changed are the files that are not as they were.
func (p *played) changed() []string {
	return slices.DeleteFunc(p.paths(), func(path string) bool {
		text, was := p.before[path]
		return was && text == p.now[path]
	})
}

// looks checks that everything is as it ought to be, and nothing else.
func (p *played) looks() {
	p.t.Helper()
	var list struct{ Files []review }
	p.command("acp.review.list", map[string]any{}, &list)
	var files []string
	for _, f := range list.Files {
		files = append(files, strings.TrimPrefix(f.URI, p.uri("")+"/"))
	}
	slices.Sort(files)
	if changed := p.changed(); !slices.Equal(files, changed) {
		p.t.Fatalf("changed are %q, and should be %q", files, changed)
	}
	for _, path := range p.paths() {
		p.has(path, p.now[path], true)
		var want [][2]string
		for _, h := range p.hunks(path) {
			want = append(want, [2]string{h.Before, h.After})
		}
		r := p.wantHunks(path, want...)
		if _, was := p.before[path]; !was && (r.File == nil || r.File.Op != "create") {
			p.t.Errorf("%s is not shown as made by the agent: %+v", path, r.File)
		}
		for _, h := range r.Hunks {
			if !p.at.haste { // what was written at once cannot be told apart
				p.wantCalls(path, h)
			}
		}
		p.wantBaseline(path, p.before[path])
	}
}

// wantCalls checks that a hunk is of the tool calls that made it.
func (p *played) wantCalls(path string, h hunk) {
	p.t.Helper()
	want, got := map[string]bool{}, map[string]bool{}
	for row := range strings.Lines(h.BaseText + h.Text) {
		if call, changed := p.calls[row]; changed {
			want[call] = true
		}
	}
	for _, o := range h.Origins {
		got[o.ToolCall] = true
	}
	if !maps.Equal(got, want) {
		p.t.Errorf("hunk %q of %s is of %v, and should be of %v", h.Text, path, h.Origins, slices.Sorted(maps.Keys(want)))
	}
}

// has checks a file that should be there, or not: the user's text of it, and the
// disk's.
func (p *played) has(path, text string, there bool) {
	p.t.Helper()
	if _, open := p.editor.Text(p.uri(path)); open {
		p.wantText(path, text)
	}
	if there && p.at.dirty && p.rec.Files[path] != "" {
		text = p.disk[path] // which nobody writes but the agent, and the user
	}
	got, err := os.ReadFile(p.path(path))
	if there != (err == nil) || there && string(got) != text {
		p.t.Fatalf("file %s is\n%s\n(%v) and should be (%v)\n%s", path, got, err, there, text)
	}
}
