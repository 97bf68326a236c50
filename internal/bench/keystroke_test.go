package bench

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"acp-ls/buffers"
)

// BenchmarkKeystroke is the time from the write of one typed character, as a
// framed didChange, to an OS pipe until the document with it is visible to
// everybody and all that the read loop does for it is done. The anchor is the
// time in which the same bytes go through such a pipe.
func BenchmarkKeystroke(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
		now   goal
	}{{"1 kB", 1 << 10, goal{}}, {"1 MB", 1 << 20, goal{}}, {"10 MB", 10 << 20, goal{p50: 5}}, {"50 MB", 50 << 20, goal{}}} {
		c := comparison{anchor: "raw pipe, same bytes", now: size.now, aim: goal{p50: 3, p99: 4}}
		c.name = "keystroke, " + size.name
		b.Run(size.name, func(b *testing.B) { keystrokes(b, c, typing{size: size.bytes}) })
		if size.bytes < 1<<20 || size.bytes > 10<<20 {
			continue
		}
		c.name += ", 200 hunks pending"
		c.now = goal{}
		b.Run(size.name+" with hunks", func(b *testing.B) { keystrokes(b, c, typing{size: size.bytes, hunks: 200}) })
	}
	c := comparison{name: "keystroke, 10 MB, after a pause", anchor: "raw pipe, same bytes", aim: goal{p50: 3, p99: 4}}
	b.Run("10 MB after a pause", func(b *testing.B) { keystrokes(b, c, typing{size: 10 << 20, pause: 2 * time.Millisecond}) })
}

// BenchmarkKeystrokeAnySize is a key in a document of 50 MB beside one in a document of
// 1 kB, both open in one server: all over the file, and on and on in one place, as people
// type.
func BenchmarkKeystrokeAnySize(b *testing.B) {
	for _, where := range []struct {
		name string
		at   func(key, rows int) int
	}{{"all over the file", func(key, rows int) int { return key * 7919 % rows }}, {"in one place", func(_, rows int) int { return rows / 2 }}} {
		b.Run(where.name, func(b *testing.B) {
			e := newEditor(b, `{}`)
			go func() { _, _ = io.Copy(io.Discard, e.in) }()
			small, large := openDocument(b, e, "small.go", 1<<10), openDocument(b, e, "large.go", 50<<20)
			line := results.compare(comparison{name: "keystroke, 50 MB, " + where.name, anchor: "the same, 1 kB", aim: goal{p50: 1.5}})
			for key := 0; b.Loop(); key++ {
				base := small.key(e, where.at(key, small.rows))
				line.round(large.key(e, where.at(key, large.rows)), base)
			}
			line.report(b)
		})
	}
}

// document is one that is open.
type document struct {
	uri     string
	version int32
	rows    int
}

func openDocument(b *testing.B, e *editor, name string, size int) *document {
	content := strings.Repeat(row, size/len(row)+1)
	path := filepath.Join(e.root, name)
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.Fatal(err)
	}
	d := &document{uri: buffers.PathURI(path), rows: strings.Count(content, "\n")}
	e.notify("textDocument/didOpen", `{"textDocument":{"uri":"`+d.uri+`","languageId":"go","version":0,"text":`+quote(content)+`}}`)
	e.await()
	for i := range 100 { // until the file was looked at, and the caches are warm
		d.key(e, i%d.rows)
	}
	return d
}

// key types one character into a row.
func (d *document) key(e *editor, row int) time.Duration {
	d.version++
	change := keyAt(d.uri, d.version, row)
	start := time.Now()
	e.send(change)
	e.await()
	return time.Since(start)
}

func keyAt(uri string, version int32, row int) []byte {
	return notification("textDocument/didChange", fmt.Sprintf(
		`{"textDocument":{"uri":"%s","version":%d},"contentChanges":[{"range":{"start":{"line":%d,"character":4},"end":{"line":%d,"character":4}},"text":"x"}]}`,
		uri, version, row, row))
}

// row is a row of code.
const row = "\tif err := run(ctx, \"a\", 1234); err != nil { return err } // é 😀\n"

// typing says into what is typed, and how.
type typing struct {
	size, hunks int
	pause       time.Duration // in front of each key: everything has gone to sleep
}

func keystrokes(b *testing.B, line comparison, t typing) {
	e := newEditor(b, `{}`)
	content := strings.Repeat(row, t.size/len(row)+1)
	path := filepath.Join(e.root, "big.go")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		b.Fatal(err)
	}
	if t.hunks > 0 {
		e.command("acp.prompt", fmt.Sprintf(`{"text":%s,"wait":true}`, quote(fmt.Sprintf("edit %s %d", path, t.hunks))))
		changed, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		content = string(changed)
	}
	go func() { _, _ = io.Copy(io.Discard, e.in) }()
	uri := buffers.PathURI(path)
	e.notify("textDocument/didOpen", `{"textDocument":{"uri":"`+uri+`","languageId":"go","version":0,"text":`+quote(content)+`}}`)
	e.await()

	rows := strings.Count(content, "\n")
	raw := newHop(b)
	c := results.compare(line)
	version := int32(0)
	key := func() []byte {
		version++
		return keyAt(uri, version, int(version)*7919%rows)
	}
	for range 100 { // until the file was looked at, and the caches are warm
		e.send(key())
		e.await()
	}
	visible(b, e, uri, version, t.hunks)
	b.ReportAllocs()
	for b.Loop() {
		change := key()
		time.Sleep(t.pause)
		start := time.Now()
		raw.carry(change)
		base := time.Since(start)

		time.Sleep(t.pause)
		start = time.Now()
		e.send(change)
		e.await()
		c.round(time.Since(start), base)
	}
	visible(b, e, uri, version, t.hunks)
	c.report(b)
}

// visible fails unless the core shows the document as it was left, with as many
// hunks.
func visible(b *testing.B, e *editor, uri string, version int32, hunks int) {
	b.Helper()
	rs := e.core.Reviews(uri, "")
	if len(rs) != 1 || rs[0].Version == nil || *rs[0].Version != version {
		b.Fatalf("version %d was typed and is not visible: %+v", version, rs)
	}
	if n := len(rs[0].Hunks); n < hunks*9/10 || n > hunks {
		b.Fatalf("%d hunks are pending, not %d", n, hunks)
	}
}
