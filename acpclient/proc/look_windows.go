package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

var errNotRunnable = errors.New("not an executable file")

// executable returns path, with one of the extensions of PATHEXT if it has none,
// if there is such a file. npm puts a script for other shells, without
// extension, beside each .cmd shim: it is not taken.
func executable(path string, env []string) (string, error) {
	extensions := strings.Split(strings.ToLower(lookupEnv(env, "PATHEXT")), ";")
	if len(extensions) == 1 && extensions[0] == "" {
		extensions = []string{".com", ".exe", ".bat", ".cmd"}
	}
	own := strings.ToLower(filepath.Ext(path))
	for _, ext := range extensions {
		if ext != "" && ext == own && isFile(path) {
			return path, nil
		}
	}
	for _, ext := range extensions {
		if ext != "" && isFile(path+ext) {
			return path + ext, nil
		}
	}
	if isFile(path) {
		return "", errNotRunnable
	}
	return "", fs.ErrNotExist
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}
