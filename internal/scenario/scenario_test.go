package scenario

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"acp-ls/acpclient/proc"
	"acp-ls/internal/scriptagent"

	"go.uber.org/goleak"
)

var update = flag.Bool("update", false, "write what was said into the files of testdata")

// TestMain lets the test binary be the guard of agents, and the agents.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guard" {
		os.Exit(proc.GuardMain(os.Args[2:]))
	}
	if scriptagent.Started() {
		os.Exit(scriptagent.Main())
	}
	// Under the race detector each process would wait a second before it exits.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	// Stories wait for timers more than they compute.
	if flag.Parse(); flag.Lookup("test.parallel").Value.String() != "1" {
		_ = flag.Set("test.parallel", "8")
	}
	goleak.VerifyTestMain(m)
}

func TestScenarios(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no scenarios:", err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseStory(data)
		if err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		if *update {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				rewrite(t, file, s)
			})
			continue
		}
		for _, k := range s.kinds {
			t.Run(name+"/"+k.String(), func(t *testing.T) {
				t.Parallel()
				w := newWorld(t, s, k)
				said := w.play()
				for n, st := range s.steps {
					if now, ok := said[n]; ok && !slices.Equal(trimmed(now), trimmed(st.said)) {
						t.Errorf("%s, line %d of the script: %s\nsaid:\n%s\nnot:\n%s", file, st.number, st.lines[0], quoteLines(now), quoteLines(st.said))
					}
				}
			})
		}
	}
}

// rewrite writes what is said in the first kind of editor, and in the others what
// only they say. The next run compares.
func rewrite(t *testing.T, file string, s *story) {
	all := map[int][]string{}
	for _, k := range s.kinds {
		for i, lines := range newWorld(t, s, k).play() {
			if _, ok := all[i]; !ok {
				all[i] = lines
			}
		}
	}
	if t.Failed() {
		return
	}
	if err := os.WriteFile(file, s.rewrite(all), 0o666); err != nil {
		t.Fatal(err)
	}
}

func trimmed(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(l, " ")
	}
	return out
}

func quoteLines(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("  > " + l + "\n")
	}
	return b.String()
}
