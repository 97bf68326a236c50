package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"acp-ls/internal/config"
)

const description = `Puts agents of the Agent Client Protocol (Claude, Codex, Gemini, OpenCode, ...)
into any editor that speaks LSP.

Editors start "acp-ls" without arguments. The commands are for people.`

const examples = `  acp-ls agents                         what there is, and what is the default
  acp-ls doctor                         is the default agent well?
  acp-ls doctor claude                  is this one?
  acp-ls --debug --log=/tmp/acp-ls.log  serve an editor, and log what happens

Settings are read from the file acp-ls/config.json in the user's configuration
directory (on Linux ~/.config), which may have comments, and from the editor:
  { "defaultAgent": "claude",
    "agents": { "claude": { "env": { "KEY": "value" } } } }`

// commands are the program's arguments; p is told when they are understood. What sets one of
// cobra's templates here brings text/template into the program, which looks methods up by their
// names: the linker then leaves out none.
func commands(p *program) *cobra.Command {
	cobra.MousetrapHelpText = "" // or who started it is looked for at each start, on Windows
	do := func(run func(*program) error) func(*cobra.Command, []string) error {
		return func(*cobra.Command, []string) error { return run(p) }
	}
	var serve serveCmd
	root := &cobra.Command{
		Use: "acp-ls", Long: description, Example: examples, Args: atMost(0), RunE: do(serve.run),
		SilenceErrors: true, SilenceUsage: true, // that is run's
	}
	root.SetFlagErrorFunc(flagError)
	root.PersistentFlags().BoolP("help", "h", false, "Show help.")
	tell := root.PersistentFlags().Bool("version", false, "Print the version.")
	root.PersistentPreRunE = func(*cobra.Command, []string) error {
		p.understood = true
		if !*tell {
			return nil
		}
		if err := printVersion(p); err != nil {
			return err
		}
		return exitCode(0)
	}

	serves := &cobra.Command{
		Use: "serve", Args: atMost(0), RunE: do(serve.run),
		Short: "Serve one editor on standard input and output.",
		Long: "Serve one editor on standard input and output. This is what editors run, and\n" +
			"what is done without a command.",
	}
	serve.flags(root.Flags())
	serve.flags(serves.Flags())

	demo := demoAgentCmd{}
	demos := &cobra.Command{
		Use: "demo-agent", Args: atMost(0), RunE: do(demo.run),
		Short: "Be the built-in demonstration agent.",
		Long:  "Be the built-in demonstration agent (ACP on standard input and output).",
		Example: `  acp-ls demo-agent             with the pace of a model
  acp-ls demo-agent --pace=0s   at once, for tests`,
	}
	demos.Flags().DurationVar(&demo.Pace, "pace", 15*time.Millisecond, "Time between two pieces of an answer.")

	root.AddCommand(
		serves, demos, storeCommand(do),
		&cobra.Command{
			Use: "agents", Args: atMost(0), RunE: do(listAgents),
			Short: "List the agents, and how to install those that are missing.",
		},
		&cobra.Command{
			Use: "doctor [agent]", Args: atMost(1), ValidArgsFunction: agentNames,
			RunE:  func(_ *cobra.Command, args []string) error { return doctor(p, strings.Join(args, "")) },
			Short: "Start an agent and say what it can do, or what is wrong.",
			Long: "Start an agent and say what it can do, or what is wrong: the one that is named,\n" +
				"or the default agent.",
			Example: `  acp-ls doctor            the default agent
  acp-ls doctor opencode   another`,
		},
		&cobra.Command{
			Use: "mcp", Hidden: true, Args: atMost(0), RunE: do(relayTools),
			Short: "Bring the editor's tools to an agent. Agents start it.",
		},
		&cobra.Command{Use: "version", Args: atMost(0), RunE: do(printVersion), Short: "Print the version."},
	)
	helpIsExact(root)
	completionIsExact(root)
	return root
}

func storeCommand(do func(func(*program) error) func(*cobra.Command, []string) error) *cobra.Command {
	var purge storePurgeCmd
	store := &cobra.Command{
		Use: "store", Args: atMost(0), RunE: do(listStored),
		Short: "Show, or clean up, what is kept of undecided changes.",
		Long: "Show, or clean up, what is kept of undecided changes for the next start. Without\n" +
			"a command it is listed.",
	}
	purges := &cobra.Command{
		Use: "purge", Args: atMost(0), RunE: do(purge.run),
		Short: "Remove journals that are not needed any more.",
		Long: "Remove journals in which nothing is undecided any more, or nothing younger than\n" +
			"90 days.",
	}
	purges.Flags().BoolVar(&purge.All, "all", false,
		"Remove also what is undecided, and what could not be read.\nThe files themselves stay as they are.")
	store.AddCommand(purges, &cobra.Command{
		Use: "list", Args: atMost(0), RunE: do(listStored), Short: "List what is undecided, by workspace.",
	})
	return store
}

// flags declares the flags of serve, which the program has without a command too.
func (c *serveCmd) flags(f *pflag.FlagSet) {
	f.StringVar(&c.Log, "log", "", "Append the log to this `FILE` (default: standard error).")
	f.BoolVar(&c.Debug, "debug", false, "Log more, among other things what agents said that\nwas no message.")
	f.BoolVar(&c.NoJournal, "no-journal", false, "Keep nothing of undecided changes for the next start:\nthey end with the program.")
	f.BoolVar(&c.Stdio, "stdio", false, "Accepted because many editors give it; standard input\nand output are all there is.")
}

// helpIsExact has cobra's help command fail for what is no command.
func helpIsExact(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	if help, _, err := root.Find([]string{"help"}); err == nil {
		help.Short = "Say what a command does and takes."
		help.Args = func(_ *cobra.Command, args []string) error {
			of, rest, err := root.Find(args)
			return errors.Join(err, atMost(0)(of, rest))
		}
	}
}

// atMost is for a command that takes so many arguments beside flags.
func atMost(n int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) <= n {
			return nil
		}
		return fmt.Errorf("unexpected argument %s%s", args[n], didYouMean(c, args[n], ""))
	}
}

// completionIsExact has cobra's completion command fail for what is no shell.
func completionIsExact(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Args = atMost(0)
		completion.RunE = func(c *cobra.Command, _ []string) error { return c.Help() }
	}
}

// flagError says what is wrong with a flag, and which one may have been meant.
func flagError(c *cobra.Command, err error) error {
	var bad *pflag.InvalidValueError
	if errors.As(err, &bad) {
		return valueError(bad)
	}
	var unknown *pflag.NotExistError
	if !errors.As(err, &unknown) || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	flags := &cobra.Command{} // cobra has no suggestions but for commands
	c.Flags().VisitAll(func(f *pflag.Flag) {
		flags.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	name := unknown.GetSpecifiedName()
	if root := c.Root(); c != root && root.Flags().Lookup(name) != nil {
		return fmt.Errorf("--%s is for `%s`, not for `%s`", name, root.Name(), c.CommandPath())
	}
	return fmt.Errorf("unknown flag --%s%s", name, didYouMean(flags, name, "--"))
}

// valueError says what the value of a flag is to be, in a user's words.
func valueError(bad *pflag.InvalidValueError) error {
	is := "not understood"
	switch bad.GetFlag().Value.Type() {
	case "bool":
		is = "neither true nor false"
	case "duration":
		is = "no time, such as 15ms or 1s"
	}
	return fmt.Errorf("--%s: %q is %s", bad.GetFlag().Name, bad.GetValue(), is)
}

// didYouMean names the commands below c that something may be a misspelling of.
func didYouMean(c *cobra.Command, typed, before string) string {
	c.SuggestionsMinimumDistance = 2
	var names []string
	for _, name := range c.SuggestionsFor(typed) {
		names = append(names, fmt.Sprintf("%q", before+name))
	}
	if len(names) == 0 {
		return ""
	}
	return ", did you mean " + strings.Join(names, " or ") + "?"
}

// agentNames are what a shell completes an agent's name from.
func agentNames(_ *cobra.Command, args []string, _ string) (names []string, how cobra.ShellCompDirective) {
	st, _, err := userSettings(io.Discard)
	if err != nil || len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	for _, a := range launcher(func() *config.Settings { return st }, nil).Catalog() {
		names = append(names, cobra.CompletionWithDesc(a.Name, a.Title))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
