package scenario

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"acp-ls/lspbridge/fakeeditor"
)

// offset is the byte of a text that "line:column" means, both 1-based; columns
// are counted in bytes. "end" is the end of the text, "line:end" that of a line.
func offset(text, at string) (int, error) {
	if at == "end" {
		return len(text), nil
	}
	l, c, ok := strings.Cut(at, ":")
	line, err := strconv.Atoi(l)
	if !ok || err != nil || line < 1 {
		return 0, fmt.Errorf("%q is no position", at)
	}
	start := 0
	for range line - 1 {
		i := strings.IndexByte(text[start:], '\n')
		if i < 0 {
			return 0, fmt.Errorf("%s is past the end of the text", at)
		}
		start += i + 1
	}
	length := strings.IndexAny(text[start:]+"\n", "\r\n")
	if c == "end" {
		return start + length, nil
	}
	column, err := strconv.Atoi(c)
	if err != nil || column < 1 || column > length+1 {
		return 0, fmt.Errorf("%s is past the end of the line", at)
	}
	return start + column - 1, nil
}

func (w *world) span(name, at string) (start, end int, err error) {
	text, ok := w.theEditor().Text(w.uri(name))
	if !ok {
		return 0, 0, fmt.Errorf("%s is not open", name)
	}
	from, to, ok := strings.Cut(at, "-")
	if start, err = offset(text, from); err != nil || !ok {
		return start, start, err
	}
	end, err = offset(text, to)
	return start, end, err
}

// lspRange is a span as LSP has it. Scripts use it in lines of ASCII.
func lspRange(at string) (fakeeditor.Range, error) {
	var r fakeeditor.Range
	from, to, ok := strings.Cut(at, "-")
	if !ok {
		to = from
	}
	for _, p := range []struct {
		at string
		to *fakeeditor.Position
	}{{from, &r.Start}, {to, &r.End}} {
		if _, err := fmt.Sscanf(p.at, "%d:%d", &p.to.Line, &p.to.Character); err != nil {
			return r, fmt.Errorf("%q is no range: %w", at, err)
		}
		p.to.Line--
		p.to.Character--
	}
	return r, nil
}

func init() {
	register(map[string]func(*world, *args) ([]string, error){
		// editor changes what the editor can, before it is started: +save -reload, or
		// -window.showMessage for what is LSP's; -folder: it has no workspace folder.
		"editor": func(w *world, a *args) ([]string, error) {
			if w.editor != nil {
				return nil, fmt.Errorf("the editor runs already")
			}
			for _, c := range a.words {
				if c == "-folder" {
					w.noFolder = true
				} else if strings.Contains(c, ".") {
					w.without = append(w.without, strings.Split(c[1:], "."))
				} else {
					w.caps[c[1:]] = c[0] == '+'
				}
			}
			a.words = nil
			w.startEditor()
			return nil, nil
		},
		// lies says which vices the editor has from now on.
		"lies": func(w *world, a *args) ([]string, error) {
			w.vices, w.typing = fakeeditor.Vices{}, false
			for _, name := range a.words {
				f := reflect.ValueOf(&w.vices).Elem().FieldByName(name)
				if !f.IsValid() || f.Kind() != reflect.Bool {
					return nil, fmt.Errorf("there is no vice %s", name)
				}
				f.SetBool(true)
			}
			a.words = nil
			w.theEditor().SetVices(w.vices)
			return nil, nil
		},
		// types-meanwhile types at the start of a document before each of the next n edits.
		"types-meanwhile": func(w *world, a *args) ([]string, error) {
			n, err := strconv.Atoi(a.take("how often"))
			s := a.text()
			v := w.vices
			v.BeforeEdit = func(string) string {
				if n--; n >= 0 {
					return s
				}
				return ""
			}
			w.typing = true
			w.theEditor().SetVices(v)
			return nil, err
		},
		"release": func(w *world, _ *args) ([]string, error) { w.theEditor().Release(); return nil, nil },
		"idle":    func(w *world, a *args) ([]string, error) { return nil, w.theEditor().Idle(w.uri(a.take("a path"))) },
		"open": func(w *world, a *args) ([]string, error) {
			name := a.take("a path")
			text := ""
			if a.flag("new") { // a file that is not on disk
				text = a.text()
			} else {
				data, err := w.read(name)
				if err != nil {
					return nil, err
				}
				text = strings.TrimPrefix(string(data), "\uFEFF") // as editors do
			}
			return nil, w.theEditor().Open(w.uri(name), "text", text)
		},
		"close": func(w *world, a *args) ([]string, error) { return nil, w.theEditor().Close(w.uri(a.take("a path"))) },
		"reload": func(w *world, a *args) ([]string, error) {
			return nil, w.theEditor().Reload(w.uri(a.take("a path")))
		},
		"save": func(w *world, a *args) ([]string, error) { return nil, w.theEditor().Save(w.uri(a.take("a path"))) },
		// type puts text at a position, or in place of a range.
		"type": func(w *world, a *args) ([]string, error) {
			name := a.take("a path")
			start, end, err := w.span(name, a.take("a position"))
			if err != nil {
				return nil, err
			}
			return nil, w.theEditor().Type(w.uri(name), start, end, a.text())
		},
		// set replaces the whole text in one change.
		"set": func(w *world, a *args) ([]string, error) {
			name := a.take("a path")
			return nil, w.theEditor().SetText(w.uri(name), a.text())
		},
		"undo": func(w *world, a *args) ([]string, error) {
			uri := w.uri(a.take("a path"))
			text, _ := w.theEditor().Text(uri)
			w.texts[uri] = append(w.texts[uri], text)
			return nil, w.theEditor().Undo(uri)
		},
		// redo brings back the text that an undo took away.
		"redo": func(w *world, a *args) ([]string, error) {
			uri := w.uri(a.take("a path"))
			undone := w.texts[uri]
			if len(undone) == 0 {
				return nil, fmt.Errorf("nothing was undone")
			}
			w.texts[uri] = undone[:len(undone)-1]
			return nil, w.retype(uri, undone[len(undone)-1])
		},
		"text": func(w *world, a *args) ([]string, error) {
			name := a.take("a path")
			text, ok := w.theEditor().Text(w.uri(name))
			if !ok {
				return []string{"(not open)"}, nil
			}
			return rows(text), nil
		},
		// told has the editor tell what the user has done to files: made, renamed or deleted.
		"told": func(w *world, a *args) ([]string, error) {
			what, file := a.take("what"), map[string]any{}
			method := map[string]string{"made": "workspace/didCreateFiles", "renamed": "workspace/didRenameFiles", "deleted": "workspace/didDeleteFiles"}[what]
			if what == "renamed" {
				file["oldUri"], file["newUri"] = w.uri(a.take("a path")), w.uri(a.take("a path"))
			} else {
				file["uri"] = w.uri(a.take("a path"))
			}
			return nil, w.theEditor().Notify(method, map[string]any{"files": []any{file}})
		},
		// rename has the editor give a document another name, as editors do.
		"rename": func(w *world, a *args) ([]string, error) {
			from, to := a.take("a path"), a.take("a path")
			text, ok := w.theEditor().Text(w.uri(from))
			if !ok {
				return nil, fmt.Errorf("%s is not open", from)
			}
			if err := w.moveFile(from, to); err != nil {
				return nil, err
			}
			if err := w.theEditor().Close(w.uri(from)); err != nil {
				return nil, err
			}
			return nil, w.theEditor().Open(w.uri(to), "text", text)
		},
		// formats says what saving does: trim drops white space at line ends, tabs
		// makes tabs of four spaces, fail does not save.
		"formats": func(w *world, a *args) ([]string, error) {
			switch how := a.take("how"); how {
			case "trim":
				w.format = func(s string) string {
					lines := strings.Split(s, "\n")
					for i, l := range lines {
						lines[i] = strings.TrimRight(l, " \t")
					}
					return strings.Join(lines, "\n")
				}
			case "tabs":
				w.format = func(s string) string { return strings.ReplaceAll(s, "    ", "\t") }
			case "fail":
				w.cannotSave = true
			default:
				return nil, fmt.Errorf("there is no format %s", how)
			}
			return nil, nil
		},
		// looks says what the user looks at and has selected.
		"looks": func(w *world, a *args) ([]string, error) {
			uri := w.uri(a.take("a path"))
			r, err := lspRange(a.take("a range"))
			w.looking = map[string]any{
				"active":  map[string]any{"uri": uri, "ranges": []any{r}},
				"visible": []string{uri}, "lastTyped": 0,
			}
			return nil, err
		},
	})
}

// retype makes a text of another by the one edit that is between them.
func (w *world) retype(uri, want string) error {
	have, _ := w.theEditor().Text(uri)
	start := 0
	for start < len(have) && start < len(want) && have[start] == want[start] {
		start++
	}
	end := 0
	for end < len(have)-start && end < len(want)-start && have[len(have)-1-end] == want[len(want)-1-end] {
		end++
	}
	return w.theEditor().Type(uri, start, len(have)-end, want[start:len(want)-end])
}

// save answers acp/save.
func (w *world) save(_ context.Context, params json.RawMessage) (any, error) {
	var p struct {
		URI    string `json:"uri"`
		Format *bool  `json:"format"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return nil, err
	}
	if p.Format == nil {
		return nil, errors.New("it is not said whether to format")
	}
	if w.cannotSave {
		return map[string]any{"saved": false}, nil
	}
	if text, ok := w.editor.Text(p.URI); ok && w.format != nil && (*p.Format || !w.canFormat) {
		if formatted := w.format(text); formatted != text {
			tell := w.editor.SetText
			if w.canFormat {
				tell = w.editor.Format
			}
			if err := tell(p.URI, formatted); err != nil {
				return nil, err
			}
		}
	}
	return map[string]any{"saved": w.editor.Save(p.URI) == nil}, nil
}

// look answers acp/editor.
func (w *world) look(context.Context, json.RawMessage) (any, error) {
	if w.looking == nil {
		return map[string]any{"visible": []string{}, "lastTyped": 0}, nil
	}
	return w.looking, nil
}

// received are the server's messages of some methods, from the n-th message on.
func received(log []fakeeditor.Message, methods []string) []fakeeditor.Message {
	return slices.DeleteFunc(log, func(m fakeeditor.Message) bool {
		return m.FromEditor || m.Response() || !slices.Contains(methods, m.Method)
	})
}
