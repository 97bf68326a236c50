package scenario

import (
	"fmt"
	"strings"
)

// args are the words of a step after its name.
type args struct {
	words []string
	body  *string
}

// take returns the next word.
func (a *args) take(what string) string {
	if len(a.words) == 0 {
		panic(mistake{what + " is missing"})
	}
	s := a.words[0]
	a.words = a.words[1:]
	return s
}

// option takes a word that begins with name=, wherever it stands.
func (a *args) option(name string) (string, bool) {
	for i, s := range a.words {
		if v, ok := strings.CutPrefix(s, name+"="); ok {
			a.words = append(a.words[:i:i], a.words[i+1:]...)
			return v, true
		}
	}
	return "", false
}

// flag takes a word, wherever it stands.
func (a *args) flag(name string) bool {
	for i, s := range a.words {
		if s == name {
			a.words = append(a.words[:i:i], a.words[i+1:]...)
			return true
		}
	}
	return false
}

// text is the body, or else the last words.
func (a *args) text() string {
	if a.body != nil {
		return *a.body
	}
	s := strings.Join(a.words, " ")
	a.words = nil
	return s
}

func (a *args) none() {
	if len(a.words) > 0 {
		panic(mistake{fmt.Sprintf("too many words: %q", a.words)})
	}
}

// mistake is one of the script's author.
type mistake struct{ string }

// play plays the story and returns what each step said, by its index, up to the
// first that went wrong.
func (w *world) play() (said map[int][]string, err error) {
	said = map[int][]string{}
	for i, st := range w.story.steps {
		if len(st.words) == 0 || st.only != "" && st.only != w.kind.name {
			continue
		}
		lines, err := w.step(st)
		if err != nil {
			return said, fmt.Errorf("line %d of the script: %s: %w", st.number, st.lines[0], err)
		}
		for j, l := range lines {
			lines[j] = w.shorten(l)
		}
		said[i] = lines
	}
	if err := w.finalChecks(); err != nil {
		return said, fmt.Errorf("at the end: %w", err)
	}
	return said, nil
}

func (w *world) step(st step) (said []string, err error) {
	defer func() {
		if r := recover(); r != nil {
			m, ok := r.(mistake)
			if !ok {
				panic(r)
			}
			err = fmt.Errorf("a mistake in the script: %s", m.string)
		}
	}()
	a := &args{words: st.words[1:], body: st.body}
	name, who, _ := strings.Cut(st.words[0], "@")
	if agent, ok := strings.CutPrefix(name, "agent"); ok && (agent == "" || agent[0] == ':') {
		return w.agentStep(strings.TrimPrefix(agent, ":"), who, a)
	}
	f := steps[st.words[0]]
	if f == nil {
		return nil, fmt.Errorf("there is no step %s", st.words[0])
	}
	said, err = f(w, a)
	if err == nil {
		a.none()
	}
	if err == nil && tells[st.words[0]] {
		err = w.sync()
	}
	return said, err
}

// tells are the steps after which the server is to know what the user did, before
// anybody else does anything. A document that is closed is left alone: until the
// next message it may be opened again.
var tells = map[string]bool{"open": true, "type": true, "set": true, "undo": true, "redo": true, "save": true, "idle": true, "reload": true, "rename": true, "told": true}

// sync waits until the server has taken in what the editor has told it: a request
// is begun only after all that came before.
func (w *world) sync() error {
	return w.request("textDocument/codeLens", map[string]any{"textDocument": map[string]any{"uri": "untitled:sync"}}, nil)
}

// steps are those of the user and the world; those of the agent are agentSteps.
var steps = map[string]func(*world, *args) ([]string, error){}

func register(more map[string]func(*world, *args) ([]string, error)) {
	for name, f := range more {
		if steps[name] != nil {
			panic("step " + name + " is there twice")
		}
		steps[name] = f
	}
}

// rows shows a text: one line for each row, line ends made visible where they
// are not LF.
func rows(text string) []string {
	if text == "" {
		return []string{"(empty)"}
	}
	var out []string
	for line := range strings.Lines(text) {
		row, whole := strings.CutSuffix(line, "\n")
		row = strings.NewReplacer("\r", `\r`, "\uFEFF", `\uFEFF`).Replace(row)
		out = append(out, row)
		if !whole {
			out = append(out, `\ no newline at the end`)
		}
	}
	return out
}

// prose shows a message to people, indented.
func prose(text string) []string {
	out := rows(strings.TrimSuffix(text, "\n") + "\n")
	for i, l := range out {
		out[i] = "  " + l
	}
	return out
}
