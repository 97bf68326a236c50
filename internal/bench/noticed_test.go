package bench

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"

	"acp-ls/buffers/watch"
)

// BenchmarkNoticed is the time from the write of another program to a file in a watched
// folder until it is known, and documents are compared. The anchor is the bare event of the
// operating system.
func BenchmarkNoticed(b *testing.B) {
	dir := b.TempDir()
	noticed := make(chan []string, 1)
	w, err := watch.New(watch.Options{Changed: func(folders []string) { noticed <- folders }})
	if err != nil {
		b.Skip("nothing can be watched here: ", err)
	}
	defer w.Close()
	raw, err := fsnotify.NewWatcher()
	if err != nil {
		b.Fatal(err)
	}
	defer raw.Close()
	w.Add(dir)
	if err := raw.Add(dir); err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(dir, "file")
	line := results.compare(comparison{name: "write of another program, until known", anchor: "the bare event", aim: goal{p99: 10}})
	for i := 0; b.Loop(); i++ {
		start := time.Now()
		if err := os.WriteFile(path, []byte(strconv.Itoa(i)), 0o600); err != nil {
			b.Fatal(err)
		}
		<-raw.Events
		base := time.Since(start)
		for quiet := false; !quiet; { // one write is several events
			select {
			case <-raw.Events:
			case <-noticed:
				quiet = true
			}
		}
		line.round(time.Since(start), base)
	}
	line.report(b)
}

// BenchmarkWatches counts the folders that the program watches after a turn that changed a
// file in a tree of 50,000. The anchor is how many a user can watch with all programs.
func BenchmarkWatches(b *testing.B) {
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_user_watches")
	if err != nil {
		b.Skip("only Linux counts")
	}
	most, err := strconv.ParseFloat(strings.TrimSpace(string(limit)), 64)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs() // what is measured is no time
	g := newGit(b)
	for i := range 50_000 {
		if err := os.MkdirAll(filepath.Join(g.dir, fmt.Sprintf("a%d/b%d", i/250, i%250)), 0o700); err != nil {
			b.Fatal(err)
		}
	}
	g.run(0, "init", "-q", ".")
	path := filepath.Join(g.dir, "a7", "b7", "file.go")
	if err := os.WriteFile(path, []byte(joined(rows(100))), 0o600); err != nil {
		b.Fatal(err)
	}
	server := build(b, "acp-ls/cmd/acp-ls")
	line := results.compare(comparison{name: "watches in a tree of 50,000 folders", anchor: "fs.inotify.max_user_watches", unit: number, aim: goal{p50: .001}})
	line.ours, line.base = nil, nil
	for b.Loop() {
		if len(line.ours) > 0 {
			continue
		}
		home := b.TempDir()
		useBenchAgent(b, home)
		p := startAt(b, home, server)
		p.call(1, "initialize", `{"processId":null,"rootUri":`+quote("file://"+g.dir)+`,"capabilities":{}}`)
		p.call(2, "workspace/executeCommand", `{"command":"acp.session.new","arguments":[{"cwd":`+quote(g.dir)+`}]}`)
		p.call(3, "workspace/executeCommand", `{"command":"acp.prompt","arguments":[{"wait":true,"text":`+quote("edit "+path+" 3")+`}]}`)
		line.count(watches(b, p.cmd.Process.Pid), most)
		p.end()
	}
	if line.ours[0] == 0 {
		b.Fatal("nothing is watched")
	}
	line.report(b)
}

// watches is how many folders and files a process watches.
func watches(b *testing.B, pid int) float64 {
	n := 0
	infos, err := filepath.Glob(fmt.Sprintf("/proc/%d/fdinfo/*", pid))
	if err != nil {
		b.Fatal(err)
	}
	for _, info := range infos {
		text, _ := os.ReadFile(info) // it may be closed by now
		n += strings.Count("\n"+string(text), "\ninotify ")
	}
	return float64(n)
}
