//go:build !linux

package wire

import (
	"os"
	"testing"
)

func widePipe(t testing.TB) (r, w *os.File) { return pipe(t) }
