package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"acp-ls/internal/nvimtest"
)

// What `make demo` shows goes as it should, in each Neovim.
func TestDemo(t *testing.T) {
	program := filepath.Join(t.TempDir(), "acp-ls")
	build := exec.Command("go", "build", "-o", program, "./cmd/acp-ls")
	build.Dir = root()
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	for _, version := range nvimtest.Versions {
		t.Run(version, func(t *testing.T) {
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			s, err := newScene(dir, program)
			if err != nil {
				t.Fatal(err)
			}
			t.Setenv("ACP_LS_NVIM_012", os.Getenv("ACP_LS_NVIM_012")) // drive sets it
			if err := s.drive(nvimtest.Path(t, version)); err != nil {
				t.Error(err)
			}
		})
	}
}
