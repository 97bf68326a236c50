package linediff

import "strings"

// Split returns the rows of s without their terminators "\n", "\r\n" and "\r". There is
// always one row more than there are terminators: "" has the row "", "a\n" the rows "a" and "".
func Split(s string) []string {
	rows := make([]string, 0, strings.Count(s, "\n")+1)
	onlyLF := strings.IndexByte(s, '\r') < 0
	for {
		i := strings.IndexByte(s, '\n')
		if !onlyLF {
			i = strings.IndexAny(s, "\r\n")
		}
		if i < 0 {
			return append(rows, s)
		}
		rows = append(rows, s[:i])
		if s[i] == '\r' && i+1 < len(s) && s[i+1] == '\n' {
			i++
		}
		s = s[i+1:]
	}
}

// maxGap is the most rows that Coalesce looks across.
const maxGap = 8

// Coalesce joins edits of a that are parted only by up to 8 rows that are blank or hold only
// brackets, semicolons and commas. What it joins is replaced as one, the rows between
// included, so the result still turns a into b. The edits given are not changed.
//
// Such rows match by accident: a reindented or rewritten block would otherwise fall apart at
// each of its blank lines and closing braces.
func Coalesce(a []string, edits []Edit) []Edit {
	var out []Edit
	for _, e := range edits {
		if last := len(out) - 1; last >= 0 && meaningless(a[out[last].A1:e.A0]) {
			out[last].A1, out[last].B1 = e.A1, e.B1
			continue
		}
		out = append(out, e)
	}
	return out
}

func meaningless(rows []string) bool {
	if len(rows) > maxGap {
		return false
	}
	for _, row := range rows {
		if strings.Trim(row, " \t\r\n\f\v()[]{};,") != "" {
			return false
		}
	}
	return true
}
