package lazyre

import (
	"fmt"
	"regexp"
	"testing"
)

func TestSameAsRegexp(t *testing.T) {
	const expr, s = `(b+)(x)?`, "abbabx"
	r, want := New(expr), regexp.MustCompile(expr)
	for i, got := range [][2]any{
		{r.MatchString(s), want.MatchString(s)},
		{r.FindStringIndex(s), want.FindStringIndex(s)},
		{r.FindStringSubmatch(s), want.FindStringSubmatch(s)},
		{r.FindStringSubmatchIndex(s), want.FindStringSubmatchIndex(s)},
		{r.FindAllString(s, -1), want.FindAllString(s, -1)},
		{r.FindAllStringIndex(s, 1), want.FindAllStringIndex(s, 1)},
		{r.FindAllStringSubmatch(s, -1), want.FindAllStringSubmatch(s, -1)},
		{r.FindAllStringSubmatchIndex(s, -1), want.FindAllStringSubmatchIndex(s, -1)},
		{r.ReplaceAllString(s, "[$1]"), want.ReplaceAllString(s, "[$1]")},
	} {
		if fmt.Sprint(got[0]) != fmt.Sprint(got[1]) {
			t.Errorf("method %d: %v, want %v", i, got[0], got[1])
		}
	}
}

// Tests must not have to use an expression to find that it is wrong.
func TestWrongExpressionIsFoundInTests(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a wrong expression was taken")
		}
	}()
	New(`(`)
}
