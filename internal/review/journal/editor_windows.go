package journal

import (
	"strconv"

	"golang.org/x/sys/windows"
)

// beginOf stands for the time at which a process began, if it lives.
func beginOf(pid int) (string, bool) {
	p, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION|windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return "", false
	}
	defer windows.CloseHandle(p)
	if ended, err := windows.WaitForSingleObject(p, 0); err != nil || ended != uint32(windows.WAIT_TIMEOUT) {
		return "", false
	}
	var began, end, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(p, &began, &end, &kernel, &user); err != nil {
		return "", false
	}
	return strconv.FormatInt(began.Nanoseconds(), 10), true
}
