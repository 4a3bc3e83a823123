package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

func figures(values ...any) map[string]Figure {
	out := map[string]Figure{}
	for i := 0; i < len(values); i += 2 {
		out[values[i].(string)] = Exactly(values[i+1].(float64), 4)
	}
	return out
}

// TestBoxesSumUpRuns: quartiles lie between the values of runs in proportion; a column of one
// run has no box.
func TestBoxesSumUpRuns(t *testing.T) {
	in := Table{Name: "answers", Columns: []string{"VFR", "VS", "CMR"}, Lines: []Line{
		{Slice: "a", Figures: figures("VFR", 0.5, "VS", 0.25)}, {Slice: "b", Figures: figures("VFR", 0.1, "VS", 0.75)},
		{Slice: "c", Figures: figures("VFR", 0.2)}, {Slice: "d", Figures: figures("VFR", 0.9, "CMR", 1.0)},
	}}
	got, ok := in.boxes(Plot{Title: "spread", Columns: []string{"V*", "CMR"}})
	var lines []string
	for _, l := range got.Lines {
		text := l.Slice
		for _, c := range got.Columns {
			text += fmt.Sprintf(" %.4g", l.Figures[c].Value)
		}
		lines = append(lines, text)
	}
	if want := []string{"VFR 0.1 0.175 0.35 0.6 0.9", "VS 0.25 0.375 0.5 0.625 0.75"}; !ok || !slices.Equal(lines, want) || got.Lines[0].Figures["median"].N != 4 {
		t.Errorf("boxes %q, want %q", lines, want)
	}
	if _, ok := in.boxes(Plot{Columns: []string{"CMR"}}); ok {
		t.Error("one run has a box")
	}
}

// TestChartsDrawFigures: a bar is as long as its share, or as its logarithm; a circle lies at
// its tokens and share, as large as the root of its seconds; a line without figures has none.
func TestChartsDrawFigures(t *testing.T) {
	table := Table{
		Name: "costs", Columns: []string{"share", "tokens", "seconds"},
		Lines: []Line{{Slice: "a", Figures: figures("share", 0.5, "tokens", 100.0, "seconds", 4.0)}, {Slice: "b", Figures: figures("share", 1.0, "tokens", 10000.0, "seconds", 1.0)}, {Slice: "none"}},
		Plots: []Plot{{Kind: PlotBars, Columns: []string{"share"}}, {Kind: PlotLatency, Columns: []string{"tokens"}}, {Kind: PlotCost, Columns: []string{"tokens", "share", "seconds"}}, {Kind: PlotBars, Columns: []string{"gone"}}, {Kind: PlotHeat, Columns: []string{"share"}}},
	}
	charts := table.Charts()
	if len(charts) != 3 {
		t.Fatalf("%d charts", len(charts))
	}
	for n, want := range [][2]float64{{195, 390}, {0, 390}} {
		var widths []float64
		for _, s := range charts[n].Shapes {
			if s.Width > 0 {
				widths = append(widths, s.Width)
			}
			if strings.Contains(s.Text, "none") {
				t.Errorf("a line without figures is drawn: %+v", s)
			}
		}
		if len(widths) != 2 || widths[0] != max(want[0], 1) || widths[1] != want[1] {
			t.Errorf("bars are %v wide, want %v", widths, want)
		}
	}
	var circles []Shape
	for _, s := range charts[2].Shapes {
		if s.Radius > 0 {
			circles = append(circles, s)
		}
	}
	if len(circles) != 2 || circles[0].Radius != 16 || circles[1].Radius != 10.5 || circles[0].X != 60 || circles[1].X != 570 || circles[0].Y != 90 || circles[1].Y != 15 {
		t.Errorf("circles %+v", circles)
	}
	if cells := table.Cells(table.Lines[0]); cells[0].Shade != 25 || cells[1].Shade != 0 {
		t.Errorf("shades of %+v", cells)
	}
	other := Table{Lines: []Line{table.Lines[1], table.Lines[0], table.Lines[2]}}
	for _, l := range table.Lines {
		if table.colourOfLine(l) != other.colourOfLine(l) {
			t.Errorf("%s changes its colour with its place", l.Slice)
		}
	}
	at, ticks := logAxis([]float64{0.02, 3}, 0, 300)
	if math.Abs(at(1)-200) > 1e-9 || len(ticks) != 4 || ticks[0] != 0.01 {
		t.Errorf("1 is at %v of %v", at(1), ticks)
	}
	if _, ticks := logAxis([]float64{10}, 0, 1); len(ticks) != 2 {
		t.Errorf("one value has the ticks %v", ticks)
	}
}

// TestWideTablesAreTurned: many columns of few runs print as lines, with empty cells in place.
func TestWideTablesAreTurned(t *testing.T) {
	table := Table{Name: "wide", Title: "of two runs", Lines: []Line{{Slice: "a", Figures: map[string]Figure{}, Missing: map[string]string{"c9": "needs a judge"}}, {Slice: "b", Figures: figures("c0", 0.25)}}}
	for n := range 10 {
		table.Columns = append(table.Columns, fmt.Sprintf("c%d", n))
		if n < 9 {
			table.Lines[0].Figures[table.Columns[n]] = Exactly(0.5, n+1)
		}
	}
	var out strings.Builder
	if err := table.Print(&out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if lines[1] != "slice  n  a      b" || lines[2] != "c0     4  0.500  0.250" || lines[11] != "c9     -  -      -" || lines[12] != "note: c9: needs a judge" {
		t.Errorf("printed\n%s", out.String())
	}
	table.Columns = table.Columns[:8]
	out.Reset()
	if err := table.Print(&out); err != nil || !strings.Contains(out.String(), "slice  n  c0 ") {
		t.Errorf("a narrow table: %v\n%s", err, out.String())
	}
}
