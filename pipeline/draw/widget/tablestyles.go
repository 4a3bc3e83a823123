package widget

import (
	"fmt"
	"strconv"

	"github.com/memforge/memforge/pipeline/draw"
)

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
