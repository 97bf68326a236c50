package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// StateDir is where acp-ls keeps what outlives it: $XDG_STATE_HOME/acp-ls, by default
// ~/.local/state/acp-ls; %LOCALAPPDATA%\acp-ls on Windows; ~/Library/Application
// Support/acp-ls on macOS.
func StateDir() (string, error) {
	return stateDir(runtime.GOOS, os.Getenv, os.UserHomeDir)
}

func stateDir(system string, env func(string) string, home func() (string, error)) (string, error) {
	if system == "windows" {
		if dir := env("LOCALAPPDATA"); dir != "" {
			return filepath.Join(dir, "acp-ls"), nil
		}
		return "", errors.New("state directory: LOCALAPPDATA is not set")
	}
	if dir := env("XDG_STATE_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "acp-ls"), nil
	}
	dir, err := home()
	if err != nil {
		return "", fmt.Errorf("state directory: %w", err)
	}
	if system == "darwin" {
		return filepath.Join(dir, "Library", "Application Support", "acp-ls"), nil
	}
	return filepath.Join(dir, ".local", "state", "acp-ls"), nil
}

const (
	journalExt = ".journal"
	lockExt    = ".lock"
	asideExt   = ".aside" // behind journalExt: could not be read
)

// folderOf is the folder of a workspace's journals.
func folderOf(state, workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(state, "journal", hex.EncodeToString(sum[:12]))
}
