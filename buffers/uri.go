package buffers

import (
	"runtime"
	"strings"
)

// URIPath returns the name of the file that a file: URI means, in the syntax of this system, or false for another
// scheme or a URI that is none. Any percent-encoding is understood, also of what needs none. A host other than
// localhost makes a UNC name on Windows and is refused elsewhere; query and fragment are dropped.
func URIPath(uri string) (string, bool) { return uriPath(uri, runtime.GOOS == "windows") }

// PathURI returns the file: URI of an absolute name in the canonical form of the LSP world: everything encoded but
// letters, digits, "-._~" and the slashes, and a lower-case drive letter. It is the inverse of URIPath.
func PathURI(path string) string { return pathURI(path, runtime.GOOS == "windows") }

func uriPath(uri string, windows bool) (string, bool) {
	const scheme = "file:"
	if len(uri) < len(scheme) || !strings.EqualFold(uri[:len(scheme)], scheme) {
		return "", false
	}
	rest := uri[len(scheme):]
	if i := strings.IndexAny(rest, "?#"); i >= 0 {
		rest = rest[:i]
	}
	host := ""
	if after, ok := strings.CutPrefix(rest, "//"); ok {
		host, rest = after, ""
		if i := strings.IndexByte(after, '/'); i >= 0 {
			host, rest = after[:i], after[i:]
		}
	}
	path, ok := unescape(rest)
	if !ok || path == "" || path[0] != '/' {
		return "", false
	}
	host, ok = unescape(host)
	if !ok || strings.ContainsAny(host, `/\`) {
		return "", false
	}
	if strings.EqualFold(host, "localhost") {
		host = ""
	}
	if !windows {
		return path, host == ""
	}
	switch {
	case host != "":
		path = "//" + host + path
	case len(path) >= 3 && isLetter(path[1]) && path[2] == ':':
		path = strings.ToUpper(path[1:2]) + path[2:]
		if len(path) == 2 {
			path += "/" // "C:" alone is the current folder of the drive
		}
	}
	return strings.ReplaceAll(path, "/", `\`), true
}

func pathURI(path string, windows bool) string {
	prefix := "file://"
	if windows {
		path = strings.ReplaceAll(path, `\`, "/")
		switch {
		case strings.HasPrefix(path, "//"):
			prefix = "file:"
		case len(path) >= 2 && isLetter(path[0]) && path[1] == ':':
			path = "/" + strings.ToLower(path[:1]) + path[1:]
		}
	} else if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	var b strings.Builder
	b.WriteString(prefix)
	for i := range len(path) {
		if c := path[i]; !reserved(rune(c)) {
			b.WriteByte(c)
		} else {
			const digits = "0123456789ABCDEF"
			b.Write([]byte{'%', digits[c>>4], digits[c&15]})
		}
	}
	return b.String()
}

// uriKey returns what tells documents apart: the one spelling of a file: URI, any other URI as it is.
func uriKey(uri string) string {
	if rest, ok := strings.CutPrefix(uri, "file:///"); ok && strings.IndexFunc(rest, reserved) < 0 {
		return uri // as most are: nothing to decode or to encode
	}
	if path, ok := URIPath(uri); ok {
		return PathURI(path)
	}
	return uri
}

// unescape decodes percent-encoding. A zero byte or a malformed escape makes it fail.
func unescape(s string) (string, bool) {
	if strings.IndexByte(s, '%') < 0 {
		return s, strings.IndexByte(s, 0) < 0
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c == '%' {
			if i+2 >= len(s) {
				return "", false
			}
			hi, lo := unhex(s[i+1]), unhex(s[i+2])
			if hi < 0 || lo < 0 {
				return "", false
			}
			c = byte(hi<<4 | lo)
			i += 2
		}
		if c == 0 {
			return "", false
		}
		b.WriteByte(c)
	}
	return b.String(), true
}

func unhex(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

// reserved reports whether the canonical form of a URI encodes c.
func reserved(c rune) bool {
	return c >= 0x80 || !isLetter(byte(c)) && !('0' <= c && c <= '9') && strings.IndexByte("-._~/", byte(c)) < 0
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
