package session

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// What commands write in terminals is told as it comes to editors that show it
// (acp/terminal). Its end is kept beside the transcript, where everybody can read it, also
// when the agent has released the terminal, or is gone.

const (
	keptOutput  = 16 << 10 // bytes of one terminal
	keptOutputs = 64       // terminals of a session, the last ones
)

type output struct {
	terminal string
	text     []byte
	cut      bool // there was more before text
	exit     *TerminalExit
}

// outputs are those of a session's terminals, in the order in which they began.
type outputs []*output

func (all outputs) of(terminal string) *output {
	if i := slices.IndexFunc(all, func(o *output) bool { return o.terminal == terminal }); i >= 0 {
		return all[i]
	}
	return nil
}

// take takes in what a terminal appended, and its end.
func (all *outputs) take(o TerminalOutput) {
	kept := all.of(o.Terminal)
	if kept == nil {
		kept = &output{terminal: o.Terminal}
		if *all = append(*all, kept); len(*all) > keptOutputs {
			*all = slices.Delete(*all, 0, len(*all)-keptOutputs)
		}
	}
	kept.text = append(kept.text, o.Output...)
	if len(kept.text) > 2*keptOutput { // not at every append
		kept.text, kept.cut = bytes.Clone(kept.text[len(kept.text)-keptOutput:]), true
	}
	if o.Exit != nil {
		kept.exit = o.Exit
	}
}

// end is the last of the text, and whether there was more: then it begins with a line, if
// that does not cost half of it.
func (o *output) end() (text []byte, more bool) {
	if !o.cut && len(o.text) <= keptOutput {
		return o.text, false
	}
	text = o.text[max(0, len(o.text)-keptOutput):]
	if i := bytes.IndexByte(text, '\n'); i >= 0 && i < len(text)/2 {
		return text[i+1:], true
	}
	for len(text) > 0 && !utf8.RuneStart(text[0]) {
		text = text[1:]
	}
	return text, true
}

// markdown writes what a terminal has shown, below an item of a list.
func (o *output) markdown(b *strings.Builder) {
	text, more := o.end()
	if more {
		b.WriteString("  The end of what it wrote:\n\n")
	}
	if plain := strings.TrimRight(strings.Map(shownRune, string(text)), "\n"); plain != "" {
		fence := "```"
		for strings.Contains(plain, fence) {
			fence += "`"
		}
		fmt.Fprintf(b, "  %stext\n  %s\n  %s\n\n", fence, strings.ReplaceAll(plain, "\n", "\n  "), fence)
	}
	switch x := o.exit; {
	case x == nil:
	case x.Signal != "":
		fmt.Fprintf(b, "  It was ended by %s.\n\n", x.Signal)
	case x.ExitCode != nil && *x.ExitCode != 0:
		fmt.Fprintf(b, "  It has ended with exit code %d.\n\n", *x.ExitCode)
	}
}

// shownRune leaves out what moves the cursor of a terminal, or colours it.
func shownRune(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return -1
	}
	return r
}
