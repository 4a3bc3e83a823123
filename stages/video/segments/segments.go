// Package segments cuts a normalised video into consecutive spans that begin
// at keyframes, so that each can be joined to others without encoding again.
// Every function returns the frames at which the spans begin; the first is 0,
// each span ends where the next begins and the last one with the video.
//
// The keyframes are those that the mezzanine records, not those that were
// asked for: a span begins at the keyframe nearest to where it should.
package segments

import (
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline"
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

// Keyframes lists every keyframe of a mezzanine, sorted; the first is 0.
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

// EvenStarts are the begins of n equal spans of a video of some frames. They are
// distinct when n is at most frames.
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
		if len(free) == 0 || far(nearestKeyframe(free, ideal), ideal) > slack {
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
		if far(k, ideal) > max(1, step/4) || k <= starts[len(starts)-1] {
			return nil, pipeline.Reject(CodeNoKeyframe, "a segment should begin at frame %d, where no keyframe stands (nearest %d); add %g to `boundaries.every` of the step that normalises the video", ideal, k, seconds)
		}
		starts = append(starts, k)
	}
	return starts, nil
}

// nearestKeyframe is the keyframe nearest to a frame, the earlier one of two.
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

func far(a, b int64) int64 { return max(a-b, b-a) }
