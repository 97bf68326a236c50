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
	goleak.VerifyTestMain(m)
}
