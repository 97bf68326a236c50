package proc

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"
)

// Command says what to run. It is run as it stands: no shell, unless Line is set,
// and never a login profile.
type Command struct {
	Path string   // a path, or a name to be looked up in the PATH of Env
	Args []string // without the program's name
	Line string   // in place of both: a line for sh, on Windows for cmd.exe
	Dir  string   // working directory, absolute; "" means ours

	Env       []string          // "K=V"; nil means ours
	AddEnv    map[string]string // set on top of Env
	RemoveEnv []string          // names taken out of Env first

	// Stdin: the command gets a pipe, [Process.Stdin]. Without it, it reads nothing.
	Stdin bool

	// Output is given everything the command writes to stdout and stderr, in the
	// order it was written, on one goroutine. It must not retain p. If it is nil,
	// stdout is [Process.Stdout] and stderr is kept as described there.
	Output func(p []byte)

	// StderrLine is given each line of stderr, without its end; a very long line
	// comes in pieces. It is called on one goroutine. May be nil.
	StderrLine func(line string)

	// Linger: when the command ends, processes it left behind go on until Stop or
	// Kill. Without it they are ended with the command.
	Linger bool

	// Grace is the time the command gets at each step of [Process.Stop]; 0 means
	// [StopGrace].
	Grace time.Duration
}

// Exit says how a command ended.
type Exit struct {
	Code   int    // exit code; -1 if it was ended by a signal
	Signal string // "SIGKILL"; "" if it exited
	Err    error  // set if it is not known how it ended
}

// String returns the exit in words.
func (e Exit) String() string {
	switch {
	case e.Err != nil:
		return e.Err.Error()
	case e.Signal != "":
		return "ended by " + e.Signal
	}
	return fmt.Sprintf("exit code %d", e.Code)
}

// Process is a running command and its tree. Its methods are safe for
// concurrent use.
type Process struct {
	// Stdin is the command's input, if Command.Stdin was set, else nil. Writes to
	// a command that does not read wait until it is closed.
	Stdin *os.File

	// Stdout is the command's output, unless Command.Output was set. It belongs
	// to the caller, who must read it to its end and close it.
	Stdout *os.File

	pid    int
	grace  time.Duration
	tree   tree
	drain  *drain
	stderr *stderrTail // nil if Output was set

	done chan struct{} // the command has ended, and its output was delivered
	exit Exit          // valid after done
	gone chan struct{} // nothing of the tree is left

	stdinOnce sync.Once
}

// tree is what the operating system lets us do with a process tree.
type tree interface {
	terminate() bool // ask every process to end; false: there is no way to
	kill()           // end every process
}

// StopGrace is what a command's Grace is if it says nothing.
const StopGrace = 2 * time.Second

// PID returns the process id of the command itself.
func (p *Process) PID() int { return p.pid }

// Done is closed when the command itself has ended and what it had written to
// stderr, or to Output, was delivered.
func (p *Process) Done() <-chan struct{} { return p.done }

// Gone is closed when no process of the tree is left.
func (p *Process) Gone() <-chan struct{} { return p.gone }

// Exit waits for the command to end and says how it did.
func (p *Process) Exit() Exit {
	<-p.done
	return p.exit
}

// Wait waits until the whole tree is gone and says how the command ended.
func (p *Process) Wait() Exit {
	<-p.gone
	return p.exit
}

// StderrTail returns the last of what the command wrote to stderr, at most 64
// kB of valid UTF-8 from the start of a line on if that is possible.
func (p *Process) StderrTail() string {
	if p.stderr == nil {
		return ""
	}
	return p.stderr.tail()
}

// CloseStdin closes the command's input, for many agents the sign to end.
func (p *Process) CloseStdin() {
	p.stdinOnce.Do(func() {
		if p.Stdin != nil {
			p.Stdin.Close()
		}
	})
}

// Kill ends every process of the tree and returns at once.
func (p *Process) Kill() { p.tree.kill() }

// Stop ends the tree and returns when it is gone: it closes the command's input
// and waits its Grace for the command to end, then goes on as [Process.End].
// When ctx ends it kills at once.
func (p *Process) Stop(ctx context.Context) Exit {
	p.CloseStdin()
	p.await(ctx, p.done)
	return p.End(ctx)
}

// End ends the tree and returns when it is gone: it asks with SIGTERM, waits the
// command's Grace, then kills. When ctx ends it kills at once.
func (p *Process) End(ctx context.Context) Exit {
	if p.tree.terminate() {
		p.await(ctx, p.gone)
	}
	p.Kill()
	return p.Wait()
}

func (p *Process) await(ctx context.Context, end <-chan struct{}) {
	grace := time.NewTimer(p.grace)
	defer grace.Stop()
	select {
	case <-end:
	case <-grace.C:
	case <-ctx.Done():
	}
}

func newProcess(c *Command) *Process {
	p := &Process{grace: c.Grace, done: make(chan struct{}), gone: make(chan struct{})}
	if p.grace == 0 {
		p.grace = StopGrace
	}
	return p
}

// ended is called once, when the command has ended and all it wrote is in its
// pipes.
func (p *Process) ended(e Exit) {
	p.exit = e
	if p.drain != nil {
		p.drain.flush()
	}
	close(p.done)
}

// vanished is called once, after ended, when nothing of the tree is left.
func (p *Process) vanished() {
	p.CloseStdin()
	if p.drain != nil {
		p.drain.stop()
	}
	close(p.gone)
}
