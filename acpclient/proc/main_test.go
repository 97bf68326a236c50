//go:build linux

package proc

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

// TestMain makes the test binary a guard, or one of the programs the tests run.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guard" {
		os.Exit(GuardMain(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == "program" {
		os.Exit(program(os.Args[2], os.Args[3:]))
	}
	// Under the race detector each guard would wait a second before it exits.
	os.Setenv("GORACE", "atexit_sleep_ms=0")
	goleak.VerifyTestMain(m)
}

// program is what the tests run.
func program(name string, args []string) int {
	switch name {
	case "exit":
		code, _ := strconv.Atoi(args[0])
		return code
	case "die":
		syscall.Kill(os.Getpid(), syscall.SIGKILL)
		unix.Pause()
	case "cat": // until the end of its input
		io.Copy(os.Stdout, os.Stdin)
	case "print": // the arguments, "2:" ones to stderr
		for _, a := range args {
			if text, ok := strings.CutPrefix(a, "2:"); ok {
				io.WriteString(os.Stderr, text)
			} else {
				io.WriteString(os.Stdout, a)
			}
		}
	case "env":
		for _, kv := range os.Environ() {
			fmt.Println(kv)
		}
	case "wait": // for ever
		ready()
		unix.Pause()
	case "stubborn": // for ever, and no TERM helps
		signal.Ignore(syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
		ready()
		unix.Pause()
	case "tree": // three stubborn descendants: a child, one in another session, a daemon
		plant()
		unix.Pause()
	case "much": // a silent process that stays, then as many bytes as asked for
		cmd := self("hold")
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		n, _ := strconv.Atoi(args[0])
		os.Stdout.Write(make([]byte, n))
	case "hold":
		unix.Pause()
	case "leave": // the same, and then end
		plant()
	case "daemon": // one that leaves its parent and its session
		cmd := self("stubborn", args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	case "hop": // a process that is another one every few milliseconds
		if n, _ := strconv.Atoi(args[0]); n > 0 {
			fmt.Println("hop", n)
			cmd := self("hop", strconv.Itoa(n-1))
			cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
			if err := cmd.Start(); err != nil {
				panic(err)
			}
		}
	case "client": // somebody who uses the package, and is killed
		p, err := Start(Command{Path: os.Args[0], Args: []string{"program", "tree"}, Stdin: true})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
		fmt.Println("guard", p.tree.(*guard).cmd.Process.Pid)
		io.Copy(os.Stdout, p.Stdout)
	}
	return 0
}

// ready says on stdout that the program is as far as it will get.
func ready() { fmt.Println("ready", os.Getpid()) }

func self(name string, args ...string) *exec.Cmd {
	return exec.Command("/proc/self/exe", append([]string{"program", name}, args...)...)
}

// plant starts the three and passes on that they are ready.
func plant() {
	r, w, err := os.Pipe()
	if err != nil {
		panic(err)
	}
	said := bufio.NewReader(r)
	for i, name := range []string{"stubborn", "stubborn", "daemon"} {
		cmd := self(name)
		cmd.Stdout, cmd.Stderr = w, os.Stderr
		if i == 1 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
		}
		if err := cmd.Start(); err != nil {
			panic(err)
		}
		if name == "daemon" {
			cmd.Wait()
		}
		line, _ := said.ReadString('\n')
		os.Stdout.WriteString(line)
	}
}
