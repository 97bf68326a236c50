//go:build unix

package mcp

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// maxSocketPath is how long the path of a socket may be on every Unix, less the
// byte that ends it (macOS: 104).
const maxSocketPath = 103

const (
	socketPrefix = "mcp-"
	socketSuffix = ".sock"
)

type unixListener struct{ *net.UnixListener }

func (l unixListener) Accept() (stream, error) {
	c, err := l.AcceptUnix()
	if err != nil {
		return nil, err
	}
	return c, nil
}

func (l unixListener) Address() string { return l.Addr().String() }

// listen makes a socket in dir, or where the user's programs put such things.
// Close removes it.
func listen(dir string) (listener, error) {
	dirs := []string{dir}
	if dir == "" {
		dirs = runtimeDirs()
	}
	var failed error
	for _, d := range dirs {
		l, err := listenIn(d)
		if err == nil {
			return l, nil
		}
		failed = errors.Join(failed, err)
	}
	return nil, failed
}

// runtimeDirs are folders of our own, the best one first: the user's runtime
// directory, which goes with the user's last login; the state directory; the
// directory for temporary files, where a path is short.
func runtimeDirs() []string {
	var dirs []string
	if d := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(d) {
		dirs = append(dirs, filepath.Join(d, "acp-ls"))
	}
	home, _ := os.UserHomeDir()
	state := cmp.Or(os.Getenv("XDG_STATE_HOME"), filepath.Join(home, ".local", "state"))
	if filepath.IsAbs(state) {
		dirs = append(dirs, filepath.Join(state, "acp-ls", "run"))
	}
	return append(dirs, filepath.Join(os.TempDir(), "acp-ls-"+strconv.Itoa(os.Geteuid())))
}

func listenIn(dir string) (listener, error) {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails (crypto/rand)
	path := filepath.Join(dir, socketPrefix+hex.EncodeToString(b[:])+socketSuffix)
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("%s is too long for the path of a socket", path)
	}
	if err := makePrivate(dir); err != nil {
		return nil, err
	}
	sweep(dir)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, err
	}
	if err := os.Chmod(path, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	return unixListener{l}, nil
}

// makePrivate makes a folder that only the user can enter, or makes sure that
// it is one: in a directory for temporary files another may have been quicker.
func makePrivate(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s is not a folder of this user", dir)
	}
	if info.Mode().Perm() != 0o700 {
		return os.Chmod(dir, 0o700)
	}
	return nil
}

// sweepAge keeps a socket that is just being made from being taken for a dead one.
const sweepAge = time.Minute

// sweep removes the sockets of processes that were killed.
func sweep(dir string) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !strings.HasPrefix(e.Name(), socketPrefix) || !strings.HasSuffix(e.Name(), socketSuffix) ||
			info.Mode().Type() != fs.ModeSocket || time.Since(info.ModTime()) < sweepAge {
			continue
		}
		path := filepath.Join(dir, e.Name())
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		c, err := dialUnix(ctx, path)
		cancel()
		if err == nil {
			c.Close()
		} else if errors.Is(err, syscall.ECONNREFUSED) {
			_ = os.Remove(path)
		}
	}
}

func dial(ctx context.Context, address string) (stream, error) {
	c, err := dialUnix(ctx, address)
	if err != nil {
		return nil, err
	}
	return c, nil
}

// dialUnix is not DialContext, which brings a whole DNS resolver into the program.
func dialUnix(ctx context.Context, path string) (*net.UnixConn, error) {
	return new(net.Dialer).DialUnix(ctx, "unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
}

// isGone says that the other side has ended.
func isGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed)
}
