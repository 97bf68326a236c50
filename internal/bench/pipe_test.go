package bench

import (
	"bufio"
	"io"
	"os"
	"sync/atomic"
	"testing"
)

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
func (h *hop) carry(p []byte) { h.burst(p, 1) }

// burst writes p some times, and returns when the reader has all of it.
func (h *hop) burst(p []byte, times int) {
	h.size.Store(int64(times * len(p)))
	for range times {
		if _, err := h.out.Write(p); err != nil {
			h.b.Fatal(err)
		}
	}
	<-h.arrived
}

// rawPipe is a pipe whose other end reads messages of one size as a server does.
type rawPipe struct {
	b    *testing.B
	out  *os.File
	done chan struct{}
}

func newRawPipe(b *testing.B, size int) *rawPipe {
	in, out := pipe(b)
	p := &rawPipe{b, out, make(chan struct{})}
	go func() {
		r, buf := bufio.NewReaderSize(in, 64<<10), make([]byte, size)
		for {
			if _, err := io.ReadFull(r, buf); err != nil {
				_ = in.Close()
				return
			}
			p.done <- struct{}{}
		}
	}()
	b.Cleanup(func() { _ = out.Close() })
	return p
}

func (p *rawPipe) carry(bytes []byte) {
	if _, err := p.out.Write(bytes); err != nil {
		p.b.Fatal(err)
	}
	<-p.done
}
