package bench

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
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
		at := int(version) * 7919 % rows
		return notification("textDocument/didChange", fmt.Sprintf(
			`{"textDocument":{"uri":"%s","version":%d},"contentChanges":[{"range":{"start":{"line":%d,"character":4},"end":{"line":%d,"character":4}},"text":"x"}]}`,
			uri, version, at, at))
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

// hop is a pipe whose other end somebody waits at, as a server does.
type hop struct {
	b       *testing.B
	out     *os.File
	size    atomic.Int64 // of what is being carried
	arrived chan struct{}
}

func newHop(b *testing.B) *hop {
	in, out := pipe(b)
	h := &hop{b: b, out: out, arrived: make(chan struct{}, 1)}
	go func() {
		buf := make([]byte, 64<<10)
		got := int64(0)
		for {
			n, err := in.Read(buf)
			if err != nil {
				_ = in.Close()
				return
			}
			if got += int64(n); got == h.size.Load() {
				got = 0
				h.arrived <- struct{}{}
			}
		}
	}()
	b.Cleanup(func() { _ = out.Close() })
	return h
}

// carry writes p and returns when the reader has it.
func (h *hop) carry(p []byte) {
	h.size.Store(int64(len(p)))
	if _, err := h.out.Write(p); err != nil {
		h.b.Fatal(err)
	}
	<-h.arrived
}
