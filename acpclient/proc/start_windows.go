package proc

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/windows"
)

// Start runs the command. Errors: [*NotFoundError]; a working directory that is
// none; whatever the system says.
func Start(c Command) (*Process, error) {
	if c.Line != "" {
		c.Path = "cmd.exe"
	}
	env := c.environment()
	path, err := c.find(env)
	if err != nil {
		return nil, err
	}
	if err := checkDir(c.Dir); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	cmd, err := c.windowsCommand(path, env)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	p := newProcess(&c)
	if err := p.startIn(&c, cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", c.Path, err)
	}
	return p, nil
}

// windowsCommand returns what runs the program: batch files, which npm installs
// for every agent, are no programs and go through cmd.exe.
func (c *Command) windowsCommand(path string, env []string) (*exec.Cmd, error) {
	cmd := &exec.Cmd{Path: path, Args: append([]string{c.Path}, c.Args...), Env: env, Dir: c.Dir}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		HideWindow: true,
		// Suspended until it is in its job: nothing it starts is missed.
		CreationFlags: windows.CREATE_SUSPENDED | windows.CREATE_NEW_PROCESS_GROUP | windows.CREATE_NO_WINDOW,
	}
	ext := strings.ToLower(filepath.Ext(path))
	if c.Line == "" && ext != ".cmd" && ext != ".bat" {
		return cmd, nil
	}
	system, err := windows.GetSystemDirectory()
	if err != nil {
		return nil, err
	}
	cmd.Path = filepath.Join(system, "cmd.exe")
	if c.Line != "" {
		cmd.SysProcAttr.CmdLine = `"` + cmd.Path + `" /d /s /c "` + c.Line + `"`
		return cmd, nil
	}
	cmd.SysProcAttr.CmdLine, err = batchCommandLine(cmd.Path, path, c.Args)
	return cmd, err
}

func (p *Process) startIn(c *Command, cmd *exec.Cmd) (err error) {
	var children, ours []*os.File
	defer func() {
		closeAll(children)
		if err != nil {
			closeAll(ours)
		}
	}()
	pipe := func() (r, w *os.File) {
		if err == nil {
			r, w, err = os.Pipe()
		}
		return r, w
	}
	if c.Stdin {
		r, w := pipe()
		cmd.Stdin, p.Stdin = r, w
		children, ours = append(children, r), append(ours, w)
	}
	drained, w := pipe()
	cmd.Stderr = w
	children, ours = append(children, w), append(ours, drained)
	var end func()
	sink := c.Output
	if c.Output != nil {
		cmd.Stdout = w
	} else {
		p.stderr = &stderrTail{line: c.StderrLine}
		sink, end = p.stderr.write, p.stderr.end
		r, w := pipe()
		p.Stdout, cmd.Stdout = r, w
		children, ours = append(children, w), append(ours, r)
	}
	if err != nil {
		return err
	}
	job, err := startInJob(cmd)
	if err != nil {
		return err
	}
	p.pid, p.tree = cmd.Process.Pid, job
	p.drain = startDrain(drained, sink, end)
	go job.watch(p, cmd, c.Linger)
	return nil
}

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
