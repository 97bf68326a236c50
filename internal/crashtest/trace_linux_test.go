package crashtest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Calls that change files, with the argument that has the name, or the file where that is open.
var changing = map[uint64]struct {
	name    string
	at      int
	asksFor uint64 // flags that argument 2 has, if it changes anything
	isFile  bool
}{
	unix.SYS_OPENAT:          {"open", 1, unix.O_CREAT, false},
	unix.SYS_UNLINKAT:        {"remove", 1, 0, false},
	unix.SYS_RENAMEAT:        {"rename", 3, 0, false},
	unix.SYS_RENAMEAT2:       {"rename", 3, 0, false},
	unix.SYS_LINKAT:          {"link", 3, 0, false},
	unix.SYS_SYMLINKAT:       {"symlink", 2, 0, false},
	unix.SYS_MKDIRAT:         {"mkdir", 1, 0, false},
	unix.SYS_FCHMODAT:        {"chmod", 1, 0, false},
	unix.SYS_TRUNCATE:        {"truncate", 0, 0, false},
	unix.SYS_FCHMOD:          {"chmod", 0, 0, true},
	unix.SYS_FTRUNCATE:       {"truncate", 0, 0, true},
	unix.SYS_WRITE:           {"write", 0, 0, true},
	unix.SYS_PWRITE64:        {"write", 0, 0, true},
	unix.SYS_FSETXATTR:       {"set attribute", 0, 0, true},
	unix.SYS_UTIMENSAT:       {"set times", 1, 0, false},
	unix.SYS_COPY_FILE_RANGE: {"copy", 2, 0, true},
}

// callInfo is what the kernel says of a thread that is about to make a call.
type callInfo struct {
	op     uint8
	_      [3]uint8
	arch   uint32
	ip, sp uint64
	nr     uint64
	args   [6]uint64
	_      [8]uint64
}

// killAt has acp-ls killed, as with SIGKILL, in the moment in which it is about to make the n-th
// call from now on that changes a file. The channel has the calls, the last of which was not made,
// and is closed, when acp-ls is gone, by this or otherwise.
func (p *process) killAt(n int) (<-chan string, error) {
	pid := p.cmd.Process.Pid
	ready, calls := make(chan error, 1), make(chan string, n)
	go func() {
		defer close(calls)
		runtime.LockOSThread() // which has traced, and ends with this
		ready <- seize(pid)
		for {
			var ws unix.WaitStatus
			tid, err := unix.Wait4(-1, &ws, unix.WALL|unix.WNOTHREAD, nil)
			switch {
			case errors.Is(err, unix.EINTR):
			case err != nil:
				return // there is no thread left
			case !ws.Stopped():
			case ws.StopSignal() == unix.SIGTRAP|0x80:
				if call := changes(pid, tid); call != "" && n > 0 {
					calls <- call
					if n--; n == 0 {
						_ = unix.Kill(pid, unix.SIGKILL)
						continue
					}
				}
				_ = unix.PtraceSyscall(tid, 0)
			case ws>>16 != 0: // a thread has begun, or begins one
				_ = unix.PtraceSyscall(tid, 0)
			default:
				_ = unix.PtraceSyscall(tid, int(ws.StopSignal()))
			}
		}
	}()
	return calls, <-ready
}

// seize makes this thread the tracer of all threads of a process, and of those that they begin.
func seize(pid int) error {
	known := map[int]bool{}
	for more := true; more; {
		more = false
		list, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err != nil {
			return err
		}
		for _, e := range list {
			tid, err := strconv.Atoi(e.Name())
			if err != nil || known[tid] {
				continue
			}
			known[tid], more = true, true
			if err := unix.PtraceSeize(tid); err != nil {
				if len(known) > 1 {
					continue // it is traced already, or gone
				}
				return err
			}
			var ws unix.WaitStatus
			if err := unix.PtraceInterrupt(tid); err != nil {
				continue
			}
			if _, err := unix.Wait4(tid, &ws, unix.WALL, nil); err != nil || !ws.Stopped() {
				continue
			}
			if err := unix.PtraceSetOptions(tid, unix.PTRACE_O_TRACESYSGOOD|unix.PTRACE_O_TRACECLONE); err != nil {
				return err
			}
			if err := unix.PtraceSyscall(tid, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// changes says what file is about to be changed; "" if none is.
func changes(pid, tid int) string {
	const getSyscallInfo, entry = 0x420e, 1
	var info callInfo
	if _, _, e := unix.RawSyscall6(unix.SYS_PTRACE, getSyscallInfo, uintptr(tid), unsafe.Sizeof(info), uintptr(unsafe.Pointer(&info)), 0, 0); e != 0 || info.op != entry {
		return ""
	}
	c, ok := changing[info.nr]
	if !ok || c.asksFor != 0 && info.args[2]&c.asksFor == 0 {
		return ""
	}
	name := ""
	if c.isFile {
		to, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%d", pid, int32(info.args[c.at])))
		if err != nil || !filepath.IsAbs(to) || strings.HasPrefix(to, "/dev/") || strings.HasPrefix(to, "/proc/") {
			return ""
		}
		name = to
	} else {
		name = stringAt(pid, info.args[c.at])
	}
	return c.name + " " + filepath.Base(name)
}

func stringAt(pid int, at uint64) string {
	mem, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return "?"
	}
	defer mem.Close()
	b := make([]byte, 512)
	n, _ := mem.ReadAt(b, int64(at))
	s, _, _ := bytes.Cut(b[:n], []byte{0})
	return string(s)
}
