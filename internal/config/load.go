package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"github.com/tailscale/hujson"
)

// Layer is one source of settings.
type Layer struct {
	Name      string // for messages: a path, or "editor"
	JSON      []byte // one object; empty or null: nothing set
	Workspace bool   // what a workspace can influence: user-level keys are left out
}

// Problem is something wrong with a setting.
type Problem struct {
	Source  string // the layer's name
	Key     string // dotted; empty for the layer as a whole
	Message string
	Warning bool // nothing that was meant is lost
}

// Error returns the problem as one line, fit to be shown.
func (p Problem) Error() string {
	if p.Key == "" {
		return p.Source + ": " + p.Message
	}
	return p.Source + ": " + p.Key + ": " + p.Message
}

// Load lays the layers over the defaults, the last one on top.
func Load(layers ...Layer) (*Settings, []Problem) {
	s := Default()
	var problems []Problem
	for _, l := range layers {
		l.apply(s, &problems)
	}
	return s, problems
}

// UserFile is the path of the user's settings file, which need not exist.
func UserFile() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("configuration directory: %w", err)
	}
	return filepath.Join(dir, "acp-ls", "config.json"), nil
}

// FileLayer reads a settings file. A file that does not exist sets nothing.
func FileLayer(path string) (Layer, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	if err != nil {
		return Layer{}, fmt.Errorf("settings: %w", err)
	}
	return Layer{Name: path, JSON: text}, nil
}

// Editor is the name of the layers that editors give.
const Editor = "editor"

// EditorLayer is what the editor sent: initializationOptions or the section
// acp, as such or still wrapped in a member of that name.
func EditorLayer(raw []byte) Layer {
	var wrapped map[string]json.RawMessage
	if json.Unmarshal(raw, &wrapped) == nil && len(wrapped) == 1 && wrapped["acp"] != nil {
		raw = wrapped["acp"]
	}
	return Layer{Name: Editor, JSON: raw}
}

func (l Layer) apply(s *Settings, problems *[]Problem) {
	r := reader{layer: l, problems: problems}
	text := bytes.TrimPrefix(l.JSON, []byte("\uFEFF"))
	if len(bytes.TrimSpace(text)) == 0 {
		return
	}
	text, err := hujson.Standardize(bytes.Clone(text))
	if err != nil {
		r.wrong("", "%s", syntax(err))
		return
	}
	r.settings(s, text)
}

// syntax drops the library's name from its message, which has line and column.
func syntax(err error) string {
	msg := err.Error()
	if rest, ok := bytes.CutPrefix([]byte(msg), []byte("hujson: ")); ok {
		msg = string(rest)
	}
	return msg
}

// reader reads the values of one layer.
type reader struct {
	layer    Layer
	problems *[]Problem
}

func (r reader) wrong(key, format string, args ...any) {
	*r.problems = append(*r.problems, Problem{Source: r.layer.Name, Key: key, Message: fmt.Sprintf(format, args...)})
}

func (r reader) warn(key, format string, args ...any) {
	r.wrong(key, format, args...)
	(*r.problems)[len(*r.problems)-1].Warning = true
}

// member is one key of an object and what reads its value into the settings.
type member struct {
	user bool // user-level only
	read func(key string, raw json.RawMessage)
}

// object reads the members of an object. The order of problems is that of the
// sorted keys, so that the same settings give the same messages.
func (r reader) object(key string, raw json.RawMessage, members map[string]member) {
	values, ok := r.members(key, raw)
	if !ok {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		full := name
		if key != "" {
			full = key + "." + name
		}
		m, known := members[name]
		switch {
		case !known:
			r.warn(full, "unknown setting")
		case isNull(values[name]):
		case m.user && r.layer.Workspace:
			r.wrong(full, "left out: it can only be set by the user, not by a workspace")
		default:
			m.read(full, values[name])
		}
	}
}

// members returns the members of an object, or reports that it is none.
func (r reader) members(key string, raw json.RawMessage) (map[string]json.RawMessage, bool) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(raw, &values); err != nil {
		r.wrong(key, "%s is not an object", short(raw))
		return nil, false
	}
	return values, true
}

func isNull(raw json.RawMessage) bool { return string(raw) == "null" }

// short is a value as it is shown in a message.
func short(raw json.RawMessage) string {
	const limit = 60
	var out bytes.Buffer
	if json.Compact(&out, raw) != nil || out.Len() > limit {
		text := []rune(out.String())
		if len(text) > limit {
			return string(text[:limit-1]) + "…"
		}
	}
	return out.String()
}
