package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"
)

// BenchmarkKeystrokeCopying is a key in a document of 1 MB beside the same in a server that
// applies changes as gopls does.
func BenchmarkKeystrokeCopying(b *testing.B) {
	e := newEditor(b, `{}`)
	go func() { _, _ = io.Copy(io.Discard, e.in) }()
	d := openDocument(b, e, "big.go", 1<<20)
	content := strings.Repeat(row, 1<<20/len(row)+1)
	c := newCopying(b, content)
	line := results.compare(comparison{name: "keystroke, 1 MB", anchor: "line table and copy for each change", aim: goal{p50: .02}})
	for key := 0; b.Loop(); key++ {
		at := key * 7919 % d.rows
		change := keyAt("file:///big.go", int32(key), at)
		start := time.Now()
		if _, err := c.out.Write(change); err != nil {
			b.Fatal(err)
		}
		<-c.applied
		base := time.Since(start)
		line.round(d.key(e, at), base)
	}
	if got := len(*c.text.Load()); got != len(content)+len(line.ours) {
		b.Fatalf("the copying server has %d bytes after %d keys in %d", got, len(line.ours), len(content))
	}
	line.report(b)
}

// copying is a server that finds the rows of a text anew for each change, and copies the
// text.
type copying struct {
	out     *os.File
	text    atomic.Pointer[[]byte]
	applied chan struct{}
}

func newCopying(b *testing.B, content string) *copying {
	in, out := pipe(b)
	c := &copying{out: out, applied: make(chan struct{}, 1)}
	text := []byte(content)
	c.text.Store(&text)
	go func() {
		r := bufio.NewReader(in)
		for {
			header, err := textproto.NewReader(r).ReadMIMEHeader()
			if err != nil {
				_ = in.Close()
				return
			}
			n, _ := strconv.Atoi(header.Get("Content-Length"))
			body := make([]byte, n)
			_, _ = io.ReadFull(r, body)
			if err := c.apply(body); err != nil {
				panic(err) // the keys are this benchmark's own
			}
			c.applied <- struct{}{}
		}
	}()
	b.Cleanup(func() { _ = out.Close() })
	return c
}

func (c *copying) apply(body []byte) error {
	var m struct {
		Params struct {
			ContentChanges []struct {
				Range struct{ Start, End place }
				Text  string
			}
		}
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return err
	}
	for _, change := range m.Params.ContentChanges {
		text := *c.text.Load()
		starts := []int{0}
		for i, ch := range text {
			if ch == '\n' {
				starts = append(starts, i+1)
			}
		}
		from, to := offset(text, starts, change.Range.Start), offset(text, starts, change.Range.End)
		if from > to {
			return fmt.Errorf("range %+v", change.Range)
		}
		var out bytes.Buffer
		out.Write(text[:from])
		out.WriteString(change.Text)
		out.Write(text[to:])
		now := out.Bytes()
		c.text.Store(&now)
	}
	return nil
}

// offset is that of a position in units of UTF-16.
func offset(text []byte, starts []int, p place) int {
	at := starts[p.Line]
	for units := 0; units < p.Character; {
		r, n := utf8.DecodeRune(text[at:])
		units += utf16.RuneLen(r)
		at += n
	}
	return at
}
