package mention

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// world is a resolver over a few files.
type world struct {
	files     map[string]string
	selection *Source
	buffer    *Source
	open      []Source
	diff      *Source
	asked     []string
}

func (w *world) File(path string, lines Lines) (Source, bool) {
	w.asked = append(w.asked, path)
	text, ok := w.files[path]
	if !ok {
		return Source{}, false
	}
	cut, got, ok := Cut(text, lines)
	return Source{URI: "file:///p/" + strings.ReplaceAll(path, " ", "%20"), Name: path, Text: cut, Lines: got}, ok
}

func (w *world) Selection() (Source, bool) { return deref(w.selection) }
func (w *world) Buffer() (Source, bool)    { return deref(w.buffer) }
func (w *world) Open() []Source            { return w.open }
func (w *world) Diff() (Source, bool)      { return deref(w.diff) }

func deref(s *Source) (Source, bool) {
	if s == nil {
		return Source{}, false
	}
	return *s, true
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

func testWorld() *world {
	return &world{
		files: map[string]string{
			"main.go": numbered(30), "src/a.go": "a\n", "my notes.md": numbered(5), "a,b.txt": "x", "app/(group)/[id]/page.tsx": "t", "/etc/hosts": "h",
			"Makefile": "all:\n", "x#L1": "odd\n", "ключ.go": "k\n", "node_modules/@types/x.d.ts": "d", "~/n.md": "n\n", "src/": "", "diff.txt": "d", `C:\x\y.go`: "w",
			"a b#L9": "odd", "@scoped/real.js": "s",
		},
		selection: &Source{URI: "file:///p/main.go", Name: "main.go", Text: "sel", Lines: Lines{3, 4}},
		buffer:    &Source{URI: "file:///p/main.go", Name: "main.go", Text: "buf"},
		open:      []Source{{URI: "file:///p/1", Text: "1"}, {URI: "file:///p/2", Text: "2"}},
		diff:      &Source{URI: "acp-diff:/p", Name: "changes.diff", Text: "-a\n+b\n", Language: "diff"},
	}
}

func TestResolve(t *testing.T) {
	tests := []struct {
		text string
		want []string // the mentions' texts, each with what it names
	}{
		{"@main.go", []string{"@main.go=main.go"}},
		{"look at @main.go please", []string{"@main.go=main.go"}},
		{"see @main.go.", []string{"@main.go=main.go"}},
		{"see (@main.go), ok?", []string{"@main.go=main.go"}},
		{"@main.go's tests", []string{"@main.go=main.go"}},
		{"**@main.go**", []string{"@main.go=main.go"}},
		{"`@main.go`", []string{"@main.go=main.go"}},
		{"is it @main.go?!…", []string{"@main.go=main.go"}},
		{"@main.go:12 fails", []string{"@main.go=main.go"}},
		{"@main.go,@src/a.go;@Makefile", []string{"@main.go=main.go", "@src/a.go=src/a.go", "@Makefile=Makefile"}},
		{"@main.go\n@src/a.go\t@Makefile", []string{"@main.go=main.go", "@src/a.go=src/a.go", "@Makefile=Makefile"}},
		{"@a,b.txt", []string{"@a,b.txt=a,b.txt"}},
		{"@app/(group)/[id]/page.tsx)", []string{"@app/(group)/[id]/page.tsx=app/(group)/[id]/page.tsx"}},
		{"@/etc/hosts and @~/n.md", []string{"@/etc/hosts=/etc/hosts", "@~/n.md=~/n.md"}},
		{`@C:\x\y.go`, []string{`@C:\x\y.go=C:\x\y.go`}},
		{"@src/", []string{"@src/=src/"}},
		{"看@main.go。", []string{"@main.go=main.go"}},
		{"@ключ.go", []string{"@ключ.go=ключ.go"}},
		{"@node_modules/@types/x.d.ts", []string{"@node_modules/@types/x.d.ts=node_modules/@types/x.d.ts"}},

		{"@main.go#L10", []string{"@main.go#L10=main.go 10-10"}},
		{"@main.go#L10-L20", []string{"@main.go#L10-L20=main.go 10-20"}},
		{"@main.go#L10-20.", []string{"@main.go#L10-20=main.go 10-20"}},
		{"@main.go#L20-L10", []string{"@main.go#L20-L10=main.go 10-20"}},
		{"@main.go#L25-L99", []string{"@main.go#L25-L99=main.go 25-30"}},
		{"@main.go#L31", nil},
		{"@main.go#L0", nil},
		{"@main.go#L9999999999999", nil},
		{"@main.go#top", nil},
		{"@x#L1", []string{"@x#L1=x#L1"}},
		{`@"my notes.md"`, []string{`@"my notes.md"=my notes.md`}},
		{`@"my notes.md".`, []string{`@"my notes.md"=my notes.md`}},
		{`(@"my notes.md"#L2-L3)`, []string{`@"my notes.md"#L2-L3=my notes.md 2-3`}},
		{`@"my notes.md#L2"`, []string{`@"my notes.md#L2"=my notes.md 2-2`}},
		{`@"a b#L9"`, []string{`@"a b#L9"=a b#L9`}},
		{`@"my notes.md`, nil},
		{`@"" @"\n"`, nil},
		{"@\"my\nnotes.md\"", nil},
		{`@"@scoped/real.js"`, []string{`@"@scoped/real.js"=@scoped/real.js`}},

		{"fix @selection", []string{"@selection=main.go 3-4"}},
		{"fix @selection.", []string{"@selection=main.go 3-4"}},
		{"@buffer's end", []string{"@buffer=main.go"}},
		{"@diff: right?", []string{"@diff=changes.diff"}},
		{"@open", []string{"@open=file:///p/1+file:///p/2"}},
		{"@open-source @opened @differ @Selection @diff.txt", []string{"@diff.txt=diff.txt"}},

		{"mail me@example.com, a.b@main.go, x+y@main.go", nil},
		{"<me@main.go>", nil},
		{"@Override\npublic void x()", nil},
		{"npm i @scope/pkg@1.2.3 @types/node", nil},
		{"@@ -1,2 +1,2 @@ main.go", nil},
		{"@ main.go @", nil},
		{"https://x.org/@main.go", nil},
		{"@missing.go @main.go", []string{"@main.go=main.go"}},
		{"@main.golang", nil},
		{"\xff@main.go\xff", []string{"@main.go=main.go"}},
		{"", nil},

		{"```go\n@main.go @diff\n```\n@Makefile", []string{"@Makefile=Makefile"}},
		{"~~~\n@main.go\n```\n@main.go\n~~~~\n@Makefile", []string{"@Makefile=Makefile"}},
		{"````\n```\n@main.go\n````\n@Makefile", []string{"@Makefile=Makefile"}},
		{"```\n@main.go", nil},
		{"``` not a fence ``` @main.go", []string{"@main.go=main.go"}},
		{"    ```\n@main.go", []string{"@main.go=main.go"}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			var got []string
			found, _ := Resolve(tt.text, testWorld())
			for _, m := range found {
				var names []string
				for _, s := range m.Sources {
					name := s.Name
					if name == "" {
						name = s.URI
					}
					if !s.Lines.Whole() {
						name += fmt.Sprintf(" %d-%d", s.Lines.First, s.Lines.Last)
					}
					names = append(names, name)
				}
				got = append(got, tt.text[m.Start:m.End]+"="+strings.Join(names, "+"))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

// Words that name nothing are told, what only looks like a mention is not.
func TestNothingToNameIsText(t *testing.T) {
	for text, want := range map[string][]Kind{
		"@selection @buffer @open @diff":       {Selection, Buffer, Open, Diff},
		"see @diff, then (@selection). @diff!": {Diff, Selection},
		"**@buffer** and `@open`":              {Buffer, Open},
		"@open-source @differ @Selection":      nil,
		"me@diff.org @nothing.txt @Override":   nil,
		"```\n@selection\n```\n@\"selection\"": nil,
		"看@buffer。":                            {Buffer},
	} {
		got, nothing := Resolve(text, &world{})
		if got != nil || !slices.Equal(nothing, want) {
			t.Errorf("%q: %+v, nothing %v, want %v", text, got, nothing, want)
		}
	}
	if _, nothing := Resolve("@selection @buffer @open @diff", testWorld()); nothing != nil {
		t.Errorf("nothing %v", nothing)
	}
}

// A long run of punctuation must not become a long run of looks at the disk.
func TestLooksAreBounded(t *testing.T) {
	w := &world{}
	Resolve("@"+strings.Repeat("a,", 10_000), w)
	if len(w.asked) > maxCuts {
		t.Errorf("%d looks for files", len(w.asked))
	}
	for _, p := range w.asked {
		if len(p) > maxPath {
			t.Errorf("looked for a name of %d bytes", len(p))
		}
	}
}

func TestCut(t *testing.T) {
	tests := []struct {
		text  string
		lines Lines
		cut   string
		got   Lines
		ok    bool
	}{
		{"a\nb\nc\n", Lines{}, "a\nb\nc\n", Lines{}, true},
		{"a\nb\nc\n", Lines{1, 1}, "a\n", Lines{1, 1}, true},
		{"a\nb\nc\n", Lines{2, 3}, "b\nc\n", Lines{2, 3}, true},
		{"a\nb\nc", Lines{3, 9}, "c", Lines{3, 3}, true},
		{"a\nb\nc\n", Lines{4, 4}, "", Lines{}, false},
		{"a\r\nb\rc\n", Lines{1, 2}, "a\r\nb\r", Lines{1, 2}, true},
		{"a\r\nb\rc\n", Lines{3, 3}, "c\n", Lines{3, 3}, true},
		{"\n\n\n", Lines{2, 2}, "\n", Lines{2, 2}, true},
		{"a\n\r\nb", Lines{2, 3}, "\r\nb", Lines{2, 3}, true},
		{"", Lines{1, 1}, "", Lines{}, false},
		{"", Lines{}, "", Lines{}, true},
		{"a", Lines{2, 2}, "", Lines{}, false},
		{"a", Lines{5, 9}, "", Lines{}, false},
	}
	for _, tt := range tests {
		cut, got, ok := Cut(tt.text, tt.lines)
		if cut != tt.cut || got != tt.got || ok != tt.ok {
			t.Errorf("Cut(%q, %v) = %q, %v, %v", tt.text, tt.lines, cut, got, ok)
		}
	}
}

func TestBlocks(t *testing.T) {
	main := Source{URI: "file:///p/main.go", Name: "src/main.go", Text: "a := `x`\n", Lines: Lines{10, 20}}
	notes := Source{URI: "file:///p/n.md", Text: "````\nno end"}
	folder := Source{URI: "file:///p/src", Name: "src", Link: true}
	mentions := []Mention{{Sources: []Source{main}}, {Sources: []Source{folder, main}}}
	text := "see @src/main.go#L10-L20"

	got := Blocks(text, mentions, []Source{notes, main}, true)
	want := []Block{
		{Type: "text", Text: text},
		{Type: "resource", URI: "file:///p/main.go#L10-L20", Text: "a := `x`\n", MimeType: "text/plain"},
		{Type: "link", URI: "file:///p/src", Name: "src"},
		{Type: "resource", URI: "file:///p/n.md", Text: "````\nno end", MimeType: "text/plain"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("embedded:\n got %+v\nwant %+v", got, want)
	}

	got = Blocks(text, mentions, []Source{notes, main}, false)
	want = []Block{
		{Type: "text", Text: text},
		{Type: "link", URI: "file:///p/main.go#L10-L20", Name: "src/main.go, lines 10-20"},
		{Type: "text", Text: "src/main.go, lines 10-20:\n```go\na := `x`\n```"},
		{Type: "link", URI: "file:///p/src", Name: "src"},
		{Type: "link", URI: "file:///p/n.md", Name: "n.md"},
		{Type: "text", Text: "n.md:\n`````\n````\nno end\n`````"},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("plain:\n got %+v\nwant %+v", got, want)
	}
}

func TestTheSameLinesWithAnotherTextAreAnotherSource(t *testing.T) {
	lines := Source{URI: "file:///a", Text: "whole lines\n", Lines: Lines{1, 1}}
	part := lines
	part.Text = "whole"
	if got := Blocks("", nil, []Source{lines, part, lines}, true); len(got) != 2 {
		t.Errorf("%+v", got)
	}
	one := Source{URI: "file:///a/b.go", Text: "x", Lines: Lines{7, 7}, Language: "diff"}
	if got := Blocks("", nil, []Source{one}, false); got[0].URI != "file:///a/b.go#L7-L7" || got[1].Text != "b.go, line 7:\n```diff\nx\n```" {
		t.Errorf("%+v", got)
	}
}

func TestLanguageOf(t *testing.T) {
	for name, want := range map[string]string{"a.go": "go", "x/A.TS": "ts", "a.h": "c", "a.hpp": "cpp", "a.mjs": "js", "a.cts": "ts", "a.yml": "yaml", "a.markdown": "md",
		"Makefile": "makefile", "Dockerfile": "dockerfile", "noext": "", "a.b`c": "", "": ""} {
		if got := languageOf(name); got != want {
			t.Errorf("%q: %q", name, got)
		}
	}
}

// every is a resolver to which any path is a file.
type every struct{ *world }

func (every) File(path string, lines Lines) (Source, bool) {
	return Source{URI: "file:///" + path, Text: path, Lines: lines}, path != ""
}

func FuzzResolve(f *testing.F) {
	for _, s := range []string{"@" + strings.Repeat("ж", maxPath), "@main.go#L1-L2, @\"a b\"#L3 me@x.org", "```\n@a\n```@b", "@selection@diff@open", "看@ключ。", "@\"", "@a#L-L2", "\xff@\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range []Resolver{testWorld(), every{testWorld()}} {
			end := 0
			found, nothing := Resolve(text, r)
			if nothing != nil {
				t.Fatalf("nothing %v", nothing)
			}
			for _, m := range found {
				if m.Start < end || m.End <= m.Start+1 || m.End > len(text) || text[m.Start] != '@' {
					t.Fatalf("mention %+v after byte %d", m, end)
				}
				end = m.End
				if utf8.ValidString(text) && !utf8.ValidString(text[m.Start:m.End]) {
					t.Fatalf("mention %q cuts a character", text[m.Start:m.End])
				}
				if m.Kind == File && !strings.Contains(text[m.Start:m.End], m.Path) {
					t.Fatalf("path %q is not in %q", m.Path, text[m.Start:m.End])
				}
				if l := m.Lines; !l.Whole() && (l.First < 1 || l.Last < l.First) {
					t.Fatalf("lines %v", l)
				}
			}
		}
	})
}

// The lines of a text, cut one by one, are the text.
func FuzzCut(f *testing.F) {
	f.Add("a\nb\r\nc\rd", 2)
	f.Fuzz(func(t *testing.T, text string, n int) {
		var all strings.Builder
		for i := 1; ; i++ {
			cut, got, ok := Cut(text, Lines{i, i})
			if !ok {
				break
			}
			if got != (Lines{i, i}) || cut == "" {
				t.Fatalf("line %d: %q, %v", i, cut, got)
			}
			all.WriteString(cut)
		}
		if all.String() != text {
			t.Fatalf("%q is not %q", all.String(), text)
		}
		// No text ends the fence it stands in.
		s := Source{Text: text}
		body := s.fencedText()
		lines := strings.Split(body, "\n")
		fence := strings.TrimRight(lines[1], "abcdefghijklmnopqrstuvwxyz")
		if c := strings.Count(body, fence); c != 2 {
			t.Fatalf("fence %q occurs %d times in %q", fence, c, body)
		}
	})
}
