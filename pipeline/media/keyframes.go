package media

import (
	"fmt"
	"slices"
	"strings"

	ff "github.com/u2takey/ffmpeg-go"
)

// MaxKeyframes bounds the keyframes that may be asked for in one file besides
// the regular ones: they are named on the command line, which has an end.
const MaxKeyframes = 4096

// extraKeys sorts the frames that need a keyframe of their own: the regular
// ones and doubles are left out.
func extraKeys(keys []int64, p Profile) ([]int64, error) {
	extra := make([]int64, 0, len(keys))
	for _, k := range keys {
		if k < 0 {
			return nil, fmt.Errorf("keyframe at frame %d: frames count from 0", k)
		}
		if k%int64(p.KeyEvery) != 0 {
			extra = append(extra, k)
		}
	}
	slices.Sort(extra)
	extra = slices.Compact(extra)
	if len(extra) > MaxKeyframes {
		return nil, fmt.Errorf("%d keyframes besides the regular ones, at most %d are possible; ask for fewer boundaries", len(extra), MaxKeyframes)
	}
	return extra, nil
}

// forceKeys sets the extra keyframes. Each of them restarts the encoder's
// count, so the next regular one is named as well; from there on the encoder
// finds the grid by itself.
func forceKeys(extra []int64, p Profile) ff.KwArgs {
	if len(extra) == 0 {
		return ff.KwArgs{}
	}
	var all []int64
	every := int64(p.KeyEvery)
	for _, k := range extra {
		all = append(all, k, (k/every+1)*every)
	}
	slices.Sort(all)
	var times []string
	for _, k := range slices.Compact(all) {
		// To the nearest microsecond; ffmpeg turns it back into the nearest
		// frame, which is this one at any rate a profile allows.
		micros := (k*2_000_000 + int64(p.FPS)) / (2 * int64(p.FPS))
		times = append(times, fmt.Sprintf("%d.%06d", micros/1_000_000, micros%1_000_000))
	}
	return ff.KwArgs{"force_key_frames": strings.Join(times, ",")}
}

// irregularKeys returns the keyframes found that are no multiples of KeyEvery. It
// is an error when a regular or an extra one is missing.
func irregularKeys(found, extra []int64, frames int64, p Profile) ([]int64, error) {
	must := func(k int64) error {
		if _, ok := slices.BinarySearch(found, k); !ok {
			return fmt.Errorf("no keyframe stands at frame %d, where one was asked for", k)
		}
		return nil
	}
	for k := int64(0); k < frames; k += int64(p.KeyEvery) {
		if err := must(k); err != nil {
			return nil, err
		}
	}
	for _, k := range extra {
		if k >= frames {
			break
		}
		if err := must(k); err != nil {
			return nil, err
		}
	}
	return slices.DeleteFunc(slices.Clone(found), func(k int64) bool { return k%int64(p.KeyEvery) == 0 }), nil
}

// keysAround are the keyframes before and after a frame, for messages.
func keysAround(keys []int64, frame int64) []int64 {
	i, _ := slices.BinarySearch(keys, frame)
	return keys[max(0, i-1):min(len(keys), i+1)]
}
