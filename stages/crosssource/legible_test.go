package crosssource

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

func TestLegibleConforms(t *testing.T) {
	x := simulate.Picture{Kind: simulate.Card, Title: "Raitten Choir", Columns: []string{"of", "is"}, Rows: [][]string{{"code", "UJ-136"}, {"opened", "1980"}}}
	c, err := drawPicture(draw.NewStudio(), widget.Light(draw.Hex(0x2563eb)), x)
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	broken := data[:len(data)/2]
	row := func(data []byte, change func(*RenderedPicture)) pipeline.Record {
		e := renderedPicture(string(pipeline.DigestOf(data)), with(x, 1, "1980"))
		change(&e)
		r, err := pipeline.NewRecord(namePicture, e.PictureID, e, pipeline.DigestOf(data))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	testkit.ConformGate(t, testkit.Subject{
		Register: Register, Use: "exhibit-legible", Blobs: [][]byte{data, broken}, Golden: "4 da104d833f9597ff8e9a2813974efc59092a4b09042fd974274ad5a30c2045f9", Types: map[string]func(pipeline.Record) error{namePicture: testkit.DecodesTo[RenderedPicture]},
		Inputs: []pipeline.Record{
			row(data, func(*RenderedPicture) {}), row(broken, func(*RenderedPicture) {}),
			row(data, func(e *RenderedPicture) { e.PictureID, e.Rows[1].Cells[1] = "exhibit-other", "1981" }),
			row(data, func(e *RenderedPicture) { e.PictureID, e.Kind = "exhibit-chart", simulate.Chart }),
		},
	})
}
