package session

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/checkpoint"
)

// Which of several files with one text was renamed to which is told by the file system, by
// whichever name they come in order.
func TestPairMovesAlike(t *testing.T) {
	const text = "one\ntwo\nthree\nfour\nfive\n"
	changed := strings.Replace(text, "two", "TWO", 1)
	rename := func(from, to string) func(*testing.T) {
		return func(t *testing.T) {
			must(t, os.Rename(from, to))
		}
	}
	write := func(name, text string) func(*testing.T) {
		return func(t *testing.T) { must(t, os.WriteFile(name, []byte(text), 0o600)) }
	}
	for name, tt := range map[string]struct {
		steps []func(*testing.T)
		want  map[string]string // from, to
	}{
		"the first is changed too":  {[]func(*testing.T){rename("a", "m"), write("m", changed), rename("p", "n")}, map[string]string{"a": "m", "p": "n"}},
		"the second is changed too": {[]func(*testing.T){rename("p", "m"), write("m", changed), rename("a", "n")}, map[string]string{"p": "m", "a": "n"}},
		"none is changed":           {[]func(*testing.T){rename("a", "n"), rename("p", "m")}, map[string]string{"a": "n", "p": "m"}},
		"both are changed":          {[]func(*testing.T){rename("a", "n"), write("n", changed), rename("p", "m"), write("m", changed)}, map[string]string{"a": "n", "p": "m"}},
		"one takes the other's base name": {
			[]func(*testing.T){rename("a", "m"), write("m", changed), rename("p", "d/a")}, map[string]string{"a": "m", "p": "d/a"},
		},
		"one is renamed, one deleted": {[]func(*testing.T){rename("p", "m"), func(t *testing.T) { must(t, os.Remove("a")) }}, map[string]string{"p": "m"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			must(t, err)
			t.Chdir(dir)
			must(t, os.Mkdir("d", 0o700))
			write("a", text)(t)
			write("p", text)(t)
			cp, err := checkpoint.Take(context.Background(), buffers.Path(dir), nil, checkpoint.Options{})
			must(t, err)
			for _, step := range tt.steps {
				step(t)
			}
			changes, err := cp.Changes(context.Background())
			must(t, err)
			var gone, made []checkpoint.Change
			for _, ch := range changes {
				if ch.After.Exists {
					made = append(made, ch)
				} else {
					gone = append(gone, ch)
				}
			}
			got := map[string]string{}
			for _, m := range pairMoves(gone, made) {
				from, _ := filepath.Rel(dir, string(m.from.Path))
				to, _ := filepath.Rel(dir, string(m.to.Path))
				got[filepath.ToSlash(from)] = filepath.ToSlash(to)
			}
			if !maps.Equal(got, tt.want) {
				t.Errorf("renames are %v, want %v", got, tt.want)
			}
		})
	}
}
