package nvimtest

import (
	"fmt"
	"html"
	"strings"
)

// The size of a cell in a Picture, in pixels.
const (
	cellWidth  = 8
	cellHeight = 18
)

// Picture is the screen as an SVG image, with its colours.
func (n *Nvim) Picture() string { return n.screen.picture() }

func (s *screen) picture() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	width, height := 0, len(s.rows)*cellHeight
	if len(s.rows) > 0 {
		width = len(s.rows[0]) * cellWidth
	}
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d"`, width, height, width, height)
	b.WriteString(` font-family="DejaVu Sans Mono,Menlo,Consolas,monospace" font-size="13" xml:space="preserve">` + "\n")
	fmt.Fprintf(&b, `<rect width="100%%" height="100%%" fill="#%06x"/>`+"\n", s.background)
	for row, cells := range s.rows {
		for col := 0; col < len(cells); {
			end := col + 1
			for end < len(cells) && cells[end].style == cells[col].style {
				end++
			}
			s.run(&b, row, col, cells[col:end])
			col = end
		}
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// run draws cells of one style.
func (s *screen) run(b *strings.Builder, row, col int, cells []gridCell) {
	style, ok := s.styles[cells[0].style]
	if !ok {
		style = Cell{Foreground: -1, Background: -1}
	}
	fg, bg := style.Foreground, style.Background
	if fg < 0 {
		fg = s.foreground
	}
	if bg < 0 {
		bg = s.background
	}
	if style.reverse {
		fg, bg = bg, fg
	}
	x, y := col*cellWidth, row*cellHeight
	if bg != s.background {
		fmt.Fprintf(b, `<rect x="%d" y="%d" width="%d" height="%d" fill="#%06x"/>`+"\n", x, y, len(cells)*cellWidth, cellHeight, bg)
	}
	var text strings.Builder
	for _, c := range cells {
		text.WriteString(c.text)
	}
	if strings.TrimSpace(text.String()) == "" {
		return
	}
	fmt.Fprintf(b, `<text x="%d" y="%d" textLength="%d" fill="#%06x"`, x, y+cellHeight-5, len(cells)*cellWidth, fg)
	if style.Bold {
		b.WriteString(` font-weight="bold"`)
	}
	if style.Italic {
		b.WriteString(` font-style="italic"`)
	}
	if style.Underline {
		b.WriteString(` text-decoration="underline"`)
	}
	fmt.Fprintf(b, ">%s</text>\n", html.EscapeString(strings.ReplaceAll(text.String(), " ", "\u00a0")))
}
