package lifelong

import (
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/stages/lifelong/worlds"
)

// Paint draws an exhibit as lifelong.draw does.
func Paint(studio *draw.Studio, t widget.Theme, x worlds.Exhibit) (*draw.Canvas, error) {
	return paint(studio, t, x)
}

// Legible is how trace-legible judges a file by its row.
func Legible() (func(data []byte, x Exhibit) (pipeline.Judgement, error), error) {
	g, err := newLegible(LegibleConfig{Screens: true})
	if err != nil {
		return nil, err
	}
	return g.(legible).judge, nil
}
