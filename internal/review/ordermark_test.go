package review

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers/text"
)

// A byte order mark that comes with the file, or goes, is in the text and in the baseline, or in
// neither, and changes nothing else: hunks keep their IDs, and what was rejected comes back where
// it was.
func TestDress(t *testing.T) {
	const was = "1\n2\n3\n4\n5\n6\n"
	for name, edits := range map[string][]string{
		"nothing":                  {was},
		"the first row":            {"ONE\n2\n3\n4\n5\n6\n"},
		"above the first":          {"0\n1\n2\n3\n4\n5\n6\n"},
		"the first gone":           {"2\n3\n4\n5\n6\n"},
		"the first two gone":       {"3\n4\n5\n6\n"},
		"the first and the third":  {"ONE\n2\nTHREE\n4\n5\n6\n"},
		"all of it":                {"X\nY\n"},
		"all gone":                 {""},
		"another row":              {"1\n2\nTHREE\n4\n5\n6\n"},
		"above, and that changed":  {"0\n1\n2\n3\n4\n5\n6\n", "00\n1\n2\n3\n4\n5\n6\n"},
		"gone, and another there":  {"2\n3\n4\n5\n6\n", "0\n2\n3\n4\n5\n6\n"},
		"above, and the last gone": {"0\n1\n2\n3\n4\n5\n"},
		"put in and taken out":     {"0\n1\n2\n3\n4\n5\n6\n", was},
	} {
		for _, rejected := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, rejected %v", name, rejected), func(t *testing.T) {
				d := New(text.New(was), time.Now)
				for i, s := range edits {
					d.AgentEdit(text.New(s), Origin{Change: ChangeID(fmt.Sprint("c", i)), Author: AuthorAgent})
				}
				is := d.Text().String()
				ids := func(d *Doc) (out []string) {
					for _, h := range d.Hunks() {
						out = append(out, h.ID)
					}
					return out
				}
				before := ids(d)
				if rejected {
					d.Reject(before)
				}
				for _, has := range []bool{true, true, false, true} {
					mark := map[bool]string{true: byteOrderMark}[has]
					d.Dress(has)
					if got, want := d.Baseline().String(), mark+was; got != want {
						t.Errorf("%v: baseline %q, want %q", has, got, want)
					}
					if got := d.Text().String(); !rejected && got != mark+is {
						t.Errorf("%v: text %q, want %q", has, got, mark+is)
					}
					if got := ids(d); fmt.Sprint(got) != fmt.Sprint(before) {
						t.Errorf("%v: hunks %v, want %v", has, got, before)
					}
					other := d.Clone()
					if rejected {
						if _, refused := other.Restore(before); len(refused) > 0 {
							t.Errorf("%v: refused %+v", has, refused)
						}
					} else {
						other.Reject(before)
						if got := other.Text().String(); got != mark+was {
							t.Errorf("%v: rejected %q, want %q", has, got, mark+was)
						}
						other.Restore(before)
					}
					if got := other.Text().String(); got != mark+is {
						t.Errorf("%v: brought back %q, want %q", has, got, mark+is)
					}
					other = d.Clone()
					other.Accept(before)
					if got, text := other.Baseline().String(), other.Text().String(); !rejected && (got != text || got != mark+is) {
						t.Errorf("%v: accepted %q and %q, want %q", has, got, text, mark+is)
					}
					if strings.Count(d.Text().String()+d.Baseline().String(), byteOrderMark) != 2*len(mark)/3 {
						t.Errorf("%v: marks in %q, %q", has, d.Text(), d.Baseline())
					}
				}
			})
		}
	}
}
