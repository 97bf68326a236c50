// Command gotest runs go test with the arguments it is given and prints what that would,
// and at the end which tests were skipped, and why: without -v go test says nothing of them.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

func main() {
	cmd := exec.Command("go", append([]string{"test", "-json"}, os.Args[1:]...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gotest:", err)
		os.Exit(1)
	}
	report(out, os.Stdout)
	if cmd.Wait() != nil {
		os.Exit(1)
	}
}

// event is what test2json says.
type event struct {
	Action, Package, Test, Output string
}

// report reads events from r and writes to w what go test says without -v, and the skips.
func report(r io.Reader, w io.Writer) {
	said := map[[2]string][]string{} // by package and test
	var skipped []string
	tell := func(key [2]string) {
		for _, line := range said[key] {
			if !strings.HasPrefix(line, "=== ") {
				fmt.Fprint(w, line)
			}
		}
		delete(said, key)
	}
	in := bufio.NewReader(r)
	for {
		line, err := in.ReadBytes('\n')
		var e event
		key := [2]string{}
		if json.Unmarshal(line, &e) == nil {
			key = [2]string{e.Package, e.Test}
		} else {
			e = event{Action: "build-output", Output: string(line)} // what go itself says
		}
		switch {
		case e.Action == "build-output", e.Action == "output" && e.Test == "" && e.Output != "PASS\n":
			fmt.Fprint(w, e.Output)
		case e.Action == "output" && e.Test != "":
			said[key] = append(said[key], e.Output)
		case e.Action == "skip" && e.Test != "":
			skipped = append(skipped, fmt.Sprintf("%s %s: %s", e.Package, e.Test, reason(said[key])))
			delete(said, key)
		case e.Action == "pass" && e.Test != "":
			delete(said, key)
		case e.Action == "fail" && e.Test != "":
			tell(key)
		case e.Action == "fail": // of those that a panic or the time has ended nothing was said
			for left := range said {
				if left[0] == e.Package {
					tell(left)
				}
			}
		}
		if err != nil {
			break
		}
	}
	if len(skipped) > 0 {
		fmt.Fprintf(w, "skipped tests (%d):\n", len(skipped))
		for _, s := range skipped {
			fmt.Fprintln(w, "  "+s)
		}
	}
}

// reason is the last thing that a skipped test has said.
func reason(lines []string) string {
	said := "it says nothing"
	for _, l := range lines {
		if l = strings.TrimSpace(l); l != "" && !strings.HasPrefix(l, "=== ") && !strings.HasPrefix(l, "--- ") {
			said = l
		}
	}
	return said
}
