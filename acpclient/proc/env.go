package proc

import (
	"maps"
	"os"
	"runtime"
	"slices"
	"strings"
)

// environment returns the environment of a command: its own or ours, with names
// removed and set. Of names that occur twice the last counts.
func (c *Command) environment() []string {
	env := c.Env
	if env == nil {
		env = os.Environ()
	}
	drop := map[string]bool{envKey(guardVariable): true}
	for _, name := range c.RemoveEnv {
		drop[envKey(name)] = true
	}
	for name := range c.AddEnv {
		drop[envKey(name)] = true
	}
	last := make(map[string]int, len(env))
	for i, kv := range env {
		last[envKey(envName(kv))] = i
	}
	out := make([]string, 0, len(env)+len(c.AddEnv))
	for i, kv := range env {
		if key := envKey(envName(kv)); !drop[key] && last[key] == i {
			out = append(out, kv)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.AddEnv)) {
		out = append(out, name+"="+c.AddEnv[name])
	}
	return out
}

// envName returns the name in "K=V". Windows has names that begin with "=".
func envName(kv string) string {
	if i := strings.IndexByte(kv[min(1, len(kv)):], '='); i >= 0 {
		return kv[:i+1]
	}
	return kv
}

// envKey returns what two spellings of one name have in common.
func envKey(name string) string {
	if runtime.GOOS == "windows" {
		return strings.ToUpper(name)
	}
	return name
}

func lookupEnv(env []string, name string) string {
	for _, kv := range env {
		if n := envName(kv); envKey(n) == envKey(name) && len(kv) > len(n) {
			return kv[len(n)+1:]
		}
	}
	return ""
}
