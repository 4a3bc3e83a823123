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

// list of conversations.
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
