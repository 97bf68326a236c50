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

// CheckPlace is an error for a state directory inside of the project, where its files would be
// committed and sent around. A home folder, and what holds it, is nobody's project. workspace
// is absolute, links resolved; "" is none.
func CheckPlace(state, workspace string) error {
	home, err := os.UserHomeDir()
	if err != nil {
		home = ""
	}
	return checkPlace(resolved(state), workspace, resolved(home))
}

func checkPlace(state, workspace, home string) error {
	if workspace == "" || !inside(state, workspace) || home != "" && inside(home, workspace) {
		return nil
	}
	return fmt.Errorf("state directory %s: it is inside of the project %s: set XDG_STATE_HOME (LOCALAPPDATA on Windows) to a folder outside", state, workspace)
}

// inside reports whether path is folder or in it.
func inside(path, folder string) bool {
	rel, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(rel)
}

// resolved resolves the links in the part of a path that is there.
func resolved(path string) string {
	if path == "" {
		return ""
	}
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolved(dir), filepath.Base(path))
}

// makeFolders makes the folder of a workspace's journals, and sees to it that nobody but the
// user looks into what is acp-ls's own.
func makeFolders(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	for dir := folder; ; dir = filepath.Dir(dir) {
		if info, err := os.Stat(dir); err == nil && info.Mode().Perm()&0o077 != 0 && runtime.GOOS != "windows" {
			if err := os.Chmod(dir, 0o700); err != nil {
				return err
			}
		}
		if filepath.Dir(filepath.Dir(folder)) == dir { // the state directory
			return nil
		}
	}
}

const (
	journalExt = ".journal"
	lockExt    = ".lock"
	newExt     = ".new"   // a journal that is being rewritten
	asideExt   = ".aside" // behind journalExt: could not be read
)

// folderOf is the folder of a workspace's journals.
func folderOf(state, workspace string) string {
	sum := sha256.Sum256([]byte(workspace))
	return filepath.Join(state, "journal", hex.EncodeToString(sum[:12]))
}
