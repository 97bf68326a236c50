package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// BenchmarkStalled is the most memory that the program ever had while an agent sent
// 1,000,000 chunks to an editor that did not read until the agent had sent them all, or
// could send no more, and then read all. The anchor is the memory of the same program
// before. All the text is counted.
func BenchmarkStalled(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("resident memory is read from /proc")
	}
	const n = 1_000_000
	server := build(b, "acp-ls/cmd/acp-ls")
	line := results.compare(comparison{name: "memory, 1,000,000 chunks, editor stalled", anchor: "the same program when idle", unit: memory, aim: goal{p50: 1.5}})
	for b.Loop() {
		home := b.TempDir()
		useBenchAgent(b, home)
		p := startAt(b, home, server)
		p.call(1, "initialize", `{"processId":null,"rootUri":null,"capabilities":{"experimental":{"acp":{"session":true}}}}`)
		p.call(2, "workspace/executeCommand", `{"command":"acp.session.new","arguments":[{"cwd":`+quote(b.TempDir())+`}]}`)
		time.Sleep(time.Second) // idle is what nothing happens in
		idle := resident(b, p.cmd.Process.Pid)

		sent := filepath.Join(home, "sent")
		p.request(3, "workspace/executeCommand", `{"command":"acp.prompt","arguments":[{"wait":true,"text":`+quote(fmt.Sprintf("count %d %s", n, sent))+`}]}`)
		stalled(sent, n)
		text := 0
		for {
			m := p.read()
			if m.Method == "" && string(m.ID) == "3" {
				if m.Error != nil {
					b.Fatalf("prompt: %s", m.Error)
				}
				break
			}
			text = textOf(b, m, text)
		}
		if want := n * len(chunkText); text != want {
			b.Fatalf("the editor has %d bytes of the answer, not %d", text, want)
		}
		most, err := memoryOf(p.cmd.Process.Pid, "VmHWM:")
		if err != nil {
			b.Fatal(err)
		}
		line.count(most, idle)
		p.end()
	}
	line.report(b)
}

// useBenchAgent writes settings into a home by which a program has the agent of this package.
func useBenchAgent(b *testing.B, home string) {
	b.Helper()
	self, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	settings := fmt.Sprintf(`{"defaultAgent":"bench","agents":{"bench":{"command":%s,"args":[],"env":{"%s":"yes"}}}}`, quote(self), agentVariable)
	if err := os.MkdirAll(filepath.Join(home, "acp-ls"), 0o700); err != nil {
		b.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(home, "acp-ls", "config.json"), []byte(settings), 0o600); err != nil {
		b.Fatal(err)
	}
}

// stalled returns when n chunks are sent, or none was for two seconds.
func stalled(sent string, n int) {
	last, since := "", time.Now()
	for time.Since(since) < 2*time.Second {
		if now, _ := os.ReadFile(sent); string(now) != last {
			last, since = string(now), time.Now()
		}
		if last == fmt.Sprint(n) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}
