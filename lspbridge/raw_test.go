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
	body, err := readBody(r.in)
	if err != nil {
		r.t.Fatal(err)
	}
	return body
}

func readBody(in *bufio.Reader) (string, error) {
	header, err := textproto.NewReader(in).ReadMIMEHeader()
	if err != nil {
		return "", err
	}
	n, err := strconv.Atoi(header.Get("Content-Length"))
	if err != nil {
		return "", err
	}
	body := make([]byte, n)
	_, err = io.ReadFull(in, body)
	return string(body), err
}

// readBodies hands over what comes until nothing does, and never makes the other
// side wait.
func readBodies(conn io.Reader, to chan<- string) {
	in := bufio.NewReader(conn)
	for {
		body, err := readBody(in)
		if err != nil {
			return
		}
		select {
		case to <- body:
		default:
		}
	}
}

func (r *raw) initialize() {
	r.t.Helper()
	r.send(`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`)
	r.receive()
}
