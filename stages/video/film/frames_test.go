package film

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/sources/procedural"
)

// TestGoldenFrames pins frames of films of all places. Package gg computes in floating
// point, so the pixels are those of one architecture; who means to change them raises the
// version of video.film.
func TestGoldenFrames(t *testing.T) {
	if runtime.GOARCH != "amd64" {
		t.Skip("the golden file is of amd64")
	}
	films := written(t, 14, func(c *procedural.Config) {})
	for _, name := range []string{"film.json", "clip.json", "small.json"} {
		films = append(films, script(t, name))
	}
	fs, err := loadAssets()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, f := range films {
		a := newFrameRendererWith(f, fs)
		fmt.Fprintf(&out, "%s, %d x %d:", f.Title, f.Width, f.Height)
		for _, n := range momentsOf(f) {
			fmt.Fprintf(&out, " %d %.12s", n, pipeline.DigestOf(a.drawFrame(n).Pix))
		}
		out.WriteString("\n")
	}
	golden.Check(t, "frames", out.String())
}

// momentsOf returns the title card, the middle of a few events, and the end.
func momentsOf(f schemas.Film) []int64 {
	out := []int64{0}
	for i := 0; i < len(f.Events); i += max(1, len(f.Events)/4) {
		out = append(out, int64((f.Events[i].Start+f.Events[i].End)/2*float64(f.FPS)))
	}
	return append(out, f.Frames-1)
}
