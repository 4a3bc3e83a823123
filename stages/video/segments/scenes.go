package segments

import (
	"cmp"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// cutSlack is how far from a cut its keyframe may stand, in seconds: times
// count from the first picture, frames from the begin of the file, and the
// picture may begin 0.15 s after that.
const cutSlack = 0.2

// CutAtScenes cuts at the scene changes of f. Of cuts that would leave a span shorter
// than min seconds the one at which the picture changes most counts; one without
// a keyframe nearby is passed over. Spans longer than max seconds are cut into
// equal parts at the nearest keyframes. The error is a *pipeline.Rejection when
// the whole video is shorter than min, or a long span has no keyframes.
func CutAtScenes(m schemas.NormalisedVideo, f schemas.VideoFacts, min, max float64) ([]int64, error) {
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
	cuts := slices.DeleteFunc(keyframesAtCuts(m, keys, f), func(c cut) bool { return c.frame < shortest || m.Frames-c.frame < shortest })
	starts := append([]int64{0}, keepApart(cuts, shortest)...)
	return splitLongSpans(m, keys, starts, shortest, longest)
}

// cut is a scene change: the frame at which it stands, and how much the picture
// changes there.
type cut struct {
	frame  int64
	change float64
}

// keepApart are the frames of cuts that keep a distance, sorted: the one that changes
// most goes first, the earlier of two alike, so that a small jump beside a change
// of scene does not hide it.
func keepApart(cuts []cut, distance int64) []int64 {
	cuts = slices.SortedStableFunc(slices.Values(cuts), func(a, b cut) int {
		return cmp.Or(cmp.Compare(b.change, a.change), cmp.Compare(a.frame, b.frame))
	})
	var kept []int64
	for _, c := range cuts {
		if !slices.ContainsFunc(kept, func(k int64) bool { return far(k, c.frame) < max(1, distance) }) {
			kept = append(kept, c.frame)
		}
	}
	slices.Sort(kept)
	return kept
}

// ChangeFrames are the frames of a normalised video that deserve a keyframe because
// the scene changes there: as of Scenes, at least so many seconds apart.
func ChangeFrames(f schemas.VideoFacts, fps int32, seconds float64) []int64 {
	cuts := make([]cut, len(f.Cuts))
	for i, c := range f.Cuts {
		cuts[i] = cut{media.FrameAt(f, c, fps), changeAt(f, i)}
	}
	return keepApart(cuts, int64(math.Ceil(seconds*float64(fps))))
}

// changeAt is that at the i-th cut; 0 where it was not measured.
func changeAt(f schemas.VideoFacts, i int) float64 {
	if i < len(f.CutChanges) {
		return f.CutChanges[i]
	}
	return 0
}

// keyframesAtCuts are the keyframes that stand at cuts.
func keyframesAtCuts(m schemas.NormalisedVideo, keys []int64, f schemas.VideoFacts) []cut {
	var at []cut
	for i, c := range f.Cuts {
		if !(c > 0) || c*float64(m.FPS) >= float64(m.Frames) {
			continue
		}
		frame := int64(math.Round(c * float64(m.FPS)))
		if k := nearestKeyframe(keys, frame); float64(far(k, frame)) <= cutSlack*float64(m.FPS)+1 {
			at = append(at, cut{k, changeAt(f, i)})
		}
	}
	return at
}

// splitLongSpans cuts spans that are too long.
func splitLongSpans(m schemas.NormalisedVideo, keys, starts []int64, shortest, longest int64) ([]int64, error) {
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
			k := nearestKeyframe(keys, ideal)
			last := out[len(out)-1]
			if k <= last || k-last < shortest || to-k < max(1, shortest) {
				return nil, pipeline.Reject(CodeNoKeyframe, "a scene from frame %d to %d is longer than %d frames, and no keyframe stands near frame %d; add a length to `boundaries.every` of the step that normalises the video", from, to, longest, ideal)
			}
			out = append(out, k)
		}
	}
	return out, nil
}
