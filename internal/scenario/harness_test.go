package scenario

import (
	"reflect"
	"strings"
	"testing"
)

func TestSplit(t *testing.T) {
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"", nil},
		{"a  b ", []string{"a", "b"}},
		{`say "one two" k="x\n\"y\"" '{"a": "b"}'`, []string{"say", "one two", "k=x\n\"y\"", `{"a": "b"}`}},
		{`""`, []string{""}},
	} {
		if got, err := split(tt.line); err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: %q %v", tt.line, got, err)
		}
	}
	for _, line := range []string{`"open`, `a 'open`, `"\q"`} {
		if got, err := split(line); err == nil {
			t.Errorf("%s: %q", line, got)
		}
	}
}

const example = `An example.
editors: plain utf-16, full utf-8
waits: landing=50ms cancel=1s
-- a.txt --
one
-- script --
# a comment

open a.txt
set a.txt
| one
|
> two
>
[plain] text a.txt
> one
`

func TestParseAndRewrite(t *testing.T) {
	s, err := parseStory([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	if len(s.kinds) != 2 || s.kinds[0].String() != "plain-utf-16" || s.waits["cancel"].Seconds() != 1 {
		t.Errorf("%+v %v", s.kinds, s.waits)
	}
	set := s.steps[3]
	if *set.body != "one\n\n" || !reflect.DeepEqual(set.said, []string{"two", ""}) || s.steps[4].only != "plain" {
		t.Errorf("%+v", s.steps)
	}
	if got := string(s.rewrite(nil)); got != example {
		t.Errorf("rewritten:\n%s", got)
	}
	got := string(s.rewrite(map[int][]string{2: {"new"}, 3: {}}))
	if want := strings.Replace(strings.Replace(example, "open a.txt\n", "open a.txt\n> new\n", 1), "> two\n>\n", "", 1); got != want {
		t.Errorf("rewritten:\n%s", got)
	}
	for _, bad := range []string{
		"editors: vim\n-- script --\n", "waits: landing=soon\n-- script --\n", "no script",
		"-- script --\n> nothing said this\n", "-- script --\n| no step\n", "-- script --\nopen \"a\n", "-- script --\nset a\n> said\n| late\n",
	} {
		if _, err := parseStory([]byte(bad)); err == nil {
			t.Errorf("no error: %s", bad)
		}
	}
}

// What is said and not expected is a difference, and what is expected and not said.
func TestDifferences(t *testing.T) {
	s, err := parseStory([]byte(example))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		said map[int][]string
		want int
	}{
		{map[int][]string{2: nil, 3: {"two", ""}, 4: {"one"}}, 0},
		{map[int][]string{2: nil, 3: {"two", ""}}, 0}, // not this kind of editor
		{map[int][]string{2: {"error"}, 3: {"two", ""}}, 1},
		{map[int][]string{3: {"two"}, 4: {"two"}}, 2},
		{map[int][]string{3: nil}, 1},
	} {
		if got := s.differences(tt.said); len(got) != tt.want {
			t.Errorf("%v: %q", tt.said, got)
		}
	}
}

// A story that goes wrong is found out, whatever goes wrong.
func TestWrongStories(t *testing.T) {
	for name, script := range map[string]string{
		"no such step":   "dance\n",
		"too many words": "text a.txt b.txt\n",
		"not open":       "type a.txt 1:1 x\n",
		"past the end":   "open a.txt\ntype a.txt 9:1 x\n",
		"no such hunk":   "open a.txt\naccept a.txt#1\n",
		"no question":    "choose allow\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, err := parseStory([]byte("-- a.txt --\none\n-- script --\n" + script))
			if err != nil {
				t.Fatal(err)
			}
			if said, err := newWorld(t, s, s.kinds[0]).play(); err == nil {
				t.Errorf("it is told as %v", said)
			}
		})
	}
}

// What is checked beside what the script says is checked.
func TestChecksFindFaults(t *testing.T) {
	s, err := parseStory([]byte("-- a.txt --\none\ntwo\n-- script --\nopen a.txt\nprompt x\nagent turn\nagent say hello\nagent write a.txt \"one\\n2\\n\"\nagent end\nend\n"))
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, s, s.kinds[0])
	if _, err := w.play(); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := w.limit()
	defer cancel()
	for _, l := range []laws{
		{w: w, baselines: map[string]string{"a.txt": "one\n2\n"}},
		{w: w, texts: map[string]string{"a.txt": "one\ntwo\n"}},
	} {
		if l.after(ctx) == nil {
			t.Errorf("%+v holds", l)
		}
	}
	if err := (laws{w: w, baselines: map[string]string{"a.txt": "one\ntwo\n"}, texts: map[string]string{"a.txt": "one\n2\n"}}).after(ctx); err != nil {
		t.Error(err)
	}
	good, err := w.review("a.txt")
	if err != nil || len(good.Hunks) != 1 || w.checkReview(good) != nil {
		t.Fatalf("%+v %v", good, err)
	}
	for name, change := range map[string]func(*hunk){
		"base":  func(h *hunk) { h.BaseText = "zwei\n" },
		"text":  func(h *hunk) { h.Text = "22\n" },
		"range": func(h *hunk) { h.Range.Start.Line, h.Range.End.Line = 0, 1 },
	} {
		bad := good
		bad.Hunks = []hunk{good.Hunks[0]}
		change(&bad.Hunks[0])
		if w.checkReview(bad) == nil {
			t.Errorf("a hunk with another %s passes", name)
		}
	}
	unshown := good
	unshown.Hunks = append([]hunk{{ID: "more"}}, good.Hunks...)
	if w.shown(w.editor.Log(), unshown) {
		t.Error("a hunk nobody was shown counts as shown")
	}
	log := w.editor.Log()
	for i, m := range log {
		if m.Method == "acp/entry" && strings.Contains(string(m.Params), "hello") {
			log[i].Params = []byte(strings.Replace(string(m.Params), "hello", "hullo", 1))
		}
	}
	kept, err := w.entries("s1")
	if err != nil || reflect.DeepEqual(transcript(log, "s1"), kept) || !reflect.DeepEqual(transcript(w.editor.Log(), "s1"), kept) {
		t.Errorf("transcripts are not compared: %v", err)
	}
}
