package session

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
)

// rowsOfSize is a text of so many bytes.
func rowsOfSize(n int) string { return strings.Repeat(strings.Repeat("x", 63)+"\n", n/64) }

// What is too large to go along with a prompt does not, in whatever way it is named, and
// user and agent are told; what is at the limit does.
func TestTooLargeToGoAlong(t *testing.T) {
	const big = "big.txt"
	for name, ask := range map[string]func(uri string) (Prompt, bool){ // whether the document must be open
		"path":    func(string) (Prompt, bool) { return Prompt{Text: "see @" + big}, false },
		"lines":   func(string) (Prompt, bool) { return Prompt{Text: "see @" + big + "#L1-L99999"}, false },
		"buffer":  func(string) (Prompt, bool) { return Prompt{Text: "see @buffer"}, true },
		"open":    func(string) (Prompt, bool) { return Prompt{Text: "see @open"}, true },
		"context": func(uri string) (Prompt, bool) { return Prompt{Text: "see", Context: []Span{{URI: uri}}}, false },
		"selection": func(uri string) (Prompt, bool) {
			return Prompt{Text: "see", Selection: &Span{URI: uri, Range: rowsRange(0, 99999)}}, true
		},
		"unsaved": func(string) (Prompt, bool) { return Prompt{Text: "see"}, true },
	} {
		for _, state := range []string{"closed", "open", "unsaved"} {
			for _, embeds := range []bool{true, false} {
				p, open := ask("")
				if open && state == "closed" || name == "unsaved" && state != "unsaved" {
					continue
				}
				t.Run(fmt.Sprintf("%s/%s/embeds=%v", name, state, embeds), func(t *testing.T) {
					for _, size := range []int{maxEmbed, maxEmbed + 64} {
						l := &fakeLauncher{info: AgentInfo{EmbeddedContext: embeds}}
						c, e, root := setup(t, l)
						path := filepath.Join(root, big)
						uri := buffers.PathURI(path)
						content := rowsOfSize(size)
						writeFile(t, path, content)
						e.caps["editor"] = true
						e.onState = func() EditorState { return EditorState{Active: uri} }
						if state != "closed" {
							e.open(uri, content)
						}
						if state == "unsaved" {
							e.typeAt(uri, 0, 1, "y")
							content = "y" + content[1:]
						}
						var blocks []Block
						l.prompt = func(_ context.Context, _ *fakeAgent, _ string, b []Block) (StopReason, error) {
							blocks = b
							return "end_turn", nil
						}
						p, _ = ask(uri)
						p.Wait = true
						if _, err := c.Prompt(t.Context(), p); err != nil {
							t.Fatal(err)
						}
						links, texts, told := 0, 0, 0
						for _, b := range blocks {
							switch {
							case strings.Contains(b.Text, strings.TrimSuffix(content, "\n")):
								texts++
							case strings.Contains(b.Text, big+" ("+kib(size)+") is too large to be given here"):
								told++
							case b.Type == "link":
								links++
							case len(b.Text) > 1000:
								t.Errorf("%d bytes of %d go along", len(b.Text), size)
							}
						}
						said := 0
						e.await("the notices", func() bool { return e.entries != nil })
						for _, text := range noticesOf(e) {
							if strings.Contains(text, big+" ("+kib(size)+") is too large to go along with a prompt") {
								said++
							}
						}
						want := 1
						if state == "unsaved" && (name == "lines" || name == "selection") {
							want = 2 // a part, and the whole as it is not on disk
						}
						switch {
						case size > maxEmbed && (links != want || texts != 0 || told != 1 || said != 1):
							t.Errorf("too large: %d links, %d texts, the agent is told %d times, the user %d times", links, texts, told, said)
						case size <= maxEmbed && (texts != want || told+said != 0):
							t.Errorf("at the limit: %d texts, the agent is told %d times, the user %d times", texts, told, said)
						}
					}
				})
			}
		}
	}
}

func noticesOf(e *fakeEditor) (all []string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, entries := range e.entries {
		for _, entry := range entries {
			if entry.Kind == EntryNotice {
				all = append(all, entry.Text)
			}
		}
	}
	return all
}

// All that goes along has a bound too, and what was named first goes first; what was named
// twice goes once.
func TestTooMuchToGoAlong(t *testing.T) {
	l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
	c, e, root := setup(t, l)
	text := "see"
	n := maxPrompt/maxEmbed + 2
	for i := range n {
		name := fmt.Sprintf("f%d.txt", i)
		writeFile(t, filepath.Join(root, name), fmt.Sprint(i)+rowsOfSize(maxEmbed)[1:])
		text += " @" + name + " @" + name
	}
	var blocks []Block
	l.prompt = func(_ context.Context, _ *fakeAgent, _ string, b []Block) (StopReason, error) {
		blocks = b
		return "end_turn", nil
	}
	if _, err := c.Prompt(t.Context(), Prompt{Text: text, Wait: true}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, b := range blocks[1:] {
		if b.Type != "text" {
			got = append(got, b.Type+" "+filepath.Base(b.URI))
		}
	}
	want := []string{"resource f0.txt", "resource f1.txt", "resource f2.txt", "resource f3.txt", "link f4.txt", "link f5.txt"}
	if strings.Join(got, ", ") != strings.Join(want, ", ") {
		t.Errorf("got %q, want %q", got, want)
	}
	if said := noticesOf(e); len(said) != 2 {
		t.Errorf("said %q", said)
	}
}

// Of what has no file, and can be read nowhere else, the beginning goes along.
func TestTooLargeWithoutAFile(t *testing.T) {
	for name, ask := range map[string]func(e *fakeEditor, root string) Prompt{
		"untitled": func(e *fakeEditor, _ string) Prompt {
			e.open("untitled:Untitled-1", rowsOfSize(2*maxEmbed))
			return Prompt{Text: "see", Context: []Span{{URI: "untitled:Untitled-1"}}}
		},
		"selection": func(e *fakeEditor, _ string) Prompt {
			e.open("untitled:Untitled-1", rowsOfSize(2*maxEmbed))
			return Prompt{Text: "see", Selection: &Span{URI: "untitled:Untitled-1", Range: rowsRange(0, 99999)}}
		},
		"diff": func(_ *fakeEditor, root string) Prompt {
			writeFile(t, filepath.Join(root, "a.txt"), "a\n")
			for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"}} {
				if out, err := exec.Command("git", append([]string{"-C", root}, args...)...).CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			writeFile(t, filepath.Join(root, "a.txt"), rowsOfSize(2*maxEmbed))
			return Prompt{Text: "see @diff"}
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
			c, e, root := setup(t, l)
			var blocks []Block
			l.prompt = func(_ context.Context, _ *fakeAgent, _ string, b []Block) (StopReason, error) {
				blocks = b
				return "end_turn", nil
			}
			p := ask(e, root)
			p.Wait = true
			if _, err := c.Prompt(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			given, told := 0, false
			for _, b := range blocks {
				if b.Type == "resource" {
					given += len(b.Text)
					if !strings.HasSuffix(b.Text, "x\n") {
						t.Errorf("it ends with %q", b.Text[len(b.Text)-10:])
					}
				}
				told = told || strings.Contains(b.Text, "it goes on after its first 256 KiB")
			}
			if given > maxEmbed || given < maxEmbed-100 || !told {
				t.Errorf("%d bytes go along, told: %v", given, told)
			}
			if said := noticesOf(e); len(said) != 1 || !strings.HasSuffix(said[0], "the agent is given its first 256 KiB") {
				t.Errorf("said %q", said)
			}
		})
	}
}

// What nobody has asked to go along is not spoken of with every prompt.
func TestTooLargeAndUnsavedIsSaidOnce(t *testing.T) {
	l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
	c, e, root := setup(t, l)
	path := filepath.Join(root, "big.txt")
	writeFile(t, path, rowsOfSize(2*maxEmbed))
	e.open(buffers.PathURI(path), rowsOfSize(2*maxEmbed))
	e.typeAt(buffers.PathURI(path), 0, 1, "y")
	l.prompt = func(context.Context, *fakeAgent, string, []Block) (StopReason, error) { return "end_turn", nil }
	for range 3 {
		if _, err := c.Prompt(t.Context(), Prompt{Text: "go", Wait: true}); err != nil {
			t.Fatal(err)
		}
	}
	if said := noticesOf(e); len(said) != 1 {
		t.Errorf("said %q", said)
	}
}
