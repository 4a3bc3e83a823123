package video

import (
	"context"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// SplitConfig configures video.split.
type SplitConfig struct {
	Swaps   int    `json:"swaps" doc:"how often left and right are exchanged in the swapped variant (M3Eval: 10)"`
	Preset  string `json:"preset" doc:"libx264 preset"`
	CRF     int32  `json:"crf" doc:"libx264 quality, 0 (lossless) to 51"`
	Threads int32  `json:"threads" doc:"encoder threads; they change the bytes"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *SplitConfig) SetDefaults() {
	p := media.DefaultProfile()
	*c = SplitConfig{Swaps: 10, Preset: p.Preset, CRF: p.CRF, Threads: p.Threads}
}

// splitStage shows the videos of a pair side by side, without and with periodic
// exchange of sides (M3Eval 3.1.1).
type splitStage struct {
	cfg   SplitConfig
	tools *media.Tools
}

func newSplit(c SplitConfig) (pipeline.Stage, error) {
	if err := pipeline.CheckRange("swaps", c.Swaps, 1, 1000); err != nil {
		return nil, err
	}
	p := media.DefaultProfile()
	p.Preset, p.CRF, p.Threads = c.Preset, c.CRF, c.Threads
	if err := p.Check(); err != nil {
		return nil, err
	}
	return &splitStage{c, media.Lazy()}, nil
}

func (*splitStage) Spec() pipeline.Spec { return composeSpec() }

func (s *splitStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := pipeline.Decode[schemas.Pair](in)
	if err != nil {
		return nil, err
	}
	if why := checkSameFormat(p.A, p.B); why != nil {
		return nil, why
	}
	if n := min(p.A.Normalised.Frames, p.B.Normalised.Frames); int64(s.cfg.Swaps) >= n {
		return nil, pipeline.Reject("too-short", "%d swaps do not fit into %d frames; use longer videos or lower swaps", s.cfg.Swaps, n)
	}
	out, err := s.renderScreens(ctx, scope, p)
	if err != nil {
		return nil, err
	}
	plain, err := s.storeVariant(ctx, scope, p, out.Plain, nil)
	if err != nil {
		return nil, err
	}
	swapped, err := s.storeVariant(ctx, scope, p, out.Swapped, out.SwapFrames)
	if err != nil {
		return nil, err
	}
	return pairRecords(p, schemas.LayoutSplit, "Two similar videos side by side, with and without exchange of sides.",
		[]schemas.Composition{
			{Pair: p, Media: plain, Order: orderAB, SideSwapFrames: out.SwapFrames},
			{Pair: p, Media: swapped, Order: orderAB, Swaps: int32(s.cfg.Swaps), SideSwapFrames: out.SwapFrames},
		})
}

func (s *splitStage) renderScreens(ctx context.Context, scope *pipeline.Scope, p schemas.Pair) (media.Split, error) {
	a, err := standaloneFiles(ctx, scope, s.tools, p.A.Normalised)
	if err != nil {
		return media.Split{}, err
	}
	b, err := standaloneFiles(ctx, scope, s.tools, p.B.Normalised)
	if err != nil {
		return media.Split{}, err
	}
	dir, err := scope.TempDir()
	if err != nil {
		return media.Split{}, err
	}
	profile := joinProfile(p.A.Normalised)
	profile.Preset, profile.CRF, profile.Threads = s.cfg.Preset, s.cfg.CRF, s.cfg.Threads
	out, err := s.tools.SplitScreen(ctx, a, b, s.cfg.Swaps, profile, dir, media.DefaultLimits())
	if err != nil {
		return media.Split{}, rejectUnplayable("split-screen", pairID(p), err)
	}
	return out, nil
}

func (s *splitStage) storeVariant(ctx context.Context, scope *pipeline.Scope, p schemas.Pair, out media.Output, swaps []int64) (schemas.Media, error) {
	return storeComposed(ctx, scope, out, splitRecipe(p, out.Frames, swaps), p.A.Normalised.FPS, combinedLicense(p.A, p.B))
}

// splitRecipe is the recipe of A on the left and B on the right, exchanged at
// each of the swap frames.
func splitRecipe(p schemas.Pair, frames int64, swaps []int64) schemas.Recipe {
	return schemas.Recipe{
		Layout: schemas.LayoutSplit, SwapFrames: swaps,
		Segments: append(segmentsOf(piece{p.A, 0, frames, "A"}, regionLeft, 0), segmentsOf(piece{p.B, 0, frames, "B"}, regionRight, 0)...),
	}
}
