// Command record plays scenarios in a real editor and writes down what the editor
// sends to its language server, what the server sends, and the text the editor's
// buffer has after each step: the fixtures of internal/review/testdata/editors.
// See README.md.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"acp-ls/internal/editorlog"
)

func main() {
	out := flag.String("out", "internal/review/testdata/editors", "the `folder` for recordings")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: record [flags] [EDITOR [scenario...]]\n"+
			"EDITOR is one of "+strings.Join(editors, ", ")+"; all of them if it is not given")
		flag.PrintDefaults()
	}
	flag.Parse()
	var err error
	if flag.NArg() > 0 {
		err = run(*out, flag.Arg(0), flag.Args()[1:])
	} else {
		for _, editor := range editors {
			err = errors.Join(err, run(*out, editor, nil))
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

var editors = []string{"nvim-0.10", "nvim-0.12", "vscode"}

// run records the named scenarios, or all, in one editor.
func run(out, editor string, names []string) error {
	if !slices.Contains(editors, editor) {
		return fmt.Errorf("editor %q is not one of %s", editor, strings.Join(editors, ", "))
	}
	if editor == "vscode" {
		return recordVSCode(out, names)
	}
	version := strings.TrimPrefix(editor, "nvim-")
	bin, err := tool("tools/get-nvim", version)
	if err != nil {
		return err
	}
	all := nvimScenarios()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(sc scenario) bool { return sc.name == name }) {
			return fmt.Errorf("no scenario %q", name)
		}
	}
	var failed error
	for _, sc := range all {
		if len(names) > 0 && !slices.Contains(names, sc.name) {
			continue
		}
		log, err := recordNvim(bin, sc)
		if err == nil {
			err = keep(out, log)
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("scenario %s: %w", sc.name, err))
		}
	}
	return failed
}

func nvimScenarios() []scenario { return slices.Concat(nvimUserScenarios, nvimAgentScenarios) }

// tool runs one of the project's scripts that have a program ready, and returns the
// path it prints.
func tool(name string, arg ...string) (string, error) {
	cmd := exec.Command(name, arg...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w (run from the root of the module)", name, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// keep checks a recording and writes it.
func keep(dir string, log *editorlog.Log) error {
	lies, err := annotate(log)
	if err == nil {
		err = check(log)
	}
	if err != nil {
		return err
	}
	f, err := os.Create(filepath.Join(dir, log.Name()))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := log.Write(f); err != nil {
		return err
	}
	fmt.Printf("%-48s %4d events", log.Name(), len(log.Events))
	if lies > 0 {
		fmt.Printf(", %d checkpoints not as told", lies)
	}
	fmt.Println()
	return f.Close()
}
