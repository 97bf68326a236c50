package acpclient

import (
	"os"
	"testing"

	"acp-ls/acpclient/proc"

	"go.uber.org/goleak"
)

// TestMain lets the test binary be the guard of the processes the tests start.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guard" {
		os.Exit(proc.GuardMain(os.Args[2:]))
	}
	// Under the race detector each guard would wait a second before it exits.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}
