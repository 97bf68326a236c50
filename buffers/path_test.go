package buffers

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// tempPath returns a new folder, resolved: on some systems the folder for temporary files is a link.
func tempPath(t testing.TB) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func resolve(t testing.TB, name string) Path {
	t.Helper()
	p, err := Resolve(name)
	must(t, err)
	return p
}

func TestResolve(t *testing.T) {
	dir := tempPath(t)
	in := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	must(t, os.MkdirAll(in("real/sub"), 0o755))
	must(t, os.WriteFile(in("real/file"), nil, 0o644))
	for link, target := range map[string]string{
		"link":          "real",                  // to a folder
		"abs":           in("real/sub"),          // absolute
		"chain":         "link/../link/sub",      // through another, with .. behind a link to a folder
		"dangling":      "real/new/deeper",       // to what does not exist yet
		"up":            "real/sub/../../real",   // .. in the target
		"real/sub/back": "../../abs/../file",     // .. behind a link means the parent of where it leads
		"loop1":         "loop2",                 // never ends
		"loop2":         "loop1",                 //
		"slash":         "real/",                 // a trailing slash
		"dot":           ".",                     // to its own folder
		"far":           "../../../../../../../", // up to the root and no further
	} {
		if err := os.Symlink(filepath.FromSlash(target), in(link)); err != nil {
			t.Skipf("no symbolic links here: %v", err)
		}
	}
	for name, want := range map[string]string{
		"real/file":             "real/file",
		"link/file":             "real/file",
		"link/../link/file":     "real/file",
		"real//./file":          "real/file",
		"abs/x":                 "real/sub/x",
		"chain/x":               "real/sub/x",
		"dangling":              "real/new/deeper",
		"dangling/x/y":          "real/new/deeper/x/y",
		"up/file":               "real/file",
		"real/sub/back":         "real/file",
		"slash/file":            "real/file",
		"dot/dot/link/file":     "real/file",
		"none/of/this/../exist": "none/of/exist",
		"link/none/x":           "real/none/x",
		"real/file/below":       "real/file/below", // below a file: an error only when it is read
		"":                      "",
	} {
		if got := resolve(t, dir+string(filepath.Separator)+filepath.FromSlash(name)); string(got) != in(want) {
			t.Errorf("Resolve(%q) = %q, want %q", name, got, in(want))
		}
	}
	if got := resolve(t, in("far")+"/"); filepath.Dir(string(got)) != string(got) {
		t.Errorf("Resolve(far) = %q, want the root", got)
	}
	for _, bad := range []string{"", "relative", "./relative", in("loop1"), in("loop1/x"), in("a\x00b")} {
		if got, err := Resolve(bad); err == nil {
			t.Errorf("Resolve(%q) = %q, want an error", bad, got)
		}
	}
}

func TestResolveIsIdempotent(t *testing.T) {
	dir := tempPath(t)
	for _, name := range []string{dir, filepath.Join(dir, "x"), filepath.Join(dir, "x", "y")} {
		first := resolve(t, name)
		if again := resolve(t, string(first)); again != first {
			t.Errorf("Resolve(%q) = %q", first, again)
		}
	}
}

// TestEntrySpelling is about systems that ignore case; what they do is to ask for the entry that a folder lists.
func TestEntrySpelling(t *testing.T) {
	dir := tempPath(t)
	for _, name := range []string{"README.md", "other", "Straße"} {
		must(t, os.WriteFile(filepath.Join(dir, name), nil, 0o644))
	}
	info, err := os.Lstat(filepath.Join(dir, "Straße"))
	must(t, err)
	for part, want := range map[string]string{
		"readme.MD": "README.md", "README.md": "README.md", "Other": "other", "absent": "absent",
		"STRAße":            "Straße",
		"Stra\u00dfe\u0301": "Straße", // another form of the same entry, as the file system says
	} {
		if got := entrySpelling(dir, part, info); got != want {
			t.Errorf("%q is spelled %q, want %q", part, got, want)
		}
	}
	if got := entrySpelling(filepath.Join(dir, "none"), "x", info); got != "x" {
		t.Errorf("in a folder that cannot be listed: %q", got)
	}
}

func TestURIPath(t *testing.T) {
	for _, c := range []struct {
		uri     string
		windows bool
		want    string // "" if refused
	}{
		{"file:///home/me/a%20b.go", false, "/home/me/a b.go"},
		{"FILE:///x", false, "/x"},
		{"file:/x/y", false, "/x/y"},
		{"file://localhost/x", false, "/x"},
		{"file:///%C3%BC%c3%bc", false, "/üü"},
		{"file:///%ff", false, "/\xff"},
		{"file:///a+b%2Bc%252B", false, "/a+b+c%2B"},
		{"file:///a%23b%3Fc", false, "/a#b?c"},
		{"file:///a#L10-L20", false, "/a"},
		{"file:///a?x=1#y", false, "/a"},
		{"file:///c%3A/x", false, "/c:/x"},
		{"file:///a%2Fb", false, "/a/b"},
		{"file:///üñ", false, "/üñ"},
		{"file://server/share/x", false, ""},
		{"file:///a%0", false, ""},
		{"file:///a%zz", false, ""},
		{"file:///a%00b", false, ""},
		{"file:", false, ""},
		{"file://", false, ""},
		{"file:x", false, ""},
		{"untitled:Untitled-1", false, ""},
		{"filex:///x", false, ""},
		{"/x", false, ""},
		{"", false, ""},

		{"file:///c%3A/Users/a%20b.go", true, `C:\Users\a b.go`},
		{"file:///C:/Users/x", true, `C:\Users\x`},
		{"file:///c:/x", true, `C:\x`},
		{"file:///c:", true, `C:\`},
		{"file://server/share/x%20y", true, `\\server\share\x y`},
		{"file://localhost/c:/x", true, `C:\x`},
		{"file:////server/share/x", true, `\\server\share\x`},
		{"file://ser%2Fver/share", true, ""},
	} {
		got, ok := uriPath(c.uri, c.windows)
		if ok != (c.want != "") || ok && got != c.want {
			t.Errorf("uriPath(%q, windows %v) = %q, %v; want %q", c.uri, c.windows, got, ok, c.want)
		}
	}
}

func TestPathURI(t *testing.T) {
	for _, c := range []struct {
		path    string
		windows bool
		want    string
	}{
		{"/home/me/a b.go", false, "file:///home/me/a%20b.go"},
		{"/ü(1)+@:~-_.", false, "file:///%C3%BC%281%29%2B%40%3A~-_."},
		{"/a%20#?", false, "file:///a%2520%23%3F"},
		{"/\xff", false, "file:///%FF"},
		{`/back\slash`, false, "file:///back%5Cslash"},
		{"/", false, "file:///"},
		{`C:\Users\a b`, true, "file:///c%3A/Users/a%20b"},
		{`\\server\share\x`, true, "file://server/share/x"},
	} {
		if got := pathURI(c.path, c.windows); got != c.want {
			t.Errorf("pathURI(%q, windows %v) = %q, want %q", c.path, c.windows, got, c.want)
		}
		if got, ok := uriPath(c.want, c.windows); !ok || got != c.path {
			t.Errorf("uriPath(%q, windows %v) = %q, %v; want %q", c.want, c.windows, got, ok, c.path)
		}
	}
}

func FuzzPathURI(f *testing.F) {
	f.Add("/a b/%41/ü", false)
	f.Add(`C:\x`, true)
	f.Fuzz(func(t *testing.T, path string, windows bool) {
		uriPath(path, windows) // must not panic, whatever it is
		if key := uriKey(path); uriKey(key) != key {
			t.Errorf("the key of %q is %q, and of that %q", path, key, uriKey(key))
		}
		if strings.IndexByte(path, 0) >= 0 || windows || !strings.HasPrefix(path, "/") {
			t.Skip("no path that has a URI of its own here")
		}
		uri := pathURI(path, windows)
		if got, ok := uriPath(uri, windows); !ok || got != path {
			t.Errorf("%q became %q became %q, %v", path, uri, got, ok)
		}
	})
}

func TestURIKeyUnifiesSpellings(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the names are those of other systems")
	}
	want := uriKey("file:///a%20b/c")
	for _, uri := range []string{"file:///a%20b/%63", "file:///a b/c", "file:/a%20b/c", "FILE://localhost/a%20b/c"} {
		if got := uriKey(uri); got != want {
			t.Errorf("uriKey(%q) = %q, want %q", uri, got, want)
		}
	}
	if uriKey("untitled:a") == uriKey("untitled:b") || uriKey("untitled:a%20b") == uriKey("untitled:a b") {
		t.Error("URIs of other schemes are taken for each other")
	}
}
