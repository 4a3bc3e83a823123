package segments

import (
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// cutSlack is how far from a cut its keyframe may stand, in seconds: times
// count from the first picture, frames from the begin of the file, and the
// picture may begin 0.15 s after that.
const cutSlack = 0.2

// Scenes cuts at scene changes: cuts are their times in seconds, as in
// schemas.VideoFacts. A cut that would leave a span shorter than min seconds
// is passed over, so is one without a keyframe nearby. Spans longer than max
// seconds are cut into equal parts at the nearest keyframes. The error is a
// *pipeline.Rejection when the whole video is shorter than min, or a long span
// has no keyframes.
func Scenes(m schemas.Mezzanine, cuts []float64, min, max float64) ([]int64, error) {
	if !(min >= 0) || !(max >= 2*min) || m.FPS < 1 {
		return nil, pipeline.Reject("bad-scenes", "scenes of %g to %g s at %d frames a second: the longest must be at least twice the shortest", min, max, m.FPS)
	}
	fps := float64(m.FPS)
	shortest := int64(math.Ceil(min * fps))
	longest := int64(max * fps)
	if m.Frames < 1 || m.Frames < shortest || longest < 1 {
		return nil, pipeline.Reject(CodeTooShort, "%d frames are shorter than one scene of %g s; use longer videos or lower the shortest scene", m.Frames, min)
	}
	keys := Keyframes(m)
	starts := []int64{0}
	for _, k := range atCuts(m, keys, cuts) {
		last := starts[len(starts)-1]
		if k > last && k-last >= shortest && m.Frames-k >= shortest {
			starts = append(starts, k)
		}
	}
	return breakUp(m, keys, starts, shortest, longest)
}

// atCuts are the keyframes that stand at cuts, sorted.
func atCuts(m schemas.Mezzanine, keys []int64, cuts []float64) []int64 {
	var at []int64
	for _, c := range cuts {
		if !(c > 0) || c*float64(m.FPS) >= float64(m.Frames) {
			continue
		}
		frame := int64(math.Round(c * float64(m.FPS)))
		if k := nearest(keys, frame); float64(far(k, frame)) <= cutSlack*float64(m.FPS)+1 {
			at = append(at, k)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// breakUp cuts spans that are too long.
func breakUp(m schemas.Mezzanine, keys, starts []int64, shortest, longest int64) ([]int64, error) {
	var out []int64
	for i, from := range starts {
		to := m.Frames
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		out = append(out, from)
		parts := (to - from + longest - 1) / longest
		for j := int64(1); j < parts; j++ {
			ideal := from + j*(to-from)/parts
			k := nearest(keys, ideal)
			last := out[len(out)-1]
			if k <= last || k-last < shortest || to-k < max(1, shortest) {
				return nil, pipeline.Reject(CodeNoKeyframe, "a scene from frame %d to %d is longer than %d frames, and no keyframe stands near frame %d; normalise with boundaries.every", from, to, longest, ideal)
			}
			out = append(out, k)
		}
	}
	return out, nil
}
