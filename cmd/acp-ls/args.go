package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// A command is what the program can be told to do. The command line is read here and
// not by a library: those that find a command's methods by their names keep the linker
// from leaving out any method of any type, which made the program half as large again.
type command struct {
	name, help string
	examples   string // shown below the help
	hidden     bool   // for programs, not for people
	options    []option
	operand    *operand // nil: it takes none
	run        func(*program) error

	parts  []*command // instead of run; the first one is what is done if none is named
	within string     // what is typed before the name
}

// An option is given as --name, --name=value or --name value. Of the targets one is set.
type option struct {
	name, value, help string // value stands for one in the help
	text              *string
	on                *bool
	time              *time.Duration
}

// An operand is an argument that is no option. It can be left out.
type operand struct {
	name, help string
	text       *string
}

// everywhere are the options that every command has.
type everywhere struct{ help, version bool }

func (e *everywhere) options() []option {
	return []option{{name: "help", help: "Show help.", on: &e.help}, {name: "version", help: "Print the version.", on: &e.version}}
}

// parse returns the command that the arguments name, its options and its operand set.
func (c *command) parse(args []string, every *everywhere) (*command, error) {
	implied := false // c was not named: an option of its was
	var operands int
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		switch {
		case arg == "-h":
			every.help = true
		case arg == "--":
			// Nobody has operands that look like options.
		case strings.HasPrefix(arg, "-") && arg != "-":
			name, value, given := strings.Cut(arg, "=")
			owner, o := c.option(name, every)
			if o == nil {
				return nil, fmt.Errorf("unknown flag %s%s", name, didYouMean(name, c.flags(every)))
			}
			if !given && o.on == nil {
				if len(args) == 0 {
					return nil, fmt.Errorf("%s needs a value", name)
				}
				value, given, args = args[0], true, args[1:]
			}
			if err := o.set(value, given); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			implied = implied || owner != c
			c = owner
		case c.part(arg) != nil:
			c = c.part(arg)
		case implied && arg == c.name:
			implied = false
		case c.operand != nil && operands == 0:
			*c.operand.text = arg
			operands++
		default:
			return nil, fmt.Errorf("unexpected argument %s%s", arg, didYouMean(arg, c.names()))
		}
	}
	return c, nil
}

// option finds an option of the command or of the one that it stands for.
func (c *command) option(flag string, every *everywhere) (*command, *option) {
	for _, o := range every.options() {
		if flag == "--"+o.name {
			return c, &o
		}
	}
	for d := c; d != nil; d = d.byDefault() {
		for _, o := range d.options {
			if flag == "--"+o.name {
				return d, &o
			}
		}
	}
	return nil, nil
}

func (c *command) byDefault() *command {
	if len(c.parts) == 0 {
		return nil
	}
	return c.parts[0]
}

func (c *command) part(name string) *command {
	for _, p := range c.parts {
		if p.name == name {
			return p
		}
	}
	return nil
}

// flags are the options that could have been meant.
func (c *command) flags(every *everywhere) (all []string) {
	for _, o := range every.options() {
		all = append(all, "--"+o.name)
	}
	for d := c; d != nil; d = d.byDefault() {
		for _, o := range d.options {
			all = append(all, "--"+o.name)
		}
	}
	return all
}

// names are the commands that could have been meant.
func (c *command) names() (all []string) {
	for _, p := range c.parts {
		if !p.hidden {
			all = append(all, p.name)
		}
	}
	return all
}

func (o *option) set(value string, given bool) (err error) {
	switch {
	case o.text != nil:
		*o.text = value
	case o.time != nil:
		*o.time, err = time.ParseDuration(value)
	case !given:
		*o.on = true
	default:
		if *o.on, err = strconv.ParseBool(value); err != nil {
			err = fmt.Errorf("%q is neither true nor false", value)
		}
	}
	return err
}

// didYouMean names the candidate that something is a misspelling of, if there is one.
func didYouMean(typed string, candidates []string) string {
	best, least := "", 3
	for _, c := range candidates {
		if d := distance(typed, c); d < least {
			best, least = c, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// distance is how many bytes must be put in, taken away or changed to make b of a.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], d
		}
	}
	return row[len(b)]
}

// helpWidth is what a terminal has at least.
const helpWidth = 80

// showHelp says what a command is and takes.
func (c *command) showHelp(w io.Writer, every *everywhere) {
	called := strings.TrimSpace(c.within + " " + c.name)
	usage := "Usage: " + called
	if len(c.parts) > 0 {
		usage += " <command>"
	}
	if c.operand != nil {
		usage += " [<" + c.operand.name + ">]"
	}
	fmt.Fprintf(w, "%s [flags]\n\n", usage)
	for line := range strings.Lines(c.help) {
		fmt.Fprintln(w, wrap(strings.TrimSpace(line), helpWidth, ""))
	}
	if c.operand != nil {
		fmt.Fprint(w, "\nArguments:\n")
		columns(w, [][2]string{{"[<" + c.operand.name + ">]", c.operand.help}})
	}
	fmt.Fprint(w, "\nFlags:\n")
	var flags [][2]string
	for _, o := range append(every.options(), c.options...) {
		flag := "    --" + o.name
		if o.name == "help" {
			flag = "-h, --help"
		}
		if o.value != "" {
			flag += "=" + o.value
		}
		flags = append(flags, [2]string{flag, o.help})
	}
	columns(w, flags)
	if len(c.parts) > 0 {
		fmt.Fprint(w, "\nCommands:\n")
		var parts [][2]string
		for _, p := range c.parts {
			if !p.hidden {
				parts = append(parts, [2]string{p.name, p.help})
			}
		}
		columns(w, parts)
		fmt.Fprintf(w, "\nRun \"%s <command> --help\" for more information on a command.\n", called)
	}
	if c.examples != "" {
		fmt.Fprintf(w, "\n%s", c.examples)
	}
}

// columns writes names and what is to be said about them.
func columns(w io.Writer, rows [][2]string) {
	width := 0
	for _, r := range rows {
		width = max(width, len(r[0]))
	}
	indent := strings.Repeat(" ", width+6)
	for _, r := range rows {
		fmt.Fprintf(w, "  %-*s    %s\n", width, r[0], wrap(r[1], helpWidth-len(indent), indent))
	}
}

// wrap breaks a text into lines of a width, of which those after the first are indented.
func wrap(text string, width int, indent string) string {
	var out strings.Builder
	at := 0
	for _, word := range strings.Fields(text) {
		n := utf8.RuneCountInString(word)
		switch {
		case at == 0:
		case at+1+n > width:
			out.WriteString("\n" + indent)
			at = 0
		default:
			out.WriteByte(' ')
			at++
		}
		out.WriteString(word)
		at += n
	}
	return out.String()
}
