package widget

import (
	"image"

	"github.com/memforge/memforge/pipeline/draw"
)

// bubble is a message measured.
type bubble struct {
	Message
	lines []string
	who   string // written above the text in a group
	w, h  draw.Unit
	photo draw.Box // the picture's size
	first bool     // of those that one person writes in a row
	last  bool
	day   bool
}

const (
	bubbleSide = 12 * 64
	bubbleLine = 19 * 64
	dayHeight  = 38 * 64
	// of a picture at most
	photoHeight = 220 * 64
)

// measureMessage wraps a message so that the time stands clear of its last line.
func (h Chat) measureMessage(c *draw.Canvas, t Theme, i int, most draw.Unit) bubble {
	m := h.Messages[i]
	same := func(j int) bool {
		if j < 0 || j >= len(h.Messages) {
			return false
		}
		o := h.Messages[j]
		return o.Own == m.Own && (m.Own || o.From == m.From) && h.Messages[max(i, j)].Day == ""
	}
	b := bubble{Message: m, first: !same(i - 1), last: !same(i + 1), day: m.Day != ""}
	if m.Text != "" {
		b.lines = c.Wrap(t.text(14), m.Text, most-2*bubbleSide)
	}
	end := draw.Unit(0)
	for _, l := range b.lines {
		end = c.Width(t.text(14), l)
		b.w = max(b.w, end)
	}
	if h.Group && !m.Own && b.first {
		b.who = h.People[m.From].Name
		b.w = max(b.w, min(c.Width(t.text(12), b.who)+64, most-2*bubbleSide))
	}
	if m.Picture != nil {
		s := m.Picture.Rect.Size().Add(image.Pt(1, 1)) // an empty one divides by nothing
		b.photo.W = most - 2*bubbleSide
		if b.photo.H = draw.Unit(int(b.photo.W) * s.Y / s.X); b.photo.H > photoHeight {
			b.photo.W, b.photo.H = max(draw.Px(40), draw.Unit(photoHeight*s.X/s.Y)), photoHeight
		}
		b.w = max(b.w, b.photo.W)
	}
	b.makeRoomForTime(end, c.Width(t.text(11), m.At)+draw.Px(12), most-2*bubbleSide)
	return b
}

// makeRoomForTime makes room for the time behind the last line, or below it.
func (b *bubble) makeRoomForTime(end, stamp, most draw.Unit) {
	rows := len(b.lines)
	if end+stamp > most {
		rows++
	} else {
		b.w = max(b.w, end+stamp)
	}
	b.w = draw.Px((b.w + 2*bubbleSide).Ceil())
	b.h = draw.Unit(max(rows, 1))*bubbleLine + draw.Px(14) + b.photo.H
	if b.who != "" {
		b.h += draw.Px(17)
	}
	if b.photo.H > 0 {
		b.h += draw.Px(8)
	}
}

// spaceAbove is the room over a bubble.
func (b bubble) spaceAbove() draw.Unit {
	gap := draw.Px(4)
	if b.first {
		gap = draw.Px(11)
	}
	if b.day {
		gap += dayHeight
	}
	return gap
}

// messages draws the last ones that fit, from the top where all do.
func (h Chat) messages(c *draw.Canvas, t Theme, b draw.Box) int {
	in := b.Inset(draw.Px(16), draw.Px(6))
	most := in.W * 56 / 100
	var fit []bubble
	need := draw.Unit(0)
	for i := len(h.Messages) - 1; i >= 0; i-- {
		m := h.measureMessage(c, t, i, most)
		if need += m.h + m.spaceAbove(); need > in.H {
			break
		}
		fit = append(fit, m)
	}
	y := in.Y
	for k := len(fit) - 1; k >= 0; k-- {
		m := fit[k]
		y += m.spaceAbove()
		if m.day {
			dayLine(c, t, draw.Box{X: in.X, Y: y - dayHeight, W: in.W, H: dayHeight - draw.Px(8)}, m.Day)
		}
		h.bubble(c, t, in, y, m)
		y += m.h
	}
	return len(fit)
}

func dayLine(c *draw.Canvas, t Theme, b draw.Box, day string) {
	style := t.text(12).In(t.Muted)
	style.Font = draw.SansMedium
	w := c.Width(style, day) + draw.Px(30)
	pill := draw.Box{X: b.Mid().X - w/2, Y: b.Mid().Y - draw.Px(11), W: w, H: draw.Px(22)}
	c.RoundRect(pill, draw.Px(11), t.Line.Mix(t.Faint, 40))
	c.Line(style, pill, draw.Center, day)
}

func (h Chat) bubble(c *draw.Canvas, t Theme, in draw.Box, y draw.Unit, m bubble) {
	box := draw.Box{X: in.X + draw.Px(43), Y: y, W: m.w, H: m.h}
	ink, text, stamp, who := t.Paper, t.Ink, t.Faint, "me"
	if m.Own {
		box.X = draw.Px((in.X + in.W - draw.Px(4) - m.w).Floor())
		ink, text, stamp = t.Accent, t.OnAccent, t.OnAccent.Fade(190)
	} else {
		who = h.People[m.From].Name
	}
	if !m.Own && m.last {
		Portrait(c, h.People[m.From], draw.Point{X: in.X + draw.Px(15), Y: y + m.h - draw.Px(16)}, draw.Px(16))
	}
	c.Object("bubble", who, m.Text, func() {
		shape := bubbleOutline(box, m)
		shade := draw.Hex(0x1e3250)
		c.Shadow(shape, 3, 0, 1, shade.Fade(40))
		c.Fill(shape, ink)
		at := box.Inset(bubbleSide, draw.Px(7))
		if m.who != "" {
			style := draw.Style{Font: draw.SansBold, Size: draw.Px(12), Ink: t.series(m.From)}
			c.Line(style, draw.Box{X: at.X, Y: at.Y, W: at.W, H: draw.Px(17)}, draw.Left, m.who)
			_, at = at.Cut(draw.Px(17))
		}
		if m.Picture != nil {
			photo, rest := at.Cut(m.photo.H)
			photo.W = m.photo.W
			c.Object("photo", who, "", func() { c.Picture(m.Picture, photo.Inset(-draw.Px(5), 0), draw.Px(10)) })
			_, at = rest.Cut(draw.Px(8))
		}
		for i, l := range m.lines {
			c.Line(t.text(14).In(text), draw.Box{X: at.X, Y: at.Y + draw.Unit(i)*bubbleLine, W: at.W, H: bubbleLine}, draw.Left, l)
		}
		c.Line(t.text(11).In(stamp), draw.Box{X: at.X, Y: box.Y + box.H - draw.Px(22), W: at.W, H: draw.Px(17)}, draw.Right, m.At)
	})
}

// bubbleOutline is a round box, with a tail at the last of a row: one path, so that its
// shadow has no seam.
func bubbleOutline(b draw.Box, m bubble) *draw.Path {
	r := min(draw.Px(15), b.H/2)
	if !m.last {
		return new(draw.Path).Round(b, r)
	}
	p := new(draw.Path).Corners(b, [4]draw.Unit{r, r, r, 0})
	x, y := b.X, b.Y+b.H
	at := func(dx, dy int) draw.Point { return draw.Point{X: x + draw.Px(dx), Y: y + draw.Px(dy)} }
	p.Move(at(0, -13)).Line(at(12, -13), at(12, 0), at(-7, 0)).Quad(at(0, -4), at(0, -13)).Close()
	if m.Own {
		return p.Transform(draw.Mirror(b.X + b.W/2))
	}
	return p
}
