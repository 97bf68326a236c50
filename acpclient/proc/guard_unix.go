//go:build unix

package proc

import (
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	lifelineFD = 3

	// guardGrace is the time between TERM and KILL when the lifeline is gone, or
	// when a command has left something behind.
	guardGrace = time.Second

	// killAgain is how often what is left is killed: a tree that forks faster
	// than it is read has new members each time.
	killAgain = 10 * time.Millisecond
)

// GuardMain is the guard of one process tree, run as
//
//	acp-ls guard end|linger PATH ARGV0 [ARG...]
//
// with the tree's stdio, its environment and working directory, and file
// descriptor 3 as the lifeline. It starts PATH and writes to the lifeline
// "started PID" or "error TEXT", later "exit CODE" or "signal NUMBER"; it reads
// single bytes, T for TERM and K for KILL, and ends the tree when there is
// nothing more to read. It returns its exit code when nothing of the tree is
// left. It must be called on the main goroutine, before anything else.
func GuardMain(args []string) int {
	if os.Getenv(guardVariable) == "" || len(args) < 3 {
		fmt.Fprintln(os.Stderr, "acp-ls guard: for use by acp-ls itself")
		return 2
	}
	// The command is killed when the thread that forked it ends (PDEATHSIG).
	runtime.LockOSThread()
	// Caught, not ignored: an ignored signal would be ignored by the command too.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGQUIT,
		syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGPIPE)
	unix.CloseOnExec(lifelineFD)
	_ = unix.SetNonblock(lifelineFD, true)
	line := os.NewFile(lifelineFD, "lifeline")
	becomeReaper()

	os.Unsetenv(guardVariable)
	pid, err := syscall.ForkExec(args[1], args[2:], &syscall.ProcAttr{
		Env:   os.Environ(),
		Files: []uintptr{0, 1, 2},
		Sys:   childAttr(),
	})
	if err != nil {
		fmt.Fprintf(line, "error %s\n", strings.ReplaceAll(err.Error(), "\n", " "))
		return 1
	}
	letGoOfStdio()
	fmt.Fprintf(line, "started %d\n", pid)
	g := &guarding{main: pid, line: line, linger: args[0] == "linger",
		term: func() { signalTree(syscall.SIGTERM) }, kill: killTree, left: othersInGroup}
	orders := make(chan byte)
	go g.listen(orders)
	children := make(chan reaped)
	go reap(children)
	g.run(orders, children)
	return 0
}

// letGoOfStdio leaves the pipes to the tree: whoever reads them sees their end
// when the tree has closed them.
func letGoOfStdio() {
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return
	}
	for fd := range 3 {
		_ = dup(int(null.Fd()), fd)
	}
}

// guarding is the state of a guard while its tree lives.
type guarding struct {
	main   int // process id of the command
	line   io.ReadWriter
	linger bool

	// What is done to the tree, and whether others than those that are waited for
	// are left of it.
	term, kill func()
	left       func() bool
}

type reaped struct {
	pid    int
	status syscall.WaitStatus
}

// run guards until nothing of the tree is left. orders end with the lifeline, and
// children when there is none to wait for.
func (g *guarding) run(orders <-chan byte, children <-chan reaped) {
	var kill <-chan time.Time // when set, the tree is to be killed then
	term := func() {
		g.term()
		if kill == nil {
			kill = time.After(guardGrace)
		}
	}
	for {
		select {
		case order, ok := <-orders:
			switch {
			case !ok:
				orders = nil
				term()
			case order == 'T':
				g.term()
			case order == 'K':
				kill = time.After(0)
			}
		case c, ok := <-children:
			if !ok {
				children = nil // all processes that were ours to wait for are gone
			} else if c.pid == g.main {
				g.report(c.status)
				if !g.linger {
					term()
				}
			}
		case <-kill:
			g.kill()
			kill = time.After(killAgain)
		}
		if children == nil && !g.left() {
			return
		}
	}
}

// listen passes orders on until the lifeline ends.
func (g *guarding) listen(orders chan<- byte) {
	defer close(orders)
	var b [1]byte
	for {
		if n, err := g.line.Read(b[:]); err != nil {
			return
		} else if n == 1 {
			orders <- b[0]
		}
	}
}

func (g *guarding) report(s syscall.WaitStatus) {
	if s.Signaled() {
		fmt.Fprintf(g.line, "signal %d\n", s.Signal())
		return
	}
	fmt.Fprintf(g.line, "exit %d\n", s.ExitStatus())
}

// reap waits for every child, and on Linux for every descendant that has lost
// its parent, until there is none.
func reap(children chan<- reaped) {
	defer close(children)
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch err {
		case nil:
			children <- reaped{pid, status}
		case syscall.EINTR:
		default:
			return
		}
	}
}

// signalName returns the name of a signal, as "SIGKILL".
func signalName(s syscall.Signal) string {
	if name := unix.SignalName(s); name != "" {
		return name
	}
	return fmt.Sprintf("signal %d", s)
}
