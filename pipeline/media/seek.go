package media

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
	"io"
	"slices"
)

// seekPlaces bounds the boundaries that are jumped to.
const seekPlaces = 6

// checkSeeks seeks to some boundaries and to the last frame, as a player does,
// and compares what shows with what must.
func (i *inspection) checkSeeks(ctx context.Context) error {
	if err := i.showStep(ctx, i.seekParts); err != nil {
		return err
	}
	places, jumps := i.seekTargets()
	shown, err := landedHashes(jumps, i.seekHashes)
	if err != nil {
		return err
	}
	if i.composed.split() {
		return i.checkSeekThumbnails(places, shown)
	}
	for n, f := range places {
		if shown[n] != shown[n+len(places)] {
			return newMismatch("a jump to frame %d does not show the normalised video's picture", f)
		}
	}
	i.report.addChecked("jumps to the frames %v show the right pictures", places)
	return nil
}

// seekTargets returns the frames to seek to: in the video and, where it shows
// whole pictures, then the matching ones of the normalised videos.
func (i *inspection) seekTargets() (places []int64, jumps []seekTarget) {
	places = spreadOver(append(i.composed.boundaries(), i.composed.frames-1), seekPlaces)
	for _, f := range places {
		jumps = append(jumps, seekTarget{i.path, f})
	}
	for _, f := range places {
		if p := pieceAt(i.composed.rows[0], f); !i.composed.split() {
			jumps = append(jumps, seekTarget{p.normalised.Video, p.from + f - p.at})
		}
	}
	return places, jumps
}

func (i *inspection) seekParts() ([]ffmpegPart, error) {
	_, jumps := i.seekTargets()
	var filter []string
	if i.composed.split() {
		filter = rowThumbnail.filter()
	}
	return []ffmpegPart{seekPart(jumps, i.input(), filter, i.profile, &i.seekHashes)}, nil
}

// spreadOver returns at most n of a sorted list, the first and the last among
// them.
func spreadOver(list []int64, n int) []int64 {
	if len(list) <= n {
		return list
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = list[i*(len(list)-1)/(n-1)]
	}
	return out
}

type seekTarget struct {
	path  string
	frame int64
}

func (i *inspection) checkSeekThumbnails(places []int64, shown []string) error {
	for n, f := range places {
		sum := md5.Sum(i.shown.frame(f))
		if shown[n] != hex.EncodeToString(sum[:]) {
			return newMismatch("a jump to frame %d shows another picture than playing up to it", f)
		}
	}
	i.report.addChecked("jumps to the frames %v show what playing shows", places)
	return nil
}

// seekPart lists the MD5 of the picture that each seek shows, behind a filter.
func seekPart(jumps []seekTarget, input, filter []string, p Profile, shown *[]listing) ffmpegPart {
	out := ffmpegPart{op: "jump", read: func(r io.Reader) (err error) { *shown, err = parseMD5(r); return err }}
	for _, j := range jumps {
		// Rounded down: a jump to a time behind the frame's would miss it. Half
		// a frame's time then holds this picture alone.
		micros := j.frame * 1_000_000 / int64(p.FPS)
		out.inputs = append(out.inputs, append(slices.Clone(input), "-ss", fmt.Sprintf("%dus", micros), "-t", fmt.Sprintf("%dus", 500_000/p.FPS), "-i", "file:"+j.path))
		out.hide = append(out.hide, j.path)
	}
	out.output = func(first int) []string {
		var args []string
		for n := range jumps {
			args = append(args, "-map", fmt.Sprintf("%d:v:0", first+n))
		}
		return append(append(args, filter...), "-fps_mode", "passthrough", "-f", "framemd5")
	}
	return out
}

func landedHashes(jumps []seekTarget, shown []listing) ([]string, error) {
	hashes := make([]string, len(jumps))
	for n := range jumps {
		if n >= len(shown) || len(shown[n].packets) != 1 {
			return nil, newMismatch("a jump to frame %d shows nothing", jumps[n].frame)
		}
		hashes[n] = shown[n].packets[0].hash
	}
	return hashes, nil
}
