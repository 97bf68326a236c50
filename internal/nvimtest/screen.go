package nvimtest

import (
	"strings"
	"sync"
)

// Cell is one cell of the screen. Text is empty for the right half of a wide
// character. Colours are RGB, or -1 for the default.
type Cell struct {
	Text                    string
	Foreground, Background  int
	Bold, Italic, Underline bool
	reverse                 bool
}

// screen is rebuilt from the events of Neovim's ext_linegrid UI.
type screen struct {
	mu      sync.Mutex // guards what follows
	rows    [][]gridCell
	styles  map[int]Cell
	changed chan struct{} // closed at the next flush

	foreground, background int // the defaults
}

type gridCell struct {
	text  string
	style int
}

func newScreen() *screen {
	return &screen{styles: map[int]Cell{}, changed: make(chan struct{})}
}

// redraw takes a batch of events: each is a name followed by lists of arguments.
func (s *screen) redraw(events ...[]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, event := range events {
		name, _ := event[0].(string)
		for _, call := range event[1:] {
			args, _ := call.([]any)
			s.event(name, args)
		}
	}
}

func (s *screen) event(name string, args []any) {
	switch name {
	case "grid_resize":
		s.resize(integer(args[1]), integer(args[2]))
	case "grid_clear":
		for _, row := range s.rows {
			blank(row)
		}
	case "grid_line":
		s.line(integer(args[1]), integer(args[2]), args[3].([]any))
	case "grid_scroll":
		s.scroll(integer(args[1]), integer(args[2]), integer(args[3]), integer(args[4]), integer(args[5]))
	case "default_colors_set":
		s.foreground, s.background = integer(args[0]), integer(args[1])
	case "hl_attr_define":
		s.styles[integer(args[0])] = style(args[1])
	case "flush":
		close(s.changed)
		s.changed = make(chan struct{})
	}
}

func (s *screen) resize(width, height int) {
	rows := make([][]gridCell, height)
	for i := range rows {
		rows[i] = make([]gridCell, width)
		blank(rows[i])
		if i < len(s.rows) {
			copy(rows[i], s.rows[i])
		}
	}
	s.rows = rows
}

func blank(row []gridCell) {
	for i := range row {
		row[i] = gridCell{text: " "}
	}
}

// line writes cells: [text, style, repeat], of which a missing style is the one
// before.
func (s *screen) line(row, col int, cells []any) {
	style := 0
	for _, c := range cells {
		cell := c.([]any)
		text, _ := cell[0].(string)
		if len(cell) > 1 {
			style = integer(cell[1])
		}
		repeat := 1
		if len(cell) > 2 {
			repeat = integer(cell[2])
		}
		for range repeat {
			if row < len(s.rows) && col < len(s.rows[row]) {
				s.rows[row][col] = gridCell{text, style}
			}
			col++
		}
	}
}

// scroll moves the rows [top, bottom) between columns up by n, or down by -n.
func (s *screen) scroll(top, bottom, left, right, n int) {
	if n > 0 {
		for row := top; row < bottom-n; row++ {
			copy(s.rows[row][left:right], s.rows[row+n][left:right])
		}
		return
	}
	for row := bottom - 1; row >= top-n; row-- {
		copy(s.rows[row][left:right], s.rows[row+n][left:right])
	}
}

func style(attributes any) Cell {
	c := Cell{Foreground: -1, Background: -1}
	m, _ := attributes.(map[string]any)
	for name, value := range m {
		switch name {
		case "foreground":
			c.Foreground = integer(value)
		case "background":
			c.Background = integer(value)
		case "bold":
			c.Bold = true
		case "italic":
			c.Italic = true
		case "underline":
			c.Underline = true
		case "reverse":
			c.reverse = true
		}
	}
	return c
}

func integer(v any) int {
	switch n := v.(type) {
	case int64:
		return int(n)
	case uint64:
		return int(n)
	case int:
		return n
	}
	return 0
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.join()
}

// look returns the screen and a channel that is closed when it has changed.
func (s *screen) look() (string, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.join(), s.changed
}

func (s *screen) join() string {
	var b strings.Builder
	for _, row := range s.rows {
		var line strings.Builder
		for _, c := range row {
			line.WriteString(c.text)
		}
		b.WriteString(strings.TrimRight(line.String(), " "))
		b.WriteByte('\n')
	}
	return b.String()
}

func (s *screen) find(text string) (row, col int, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r, cells := range s.rows {
		var line strings.Builder
		starts := make([]int, 0, len(cells)) // byte offset of each cell
		for _, c := range cells {
			starts = append(starts, line.Len())
			line.WriteString(c.text)
		}
		at := strings.Index(line.String(), text)
		if at < 0 {
			continue
		}
		for c, start := range starts {
			if start == at && cells[c].text != "" {
				return r, c, true
			}
		}
	}
	return 0, 0, false
}

func (s *screen) cell(row, col int) Cell {
	s.mu.Lock()
	defer s.mu.Unlock()
	if row < 0 || row >= len(s.rows) || col < 0 || col >= len(s.rows[row]) {
		return Cell{Foreground: -1, Background: -1}
	}
	c := s.rows[row][col]
	cell, ok := s.styles[c.style]
	if !ok {
		cell = Cell{Foreground: -1, Background: -1}
	}
	cell.Text = c.text
	return cell
}
