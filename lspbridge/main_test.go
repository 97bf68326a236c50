package lspbridge

import (
	"testing"

	"go.uber.org/goleak"
)

// Every goroutine ends with its connection.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
