package widget

import (
	"fmt"
	"image"

	"github.com/memforge/memforge/pipeline/draw"
)

// Chat is a messenger's screen.
type Chat struct {
	Title, Status string
	// People who write; a message names one by its place.
	People []Person
	// Group shows who wrote each message.
	Group    bool
	Messages []Message
	// Others are the conversations listed at the left; none without them. The
	// first is the one that is open.
	Others []Conversation
}

// Message of a chat, one's own (at the right) or another's. Day stands on a line of
// its own above the message.
type Message struct {
	From    int
	Own     bool
	Text    string
	At, Day string
	// Picture is shown above the text.
	Picture *image.RGBA
}

// Conversation is a line of the list.
type Conversation struct {
	With     Person
	Last, At string
	Unread   int
	Online   bool
}

// Draw draws the chat over a box and says how many messages from the end are shown:
// the last ones that fit, as if somebody had scrolled to the end. Bubbles are marked
// with writer and text.
func (h Chat) Draw(c *draw.Canvas, t Theme, b draw.Box) (int, error) {
	for i, m := range h.Messages {
		if !m.Own && (m.From < 0 || m.From >= len(h.People)) {
			return 0, fmt.Errorf("chat %q: message %d is from person %d of %d", h.Title, i, m.From, len(h.People))
		}
	}
	shown := 0
	c.Object("chat", h.Title, "", func() {
		if len(h.Others) > 0 {
			var list draw.Box
			list, b = b.Split(draw.Px(288))
			h.list(c, t, list)
			var edge draw.Box
			edge, b = b.Split(64)
			c.Rect(edge, t.Line)
		}
		c.Rect(b, t.Back)
		head, rest := b.Cut(draw.Px(64))
		body, foot := rest.Cut(rest.H - draw.Px(56))
		c.Clip(body, func() { shown = h.messages(c, t, body) })
		h.head(c, t, head)
		composer(c, t, foot)
	})
	return shown, c.Err()
}

func (h Chat) head(c *draw.Canvas, t Theme, b draw.Box) {
	c.Rect(b, t.Paper)
	c.Rect(draw.Box{X: b.X, Y: b.Y + b.H, W: b.W, H: 64}, t.Line)
	_, b = b.Split(draw.Px(17))
	if len(h.People) > 0 && !h.Group {
		Portrait(c, h.People[0], draw.Point{X: b.X + draw.Px(20), Y: b.Mid().Y}, draw.Px(20))
	} else {
		c.Oval(draw.Disc(draw.Point{X: b.X + draw.Px(20), Y: b.Mid().Y}, draw.Px(20)), t.Accent.Fade(40))
		c.Icon("users", draw.Disc(draw.Point{X: b.X + draw.Px(20), Y: b.Mid().Y}, draw.Px(10)), t.Accent)
	}
	names := draw.Box{X: b.X + draw.Px(52), Y: b.Y + draw.Px(12), W: b.W - draw.Px(130), H: draw.Px(21)}
	c.Line(t.strong(16), names, draw.Left, h.Title)
	names.Y += draw.Px(21)
	names.H = draw.Px(18)
	c.Line(t.text(12).In(t.Good), names, draw.Left, h.Status)
	for i, icon := range []string{"phone", "ellipsis-vertical"} {
		c.Icon(icon, draw.Disc(draw.Point{X: b.X + b.W - draw.Px(66-38*i), Y: b.Mid().Y}, draw.Px(10)), t.Muted)
	}
}

func composer(c *draw.Canvas, t Theme, b draw.Box) {
	c.Rect(b, t.Paper)
	c.Rect(draw.Box{X: b.X, Y: b.Y - 64, W: b.W, H: 64}, t.Line)
	y := b.Mid().Y
	c.Icon("circle-plus", draw.Disc(draw.Point{X: b.X + draw.Px(26), Y: y}, draw.Px(11)), t.Muted)
	field := draw.Box{X: b.X + draw.Px(52), Y: y - draw.Px(18), W: b.W - draw.Px(124), H: draw.Px(36)}
	c.RoundRect(field, draw.Px(18), t.Back)
	c.Line(t.text(14).In(t.Faint), field.Inset(draw.Px(18), 0), draw.Left, "Write a message")
	c.Icon("mic", draw.Disc(draw.Point{X: field.X + field.W - draw.Px(20), Y: y}, draw.Px(9)), t.Muted)
	send := draw.Point{X: b.X + b.W - draw.Px(38), Y: y}
	c.Oval(draw.Disc(send, draw.Px(18)), t.Accent)
	arrow := new(draw.Path).Move(draw.P(-7, -8)).Line(draw.P(9, 0), draw.P(-7, 8), draw.P(-4, 0)).Close()
	c.Fill(arrow.Transform(draw.Shift(send.X, send.Y)), t.OnAccent)
}

func (h Chat) list(c *draw.Canvas, t Theme, b draw.Box) {
	c.Rect(b, t.Paper)
	in := b.Inset(draw.Px(20), 0)
	c.Line(t.strong(21), draw.Box{X: in.X, Y: b.Y + draw.Px(17), W: in.W, H: draw.Px(32)}, draw.Left, "Messages")
	field := draw.Box{X: in.X, Y: b.Y + draw.Px(58), W: in.W, H: draw.Px(34)}
	c.RoundRect(field, draw.Px(17), t.Back)
	c.Icon("search", draw.Disc(draw.Point{X: field.X + draw.Px(19), Y: field.Mid().Y}, draw.Px(8)), t.Muted)
	_, words := field.Split(draw.Px(34))
	c.Line(t.text(13).In(t.Faint), words, draw.Left, "Search")
	c.Clip(b, func() {
		for i, o := range h.Others {
			row := draw.Box{X: b.X, Y: b.Y + draw.Px(104+68*i), W: b.W, H: draw.Px(68)}
			if row.Y+row.H > b.Y+b.H {
				return
			}
			c.Object("conversation", o.With.Name, o.Last, func() { o.draw(c, t, row, i == 0) })
		}
	})
}

func (o Conversation) draw(c *draw.Canvas, t Theme, b draw.Box, open bool) {
	if open {
		c.RoundRect(b.Inset(draw.Px(8), draw.Px(2)), draw.Px(12), t.Accent.Fade(30))
	}
	at := draw.Point{X: b.X + draw.Px(44), Y: b.Mid().Y}
	Portrait(c, o.With, at, draw.Px(22))
	if o.Online {
		dot := draw.Point{X: at.X + draw.Px(16), Y: at.Y + draw.Px(16)}
		c.Oval(draw.Disc(dot, draw.Px(6)), t.Paper)
		c.Oval(draw.Disc(dot, draw.At(4.5)), t.Good)
	}
	text := draw.Box{X: b.X + draw.Px(78), Y: b.Y + draw.Px(14), W: b.W - draw.Px(98), H: draw.Px(20)}
	w := c.Line(t.text(12).In(t.Faint), text, draw.Right, o.At)
	name := t.text(14)
	name.Font = draw.SansMedium
	c.Line(name, draw.Box{X: text.X, Y: text.Y, W: text.W - w - draw.Px(8), H: text.H}, draw.Left, o.With.Name)
	text.Y += draw.Px(20)
	if o.Unread > 0 {
		count := formatNumber(int64(min(o.Unread, 99)), 0)
		pill := draw.Box{X: text.X + text.W - draw.Px(20), Y: text.Y + draw.Px(1), W: draw.Px(20), H: draw.Px(18)}
		c.RoundRect(pill, draw.Px(9), t.Accent)
		badge := t.strong(11).In(t.OnAccent)
		c.Line(badge, pill, draw.Center, count)
		text.W -= draw.Px(28)
	}
	c.Line(t.text(13).In(t.Muted), text, draw.Left, o.Last)
}

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

// measureMessage wraps a message so that the time stands clear of its last
// line.
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

// bubbleOutline returns a round box, with a tail at the last of a row: one
// path, so that its shadow has no seam.
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

// Person is how somebody looks in a small round portrait.
type Person struct {
	Name             string
	Back, Skin, Hair draw.Color
	Long             bool // hair
}

// Portrait draws a person's head and shoulders in a disc.
func Portrait(c *draw.Canvas, who Person, at draw.Point, radius draw.Unit) {
	c.Object("portrait", who.Name, who.Back.String(), func() {
		disc := draw.Disc(at, radius)
		c.Oval(disc, draw.Down(disc, who.Back.Mix(draw.Hex(0xffffff), 50), who.Back))
		// Drawn on a grid of 100 around the middle of the disc.
		grid := draw.Affine{XX: int64(radius) << 16 / 6400, YY: int64(radius) << 16 / 6400, DX: at.X, DY: at.Y}
		fill := func(p *draw.Path, ink draw.Paint) { c.Fill(p.Transform(grid), ink) }
		part := func() *draw.Path { return new(draw.Path) }
		if who.Long {
			fill(part().Round(draw.PixelBox(-47, -56, 94, 108), draw.Px(44)), who.Hair.Mix(draw.Hex(0), 40))
		}
		shirt := who.Back.Mix(draw.Hex(0x27364a), 160)
		// The shoulders' lower edge is the disc's own.
		fill(part().Move(draw.P(-75, 66)).Cubic(draw.P(-62, 34), draw.P(-26, 36), draw.P(0, 36)).Cubic(draw.P(26, 36), draw.P(62, 34), draw.P(75, 66)).
			Cubic(draw.P(40, 111), draw.P(-40, 111), draw.P(-75, 66)).Close(), shirt)
		fill(part().Round(draw.PixelBox(-14, 8, 28, 40), draw.Px(12)), who.Skin.Mix(draw.Hex(0x5a2a18), 50))
		fill(part().Oval(draw.PixelBox(-33, -50, 66, 80)), who.Skin)
		fill(hair(who.Long), who.Hair)
		if radius > draw.Px(14) {
			ink := draw.Hex(0x3a2a26)
			fill(part().Oval(draw.PixelBox(-17, -13, 8, 10)), ink)
			fill(part().Oval(draw.PixelBox(9, -13, 8, 10)), ink)
			c.Stroke(part().Move(draw.P(-11, 10)).Quad(draw.P(0, 20), draw.P(11, 10)).Transform(grid), radius/25, who.Skin.Mix(draw.Hex(0x7a2a22), 170))
		}
	})
}

func hair(long bool) *draw.Path {
	p := new(draw.Path)
	if long {
		return p.Move(draw.P(-36, 4)).Cubic(draw.P(-52, -74), draw.P(52, -74), draw.P(36, 4)).
			Cubic(draw.P(34, -24), draw.P(8, -28), draw.P(-10, -36)).Cubic(draw.P(-20, -24), draw.P(-34, -18), draw.P(-36, 4)).Close()
	}
	return p.Move(draw.P(-35, -8)).Cubic(draw.P(-48, -72), draw.P(48, -72), draw.P(35, -8)).
		Cubic(draw.P(32, -32), draw.P(18, -36), draw.P(0, -31)).Cubic(draw.P(-18, -30), draw.P(-30, -34), draw.P(-35, -8)).Close()
}
