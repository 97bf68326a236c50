//go:build unix

package proc

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// Start runs the command. Errors: [*NotFoundError]; a working directory that is
// none; whatever the system says.
func Start(c Command) (*Process, error) {
	if os.Getenv(guardVariable) != "" {
		return nil, errors.New("start guard: this process is one: the binary has to call proc.GuardMain when its first argument is \"guard\"")
	}
	if c.Line != "" {
		c.Path, c.Args = "/bin/sh", []string{"-c", c.Line}
	}
	env := c.environment()
	path, err := c.find(env)
	if err != nil {
		return nil, err
	}
	if err := checkDir(c.Dir); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	p := newProcess(&c)
	var files stdio
	defer files.close()
	if err := files.open(&c, p); err != nil {
		p.closeOwn()
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	g, err := startGuard(&c, path, env, &files)
	if err != nil {
		p.closeOwn()
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	p.pid, p.tree = g.pid, g
	p.drain = startDrain(files.drained, files.sink, files.end)
	files.drained = nil
	go g.watch(p)
	return p, nil
}

// stdio are the three files of a command, and the ends of their pipes we keep.
type stdio struct {
	child   [3]*os.File
	drained *os.File // what is read by the drain
	sink    func([]byte)
	end     func()
}

func (s *stdio) open(c *Command, p *Process) (err error) {
	if c.Stdin {
		s.child[0], p.Stdin, err = os.Pipe()
	} else {
		s.child[0], err = os.Open(os.DevNull)
	}
	if err != nil {
		return err
	}
	if s.drained, s.child[2], err = os.Pipe(); err != nil {
		return err
	}
	if c.Output != nil {
		s.child[1], s.sink = s.child[2], c.Output
		return nil
	}
	p.stderr = &stderrTail{line: c.StderrLine}
	s.sink, s.end = p.stderr.write, p.stderr.end
	if p.Stdout, s.child[1], err = os.Pipe(); err == nil {
		widen(p.Stdout)
	}
	return err
}

// close closes what the child has been given, and what nobody has taken.
func (s *stdio) close() {
	for _, f := range s.child {
		if f != nil {
			f.Close() // twice for a shared one: harmless
		}
	}
	if s.drained != nil {
		s.drained.Close()
	}
}

func (p *Process) closeOwn() {
	p.CloseStdin()
	if p.Stdout != nil {
		p.Stdout.Close()
	}
}

// guard is a running guard as seen from here.
type guard struct {
	cmd  *exec.Cmd
	line *os.File // our end of the lifeline
	in   *bufio.Reader
	pid  int // of the command

	killed atomic.Bool
}

// guardGreeting is how long a guard may take to start its command.
const guardGreeting = 30 * time.Second

func startGuard(c *Command, path string, env []string, files *stdio) (*guard, error) {
	self, err := guardBinary()
	if err != nil {
		return nil, err
	}
	ours, theirs, err := lifeline()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	linger := "end"
	if c.Linger {
		linger = "linger"
	}
	cmd := &exec.Cmd{
		Path:       self,
		Args:       append([]string{"acp-ls", "guard", linger, path, c.Path}, c.Args...),
		Env:        append(env, guardVariable+"=1"),
		Dir:        c.Dir,
		Stdin:      files.child[0],
		Stdout:     files.child[1],
		Stderr:     files.child[2],
		ExtraFiles: []*os.File{theirs},
		// A session of its own: no terminal that a password prompt could take from
		// the editor, and no signals that were meant for the editor's group.
		SysProcAttr: &syscall.SysProcAttr{Setsid: true},
	}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil, err
	}
	g := &guard{cmd: cmd, line: ours, in: bufio.NewReader(ours)}
	_ = ours.SetReadDeadline(time.Now().Add(guardGreeting))
	word, rest, err := g.read()
	_ = ours.SetReadDeadline(time.Time{})
	if err == nil && word == "started" {
		g.pid, err = strconv.Atoi(rest)
	} else if err == nil {
		err = errors.New(rest)
	} else {
		err = fmt.Errorf("its guard did not answer: %w", err)
	}
	if err != nil {
		g.end()
		return nil, err
	}
	return g, nil
}

// read returns the next line from the guard: a word and the rest.
func (g *guard) read() (word, rest string, err error) {
	s, err := g.in.ReadString('\n')
	if err != nil {
		return "", "", err
	}
	word, rest, _ = strings.Cut(strings.TrimSuffix(s, "\n"), " ")
	return word, rest, nil
}

// watch follows the guard to its end.
func (g *guard) watch(p *Process) {
	reported := false
	for {
		word, rest, err := g.read()
		if err != nil {
			break
		}
		n, _ := strconv.Atoi(rest)
		switch word {
		case "exit":
			p.ended(Exit{Code: n})
		case "signal":
			p.ended(Exit{Code: -1, Signal: signalName(syscall.Signal(n))})
		default:
			continue
		}
		reported = true
	}
	g.end()
	switch {
	case reported:
	case g.killed.Load(): // where killing the group is all there is, the guard dies with it
		p.ended(Exit{Code: -1, Signal: signalName(syscall.SIGKILL)})
	default:
		p.ended(Exit{Code: -1, Err: errors.New("the command's guard was killed, and the command with it")})
	}
	p.vanished()
}

// end waits for the guard. If it is not well it is killed, with its group; its
// id is free for others only after Wait.
func (g *guard) end() {
	_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	_ = g.cmd.Wait()
	g.line.Close()
}

func (g *guard) terminate() bool {
	g.tell('T')
	return true
}

func (g *guard) kill() {
	g.killed.Store(true)
	g.tell('K')
}

// tell gives the guard an order. A guard that is gone needs none.
func (g *guard) tell(order byte) { _, _ = g.line.Write([]byte{order}) }
