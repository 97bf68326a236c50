package bench

import (
	"os"
	"testing"

	"acp-ls/acpclient/proc"
)

func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guard" { // of the agents started here
		os.Exit(proc.GuardMain(os.Args[2:]))
	}
	if os.Getenv(agentVariable) != "" {
		os.Exit(agentMain(os.Stdin, os.Stdout))
	}
	if os.Getenv(peakVariable) != "" {
		os.Exit(peakMain())
	}
	code := m.Run()
	results.load()
	results.print(os.Stdout)
	os.Exit(code)
}
