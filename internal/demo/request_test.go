package demo

import (
	"slices"
	"testing"
)

func TestParse(t *testing.T) {
	one := func(v verb, a, b string) []request { return []request{{verb: v, a: a, b: b}} }
	lines := func(v verb, a string, line, until int) []request {
		return []request{{verb: v, a: a, line: line, until: until}}
	}
	tests := []struct {
		text string
		want []request
	}{
		{"rename foo to bar", one(rename, "foo", "bar")},
		{"Please rename the function `foo` to `bar` in @main.go.", one(rename, "foo", "bar")},
		{"can you rename foo into bar?", one(rename, "foo", "bar")},
		{`rename "foo" -> "bar"`, one(rename, "foo", "bar")},
		{"/rename foo bar @main.go", one(rename, "foo", "bar")},
		{"rename foo to bar everywhere", []request{{verb: rename, a: "foo", b: "bar", everywhere: true}}},
		{"rename foo to bar in the whole project", []request{{verb: rename, a: "foo", b: "bar", everywhere: true}}},

		{"sort the imports", one(sortImports, "", "")},
		{"Organize imports in main.go, please", one(sortImports, "", "")},
		{"/sort-imports", one(sortImports, "", "")},
		{"add doc comments", one(addDocs, "", "")},
		{"add missing docstrings to @x.py", one(addDocs, "", "")},
		{"document this file", one(addDocs, "", "")},
		{"/doc @x.go", one(addDocs, "", "")},
		{"remove trailing whitespace", one(trim, "", "")},
		{"fix the trailing spaces", one(trim, "", "")},
		{"/trim", one(trim, "", "")},
		{"tidy up this file", one(tidy, "", "")},
		{"clean this up", one(tidy, "", "")},

		{`replace "a b" with "c d"`, one(replace, "a b", "c d")},
		{`replace "x" with ""`, one(replace, "x", "")},
		{"replace foo with bar.", one(replace, "foo", "bar")},
		{`change "1.0" to "1.1"`, one(replace, "1.0", "1.1")},
		{`replace all "a" by 'b'`, one(replace, "a", "b")},
		{`/replace "a b" c`, one(replace, "a b", "c")},
		{`replace "rename x to y" with "sort imports, then"`, one(replace, "rename x to y", "sort imports, then")},

		{`insert "x := 1" at line 3`, lines(insertLine, "x := 1", 3, 0)},
		{`insert "x" after line 3`, lines(insertLine, "x", 4, 0)},
		{`add the line "// end" at the end`, lines(insertLine, "// end", 0, 0)},
		{`append "done"`, lines(insertLine, "done", 0, 0)},
		{"delete line 4", lines(deleteLines, "", 4, 4)},
		{"remove lines 4-6 of @a.txt", lines(deleteLines, "", 4, 6)},
		{"delete lines 4 to 6", lines(deleteLines, "", 4, 6)},

		{"run go test ./...", one(runCommand, "go test ./...", "")},
		{"please run `make check`", one(runCommand, "make check", "")},
		{"run make.", one(runCommand, "make", "")},
		{"run ls ..", one(runCommand, "ls ..", "")},
		{"execute echo a; echo b", one(runCommand, "echo a; echo b", "")},
		{"run the tests", one(runCommand, "the tests", "")},
		{"tests", one(runCommand, "tests", "")},
		{"/run a && b", one(runCommand, "a && b", "")},

		{"find TODO", one(find, "TODO", "")},
		{`search for "a b" in @x.go`, one(find, "a b", "")},
		{"where is the function Serve?", one(find, "Serve", "")},
		{"/find x", one(find, "x", "")},
		{"outline", one(outline, "", "")},
		{"which functions are in @a.go", one(outline, "", "")},
		{"list the headings", one(outline, "", "")},
		{"any todos?", one(marks, "", "")},
		{"how many lines are in this", one(count, "", "")},
		{"what does this file do?", one(explain, "", "")},
		{"explain the selection", one(explain, "", "")},
		{"show me @a.go", one(show, "", "")},
		{"help", one(help, "", "")},
		{"/help", one(help, "", "")},
		{"what can you do?", one(help, "", "")},
		{"hello", one(greet, "", "")},
		{"qwertz", one(unknown, "", "")},
		{"", one(unknown, "", "")},
		{"/nothing at all", one(unknown, "", "")},
		{"/rename foo", one(unknown, "", "")},

		{"rename foo to bar, then sort the imports and run go test ./...", []request{
			{verb: rename, a: "foo", b: "bar"}, {verb: sortImports}, {verb: runCommand, a: "go test ./..."}}},
		{"1. rename a to b\n2. add doc comments\n3. run the tests", []request{
			{verb: rename, a: "a", b: "b"}, {verb: addDocs}, {verb: runCommand, a: "the tests"}}},
		{"sort imports; trim trailing spaces", []request{{verb: sortImports}, {verb: trim}}},
		{`find "and then rename x to y"`, one(find, "and then rename x to y", "")},
		{"Remove trailing spaces. Then sort the imports.", []request{{verb: trim}, {verb: sortImports}}},
	}
	for _, tt := range tests {
		t.Run(tt.text, func(t *testing.T) {
			got := parse(tt.text)
			for i := range got {
				got[i].text = ""
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	f.Add(`rename a to b, then run "x`)
	f.Add("/replace 'a\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range parse(text) {
			if r.describe() == "" {
				t.Errorf("%v", r)
			}
		}
	})
}
