package scriptagent

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
)

// Variable is the variable of the environment that makes a program an agent. It
// has the address that [Server.Env] returns.
const Variable = "ACP_LS_SCRIPTAGENT"

// NameVariable names the agent, where a test has several.
const NameVariable = "ACP_LS_SCRIPTAGENT_NAME"

// holdVariable is set in a child that an agent has started: it only stays.
const holdVariable = "ACP_LS_SCRIPTAGENT_HOLD"

// order is what the test tells the process to do. One line of JSON.
type order struct {
	Do   string `json:"do"`
	Text string `json:"text,omitempty"`
	Code int    `json:"code,omitempty"`
	Fill int    `json:"fill,omitempty"` // so many bytes of x, then Tail
	Tail string `json:"tail,omitempty"`
}

// word is what the process tells the test. One line of JSON.
type word struct {
	Hello *Hello `json:"hello,omitempty"`
	Line  string `json:"line,omitempty"`
	EOF   bool   `json:"eof,omitempty"`
	Child int    `json:"child,omitempty"` // its process id
}

// Hello is how a process was started.
type Hello struct {
	Name string   `json:"name"`
	PID  int      `json:"pid"`
	Args []string `json:"args"`
	Dir  string   `json:"dir"`
}

// Started says whether this program was started as an agent.
func Started() bool { return os.Getenv(Variable) != "" }

// Main is the agent process. It returns its exit code: when the test says so, or
// when its input ends.
func Main() int {
	if os.Getenv(holdVariable) != "" {
		hold()
	}
	c, err := net.Dial("unix", os.Getenv(Variable))
	if err != nil {
		fmt.Fprintln(os.Stderr, "scriptagent:", err)
		return 1
	}
	p := &process{tell: json.NewEncoder(c), exit: make(chan int, 2)}
	p.mayRead = sync.NewCond(&p.mu)
	dir, _ := os.Getwd()
	p.say(word{Hello: &Hello{Name: os.Getenv(NameVariable), PID: os.Getpid(), Args: os.Args[1:], Dir: dir}})
	go p.obey(c)
	go p.read(os.Stdin)
	return <-p.exit
}

// hold stays until it is killed, whatever it is asked.
func hold() {
	asked := make(chan os.Signal, 1)
	signal.Notify(asked)
	for range asked {
	}
}

type process struct {
	exit chan int

	mu      sync.Mutex // guards what follows
	tell    *json.Encoder
	paused  bool
	linger  bool
	mayRead *sync.Cond
}

// say tells the test something. Without a test there is nothing left to do.
func (p *process) say(w word) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.tell.Encode(w) != nil {
		p.exit <- 0
	}
}

// read passes the input on.
func (p *process) read(in io.Reader) {
	r := bufio.NewReaderSize(in, 1<<16)
	for {
		p.mu.Lock()
		for p.paused {
			p.mayRead.Wait()
		}
		p.mu.Unlock()
		line, err := r.ReadString('\n')
		if line != "" {
			p.say(word{Line: line})
		}
		if err != nil {
			p.say(word{EOF: true})
			p.mu.Lock()
			defer p.mu.Unlock()
			if !p.linger {
				p.exit <- 0
			}
			return
		}
	}
}

// obey does what the test says, one thing after the other.
func (p *process) obey(c io.Reader) {
	dec := json.NewDecoder(c)
	for {
		var o order
		if err := dec.Decode(&o); err != nil {
			if !errors.Is(err, io.EOF) {
				fmt.Fprintln(os.Stderr, "scriptagent:", err)
			}
			p.exit <- 0
			return
		}
		switch o.Do {
		case "write":
			text := o.Text + strings.Repeat("x", o.Fill) + o.Tail
			_, _ = io.WriteString(os.Stdout, text) // whoever closed it has his reasons
		case "stderr":
			_, _ = io.WriteString(os.Stderr, o.Text)
		case "mute":
			_ = os.Stdout.Close()
		case "pause", "resume":
			p.mu.Lock()
			p.paused = o.Do == "pause"
			p.mayRead.Broadcast()
			p.mu.Unlock()
		case "linger":
			p.mu.Lock()
			p.linger = true
			p.mu.Unlock()
		case "spawn":
			cmd := exec.Command(os.Args[0])
			cmd.Env = append(os.Environ(), holdVariable+"=1")
			if err := cmd.Start(); err != nil {
				fmt.Fprintln(os.Stderr, "scriptagent:", err)
				continue
			}
			p.say(word{Child: cmd.Process.Pid})
		case "die":
			if self, err := os.FindProcess(os.Getpid()); err == nil {
				_ = self.Kill()
			}
			hold()
		case "exit":
			p.exit <- o.Code
			return
		}
	}
}
