package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// testCommands are like the program's, and tell what they were told.
func testCommands() (*command, func() string) {
	var log, agent string
	var debug, all bool
	pace := 15 * time.Millisecond
	did := "nothing"
	do := func(name string) func(*program) error {
		return func(*program) error { did = name; return nil }
	}
	root := &command{name: "acp-ls", help: "What it is.", parts: []*command{
		{name: "serve", run: do("serve"), help: "Serve.", options: []option{
			{name: "log", value: "FILE", text: &log, help: strings.Repeat("many words ", 20)}, {name: "debug", on: &debug, help: "More."},
		}},
		{name: "doctor", run: do("doctor"), help: "See.", operand: &operand{name: "agent", text: &agent, help: "Which."}},
		{name: "demo", run: do("demo"), help: "Be.", options: []option{{name: "pace", value: "15ms", time: &pace, help: "Time."}}},
		{name: "mcp", hidden: true, run: do("mcp"), help: "For agents."},
		{name: "store", help: "Keep.", parts: []*command{
			{name: "list", run: do("list"), help: "List."},
			{name: "purge", run: do("purge"), help: "Purge.", options: []option{{name: "all", on: &all, help: "All."}}},
		}},
	}}
	return root, func() string {
		return fmt.Sprintf("%s log=%s debug=%v agent=%s pace=%s all=%v", did, log, debug, agent, pace, all)
	}
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", "serve log= debug=false agent= pace=15ms all=false"},
		{"serve", "serve log= debug=false agent= pace=15ms all=false"},
		{"--debug --log=a=b", "serve log=a=b debug=true agent= pace=15ms all=false"},
		{"--log f --debug=false", "serve log=f debug=false agent= pace=15ms all=false"},
		{"--log doctor", "serve log=doctor debug=false agent= pace=15ms all=false"},
		{"--debug serve --log=-", "serve log=- debug=true agent= pace=15ms all=false"},
		{"serve --debug=true", "serve log= debug=true agent= pace=15ms all=false"},
		{"doctor", "doctor log= debug=false agent= pace=15ms all=false"},
		{"doctor claude", "doctor log= debug=false agent=claude pace=15ms all=false"},
		{"doctor -- serve", "doctor log= debug=false agent=serve pace=15ms all=false"},
		{"demo --pace=0s", "demo log= debug=false agent= pace=0s all=false"},
		{"demo --pace 1m", "demo log= debug=false agent= pace=1m0s all=false"},
		{"mcp", "mcp log= debug=false agent= pace=15ms all=false"},
		{"store", "list log= debug=false agent= pace=15ms all=false"},
		{"store list", "list log= debug=false agent= pace=15ms all=false"},
		{"store purge --all", "purge log= debug=false agent= pace=15ms all=true"},

		{"bogus", "unexpected argument bogus"},
		{"servve", `unexpected argument servve, did you mean "serve"?`},
		{"mcpp", "unexpected argument mcpp"}, // what is hidden is not offered
		{"serve serve", "unexpected argument serve"},
		{"--debug doctor", "unexpected argument doctor"},
		{"doctor a b", "unexpected argument b"},
		{"store bogus", "unexpected argument bogus"},
		{"--lgo=x", `unknown flag --lgo, did you mean "--log"?`},
		{"--dbug", `unknown flag --dbug, did you mean "--debug"?`},
		{"-x", "unknown flag -x"},
		{"doctor --debug", "unknown flag --debug"},
		{"store --all", "unknown flag --all"},
		{"--log", "--log needs a value"},
		{"--debug=x", `--debug: "x" is neither true nor false`},
		{"demo --pace=x", `--pace: time: invalid duration "x"`},
	} {
		root, got := testCommands()
		c, err := root.parse(strings.Fields(tt.args), &everywhere{})
		if err != nil {
			if err.Error() != tt.want {
				t.Errorf("%q: %v; want %s", tt.args, err, tt.want)
			}
			continue
		}
		for c.run == nil {
			c = c.byDefault()
		}
		if err := c.run(nil); err != nil || got() != tt.want {
			t.Errorf("%q: %s, %v; want %s", tt.args, got(), err, tt.want)
		}
	}
}

func TestHelpAndVersionAreEverywhere(t *testing.T) {
	for _, args := range []string{"", "serve", "doctor", "doctor demo", "store", "store purge --all", "demo"} {
		for _, flag := range []string{"-h", "--help", "--version"} {
			root, _ := testCommands()
			var every everywhere
			c, err := root.parse(append(strings.Fields(args), flag), &every)
			if err != nil || every.help == (flag == "--version") || every.version == every.help {
				t.Errorf("%s %s: %+v, %v", args, flag, every, err)
				continue
			}
			var out strings.Builder
			c.showHelp(&out, &every)
			for line := range strings.Lines(out.String()) {
				if len(line) > helpWidth+1 {
					t.Errorf("%s --help: too wide: %s", args, line)
				}
			}
			if !strings.Contains(out.String(), "--version") || strings.Contains(out.String(), "mcp") {
				t.Errorf("%s --help:\n%s", args, out.String())
			}
		}
	}
}

// Every command can be run or has parts, and says what it is.
func TestCommandsAreWhole(t *testing.T) {
	var check func(c *command, within string)
	check = func(c *command, within string) {
		if c.within != within || c.help == "" || (c.run == nil) == (len(c.parts) == 0) {
			t.Errorf("%q within %q is not whole", c.name, within)
		}
		for _, o := range c.options {
			targets := 0
			for _, there := range []bool{o.text != nil, o.on != nil, o.time != nil} {
				if there {
					targets++
				}
			}
			if targets != 1 || o.help == "" || (o.value == "") != (o.on != nil) {
				t.Errorf("%s --%s is not whole", c.name, o.name)
			}
		}
		for _, p := range c.parts {
			check(p, strings.TrimSpace(within+" "+c.name))
		}
	}
	check(commands(), "")
}
