package linediff

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestUnified(t *testing.T) {
	const noEnd = "\\ No newline at end of file\n"
	for _, test := range []struct {
		name, a, b string
		context    int
		want       string
	}{
		{"same", "a\n", "a\n", 3, ""},
		{"both empty", "", "", 3, ""},
		{"one line", "a\n", "b\n", 3, "@@ -1 +1 @@\n-a\n+b\n"},
		{"created", "", "a\nb\n", 3, "@@ -0,0 +1,2 @@\n+a\n+b\n"},
		{"emptied", "a\nb\n", "", 3, "@@ -1,2 +0,0 @@\n-a\n-b\n"},
		{"created without a line end", "", "a", 3, "@@ -0,0 +1 @@\n+a\n" + noEnd},
		{"line end added", "a\nb", "a\nb\n", 3, "@@ -1,2 +1,2 @@\n a\n-b\n" + noEnd + "+b\n"},
		{"line end gone", "a\nb\n", "a\nb", 3, "@@ -1,2 +1,2 @@\n a\n-b\n+b\n" + noEnd},
		{"no line end on both sides", "x\nb", "a\nb", 3, "@@ -1,2 +1,2 @@\n-x\n+a\n b\n" + noEnd},
		{"no line end, out of the context", "x\nb\nc", "a\nb\nc", 1, "@@ -1,2 +1,2 @@\n-x\n+a\n b\n"},
		{"appended to a line without end", "a", "a\nb", 3, "@@ -1 +1,2 @@\n-a\n" + noEnd + "+a\n+b\n" + noEnd},
		{"an empty line is not an end", "a\n", "a\n\n", 3, "@@ -1 +1,2 @@\n a\n+\n"},
		{"no context", "a\nb\nc\n", "a\nx\nc\n", 0, "@@ -2 +2 @@\n-b\n+x\n"},
		{"no context, inserted", "a\nb\n", "a\nx\nb\n", 0, "@@ -1,0 +2 @@\n+x\n"},
		{"context shared", "a\n1\n2\nb\n", "x\n1\n2\ny\n", 1, "@@ -1,4 +1,4 @@\n-a\n+x\n 1\n 2\n-b\n+y\n"},
		{
			"context apart", "a\n1\n2\n3\nb\n", "x\n1\n2\n3\ny\n", 1,
			"@@ -1,2 +1,2 @@\n-a\n+x\n 1\n@@ -4,2 +4,2 @@\n 3\n-b\n+y\n",
		},
		{"negative context is none", "a\nb\n", "a\nx\n", -1, "@@ -2 +2 @@\n-b\n+x\n"},
		{"terminators are not shown", "a\r\nb\r\n", "a\nc\n", 3, "@@ -1,2 +1,2 @@\n a\n-b\n+c\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := Split(test.a), Split(test.b)
			if got := Unified("", a, b, test.context); got != test.want {
				t.Errorf("got:\n%swant:\n%s", got, test.want)
			}
			if got, want := strings.Join(a, "|"), strings.Join(Split(test.a), "|"); got != want {
				t.Errorf("the rows given were changed to %q, from %q", got, want)
			}
		})
	}
}

func TestUnifiedHeader(t *testing.T) {
	for name, want := range map[string]string{
		"dir/a.go":  "--- a/dir/a.go\n+++ b/dir/a.go\n",
		"/tmp/a.go": "--- a/tmp/a.go\n+++ b/tmp/a.go\n",
		"a b.go":    "--- a/a b.go\t\n+++ b/a b.go\t\n",
		"größe.go":  "--- a/größe.go\n+++ b/größe.go\n",
		"a\nb\".go": `--- "a/a\nb\".go"` + "\n" + `+++ "b/a\nb\".go"` + "\n",
	} {
		got, _, _ := strings.Cut(Unified(name, []string{"a"}, []string{"b"}, 3), "@@")
		if got != want {
			t.Errorf("header of %q:\n%swant:\n%s", name, got, want)
		}
	}
}

// Git takes what Unified writes, names included, and gets the new text from it, to the byte.
func TestGitAppliesUnified(t *testing.T) {
	git, err := exec.LookPath("git")
	if err != nil {
		t.Fatal("no git on this machine: it is what the result is compared with")
	}
	dir := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	names := []string{"a.go", "a b.go", "größe.go", "quote\".go"}
	want := map[string]string{}
	var patch strings.Builder
	for i := range 300 {
		name := fmt.Sprintf("%d %s", i, names[i%len(names)])
		if os.PathSeparator == '\\' && strings.Contains(name, `"`) {
			continue // no such file on Windows
		}
		a := randomText(r, 30)
		b := a
		if i%10 != 0 {
			b = mutate(r, a)
		}
		diff := Unified(name, Split(a), Split(b), i%4)
		if (diff == "") != (a == b) {
			t.Fatalf("Unified of %q and %q:\n%s", a, b, diff)
		}
		patch.WriteString(diff)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(a), 0o644); err != nil {
			t.Fatal(err)
		}
		want[name] = b
	}
	// Without context git believes a patch only if told to.
	cmd := exec.Command(git, "apply", "--unidiff-zero", "--whitespace=nowarn", "-")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CEILING_DIRECTORIES="+filepath.Dir(dir), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	cmd.Stdin = strings.NewReader(patch.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	for name, text := range want {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, []byte(text)) {
			t.Errorf("%s: git gets %q, want %q", name, got, text)
		}
	}
}

// randomText is a text of up to n lines, some of them alike, with or without a last line end.
func randomText(r *rand.Rand, n int) string {
	lines := make([]string, r.IntN(n+1))
	for i := range lines {
		lines[i] = [...]string{"", "}", "\tx", "a", fmt.Sprint(r.IntN(1000))}[r.IntN(5)]
	}
	text := strings.Join(lines, "\n")
	if r.IntN(2) == 0 && len(lines) > 0 {
		text += "\n"
	}
	return text
}

func mutate(r *rand.Rand, text string) string {
	for range 1 + r.IntN(4) {
		from := r.IntN(len(text) + 1)
		to := min(len(text), from+r.IntN(8))
		text = text[:from] + randomText(r, 3) + text[to:]
	}
	return text
}

func FuzzUnified(f *testing.F) {
	for _, seed := range [][2]string{
		{"", ""}, {"", "a"}, {"a", "a\n"}, {"a\n", "a\n\n"}, {"a\nb", "b"}, {"\n", ""}, {"a\n\nb\n\n", "\na\n\n"},
	} {
		for context := range 4 {
			f.Add(seed[0], seed[1], context)
		}
	}
	f.Fuzz(func(t *testing.T, a, b string, context int) {
		a, b = strings.ReplaceAll(a, "\r", ""), strings.ReplaceAll(b, "\r", "")
		diff := Unified("", Split(a), Split(b), context%8)
		if got := applyUnified(t, a, diff); got != b {
			t.Fatalf("from %q:\n%s\ngives %q, want %q", a, diff, got, b)
		}
	})
}

// applyUnified applies a patch without headers as a strict reader would.
func applyUnified(t *testing.T, a, patch string) string {
	rest := strings.SplitAfter(a, "\n")
	var out strings.Builder
	line := 0 // lines of a that are dealt with
	take := func() string {
		if len(rest) == 0 {
			t.Fatalf("patch wants more lines than there are:\n%s", patch)
		}
		s := rest[0]
		rest = rest[1:]
		line++
		return s
	}
	body := strings.SplitAfter(patch, "\n")
	body = body[:len(body)-1]
	for i := 0; i < len(body); i++ {
		s := body[i]
		if strings.HasPrefix(s, "@@") {
			from := 0
			if _, err := fmt.Sscanf(s, "@@ -%d", &from); err != nil {
				t.Fatalf("hunk header %q: %v", s, err)
			}
			if !strings.Contains(strings.Fields(s)[1], ",0") {
				from--
			}
			for line < from {
				out.WriteString(take())
			}
			continue
		}
		text := s[1:]
		if i+1 < len(body) && strings.HasPrefix(body[i+1], `\ `) {
			text = strings.TrimSuffix(text, "\n")
			i++
		}
		if s[0] != '+' {
			if got := take(); got != text {
				t.Fatalf("patch wants %q, there is %q:\n%s", text, got, patch)
			}
		}
		if s[0] != '-' {
			out.WriteString(text)
		}
	}
	out.WriteString(strings.Join(rest, ""))
	return out.String()
}
