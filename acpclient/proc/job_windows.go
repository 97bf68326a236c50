package proc

import (
	"errors"
	"os"
	"os/exec"
	"sync"
	"unsafe"

	"golang.org/x/sys/windows"
)

// ownJob puts this process into a job that ends with its last handle, which is
// ours and is never closed: when this process is gone, so is everything it
// started. Whoever started us may have put us into jobs already; this one is
// nested in them.
var ownJob = sync.OnceValue(func() error {
	job, err := newJob()
	if err != nil {
		return err
	}
	if err := windows.AssignProcessToJobObject(job, windows.CurrentProcess()); err != nil {
		windows.CloseHandle(job)
		return os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return nil
})

// newJob returns a job that kills its processes when its last handle is closed.
func newJob() (windows.Handle, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return 0, os.NewSyscallError("CreateJobObject", err)
	}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{
			LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
		},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation,
		uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err != nil {
		windows.CloseHandle(job)
		return 0, os.NewSyscallError("SetInformationJobObject", err)
	}
	return job, nil
}

// completionPort is JOBOBJECT_ASSOCIATE_COMPLETION_PORT.
type completionPort struct {
	key  windows.Handle
	port windows.Handle
}

// msgActiveProcessZero is JOB_OBJECT_MSG_ACTIVE_PROCESS_ZERO.
const msgActiveProcessZero = 4

// jobTree is a process tree in a job of its own.
type jobTree struct {
	mu     sync.Mutex
	job    windows.Handle // 0 when closed
	port   windows.Handle // tells when the job is empty
	killed bool
}

// startInJob starts a suspended command, puts it into a new job, and lets it run.
func startInJob(cmd *exec.Cmd) (t *jobTree, err error) {
	// Should acp-ls be killed with this failing, trees end at the latest when their
	// stdin does; nothing better is to be had.
	_ = ownJob()
	job, err := newJob()
	if err != nil {
		return nil, err
	}
	t = &jobTree{job: job}
	defer func() {
		if err != nil {
			t.close()
		}
	}()
	if t.port, err = windows.CreateIoCompletionPort(windows.InvalidHandle, 0, 0, 1); err != nil {
		return nil, os.NewSyscallError("CreateIoCompletionPort", err)
	}
	link := completionPort{key: job, port: t.port}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectAssociateCompletionPortInformation,
		uintptr(unsafe.Pointer(&link)), uint32(unsafe.Sizeof(link)))
	if err != nil {
		return nil, os.NewSyscallError("SetInformationJobObject", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	if err = t.adopt(uint32(cmd.Process.Pid)); err != nil {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		return nil, err
	}
	return t, nil
}

func (t *jobTree) adopt(pid uint32) error {
	h, err := windows.OpenProcess(windows.PROCESS_SET_QUOTA|windows.PROCESS_TERMINATE, false, pid)
	if err != nil {
		return os.NewSyscallError("OpenProcess", err)
	}
	defer windows.CloseHandle(h)
	if err := windows.AssignProcessToJobObject(t.job, h); err != nil {
		return os.NewSyscallError("AssignProcessToJobObject", err)
	}
	return resume(pid)
}

// resume lets the only thread of a suspended process run.
func resume(pid uint32) error {
	snapshot, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPTHREAD, 0)
	if err != nil {
		return os.NewSyscallError("CreateToolhelp32Snapshot", err)
	}
	defer windows.CloseHandle(snapshot)
	entry := windows.ThreadEntry32{Size: uint32(unsafe.Sizeof(windows.ThreadEntry32{}))}
	for err = windows.Thread32First(snapshot, &entry); err == nil; err = windows.Thread32Next(snapshot, &entry) {
		if entry.OwnerProcessID != pid {
			continue
		}
		thread, err := windows.OpenThread(windows.THREAD_SUSPEND_RESUME, false, entry.ThreadID)
		if err != nil {
			return os.NewSyscallError("OpenThread", err)
		}
		defer windows.CloseHandle(thread)
		_, err = windows.ResumeThread(thread)
		return os.NewSyscallError("ResumeThread", err)
	}
	return errors.New("the new process has no thread")
}

// watch follows the command and its job to their ends.
func (t *jobTree) watch(p *Process, cmd *exec.Cmd, linger bool) {
	err := cmd.Wait()
	var exited *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exited):
		p.ended(Exit{Code: -1, Err: err})
	case t.wasKilled():
		p.ended(Exit{Code: -1, Signal: "SIGKILL"})
	default:
		p.ended(Exit{Code: cmd.ProcessState.ExitCode()})
	}
	if !linger {
		t.kill()
	}
	t.waitEmpty()
	t.close()
	p.vanished()
}

// waitEmpty returns when no process of the job is left.
func (t *jobTree) waitEmpty() {
	for {
		var message uint32
		var key uintptr
		var overlapped *windows.Overlapped
		err := windows.GetQueuedCompletionStatus(t.port, &message, &key, &overlapped, windows.INFINITE)
		if err != nil || message == msgActiveProcessZero {
			return
		}
	}
}

// terminate can do nothing: a program without a window or a console can not be
// asked to end.
func (t *jobTree) terminate() bool { return false }

func (t *jobTree) kill() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.killed = true
	if t.job != 0 {
		_ = windows.TerminateJobObject(t.job, 1)
	}
}

func (t *jobTree) wasKilled() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.killed
}

func (t *jobTree) close() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job != 0 {
		windows.CloseHandle(t.job)
		t.job = 0
	}
	if t.port != 0 {
		windows.CloseHandle(t.port)
		t.port = 0
	}
}
