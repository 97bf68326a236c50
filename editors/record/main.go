// Command record plays scenarios in a real editor and writes down what the editor
// sends to its language server, what the server sends, and the text the editor's
// buffer has after each step: the fixtures of internal/review/testdata/editors.
// See README.md.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"acp-ls/internal/editorlog"
)

func main() {
	editor := flag.String("nvim", "nvim", "the `program` to record")
	out := flag.String("out", "internal/review/testdata/editors", "the `folder` for recordings")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: record [flags] [scenario...]")
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := run(*editor, *out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "record:", err)
		os.Exit(1)
	}
}

func run(editor, out string, names []string) error {
	all := nvimScenarios()
	for _, name := range names {
		if !slices.ContainsFunc(all, func(sc scenario) bool { return sc.name == name }) {
			return fmt.Errorf("no scenario %q", name)
		}
	}
	failed := 0
	for _, sc := range all {
		if len(names) > 0 && !slices.Contains(names, sc.name) {
			continue
		}
		log, err := recordNvim(editor, sc)
		if err != nil {
			fmt.Printf("%-28s FAILED: %v\n", sc.name, err)
			failed++
			continue
		}
		lies, err := annotate(log)
		if err == nil {
			err = check(log)
		}
		if err != nil {
			fmt.Printf("%-28s FAILED: %v\n", sc.name, err)
			failed++
			continue
		}
		if err := save(out, log); err != nil {
			return err
		}
		fmt.Printf("%-28s %4d events", sc.name, len(log.Events))
		if lies > 0 {
			fmt.Printf(", %d checkpoints not as told", lies)
		}
		fmt.Println()
	}
	if failed > 0 {
		return fmt.Errorf("%d scenarios failed", failed)
	}
	return nil
}

func nvimScenarios() []scenario { return slices.Concat(nvimUserScenarios, nvimAgentScenarios) }

func save(dir string, log *editorlog.Log) error {
	f, err := os.Create(filepath.Join(dir, log.Name()))
	if err != nil {
		return err
	}
	defer f.Close()
	if err := log.Write(f); err != nil {
		return err
	}
	return f.Close()
}
