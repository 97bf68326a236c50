package bench

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// agentVariable makes the test binary an agent.
const agentVariable = "ACP_LS_BENCH_AGENT"

const sessionID = "sess_0123456789abcdef"

// agentMain is an agent that costs next to nothing. What it does in a turn is
// what the prompt says:
//
//	chunks N        sends N chunks of an answer, each with one write
//	count N PATH    does the same, and writes into a file how many are sent
//	pace N WAIT     sends N chunks after WAIT, one each 10 ms; each tells when it was sent
//	edit PATH K     changes K rows of the file, evenly apart, by fs/write_text_file
//	read PATH K     reads 200 rows of the file K times, here and there among 10,000
func agentMain(stdin io.Reader, stdout io.Writer) int {
	a := &agent{in: bufio.NewReaderSize(stdin, 1<<20), out: stdout}
	for {
		m, err := a.read()
		if err != nil {
			return 0
		}
		switch m.Method {
		case "initialize":
			a.answer(m.ID, `{"protocolVersion":1,"agentCapabilities":{},"authMethods":[]}`)
		case "session/new":
			a.answer(m.ID, `{"sessionId":"`+sessionID+`"}`)
		case "session/prompt":
			if err := a.turn(m.Params.Prompt[0].Text); err != nil {
				fmt.Fprintln(os.Stderr, "bench agent:", err)
				return 1
			}
			a.answer(m.ID, `{"stopReason":"end_turn"}`)
		}
	}
}

type agent struct {
	in  *bufio.Reader
	out io.Writer
}

type agentMessage struct {
	ID     json.RawMessage
	Method string
	Error  json.RawMessage
	Params struct{ Prompt []struct{ Text string } }
	Result struct{ Content string }
}

func (a *agent) read() (m agentMessage, err error) {
	line, err := a.in.ReadBytes('\n')
	if err != nil {
		return m, err
	}
	return m, json.Unmarshal(line, &m)
}

func (a *agent) answer(id json.RawMessage, result string) {
	fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":%s,"result":%s}`+"\n", id, result)
}

// chunkText is the text of one chunk.
var chunkText = strings.Repeat("word ", 8)

// chunkLine is one chunk as it leaves the agent.
var chunkLine = []byte(`{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"` + sessionID +
	`","update":{"sessionUpdate":"agent_message_chunk","messageId":"msg_0123456789","content":{"type":"text","text":"` +
	chunkText + `"}}}}` + "\n")

func (a *agent) turn(prompt string) error {
	words := strings.Fields(prompt)
	switch words[0] {
	case "chunks":
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return err
		}
		for range n {
			if _, err := a.out.Write(chunkLine); err != nil {
				return err
			}
		}
		return nil
	case "count":
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return err
		}
		return a.count(n, words[2])
	case "pace":
		n, err := strconv.Atoi(words[1])
		if err != nil {
			return err
		}
		wait, err := time.ParseDuration(words[2])
		if err != nil {
			return err
		}
		return a.pace(n, wait)
	case "read":
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return err
		}
		return a.readRows(words[1], n)
	case "edit":
		n, err := strconv.Atoi(words[2])
		if err != nil {
			return err
		}
		return a.edit(words[1], n)
	}
	return fmt.Errorf("prompt %q is not understood", prompt)
}

func (a *agent) count(n int, path string) error {
	for i := range n {
		if i%10_000 == 0 {
			if err := os.WriteFile(path, []byte(strconv.Itoa(i)), 0o600); err != nil {
				return err
			}
		}
		if _, err := a.out.Write(chunkLine); err != nil {
			return err
		}
	}
	return os.WriteFile(path, []byte(strconv.Itoa(n)), 0o600)
}

func (a *agent) pace(n int, wait time.Duration) error {
	began := time.Now().Add(wait)
	for i := range n {
		time.Sleep(time.Until(began.Add(time.Duration(i) * 10 * time.Millisecond)))
		line := bytes.Replace(chunkLine, []byte(chunkText), fmt.Appendf(nil, "%-*d", len(chunkText), time.Now().UnixNano()), 1)
		if _, err := a.out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

func (a *agent) readRows(path string, n int) error {
	for i := range n {
		fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":1,"method":"fs/read_text_file","params":{"sessionId":"%s","path":%s,"line":%d,"limit":200}}`+"\n",
			sessionID, quote(path), 1+i*7919%10_000)
		m, err := a.read()
		if err != nil {
			return err
		}
		if rows := strings.Count(m.Result.Content, "\n"); m.Error != nil || rows < 199 || rows > 200 {
			return fmt.Errorf("read %s: %d rows, %s", path, rows, m.Error)
		}
	}
	return nil
}

func (a *agent) edit(path string, n int) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	rows := strings.SplitAfter(string(content), "\n")
	for i := range n {
		at := i * (len(rows) / n)
		rows[at] = "\tchanged by the agent // " + rows[at]
	}
	params, err := json.Marshal(map[string]string{"sessionId": sessionID, "path": path, "content": strings.Join(rows, "")})
	if err != nil {
		return err
	}
	fmt.Fprintf(a.out, `{"jsonrpc":"2.0","id":1,"method":"fs/write_text_file","params":%s}`+"\n", params)
	m, err := a.read()
	if err == nil && m.Error != nil {
		err = fmt.Errorf("write %s: %s", path, m.Error)
	}
	return err
}
