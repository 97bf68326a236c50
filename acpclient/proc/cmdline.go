package proc

import (
	"errors"
	"strings"
)

// The command line of a batch file is read twice: by cmd.exe, which expands
// %NAME% even inside quotes and does not know that a backslash could escape a
// quote, and by the program the file starts, for which backslashes before a
// quote do count. This file is pure so that it is tested everywhere.

var errBatchArgument = errors.New("an argument for a batch file (.cmd, .bat) can not hold a line break or NUL")

// batchCommandLine returns the command line with which cmd.exe runs a batch file.
func batchCommandLine(cmdExe, script string, args []string) (string, error) {
	if strings.ContainsAny(script, "\"\r\n\x00") || strings.HasSuffix(script, `\`) {
		return "", errBatchArgument
	}
	var b strings.Builder
	// /d: no AutoRun; /e:on: the syntax that hides a percent sign below; /v:off:
	// "!" is only a character; /s: strip the outer quotes and nothing else.
	b.WriteString(`"` + cmdExe + `" /d /e:on /v:off /s /c "`)
	writeBatchArgument(&b, script, true)
	for _, arg := range args {
		if strings.ContainsAny(arg, "\r\n\x00") {
			return "", errBatchArgument
		}
		b.WriteByte(' ')
		writeBatchArgument(&b, arg, needsBatchQuotes(arg))
	}
	b.WriteByte('"')
	return b.String(), nil
}

// batchPlain are the ASCII characters that mean nothing to cmd.exe.
const batchPlain = "#$*+-./:?@\\_"

func needsBatchQuotes(arg string) bool {
	if arg == "" || strings.HasSuffix(arg, `\`) {
		return true
	}
	for _, r := range arg {
		plain := r >= 0x80 || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' ||
			strings.ContainsRune(batchPlain, r)
		if !plain {
			return true
		}
	}
	return false
}

func writeBatchArgument(b *strings.Builder, arg string, quoted bool) {
	if quoted {
		b.WriteByte('"')
	}
	backslashes := 0
	for _, r := range arg {
		switch r {
		case '\\':
			backslashes++
		case '"':
			// For the program: the backslashes doubled. For cmd.exe: the quote doubled,
			// which the program too takes for one.
			b.WriteString(strings.Repeat(`\`, backslashes))
			b.WriteByte('"')
			backslashes = 0
		case '%':
			// %cd:~,% is the empty start of the current directory: after it, the percent
			// sign has nothing to expand.
			b.WriteString("%%cd:~,")
			backslashes = 0
		default:
			backslashes = 0
		}
		b.WriteRune(r)
	}
	if quoted {
		b.WriteString(strings.Repeat(`\`, backslashes))
		b.WriteByte('"')
	}
}
