package lspbridge

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	"acp-ls/internal/config"
	"acp-ls/internal/session"
)

// FuzzMessages sends any bodies to an editor's bridge with the real core. It must
// answer the request that follows, unless it was told to end.
func FuzzMessages(f *testing.F) {
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"acp.review.accept","arguments":[{}]}}`,
		`{"jsonrpc":"2.0","id":1,"method":"workspace/executeCommand","params":{"command":"acp.prompt","arguments":[{"text":"x","context":[{"uri":"file:///a","range":{"start":{"line":4294967295,"character":1},"end":{"line":0,"character":0}}}]}]}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"file:///a","languageId":"acp-chat","version":1,"text":"a\r\nb"}}}`,
		`{"jsonrpc":"2.0","method":"textDocument/didChange","params":{"textDocument":{"uri":"untitled:a","version":2},"contentChanges":[{"range":{"start":{"line":1,"character":9},"end":{"line":0,"character":0}},"text":"x"},{"text":""}]}}`,
		`{"jsonrpc":"2.0","id":2,"method":"textDocument/completion","params":{"textDocument":{"uri":"untitled:a"},"position":{"line":9,"character":9}}}`,
		`{"jsonrpc":"2.0","id":"x","method":"textDocument/hover","params":{"textDocument":{"uri":"untitled:a"},"position":{"line":1,"character":1}}}`,
		`{"jsonrpc":"2.0","id":3,"result":{},"error":null}`, `{"id":1.0}`, `[]`, `{"method":"$/cancelRequest","params":{"id":[]}}`,
		`{"jsonrpc":"2.0","method":"workspace/didChangeWorkspaceFolders","params":{"event":{"added":[{"uri":"file:///x"}]}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"workspace/textDocumentContent","params":{"uri":"acp-base:///x"}}`,
	} {
		f.Add(body, strings.Replace(body, "file:///a", "untitled:a", 1))
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		c := session.New(session.Options{Launcher: noAgents{}, Settings: config.Default})
		defer func() { _ = c.Close(context.Background()) }()
		server, client := pipes()
		served := make(chan error, 1)
		go func() {
			served <- Serve(context.Background(), server, c, Options{Settings: config.Default, Log: slog.New(slog.DiscardHandler)})
		}()
		answers := make(chan string, 100)
		r := &raw{t: t, conn: client}
		go readBodies(client, answers)
		for _, body := range []string{
			`{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}`,
			`{"jsonrpc":"2.0","method":"textDocument/didOpen","params":{"textDocument":{"uri":"untitled:a","languageId":"acp-prompt","version":1,"text":"@x"}}}`,
			a, b, `{"jsonrpc":"2.0","id":"last","method":"unknown"}`,
		} {
			r.send(body)
			if strings.Contains(body, "exit") || strings.Contains(body, `\u`) { // may be an order to end
				_ = client.Close()
				<-served
				return
			}
		}
		for deadline := time.After(patience); ; {
			select {
			case answer := <-answers:
				if strings.Contains(answer, `"id":"last"`) {
					_ = client.Close()
					<-served
					return
				}
			case <-deadline:
				t.Fatal("not answered")
			}
		}
	})
}
