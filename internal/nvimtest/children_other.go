//go:build !linux

package nvimtest

import "time"

// children are processes that Neovim has started. Elsewhere than on Linux nobody waits for
// them.
type children struct{}

func (n *Nvim) children() children { return children{} }

func (children) wait(time.Duration) {}
