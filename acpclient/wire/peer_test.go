package wire

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for something that must happen. It only
// bounds how long a failing test hangs.
const patience = 30 * time.Second

// agent is the other end of a connection: raw lines both ways, over OS pipes.
type agent struct {
	t    testing.TB
	in   *bufio.Reader // what the client wrote
	inF  *os.File
	out  *os.File // what the client will read
	conn *Conn

	mu      sync.Mutex
	reports []Report
	seen    chan Report
}

// startPeer connects a Conn with handler h to a scripted agent.
func startPeer(t testing.TB, h Handler, opt StreamOptions) *agent {
	t.Helper()
	clientIn, agentOut := pipe(t)
	agentIn, clientOut := pipe(t)
	a := &agent{t: t, in: bufio.NewReaderSize(agentIn, 1<<20), inF: agentIn, out: agentOut, seen: make(chan Report, 10000)}
	opt.Report = func(r Report) {
		r.Line = append([]byte(nil), r.Line...)
		a.mu.Lock()
		a.reports = append(a.reports, r)
		a.mu.Unlock()
		a.seen <- r
	}
	a.conn = NewConn(clientIn, clientOut, opt)
	a.conn.Start(h)
	t.Cleanup(func() {
		agentOut.Close()
		agentIn.Close()
		if err := a.conn.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return a
}

func pipe(t testing.TB) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// send writes lines as the agent.
func (a *agent) send(lines ...string) {
	a.t.Helper()
	if _, err := io.WriteString(a.out, strings.Join(lines, "\n")+"\n"); err != nil {
		a.t.Fatal(err)
	}
}

// next returns the next line the client wrote.
func (a *agent) next() string {
	a.t.Helper()
	a.inF.SetReadDeadline(time.Now().Add(patience))
	line, err := a.in.ReadString('\n')
	if err != nil {
		a.t.Fatalf("nothing more from the client: %v", err)
	}
	return strings.TrimSuffix(line, "\n")
}

// expect reads the next line from the client and compares it as JSON.
func (a *agent) expect(want string) {
	a.t.Helper()
	if got := a.next(); !sameJSON(got, want) {
		a.t.Fatalf("client wrote\n %s\nwant\n %s", got, want)
	}
}

// report returns the next report.
func (a *agent) report() Report {
	a.t.Helper()
	return receive(a.t, a.seen)
}

func receive[T any](t testing.TB, ch <-chan T) T {
	t.Helper()
	select {
	case v, ok := <-ch:
		if !ok {
			t.Fatal("channel closed")
		}
		return v
	case <-time.After(patience):
		t.Fatal("nothing came")
	}
	panic("unreachable")
}

func sameJSON(a, b string) bool { return canonical(a) == canonical(b) }

func canonical(s string) string {
	v := jsontext.Value(s)
	if err := v.Canonicalize(jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true)); err != nil {
		return "invalid: " + err.Error() + s
	}
	return string(v)
}

// updates is a handler that records session updates and leaves the rest to the
// embedded one.
type updates struct {
	Unimplemented
	got chan Update
}

func newUpdates(n int) *updates { return &updates{got: make(chan Update, n)} }

func (u *updates) SessionUpdate(ctx context.Context, _ string, up Update) {
	select {
	case u.got <- up:
	case <-ctx.Done():
	}
}

func chunkLine(i int) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"chunk %d, forty bytes of text or so."}}}}`, i)
}
