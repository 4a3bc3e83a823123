package video

import (
	"math"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

// bound is a number of a configuration with the values at its ends that work, and
// the nearest that do not.
type bound struct {
	name         string
	build        func(v float64) error
	good, refuse []float64
}

// of is a bound of a plugin's configuration that is otherwise its default.
func of[C any](name string, build func(C) (pipeline.Stage, error), set func(c *C, v float64), good, refuse []float64) bound {
	return bound{name, func(v float64) error {
		var c C
		if d, ok := any(&c).(pipeline.Defaulter); ok {
			d.SetDefaults()
		}
		set(&c, v)
		_, err := build(c)
		return err
	}, good, refuse}
}

func TestBoundsOfConfigurations(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, b := range []bound{
		of("pair max_use", newPair, func(c *PairConfig, v float64) { c.MaxUse = int(v) }, []float64{1, 1000}, []float64{0, 1001}),
		of("pair min_similarity", newPair, func(c *PairConfig, v float64) { c.MinSimilarity = v }, []float64{0, 1}, []float64{-0.01, 1.01, nan}),
		of("pair neighbours", newPair, func(c *PairConfig, v float64) { c.Neighbours = int(v) }, []float64{1, 256}, []float64{0, 257}),
		of("pair pool_per_kind", newPair, func(c *PairConfig, v float64) { c.PoolPerKind = int(v) }, []float64{0, 1000}, []float64{-1, 1001}),
		of("probe max_pixels", newProbe, func(c *ProbeConfig, v float64) { c.MaxPixels = int64(v) }, []float64{1}, []float64{0}),
		of("probe max_seconds", newProbe, func(c *ProbeConfig, v float64) { c.MaxSeconds = v }, []float64{0.1}, []float64{0}),
		of("probe min_frames", newProbe, func(c *ProbeConfig, v float64) { c.MinFrames = int64(v) }, []float64{1}, []float64{0}),
		of("normalise uniform", newNormalise, func(c *NormaliseConfig, v float64) { c.Boundaries.Uniform = []int{10, int(v)} }, []float64{2, 1000}, []float64{1, 1001}),
		of("normalise every", newNormalise, func(c *NormaliseConfig, v float64) { c.Boundaries.Every = []float64{10, v} }, []float64{1, 3600}, []float64{0.99, 3601, nan}),
		of("segment count", newSegment, func(c *SegmentConfig, v float64) { c.Count = int(v) }, []float64{1, 1000}, []float64{0, 1001}),
		of("segment seconds", newSegment, func(c *SegmentConfig, v float64) { c.Seconds = v }, []float64{0.5, 3600}, []float64{0.4, 3601, nan}),
		of("segment min_seconds", newSegment, func(c *SegmentConfig, v float64) { c.MinSeconds = v }, []float64{0.5, 30}, []float64{0.4, 30.1, nan}),
		of("segment max_seconds", newSegment, func(c *SegmentConfig, v float64) { c.MaxSeconds = v }, []float64{4, 3600}, []float64{3.9, 3601, nan, inf}),
		of("segment keep", newSegment, func(c *SegmentConfig, v float64) { c.Keep = int(v) }, []float64{0, 100_000}, []float64{-1, 100_001}),
		of("segment frames", newSegment, func(c *SegmentConfig, v float64) { c.Frames = int(v) }, []float64{0, maxFrames}, []float64{-1, maxFrames + 1}),
		of("segment side", newSegment, func(c *SegmentConfig, v float64) { c.Side = int(v) }, []float64{64, 4096}, []float64{63, 4097}),
		of("clip min_seconds", newClip, func(c *ClipConfig, v float64) { c.MinSeconds = v }, []float64{0, 30}, []float64{-0.1, 30.1, nan}),
		of("clip max_seconds", newClip, func(c *ClipConfig, v float64) { c.MaxSeconds = v }, []float64{2}, []float64{1.9, nan}),
		of("clip max_clips", newClip, func(c *ClipConfig, v float64) { c.MaxClips = int(v) }, []float64{1}, []float64{0}),
		of("clip max_per_label", newClip, func(c *ClipConfig, v float64) { c.MaxPerLabel = int(v) }, []float64{1}, []float64{0}),
		of("interleave segments", newInterleave, func(c *InterleaveConfig, v float64) { c.Segments = int(v) }, []float64{2, maxSegments}, []float64{1, maxSegments + 1}),
		of("interleave min_segment", newInterleave, func(c *InterleaveConfig, v float64) { c.MinSegment = v }, []float64{0, 600}, []float64{-0.1, 600.1, nan}),
		of("split swaps", newSplit, func(c *SplitConfig, v float64) { c.Swaps = int(v) }, []float64{1, 1000}, []float64{0, 1001}),
		of("nback-plan sequences", newNBackPlan, func(c *NBackPlanConfig, v float64) { c.Sequences = int(v) }, []float64{2, 10000}, []float64{0, 3, 10002}),
		of("nback-plan clips_per_sequence", newNBackPlan, func(c *NBackPlanConfig, v float64) { c.ClipsPerSequence = int(v) }, []float64{12, 100}, []float64{11, 101}),
		of("nback-plan labels_per_sequence", newNBackPlan, func(c *NBackPlanConfig, v float64) { c.LabelsPerSequence = int(v) }, []float64{2}, []float64{1}),
		of("nback-plan n", newNBackPlan, func(c *NBackPlanConfig, v float64) { c.N = []int{int(v)} }, []float64{1, 11}, []float64{0, 12}),
		of("reel-plan clips_per_reel", newReelPlan, func(c *ReelPlanConfig, v float64) { c.ClipsPerReel = int(v) }, []float64{2, 100}, []float64{1, 101}),
		of("ask questions_per_target", newAsk, func(c *AskConfig, v float64) { c.QuestionsPerTarget = int(v) }, []float64{1, maxQuestions}, []float64{0, maxQuestions + 1}),
		of("author questions_per_target", newAuthor, func(c *AuthorConfig, v float64) { c.QuestionsPerTarget = int(v) }, []float64{1, maxQuestions}, []float64{0, maxQuestions + 1}),
		of("author attempts", newAuthor, func(c *AuthorConfig, v float64) { c.Attempts = int(v) }, []float64{1, maxAttempts}, []float64{0, maxAttempts + 1}),
		of("annotate attempts", newAnnotate, func(c *AnnotateConfig, v float64) { c.Attempts = int(v) }, []float64{1, maxAttempts}, []float64{0, maxAttempts + 1}),
		of("describe frames", newDescribe, func(c *DescribeConfig, v float64) { c.Frames = int(v) }, []float64{0, maxFrames}, []float64{-1, maxFrames + 1}),
		of("separability blocks", newSeparability, func(c *SeparabilityConfig, v float64) { c.Blocks = int(v) }, []float64{2, 50}, []float64{1, 51}),
		of("separability frames", newSeparability, func(c *SeparabilityConfig, v float64) { c.Frames = int(v) }, []float64{1, 40}, []float64{0, 41}),
		of("separability title_seconds", newSeparability, func(c *SeparabilityConfig, v float64) { c.TitleSeconds = v }, []float64{0, 60}, []float64{-0.1, 60.1, nan}),
	} {
		for _, v := range b.good {
			if err := b.build(v); err != nil {
				t.Errorf("%s %g: %v", b.name, v, err)
			}
		}
		for _, v := range b.refuse {
			if b.build(v) == nil {
				t.Errorf("%s %g is taken", b.name, v)
			}
		}
	}
}
