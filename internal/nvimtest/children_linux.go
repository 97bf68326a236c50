package nvimtest

import (
	"time"

	"golang.org/x/sys/unix"
)

// children are processes that Neovim has started.
type children []int // pidfds

// children returns those that run now.
func (n *Nvim) children() children {
	var pids []int
	if err := n.ExecLua(`return vim.api.nvim_get_proc_children(vim.fn.getpid())`, &pids); err != nil {
		return nil // it is gone, or waits for a key
	}
	var out children
	for _, pid := range pids {
		if fd, err := unix.PidfdOpen(pid, 0); err == nil {
			out = append(out, fd)
		}
	}
	return out
}

// wait waits until they are gone: they may write to folders that the test removes.
func (c children) wait(limit time.Duration) {
	end := time.Now().Add(limit)
	for _, fd := range c {
		for {
			_, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, max(int(time.Until(end).Milliseconds()), 0))
			if err != unix.EINTR {
				break
			}
		}
		_ = unix.Close(fd)
	}
}
