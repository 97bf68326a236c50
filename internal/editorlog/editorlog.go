// Package editorlog reads and writes recordings of what real editors send while
// somebody edits: the fixtures of internal/review/testdata/editors.
//
// A recording is one scenario in one editor, told as a sequence of events: what the
// user did, the messages that crossed the wire and when, the file on disk each time
// it changed, and the text of the editor's own buffer after each step. Whoever
// applies the messages correctly has exactly that text, or, where an editor tells
// something that is not so, the text that is noted as told.
//
// The README beside the fixtures describes the format; editors/record makes them.
package editorlog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
)

// Root is the URI that stands in recordings for the folder the editor worked in.
const Root = "file:///w/"

// Log is one recording.
type Log struct {
	Header
	Events []Event
}

// Header is the first line of a recording.
type Header struct {
	Editor   string `json:"editor"`   // "nvim", "vscode"
	Version  string `json:"version"`  // of the editor
	Scenario string `json:"scenario"` // the name, unique among the recordings of an editor's version
	Encoding string `json:"encoding"` // of positions: "utf-16" or "utf-8"
	URI      string `json:"uri"`      // of the file first opened
	Initial  string `json:"initial"`  // that file's bytes on disk before the first event
}

// Name is the name of the recording's file, without a folder.
func (h Header) Name() string {
	return fmt.Sprintf("%s-%s-%s.jsonl", h.Editor, h.Version, h.Scenario)
}

// Event is one line of a recording after the first. Exactly one of Act, Dir, Text
// and Disk is set, and says what kind of event it is.
type Event struct {
	// Act tells in the editor's own terms what the user, or another program, does
	// next. Nothing can be concluded from it; it is there for whoever reads a failure.
	Act string `json:"act,omitempty"`

	// Dir is the direction of a message: In or Out.
	Dir    string          `json:"dir,omitempty"`
	T      int64           `json:"t,omitempty"`      // milliseconds since the first message
	Method string          `json:"method,omitempty"` // also on an answer: the method it answers
	ID     int64           `json:"id,omitempty"`     // of a request of the server's and of its answer
	Params json.RawMessage `json:"params,omitempty"`
	Result json.RawMessage `json:"result,omitempty"` // of an answer
	Error  json.RawMessage `json:"error,omitempty"`  // of an answer that is an error

	// Text is the text of the editor's buffer at this point, line ends included.
	Text *string `json:"text,omitempty"`

	// Told is beside Text where the editor's messages do not give Text: what they
	// give instead. The editor has told something that is not so, or told nothing.
	Told *string `json:"told,omitempty"`

	// Untold is beside Text where the editor has not opened the document of URI.
	Untold bool `json:"untold,omitempty"`

	// Disk is the content of the file on disk from this point on.
	Disk *string `json:"disk,omitempty"`

	// Gone says that the file does not exist on disk from this point on.
	Gone bool `json:"gone,omitempty"`

	// URI is the document of Text and the file of Disk and Gone; "" means the Header's.
	URI string `json:"uri,omitempty"`
}

// Directions of messages.
const (
	In  = "in"  // from the editor
	Out = "out" // to the editor
)

// Load reads all recordings (*.jsonl) of a folder, sorted by name. It is an error if
// there is none: a test over no fixtures would prove nothing.
func Load(dir string) ([]Log, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil {
		return nil, err
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("folder %s holds no recordings (*.jsonl)", dir)
	}
	sort.Strings(names)
	logs := make([]Log, 0, len(names))
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		log, err := Read(bytes.NewReader(data))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if log.Name() != filepath.Base(name) {
			return nil, fmt.Errorf("%s: header names it %s", name, log.Name())
		}
		logs = append(logs, *log)
	}
	return logs, nil
}

// Read reads one recording.
func Read(r io.Reader) (*Log, error) {
	d := json.NewDecoder(r)
	d.DisallowUnknownFields()
	log := new(Log)
	if err := d.Decode(&log.Header); err != nil {
		return nil, fmt.Errorf("header: %w", err)
	}
	for {
		var e Event
		err := d.Decode(&e)
		if errors.Is(err, io.EOF) {
			return log, nil
		}
		if err != nil {
			return nil, fmt.Errorf("event %d: %w", len(log.Events)+1, err)
		}
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("event %d: %w", len(log.Events)+1, err)
		}
		log.Events = append(log.Events, e)
	}
}

// Write writes the recording, one line for the header and for each event.
func (l *Log) Write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	if err := e.Encode(l.Header); err != nil {
		return err
	}
	for i := range l.Events {
		if err := l.Events[i].check(); err != nil {
			return fmt.Errorf("event %d: %w", i+1, err)
		}
		if err := e.Encode(l.Events[i]); err != nil {
			return err
		}
	}
	return nil
}

func (e *Event) check() error {
	kinds := 0
	for _, is := range []bool{e.Act != "", e.Dir != "", e.Text != nil, e.Disk != nil, e.Gone} {
		if is {
			kinds++
		}
	}
	switch {
	case kinds != 1:
		return fmt.Errorf("event is of %d kinds, not of one", kinds)
	case e.Text == nil && (e.Told != nil || e.Untold):
		return errors.New("event has told or untold, and no text")
	case e.Dir != "" && e.Dir != In && e.Dir != Out:
		return fmt.Errorf("direction %q is neither %q nor %q", e.Dir, In, Out)
	case e.Dir != "" && e.Method == "":
		return errors.New("message has no method")
	}
	return nil
}
