//go:build linux

package proc

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// patience only bounds how long a failing test hangs.
const patience = 30 * time.Second

// run is a command of the test program.
func run(name string, args ...string) Command {
	return Command{Path: os.Args[0], Args: append([]string{"program", name}, args...), Stdin: true}
}

func start(t *testing.T, c Command) *Process {
	t.Helper()
	p, err := Start(c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.Kill()
		p.Wait()
		if p.Stdout != nil {
			p.Stdout.Close()
		}
	})
	return p
}

func waitFor(t *testing.T, what string, ch <-chan struct{}) {
	t.Helper()
	select {
	case <-ch:
	case <-time.After(patience):
		t.Fatalf("%s: nothing happened", what)
	}
}

// living watches processes by their pidfd, which can not be taken for another.
type living struct {
	t   *testing.T
	fds map[int]int
}

// readPIDs reads n lines "ready PID" and holds on to the processes.
func readPIDs(t *testing.T, r io.Reader, n int) *living {
	t.Helper()
	l := &living{t, map[int]int{}}
	t.Cleanup(func() {
		for _, fd := range l.fds {
			unix.Close(fd)
		}
	})
	lines := bufio.NewReader(r)
	for range n {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("read pids: %v", err)
		}
		fields := strings.Fields(line)
		pid, _ := strconv.Atoi(fields[1])
		l.add(pid)
	}
	return l
}

func (l *living) add(pid int) {
	l.t.Helper()
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		l.t.Fatalf("pidfd of %d: %v", pid, err)
	}
	l.fds[pid] = fd
}

// gone waits until all of them have ended.
func (l *living) gone() {
	l.t.Helper()
	begin := time.Now()
	for pid, fd := range l.fds {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		for {
			n, err := unix.Poll(poll, int(patience/time.Millisecond))
			if err == unix.EINTR {
				continue
			}
			if n == 0 {
				l.t.Fatalf("process %d lives", pid)
			}
			break
		}
	}
	l.t.Logf("%d processes gone after %v", len(l.fds), time.Since(begin).Round(time.Millisecond))
}

func (l *living) alive() {
	l.t.Helper()
	for pid, fd := range l.fds {
		poll := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		if n, _ := unix.Poll(poll, 0); n != 0 {
			l.t.Fatalf("process %d has ended", pid)
		}
	}
}

func TestExit(t *testing.T) {
	for _, c := range []struct {
		cmd  Command
		want string
	}{
		{run("exit", "0"), "exit code 0"},
		{run("exit", "3"), "exit code 3"},
		{run("exit", "255"), "exit code 255"},
		{run("die"), "ended by SIGKILL"},
	} {
		p := start(t, c.cmd)
		if got := p.Wait().String(); got != c.want {
			t.Errorf("%v: %s, want %s", c.cmd.Args, got, c.want)
		}
	}
}

func TestStdio(t *testing.T) {
	p := start(t, run("cat"))
	go func() {
		io.WriteString(p.Stdin, "héllo\n")
		p.CloseStdin()
		p.CloseStdin() // again does nothing
	}()
	got, err := io.ReadAll(p.Stdout)
	if err != nil || string(got) != "héllo\n" {
		t.Fatalf("read %q, %v", got, err)
	}
	if e := p.Wait(); e.Code != 0 {
		t.Fatal(e)
	}
}

func TestNoStdin(t *testing.T) {
	c := run("cat")
	c.Stdin = false
	p := start(t, c)
	if got, err := io.ReadAll(p.Stdout); err != nil || len(got) != 0 {
		t.Fatalf("read %q, %v", got, err)
	}
}

func TestStderr(t *testing.T) {
	var lines []string
	long := strings.Repeat("é", stderrLine/2+1)
	c := run("print", "2:one\r\n", "2:tw", "out", "2:o\n", "2:"+long+"\n", "2:rest")
	c.StderrLine = func(s string) { lines = append(lines, s) }
	p := start(t, c)
	p.Wait()
	want := []string{"one", "two", long[:stderrLine], "é", "rest"}
	if !slices.Equal(lines, want) {
		t.Errorf("lines %q", lines)
	}
	if tail := p.StderrTail(); tail != "one\r\ntwo\n"+long+"\nrest" {
		t.Errorf("tail %q", tail)
	}
}

// A pipe of stderr that nobody reads would stop the command.
func TestStderrTailOfMuch(t *testing.T) {
	line := strings.Repeat("x", 98) + "é\n" // 101 bytes
	var args []string
	for range 1000 {
		args = append(args, "2:"+line)
	}
	p := start(t, run("print", args...))
	p.Wait()
	tail := p.StderrTail()
	if len(tail) > stderrKept || len(tail) < stderrKept-len(line) || strings.Trim(tail, line) != "" || !strings.HasPrefix(tail, "x") {
		t.Errorf("tail of %d bytes", len(tail))
	}
	if n := strings.Count(tail, "\n"); len(tail) != n*len(line) {
		t.Errorf("tail is not of whole lines")
	}
}

func TestOutputInOrder(t *testing.T) {
	var out strings.Builder
	var args []string
	var want strings.Builder
	for i := range 500 {
		text := fmt.Sprintf("%d.", i)
		want.WriteString(text)
		if i%2 == 0 {
			text = "2:" + text
		}
		args = append(args, text)
	}
	c := run("print", args...)
	c.Output = func(p []byte) { out.Write(p) }
	p := start(t, c)
	p.Exit()
	if out.String() != want.String() {
		t.Errorf("got %q", out.String())
	}
}

// What the command wrote is delivered before Done, though others hold its pipe.
func TestOutputBeforeDone(t *testing.T) {
	const size = 300_000
	n := 0
	c := run("much", strconv.Itoa(size))
	c.Linger = true
	c.Output = func(p []byte) { n += len(p) }
	p := start(t, c)
	waitFor(t, "done", p.Done())
	if n != size { // written before Done was closed
		t.Errorf("%d bytes before done, want %d", n, size)
	}
	select {
	case <-p.Gone():
		t.Error("nothing holds the pipe: the test tests nothing")
	default:
	}
}

func TestEnvironmentOfCommand(t *testing.T) {
	t.Setenv("PROC_TEST_GONE", "1")
	t.Setenv("PROC_TEST_KEPT", "1")
	c := run("env")
	c.RemoveEnv = []string{"PROC_TEST_GONE"}
	c.AddEnv = map[string]string{"PROC_TEST_NEW": "a=b", "PROC_TEST_KEPT": "2"}
	c.Dir = t.TempDir()
	p := start(t, c)
	out, _ := io.ReadAll(p.Stdout)
	env := strings.Split(string(out), "\n")
	for _, want := range []string{"PROC_TEST_NEW=a=b", "PROC_TEST_KEPT=2"} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in %q", want, env)
		}
	}
	for _, kv := range env {
		if strings.HasPrefix(kv, "PROC_TEST_GONE=") || strings.HasPrefix(kv, guardVariable+"=") || kv == "PROC_TEST_KEPT=1" {
			t.Errorf("command sees %s", kv)
		}
	}
}

func TestNotFound(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	path := []string{"PATH=" + dir + ":relative::/nowhere"}
	for _, c := range []struct {
		cmd  Command
		says []string
	}{
		{Command{Path: "no-such-agent", Env: path}, []string{`"no-such-agent" not found in the PATH`, "install it"}},
		{Command{Path: "plain", Env: path}, []string{"not an executable file", "in the PATH"}},
		{Command{Path: "./plain", Dir: dir}, []string{"not an executable file", "correct its path"}},
		{Command{Path: dir + "/none"}, []string{"not found", "correct its path"}},
		{Command{Path: ""}, []string{"empty"}},
	} {
		_, err := Start(c.cmd)
		var missing *NotFoundError
		if !errors.As(err, &missing) || !errors.Is(err, exec.ErrNotFound) {
			t.Errorf("%q: %v", c.cmd.Path, err)
			continue
		}
		if strings.Contains(err.Error(), "/nowhere") {
			t.Errorf("%q: %v tells the whole PATH", c.cmd.Path, err)
		}
		for _, s := range c.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%q: %v does not say %q", c.cmd.Path, err, s)
			}
		}
	}
	c := run("exit", "0")
	c.Dir = filepath.Join(dir, "gone")
	if _, err := Start(c); err == nil || !strings.Contains(err.Error(), "working directory") {
		t.Errorf("missing directory: %v", err)
	}
	c.Dir = plain
	if _, err := Start(c); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("file for a directory: %v", err)
	}
}

// A file that looks like a program and is none fails in the guard.
func TestCannotExecute(t *testing.T) {
	path := filepath.Join(t.TempDir(), "broken")
	if err := os.WriteFile(path, []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := Start(Command{Path: path})
	if err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Fatalf("got %v", err)
	}
}

func TestLookupUsesOwnPath(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "agent")
	if err := os.WriteFile(target, []byte("#!/bin/sh\nexit 7\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	p := start(t, Command{Path: "agent", AddEnv: map[string]string{"PATH": "/nowhere:" + dir}})
	if e := p.Wait(); e.Code != 7 {
		t.Fatal(e)
	}
	p = start(t, Command{Path: "./agent", Dir: dir})
	if e := p.Wait(); e.Code != 7 {
		t.Fatal(e)
	}
}

func TestStop(t *testing.T) {
	for _, c := range []struct {
		name  string
		grace time.Duration
		want  string
	}{
		{"cat", time.Hour, "exit code 0"},                  // ends at the end of its input
		{"stubborn", time.Millisecond, "ended by SIGKILL"}, // never does
	} {
		cmd := run(c.name)
		cmd.Grace = c.grace
		p := start(t, cmd)
		if c.name != "cat" {
			readPIDs(t, p.Stdout, 1)
		}
		if got := p.Stop(context.Background()).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		p.Stop(context.Background()) // again does nothing
	}
}

func TestTerminate(t *testing.T) {
	p := start(t, run("wait"))
	readPIDs(t, p.Stdout, 1)
	p.tree.terminate()
	if got := p.Wait().String(); got != "ended by SIGTERM" {
		t.Error(got)
	}
}

func TestStopNow(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	c := run("tree")
	c.Grace = time.Hour
	p := start(t, c)
	l := readPIDs(t, p.Stdout, 3)
	l.add(p.PID())
	p.Stop(ctx)
	l.gone()
}

// A command that ends takes along what it has started, also what has left its
// group, its session and its parent.
func TestNothingIsLeftBehind(t *testing.T) {
	p := start(t, run("leave"))
	l := readPIDs(t, p.Stdout, 3)
	if e := p.Wait(); e.Code != 0 {
		t.Fatal(e)
	}
	l.gone()
}

// A process that is never the same for long is caught too.
func TestHopping(t *testing.T) {
	c := run("hop", "100000")
	c.Linger = true
	p := start(t, c)
	lines := bufio.NewReader(p.Stdout)
	for range 5 {
		if _, err := lines.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	go io.Copy(io.Discard, lines)
	p.Kill()
	waitFor(t, "gone", p.Gone())
}

func TestLinger(t *testing.T) {
	c := run("leave")
	c.Linger, c.Grace = true, time.Millisecond
	p := start(t, c)
	l := readPIDs(t, p.Stdout, 3)
	waitFor(t, "done", p.Done())
	l.alive()
	p.Stop(context.Background())
	l.gone()
}

// A lingering tree that ends by itself is noticed.
func TestLingerEndsByItself(t *testing.T) {
	c := run("exit", "0")
	c.Linger = true
	p := start(t, c)
	waitFor(t, "gone", p.Gone())
}

// Kill -9 for the one who started it all.
func TestClientKilled(t *testing.T) {
	client := exec.Command("/proc/self/exe", "program", "client")
	out, err := client.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	client.Stderr = os.Stderr
	if err := client.Start(); err != nil {
		t.Fatal(err)
	}
	l := readPIDs(t, out, 4)
	l.alive()
	if err := client.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	client.Wait()
	l.gone()
}

// Kill -9 for the guard.
func TestGuardKilled(t *testing.T) {
	p := start(t, run("stubborn"))
	l := readPIDs(t, p.Stdout, 1)
	l.add(p.PID())
	if err := p.tree.(*guard).cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if e := p.Wait(); e.Err == nil || !strings.Contains(e.String(), "guard was killed") {
		t.Errorf("exit %v", e)
	}
	l.gone()
}

func TestGuardAlone(t *testing.T) {
	if code := GuardMain([]string{"end", "/bin/true", "true"}); code != 2 {
		t.Errorf("code %d", code)
	}
	t.Setenv(guardVariable, "1")
	if _, err := Start(run("exit", "0")); err == nil || !strings.Contains(err.Error(), "GuardMain") {
		t.Errorf("start inside a guard: %v", err)
	}
}

// Many at once: nothing of one reaches another.
func TestMany(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 12 {
		wg.Go(func() {
			p, err := Start(run("exit", strconv.Itoa(i)))
			if err != nil {
				t.Error(err)
				return
			}
			defer p.Stdout.Close()
			if e := p.Wait(); e.Code != i {
				t.Errorf("command %d: %v", i, e)
			}
		})
	}
	wg.Wait()
}
