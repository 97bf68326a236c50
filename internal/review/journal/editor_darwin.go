package journal

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// zombie is the state of a process that has ended and was not waited for (SZOMB).
const zombie = 5

// beginOf stands for the time at which a process began, if it lives.
func beginOf(pid int) (string, bool) {
	p, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(p.Proc.P_pid) != pid || p.Proc.P_stat == zombie {
		return "", false
	}
	return strconv.FormatInt(p.Proc.P_starttime.Nano(), 10), true
}
