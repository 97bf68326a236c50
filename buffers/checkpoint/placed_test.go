package checkpoint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
)

// That git has put a file there is known of what it writes, and of nothing that others do.
func TestPlaced(t *testing.T) {
	main := newRepo(t, "a", "1\n", "sub/a b", "1\n")
	linked := newFolder(t)
	linked.root = filepath.Join(linked.root, "tree")
	main.git("worktree", "add", "-q", linked.root)
	for _, r := range []repo{main, linked} {
		g := r.open()
		want := func(name string, want bool) {
			t.Helper()
			got, err := g.Placed(t.Context(), buffers.Path(filepath.Join(r.root, name)))
			if got != want || err != nil {
				t.Errorf("%s: %v, %v, want %v", name, got, err, want)
			}
		}
		wrote := func(name, content string, ago time.Duration) {
			t.Helper()
			r.write(name, content)
			at := time.Now().Add(-ago)
			if err := os.Chtimes(filepath.Join(r.root, name), at, at); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{"a", "sub/a b"} {
			want(name, true)
			wrote(name, "2\n", -time.Hour)
			want(name, false)
			wrote(name, "2\n", time.Hour)
			want(name, false)
			wrote(name, "1\n", -time.Hour) // the very content
			want(name, false)
			wrote(name, "1\n", time.Hour)
			want(name, false)
			r.git("checkout", "-q", "--", name)
			want(name, true)
			wrote(name, "2\n", time.Hour)
			r.git("stash", "-q")
			want(name, true)
			r.git("stash", "pop", "-q")
			want(name, false)
			r.git("reset", "-q", "--hard")
			r.git("update-index", "--assume-unchanged", name)
			wrote(name, "2\n", time.Hour)
			want(name, false)
			r.git("update-index", "--no-assume-unchanged", name)
			r.git("reset", "-q", "--hard")
		}
		wrote("untracked", "1\n", time.Hour)
		want("untracked", false)
		want("none", false)
	}
}

// What git has taken away as a whole it has kept: in a stash, or in the commit before.
func TestKept(t *testing.T) {
	r := newRepo(t, "a", "1\n")
	g := r.open()
	want := func(name, content string, want bool) {
		t.Helper()
		got, err := g.Kept(t.Context(), buffers.Path(filepath.Join(r.root, name)), content)
		if got != want || err != nil {
			t.Errorf("%s %q: %v, %v, want %v", name, content, got, err, want)
		}
	}
	want("new", "x\n", false) // there is one commit, and no stash
	r.write("new", "x\n")
	r.write("a", "2\n")
	r.git("stash", "-q", "-u")
	want("new", "x\n", true)
	want("new", "y\n", false)
	want("a", "2\n", true)
	want("none", "x\n", false)
	r.git("stash", "drop", "-q")
	want("new", "x\n", false)
	r.write("new", "x\n")
	r.git("checkout", "-q", "-b", "other")
	r.commit()
	r.git("checkout", "-q", "-")
	want("new", "x\n", true)
	want("new", "y\n", false)
}

// The commits that HEAD has been at, and left, are found by its log, each at least once, in
// linked work trees too.
func TestPassed(t *testing.T) {
	main := newRepo(t, "a", "1\n")
	linked := newFolder(t)
	linked.root = filepath.Join(linked.root, "tree")
	main.git("worktree", "add", "-q", linked.root)
	for _, r := range []repo{main, linked} {
		g := r.open()
		r.git("checkout", "-q", "--detach")
		at := int64(-1)
		want := func(want ...string) {
			t.Helper()
			got, next, end, err := g.Passed(at)
			if err != nil || !slices.Equal(got, want) || next > end {
				t.Errorf("passed %q, %v, want %q", got, err, want)
			}
			if again, _, _, err := g.Passed(end); len(again) != 0 || err != nil {
				t.Errorf("behind the end %q, %v", again, err)
			}
			at = next
		}
		commit := func(content string) string {
			r.write("a", content)
			r.commit()
			return strings.TrimSpace(r.git("rev-parse", "HEAD"))
		}
		want()
		want()
		first := commit("2\n")
		want() // HEAD is there
		r.git("checkout", "-q", "HEAD~1")
		want(first)
		want()
		one, two := commit("3\n"), commit("4\n")
		r.git("checkout", "-q", first)
		want(one, two)
		r.git("checkout", "-q", two)
		want()
		p := buffers.Path(filepath.Join(r.root, "a"))
		has, err := g.At(t.Context(), one, []buffers.Path{p})
		if err != nil || len(has) != 1 {
			t.Fatalf("at %s: %v, %v", one, has, err)
		}
		if st, err := g.Read(t.Context(), p, has[p]); st.Content != "3\n" || err != nil {
			t.Errorf("at %s: %q, %v", one, st.Content, err)
		}
		if err := os.WriteFile(filepath.Join(g.dir, "logs", "HEAD"), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		want()
		third := commit("5\n")
		r.git("checkout", "-q", one)
		want(third)
	}
}

// The commits that were made are found by the log of HEAD from a place on, or since a time, by
// whatever command; where HEAD only goes, none is made.
func TestMade(t *testing.T) {
	r := newRepo(t, "a", "1\n")
	g := r.open()
	head := func() string { return strings.TrimSpace(r.git("rev-parse", "HEAD")) }
	at := int64(-1)
	want := func(since time.Time, want ...string) {
		t.Helper()
		got, is, end, err := g.Made(at, since)
		if err != nil || !slices.Equal(got, want) || is != "" && is != head() {
			t.Errorf("made %q, HEAD at %q, %v, want %q", got, is, err, want)
		}
		if at >= 0 {
			at = end
		}
	}
	commit := func(name, content string) string {
		r.write(name, content)
		r.commit()
		return head()
	}
	first := head()
	want(time.Now().Add(time.Hour))
	want(time.Now().Add(-time.Hour), first)
	_, _, at, _ = g.Made(-1, time.Now())
	want(time.Time{})
	two, three := commit("a", "2\n"), commit("a", "3\n")
	want(time.Time{}, two, three)
	r.git("checkout", "-q", "-b", "other", first)
	r.git("reset", "-q", "--hard", three)
	want(time.Time{})
	r.git("reset", "-q", "--hard", first)
	r.git("merge", "-q", two)
	want(time.Time{}) // it was there
	r.git("reset", "-q", "--hard", first)
	b := commit("b", "b\n")
	r.git("cherry-pick", two)
	picked := head()
	want(time.Time{}, b, picked)
	r.git("reset", "-q", "--hard", b)
	r.git("merge", "-q", "-m", "both", three)
	want(time.Time{}, head())
	r.git("revert", "--no-edit", "-m", "1", "HEAD")
	want(time.Time{}, head())
}

// What git may have put there, and is not there any more, is known of what it has of the file.
func TestMayHavePut(t *testing.T) {
	r := newRepo(t, "a", "1\n")
	g, p := r.open(), buffers.Path(filepath.Join(r.root, "a"))
	r.write("a", "2\n")
	r.git("commit", "-qam", "x")
	r.git("checkout", "-q", "HEAD^")
	r.write("a", "3\n")
	for content, want := range map[string]bool{"1\n": true, "2\n": true, "3\n": false} {
		if got, err := g.MayHavePut(t.Context(), p, content, time.Now().Add(-time.Hour)); got != want || err != nil {
			t.Errorf("%q: %v, %v", content, got, err)
		}
		if got, err := g.MayHavePut(t.Context(), p, content, time.Now().Add(time.Hour)); got || err != nil {
			t.Errorf("%q, and git has not moved: %v, %v", content, got, err)
		}
	}
}
