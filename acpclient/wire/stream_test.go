package wire

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"go.lsp.dev/jsonrpc2"
)

// readAll reads a stream of text to its end. Messages are described in short.
func readAll(t testing.TB, r io.Reader, opt StreamOptions) (messages []string, reports []Report) {
	t.Helper()
	opt.Report = func(r Report) {
		r.Line = slices.Clone(r.Line)
		reports = append(reports, r)
	}
	s := NewStream(io.NopCloser(r), nopWriter{}, opt)
	for {
		msg, _, err := s.Read(context.Background())
		if errors.Is(err, io.EOF) {
			return messages, reports
		}
		if err != nil {
			t.Fatal(err)
		}
		messages = append(messages, describe(msg))
	}
}

func describe(msg jsonrpc2.Message) string {
	switch m := msg.(type) {
	case *jsonrpc2.Call:
		return fmt.Sprintf("call %q %s %s", m.ID(), m.Method(), m.Params())
	case *jsonrpc2.Notification:
		return fmt.Sprintf("note %s %s", m.Method(), m.Params())
	case *jsonrpc2.Response:
		if m.Err() != nil {
			return fmt.Sprintf("fail %q %d %v", m.ID(), ErrorCode(m.Err()), m.Err())
		}
		return fmt.Sprintf("done %q %s", m.ID(), m.Result())
	}
	return fmt.Sprintf("%T", msg)
}

const hello = `{"jsonrpc":"2.0","method":"hello"}`

// What agents write to stdout, and what is made of it.
func TestStreamNoise(t *testing.T) {
	for _, c := range []struct {
		name     string
		in       string
		messages []string
		problems []Problem
	}{
		{"a message", hello + "\n", []string{"note hello "}, nil},
		{"unterminated", hello, []string{"note hello "}, nil},
		{"nothing", "", nil, nil},
		{"blank lines", "\n \n\r\n\t\n" + hello + "\n\n", []string{"note hello "}, nil},
		{"CRLF", hello + "\r\n" + hello + "\r\n", []string{"note hello ", "note hello "}, nil},
		{"byte order mark", "\uFEFF" + hello + "\n\uFEFF\n" + hello, []string{"note hello ", "note hello "}, nil},
		{"banner", "Welcome to agent 1.0!\n" + hello, []string{"note hello "}, []Problem{NotJSON}},
		{"bracketed log line", "[12:00:01] starting\n" + hello, []string{"note hello "}, []Problem{NotJSON}},
		{"log line with an object", `INFO {"a":1}` + "\n" + hello, []string{"note hello "}, []Problem{NotJSON}},
		{"text before on the line", "Loading..." + hello + "\n", []string{"note hello "}, []Problem{NotJSON}},
		{"brackets before on the line", "[12:00] " + hello + "\n", []string{"note hello "}, []Problem{NotJSON}},
		{"escape sequence before", "\x1b]0;agent\x07" + hello + "\n", []string{"note hello "}, []Problem{NotJSON}},
		{"text after on the line", hello + " trailing\n" + hello, []string{"note hello ", "note hello "}, []Problem{NotJSON}},
		{"two on one line", hello + hello + " " + hello + "\n" + hello, []string{"note hello ", "note hello ", "note hello ", "note hello "}, nil},
		{"two and text on the last line", hello + "x" + hello + "y", []string{"note hello ", "note hello "}, []Problem{NotJSON, NotJSON}},
		{"scalars", "1\ntrue\nnull\n\"text\"\n-1.5e3\n" + hello, []string{"note hello "}, []Problem{NotMessage, NotMessage, NotMessage, NotMessage, NotMessage}},
		{"array", "[1,2]\n" + hello, []string{"note hello "}, []Problem{NotMessage}},
		{"batch", "[" + hello + "," + hello + "]\n" + hello, []string{"note hello "}, []Problem{Batch}},
		{"log object", `{"level":"info","msg":"up","id":7}` + "\n" + hello, []string{"note hello "}, []Problem{NotMessage}},
		{"log object with an error", `{"level":"error","error":"boom"}` + "\n" + hello, []string{"note hello "}, []Problem{NotMessage}},
		{"empty object", "{}\n" + hello, []string{"note hello "}, []Problem{NotMessage}},
		{"broken object", `{"jsonrpc":"2.0","method":"hel` + "\n" + hello, []string{"note hello "}, []Problem{NotJSON}},
		{"broken members", `{"a" 1}` + "\n" + `{"a":1,}` + "\n" + `{"a":1 "b":2}` + "\n" + `{"a":x}` + "\n" + `{,}` + "\n" + `{"a":tru}` + "\n" + hello,
			[]string{"note hello "}, []Problem{NotJSON, NotJSON, NotJSON, NotJSON, NotJSON, NotJSON}},
		{"NUL", "\x00\x00\n" + hello, []string{"note hello "}, []Problem{NotJSON}},
		{"line separator inside", `{"jsonrpc":"2.0","method":"hello","params":"a` + "\u2028" + `b"}`, []string{"note hello \"a\u2028b\""}, nil},
		{"spaces", ` { "jsonrpc" : "2.0" , "method" : "hello" , "params" : [ 1 , "}" ] } ` + "\n", []string{`note hello [ 1 , "}" ]`}, nil},
		{"no version", `{"method":"hello"}`, []string{"note hello "}, nil},
		{"other version", `{"jsonrpc":"1.0","method":"hello"}`, []string{"note hello "}, nil},
		{"null params", `{"jsonrpc":"2.0","method":"hello","params":null}`, []string{"note hello "}, nil},
		{"escaped method", `{"jsonrpc":"2.0","method":"hel\u006co"}`, []string{"note hello "}, nil},
		{"method no string", `{"jsonrpc":"2.0","method":7,"id":1}`, nil, []Problem{NotMessage}},
		{"duplicate member", `{"jsonrpc":"2.0","method":"a","method":"b"}`, []string{"note b "}, nil},

		{"request", `{"jsonrpc":"2.0","id":0,"method":"m","params":{"a":"\"}"}}`, []string{`call #0 m {"a":"\"}"}`}, nil},
		{"request, id last", `{"jsonrpc":"2.0","method":"m","params":{},"id":"a-b"}`, []string{`call "a-b" m {}`}, nil},
		{"request with null beside", `{"jsonrpc":"2.0","id":1,"method":"m","error":null,"result":null}`, []string{`call #1 m `}, nil},
		{"null id", `{"jsonrpc":"2.0","id":null,"method":"m"}`, []string{`note m `}, nil},
		{"odd ids", `{"id":1.0,"method":"m"}` + "\n" + `{"id":123456789012345678901234567890,"method":"m"}` + "\n" + `{"id":[1],"method":"m"}` + "\n" + `{"id":true,"method":"m"}` + "\n" + `{"id":"\u0000x","method":"m"}`,
			[]string{`call "\x001.0" m `, `call "\x00123456789012345678901234567890" m `, `call "\x00[1]" m `, `call "\x00true" m `, `call "\x00\"\\u0000x\"" m `}, nil},

		{"result", `{"jsonrpc":"2.0","id":3,"result":{"a":1}}`, []string{`done #3 {"a":1}`}, nil},
		{"result, null error", `{"jsonrpc":"2.0","id":3,"result":{},"error":null}`, []string{`done #3 {}`}, nil},
		{"null result", `{"jsonrpc":"2.0","id":3,"result":null}`, []string{`done #3 null`}, nil},
		{"no result", `{"jsonrpc":"2.0","id":3}`, []string{`done #3 `}, nil},
		{"result with the method", `{"jsonrpc":"2.0","id":3,"method":"m","result":{}}`, []string{`done #3 {}`}, nil},
		{"result, id a float", `{"jsonrpc":"2.0","id":3.0,"result":1}`, []string{`done #3 1`}, nil},
		{"result, id an exponent", `{"jsonrpc":"2.0","id":3e0,"result":1}`, []string{`done #3 1`}, nil},
		{"result, id a string", `{"jsonrpc":"2.0","id":"3","result":1}`, []string{`done #3 1`}, nil},
		{"result without id", `{"jsonrpc":"2.0","result":1}`, nil, []Problem{NotMessage}},
		{"result, null id", `{"jsonrpc":"2.0","id":null,"result":1}`, nil, []Problem{NotMessage}},
		{"error", `{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"log in"}}`, []string{`fail #3 -32000 log in`}, nil},
		{"error and null result", `{"jsonrpc":"2.0","id":3,"result":null,"error":{"code":-32000,"message":"log in"}}`, []string{`fail #3 -32000 log in`}, nil},
		{"error and result", `{"jsonrpc":"2.0","id":3,"result":1,"error":{"code":-32000,"message":"log in"}}`, []string{`fail #3 -32000 log in`}, nil},
		{"error a string", `{"jsonrpc":"2.0","id":3,"error":"boom"}`, []string{`fail #3 -32603 boom`}, nil},
		{"error of odd types", `{"jsonrpc":"2.0","id":3,"error":{"code":"-32002","message":{"a":1}}}`, []string{`fail #3 -32002 {"a":1}`}, nil},
		{"error without a message", `{"jsonrpc":"2.0","id":3,"error":{"code":1.5}}`, []string{`fail #3 -32603 the agent gave no message: {"code":1.5}`}, nil},
		{"error for nothing", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"parse"}}`, nil, []Problem{NotMessage}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, r := range map[string]io.Reader{
				"at once": strings.NewReader(c.in), "byte by byte": iotest.OneByteReader(strings.NewReader(c.in)), "with its end": iotest.DataErrReader(strings.NewReader(c.in)),
			} {
				messages, reports := readAll(t, r, StreamOptions{})
				if !slices.Equal(messages, c.messages) {
					t.Errorf("%s: messages %q, want %q", name, messages, c.messages)
				}
				var problems []Problem
				for _, r := range reports {
					problems = append(problems, r.Problem)
				}
				if !slices.Equal(problems, c.problems) {
					t.Errorf("%s: problems %v, want %v", name, problems, c.problems)
				}
			}
		})
	}
}

// A line above the limit costs its message, and nobody waits for an answer.
func TestStreamTooLong(t *testing.T) {
	const limit = 1000
	fill := strings.Repeat("x", limit)
	long := strings.Repeat("name", 10)
	for _, c := range []struct {
		name    string
		line    string
		message string
	}{
		{"notification", `{"jsonrpc":"2.0","method":"n","params":"` + fill + `"}`, ""},
		{"request", `{"jsonrpc":"2.0","id":5,"method":"m","params":{"id":6,"t":"` + fill + `"}}`, `call #5 ` + methodTooLong + ` "`},
		{"request, id last", `{"jsonrpc":"2.0","method":"m","params":{"t":"` + fill + `\"}","method":"x"} , "id" : "a,b}" }`, `call "a,b}" ` + methodTooLong + ` "`},
		{"request, odd id", `{"method":"m","params":"` + fill + `","id":1.0}`, "call \"\\x001.0\" " + methodTooLong + ` "`},
		{"result", `{"jsonrpc":"2.0","id":5,"result":["` + fill + `",{"method":"m"}]}`, `fail #5 -32603 message of `},
		{"result, id last", `{"jsonrpc":"2.0","result":"` + fill + `","id":5}`, `fail #5 -32603 message of `},
		{"error", `{"jsonrpc":"2.0","id":"5","error":{"message":"` + fill + `"}}`, `fail #5 -32603 message of `},
		{"long name", `{"` + long + `":"` + fill + `","id":5,"method":"m"}`, `call #5 ` + methodTooLong + ` "`},
		{"long id", `{"id":"` + strings.Repeat("i", overlongKeep) + `","method":"m"}`, ""},
		{"no JSON", fill + fill, ""},
		{"broken", `{"id":5,"method":"m","params":"` + fill, `call #5 ` + methodTooLong + ` "`},
		{"many brackets", strings.Repeat("}", 500) + strings.Repeat("[", 2000), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := hello + "\n" + c.line + "\n" + hello
			for name, r := range map[string]io.Reader{"at once": strings.NewReader(in), "byte by byte": iotest.OneByteReader(strings.NewReader(in))} {
				messages, reports := readAll(t, r, StreamOptions{MaxLine: limit})
				if len(reports) != 1 || reports[0].Problem != TooLong || reports[0].Size != int64(len(c.line)) {
					t.Fatalf("%s: reports %v", name, reports)
				}
				want := []string{"note hello ", "note hello "}
				if c.message != "" {
					want = slices.Insert(want, 1, c.message)
				}
				if len(messages) != len(want) {
					t.Fatalf("%s: messages %.100q", name, messages)
				}
				for i := range want {
					if !strings.HasPrefix(messages[i], want[i]) {
						t.Errorf("%s: message %.100q, want %q", name, messages[i], want[i])
					}
				}
			}
		})
	}
}

func TestStreamLimitIsExact(t *testing.T) {
	for size := 60; size < 70; size++ {
		line := `{"method":"` + strings.Repeat("m", size-13) + `"}`
		for _, end := range []string{"\n", ""} {
			messages, reports := readAll(t, iotest.HalfReader(strings.NewReader(line+end)), StreamOptions{MaxLine: 64})
			if got, want := len(messages) == 1, size <= 64; got != want || len(reports) == 0 != want {
				t.Errorf("line of %d bytes with end %q: %d messages, %v", size, end, len(messages), reports)
			}
		}
	}
}

// filler is a line of any length without memory for it.
type filler struct {
	head, tail string
	n          int
}

func (f *filler) Read(p []byte) (int, error) {
	if f.head != "" {
		n := copy(p, f.head)
		f.head = f.head[n:]
		return n, nil
	}
	if f.n > 0 {
		n := min(len(p), f.n)
		for i := range n {
			p[i] = 'x'
		}
		f.n -= n
		return n, nil
	}
	if f.tail == "" {
		return 0, io.EOF
	}
	n := copy(p, f.tail)
	f.tail = f.tail[n:]
	return n, nil
}

// The default limit: 64 MiB pass, one byte more does not, and the session goes on.
func TestStreamDefaultLimit(t *testing.T) {
	const head, tail = `{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":{"sessionId":"s","path":"/p","content":"`, `"}}`
	for _, over := range []int{0, 1} {
		n := DefaultMaxLine - len(head) - len(tail) + over
		messages, reports := readAll(t, &filler{head, tail + "\n" + hello, n}, StreamOptions{})
		if len(messages) != 2 || len(reports) != over {
			t.Fatalf("over %d: %d messages, %v", over, len(messages), reports)
		}
		if want := []string{"call #1 fs/write", "call #1 " + methodTooLong}[over]; !strings.HasPrefix(messages[0], want) {
			t.Errorf("over %d: %.60q", over, messages[0])
		}
	}
}

// A big line's buffer is used again, and given back when it is not needed.
func TestStreamBuffer(t *testing.T) {
	big := `{"method":"m","params":"` + strings.Repeat("x", 3<<20) + `"}` + "\n"
	small := strings.Repeat(hello+"\n", readPatience+readStart/len(hello)+10)
	s := NewStream(io.NopCloser(strings.NewReader(big+big+small)), nopWriter{}, StreamOptions{})
	read := func() {
		t.Helper()
		if _, _, err := s.Read(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	read()
	held := &s.buf[0]
	if len(s.buf) < 3<<20 || len(s.buf) > 8<<20 {
		t.Fatalf("buffer of %d bytes", len(s.buf))
	}
	read()
	if &s.buf[0] != held {
		t.Error("buffer was made anew for the second line")
	}
	for range readPatience + 1 {
		read()
	}
	if len(s.buf) > readRetained {
		t.Errorf("buffer of %d bytes after many short lines", len(s.buf))
	}
}

func TestStreamReaderThatStalls(t *testing.T) {
	s := NewStream(io.NopCloser(iotest.ErrReader(nil)), nopWriter{}, StreamOptions{})
	if _, _, err := s.Read(context.Background()); !errors.Is(err, io.ErrNoProgress) {
		t.Errorf("got %v", err)
	}
}

func TestEncodeMessage(t *testing.T) {
	for _, c := range []struct {
		msg  jsonrpc2.Message
		want string
	}{
		{jsonrpc2.NewResponse(jsonrpc2.NewStringID(rawID+`1.0`), []byte(`{}`), nil), `{"jsonrpc":"2.0","id":1.0,"result":{}}`},
		{jsonrpc2.NewResponse(jsonrpc2.NewStringID(rawID+`"\u0000x"`), nil, NewError(CodeInternal, "a\nb")), `{"jsonrpc":"2.0","id":"\u0000x","error":{"code":-32603,"message":"a\nb"}}`},
		{jsonrpc2.NewResponse(jsonrpc2.NewStringID("s"), nil, nil), `{"jsonrpc":"2.0","id":"s","result":null}`},
		{jsonrpc2.NewNotification("n", []byte("{\n \"a\": 1\n}")), `{"jsonrpc":"2.0","method":"n","params":{  "a": 1 }}`},
	} {
		if got := string(appendMessage(nil, c.msg)); got != c.want+"\n" {
			t.Errorf("got %s want %s", got, c.want)
		}
	}
}
