package replay

import (
	"fmt"
	"slices"
	"strings"
)

// What follows is plain on purpose and shares nothing with the program: it is
// what the program's own differences and merges are held against.

// Hunk is what stands where once something else stood, in whole rows.
type Hunk struct{ Before, After string }

// span says that the rows [A0, A1) of one text are the rows [B0, B1) of another.
type span struct{ A0, A1, B0, B1 int }

func rows(text string) []string {
	all := strings.SplitAfter(text, "\n")
	if all[len(all)-1] == "" {
		all = all[:len(all)-1]
	}
	return all
}

// differences are the maximal runs of rows that differ, by a longest common
// subsequence.
func differences(a, b []string) []span {
	long := make([][]int, len(a)+1) // of a[i:] and b[j:]
	for i := range long {
		long[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				long[i][j] = long[i+1][j+1] + 1
			} else {
				long[i][j] = max(long[i+1][j], long[i][j+1])
			}
		}
	}
	var out []span
	for i, j := 0, 0; i < len(a) || j < len(b); {
		if i < len(a) && j < len(b) && a[i] == b[j] {
			i, j = i+1, j+1
			continue
		}
		s := span{A0: i, B0: j}
		for i < len(a) || j < len(b) {
			switch {
			case i < len(a) && j < len(b) && a[i] == b[j]:
			case j == len(b) || i < len(a) && long[i+1][j] >= long[i][j+1]:
				i++
				continue
			default:
				j++
				continue
			}
			break
		}
		s.A1, s.B1 = i, j
		out = append(out, s)
	}
	return out
}

// together is how many rows without a word may lie in one hunk.
const together = 8

// Hunks are the hunks between two texts. Rows that are blank, or hold a brace
// alone, part no hunks unless they are many.
func Hunks(before, after string) []Hunk {
	a, b := rows(before), rows(after)
	var joined []span
	for _, s := range differences(a, b) {
		if n := len(joined); n > 0 && s.A0-joined[n-1].A1 <= together && !slices.ContainsFunc(a[joined[n-1].A1:s.A0], hasWord) {
			joined[n-1].A1, joined[n-1].B1 = s.A1, s.B1
			continue
		}
		joined = append(joined, s)
	}
	out := []Hunk{}
	for _, s := range joined {
		out = append(out, Hunk{strings.Join(a[s.A0:s.A1], ""), strings.Join(b[s.B0:s.B1], "")})
	}
	return out
}

func hasWord(row string) bool { return strings.Trim(row, " \t\r\n{}()[];,") != "" }

// Adapt makes of a text what an agent made of the one it had read: each run of
// rows it changed is changed in the same way, where these rows stand now.
func Adapt(read, wrote, now string) (string, error) {
	if read == now {
		return wrote, nil
	}
	r, w, n := rows(read), rows(wrote), rows(now)
	at := make([]int, len(r)+1) // where a row of read stands in now, or -1
	for i := range at {
		at[i] = -1
	}
	at[len(r)] = len(n)
	i, j := 0, 0
	for _, s := range append(differences(r, n), span{A0: len(r), B0: len(n)}) {
		for ; i < s.A0; i, j = i+1, j+1 {
			at[i] = j
		}
		i, j = s.A1, s.B1
	}
	changes := differences(r, w)
	for _, s := range slices.Backward(changes) {
		from, to := at[s.A0], at[s.A0]
		for k := s.A0; k < s.A1; k++ {
			if at[k] < 0 || at[k] != from+k-s.A0 {
				return "", fmt.Errorf("row %d, which the agent changed, is not there any more", k+1)
			}
			to = at[k] + 1
		}
		if s.A0 == s.A1 && s.A0 > 0 && at[s.A0-1] >= 0 {
			from = at[s.A0-1] + 1 // after the row that it was put behind
			to = from
		}
		if from < 0 {
			return "", fmt.Errorf("the place at row %d, where the agent put rows, is not there any more", s.A0+1)
		}
		n = slices.Concat(n[:from], w[s.B0:s.B1], n[to:])
	}
	return strings.Join(n, ""), nil
}
