package widget_test

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
)

// TestRefusals holds that bad input is an error and no panic.
func TestRefusals(t *testing.T) {
	box := draw.PixelBox(0, 0, 300, 240)
	series := func(values ...int64) []widget.Series { return []widget.Series{{Name: "a", Values: values}} }
	chart := func(h widget.Chart) func(*draw.Canvas) error {
		return func(c *draw.Canvas) error { return h.Draw(c, light(), box) }
	}
	table := func(b widget.Table) func(*draw.Canvas) error {
		return func(c *draw.Canvas) error { _, err := b.Draw(c, light(), box); return err }
	}
	messages := func(m ...widget.Message) func(*draw.Canvas) error {
		return func(c *draw.Canvas) error {
			_, err := widget.Chat{People: cast()[:1], Messages: m}.Draw(c, light(), box)
			return err
		}
	}
	for name, draws := range map[string]func(*draw.Canvas) error{
		"no labels":        chart(widget.Chart{Series: series(1)}),
		"no series":        chart(widget.Chart{Labels: []string{"x"}}),
		"a value missing":  chart(widget.Chart{Labels: []string{"x", "y"}, Series: series(1)}),
		"too large":        chart(widget.Chart{Labels: []string{"x"}, Series: series(math.MinInt64)}),
		"a stack below 0":  chart(widget.Chart{Kind: widget.Stacked, Labels: []string{"x"}, Series: series(-1)}),
		"a pie of nothing": chart(widget.Chart{Kind: widget.Pie, Labels: []string{"x"}, Series: series(0)}),
		"a pie of two":     chart(widget.Chart{Kind: widget.Pie, Labels: []string{"x"}, Series: append(series(1), series(1)...)}),
		"an absent glyph":  chart(widget.Chart{Title: "火", Labels: []string{"x"}, Series: series(1)}),
		"no columns":       table(widget.Table{}),
		"a cell missing":   table(widget.Table{Head: []string{"a", "b"}, Rows: [][]string{{"1"}}}),
		"too many rows":    table(widget.Table{Head: []string{"a"}, Rows: make([][]string, 2000)}),
		"rows below":       table(widget.Table{Head: []string{"a"}, Rows: slices.Repeat([][]string{{"1"}}, 40)}),
		"a stranger":       messages(widget.Message{From: 1, Text: "x"}),
		"an emoji":         messages(widget.Message{Text: "\U0001f44d"}),
		"facts below": func(c *draw.Canvas) error {
			return widget.Card{Title: "x", Facts: slices.Repeat([][2]string{{"a", "b"}}, 9)}.Draw(c, light(), box)
		},
		"text below": func(c *draw.Canvas) error {
			return widget.Page{Paragraphs: []widget.Paragraph{{Text: strings.Repeat("word ", 400)}}}.Draw(c, light(), box)
		},
		"a chart below": func(c *draw.Canvas) error {
			return widget.Page{Paragraphs: []widget.Paragraph{{Chart: &widget.Chart{}, ChartHeight: draw.Px(900)}}}.Draw(c, light(), box)
		},
	} {
		c, err := draw.NewStudio().NewCanvas(300, 240, draw.Hex(0xffffff))
		if err != nil {
			t.Fatal(err)
		}
		if draws(c) == nil {
			t.Errorf("%s: drawn", name)
		}
	}
}

// TestChartsTellValues reads a chart back from its pixels by its marks alone: a
// bar's height over its value is the same for all, and a bar is of its colour.
func TestChartsTellValues(t *testing.T) {
	for _, s := range scenes {
		if s.name != "bars" {
			continue
		}
		c, seen := s.canvas(t, draw.NewStudio()), 0
		for _, m := range c.Marks() {
			if m.Kind != "bar" {
				continue
			}
			v, err := strconv.Atoi(strings.ReplaceAll(m.Value, "−", "-"))
			if err != nil {
				t.Fatal(err)
			}
			b := m.Bounds()
			// 420 pixels stand for 120.
			if want := max(v, -v) * 420 / 120; b.Dy() < want-2 || b.Dy() > want+2 {
				t.Errorf("%s of %d is %d pixels high, want about %d", m.Name, v, b.Dy(), want)
			}
			at := c.Image().RGBAAt((b.Min.X+b.Max.X)/2, b.Max.Y-2)
			if v > 0 && strings.HasPrefix(m.Name, "Northhaven") && (at.B < 200 || at.R > 120) {
				t.Errorf("%s is %v", m.Name, at)
			}
			seen++
		}
		if seen != 18 {
			t.Errorf("%d bars", seen)
		}
	}
}

// A chat shows its last messages; nothing is written over anything else.
func TestChatScrolls(t *testing.T) {
	h := widget.Chat{Title: "Ines", People: cast()[:1]}
	for i := range 40 {
		h.Messages = append(h.Messages, widget.Message{Own: i%3 == 0, Text: strings.Repeat("so it goes ", 1+i%9), At: "9:41"})
	}
	c, err := draw.NewStudio().NewCanvas(420, 760, draw.Hex(0xffffff))
	if err != nil {
		t.Fatal(err)
	}
	shown, err := h.Draw(c, light(), draw.PixelBox(0, 0, 420, 760))
	if err != nil || shown < 5 || shown >= 40 {
		t.Fatalf("%d shown: %v", shown, err)
	}
	var bubbles, texts []draw.Mark
	for _, m := range c.Marks() {
		switch m.Kind {
		case "bubble":
			bubbles = append(bubbles, m)
		case "text":
			texts = append(texts, m)
		}
	}
	if len(bubbles) != shown || bubbles[shown-1].Value != h.Messages[39].Text {
		t.Errorf("%d bubbles, %d shown", len(bubbles), shown)
	}
	for i, a := range texts {
		if a.Cut {
			t.Errorf("%q is cut", a.Text)
		}
		for _, b := range texts[:i] {
			if a.Bounds().Inset(1).Overlaps(b.Bounds().Inset(1)) {
				t.Errorf("%q lies over %q", a.Text, b.Text)
			}
		}
	}
}

// FuzzCharts draws charts of any values.
func FuzzCharts(f *testing.F) {
	f.Add(int64(12), int64(-7), int64(1<<44), uint8(1), uint8(2), "Jan")
	f.Add(int64(0), int64(0), int64(0), uint8(0), uint8(0), "")
	f.Fuzz(func(t *testing.T, a, b, d int64, kind, places uint8, label string) {
		c, err := draw.NewStudio().NewCanvas(320, 240, draw.Hex(0xffffff))
		if err != nil {
			t.Fatal(err)
		}
		h := widget.Chart{Kind: widget.Kind(kind % 4), Places: int(places % 8), Values: true, Labels: []string{label, "b", label}, Series: []widget.Series{{Name: label, Values: []int64{a, b, d}}}}
		_ = h.Draw(c, light(), draw.PixelBox(10, 10, 300, 220))
	})
}

// BenchmarkScene gives CPU time besides that of the clock, for a machine that
// others use, too.
func BenchmarkScene(b *testing.B) {
	for _, s := range scenes {
		b.Run(s.name, func(b *testing.B) {
			studio := draw.NewStudio()
			s.canvas(b, studio)
			measure(b, func() { s.canvas(b, studio) })
		})
	}
	for _, s := range scenes[:4] {
		b.Run("png/"+s.name, func(b *testing.B) {
			c, size := s.canvas(b, draw.NewStudio()), 0
			measure(b, func() {
				data, err := c.PNG()
				if err != nil {
					b.Fatal(err)
				}
				size = len(data)
			})
			b.ReportMetric(float64(size)/1024, "KB")
		})
	}
}

func measure(b *testing.B, f func()) {
	before := cpu(b)
	for b.Loop() {
		f()
	}
	b.ReportMetric(float64((cpu(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
}

func cpu(b *testing.B) time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
