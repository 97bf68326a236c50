package scenario

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/txtar"
)

// story is one file of testdata.
type story struct {
	archive *txtar.Archive
	kinds   []kind
	waits   map[string]time.Duration // "cancel", "landing", ...
	broken  string                   // why it goes another way still
	steps   []step
}

// wait is how long what the story does not await is waited for: as long as for anything, unless
// it says so, as a slow machine would tell of waits where a quick one has none.
func (s *story) wait(name string) time.Duration {
	return cmp.Or(s.waits[name], patience)
}

// kind is what an editor is like.
type kind struct {
	name     string // plain or full
	encoding string
}

func (k kind) String() string { return k.name + "-" + k.encoding }

// step is one line of a script and what belongs to it.
type step struct {
	number int      // of its line, 1-based
	lines  []string // as they stand, without what was said
	only   string   // the kind of editor, or all
	words  []string // empty: blank lines and comments
	body   *string  // the lines of "| "
	said   []string // the lines of "> "
}

const scriptFile = "script"

func parseStory(data []byte) (*story, error) {
	s := &story{archive: txtar.Parse(data), waits: map[string]time.Duration{}}
	for line := range strings.Lines(string(s.archive.Comment)) {
		if rest, ok := strings.CutPrefix(line, "waits:"); ok {
			for one := range strings.FieldsSeq(rest) {
				name, v, _ := strings.Cut(one, "=")
				d, err := time.ParseDuration(v)
				if err != nil {
					return nil, fmt.Errorf("waits: %w", err)
				}
				s.waits[name] = d
			}
			continue
		}
		if rest, ok := strings.CutPrefix(line, "broken:"); ok {
			s.broken = strings.TrimSpace(rest)
			continue
		}
		rest, ok := strings.CutPrefix(line, "editors:")
		if !ok {
			continue
		}
		for one := range strings.SplitSeq(rest, ",") {
			f := strings.Fields(one)
			if len(f) != 2 || f[0] != "plain" && f[0] != "full" {
				return nil, fmt.Errorf("editors: %q is not like \"plain utf-16\"", one)
			}
			s.kinds = append(s.kinds, kind{f[0], f[1]})
		}
	}
	if s.kinds == nil {
		s.kinds = []kind{{"full", "utf-8"}}
	}
	for _, f := range s.archive.Files {
		if f.Name == scriptFile {
			var err error
			s.steps, err = parseScript(string(f.Data))
			return s, err
		}
	}
	return nil, errors.New("there is no file script")
}

func parseScript(text string) ([]step, error) {
	var steps []step
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSuffix(line, "\n")
		last := len(steps) - 1
		belongs := last >= 0 && len(steps[last].words) > 0
		switch {
		case strings.HasPrefix(line, ">"):
			if !belongs {
				return nil, fmt.Errorf("line %d: nothing said this", n)
			}
			steps[last].said = append(steps[last].said, strings.TrimPrefix(strings.TrimPrefix(line, ">"), " "))
		case strings.HasPrefix(line, "|"):
			if !belongs || steps[last].said != nil {
				return nil, fmt.Errorf("line %d: this text is given to nothing", n)
			}
			body := strings.TrimPrefix(strings.TrimPrefix(line, "|"), " ") + "\n"
			if steps[last].body != nil {
				body = *steps[last].body + body
			}
			steps[last].body = &body
			steps[last].lines = append(steps[last].lines, line)
		default:
			st := step{number: n, lines: []string{line}}
			command := strings.TrimSpace(line)
			if only, rest, ok := strings.Cut(command, "] "); ok && strings.HasPrefix(only, "[") {
				st.only, command = only[1:], rest
			}
			if command != "" && command[0] != '#' {
				words, err := split(command)
				if err != nil {
					return nil, fmt.Errorf("line %d: %w", n, err)
				}
				st.words = words
			}
			steps = append(steps, st)
		}
	}
	return steps, nil
}

// split cuts a line into words. "..." is Go's notation for a string and '...' is
// what it is; both may stand inside a word.
func split(line string) ([]string, error) {
	var words []string
	for {
		line = strings.TrimLeft(line, " ")
		if line == "" {
			return words, nil
		}
		var word strings.Builder
		for line != "" && line[0] != ' ' {
			switch line[0] {
			case '"':
				quoted, err := strconv.QuotedPrefix(line)
				if err != nil {
					return nil, fmt.Errorf("the quote %s does not end", line)
				}
				s, err := strconv.Unquote(quoted)
				if err != nil {
					return nil, err
				}
				word.WriteString(s)
				line = line[len(quoted):]
			case '\'':
				end := strings.IndexByte(line[1:], '\'')
				if end < 0 {
					return nil, fmt.Errorf("the quote %s does not end", line)
				}
				word.WriteString(line[1 : end+1])
				line = line[end+2:]
			default:
				word.WriteByte(line[0])
				line = line[1:]
			}
		}
		words = append(words, word.String())
	}
}

// rewrite returns the file with what was said in place of what had to be.
func (s *story) rewrite(said map[int][]string) []byte {
	var out strings.Builder
	for i, st := range s.steps {
		for _, l := range st.lines {
			out.WriteString(l + "\n")
		}
		lines := st.said
		if now, ok := said[i]; ok {
			lines = now
		}
		for _, l := range lines {
			out.WriteString(strings.TrimRight("> "+l, " ") + "\n")
		}
	}
	for i := range s.archive.Files {
		if s.archive.Files[i].Name == scriptFile {
			s.archive.Files[i].Data = []byte(out.String())
		}
	}
	return txtar.Format(s.archive)
}

// differences are what was said and should not have been.
func (s *story) differences(said map[int][]string) []string {
	var out []string
	for i, st := range s.steps {
		if now, ok := said[i]; ok && !slices.Equal(trimmed(now), trimmed(st.said)) {
			out = append(out, fmt.Sprintf("line %d of the script: %s\nsaid:\n%s\nnot:\n%s", st.number, st.lines[0], quoteLines(now), quoteLines(st.said)))
		}
	}
	return out
}

func trimmed(lines []string) []string {
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = strings.TrimRight(l, " ")
	}
	return out
}

func quoteLines(lines []string) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString("  > " + l + "\n")
	}
	return b.String()
}
