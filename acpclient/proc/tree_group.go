//go:build unix && !linux

package proc

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// becomeReaper does nothing: processes that leave the group are out of reach.
func becomeReaper() {}

func childAttr() *syscall.SysProcAttr { return nil }

func dup(from, to int) error { return unix.Dup2(from, to) }

// signalTree sends a signal to the group, which this process leads and whose
// signals it catches.
func signalTree(s syscall.Signal) { _ = syscall.Kill(-os.Getpid(), s) }
