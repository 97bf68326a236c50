package session

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// What another program has written since anybody looked is in the document, and on disk, after a
// decision; or the user is told that it is not.
func TestDecideWhenTheDiskHasGoneOn(t *testing.T) {
	t.Parallel()
	for _, reloads := range []bool{true, false} {
		for _, saves := range []string{"saves", "refuses", "cannot"} {
			for _, restores := range []bool{false, true} {
				t.Run(fmt.Sprintf("reload %v, %s, restore %v", reloads, saves, restores), func(t *testing.T) {
					t.Parallel()
					l := &fakeLauncher{}
					c, e, root := setup(t, l)
					path := filepath.Join(root, "a")
					uri := buffers.PathURI(path)
					e.caps = map[string]bool{"reload": reloads, "save": true}
					e.onReload = func(u string) (bool, error) {
						e.reopen(u, path)
						return true, nil
					}
					tries := false
					e.onSave = func(u string) error {
						switch {
						case tries && saves == "refuses":
							return fmt.Errorf("%w: E1: no", ErrNotSaved)
						case tries && saves == "cannot":
							return ErrUnsupported
						}
						writeFile(t, path, e.text(u))
						e.send(buffers.Save{URI: u})
						return nil
					}
					writeFile(t, path, ten)
					e.open(uri, ten)
					awaitLook(t, c.file(buffers.Path(path)))
					diskTurn(t, c, l, path, func(d string) string { return strings.Replace(d, "2\n", "AGENT\n", 1) })
					if got := e.text(uri); !strings.Contains(got, "AGENT") {
						t.Fatalf("text %q", got)
					}
					if !reloads { // the user has saved it
						writeFile(t, path, e.text(uri))
						e.send(buffers.Save{URI: uri})
					}
					if restores {
						if _, err := c.Reject(t.Context(), Decide{URI: uri}); err != nil {
							t.Fatal(err)
						}
						if got := readFile(t, path); got != ten {
							t.Fatalf("the disk has %q", got)
						}
					}
					tries = true
					other := strings.Replace(readFile(t, path), "9\n", "OTHER\n", 1)
					writeFile(t, path, other)
					want := strings.Replace(ten, "9\n", "OTHER\n", 1)
					decide := c.Reject
					if restores {
						decide, want = c.Restore, strings.Replace(want, "2\n", "AGENT\n", 1)
					}
					if out, err := decide(t.Context(), Decide{URI: uri}); err != nil || len(out.Decided) != 1 || len(out.Refused) > 0 {
						t.Errorf("decided %+v, %v", out, err)
					}
					if got := e.text(uri); got != want {
						t.Errorf("text %q, want %q", got, want)
					}
					onDisk, said := readFile(t, path), e.said()
					if told := len(said) == 1 && strings.HasPrefix(said[0], "a is not saved: "); told == (onDisk == want) || onDisk != want && onDisk != other {
						t.Errorf("the disk has %q, said %q", onDisk, said)
					}
					if saves == "saves" && reloads && onDisk != want {
						t.Errorf("the disk has %q", onDisk)
					}
				})
			}
		}
	}
}
