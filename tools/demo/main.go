// Command demo shows acp-ls at work: the built-in agent, in Neovim, on a text
// that was never saved.
//
//	demo PROGRAM    PROGRAM is acp-ls as built
//
// On a terminal the user drives it, with a guide in the first window. Without
// one the same session is driven by keys; its screens and what came of it are
// printed, and the exit code says whether all went as it should.
package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed project.txtar
var projectText []byte

//go:embed demo.lua
var startLua string

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: demo PROGRAM")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(program string) error {
	program, err := filepath.Abs(program)
	if err != nil {
		return err
	}
	nvim, err := findNeovim()
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "acp-ls-demo-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return err
	}
	s, err := newScene(dir, program)
	if err != nil {
		return err
	}
	if !onTerminal(os.Stdin) || !onTerminal(os.Stdout) {
		return s.drive(nvim)
	}
	cmd := exec.Command(nvim, append([]string{"--clean", "-n", "-i", "NONE"}, s.args()...)...)
	cmd.Dir = s.project
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}

// scene is the project on disk and what Neovim is started with.
type scene struct {
	project string // folder
	start   string // Lua file
	files   map[string]string
}

func newScene(dir, program string) (*scene, error) {
	s := &scene{project: filepath.Join(dir, "greet"), start: filepath.Join(dir, "start.lua"), files: map[string]string{}}
	if err := os.MkdirAll(filepath.Join(s.project, ".git"), 0o755); err != nil { // what marks a project
		return nil, err
	}
	for _, f := range txtar.Parse(projectText).Files {
		s.files[f.Name] = string(f.Data)
		if f.Name == "guide" || strings.HasPrefix(f.Name, "unsaved/") {
			continue
		}
		if err := os.WriteFile(filepath.Join(s.project, f.Name), f.Data, 0o644); err != nil {
			return nil, err
		}
	}
	opts, err := json.Marshal(map[string]any{
		"program": program,
		"unsaved": lines(s.files["unsaved/greet.go"]),
		"guide":   lines(s.files["guide"]),
	})
	if err != nil {
		return nil, err
	}
	text := fmt.Sprintf("local start = function(...)\n%s\nend\nstart(vim.json.decode([=======[%s]=======]))\n", startLua, opts)
	return s, os.WriteFile(s.start, []byte(text), 0o644)
}

func lines(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") }

// args are Neovim's.
func (s *scene) args() []string {
	plugin := filepath.Join(root(), "editors", "nvim")
	return []string{"--cmd", "set shortmess+=I rtp^=" + strings.ReplaceAll(plugin, " ", `\ `), "-S", s.start}
}

// root is the folder of this repository.
func root() string {
	_, here, _, _ := runtime.Caller(0)
	return filepath.Dir(filepath.Dir(filepath.Dir(here)))
}

var versionRE = regexp.MustCompile(`NVIM v(\d+)\.(\d+)`)

// findNeovim takes the nvim on PATH if it is new enough, or fetches one.
func findNeovim() (string, error) {
	if path, err := exec.LookPath("nvim"); err == nil {
		out, err := exec.Command(path, "--version").Output()
		m := versionRE.FindSubmatch(out)
		if err == nil && m != nil {
			major, _ := strconv.Atoi(string(m[1]))
			minor, _ := strconv.Atoi(string(m[2]))
			if major > 0 || minor >= 10 {
				return path, nil
			}
		}
		fmt.Fprintf(os.Stderr, "demo: %s is older than Neovim 0.10; another is fetched\n", path)
	}
	cmd := exec.Command(filepath.Join(root(), "tools", "get-nvim"), "0.12")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("neovim 0.12 could not be fetched: %w", err)
	}
	path := strings.TrimSpace(string(out))
	if path == "" {
		return "", errors.New("tools/get-nvim named no program")
	}
	return path, nil
}

func onTerminal(f *os.File) bool {
	st, err := f.Stat()
	if err != nil || st.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull)
	return err != nil || !os.SameFile(st, null)
}
