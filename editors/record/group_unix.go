//go:build unix

package main

import (
	"os"
	"syscall"
)

// ownGroup starts a process as the leader of a group, which endGroup ends.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func endGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
