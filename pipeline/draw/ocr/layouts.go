package ocr

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// readTable reads a picture with a title, a head of two columns or more, and
// rows below it.
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

func columnOf(head []line, l line) int {
	at := 0
	for i, h := range head {
		if l.Min.X >= h.Min.X-4 {
			at = i
		}
	}
	return at
}

// readCard reads a picture with a title and rows of a name and a value.
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

// readPage reads a picture with a title in letters of its own, and paragraphs
// whose lines are closer to each other than the next one is.
func readPage(rows [][]line) (out Content, err error) {
	body, face := 0, rows[0][0].typeface
	var title []string
	for ; body < len(rows) && rows[body][0].typeface == face; body++ {
		title = append(title, joinTexts(rows[body]))
	}
	out.Title = strings.Join(title, " ")
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

// minLineGap returns the least distance of two lines that can follow each
// other.
func minLineGap(rows [][]line) int {
	out := 1 << 16
	for i := 1; i < len(rows); i++ {
		out = min(out, rows[i][0].middle()-rows[i-1][0].middle())
	}
	return out
}

// off is how much of a scale a bar may end beside the value that stands above it.
const off = 0.01

// axis tells values by heights.
type axis struct {
	zero, top   int // heights in the picture
	most, right int // what the top stands for, and where the scale ends
}

// readChart reads a picture with a title, the name of its values, a scale at
// its left, bars, labels below them and values above. Each value is read twice,
// as a number and as the height of its bar, and both must agree.
func readChart(p *greyImage, rows [][]line) (out Content, err error) {
	if len(rows) < 4 {
		return out, fmt.Errorf("%d lines of text are to be read in it; a chart has a title, a name of its values, a scale and labels", len(rows))
	}
	out.Title = joinTexts(rows[0])
	out.Columns = []string{joinTexts(rows[1])}
	labels := rows[len(rows)-1]
	a, numbers, err := scaleOf(rows[2:len(rows)-1], labels)
	if err != nil {
		return out, err
	}
	if a.zero < 4 || a.right+6 >= p.w {
		return out, fmt.Errorf("its scale stands at the edge of the picture")
	}
	for _, l := range labels {
		stands := p.barHeight(a, l.centre())
		value, found := "", 0
		for _, n := range numbers {
			if apart := n.centre() - l.centre(); apart > -20 && apart < 20 {
				value, found = strings.ReplaceAll(n.text, ",", ""), found+1
			}
		}
		v, err := strconv.Atoi(value)
		if err != nil || found != 1 {
			return out, fmt.Errorf("%d numbers stand above %q; want one", found, l.text)
		}
		if gap := float64(v - stands); gap > off*float64(a.most) || -gap > off*float64(a.most) {
			return out, fmt.Errorf("%d stands above %q, and its bar ends at %d", v, l.text, stands)
		}
		out.Rows = append(out.Rows, []string{l.text, value})
	}
	return out, nil
}

// scaleOf separates the numbers of the scale, which end left of all bars, from
// those above bars.
func scaleOf(rows [][]line, labels []line) (a axis, above []line, err error) {
	var ticks []line
	for _, row := range rows {
		for _, l := range row {
			if l.Max.X < labels[0].Min.X && l.Min.X < labels[0].Min.X-20 && !standsAbove(l, labels) {
				ticks = append(ticks, l)
				continue
			}
			above = append(above, l)
		}
	}
	slices.SortFunc(ticks, func(x, y line) int { return cmp.Compare(x.middle(), y.middle()) })
	if len(ticks) < 2 || ticks[len(ticks)-1].text != "0" {
		return a, nil, fmt.Errorf("its scale has %d numbers, of which the lowest is not 0: %q", len(ticks), joinTexts(ticks))
	}
	a.zero, a.top = ticks[len(ticks)-1].middle(), ticks[0].middle()
	for _, t := range ticks {
		a.right = max(a.right, t.Max.X)
	}
	a.most, err = strconv.Atoi(strings.ReplaceAll(ticks[0].text, ",", ""))
	return a, above, err
}

func standsAbove(l line, labels []line) bool {
	return slices.ContainsFunc(labels, func(o line) bool { return l.centre() > o.centre()-20 && l.centre() < o.centre()+20 })
}

// barHeight returns what the bar at a place of the axis stands for: how far up
// from the axis the grey differs from that beside the scale, where there is
// only background.
func (p *greyImage) barHeight(a axis, x int) int {
	ground := p.grey[(a.zero-4)*p.w+a.right+6]
	y := a.zero - 3
	for y > 0 && greysDiffer(p.grey[y*p.w+x], ground) {
		y--
	}
	whole := max(1, a.zero-a.top)
	return ((a.zero-y-1)*a.most + whole/2) / whole // the nearest, for a scale of few values
}

func greysDiffer(a, b uint8) bool { return max(a, b)-min(a, b) > contrast }
