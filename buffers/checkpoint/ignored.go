package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"acp-ls/buffers"
)

// Ignored reports whether git ignores a file: it lies in a work tree, git does not track it,
// and a rule says to leave it alone. The file need not be there. Outside of work trees, and
// without git, nothing is ignored.
func Ignored(ctx context.Context, path buffers.Path) (bool, error) {
	dir := filepath.Dir(string(path))
	for filepath.Dir(dir) != dir {
		if info, err := os.Stat(dir); err == nil && info.IsDir() {
			break
		}
		dir = filepath.Dir(dir)
	}
	if !mayHaveGit(dir) {
		return false, ctx.Err()
	}
	// Unlike in git.run the name must not be said to be literal, which this command refuses
	// and does anyway.
	cmd := exec.CommandContext(ctx, "git", "-C", dir, "--no-optional-locks", "-c", "core.fsmonitor=false", "check-ignore", "-z", "--stdin")
	cmd.Env = gitEnv()
	cmd.Stdin = strings.NewReader(string(path) + "\x00")
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return len(out) > 0, nil
	case errors.Is(err, exec.ErrNotFound):
		return false, nil
	case errors.As(err, &exit) && (exit.ExitCode() == 1 || strings.Contains(string(exit.Stderr), "not a git repository")):
		return false, nil
	case exit != nil && len(exit.Stderr) > 0:
		return false, fmt.Errorf("git check-ignore: %s", strings.TrimSpace(string(exit.Stderr)))
	}
	return false, fmt.Errorf("git check-ignore: %w", err)
}
