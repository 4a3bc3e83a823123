package visual_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/visual"
)

// TestPictureGate: a picture passes, and one that breaks off, has another size than
// its row states, or is of another format does not.
func TestPictureGate(t *testing.T) {
	c, err := draw.NewStudio().NewCanvas(64, 48, draw.Hex(0x336699))
	if err != nil {
		t.Fatal(err)
	}
	data, err := c.PNG()
	if err != nil {
		t.Fatal(err)
	}
	row := func(bytes []byte, change func(*schemas.Media)) pipeline.Record {
		m := schemas.Media{MediaID: string(pipeline.DigestOf(bytes)), Kind: "image", Mime: "image/png", Bytes: int64(len(bytes)), Width: 64, Height: 48, License: "CC0-1.0"}
		change(&m)
		r, err := pipeline.NewRecord(schemas.NameMedia, m.MediaID+m.Kind+m.Mime, m, pipeline.DigestOf(bytes))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	as := func(*schemas.Media) {}
	broken := data[:len(data)/2]
	s := testkit.Subject{
		Register: visual.Register, Use: "visual.picture", Blobs: [][]byte{data, broken}, Golden: "2 ea54ce0b6aadb4956b87c04ce660d6d28f9b609912e05d759a12a8c4989c8509",
		Inputs: []pipeline.Record{
			row(data, as), row(broken, as), row(data, func(m *schemas.Media) { m.Mime, m.Kind = "image/jpeg", "image" }), row(data, func(m *schemas.Media) { m.Kind = "video" }),
		},
	}
	testkit.ConformGate(t, s)
}
