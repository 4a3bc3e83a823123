package lifelong_test

import (
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/draw/widget"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/stages/lifelong"
	"github.com/memforge/memforge/stages/lifelong/simulate"
)

// traces are a table, a chart and a screen.
func traces() map[string]simulate.Picture {
	return map[string]simulate.Picture{
		simulate.Sheet:  {Kind: simulate.Sheet, Title: "Larkspur survey", Rows: [][2]string{{"sample size", "120"}, {"travel budget", "3,400 euros"}}},
		simulate.Chart:  {Kind: simulate.Chart, Title: "Falcon thesis", Rows: [][2]string{{"hours of work in March", "45"}, {"hours of work in April", "60"}, {"hours of work in May", "12"}}},
		simulate.Screen: {Kind: simulate.Screen, App: "shop", Title: "Amber lamp order", Rows: [][2]string{{"amount due", "3,400 euros"}, {"carrier", "Oakbridge Group"}}},
	}
}

// rowOf is the row of a trace.
func rowOf(x simulate.Picture, data []byte) lifelong.RenderedPicture {
	out := lifelong.RenderedPicture{PictureID: "exhibit-" + x.Kind, MediaID: string(pipeline.DigestOf(data)), Kind: x.Kind, Title: x.Title}
	for _, r := range x.Rows {
		out.Rows = append(out.Rows, lifelong.PictureRow{Name: r[0], Value: r[1]})
	}
	return out
}

// TestLegibleFindsWhatIsPlanted: a row of another value, name, title, order or kind than
// its picture, and a file that is no picture, are found; the row as it was passes.
func TestLegibleFindsWhatIsPlanted(t *testing.T) {
	t.Parallel()
	e := newEyes(t)
	judge, err := lifelong.Legible()
	if err != nil {
		t.Fatal(err)
	}
	for kind, x := range traces() {
		data := e.file(t, widget.Light(draw.Hex(0x2563eb)), x)
		for name, c := range map[string]struct {
			code  string
			spoil func(*lifelong.RenderedPicture)
		}{
			"nothing": {"", func(*lifelong.RenderedPicture) {}},
			"value":   {"other-content", func(r *lifelong.RenderedPicture) { r.Rows[0].Value = "121" }},
			"name":    {"other-content", func(r *lifelong.RenderedPicture) { r.Rows[1].Name = "carriers" }},
			"order":   {"other-content", func(r *lifelong.RenderedPicture) { r.Rows[0], r.Rows[1] = r.Rows[1], r.Rows[0] }},
			"title":   {"other-content", func(r *lifelong.RenderedPicture) { r.Title = "Falcon survey" }},
			"row":     {"other-content", func(r *lifelong.RenderedPicture) { r.Rows = r.Rows[:1] }},
			"kind":    {"illegible", func(r *lifelong.RenderedPicture) { r.Kind = "map" }},
		} {
			row := rowOf(x, data)
			c.spoil(&row)
			if j, err := judge(data, row); err != nil || j.Code != c.code {
				t.Errorf("%s with another %s: %+v, %v; want %q", kind, name, j, err, c.code)
			}
		}
		if j, err := judge(data[:len(data)/2], rowOf(x, data)); err != nil || j.Code != "bad-picture" {
			t.Errorf("half of a %s: %+v, %v", kind, j, err)
		}
	}
}

func TestLegibleConforms(t *testing.T) {
	e, s := newEyes(t), testkit.Subject{Register: lifelong.Register, Use: "trace-legible", Types: recordTypes(), Golden: "1 9b43e05df8de55a1cff812db295b828e21fff17de05866c71631e622ef7f342d"}
	for _, kind := range []string{simulate.Sheet, simulate.Chart, simulate.Screen} {
		x := traces()[kind]
		data := e.file(t, widget.Light(draw.Hex(0x2563eb)), x)
		for _, value := range []string{x.Rows[0][1], "121"} {
			row := rowOf(x, data)
			row.PictureID, row.Rows[0].Value = row.PictureID+value, value
			r, err := pipeline.NewRecord("lifelong.exhibit", row.PictureID, row, pipeline.DigestOf(data))
			if err != nil {
				t.Fatal(err)
			}
			s.Inputs = append(s.Inputs, r)
		}
		s.Blobs = append(s.Blobs, data)
	}
	testkit.ConformGate(t, s)
}
