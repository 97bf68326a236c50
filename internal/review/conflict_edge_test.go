package review

import (
	"strings"
	"testing"
)

// Rows that the user puts in beside the rows of a conflict are not in dispute: theirs takes
// the place of the others only.
func TestRowsBesideAConflict(t *testing.T) {
	const base = "a\nb mine\nc\n"
	for name, x := range map[string]struct{ find, put, want string }{
		"above":               {"b mine\n", "new\n", "a\nnew\nB\nc\n"},
		"two above":           {"b mine\n", "new\nnewer\n", "a\nnew\nnewer\nB\nc\n"},
		"after the row above": {"\nb mine", "\nnew", "a\nnew\nB\nc\n"},
		"below":               {"c\n", "new\n", "a\nB\nnew\nc\n"},
		"after the row":       {"\nc", "\nnew", "a\nB\nnew\nc\n"},
		"above the row above": {"a\n", "new\n", "new\na\nB\nc\n"},
		"in it":               {" mine", "\nnew", "a\nB\nc\n"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t, base)
			id := s.AddConflict(agent("c"), 1, 2, "b\n", "B\n")
			at := strings.Index(base, x.find)
			s.event(at, at, x.put)
			if err := s.Resolve(id, TakeTheirs); err != nil {
				t.Fatal(err)
			}
			if got := s.Text().String(); got != x.want {
				t.Errorf("text %q, want %q", got, x.want)
			}
			s.check()
		})
	}
}

// A conflict that was settled, and that the agent brings about once more, is listed once also
// where the text of before comes back in which it was open.
func TestConflictWantedAnew(t *testing.T) {
	s := newScript(t, "a\nb mine\nc\n")
	first := s.AddConflict(agent("c"), 1, 1, "", "new\n")
	if err := s.Resolve(first, TakeTheirs); err != nil {
		t.Fatal(err)
	}
	again := s.AddConflict(agent("c"), 1, 1, "", "new\n")
	if first != again {
		t.Fatalf("the two have the ids %s and %s", first, again)
	}
	s.user("a\nb mine\nc\n")
	s.check()
	if got := s.Hunks(StateConflict); len(got) != 1 {
		t.Errorf("conflicts %+v", got)
	}
}
