package nvim_test

import (
	"testing"
)

type hunk = map[string]any

func rng(l1, c1, l2, c2 int) map[string]any {
	return map[string]any{"start": map[string]any{"line": l1, "character": c1}, "end": map[string]any{"line": l2, "character": c2}}
}

func newHunk(id, state string, from, to int, base, text string) hunk {
	return hunk{"id": id, "state": state, "origins": []any{map[string]any{"session": "s1", "agent": "demo", "author": "agent", "sure": true}},
		"range": rng(from, 0, to, 0), "baseText": base, "text": text, "mixed": false}
}

func (e *env) review(name string, version int, hunks ...hunk) {
	e.notify("acp/review", map[string]any{"uri": e.uri(name), "rev": "r1", "version": version, "hunks": hunks})
}

const numbers = "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\n"

func TestHunks(t *testing.T) {
	eachVersion(t, func(t *testing.T, version string) {
		e := setup(t, version, "", "a.txt", numbers)
		e.open()
		v := e.awaitText(e.uri("a.txt"), numbers)
		e.review("a.txt", v,
			newHunk("h1", "pending", 0, 0, "zero\nhalf\n", ""),
			newHunk("h2", "pending", 1, 3, "zwei\n", "two\nthree\n"),
			newHunk("h3", "conflict", 4, 5, "five\n", "FIVE\nV\n"),
			newHunk("h4", "proposed", 6, 7, "seven\n", "SEVEN\n"),
			newHunk("h5", "pending", 8, 8, "nine\nten\n", ""),
		)
		e.WaitScreen("5/5 demo")
		e.Input("<C-w>h]h")
		e.WaitScreen("gha accept")
		e.picture("end")
	})
}
