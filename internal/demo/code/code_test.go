package code

import (
	"fmt"
	"go/format"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func lang(name string) *Language { return LanguageOf("x." + name) }

func TestParts(t *testing.T) {
	tests := []struct{ ext, text, want string }{ // want: c code, / comment, s string for each byte
		{"go", "a // b\nc", "cc////cc"},
		{"go", `"a//b" /* "c" */ d`, "ssssssc/////////cc"},
		{"go", "`a\n\"` 'x' \"\\\"\" e", "ssssscssscsssscc"},
		{"go", "\"open\nb", "sssssc" + "c"},
		{"go", "/* open", "///////"},
		{"py", "'''a\n'b' ''' # c", "ssssssssssss" + "c" + "///"},
		{"py", "x#c", "c//"},
		{"sh", "a#b # c", "cccc///"},
		{"sh", "'a\\' b", "ssss" + "cc"},
		{"js", "`a\n\\`b` c", "ssssssscc"},
		{"lua", "--[[ a\nb ]] c -- d", "/////////// c" + " " + "////"},
		{"md", "# 'a' // b", "cccccccccc"},
	}
	for _, tt := range tests {
		var got strings.Builder
		for _, p := range lang(tt.ext).parts(tt.text) {
			got.WriteString(strings.Repeat(string("c/s"[p.kind]), p.end-p.start))
		}
		want := strings.NewReplacer(" ", "c", "p", "/").Replace(tt.want)
		if got.String() != want {
			t.Errorf("%s %q:\n got %s\nwant %s", tt.ext, tt.text, got.String(), want)
		}
	}
}

func TestRename(t *testing.T) {
	tests := []struct {
		ext, text, from, to, want string
		comments, strings, taken  int
	}{
		{"go", "foo food _foo foo_ foo.foo", "foo", "bar", "bar food _foo foo_ bar.bar", 0, 0, 0},
		{"go", "foo // foo does\ns := \"foo\" + `foo`", "foo", "bar", "bar // bar does\ns := \"foo\" + `foo`", 1, 2, 0},
		{"go", "foo\nbar", "foo", "bar", "bar\nbar", 0, 0, 2},
		{"go", "a.Größe Größer", "Größe", "Size", "a.Size Größer", 0, 0, 0},
		{"js", "$foo foo", "foo", "bar", "$foo bar", 0, 0, 0},
		{"sh", "foo=1; echo $foo", "foo", "bar", "bar=1; echo $bar", 0, 0, 0},
		{"md", "foo 'foo' `foo`", "foo", "bar", "bar 'bar' `bar`", 0, 0, 0},
		{"go", "none", "foo", "bar", "none", 0, 0, 0},
	}
	for _, tt := range tests {
		r := Rename(tt.text, lang(tt.ext), tt.from, tt.to)
		if got := Apply(tt.text, r.Edits); got != tt.want || r.InComment != tt.comments || r.InStrings != tt.strings || r.Taken != tt.taken {
			t.Errorf("%q: %q, %+v", tt.text, got, r)
		}
	}
}

// Renaming there and back is nothing, when the new name is new.
func TestRenameAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.SampledFrom([]string{"foo", "bar", "foobar", "_", " ", "\"", "//", "\n", "'", "`", "é", "$", "."})).Draw(t, "text")
		text := strings.Join(words, "")
		l := lang(rapid.SampledFrom([]string{"go", "py", "js", "sh", "md"}).Draw(t, "language"))
		there := Apply(text, Rename(text, l, "foo", "zzz").Edits)
		if back := Apply(there, Rename(there, l, "zzz", "foo").Edits); back != text {
			t.Fatalf("%q became %q and then %q", text, there, back)
		}
	})
}

func TestCheckName(t *testing.T) {
	for _, ok := range []struct{ ext, name string }{{"go", "foo"}, {"go", "_x1"}, {"go", "Größe"}, {"js", "$x"}, {"md", "func"}, {"py", "func"}} {
		if err := CheckName(lang(ok.ext), ok.name); err != nil {
			t.Errorf("%s %s: %v", ok.ext, ok.name, err)
		}
	}
	for _, bad := range []struct{ ext, name string }{{"go", "func"}, {"go", "1x"}, {"go", "a b"}, {"go", ""}, {"go", "$x"}, {"py", "lambda"}, {"ts", "class"}, {"java", "while"}, {"go", "a-b"}} {
		if err := CheckName(lang(bad.ext), bad.name); err == nil {
			t.Errorf("%s %q is a name", bad.ext, bad.name)
		}
	}
}

func TestTrim(t *testing.T) {
	tests := []struct {
		ext, text, want string
		left            int
	}{
		{"go", "a \nb\t \n\n  \nc", "a\nb\n\n\nc", 0},
		{"go", "a \r\nb  ", "a\r\nb", 0},
		{"go", "x := `a \n  \nb` \n", "x := `a \n  \nb`\n", 2},
		{"go", "s := \"a\"  \n", "s := \"a\"\n", 0},
		{"go", "// a  \n/* b \n c */ \n", "// a\n/* b\n c */\n", 0},
		{"py", "'''a \n'''  \n", "'''a \n'''\n", 1},
		{"md", "a  \nb   \nc \n  \n", "a  \nb\nc\n\n", 1},
		{"go", "", "", 0},
		{"go", "clean\n", "clean\n", 0},
	}
	for _, tt := range tests {
		edits, left := Trim(tt.text, lang(tt.ext))
		if got := Apply(tt.text, edits); got != tt.want || left != tt.left {
			t.Errorf("%q: %q, %d left", tt.text, got, left)
		}
	}
}

func TestLineEdits(t *testing.T) {
	insert := func(text string, line int, s string) string {
		edits, err := InsertLine(text, line, s)
		if err != nil {
			return err.Error()
		}
		return Apply(text, edits)
	}
	remove := func(text string, first, last int) string {
		edits, err := DeleteLines(text, Lines{first, last})
		if err != nil {
			return err.Error()
		}
		return Apply(text, edits)
	}
	for _, tt := range []struct{ got, want string }{
		{insert("a\nb\n", 1, "x"), "x\na\nb\n"},
		{insert("a\nb\n", 2, "x"), "a\nx\nb\n"},
		{insert("a\nb\n", 3, "x"), "a\nb\nx\n"},
		{insert("a\nb\n", 0, "x"), "a\nb\nx\n"},
		{insert("a\nb", 0, "x"), "a\nb\nx"},
		{insert("", 0, "x"), "x\n"},
		{insert("", 1, "x"), "x\n"},
		{insert("a\r\nb\r\n", 2, "x\ny"), "a\r\nx\r\ny\r\nb\r\n"},
		{insert("a\n", 4, "x"), "there is no line 4: the file has 1"},
		{remove("a\nb\nc\n", 1, 1), "b\nc\n"},
		{remove("a\nb\nc\n", 2, 3), "a\n"},
		{remove("a\nb\nc", 3, 3), "a\nb"},
		{remove("a\r\nb", 2, 2), "a"},
		{remove("a", 1, 1), ""},
		{remove("a\nb\n", 3, 3), "there are no lines 3 to 3: the file has 2"},
		{remove("a\nb\n", 0, 1), "there are no lines 0 to 1: the file has 2"},
		{remove("", 1, 1), "there are no lines 1 to 1: the file has 0"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestReplaceAndFind(t *testing.T) {
	text := "Foo foo\nbar\n  fOO\n"
	if got := Apply(text, Replace(text, "foo", "x")); got != "Foo x\nbar\n  fOO\n" {
		t.Errorf("%q", got)
	}
	if got := Apply("aaa", Replace("aaa", "aa", "a")); got != "aa" {
		t.Errorf("%q", got)
	}
	if Replace("aaa", "", "x") != nil {
		t.Error("the empty text was replaced")
	}
	if got := Find(text, "foo"); !reflect.DeepEqual(got, []Hit{{1, "Foo foo"}, {3, "fOO"}}) {
		t.Errorf("%v", got)
	}
	if got := Find(text, "Foo"); !reflect.DeepEqual(got, []Hit{{1, "Foo foo"}}) {
		t.Errorf("%v", got)
	}
}

func TestWithin(t *testing.T) {
	text := "a\na\na\n"
	edits := Replace(text, "a", "b")
	if got := Apply(text, Within(text, edits, Lines{2, 2})); got != "a\nb\na\n" {
		t.Errorf("%q", got)
	}
	if got := Apply(text, Within(text, edits, Lines{})); got != "b\nb\nb\n" {
		t.Errorf("%q", got)
	}
}

func TestSortImports(t *testing.T) {
	tests := []struct{ name, ext, text, want string }{
		{"go", "go", "package p\n\nimport (\n\t\"os\"\n\t\"fmt\"\n\n\tz \"b/z\"\n\t\"a/x\"\n)\n", "package p\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\n\t\"a/x\"\n\tz \"b/z\"\n)\n"},
		{"go, twice", "go", "package p\nimport (\n\t\"os\"\n\t\"fmt\"\n\t\"os\"\n)\n", "package p\nimport (\n\t\"fmt\"\n\t\"os\"\n)\n"},
		{"go, comments", "go", "package p\nimport (\n\t// for o\n\t\"os\"\n\t\"fmt\" // f\n)\n", "package p\nimport (\n\t\"fmt\" // f\n\t// for o\n\t\"os\"\n)\n"},
		{"go, a loose comment", "go", "package p\nimport (\n\t\"os\"\n\n\t// loose\n\n\t\"fmt\"\n)\n", "package p\nimport (\n\t\"os\"\n\n\t// loose\n\n\t\"fmt\"\n)\n"},
		{"go, two on a line", "go", "package p\nimport (\"os\"; \"fmt\"\n\t\"b\"\n\t\"a\"\n)\n", "package p\nimport (\"os\"; \"fmt\"\n\t\"a\"\n\t\"b\"\n)\n"},
		{"go, CRLF", "go", "package p\r\nimport (\r\n\t\"os\"\r\n\t\"fmt\"\r\n)\r\n", "package p\r\nimport (\r\n\t\"fmt\"\r\n\t\"os\"\r\n)\r\n"},
		{"go, one", "go", "package p\nimport \"os\"\nimport \"fmt\"\n", "package p\nimport \"os\"\nimport \"fmt\"\n"},
		{"python", "py", "#!/x\n\"\"\"doc\"\"\"\nimport sys\nfrom b import (\n  c,\n  d,\n)\nimport os\nfrom __future__ import x\n\nx = 1\n", "#!/x\n\"\"\"doc\"\"\"\nfrom __future__ import x\nimport os\nimport sys\nfrom b import (\n  c,\n  d,\n)\n\nx = 1\n"},
		{"python, groups", "py", "import b\nimport a\n\nimport z\nimport y\nimport y\n", "import a\nimport b\n\nimport y\nimport z\n"},
		{"python, comments", "py", "# about the file\nimport b\n# about a\nimport a  # x\n", "# about the file\n# about a\nimport a  # x\nimport b\n"},
		{"python, in strings", "py", "s = '''\nimport b\nimport a\n'''\n", "s = '''\nimport b\nimport a\n'''\n"},
		{"python, no final line end", "py", "import b\nimport a", "import a\nimport b"},
		{"python, continued", "py", "from b import x, \\\n  y\nimport a\n", "import a\nfrom b import x, \\\n  y\n"},
		{"python, indented", "py", "def f():\n    import b\n    import a\n", "def f():\n    import b\n    import a\n"},
		{"js", "js", "import z from 'z';\nimport {\n  b,\n} from './b'\nimport * as a from \"a\";\n\nlet x;\n", "import * as a from \"a\";\nimport z from 'z';\nimport {\n  b,\n} from './b'\n\nlet x;\n"},
		{"js, an effect stays", "ts", "import b from 'b'\nimport a from 'a'\nimport './effect'\nimport d from 'd'\nimport type c from 'c'\n", "import a from 'a'\nimport b from 'b'\nimport './effect'\nimport type c from 'c'\nimport d from 'd'\n"},
		{"js, in a comment", "js", "/*\nimport b from 'b'\nimport a from 'a'\n*/\n", "/*\nimport b from 'b'\nimport a from 'a'\n*/\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			edits, err := SortImports(tt.text, lang(tt.ext))
			if got := Apply(tt.text, edits); err != nil || got != tt.want {
				t.Errorf("got  %q, %v\nwant %q", got, err, tt.want)
			}
			again, err := SortImports(tt.want, lang(tt.ext))
			if err != nil || len(again) > 0 {
				t.Errorf("sorting the sorted: %v, %v", again, err)
			}
		})
	}
	if _, err := SortImports("x", lang("md")); err != ErrNoImports {
		t.Error(err)
	}
	if _, err := SortImports("pakage p", lang("go")); err == nil {
		t.Error("what is not Go was sorted")
	}
}

func TestAddDocs(t *testing.T) {
	tests := []struct{ name, ext, text, want string }{
		{"go functions", "go", "package p\n\nfunc Add(a, b int) int { return a + b }\n\nfunc Open(path string) (*File, error)\n\nfunc Run()\n\nfunc lower()\n\n// Has one.\nfunc Has()\n",
			"package p\n\n// Add takes a and b and returns an int.\nfunc Add(a, b int) int { return a + b }\n\n// Open takes path (a string) and returns a *File and an error.\nfunc Open(path string) (*File, error)\n\n// Run takes and returns nothing.\nfunc Run()\n\nfunc lower()\n\n// Has one.\nfunc Has()\n"},
		{"go methods", "go", "package p\nfunc (t *T) Do(xs ...int) []string\nfunc (t t) Do()\nfunc (s Set[K]) Len() int\n",
			"package p\n// Do takes xs (any number of values of type int) and returns a slice of string.\nfunc (t *T) Do(xs ...int) []string\nfunc (t t) Do()\n// Len returns an int.\nfunc (s Set[K]) Len() int\n"},
		{"go types", "go", "package p\ntype Point struct{ X, Y int; z int }\ntype (\n\tReader interface{ Read() }\n\tName string\n\tF func(int) error\n\tA = B\n\tHas int // has one\n)\n",
			"package p\n// Point is a struct with the fields X and Y.\ntype Point struct{ X, Y int; z int }\ntype (\n\t// Reader is an interface with the method Read.\n\tReader interface{ Read() }\n\t// Name is a type based on string.\n\tName string\n\t// F is a function type that takes an int and returns an error.\n\tF func(int) error\n\t// A is another name for B.\n\tA = B\n\tHas int // has one\n)\n"},
		{"go values", "go", "package p\nconst Max = 10\nvar Err = errors.New(\"x\")\nvar T time.Duration\nvar A, B int\n// Group.\nconst (\n\tX = 1\n)\n",
			"package p\n// Max is the constant 10.\nconst Max = 10\n// Err is a variable.\nvar Err = errors.New(\"x\")\n// T is a variable of type time.Duration.\nvar T time.Duration\nvar A, B int\n// Group.\nconst (\n\tX = 1\n)\n"},
		{"go, CRLF", "go", "package p\r\nfunc Run()\r\n", "package p\r\n// Run takes and returns nothing.\r\nfunc Run()\r\n"},
		{"python", "py", "def add(a, b=1, *args, **kw):\n    return a + b\n\n\nasync def go():\n    pass\n\n\ndef _private():\n    pass\n\n\ndef one(): return 1\n",
			"def add(a, b=1, *args, **kw):\n    \"\"\"Takes a, b, args and kw and returns a value.\"\"\"\n    return a + b\n\n\nasync def go():\n    \"\"\"Takes no arguments.\"\"\"\n    pass\n\n\ndef _private():\n    pass\n\n\ndef one(): return 1\n"},
		{"python classes", "py", "class A(Base, metaclass=M):  # c\n\n    def f(self, x: int = (1, 2)) -> List[int]:\n        # why\n        return x\n\n    def has(self):\n        'doc'\n\nclass B:\n  x = 1\n",
			"class A(Base, metaclass=M):  # c\n    \"\"\"A class based on Base.\"\"\"\n\n    def f(self, x: int = (1, 2)) -> List[int]:\n        \"\"\"Takes x and returns List[int].\"\"\"\n        # why\n        return x\n\n    def has(self):\n        'doc'\n\nclass B:\n  \"\"\"A class.\"\"\"\n  x = 1\n"},
		{"python, more", "py", "def f[T, U](\n    a: T,\n    /,\n) -> None:\n    yield a\n\ndef g(self):\n    r\"\"\"raw\"\"\"\n",
			"def f[T, U](\n    a: T,\n    /,\n) -> None:\n    \"\"\"Takes a and yields values.\"\"\"\n    yield a\n\ndef g(self):\n    r\"\"\"raw\"\"\"\n"},
		{"js", "js", "export function add(a, b = [1, 2]) {}\n\n/** Has one. */\nfunction has() {}\n// has one\nfunction also() {}\nexport default class A extends B.C {}\nasync function* gen() {}\nfunction pattern({ a }) {}\n  function inner() {}\n",
			"/** Takes a and b. */\nexport function add(a, b = [1, 2]) {}\n\n/** Has one. */\nfunction has() {}\n// has one\nfunction also() {}\n/** A class based on B.C. */\nexport default class A extends B.C {}\n/** Takes no arguments. */\nasync function* gen() {}\nfunction pattern({ a }) {}\n  function inner() {}\n"},
		{"ts", "ts", "export function f<T>(a: Map<string, T>, ...rest: (x: T) => void[]): void {}\nabstract class A<T> extends B {}\n",
			"/** Takes a and rest. */\nexport function f<T>(a: Map<string, T>, ...rest: (x: T) => void[]): void {}\n/** A class based on B. */\nabstract class A<T> extends B {}\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := addDocs(t, tt.text, tt.ext)
			if got != tt.want {
				t.Errorf("got:\n%s\nwant:\n%s", got, tt.want)
			}
			if again := addDocs(t, got, tt.ext); again != got {
				t.Errorf("documented twice:\n%s", again)
			}
		})
	}
	if _, err := AddDocs("x", lang("md")); err != ErrNoDocs {
		t.Error(err)
	}
	if _, err := AddDocs("package p\nfunc (", lang("go")); err == nil {
		t.Error("what is not Go was documented")
	}
}

func addDocs(t *testing.T, text, ext string) string {
	t.Helper()
	docs, err := AddDocs(text, lang(ext))
	if err != nil {
		t.Fatal(err)
	}
	var edits []Edit
	for _, d := range docs {
		if d.Name == "" {
			t.Errorf("a doc of nothing: %+v", d)
		}
		edits = append(edits, d.Edit)
	}
	return Apply(text, edits)
}

func TestOutline(t *testing.T) {
	tests := []struct{ ext, text, want string }{
		{"go", "package p\n\ntype T struct{}\n\nfunc (t *T) M() {\n}\nfunc F() {}\nconst A, _ = 1, 2\nvar b int\ntype I interface{}\ntype N int\n",
			"struct T 3-3 0|method (*T).M 5-6 0|function F 7-7 0|constant A 8-8 0|variable b 9-9 0|interface I 10-10 0|type N 11-11 0"},
		{"go", "package p\nfunc F() {}\nfunc (", "function F 2-2 0"},
		{"md", "# A\ntext\n## B #\n```\n# not\n```\n#nor\n    # nor\n", "heading A 1-0 0|heading B 3-0 1"},
		{"py", "class A:\n  def f(self):\n    pass\n\n  x = 1\ndef g():\n  '''\n  def no(): pass\n  '''\n  async def h(): pass\n", "class A 1-5 0|method f 2-3 1|function g 6-10 0|function h 10-10 1"},
		{"ts", "export class A {}\nfunction f() {}\nexport const g = async (a: B): C => {}\nconst h = 1\ninterface I {}\nexport type T = 1\nenum E {}\nlet v\n// function no() {}\n", "class A 1-0 0|function f 2-0 0|function g 3-0 0|constant h 4-0 0|interface I 5-0 0|type T 6-0 0|enum E 7-0 0|variable v 8-0 0"},
		{"c", "#define X 1\nstruct S {\nint main(int argc) {\n  if (x) {\nint decl(void);\nstatic char *f(void)\n{\n", "macro X 1-0 0|struct S 2-0 0|function main 3-0 0|function f 6-0 0"},
		{"rs", "pub fn a() {}\nstruct B;\nimpl<T> C for D {\n    async fn e() {}\n", "function a 1-0 0|struct B 2-0 0|impl C for D 3-0 0|function e 4-0 0"},
		{"java", "public final class A {\n  private int b(int c) {\n    return d(e);\n  }\n", "class A 1-0 0|method b 2-0 0"},
		{"lua", "local function a()\nM.b = function()\nfunction M:c()\n", "function a 1-0 0|function M.b 2-0 0|function M:c 3-0 0"},
		{"sh", "a() {\nfunction b {\n# c() {\n", "function a 1-0 0|function b 2-0 0"},
		{"mk", "a: b\n\tc:\nd := e\n", "target a 1-0 0|variable d 3-0 0"},
		{"yaml", "a: 1\n  b: 2\nc:\n", "key a 1-0 0|key c 3-0 0"},
		{"toml", "[a]\n[[b.c]]\nx = 1\n", "table a 1-0 0|table b.c 2-0 0"},
		{"txt", "func a() {}\n", ""},
		{"go", "", ""},
	}
	for _, tt := range tests {
		var got []string
		for _, i := range Outline(tt.text, lang(tt.ext)) {
			got = append(got, fmt.Sprintf("%s %s %d-%d %d", i.Kind, i.Name, i.Line, i.Last, i.Depth))
		}
		if s := strings.Join(got, "|"); s != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.ext, s, tt.want)
		}
	}
}

func TestFacts(t *testing.T) {
	goText := `// Copyright.

// Package p does things. And
// more.
//
// Second paragraph.
package p

import (
	"fmt"
	x "os"
)

func F(a int) { // TODO: more
	for i := range a { // TODO FIXME
		if i > 1 {
			fmt.Println("for if TODO", g(i))
		}
	}
	return
}
`
	f := FactsOf(goText, lang("go"))
	want := Facts{Lines: 21, Blank: 3, Comment: 5, Words: f.Words, Marks: []Hit{{14, "func F(a int) { // TODO: more"}, {15, "for i := range a { // TODO FIXME"}},
		Package: "p", Doc: "Package p does things. And more.", Imports: []string{"fmt", "os"}, Loops: 1, Branches: 1, Returns: 1, Calls: []string{"fmt.Println", "g"}}
	if !reflect.DeepEqual(f, want) {
		t.Errorf("got  %+v\nwant %+v", f, want)
	}
	py := FactsOf("#!/usr/bin/env python\n\"\"\"Does\na thing.\n\nMore.\"\"\"\nimport os\nfrom a.b import c\nx = '''\n# no comment\n'''\n# one\n", lang("py"))
	if py.Doc != "Does a thing." || !reflect.DeepEqual(py.Imports, []string{"os", "a.b"}) || py.Comment != 2 || py.Lines != 11 {
		t.Errorf("%+v", py)
	}
	js := FactsOf("/**\n * Does this.\n */\nimport a from 'b'\nconst c = require(\"d\")\nnew E(); function f() {}\n", lang("js"))
	if js.Doc != "Does this." || !reflect.DeepEqual(js.Imports, []string{"b", "d"}) || !reflect.DeepEqual(js.Calls, []string{"require", "E"}) {
		t.Errorf("%+v", js)
	}
	md := FactsOf("# Title\n\nSome words\nhere. TODO this\n\nmore\n", lang("md"))
	if md.Doc != "Some words here. TODO this" || len(md.Marks) != 1 || md.Words != 8 {
		t.Errorf("%+v", md)
	}
	if empty := FactsOf("", lang("go")); empty.Lines != 0 {
		t.Errorf("%+v", empty)
	}
}

// No edit is out of order or out of the text, and Go stays Go.
func FuzzEdits(f *testing.F) {
	f.Add("package p\n\nimport (\n\t\"b\"\n\t\"a\" // x\n)\n\nfunc F(a int) (b string) { /* c */ }\n", uint8(0))
	f.Add("import b\nfrom a import (\n c)\nclass A(B):\n  def f(self): pass\n", uint8(1))
	f.Add("import {a} from 'b'\nimport c from './d'\nexport function f(a, {b}) {}\n", uint8(2))
	f.Add("# a  \n```\n", uint8(3))
	f.Add("a \\\r\n'''", uint8(1))
	exts := []string{"go", "py", "ts", "md", "sh", "lua", "rs", "c", "java"}
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		l := lang(exts[int(n)%len(exts)])
		check := func(what string, edits []Edit) string {
			at := 0
			for _, e := range edits {
				if e.Start < at || e.End < e.Start || e.End > len(text) {
					t.Fatalf("%s: edit %+v after byte %d", what, e, at)
				}
				at = e.End
			}
			return Apply(text, edits)
		}
		trimmed, _ := Trim(text, l)
		check("trim", trimmed)
		check("rename", Rename(text, l, "a", "b").Edits)
		_, goErr := format.Source([]byte(text))
		if edits, err := SortImports(text, l); err == nil {
			got := check("imports", edits)
			if sum(got) > sum(text) {
				t.Fatalf("sorting wrote %q out of %q", got, text)
			}
			if _, err := format.Source([]byte(got)); l.id == "go" && goErr == nil && err != nil {
				t.Fatalf("no longer Go: %v\n%s", err, got)
			}
		}
		if docs, err := AddDocs(text, l); err == nil {
			var edits []Edit
			for _, d := range docs {
				edits = append(edits, d.Edit)
			}
			got := check("docs", edits)
			if _, err := format.Source([]byte(got)); l.id == "go" && goErr == nil && err != nil {
				t.Fatalf("no longer Go: %v\n%s", err, got)
			}
		}
		Outline(text, l)
		FactsOf(text, l)
	})
}

// sum counts what is not a line end.
func sum(s string) int {
	return len(strings.Map(func(r rune) rune {
		if r == '\n' || r == '\r' {
			return -1
		}
		return r
	}, s))
}
