package widget

import (
	"fmt"
	"strconv"

	"github.com/memforge/memforge/pipeline/draw"
)

// Table has a head and rows of as many cells.
type Table struct {
	Head []string
	Rows [][]string
	// Right lists the columns that are set to the right, as numbers are.
	Right []int
}

// bounds of one table.
const (
	maxColumns = 32
	maxRows    = 1000
)

// Draw draws the table into a box and gives the height it took. Columns share the
// width by what they hold; text that is too long is wrapped. Rows that do not fit
// are an error. Cells are marked with the head of their column.
func (b Table) Draw(c *draw.Canvas, t Theme, box draw.Box) (draw.Unit, error) {
	if len(b.Head) == 0 || len(b.Head) > maxColumns || len(b.Rows) > maxRows {
		return 0, fmt.Errorf("table of %d columns and %d rows: want 1 to %d and at most %d", len(b.Head), len(b.Rows), maxColumns, maxRows)
	}
	for i, r := range b.Rows {
		if len(r) != len(b.Head) {
			return 0, fmt.Errorf("table row %d has %d cells for %d columns", i, len(r), len(b.Head))
		}
	}
	widths := b.widths(c, t, box.W)
	y := box.Y
	var err error
	c.Object("table", "", "", func() {
		for i := -1; i < len(b.Rows) && err == nil; i++ {
			h := b.height(c, t, widths, i)
			if y+h > box.Y+box.H {
				err = fmt.Errorf("table of %d rows: row %d lies below the box; give it more height or fewer rows", len(b.Rows), i)
				return
			}
			b.row(c, t, draw.Box{X: box.X, Y: y, W: box.W, H: h}, widths, i)
			y += h
		}
	})
	if err == nil {
		err = c.Err()
	}
	return y - box.Y, err
}

func (b Table) cells(t Theme, row int) ([]string, draw.Style) {
	if row < 0 {
		s := t.text(13).In(t.Muted)
		s.Font = draw.SansMedium
		return b.Head, s
	}
	return b.Rows[row], t.text(14)
}

const (
	sideways = 12 * 64 // room beside a cell's text
	upwards  = 9 * 64  // and above it
)

// widths gives every column what it needs, and cuts the widest where all need more
// than there is.
func (b Table) widths(c *draw.Canvas, t Theme, whole draw.Unit) []draw.Unit {
	out := make([]draw.Unit, len(b.Head))
	sum := draw.Unit(0)
	for k := range out {
		for i := -1; i < len(b.Rows); i++ {
			cells, style := b.cells(t, i)
			out[k] = max(out[k], min(c.Width(style, cells[k]), whole)+2*sideways+64)
		}
		sum += out[k]
	}
	for sum > whole {
		widest := 0
		for k := range out {
			if out[k] > out[widest] {
				widest = k
			}
		}
		cut := min(max(draw.Px(8), (sum-whole)/4), sum-whole)
		out[widest], sum = out[widest]-cut, sum-cut
	}
	for k := range out {
		out[k] += (whole - sum) / draw.Unit(len(out))
	}
	return out
}

func (b Table) height(c *draw.Canvas, t Theme, widths []draw.Unit, row int) draw.Unit {
	cells, style := b.cells(t, row)
	lines := 1
	for k, text := range cells {
		lines = max(lines, len(c.Wrap(style, text, widths[k]-2*sideways)))
	}
	return draw.Unit(lines)*style.Leading() + 2*upwards
}

func (b Table) row(c *draw.Canvas, t Theme, box draw.Box, widths []draw.Unit, row int) {
	cells, style := b.cells(t, row)
	switch {
	case row < 0:
		c.Rect(box, t.Back)
	case row%2 == 1:
		c.Rect(box, t.Paper.Mix(t.Back, 110))
	default:
		c.Rect(box, t.Paper)
	}
	c.Rect(draw.Box{X: box.X, Y: box.Y + box.H - 64, W: box.W, H: 64}, t.Line)
	x := box.X
	for k, text := range cells {
		align := draw.Left
		for _, r := range b.Right {
			if r == k {
				align = draw.Right
			}
		}
		kind := "cell"
		if row < 0 {
			kind = "head"
		}
		c.Object(kind, b.Head[k], text, func() {
			c.Block(style, draw.Box{X: x + sideways, Y: box.Y + upwards, W: widths[k] - 2*sideways, H: box.H - 2*upwards}, align, text)
		})
		x += widths[k]
	}
}

// DrawCard draws names and values on a card that fills a box.
func (b Table) DrawCard(c *draw.Canvas, t Theme, box draw.Box, title string) error {
	card := Card{Title: title}
	for _, r := range b.Rows {
		card.Facts = append(card.Facts, [2]string{r[0], r[1]})
	}
	return card.Draw(c, t, box)
}

// DrawWindow draws the table in a window that fills a box.
func (b Table) DrawWindow(c *draw.Canvas, t Theme, box draw.Box, title string) error {
	_, err := b.Draw(c, t, Window(c, t, box, title).Inset(draw.Px(16), draw.Px(12)))
	return err
}

// DrawBars draws the table on a rounded sheet as groups of bars with their values and no grid: the
// first column has the labels, each other one is a series of whole numbers.
func (b Table) DrawBars(c *draw.Canvas, t Theme, box draw.Box, title string) error {
	chart := Chart{Kind: Bars, Title: title, Values: true, Clear: true}
	for _, name := range b.Head[1:] {
		chart.Series = append(chart.Series, Series{Name: name})
	}
	for _, r := range b.Rows {
		chart.Labels = append(chart.Labels, r[0])
		for i, cell := range r[1:] {
			v, err := strconv.ParseInt(cell, 10, 64)
			if err != nil {
				return fmt.Errorf("chart %q: %w", title, err)
			}
			chart.Series[i].Values = append(chart.Series[i].Values, v)
		}
	}
	c.RoundRect(box, draw.Px(8), t.Paper)
	return chart.Draw(c, t, box.Inset(draw.Px(20), draw.Px(16)))
}
