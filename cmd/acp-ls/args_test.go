package main

import (
	"io"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// heard are the program's commands, of which none does more than say what it was told.
func heard() (root *cobra.Command, did *string) {
	root, did = commands(&program{stdout: io.Discard}), new(string)
	each(root, func(c *cobra.Command) {
		if c.RunE == nil { // cobra's
			return
		}
		c.RunE = func(c *cobra.Command, args []string) error {
			told := []string{c.CommandPath()}
			c.Flags().Visit(func(f *pflag.Flag) { told = append(told, "--"+f.Name+"="+f.Value.String()) })
			*did = strings.Join(append(told, args...), " ")
			return nil
		}
	})
	root.SetOut(io.Discard)
	return root, did
}

func each(c *cobra.Command, do func(*cobra.Command)) {
	do(c)
	for _, part := range c.Commands() {
		each(part, do)
	}
}

func TestArguments(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", "acp-ls"},
		{"serve", "acp-ls serve"},
		{"--debug --log=a=b", "acp-ls --debug=true --log=a=b"},
		{"--log f --debug=false", "acp-ls --debug=false --log=f"},
		{"--log doctor", "acp-ls --log=doctor"},
		{"--debug serve --log=-", "acp-ls serve --debug=true --log=-"},
		{"--log doctor serve", "acp-ls serve --log=doctor"},
		{"serve --debug=true --stdio --no-journal", "acp-ls serve --debug=true --no-journal=true --stdio=true"},
		{"doctor", "acp-ls doctor"},
		{"doctor claude", "acp-ls doctor claude"},
		{"doctor -- serve", "acp-ls doctor serve"},
		{"demo-agent --pace=0s", "acp-ls demo-agent --pace=0s"},
		{"demo-agent --pace 1m", "acp-ls demo-agent --pace=1m0s"},
		{"mcp", "acp-ls mcp"},
		{"store", "acp-ls store"},
		{"store list", "acp-ls store list"},
		{"store purge --all", "acp-ls store purge --all=true"},

		{"bogus", "unexpected argument bogus"},
		{"servve", `unexpected argument servve, did you mean "serve"?`},
		{"doc", `unexpected argument doc, did you mean "doctor"?`},
		{"mcpp", "unexpected argument mcpp"}, // what is hidden is not offered
		{"serve serve", "unexpected argument serve"},
		{"doctor a b", "unexpected argument b"},
		{"store bogus", "unexpected argument bogus"},
		{"store pruge", `unexpected argument pruge, did you mean "purge"?`},
		{"help bogus", "unexpected argument bogus"},
		{"help doctor claude", "unexpected argument claude"},
		{"help store bogus", "unexpected argument bogus"},
		{"--lgo=x", `unknown flag --lgo, did you mean "--log"?`},
		{"--dbug", `unknown flag --dbug, did you mean "--debug"?`},
		{"--versoin", `unknown flag --versoin, did you mean "--version"?`},
		{"-x", "unknown shorthand flag: 'x' in -x"},
		{"--debug doctor", "--debug is for `acp-ls`, not for `acp-ls doctor`"},
		{"--log a version", "--log is for `acp-ls`, not for `acp-ls version`"},
		{"store list --no-journal", "--no-journal is for `acp-ls`, not for `acp-ls store list`"},
		{"completion bogus", "unexpected argument bogus"},
		{"completion bassh", `unexpected argument bassh, did you mean "bash"?`},
		{"store --all", "unknown flag --all"},
		{"--log", "flag needs an argument: --log"},
		{"--debug=x", `--debug: "x" is neither true nor false`},
		{"demo-agent --pace=x", `--pace: "x" is no time, such as 15ms or 1s`},
	} {
		root, did := heard()
		root.SetArgs(strings.Fields(tt.args))
		got := ""
		if err := root.Execute(); err != nil {
			got = err.Error()
		} else {
			got = *did
		}
		if got != tt.want {
			t.Errorf("%q: %s; want %s", tt.args, got, tt.want)
		}
	}
}

// What serve is told is told to the same, before its name, behind it, or without it.
func TestServeIsWhatIsDoneWithoutACommand(t *testing.T) {
	root, _ := heard()
	serve, _, err := root.Find([]string{"serve"})
	if err != nil {
		t.Fatal(err)
	}
	serve.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
		other := root.Flags().Lookup(f.Name)
		value := map[string]string{"bool": "true", "string": "x"}[f.Value.Type()]
		if other == nil || other.Value.Set(value) != nil || f.Value.String() != value {
			t.Errorf("--%s is another one for the two", f.Name)
		}
	})
}

func TestHelpAndVersionAreEverywhere(t *testing.T) {
	root, _ := heard()
	each(root, func(of *cobra.Command) {
		for _, flag := range []string{"-h", "--help", "--version"} {
			args := append(strings.Fields(of.CommandPath())[1:], flag)
			var out, wrong strings.Builder
			if code := run(t.Context(), args, strings.NewReader(""), &out, &wrong); code != 0 || wrong.Len() > 0 {
				t.Errorf("%s: exit code %d, %s", args, code, &wrong)
			}
			if flag == "--version" {
				if out.String() != "acp-ls unknown\n" {
					t.Errorf("%s: %s", args, &out)
				}
				continue
			}
			for line := range strings.Lines(out.String()) {
				if len(line) > 81 && !strings.HasPrefix(of.CommandPath(), "acp-ls completion ") { // those words are cobra's
					t.Errorf("%s: too wide: %s", args, line)
				}
			}
			if !strings.Contains(out.String(), "--version ") || of != root && strings.Contains(out.String(), "  mcp ") {
				t.Errorf("%s:\n%s", args, &out)
			}
		}
	})
}

// Every command says what it is, and does something with arguments that it has checked.
func TestCommandsAreWhole(t *testing.T) {
	root := commands(&program{})
	each(root, func(c *cobra.Command) {
		if c.Short == "" && c.Long == "" || c.Args == nil || !c.Runnable() {
			t.Errorf("%q is not whole", c.CommandPath())
		}
		c.LocalFlags().VisitAll(func(f *pflag.Flag) {
			if f.Usage == "" {
				t.Errorf("%s --%s is not whole", c.CommandPath(), f.Name)
			}
		})
	})
}
