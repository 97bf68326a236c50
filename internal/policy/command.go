package policy

import (
	"slices"
	"strings"
)

// shellSyntax are the characters by which a line becomes more than one plain
// command in the shells of Unix and Windows. Quoted ones count too: telling
// them apart would need to know the shell.
const shellSyntax = ";&|<>`$(){}\n\r\x00"

func (rule Rule) matchesCommand(r Request) bool {
	switch {
	case rule.Command == "*":
		return true
	case rule.Command == "":
		if r.Command == "" || rule.Decide != Allow {
			return true
		}
		unlimited := rule.Kinds == nil && rule.anyPath()
		return (unlimited || slices.Contains(rule.Kinds, "execute")) && !strings.ContainsAny(r.Command, shellSyntax)
	case strings.TrimSpace(r.Command) == "":
		return false
	case rule.Decide == Allow:
		return !strings.ContainsAny(r.Command, shellSyntax) && wildcard(spaced(rule.Command), spaced(r.Command))
	}
	pattern := spaced(rule.Command)
	return slices.ContainsFunc(append([]string{r.Command}, r.Readings...), func(line string) bool {
		return slices.ContainsFunc(commandsIn(line), func(c string) bool { return wildcard(pattern, c) })
	})
}

// commandsIn returns the line and whatever in it looks like a command: its
// parts between shell syntax, with and without variables set in front.
func commandsIn(line string) []string {
	all := []string{spaced(line)}
	for _, part := range strings.FieldsFunc(line, func(c rune) bool { return strings.ContainsRune(shellSyntax, c) }) {
		words := strings.Fields(part)
		all = append(all, strings.Join(words, " "))
		for len(words) > 0 && isAssignment(words[0]) {
			words = words[1:]
		}
		all = append(all, strings.Join(words, " "))
	}
	return all
}

func isAssignment(word string) bool {
	name, _, ok := strings.Cut(word, "=")
	return ok && name != "" && !strings.ContainsAny(name, `/\-.'"`)
}

// spaced trims a line and makes one space of each run of blanks.
func spaced(line string) string { return strings.Join(strings.Fields(line), " ") }

// wildcard says whether s fits a pattern of literal text, * and ?, in time
// proportional to the product of their lengths at worst.
func wildcard(pattern, s string) bool {
	p, t := []rune(pattern), []rune(s)
	star, mark := -1, 0 // the last * seen, and how much of s it has taken
	i, j := 0, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}
