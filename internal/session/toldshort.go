package session

import (
	"fmt"
	"strings"

	"acp-ls/buffers"
)

// maxToldShort bounds the changes of one file that are told of without their text.
const maxToldShort = 40

// newsInShort is the part of a file of which there is more than can be told: what became of each of
// the agent's changes, without what was in it.
func newsInShort(p buffers.Path, changes []rejectedHunk) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", p)
	said := ""
	for i, r := range changes {
		what := "The user rejected these changes of yours, which are not in the file:"
		if r.applied {
			what = "You were not allowed all that you asked for, but the user applied these parts of it, which are in the file now:"
		}
		if what != said {
			if said != "" {
				b.WriteString("\n")
			}
			said = what
			b.WriteString(what + "\n\n")
		}
		if i == maxToldShort {
			fmt.Fprintf(&b, "- and %d more changes that were rejected or applied in part\n", len(changes)-i)
			break
		}
		fmt.Fprintf(&b, "- %s, near line %d\n", r.size(), r.hunk.StartLine+1)
	}
	if len(changes) > 0 {
		b.WriteString("\n")
	}
	b.WriteString("What has changed since you last saw it is more than can be told here: read it again\n\n")
	return b.String()
}

// size says how much a change has put in and taken out.
func (r rejectedHunk) size() string {
	in, out := rowsOf(r.hunk.Text), rowsOf(r.hunk.BaseText)
	lines := func(rows []string) string {
		if len(rows) == 1 {
			return "1 line"
		}
		return fmt.Sprintf("%d lines", len(rows))
	}
	switch {
	case len(in) == 0:
		return lines(out) + " taken out"
	case len(out) == 0:
		return lines(in) + " put in"
	}
	return lines(in) + " in place of " + lines(out)
}
