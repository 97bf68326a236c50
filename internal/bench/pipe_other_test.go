//go:build !linux

package bench

import (
	"os"
	"testing"
)

// widePipe is a pipe as large as that of an agent's output.
func widePipe(b *testing.B) (r, w *os.File) { return pipe(b) }
