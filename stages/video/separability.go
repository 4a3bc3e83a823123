package video

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/separability"
)

// SeparabilityConfig configures video.separability.
type SeparabilityConfig struct {
	Blocks       int     `json:"blocks" doc:"into how many blocks of time a video is cut; each is judged by what was learnt from the others. A video that was joined of clips has these for blocks"`
	Frames       int     `json:"frames" doc:"how many frames of a block are measured"`
	TitleSeconds float64 `json:"title_seconds" doc:"what is left out at the begin of a video with a title, in seconds, but never more than a quarter of it: a title card is no part of how a video looks"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *SeparabilityConfig) SetDefaults() {
	*c = SeparabilityConfig{Blocks: 8, Frames: 8, TitleSeconds: 3}
}

type separabilityStage struct {
	cfg   SeparabilityConfig
	tools *media.Tools
}

func newSeparability(c SeparabilityConfig) (pipeline.Stage, error) {
	if err := cmp.Or(pipeline.CheckRange("blocks", c.Blocks, 2, 50), pipeline.CheckRange("frames", c.Frames, 1, 40),
		checkWithin("title_seconds", c.TitleSeconds, 0, 60)); err != nil {
		return nil, err
	}
	return &separabilityStage{c, media.Lazy()}, nil
}

func (*separabilityStage) Spec() pipeline.Spec {
	return ffmpegSpec(schemas.NamePair, schemas.NamePair)
}

func (s *separabilityStage) Map(ctx context.Context, scope *pipeline.Scope, in pipeline.Record) ([]pipeline.Record, error) {
	p, err := pipeline.Decode[schemas.Pair](in)
	if err != nil {
		return nil, err
	}
	a, err := s.measureBlocks(ctx, scope, p.A)
	if err != nil {
		return nil, pipeline.WithSubject(err, "measure video A of %s", in.ID)
	}
	b, err := s.measureBlocks(ctx, scope, p.B)
	if err != nil {
		return nil, pipeline.WithSubject(err, "measure video B of %s", in.ID)
	}
	measured := separability.Measure(a, b)
	p.Separability = &measured
	return singleRecord(pipeline.NewRecord(schemas.NamePair, in.ID, p, in.Blobs...))
}

func (s *separabilityStage) measureBlocks(ctx context.Context, scope *pipeline.Scope, v schemas.Video) ([][]media.FrameAppearance, error) {
	if why := checkNormalised(v); why != nil {
		return nil, why
	}
	var frames []int64
	var sizes []int
	for _, b := range s.blockSpans(v) {
		some := b.Spread(s.cfg.Frames)
		if len(some) == 0 {
			return nil, pipeline.Reject("too-short", "its %d frames are too few for %d blocks; use longer videos or fewer blocks", v.Normalised.Frames, s.cfg.Blocks)
		}
		frames, sizes = append(frames, some...), append(sizes, len(some))
	}
	m, err := localFiles(ctx, scope, v.Normalised)
	if err != nil {
		return nil, err
	}
	all, err := s.tools.FrameAppearances(ctx, m.Video, frames)
	if err != nil {
		return nil, err
	}
	out := make([][]media.FrameAppearance, len(sizes))
	for i, n := range sizes {
		out[i], all = all[:n:n], all[n:]
	}
	return out, nil
}

// guardDivisor: one guard-th of a block, at each of its ends, gives no frames. So a
// quarter of a block lies between frames that are judged and those learnt from.
const guardDivisor = 8

// blockSpans returns the frames of the video's file in which each block is
// measured.
func (s *separabilityStage) blockSpans(v schemas.Video) []media.Span {
	var out []media.Span
	add := func(from, to int64) {
		gap := (to - from) / guardDivisor
		out = append(out, media.Span{From: v.Normalised.From + from + gap, To: v.Normalised.From + to - gap})
	}
	if len(v.Parts) > 1 {
		for _, p := range v.Parts {
			add(p.At, p.At+p.To-p.From)
		}
		return out
	}
	first := int64(0)
	if v.Title != "" {
		first = min(int64(math.Ceil(s.cfg.TitleSeconds*float64(v.Normalised.FPS))), v.Normalised.Frames/4)
	}
	n, long := int64(s.cfg.Blocks), v.Normalised.Frames-first
	for i := range n {
		add(first+i*long/n, first+(i+1)*long/n)
	}
	return out
}

// separabilityText says in the summary of a task how well frames tell the
// videos of its pair apart.
func separabilityText(p schemas.Pair) string {
	s := p.Separability
	if s == nil {
		return ""
	}
	return fmt.Sprintf(" Single frames tell the two apart in %.0f %% [%.0f, %.0f] (%d frames in %d blocks; %s).",
		100*s.Accuracy, 100*s.Low, 100*s.High, s.Frames, s.Blocks, s.Method)
}

// sourceTypes ask in which of two videos something is to be seen. Who cannot
// tell the two apart cannot answer. In the other types the options are all of
// the video asked about or of neither, or the two follow each other.
var sourceTypes = []string{
	schemas.TypeSourceIdentification, schemas.TypeSourceMemory, schemas.TypeFalseMemory,
	schemas.TypeSpatialGrounding, schemas.TypeTemporalGrounding,
}

func checkMinSeparability(floor float64) error { return checkWithin("min_separability", floor, 0, 1) }

// checkWithin says that a number of a configuration is NaN or not within its
// bounds.
func checkWithin(name string, v, least, most float64) error {
	if !(v >= least && v <= most) {
		return fmt.Errorf("%s is %g; want %g to %g", name, v, least, most)
	}
	return nil
}

// askableTypes removes the types that ask in which video something happens
// where a pair is less separable than floor. It rejects a pair that was not
// measured, or that leaves no type.
func askableTypes(types []string, p schemas.Pair, floor float64) ([]string, *pipeline.Rejection) {
	if floor == 0 {
		return types, nil
	}
	s := p.Separability
	if s == nil {
		return nil, pipeline.Reject("not-measured", "its pair has no separability, and min_separability is %g; put video.separability behind video.pair", floor)
	}
	if s.Accuracy >= floor {
		return types, nil
	}
	left := slices.DeleteFunc(slices.Clone(types), func(t string) bool { return slices.Contains(sourceTypes, t) })
	if len(left) == 0 {
		return nil, pipeline.Reject("not-separable", "single frames tell its two videos apart in %.0f %%, less than min_separability %g, and every type asked for is about which of the two; pair videos that look different, or ask other types", 100*s.Accuracy, floor)
	}
	return left, nil
}
