package checkpoint

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What is stashed, and what is committed in a branch that HEAD has left, is away, with what was there
// before and as checkout would write it, in linked work trees too; what HEAD is at or has come from, and what
// was given up, is not.
func TestPutAway(t *testing.T) {
	main := newRepo(t, ".gitattributes", "*.txt text eol=crlf\n", "a.txt", "1\n", "sub/b", "1\n")
	linked := newFolder(t)
	linked.root = filepath.Join(linked.root, "tree")
	main.git("worktree", "add", "-q", linked.root)
	for _, r := range []repo{main, linked} {
		g := r.open()
		known, stamp := map[string]bool{}, ""
		// away says what is away that was not when it last did: of each file what it was, and what is there now.
		away := func(most int) (out string) {
			t.Helper()
			all, err := g.PutAway()
			if err != nil {
				t.Fatal(err)
			}
			now := g.AwayStamp()
			if now == stamp {
				t.Error("the stamp is the same")
			}
			stamp = now
			var files []string
			for _, a := range all {
				if known[a.ID] {
					continue
				}
				known[a.ID] = true
				moved, more, err := g.Files(t.Context(), a, most, func(p buffers.Path) bool { return !strings.HasSuffix(string(p), "secret") })
				if err != nil {
					t.Fatal(err)
				}
				for _, m := range moved {
					rel, _ := filepath.Rel(string(buffers.Path(g.Top())), string(m.Path))
					files = append(files, filepath.ToSlash(rel)+" "+show(m.Was)+" "+show(m.Now))
				}
				if more {
					files = append(files, "more")
				}
			}
			slices.Sort(files)
			return strings.Join(files, ", ")
		}
		is := func(what, got, want string) {
			t.Helper()
			if got != want {
				t.Errorf("%s: %q, want %q", what, got, want)
			}
		}
		is("at first", away(9), "")

		r.write("a.txt", "2\r\n")
		r.write("new", "3\n")
		r.write("secret", "4\n")
		if err := os.Remove(filepath.Join(r.root, "sub", "b")); err != nil {
			t.Fatal(err)
		}
		r.git("stash", "-qu")
		is("stashed", away(9), strings.Join([]string{
			`a.txt "2\r\n" "1\r\n"`,
			`new "3\n" -`,
			`sub/b - "1\n"`,
		}, ", "))
		r.git("stash", "drop", "-q")

		r.git("checkout", "-q", "-b", "other-"+filepath.Base(r.root))
		r.write("sub/b", "2\n")
		r.git("commit", "-qam", "x")
		r.write("sub/b", "3\n")
		r.git("commit", "-qa", "--amend", "-m", "x")
		is("amended", away(9), "")
		clear(known)
		r.git("checkout", "-q", "-")
		is("left", away(9), `sub/b "3\n" "1\n"`)

		r.write("sub/b", "4\n")
		r.write("a.txt", "4\r\n")
		r.git("stash", "-q")
		if got := away(1); !strings.HasSuffix(got, ", more") || strings.Count(got, ",") != 1 {
			t.Errorf("at most one: %q", got)
		}
		r.git("stash", "drop", "-q")
	}
}
