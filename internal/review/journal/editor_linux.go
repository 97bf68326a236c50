package journal

import (
	"os"
	"strconv"
	"strings"
)

// beginOf stands for the time at which a process began, if it lives.
func beginOf(pid int) (string, bool) {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return "", false
	}
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return "", false
	}
	_, rest, _ := strings.Cut(string(stat[strings.LastIndexByte(string(stat), ')')+1:]), " ") // the name may have any bytes
	fields := strings.Fields(rest)
	const state, began = 0, 19 // of those behind the name; see proc(5)
	if len(fields) <= began || fields[state] == "Z" || fields[state] == "X" {
		return "", false
	}
	return fields[began] + " " + strings.TrimSpace(string(boot)), true
}
