package lspbridge

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/textproto"
	"strconv"
	"testing"

	"acp-ls/internal/config"
)

// raw speaks to a bridge in bytes.
type raw struct {
	t      *testing.T
	conn   duplex
	in     *bufio.Reader
	core   *fakeCore
	served chan error
}

func newRaw(t *testing.T) *raw {
	server, client := pipes()
	r := &raw{t: t, conn: client, in: bufio.NewReader(client), core: newFakeCore(), served: make(chan error, 2)}
	go func() {
		r.served <- serve(context.Background(), server, r.core, Options{Settings: config.Default})
	}()
	t.Cleanup(func() { _ = client.Close() })
	return r
}

// send sends a body with its header.
func (r *raw) send(body string) {
	r.write(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

func (r *raw) write(s string) {
	r.t.Helper()
	if _, err := io.WriteString(r.conn, s); err != nil {
		r.t.Fatal(err)
	}
}

func (r *raw) receive() string {
	r.t.Helper()
	header, err := textproto.NewReader(r.in).ReadMIMEHeader()
	if err != nil {
		r.t.Fatal(err)
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		r.t.Fatal(err)
	}
	body := make([]byte, n)
	if _, err := io.ReadFull(r.in, body); err != nil {
		r.t.Fatal(err)
	}
	return string(body)
}

func (r *raw) initialize() {
	r.t.Helper()
	r.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)
	r.receive()
}
