package lspbridge

import (
	"maps"
	"slices"
	"strings"

	"acp-ls/internal/session"
)

// shellLine is a command as it is typed into a POSIX shell.
func shellLine(r session.RunRequest) string {
	var words []string
	if r.Cwd != "" {
		words = append(words, "cd", quote(r.Cwd), "&&")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Env)) {
		words = append(words, name+"="+quote(r.Env[name]))
	}
	words = append(words, quote(r.Command))
	for _, a := range r.Args {
		words = append(words, quote(a))
	}
	return strings.Join(words, " ")
}

func quote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-./:=@%+,", r)
	}
	if s != "" && strings.TrimFunc(s, plain) == "" {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
