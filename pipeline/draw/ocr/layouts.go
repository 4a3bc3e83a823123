package ocr

import (
	"fmt"
	"strings"
)

// readTable has a title, a head of two columns or more, and rows below it.
func readTable(rows [][]line) (out Content, err error) {
	head := 0
	var title []string
	for ; head < len(rows) && len(rows[head]) < 2; head++ {
		title = append(title, joinTexts(rows[head]))
	}
	if head == len(rows) {
		return out, fmt.Errorf("no two columns stand beside each other")
	}
	out.Title = strings.Join(title, " ")
	for _, l := range rows[head] {
		out.Columns = append(out.Columns, l.text)
	}
	for _, row := range rows[head+1:] {
		cells := make([]string, len(out.Columns))
		for _, l := range row {
			at := columnOf(rows[head], l)
			cells[at] = strings.TrimSpace(cells[at] + " " + l.text)
		}
		for _, c := range cells[1:] {
			if c == "" && len(out.Rows) > 0 { // a row that goes on
				last := out.Rows[len(out.Rows)-1]
				last[0] = strings.TrimSpace(last[0] + " " + cells[0])
				cells = nil
				break
			}
		}
		if cells != nil {
			out.Rows = append(out.Rows, cells)
		}
	}
	return out, nil
}

// columnOf is the one of a head under which a line begins.
func columnOf(head []line, l line) int {
	at := 0
	for i, h := range head {
		if l.Min.X >= h.Min.X-4 {
			at = i
		}
	}
	return at
}

// readCard has a title and rows of a name and a value.
func readCard(rows [][]line) (out Content, err error) {
	out.Title = joinTexts(rows[0])
	for _, row := range rows[1:] {
		if len(row) != 2 {
			return out, fmt.Errorf("beside %q stand %d texts; want a name and a value", row[0].text, len(row))
		}
		out.Rows = append(out.Rows, []string{row[0].text, row[1].text})
	}
	return out, nil
}

// readPage has a title in letters of its own, and paragraphs whose lines are closer to each
// other than the next one is.
func readPage(rows [][]line) (out Content, err error) {
	body, title := 0, rows[0][0].typeface
	var said []string
	for ; body < len(rows) && rows[body][0].typeface == title; body++ {
		said = append(said, joinTexts(rows[body]))
	}
	out.Title = strings.Join(said, " ")
	near := minLineGap(rows[body:])
	for i := body; i < len(rows); i++ {
		text, n := joinTexts(rows[i]), len(out.Rows)-1
		if i > body && rows[i][0].middle()-rows[i-1][0].middle() < near+5 && !strings.HasSuffix(out.Rows[n][0], ".") {
			out.Rows[n][0] += " " + text
			continue
		}
		out.Rows = append(out.Rows, []string{text})
	}
	return out, nil
}

// minLineGap is the least distance of two lines that can follow each other.
func minLineGap(rows [][]line) int {
	out := 1 << 16
	for i := 1; i < len(rows); i++ {
		out = min(out, rows[i][0].middle()-rows[i-1][0].middle())
	}
	return out
}
