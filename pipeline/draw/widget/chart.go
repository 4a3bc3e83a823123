package widget

import (
	"fmt"

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

// heading writes title, subtitle and source, and leaves the box between them.
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

// legend names the series above the plot, in as many rows as they need.
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

// labels along the axis: all of them, or every n-th where they would touch.
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

// extent is the least and the most that the axis must hold.
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
