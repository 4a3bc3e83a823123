package widget

import "github.com/memforge/memforge/pipeline/draw"

func (h Chart) lines(c *draw.Canvas, t Theme, a axes) {
	dots := a.step > draw.Px(14)
	for k, s := range h.Series {
		p := &draw.Path{}
		for i, v := range s.Values {
			at := draw.Point{X: a.x(i), Y: a.y(v)}
			if i == 0 {
				p.Move(at)
			} else {
				p.Line(at)
			}
		}
		c.Object("line", s.Name, t.series(k).String(), func() { c.Stroke(p, draw.At(2.75), t.series(k)) })
	}
	for k, s := range h.Series {
		for i, v := range s.Values {
			at := draw.Point{X: a.x(i), Y: a.y(v)}
			c.Object("point", s.Name+" / "+h.Labels[i], formatNumber(v, h.Places), func() {
				if dots {
					c.Oval(draw.Disc(at, draw.At(5.5)), t.Paper)
					c.Oval(draw.Disc(at, draw.Px(4)), t.series(k))
				}
			})
		}
	}
	if h.Values {
		h.lineValues(c, t, a)
	}
}

// lineValues writes each value above its point, or below where another line comes
// from above, and beside it where its own line rises steeply.
func (h Chart) lineValues(c *draw.Canvas, t Theme, a axes) {
	for k, s := range h.Series {
		style := draw.Style{Font: draw.SansBold, Size: draw.Px(12), Ink: t.series(k)}
		for i, v := range s.Values {
			y := a.y(v) - draw.Px(24)
			for j, o := range h.Series {
				if above := o.Values[i] - v; j != k && (above > 0 || above == 0 && j < k) && a.y(v)-a.y(o.Values[i]) < draw.Px(34) {
					y = a.y(v) + draw.Px(6)
				}
			}
			steep := func(j int) bool { return j >= 0 && j < len(s.Values) && a.y(v)-a.y(s.Values[j]) > a.step*3/5 }
			x := a.x(i) - draw.Px(40)
			if steep(i + 1) {
				x -= draw.Px(12)
			}
			if steep(i - 1) {
				x += draw.Px(12)
			}
			c.Line(style, draw.Box{X: x, Y: y, W: draw.Px(80), H: draw.Px(18)}, draw.Center, formatNumber(v, h.Places))
		}
	}
}

func (h Chart) bars(c *draw.Canvas, t Theme, a axes) {
	room := a.step * 3 / 4
	wide := room
	if h.Kind == Bars {
		wide = room / draw.Unit(len(h.Series))
	}
	wide = min(max(wide&^63, 64), draw.Px(64))
	gap := min(wide/8&^63, draw.Px(2))
	for i, l := range h.Labels {
		base := int64(0)
		left := a.x(i) - wide/2
		if h.Kind == Bars {
			left = a.x(i) - wide*draw.Unit(len(h.Series))/2
		}
		for k, s := range h.Series {
			v, x := s.Values[i], draw.Px(left.Round())
			if h.Kind == Bars {
				x += wide * draw.Unit(k)
			}
			from, to := draw.Px(a.y(base).Round()), draw.Px(a.y(base+v).Round())
			last := h.Kind == Bars || k == len(h.Series)-1
			c.Object("bar", s.Name+" / "+l, formatNumber(v, h.Places), func() {
				bar(c, t.series(k), draw.Box{X: x + gap, Y: min(from, to), W: wide - 2*gap, H: max(from-to, to-from)}, v < 0, last)
			})
			if h.Kind == Stacked {
				base += v
			}
			if h.Values {
				h.barValue(c, t, draw.Box{X: x, Y: min(from, to), W: wide, H: max(from-to, to-from)}, v)
			}
		}
	}
}

// bar has round corners at the end that is not at the axis.
func bar(c *draw.Canvas, ink draw.Color, b draw.Box, down, end bool) {
	r := min(draw.Px(4), b.W/4)
	if !end {
		r = 0
	}
	corners := [4]draw.Unit{r, r, 0, 0}
	if down {
		corners = [4]draw.Unit{0, 0, r, r}
	}
	c.Fill(new(draw.Path).Corners(b, corners), draw.Down(b, ink.Mix(draw.Hex(0xffffff), 26), ink))
}

func (h Chart) barValue(c *draw.Canvas, t Theme, b draw.Box, v int64) {
	style, text := t.text(12), formatNumber(v, h.Places)
	style.Font = draw.SansMedium
	w := max(b.W, c.Width(style, text)+128)
	box := draw.Box{X: b.X + b.W/2 - w/2, Y: b.Y - draw.Px(18), W: w, H: draw.Px(18)}
	switch {
	case h.Kind == Stacked && b.H < draw.Px(16):
		return
	case h.Kind == Stacked:
		box.Y, style.Ink = b.Y+b.H/2-draw.Px(9), draw.Hex(0xffffff)
	case v < 0:
		box.Y = b.Y + b.H
	}
	c.Line(style, box, draw.Center, text)
}

// pie draws slices clockwise from the top with a list of names, values and shares
// at its right.
func (h Chart) pie(c *draw.Canvas, t Theme, b draw.Box) {
	values, total := h.Series[0].Values, int64(0)
	for _, v := range values {
		total += v
	}
	radius := min(b.H/2, b.W/4) - draw.Px(8)
	at := draw.Point{X: b.X + radius + draw.Px(16), Y: b.Y + b.H/2}
	sum := int64(0)
	angle := func(n int64) draw.Angle { return draw.Angle(int64(draw.Turn)*(n>>8)/max(1, total>>8)) - draw.Turn/4 }
	if total < 1<<32 {
		angle = func(n int64) draw.Angle { return draw.Angle(int64(draw.Turn)*n/total) - draw.Turn/4 }
	}
	for i, v := range values {
		from, to := angle(sum), angle(sum+v)
		sum += v
		c.Object("slice", h.Labels[i], formatNumber(v, h.Places), func() {
			p := new(draw.Path).Sector(at, radius*11/20, radius, from, to)
			c.Fill(p, t.series(i))
			c.Stroke(p, draw.Px(2), t.Paper)
		})
	}
	c.Line(t.small(), draw.Box{X: at.X - radius/2, Y: at.Y - draw.Px(24), W: radius, H: draw.Px(18)}, draw.Center, "Total")
	c.Line(t.strong(22), draw.Box{X: at.X - radius/2, Y: at.Y - draw.Px(8), W: radius, H: draw.Px(30)}, draw.Center, formatNumber(total, h.Places))
	_, right := b.Split(2*radius + draw.Px(64))
	row := min(draw.Px(40), right.H/draw.Unit(len(values)))
	y := at.Y - row*draw.Unit(len(values))/2
	for i, v := range values {
		line := draw.Box{X: right.X, Y: y + row*draw.Unit(i), W: right.W, H: row}
		c.Object("legend", h.Labels[i], t.series(i).String(), func() {
			c.RoundRect(draw.Box{X: line.X, Y: line.Y + row/2 - draw.Px(6), W: draw.Px(12), H: draw.Px(12)}, draw.Px(3), t.series(i))
			name, rest := line.Inset(draw.Px(22), 0).Split(line.W * 5 / 10)
			c.Line(t.text(14), name, draw.Left, h.Labels[i])
			value, share := rest.Split(rest.W / 2)
			c.Line(t.text(14), value, draw.Right, formatNumber(v, h.Places))
			c.Line(t.small(), share, draw.Right, formatNumber((v*1000+total/2)/total, 1)+" %")
		})
	}
}
