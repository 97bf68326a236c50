package scenario

import (
	"flag"
	"os"
	"path/filepath"
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
		if *update && s.broken != "" {
			continue // what it says is what it has to say
		}
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
				said, err := newWorld(t, s, k).play()
				wrong := s.differences(said)
				if err != nil {
					wrong = append(wrong, err.Error())
				}
				switch {
				case s.broken == "":
					for _, what := range wrong {
						t.Errorf("%s: %s", file, what)
					}
				case len(wrong) == 0:
					t.Errorf("%s works now: take the line \"broken:\" out", file)
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
		said, err := newWorld(t, s, k).play()
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for i, lines := range said {
			if _, ok := all[i]; !ok {
				all[i] = lines
			}
		}
	}
	if err := os.WriteFile(file, s.rewrite(all), 0o666); err != nil {
		t.Fatal(err)
	}
}
