package session

import (
	"path/filepath"
	"strings"
	"testing"

	"acp-ls/buffers"
	"acp-ls/buffers/text"
	"acp-ls/internal/config"
)

// The next prompt tells what was rejected and what the user changed, once, and
// nothing when there is nothing.
func TestTheAgentIsTold(t *testing.T) {
	for _, tell := range []bool{true, false} {
		l := &fakeLauncher{info: AgentInfo{EmbeddedContext: true}}
		c, e, root := setup(t, l, func(s *config.Settings) { s.Review.Tell = tell; s.Files.Dirty = config.DirtyIgnore })
		path := filepath.Join(root, "a.txt")
		uri := buffers.PathURI(path)
		writeFile(t, path, ten)
		e.open(uri, ten)
		turnOf(t, c, l, func(h Host, sid string) {
			got, _ := h.ReadTextFile(t.Context(), sid, path, nil, nil)
			if err := h.WriteTextFile(t.Context(), sid, path, strings.NewReplacer("2\n", "TWO\n", "8\n", "EIGHT\n").Replace(got)); err != nil {
				t.Error(err)
			}
		})
		turnOf(t, c, l, func(Host, string) {}) // nothing has become of it yet
		if _, err := c.Reject(t.Context(), Decide{Hunks: []string{hunksOf(t, c, uri)[0].ID}}); err != nil {
			t.Fatal(err)
		}
		e.replace(uri, "5\n", "five\n")
		turnOf(t, c, l, func(Host, string) {})
		turnOf(t, c, l, func(Host, string) {})
		var news []string
		for _, blocks := range l.agents[0].blocks {
			told := ""
			for _, b := range blocks {
				if b.URI == "acp-ls:changes" {
					told = b.Text
				}
			}
			news = append(news, told)
		}
		if !tell {
			if strings.Join(news, "") != "" {
				t.Errorf("told all the same: %q", news)
			}
			continue
		}
		if len(news) != 4 || news[0] != "" || news[1] != "" || news[3] != "" {
			t.Fatalf("news %q", news)
		}
		for _, want := range []string{"## " + path, "rejected", "-2\n+TWO\n", "changed it", "-5\n+five\n"} {
			if !strings.Contains(news[2], want) {
				t.Errorf("%q is missing in %s", want, news[2])
			}
		}
		if strings.Contains(news[2], "EIGHT") && strings.Contains(news[2], "+8") {
			t.Errorf("what stands is told as changed: %s", news[2])
		}
	}
}

// Rejected hunks are taken out of what the agent is believed to have where there is one
// place for each; a thousand of them in one pass.
func TestSwapped(t *testing.T) {
	for _, tt := range []struct {
		in    string
		swaps []swap
		want  string
	}{
		{"a\nb\nc\n", []swap{{"b\n", "B\n"}}, "a\nB\nc\n"},
		{"a\nb\nc\n", []swap{{"b\n", ""}, {"c\n", "d\ne\n"}}, "a\nd\ne\n"},
		{"a\nb\na\n", []swap{{"a\n", "x\n"}}, "a\nb\na\n"},
		{"a\nb\na\nc\n", []swap{{"a\nc\n", "x\n"}}, "a\nb\nx\n"},
		{"a\nb\n", []swap{{"a\nb\n", "x\n"}, {"b\n", "y\n"}}, "x\n"},
		{"a\r\nb", []swap{{"b", "B"}, {"gone\n", "x\n"}, {"", "y\n"}}, "a\r\nB"},
		{"b\nc\n", []swap{{"b", "B"}}, "B\nc\n"},
		{"", []swap{{"b\n", "B\n"}}, ""},
		{"ab\n", []swap{{"b\n", "B\n"}}, "ab\n"},
	} {
		if got := swapped(text.New(tt.in), tt.swaps).String(); got != tt.want {
			t.Errorf("%q with %q is %q, want %q", tt.in, tt.swaps, got, tt.want)
		}
	}
}
