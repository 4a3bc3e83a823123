package media

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/testkit/golden"
)

// TestGoldenCosts pins what work on media is said to take.
func TestGoldenCosts(t *testing.T) {
	var out strings.Builder
	amount := pipeline.Amount{Records: 10, Seconds: 300, Sound: 200, Megapixels: 1000, Bytes: 1e8, Detail: 0.5}
	for _, a := range []pipeline.Amount{amount, MarkDrawn(amount), PlayingAmount(4, 30, 640, 360, 25), FootageAmount(4, 30), StillsAmount(8, 1280, 720, 512), StillsAmount(8, 320, 640, 640), NormalisedAmount(amount, Profile{Width: 640, Height: 360, FPS: 25}, 3)} {
		fmt.Fprintf(&out, "%+v\n", a)
		for _, f := range []func(pipeline.Amount) float64{ReadingCPU, CopyingCPU, DecodingCPU, EncodingCPU, ScalingCPU, MeasuringCPU, StillsCPU, EncodedBytes, PictureBytes} {
			fmt.Fprintf(&out, " %.6g", f(a))
		}
		out.WriteString("\n")
	}
	fmt.Fprintf(&out, "runs %.6g\ndetail", RunsCPU(3))
	for _, c := range [][2]float64{{1e6, 0}, {1e6, -1}, {0, 10}, {36_000, 10}, {60_000, 10}, {120_000, 10}, {240_000, 10}} {
		fmt.Fprintf(&out, " %.6g", estimateDetail(c[0], c[1]))
	}
	golden.Check(t, "costs", out.String()+"\n")
}
