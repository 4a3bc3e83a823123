package widget

import (
	"fmt"

	"github.com/memforge/memforge/pipeline/draw"
)

// Window draws a window's frame with its title and returns the box of its
// content.
func Window(c *draw.Canvas, t Theme, b draw.Box, title string) draw.Box {
	var body draw.Box
	c.Object("window", title, "", func() {
		whole := new(draw.Path).Round(b, draw.Px(10))
		drawShadows(c, whole)
		c.Fill(whole, t.Paper)
		var bar draw.Box
		bar, body = b.Cut(draw.Px(38))
		c.Fill(new(draw.Path).Corners(bar, [4]draw.Unit{640, 640, 0, 0}), draw.Down(bar, t.Back.Mix(t.Paper, 110), t.Back))
		c.Rect(draw.Box{X: b.X, Y: bar.Y + bar.H - 64, W: b.W, H: 64}, t.Line)
		for i, ink := range []uint32{0xf0655a, 0xf3bd4e, 0x55bf5b} {
			c.Oval(draw.Disc(draw.Point{X: b.X + draw.Px(20+20*i), Y: b.Y + draw.Px(19)}, draw.At(5.75)), draw.Hex(ink))
		}
		style := t.text(13)
		style.Font = draw.SansMedium
		c.Line(style, bar.Inset(draw.Px(84), 0), draw.Center, title)
	})
	return body
}

// Card is a raised box with an icon, a title and facts.
type Card struct {
	Icon, Title, Value, Note string
	// Facts are names and values, a line each.
	Facts [][2]string
}

// Draw draws the card into a box. What does not fit is shortened; facts that do not
// fit are an error.
func (d Card) Draw(c *draw.Canvas, t Theme, b draw.Box) error {
	c.Object("card", d.Title, d.Value, func() {
		whole := new(draw.Path).Round(b, draw.Px(12))
		drawShadows(c, whole)
		c.Fill(whole, t.Paper)
		in := b.Inset(draw.Px(18), draw.Px(16))
		head, rest := in.Cut(draw.Px(24))
		if d.Icon != "" {
			tile, right := head.Split(draw.Px(24))
			c.RoundRect(tile, draw.Px(7), t.Accent.Fade(34))
			c.Icon(d.Icon, tile.Inset(draw.Px(4), draw.Px(4)), t.Accent)
			_, head = right.Split(draw.Px(10))
		}
		title := t.text(14)
		title.Font = draw.SansMedium
		c.Line(title, head, draw.Left, d.Title)
		if d.Value != "" {
			_, rest = rest.Cut(draw.Px(8))
			var value draw.Box
			value, rest = rest.Cut(draw.Px(34))
			c.Line(t.strong(26), value, draw.Left, d.Value)
		}
		if d.Note != "" {
			_, rest = rest.Cut(draw.Px(4))
			h := c.Block(t.text(14).In(t.Muted), rest, draw.Left, d.Note)
			_, rest = rest.Cut(h)
		}
		d.facts(c, t, rest)
	})
	return c.Err()
}

func (d Card) facts(c *draw.Canvas, t Theme, b draw.Box) {
	_, b = b.Cut(draw.Px(10))
	for i, f := range d.Facts {
		var row draw.Box
		if row, b = b.Cut(draw.Px(32)); row.H < draw.Px(32) {
			c.Fail(fmt.Errorf("card %q: fact %d lies below its box; give it more height", d.Title, i))
			return
		}
		if i > 0 {
			c.Rect(draw.Box{X: row.X, Y: row.Y, W: row.W, H: 64}, t.Line)
		}
		name, value := row.Split(row.W / 2)
		c.Object("fact", f[0], f[1], func() {
			c.Line(t.text(14).In(t.Muted), name, draw.Left, f[0])
			c.Line(t.text(14), value, draw.Right, f[1])
		})
	}
}

// Page is a sheet of a document.
type Page struct {
	Title, Byline, Foot string
	Paragraphs          []Paragraph
}

// Paragraph is a heading or text, and may hold a table or a chart below.
type Paragraph struct {
	Heading, Text string
	Table         *Table
	Chart         *Chart
	ChartHeight   draw.Unit
}

// Draw draws the page over a box as a sheet of paper. What does not fit on it is an
// error.
func (g Page) Draw(c *draw.Canvas, t Theme, b draw.Box) error {
	var err error
	c.Object("page", g.Title, "", func() {
		sheet := new(draw.Path).Rect(b)
		drawShadows(c, sheet)
		c.Fill(sheet, t.Paper)
		in := b.Inset(b.W/10, b.W/11)
		if g.Foot != "" {
			c.Line(t.small(), draw.Box{X: in.X, Y: in.Y + in.H + b.W/33, W: in.W, H: draw.Px(16)}, draw.Center, g.Foot)
		}
		set := func(s draw.Style, text string, above, below int) {
			if text == "" || err != nil {
				return
			}
			_, in = in.Cut(draw.Px(above))
			if need := draw.Unit(len(c.Wrap(s, text, in.W))) * s.Leading(); need > in.H {
				err = fmt.Errorf("page %q: %.40q lies below the sheet; cut it or begin another page", g.Title, text)
				return
			}
			_, in = in.Cut(c.Block(s, in, draw.Left, text) + draw.Px(below))
		}
		serif := draw.Style{Font: draw.Serif, Size: draw.Px(15), Ink: t.Ink}
		bold := draw.Style{Font: draw.SerifBold, Size: draw.Px(26), Ink: t.Ink}
		set(bold, g.Title, 0, 4)
		set(t.text(13).In(t.Muted), g.Byline, 0, 12)
		for _, p := range g.Paragraphs {
			bold.Size = draw.Px(17)
			set(bold, p.Heading, 6, 2)
			set(serif, p.Text, 0, 10)
			if err == nil {
				in, err = p.inset(c, t, in)
			}
		}
	})
	if err == nil {
		err = c.Err()
	}
	return err
}

func (p Paragraph) inset(c *draw.Canvas, t Theme, b draw.Box) (draw.Box, error) {
	if p.Table != nil {
		h, err := p.Table.Draw(c, t, b)
		if err != nil {
			return b, err
		}
		_, b = b.Cut(h + draw.Px(16))
	}
	if p.Chart != nil {
		var area draw.Box
		if area, b = b.Cut(p.ChartHeight); area.H < p.ChartHeight {
			return b, fmt.Errorf("chart %q lies below the sheet", p.Chart.Title)
		}
		_, b = b.Cut(draw.Px(12))
		return b, p.Chart.Draw(c, t, area)
	}
	return b, nil
}
