package policy

import (
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Request is what an agent is about to do.
type Request struct {
	Agent   string
	Kind    string   // ACP's tool kind; empty is "other"
	Paths   []string // absolute, links resolved
	Named   []string // what Paths were called, where links lead from there: these count too, but not to allow
	Command string   // the whole command line, if the request runs one
	// Readings are other ways to read Command, as with the shell that runs it: to ask or
	// deny, a rule may match one of them.
	Readings []string
	Roots    []string // the session's folders, absolute
	Home     string   // what ~/ in a rule stands for
}

// Decide returns what the first matching rule says, and its index, or None and
// -1. A request that could change a sensitive file ([Sensitive]), or read one that
// holds secrets ([Secret]), is never allowed and never None: the answer is then
// Ask, unless a rule denies.
//
// Path patterns are doublestar's. One that starts with /, ~/ or a drive is
// matched against the path, any other against the path relative to each root;
// to ask or deny, also against the whole path. "**" is every path.
//
// In command patterns * stands for any text and ? for any character. A command
// with shell syntax in it (; & | < > ` $ parentheses, braces, line ends) is
// allowed only by a rule whose command is "*". To ask or deny, a pattern may
// match the whole line or any command in it.
//
// A rule that allows and limits kinds or paths says nothing about commands,
// unless it has a command pattern or names the kind execute.
func Decide(rules []Rule, r Request) (Decision, int) {
	decision, index := None, -1
	for i, rule := range rules {
		if rule.matches(r) {
			decision, index = rule.Decide, i
			break
		}
	}
	delicate := Secret
	if r.changes() {
		delicate = Sensitive
	}
	if decision != Ask && decision != Deny && slices.ContainsFunc(r.allPaths(), delicate) {
		return Ask, index
	}
	return decision, index
}

func (r Request) allPaths() []string { return append(slices.Clip(r.Paths), r.Named...) }

func (r Request) kind() string {
	if r.Kind == "" {
		return "other"
	}
	return r.Kind
}

// changes says whether the request may change files. Words that are not known
// to be harmless count as changing.
func (r Request) changes() bool {
	return r.Command != "" || !slices.Contains([]string{"read", "search", "think", "fetch", "switch_mode"}, r.kind())
}

func (rule Rule) matches(r Request) bool {
	if rule.Agent != "" && !globMatch(rule.Agent, r.Agent) {
		return false
	}
	if rule.Kinds != nil && !slices.Contains(rule.Kinds, r.kind()) {
		return false
	}
	return rule.matchesPaths(r) && rule.matchesCommand(r)
}

func (rule Rule) anyPath() bool { return rule.Path == "" || rule.Path == "**" }

func (rule Rule) matchesPaths(r Request) bool {
	if rule.anyPath() {
		return true
	}
	if rule.Decide != Allow {
		return slices.ContainsFunc(r.allPaths(), func(p string) bool { return rule.matchesPath(p, r) })
	}
	for _, p := range r.Paths {
		if !rule.matchesPath(p, r) {
			return false
		}
	}
	return len(r.Paths) > 0
}

func (rule Rule) matchesPath(p string, r Request) bool {
	pattern := filepath.ToSlash(rule.Path)
	if rest, ok := strings.CutPrefix(pattern, "~/"); ok {
		if r.Home == "" {
			return false
		}
		pattern = escape(filepath.ToSlash(r.Home)) + "/" + rest
	}
	p = slashed(p)
	absolute := isAbsolute(pattern)
	if (absolute || rule.Decide != Allow) && globMatch(pattern, p) {
		return true
	}
	if absolute {
		return false
	}
	return slices.ContainsFunc(r.Roots, func(root string) bool {
		rel, ok := inside(p, slashed(root))
		return ok && globMatch(strings.TrimPrefix(pattern, "./"), rel)
	})
}

// slashed cleans a path and turns its separators. A path that is not absolute
// is in no root and matches no absolute pattern.
func slashed(p string) string { return path.Clean(filepath.ToSlash(p)) }

func isAbsolute(p string) bool {
	return strings.HasPrefix(p, "/") || len(p) > 2 && p[1] == ':' && p[2] == '/'
}

// inside returns p relative to root, if it is in it.
func inside(p, root string) (rel string, ok bool) {
	if !isAbsolute(p) || !isAbsolute(root) {
		return "", false
	}
	if p == root {
		return ".", true
	}
	return cutPrefix(p, strings.TrimSuffix(root, "/")+"/")
}

// foldCase: on systems whose file names usually ignore case.
var foldCase = runtime.GOOS == "windows" || runtime.GOOS == "darwin"

func cutPrefix(s, prefix string) (string, bool) {
	if len(s) >= len(prefix) && foldCase && strings.EqualFold(s[:len(prefix)], prefix) {
		return s[len(prefix):], true
	}
	return strings.CutPrefix(s, prefix)
}

func globMatch(pattern, s string) bool {
	if foldCase {
		pattern, s = strings.ToLower(pattern), strings.ToLower(s)
	}
	ok, err := doublestar.Match(pattern, s)
	return ok && err == nil
}

// escape makes a pattern that matches exactly s.
func escape(s string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `{`, `\{`).Replace(s)
}
