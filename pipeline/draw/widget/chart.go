package widget

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/draw"
)

// Chart shows series of numbers over labels.
type Chart struct {
	Kind                    Kind
	Title, Subtitle, Source string
	// Labels of the places along the axis, or of a pie's slices.
	Labels []string
	// Series have a value for each label; a pie has one series.
	Series []Series
	// Places behind the point of all values.
	Places int
	// Values says to write each value beside what shows it, Clear that no grid goes
	// through these: the axis alone is drawn, and the numbers of the scale.
	Values, Clear bool
}

// Series is a row of values; 125 with two places is 1.25.
type Series struct {
	Name   string
	Values []int64
}

// Kind of a chart.
type Kind int

// The kinds.
const (
	Lines Kind = iota
	Bars
	Stacked
	Pie
)

// bounds of what one chart shows legibly.
const (
	maxLabels = 400
	maxSeries = 16
	maxValue  = int64(1) << 44
)

func (h Chart) check() error {
	if len(h.Labels) < 1 || len(h.Labels) > maxLabels || len(h.Series) < 1 || len(h.Series) > maxSeries || h.Places < 0 || h.Places > 6 {
		return fmt.Errorf("chart %q: want 1 to %d labels, 1 to %d series and 0 to 6 places", h.Title, maxLabels, maxSeries)
	}
	signed := h.Kind == Lines || h.Kind == Bars
	sum := int64(0)
	for _, s := range h.Series {
		if len(s.Values) != len(h.Labels) {
			return fmt.Errorf("chart %q: series %q has %d values for %d labels", h.Title, s.Name, len(s.Values), len(h.Labels))
		}
		for _, v := range s.Values {
			if v > maxValue || v < -maxValue || v < 0 && !signed {
				return fmt.Errorf("chart %q: series %q has %d, out of what the chart can show", h.Title, s.Name, v)
			}
			sum += max(v, -v)
		}
	}
	if h.Kind == Pie && (len(h.Series) != 1 || sum == 0) {
		return fmt.Errorf("chart %q: a pie shows one series that is not all 0", h.Title)
	}
	return nil
}

// Draw draws the chart into a box of at least about 300 x 240 pixels. It marks
// bars, points and slices with their series' name (a slice's label) and value.
func (h Chart) Draw(c *draw.Canvas, t Theme, b draw.Box) error {
	if err := h.check(); err != nil {
		return err
	}
	c.Object("chart", h.Title, "", func() {
		body := h.heading(c, t, b)
		if h.Kind == Pie {
			h.pie(c, t, body)
			return
		}
		body = h.legend(c, t, body)
		h.plot(c, t, body)
	})
	return c.Err()
}

func (h Chart) heading(c *draw.Canvas, t Theme, b draw.Box) draw.Box {
	line := func(s draw.Style, text string) {
		if text != "" {
			var row draw.Box
			row, b = b.Cut(s.Leading())
			c.Line(s, row, draw.Left, text)
		}
	}
	line(t.strong(22), h.Title)
	line(t.text(14).In(t.Muted), h.Subtitle)
	_, b = b.Cut(draw.Px(10))
	if h.Source != "" {
		var foot draw.Box
		b, foot = b.Cut(b.H - draw.Px(24))
		c.Line(t.small(), foot, draw.Left, h.Source)
	}
	return b
}

func (h Chart) legend(c *draw.Canvas, t Theme, b draw.Box) draw.Box {
	if len(h.Series) == 1 && h.Series[0].Name == "" {
		return b
	}
	style := t.text(13)
	style.Font = draw.SansMedium
	x, y := b.X, b.Y
	for i, s := range h.Series {
		w := min(c.Width(style, s.Name), b.W-draw.Px(22))
		if x > b.X && x+w+draw.Px(20) > b.X+b.W {
			x, y = b.X, y+draw.Px(22)
		}
		c.Object("legend", s.Name, t.series(i).String(), func() {
			c.RoundRect(draw.Box{X: x, Y: y + draw.Px(4), W: draw.Px(12), H: draw.Px(12)}, draw.Px(3), t.series(i))
			c.Line(style, draw.Box{X: x + draw.Px(19), Y: y, W: w + 64, H: draw.Px(20)}, draw.Left, s.Name)
		})
		x += draw.Px(45) + w
	}
	_, b = b.Cut(y - b.Y + draw.Px(32))
	return b
}

// axes maps values to places.
type axes struct {
	plot      draw.Box
	low, high int64
	step      draw.Unit // from label to label
}

func (a axes) y(v int64) draw.Unit {
	return a.plot.Y + a.plot.H - draw.Unit(int64(a.plot.H)*(v-a.low)/(a.high-a.low))
}

func (a axes) x(i int) draw.Unit {
	return a.plot.X + draw.Unit((2*int64(i)+1)*int64(a.step)/2)
}

func (h Chart) plot(c *draw.Canvas, t Theme, b draw.Box) {
	low, high, step := axisScale(h.extent())
	small := t.small()
	wide := max(c.Width(small, formatTick(low, h.Places)), c.Width(small, formatTick(high-step, h.Places)), c.Width(small, formatTick(high, h.Places)))
	_, plot := b.Split(draw.Px((wide + draw.Px(14)).Ceil()))
	plot, _ = plot.Cut(plot.H - draw.Px(28))
	plot = draw.Box{X: draw.Px(plot.X.Floor()), Y: draw.Px(plot.Y.Ceil()) + draw.Px(8), W: plot.W, H: plot.H - draw.Px(8)}
	a := axes{plot, low, high, plot.W / draw.Unit(len(h.Labels))}
	for v := low; v <= high; v += step {
		y := draw.Px(a.y(v).Round())
		ink := t.Line
		if v == 0 {
			ink = t.Faint
		}
		if v == 0 || !h.Clear {
			c.Rect(draw.Box{X: plot.X, Y: y, W: plot.W, H: 64}, ink)
		}
		c.Line(small, draw.Box{X: b.X, Y: y - draw.Px(10), W: plot.X - b.X - draw.Px(10), H: draw.Px(20)}, draw.Right, formatTick(v, h.Places))
	}
	h.labels(c, small, a)
	if h.Kind == Lines {
		h.lines(c, t, a)
		return
	}
	h.bars(c, t, a)
}

// labels writes those along the axis: all of them, or every n-th where they
// would touch.
func (h Chart) labels(c *draw.Canvas, s draw.Style, a axes) {
	wide := draw.Unit(0)
	for _, l := range h.Labels {
		wide = max(wide, min(c.Width(s, l), draw.Px(110)))
	}
	every := int((wide+draw.Px(8))/max(a.step, 1)) + 1
	for i := 0; i < len(h.Labels); i += every {
		w := a.step * draw.Unit(every)
		c.Line(s, draw.Box{X: a.x(i) - w/2, Y: a.plot.Y + a.plot.H + draw.Px(6), W: w, H: draw.Px(20)}, draw.Center, h.Labels[i])
	}
}

func (h Chart) extent() (least, most int64) {
	for i := range h.Labels {
		sum := int64(0)
		for _, s := range h.Series {
			least, most, sum = min(least, s.Values[i]), max(most, s.Values[i]), sum+s.Values[i]
		}
		if h.Kind == Stacked {
			most = max(most, sum)
		}
	}
	return least, most
}

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

// formatNumber returns a decimal: digits of the last place, with places behind
// the point.
func formatNumber(digits int64, places int) string {
	sign, n := "", uint64(digits)
	if digits < 0 {
		sign, n = "−", -uint64(digits)
	}
	s := strconv.FormatUint(n, 10)
	for len(s) <= places {
		s = "0" + s
	}
	whole, part := s[:len(s)-places], s[len(s)-places:]
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if part != "" {
		part = "." + part
	}
	return sign + whole + part
}

// formatTick returns a number on an axis, without zeros behind the point that
// say nothing.
func formatTick(digits int64, places int) string {
	s := formatNumber(digits, places)
	if places > 0 {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

// axisScale returns an axis from low to high in steps of 1, 2 or 5 times a
// power of ten: four to eight of them.
func axisScale(least, most int64) (low, high, step int64) {
	least, most = min(max(least, -1<<50), 0), max(min(most, 1<<50), 0)
	if least == most {
		most = 1
	}
	step = 1
	for i := 0; (most-least+step-1)/step > 7; i++ {
		step = []int64{1, 2, 5}[(i+1)%3] * powerOfTen((i+1)/3)
	}
	low, high = -((-least+step-1)/step)*step, (most+step-1)/step*step
	return low, high, step
}

func powerOfTen(n int) int64 {
	p := int64(1)
	for range n {
		p *= 10
	}
	return p
}
