package bench

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// build builds a program as it is released, and returns its path.
func build(b *testing.B, pkg string) string {
	b.Helper()
	out := filepath.Join(b.TempDir(), "program"+exeSuffix())
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", out, pkg)
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("go build %s: %v\n%s", pkg, err, said)
	}
	return out
}

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// buildEmpty builds a Go program that does nothing until its input ends.
func buildEmpty(b *testing.B) string {
	b.Helper()
	file := filepath.Join(b.TempDir(), "main.go")
	const source = "package main\n\nimport \"os\"\n\nfunc main() { os.Stdin.Read(make([]byte, 1)) }\n"
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		b.Fatal(err)
	}
	return build(b, file)
}

// program is a running server.
type program struct {
	b   *testing.B
	cmd *exec.Cmd
	in  io.WriteCloser
	out *bufio.Reader
}

func start(b *testing.B, path string, args ...string) *program {
	b.Helper()
	return startAt(b, b.TempDir(), path, args...) // with nobody's settings
}

// startAt starts a program with the settings that are in home.
func startAt(b *testing.B, home, path string, args ...string) *program {
	b.Helper()
	cmd := exec.Command(path, args...)
	cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home, "XDG_STATE_HOME="+home)
	in, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	return &program{b, cmd, in, bufio.NewReader(out)}
}

// read returns the next message.
func (p *program) read() (m message) {
	p.b.Helper()
	body, err := readFrame(p.out)
	if err != nil {
		p.b.Fatal(err)
	}
	if err := json.Unmarshal(body, &m); err != nil {
		p.b.Fatal(err)
	}
	return m
}

// call sends a request and passes over what comes before its answer.
func (p *program) call(id int, method, params string) {
	p.b.Helper()
	p.request(id, method, params)
	for {
		m := p.read()
		if m.Method == "" && string(m.ID) == strconv.Itoa(id) {
			if m.Error != nil {
				p.b.Fatalf("%s: %s", method, m.Error)
			}
			return
		}
	}
}

func (p *program) request(id int, method, params string) {
	if _, err := p.in.Write(framed(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"%s","params":%s}`, id, method, params))); err != nil {
		p.b.Fatal(err)
	}
}

// end ends the program as an editor that just goes does.
func (p *program) end() {
	_ = p.in.Close()
	if err := p.cmd.Wait(); err != nil {
		p.b.Fatal(err)
	}
}

const initialize = `{"processId":null,"rootUri":null,"capabilities":{}}`

// BenchmarkStart is the time from starting the program until it has answered
// initialize. The anchors are a Node and a Go program that do nothing, from
// start to end.
func BenchmarkStart(b *testing.B) {
	server, empty := build(b, "acp-ls/cmd/acp-ls"), buildEmpty(b)
	node, err := exec.LookPath("node")
	if err != nil {
		b.Fatal(err)
	}
	run := func(path string, args ...string) time.Duration {
		start := time.Now()
		if err := exec.Command(path, args...).Run(); err != nil {
			b.Fatal(err)
		}
		return time.Since(start)
	}
	const name = "start until initialize is answered"
	byNode := results.compare(comparison{name: name, anchor: "node -e 0", now: goal{p50: .2}, aim: goal{p50: .15}})
	byGo := results.compare(comparison{name: name, anchor: "an empty Go program", aim: goal{p50: 2.5}})
	for b.Loop() {
		viaNode, viaGo := run(node, "-e", "0"), run(empty)
		began := time.Now()
		p := start(b, server)
		p.call(1, "initialize", initialize)
		took := time.Since(began)
		p.end()
		byNode.round(took, viaNode)
		byGo.round(took, viaGo)
	}
	byNode.report(b)
}

// BenchmarkIdle is the resident memory of the program with one session of one
// agent, a second after it was opened. The anchor is a Go program that does
// nothing.
func BenchmarkIdle(b *testing.B) {
	if runtime.GOOS != "linux" {
		b.Skip("resident memory is read from /proc")
	}
	server, empty := build(b, "acp-ls/cmd/acp-ls"), buildEmpty(b)
	c := results.compare(comparison{name: "memory when idle, one agent attached", anchor: "an empty Go program",
		unit: memory, aim: goal{most: 12 << 20}})
	for b.Loop() {
		p, q := start(b, server), start(b, empty)
		p.call(1, "initialize", initialize)
		p.call(2, "workspace/executeCommand", `{"command":"acp.session.new","arguments":[{"agent":"demo","cwd":`+quote(b.TempDir())+`}]}`)
		time.Sleep(time.Second) // idle is what nothing happens in
		c.ours = append(c.ours, resident(b, p.cmd.Process.Pid))
		c.base = append(c.base, resident(b, q.cmd.Process.Pid))
		p.end()
		q.end()
	}
	c.report(b)
}

// resident is the resident memory of a process in bytes.
func resident(b *testing.B, pid int) float64 {
	b.Helper()
	bytes, err := memoryOf(pid, "VmRSS:")
	if err != nil {
		b.Fatal(err)
	}
	return bytes
}

// memoryOf is what the kernel says of a process' memory, in bytes.
func memoryOf(pid int, what string) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, rest, found := strings.Cut(string(status), what)
	if !found {
		return 0, fmt.Errorf("the kernel does not say %s", what)
	}
	kB, err := strconv.Atoi(strings.Fields(rest)[0])
	return float64(kB) * 1024, err
}

// BenchmarkSize is how large the program is, as it is released.
func BenchmarkSize(b *testing.B) {
	b.ReportAllocs() // what is measured is no time
	size := func(path string) float64 {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		return float64(info.Size())
	}
	server, empty := build(b, "acp-ls/cmd/acp-ls"), buildEmpty(b)
	line := results.compare(comparison{name: "size of the program", anchor: "an empty Go program", unit: memory, aim: goal{most: 12 << 20}})
	line.ours, line.base = nil, nil
	for b.Loop() {
		if len(line.ours) == 0 {
			line.count(size(server), size(empty))
		}
	}
	line.report(b)
}
