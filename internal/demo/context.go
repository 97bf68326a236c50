package demo

import (
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"acp-ls/acpclient/wire"
	"acp-ls/internal/demo/code"
	"acp-ls/internal/demo/lazyre"
)

// target is something a turn is about: a file, lines of one, or a text without
// a file.
type target struct {
	uri   string // of the resource, if it was given along
	path  string // absolute; empty: a text without a file, which can be told about only
	name  string // as shown
	lines code.Lines
	text  *string // the live text of lines, if the client gave it along
	// recalled: nobody spoke of it this time, it is what the last turn was about.
	recalled bool
}

func (t target) language() *code.Language { return code.LanguageOf(t.name) }

// title names the target and its lines.
func (t target) title() string {
	switch {
	case t.lines.Whole():
		return t.name
	case t.lines.First == t.lines.Last:
		return t.name + " line " + strconv.Itoa(t.lines.First)
	}
	return t.name + " lines " + strconv.Itoa(t.lines.First) + "-" + strconv.Itoa(t.lines.Last)
}

// prompt is a prompt as this agent takes it: an instruction, and what was given
// along.
type prompt struct {
	instruction string
	given       []target
	// What acp-ls says behind the resources: the URIs that a word like @buffer
	// stands for, and what was pointed at and is not there, with the reason.
	words   map[string][]string
	nothing []string
}

var (
	wordIsRE  = lazyre.New(`^(@\w+) is (\S+)$`)
	nothingRE = lazyre.New(`^(@\w+|the selection|the context) names nothing: .*$`)
)

// readNote takes in a text block in which the client, not the user, says what the
// words of the prompt stand for; it returns false if the block is something else.
func (p *prompt) readNote(text string) bool {
	lines := strings.Split(text, "\n")
	for _, l := range lines {
		if !wordIsRE.MatchString(l) && !nothingRE.MatchString(l) {
			return false
		}
	}
	for _, l := range lines {
		if m := wordIsRE.FindStringSubmatch(l); m != nil {
			if p.words == nil {
				p.words = map[string][]string{}
			}
			p.words[m[1]] = append(p.words[m[1]], m[2])
		} else {
			p.nothing = append(p.nothing, l)
		}
	}
	return true
}

var fencedBlock = lazyre.New("(?ms)^(`{3,}|~{3,})([\\w+-]*)[^\\n]*\\n(.*?)^(?:`{3,}|~{3,})[ \\t]*$")

// readPrompt parts the user's words from what is given along. Text behind the
// first resource is the client's, not the user's, or a resource written out.
func readPrompt(blocks []wire.ContentBlock, cwd string) prompt {
	var p prompt
	var words []string
	for i, b := range blocks {
		switch b.Type {
		case wire.ContentText:
			if i > 0 && p.readNote(b.Text) {
				continue
			}
			if len(p.given) == 0 {
				words = append(words, b.Text)
			} else if m := fencedBlock.FindStringSubmatch(b.Text); m != nil && strings.Contains(b.Text[:strings.Index(b.Text, m[0])], p.given[len(p.given)-1].name) {
				p.given[len(p.given)-1].text = &m[3] // the link before it, written out
			}
		case wire.ContentResourceLink:
			t := targetOf(b.URI, b.Name, cwd)
			t.uri = b.URI
			p.given = append(p.given, t)
		case wire.ContentResource:
			if b.Resource != nil && b.Resource.Text != nil {
				t := targetOf(b.Resource.URI, "", cwd)
				t.uri, t.text = b.Resource.URI, b.Resource.Text
				p.given = append(p.given, t)
			}
		}
	}
	text := strings.Join(words, "\n")
	// Code that stands in the words themselves is something to look at.
	if m := fencedBlock.FindStringSubmatch(text); m != nil {
		name := "the text you gave"
		if m[2] != "" {
			name += "." + m[2] // so that its language is known
		}
		p.given = append(p.given, target{name: name, text: &m[3]})
		text = strings.Replace(text, m[0], "", 1)
	}
	p.instruction = strings.TrimSpace(text)
	return p
}

var fragment = lazyre.New(`^L(\d+)(?:[-:]L?(\d+))?$`)

// targetOf makes a target of a resource's URI.
func targetOf(uri, name, cwd string) target {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		if name == "" {
			name = uri[strings.LastIndexByte(uri, '/')+1:]
		}
		return target{name: name}
	}
	p := u.Path
	if runtime.GOOS == "windows" {
		p = strings.TrimPrefix(p, "/")
	}
	p = filepath.Clean(filepath.FromSlash(p))
	t := target{path: p, name: shown(p, cwd)}
	if m := fragment.FindStringSubmatch(u.Fragment); m != nil {
		first, last := number(m[1]), number(m[2])
		if last == 0 {
			last = first
		}
		if first > 0 {
			t.lines = code.Lines{First: first, Last: max(first, last)}
		}
	}
	return t
}

// shown is a path relative to the session's folder, if it is in it.
func shown(p, cwd string) string {
	if rel, err := filepath.Rel(cwd, p); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return filepath.ToSlash(rel)
	}
	return p
}

var (
	mentionRE  = lazyre.New(`(?:^|[\s(\[{<"'` + "`" + `,;:])@(?:"([^"\n]+)"|([^\s"<>|` + "`" + `]+))`)
	bareFileRE = lazyre.New(`[^\s"'` + "`" + `()<>,;:!?]*[./][^\s"'` + "`" + `()<>,;:!?]*`)
	linesRE    = lazyre.New(`#L(\d+)(?:-L?(\d+))?$`)
	selectedRE = lazyre.New(`(?i)\bselect(?:ion|ed)\b`)
	theseRE    = lazyre.New(`(?i)\b(?:these|this)\s+(?:lines?|part|piece|bit|code|function|block)\b`)
	allRE      = lazyre.New(`(?i)\b(?:files|both|each|all\s+of|everywhere|them)\b`)
)

// lost says whether a request points at something that is not there. It must not
// be done to something else instead.
func (p prompt) lost(r request, cwd string) bool {
	return len(p.nothing) > 0 || len(p.missing(p.instruction, cwd)) > 0 || p.wantsSelection(r)
}

// wantsSelection says that a request speaks of a selection and none was given.
func (p prompt) wantsSelection(r request) bool {
	if p.words["@selection"] != nil {
		return false
	}
	words := p.instruction
	for _, own := range []string{r.a, r.b} { // what is renamed may be called so
		if own != "" {
			words = strings.ReplaceAll(words, own, "")
		}
	}
	return selectedRE.MatchString(words) && !slices.ContainsFunc(p.given, func(t target) bool { return !t.lines.Whole() || t.path == "" })
}

// choose picks what a request is about, the surest first: files named in its
// words; the selection; what was given along; what the turn before was about.
func (p prompt) choose(r request, s *session) []target {
	if named := p.named(r.text, s.cwd); len(named) > 0 {
		return named
	}
	if len(p.missing(r.text, s.cwd)) > 0 || slices.ContainsFunc(p.nothing, func(l string) bool {
		return strings.Contains(r.text, strings.SplitN(l, " ", 2)[0])
	}) {
		return nil // nor what another request is about
	}
	// "rename a to b in @x.go, then sort the imports": the other's files.
	if named := p.named(p.instruction, s.cwd); len(named) > 0 {
		return named
	}
	if p.lost(r, s.cwd) {
		return nil
	}
	selected := slices.DeleteFunc(slices.Clone(p.given), func(t target) bool { return t.lines.Whole() })
	whole := slices.DeleteFunc(slices.Clone(p.given), func(t target) bool { return !t.lines.Whole() })
	switch {
	case len(p.given) == 0:
		if theseRE.MatchString(p.instruction) {
			return s.lastFocus()
		}
		var files []target // what was selected then is not what is meant now
		for _, t := range s.lastFocus() {
			t.lines, t.text, t.recalled = code.Lines{}, nil, true
			if t.path != "" {
				files = append(files, t)
			}
		}
		return files
	case len(selected) > 0:
		return selected
	case allRE.MatchString(p.instruction):
		return whole
	}
	// Clients give unsaved files along that nobody spoke of: stay with the file
	// of the turn before, if it is among them.
	for _, last := range s.lastFocus() {
		if i := slices.IndexFunc(whole, func(t target) bool { return t.path != "" && t.path == last.path }); i >= 0 {
			return whole[i : i+1]
		}
	}
	return whole[:1]
}

// named are the files that words name: by @, or by a name that is a file.
func (p prompt) named(words, cwd string) []target {
	var all []target
	add := func(t target) {
		if !slices.ContainsFunc(all, func(o target) bool { return o.path == t.path && o.name == t.name && o.lines == t.lines }) {
			all = append(all, t)
		}
	}
	for _, m := range mentionRE.FindAllStringSubmatch(words, -1) {
		for _, t := range p.mention(m[1], m[2], cwd) {
			add(t)
		}
	}
	for _, name := range bareFileRE.FindAllString(quoted.ReplaceAllString(words, " "), -1) {
		name = strings.TrimRight(name, ".")
		if t, ok := file(name, cwd); ok {
			add(t)
		}
	}
	return all
}

func (p prompt) mention(inQuotes, bare, cwd string) []target {
	name := inQuotes
	if name == "" {
		name = strings.TrimRight(bare, ".,;:!?)]}*_'")
		name = strings.TrimSuffix(name, "'s")
	}
	if uris := p.words["@"+name]; uris != nil {
		return slices.DeleteFunc(slices.Clone(p.given), func(t target) bool { return !slices.Contains(uris, t.uri) })
	}
	if slices.ContainsFunc(p.nothing, func(l string) bool { return strings.HasPrefix(l, "@"+name+" ") }) {
		return nil
	}
	switch name { // of a client that says no more
	case "selection":
		return slices.DeleteFunc(slices.Clone(p.given), func(t target) bool { return t.lines.Whole() })
	case "open":
		return slices.DeleteFunc(slices.Clone(p.given), func(t target) bool { return !t.lines.Whole() })
	case "buffer":
		if len(p.given) == 1 {
			return p.given
		}
		return nil
	}
	var lines code.Lines
	if m := linesRE.FindStringSubmatch(name); m != nil {
		name = strings.TrimSuffix(name, m[0])
		lines.First, lines.Last = number(m[1]), number(m[2])
		lines.Last = max(lines.First, lines.Last)
	}
	absolute := absolutePath(name, cwd)
	for _, t := range p.given { // with its live text
		if t.path == absolute && t.lines == lines || t.path == "" && t.name == name {
			return []target{t}
		}
	}
	if t, ok := file(name, cwd); ok {
		t.lines = lines
		return []target{t}
	}
	return nil
}

func absolutePath(name, cwd string) string {
	if rest, ok := strings.CutPrefix(name, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, filepath.FromSlash(rest))
		}
	}
	name = filepath.FromSlash(name)
	if filepath.IsAbs(name) {
		return filepath.Clean(name)
	}
	return filepath.Join(cwd, name)
}

// file is the target of that name, if it is a file on disk.
func file(name, cwd string) (target, bool) {
	if name == "" {
		return target{}, false
	}
	p := absolutePath(name, cwd)
	if st, err := os.Stat(p); err != nil || !st.Mode().IsRegular() {
		return target{}, false
	}
	return target{path: p, name: shown(p, cwd)}, true
}

// missing are mentions that look like files and are none, to be told of.
func (p prompt) missing(words, cwd string) []string {
	var all []string
	for _, m := range mentionRE.FindAllStringSubmatch(words, -1) {
		name := group(m[1:])
		if len(p.mention(m[1], m[2], cwd)) == 0 && strings.ContainsAny(name, "./") {
			all = append(all, strings.TrimRight(name, ".,;:!?)"))
		}
	}
	return all
}
