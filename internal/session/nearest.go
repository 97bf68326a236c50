package session

import (
	"slices"
	"strings"
)

// UnknownAgent is the error for an agent that nobody knows: it names those there
// are, and the one that was meant, if that can be guessed. by says where the name
// stands ("the setting defaultAgent names ..."), if the user did not just give it.
func UnknownAgent(name, by string, catalog []AgentEntry) *Error {
	names := make([]string, len(catalog))
	for i, e := range catalog {
		names[i] = e.Name
	}
	head := "there is no agent %q"
	if by != "" {
		head = by + " the agent %q, which does not exist"
	}
	guess := ""
	if n, ok := nearest(name, names); ok {
		guess = "Did you mean " + n + "? "
	}
	return Errorf(KindUnknownAgent, head+". %sThere are %s; the setting agents adds others", name, guess, strings.Join(names, ", "))
}

// nearest finds the name that a mistyped one was meant to be: the only one that
// it begins, or that begins it, whatever its case; else the one fewest slips of
// the keys away, if they are few for its length.
func nearest(name string, names []string) (string, bool) {
	if name == "" {
		return "", false
	}
	typed := strings.ToLower(name)
	var begun []string
	best, least := "", len(typed)/3+2
	for _, n := range names {
		known := strings.ToLower(n)
		if strings.HasPrefix(known, typed) || len(known) > 2 && strings.HasPrefix(typed, known) {
			begun = append(begun, n)
		}
		if d := slips(typed, known); d < least && d < len(known) {
			best, least = n, d
		}
	}
	if len(begun) == 1 {
		best = begun[0]
	}
	return best, best != ""
}

// slips counts the characters to put in, take out, change or swap with the next
// that make b of a (optimal string alignment).
func slips(a, b string) int {
	s, t := []rune(a), []rune(b)
	before, above := make([]int, len(t)+1), make([]int, len(t)+1)
	for j := range above {
		above[j] = j
	}
	for i := range s {
		row := make([]int, len(t)+1)
		row[0] = i + 1
		for j := range t {
			change := above[j]
			if s[i] != t[j] {
				change++
			}
			row[j+1] = slices.Min([]int{change, above[j+1] + 1, row[j] + 1})
			if i > 0 && j > 0 && s[i] == t[j-1] && s[i-1] == t[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, above = above, row
	}
	return above[len(t)]
}
