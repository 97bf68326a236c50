package proc

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// zombie is the state of a process that has ended and was not waited for (SZOMB).
const zombie = 5

// others returns the living members of the group besides this process.
func others() []int {
	members, err := unix.SysctlKinfoProcSlice("kern.proc.pgrp", os.Getpid())
	if err != nil {
		return nil
	}
	var pids []int
	for _, m := range members {
		if pid := int(m.Proc.P_pid); pid != os.Getpid() && m.Proc.P_stat != zombie {
			pids = append(pids, pid)
		}
	}
	return pids
}

// othersInGroup reports whether the group has living members besides this process.
func othersInGroup() bool { return len(others()) > 0 }

// killTree kills the members of the group, this process excepted: it has still
// to say how the command ended.
func killTree() {
	for _, pid := range others() {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
