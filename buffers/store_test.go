package buffers

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"acp-ls/buffers/position"
	"acp-ls/buffers/text"
)

// apply applies m and fails the test on an error.
func apply(t testing.TB, s *Store, m Modification) []Event {
	t.Helper()
	events, err := s.Apply(m, "test")
	must(t, err)
	for _, e := range events {
		checkEvent(t, e)
	}
	return events
}

// checkEvent verifies what every event promises.
func checkEvent(t interface {
	Helper()
	Fatalf(string, ...any)
}, e Event) {
	t.Helper()
	if (e.Before == nil) != (e.Kind == Opened) || (e.After == nil) != (e.Kind == Closed) {
		t.Fatalf("%v event: before %v, after %v", e.Kind, e.Before, e.After)
	}
	if e.Before == nil || e.After == nil {
		if len(e.Steps) > 0 {
			t.Fatalf("%v event with steps", e.Kind)
		}
		return
	}
	at := e.Before.Text
	for i, step := range e.Steps {
		want := at.Slice(0, step.Start) + step.After.Slice(step.Start, step.NewEnd) + at.Slice(step.OldEnd, at.Len())
		if step.After.String() != want {
			t.Fatalf("step %d: [%d,%d)->[%d,%d) does not lead from %q to %q", i,
				step.Start, step.OldEnd, step.Start, step.NewEnd, at.String(), step.After.String())
		}
		at = step.After
	}
	if !at.Equal(e.After.Text) {
		t.Fatalf("the steps lead to %q, not to %q", at.String(), e.After.Text.String())
	}
}

func kinds(events []Event) (list []string) {
	for _, e := range events {
		doc := e.After
		if doc == nil {
			doc = e.Before
		}
		list = append(list, e.Kind.String()+" "+doc.URI)
	}
	return list
}

func wantKinds(t *testing.T, events []Event, want ...string) {
	t.Helper()
	if got := kinds(events); !slices.Equal(got, want) {
		t.Fatalf("events %q, want %q", got, want)
	}
}

func at(line, character uint32) position.Position {
	return position.Position{Line: line, Character: character}
}

func span(fromLine, fromChar, toLine, toChar uint32) *position.Range {
	return &position.Range{Start: at(fromLine, fromChar), End: at(toLine, toChar)}
}

func TestLifeOfADocument(t *testing.T) {
	s := NewStore(Options{})
	const uri = "untitled:one"
	events := apply(t, s, Open{uri, "go", 1, "a\nb\n"})
	wantKinds(t, events, "opened untitled:one")
	if d := events[0].After; d.LanguageID != "go" || d.Version != 1 || d.Text.String() != "a\nb\n" || d.Path() != "" || s.Get(uri) != d {
		t.Errorf("opened %+v", d)
	}
	first := s.Get(uri)

	events = apply(t, s, Change{URI: uri, Version: 2, Changes: []ContentChange{{span(0, 1, 1, 0), "X"}, {span(0, 0, 0, 0), "é"}, {nil, "éaXc\n"}}})
	wantKinds(t, events, "changed untitled:one")
	var texts []string
	for _, step := range events[0].Steps {
		texts = append(texts, step.After.String())
	}
	if want := []string{"aXb\n", "éaXb\n", "éaXc\n"}; !slices.Equal(texts, want) {
		t.Errorf("passed through %q, want %q", texts, want)
	}
	if full := events[0].Steps[2]; full.Start != 4 || full.OldEnd != 5 || full.NewEnd != 5 {
		t.Errorf("a whole text is a change of %+v", full)
	}
	if first.Text.String() != "a\nb\n" || s.Get(uri).Version != 2 || events[0].Before != first || s.Get(uri) != events[0].After {
		t.Error("the snapshot from before has changed, or the store has not")
	}

	wantKinds(t, apply(t, s, Save{URI: uri}), "saved untitled:one")
	wantKinds(t, apply(t, s, Close{uri}))
	if s.Get(uri) == nil {
		t.Error("a document is gone with the Close already")
	}
	events = s.Settle("test")
	wantKinds(t, events, "closed untitled:one")
	if s.Get(uri) != nil || len(s.All()) != 0 || len(s.Settle("test")) != 0 {
		t.Error("the document is not closed, or twice")
	}
}

func TestMessagesForWhatIsNotOpen(t *testing.T) {
	s := NewStore(Options{})
	apply(t, s, Open{"untitled:open", "", 1, "x"})
	for _, m := range []Modification{
		Change{URI: "untitled:never", Version: 1, Changes: []ContentChange{{nil, "x"}}}, Save{URI: "untitled:never"}, Close{"untitled:never"},
	} {
		events, err := s.Apply(m, "test")
		if !errors.Is(err, ErrNotOpen) || !strings.Contains(err.Error(), "untitled:never") || len(events) != 0 {
			t.Errorf("%T: %v, %v", m, events, err)
		}
	}
	apply(t, s, Close{"untitled:open"})
	events, err := s.Apply(Change{URI: "untitled:open", Version: 2, Changes: []ContentChange{{nil, "y"}}}, "test")
	if !errors.Is(err, ErrNotOpen) {
		t.Errorf("a change after the close: %v", err)
	}
	wantKinds(t, events, "closed untitled:open")
	if len(s.All()) != 0 {
		t.Errorf("still there: %v", s.All())
	}
}

func TestCloseAndOpenIsAReload(t *testing.T) {
	for name, between := range map[string]func(*Store) []Event{
		"at once":       func(*Store) []Event { return nil },
		"opened twice":  nil,
		"after another": func(s *Store) []Event { return s.Settle("test") },
	} {
		t.Run(name, func(t *testing.T) {
			s := NewStore(Options{})
			apply(t, s, Open{"untitled:a", "go", 7, "one\ntwo\nthree\n"})
			var events []Event
			if between != nil {
				apply(t, s, Close{"untitled:a"})
				events = between(s)
			}
			events = append(events, apply(t, s, Open{"untitled:a", "go", 0, "one\n2\nthree\n"})...)
			if name == "after another" {
				wantKinds(t, events, "closed untitled:a", "opened untitled:a")
				return
			}
			wantKinds(t, events, "reloaded untitled:a")
			if step := events[0].Steps[0]; len(events[0].Steps) != 1 || step.Start != 4 || step.OldEnd != 7 || step.NewEnd != 5 {
				t.Errorf("reload is the steps %+v", events[0].Steps)
			}
			if d := s.Get("untitled:a"); d.Version != 0 || d.Text.String() != "one\n2\nthree\n" || len(s.Settle("")) != 0 {
				t.Errorf("reloaded to %+v", d)
			}
		})
	}
}

func TestCloseSettlesWithWhateverComesNext(t *testing.T) {
	for name, next := range map[string]Modification{
		"open another":  Open{"untitled:b", "", 1, ""},
		"change":        Change{URI: "untitled:c", Version: 2, Changes: []ContentChange{{nil, "!"}}},
		"save":          Save{URI: "untitled:c"},
		"close another": Close{"untitled:c"},
	} {
		s := NewStore(Options{})
		apply(t, s, Open{"untitled:a", "", 1, "x"})
		apply(t, s, Open{"untitled:c", "", 1, "x"})
		apply(t, s, Close{"untitled:a"})
		events := apply(t, s, next)
		if len(events) == 0 || events[0].Kind != Closed || events[0].Before.URI != "untitled:a" || s.Get("untitled:a") != nil {
			t.Errorf("%s: %q", name, kinds(events))
		}
	}
}

func TestCloseTwice(t *testing.T) {
	s := NewStore(Options{})
	apply(t, s, Open{"untitled:a", "", 1, "x"})
	apply(t, s, Close{"untitled:a"})
	events, err := s.Apply(Close{"untitled:a"}, "test")
	wantKinds(t, events, "closed untitled:a")
	if !errors.Is(err, ErrNotOpen) {
		t.Errorf("second close: %v", err)
	}
}

func TestRename(t *testing.T) {
	s := NewStore(Options{})
	apply(t, s, Open{"file:///a", "", 1, "text"})
	apply(t, s, Open{"file:///b", "", 1, "other"})
	apply(t, s, Close{"file:///a"})
	apply(t, s, Close{"file:///b"})
	events := apply(t, s, Open{"file:///dir/a", "", 1, "text"})
	wantKinds(t, events, "closed file:///b", "opened file:///dir/a")
	if of := events[1].RenameOf; of == nil || of.URI != "file:///a" {
		t.Errorf("rename of %v", of)
	}
	if e := apply(t, s, Open{"file:///c", "", 1, "another text"}); e[0].RenameOf != nil {
		t.Errorf("another text is a rename of %v", e[0].RenameOf)
	}
	apply(t, s, Change{URI: "file:///c", Version: 2, Changes: []ContentChange{{nil, "x"}}})
	if e := apply(t, s, Open{"file:///d", "", 1, "text"}); e[0].RenameOf != nil {
		t.Errorf("long after the close it is still a rename of %v", e[0].RenameOf)
	}
}

func TestSaveMendsATextThatHasGoneAstray(t *testing.T) {
	s := NewStore(Options{})
	apply(t, s, Open{"untitled:a", "", 1, "one\ntwo\n"})
	saved := "one\ntwo\n"
	if e := apply(t, s, Save{URI: "untitled:a", Text: &saved}); e[0].Mended || len(e[0].Steps) != 0 {
		t.Errorf("mended what was whole: %+v", e[0])
	}
	saved = "one\n2\n"
	e := apply(t, s, Save{URI: "untitled:a", Text: &saved})
	if !e[0].Mended || len(e[0].Steps) != 1 || s.Get("untitled:a").Text.String() != saved {
		t.Errorf("not mended: %+v", e[0])
	}
}

func TestURISpellings(t *testing.T) {
	s := NewStore(Options{})
	apply(t, s, Open{"file:///a%20b/%C3%BC", "", 1, "x"})
	apply(t, s, Change{URI: "file:///a b/%c3%bc", Version: 2, Changes: []ContentChange{{nil, "y"}}})
	if d := s.Get("file:///%61%20b/ü"); d == nil || d.Text.String() != "y" || d.URI != "file:///a%20b/%C3%BC" {
		t.Errorf("got %+v", d)
	}
}

// TestFullTextsBecomeSmallChanges is about editors that send the whole text each time.
func TestFullTextsBecomeSmallChanges(t *testing.T) {
	for _, c := range []struct {
		was, now              string
		start, oldEnd, newEnd int
	}{
		{"abc", "abc", 3, 3, 3},
		{"", "x", 0, 0, 1},
		{"x", "", 0, 1, 0},
		{"aaa", "aaaa", 3, 3, 4},
		{"aaaa", "aaa", 3, 4, 3},
		{"a\r\nb", "a\nb", 1, 3, 2},       // not into a CRLF
		{"a\nb", "a\r\nb", 1, 2, 3},       //
		{"a\rb", "a\r\nb", 1, 2, 3},       //
		{"xéy", "xèy", 1, 3, 3},           // not into a sequence
		{"x😀y", "x😁y", 1, 5, 5},           //
		{"xé", "xĩ", 1, 3, 3},             // the same last byte
		{"é", "éé", 2, 2, 4},              //
		{"a\r\n\r\nb", "a\r\nb", 3, 5, 3}, //
	} {
		step := replaceAll(text.New(c.was), c.now)
		if step.Start != c.start || step.OldEnd != c.oldEnd || step.NewEnd != c.newEnd || step.After.String() != c.now {
			t.Errorf("%q -> %q: [%d,%d)->[%d,%d) %q, want [%d,%d)->[%d,%d)", c.was, c.now, step.Start, step.OldEnd,
				step.Start, step.NewEnd, step.After.String(), c.start, c.oldEnd, c.start, c.newEnd)
		}
	}
	long := strings.Repeat("a row of the file\n", 5000)
	step := replaceAll(text.New(long), long[:40_000]+"NEW"+long[40_001:])
	if step.Start != 40_000 || step.OldEnd != 40_001 || step.NewEnd != 40_003 {
		t.Errorf("in a long text: %d, %d, %d", step.Start, step.OldEnd, step.NewEnd)
	}
}

// TestAgainstNaiveStore sends random messages and compares with a map of strings.
func TestAgainstNaiveStore(t *testing.T) {
	type naive struct {
		text    string
		version int32
	}
	pieces := []string{"a", "b", "row", "\n", "\r\n", "\r", "é", "😀", "", "\xc3", "x y"}
	genText := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 10).Draw(t, "pieces"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		encoding := rapid.SampledFrom([]position.Encoding{position.UTF8, position.UTF16, position.UTF32}).Draw(t, "encoding")
		s := NewStore(Options{Encoding: encoding})
		want := map[string]naive{}
		closing := ""
		settle := func(unless string) {
			if closing != unless {
				delete(want, closing)
			}
			closing = ""
		}
		uris := []string{"untitled:a", "untitled:b", "acp:/c"}
		for i := range rapid.IntRange(1, 20).Draw(t, "messages") {
			uri := rapid.SampledFrom(uris).Draw(t, "uri")
			version := int32(i)
			var m Modification
			open := false
			if _, ok := want[uri]; ok && uri != closing {
				open = true
			}
			switch rapid.IntRange(0, 5).Draw(t, "message") {
			case 0:
				settle(uri)
				opened := genText.Draw(t, "text")
				m, open = Open{uri, "l", version, opened}, true
				want[uri] = naive{opened, version}
			case 1:
				settle("")
				m = Close{uri}
				if open {
					closing = uri
				}
			case 2:
				settle("")
				m = Save{URI: uri}
			case 3:
				for _, e := range s.Settle("test") {
					checkEvent(t, e)
				}
				settle("")
				continue
			default:
				settle("")
				doc := want[uri]
				change := Change{URI: uri, Version: version}
				for range rapid.IntRange(0, 3).Draw(t, "changes") {
					ins := genText.Draw(t, "new")
					if rapid.Bool().Draw(t, "whole") {
						change.Changes = append(change.Changes, ContentChange{nil, ins})
						doc.text = ins
						continue
					}
					r := position.Range{
						Start: at(rapid.Uint32Range(0, 5).Draw(t, "line"), rapid.Uint32Range(0, 6).Draw(t, "character")),
						End:   at(rapid.Uint32Range(0, 5).Draw(t, "line"), rapid.Uint32Range(0, 6).Draw(t, "character")),
					}
					change.Changes = append(change.Changes, ContentChange{&r, ins})
					start, end := position.RangeOffsets(text.New(doc.text), r, encoding)
					doc.text = doc.text[:start] + ins + doc.text[end:]
				}
				m = change
				if open {
					doc.version = version
					want[uri] = doc
				}
			}
			events, err := s.Apply(m, "test")
			if open != (err == nil) {
				t.Fatalf("%#v: open %v, error %v", m, open, err)
			}
			for _, e := range events {
				checkEvent(t, e)
			}
			for _, uri := range uris {
				doc, open := want[uri]
				got := s.Get(uri)
				if (got != nil) != open || open && (got.Text.String() != doc.text || got.Version != doc.version) {
					t.Fatalf("%s is %+v, want %+v", uri, got, doc)
				}
			}
			if len(s.All()) != len(want) {
				t.Fatalf("%d documents, want %d", len(s.All()), len(want))
			}
		}
	})
}

func TestAllIsInOrderOfChange(t *testing.T) {
	s := NewStore(Options{})
	for i := range 5 {
		apply(t, s, Open{fmt.Sprintf("untitled:%d", i), "", 1, "x"})
	}
	apply(t, s, Change{URI: "untitled:1", Version: 2, Changes: []ContentChange{{nil, "y"}}})
	apply(t, s, Save{URI: "untitled:0"})
	var got []string
	for _, d := range s.All() {
		got = append(got, d.URI)
	}
	if want := []string{"untitled:1", "untitled:4", "untitled:3", "untitled:2", "untitled:0"}; !slices.Equal(got, want) {
		t.Errorf("All() = %q, want %q", got, want)
	}
}

// TestNeovimSubstitutesInAMixedFile replays what Neovim sends for `:%s/\r//` and an append, in a file with mixed line
// ends: its rows end at "\n" alone.
func TestNeovimSubstitutesInAMixedFile(t *testing.T) {
	s := NewStore(Options{Encoding: position.UTF16 | position.LFRows})
	apply(t, s, Open{"untitled:a", "", 0, "a\r\nb\nc\r\n"})
	apply(t, s, Change{URI: "untitled:a", Version: 4, Changes: []ContentChange{{span(0, 1, 2, 2), "\nb\nc"}}})
	apply(t, s, Change{URI: "untitled:a", Version: 5, Changes: []ContentChange{{span(2, 1, 2, 1), "z"}}})
	if got := s.Get("untitled:a").Text.String(); got != "a\nb\ncz\n" {
		t.Errorf("the text is %q", got)
	}
}
