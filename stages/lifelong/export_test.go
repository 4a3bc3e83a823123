package lifelong

import (
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/stages/lifelong/worlds"
)

// Paint draws an exhibit as lifelong.draw does.
func Paint(studio *draw.Studio, t widget.Theme, x worlds.Exhibit) (*draw.Canvas, error) {
	return paint(studio, t, x)
}
