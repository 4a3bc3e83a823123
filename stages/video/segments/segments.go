// Package segments cuts a normalised video into consecutive spans that begin
// at keyframes, so that each can be joined to others without encoding again.
// Every function returns the frames at which the spans begin; the first is 0,
// each span ends where the next begins and the last one with the video.
//
// The keyframes are those that the normalised video records, not those that were
// asked for: a span begins at the keyframe nearest to where it should.
package segments

import (
	"cmp"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/media"
	"github.com/memforge/memforge/schemas"
)

// Codes of the rejections.
const (
	// CodeTooShort: the video has not enough frames for the spans asked for.
	CodeTooShort = "too-short"
	// CodeNoKeyframe: no keyframe stands near a boundary.
	CodeNoKeyframe = "no-keyframe"
	// CodeFewClips: a joined video has fewer clips than spans are asked for.
	CodeFewClips = "few-clips"
)

// Keyframes lists every keyframe of a normalised video, sorted; the first is 0.
func Keyframes(m schemas.NormalisedVideo) []int64 {
	keys := []int64{0}
	for k := int64(m.KeyEvery); m.KeyEvery > 0 && k < m.Frames; k += int64(m.KeyEvery) {
		keys = append(keys, k)
	}
	for _, k := range m.Keyframes {
		if k > 0 && k < m.Frames {
			keys = append(keys, k)
		}
	}
	slices.Sort(keys)
	return slices.Compact(keys)
}

// EvenStarts returns the begins of n equal spans of a video of some frames.
// They are distinct when n is at most frames.
func EvenStarts(frames int64, n int) []int64 {
	starts := make([]int64, n)
	for i := range starts {
		starts[i] = int64(i) * frames / int64(n)
	}
	return starts
}

// CutUniformly cuts into n spans of about equal length: none begins further than a
// quarter of that length from where it should. The error is a
// *pipeline.Rejection when the video is too short, or has no keyframes there
// because it was normalised without that boundary.
func CutUniformly(m schemas.NormalisedVideo, n int) ([]int64, error) {
	if n < 1 || int64(n) > m.Frames {
		return nil, pipeline.Reject(CodeTooShort, "%d segments do not fit into %d frames; use longer videos or fewer segments", n, m.Frames)
	}
	starts := EvenStarts(m.Frames, n)
	keys := Keyframes(m)
	// A prediction of the length may be two frames off, however short spans are.
	slack := max(2, m.Frames/int64(4*n))
	used := 0
	for i, ideal := range starts[1:] {
		// The keyframes behind the last one used, but for those the rest needs.
		free := keys[used+1 : max(used+1, len(keys)-(n-2-i))]
		if len(free) == 0 || absDistance(nearestKeyframe(free, ideal), ideal) > slack {
			return nil, pipeline.Reject(CodeNoKeyframe, "segment %d of %d should begin at frame %d, and no keyframe is left there (nearest %d); add %d to `boundaries.uniform` of the step that normalises the video (to `segments` where it is drawn)", i+1, n, ideal, nearestKeyframe(keys, ideal), n)
		}
		starts[i+1] = nearestKeyframe(free, ideal)
		used, _ = slices.BinarySearch(keys, starts[i+1])
	}
	return starts, nil
}

// CutAtClips cuts a video of some frames into n spans that begin where clips do,
// which ascend from 0: of all such cuts one near to equal spans, each boundary at
// the nearest begin that leaves the spans behind it one each. The error is a
// *pipeline.Rejection where there are fewer clips than spans.
func CutAtClips(clips []int64, frames int64, n int) ([]int64, error) {
	if n < 1 || n > len(clips) {
		return nil, pipeline.Reject(CodeFewClips, "it was joined of %d clips and is to be cut between these into %d segments; ask for fewer segments or join more clips", len(clips), n)
	}
	starts := make([]int64, n)
	used := 0
	for i, ideal := range EvenStarts(frames, n)[1:] {
		free := clips[used+1 : len(clips)-(n-2-i)]
		starts[i+1] = nearestKeyframe(free, ideal)
		used, _ = slices.BinarySearch(clips, starts[i+1])
	}
	return starts, nil
}

// CutAtInterval cuts every so many seconds. What is left at the end becomes a span of
// its own when it lasts at least half as long, and else belongs to the last
// one. No span begins further than a quarter of the length from where it
// should. The error is a *pipeline.Rejection.
func CutAtInterval(m schemas.NormalisedVideo, seconds float64) ([]int64, error) {
	step := int64(math.Round(seconds * float64(m.FPS)))
	if !(seconds > 0) || step < 1 || m.Frames < step {
		return nil, pipeline.Reject(CodeTooShort, "segments of %g s do not fit into %d frames at %d a second; use longer videos or shorter segments", seconds, m.Frames, m.FPS)
	}
	keys := Keyframes(m)
	starts := []int64{0}
	for ideal := step; m.Frames-ideal >= (step+1)/2; ideal += step {
		k := nearestKeyframe(keys, ideal)
		if absDistance(k, ideal) > max(1, step/4) || k <= starts[len(starts)-1] {
			return nil, pipeline.Reject(CodeNoKeyframe, "a segment should begin at frame %d, where no keyframe stands (nearest %d); add %g to `boundaries.every` of the step that normalises the video", ideal, k, seconds)
		}
		starts = append(starts, k)
	}
	return starts, nil
}

func nearestKeyframe(keys []int64, frame int64) int64 {
	i, found := slices.BinarySearch(keys, frame)
	switch {
	case found:
		return frame
	case i == len(keys):
		return keys[i-1]
	case i == 0 || keys[i]-frame < frame-keys[i-1]:
		return keys[i]
	}
	return keys[i-1]
}

func absDistance(a, b int64) int64 { return max(a-b, b-a) }

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

// keepApart returns the frames of cuts that keep a distance, sorted: the one
// that changes most goes first, the earlier of two alike, so that a small jump
// beside a change of scene does not hide it.
func keepApart(cuts []cut, distance int64) []int64 {
	cuts = slices.SortedStableFunc(slices.Values(cuts), func(a, b cut) int {
		return cmp.Or(cmp.Compare(b.change, a.change), cmp.Compare(a.frame, b.frame))
	})
	var kept []int64
	for _, c := range cuts {
		if !slices.ContainsFunc(kept, func(k int64) bool { return absDistance(k, c.frame) < max(1, distance) }) {
			kept = append(kept, c.frame)
		}
	}
	slices.Sort(kept)
	return kept
}

// ChangeFrames returns the frames of a normalised video that deserve a keyframe
// because the scene changes there: as of CutAtScenes, at least so many seconds
// apart.
func ChangeFrames(f schemas.VideoFacts, fps int32, seconds float64) []int64 {
	cuts := make([]cut, len(f.Cuts))
	for i, c := range f.Cuts {
		cuts[i] = cut{media.FrameAt(f, c, fps), changeAt(f, i)}
	}
	return keepApart(cuts, int64(math.Ceil(seconds*float64(fps))))
}

func changeAt(f schemas.VideoFacts, i int) float64 {
	if i < len(f.CutChanges) {
		return f.CutChanges[i]
	}
	return 0
}

func keyframesAtCuts(m schemas.NormalisedVideo, keys []int64, f schemas.VideoFacts) []cut {
	var at []cut
	for i, c := range f.Cuts {
		if !(c > 0) || c*float64(m.FPS) >= float64(m.Frames) {
			continue
		}
		frame := int64(math.Round(c * float64(m.FPS)))
		if k := nearestKeyframe(keys, frame); float64(absDistance(k, frame)) <= cutSlack*float64(m.FPS)+1 {
			at = append(at, cut{k, changeAt(f, i)})
		}
	}
	return at
}

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

// JoinedKeyframes lists the keyframes of normalised videos played whole one after the other:
// KeyEvery is 0, for the regular distance of the parts has no common origin.
func JoinedKeyframes(parts ...schemas.NormalisedVideo) (keyEvery int32, keyframes []int64) {
	at := int64(0)
	for _, m := range parts {
		for _, k := range Keyframes(m) {
			if at+k > 0 {
				keyframes = append(keyframes, at+k)
			}
		}
		at += m.Frames
	}
	return 0, keyframes
}
