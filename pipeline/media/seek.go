package media

import (
	"context"
	"crypto/md5"
	"encoding/hex"
	"fmt"
)

// seekPlaces bounds the boundaries that are jumped to.
const seekPlaces = 6

// seeks jumps to some boundaries and to the last frame, as a player does, and
// compares what shows with what must.
func (i *inspection) seeks(ctx context.Context) error {
	places := spread(append(i.composed.boundaries(), i.composed.frames-1), seekPlaces)
	var jumps []jump
	for _, f := range places {
		jumps = append(jumps, jump{i.path, f})
	}
	if i.composed.split() {
		return i.seeksSmall(ctx, jumps)
	}
	for _, f := range places {
		p := at(i.composed.rows[0], f)
		jumps = append(jumps, jump{p.mezzanine.Video, p.from + f - p.at})
	}
	shown, err := i.tools.jumpTo(ctx, jumps, i.input, nil, i.profile, i.limits)
	if err != nil {
		return err
	}
	for n, f := range places {
		if shown[n] != shown[n+len(places)] {
			return mismatched("a jump to frame %d does not show the mezzanine's picture", f)
		}
	}
	i.report.checked("jumps to the frames %v show the right pictures", places)
	return nil
}

// spread picks at most n of a sorted list, the first and the last among them.
func spread(list []int64, n int) []int64 {
	if len(list) <= n {
		return list
	}
	out := make([]int64, n)
	for i := range out {
		out[i] = list[i*(len(list)-1)/(n-1)]
	}
	return out
}

// jump is a frame of a file to be reached by seeking.
type jump struct {
	path  string
	frame int64
}

// seeksSmall compares the shrunk pictures of jumps with those of the decoding
// from end to end.
func (i *inspection) seeksSmall(ctx context.Context, jumps []jump) error {
	shown, err := i.tools.jumpTo(ctx, jumps, i.input, rowPrint.filter(), i.profile, i.limits)
	if err != nil {
		return err
	}
	var places []int64
	for n, j := range jumps {
		sum := md5.Sum(i.shown.frame(j.frame))
		if shown[n] != hex.EncodeToString(sum[:]) {
			return mismatched("a jump to frame %d shows another picture than playing up to it", j.frame)
		}
		places = append(places, j.frame)
	}
	i.report.checked("jumps to the frames %v show what playing shows", places)
	return nil
}

// jumpTo returns the MD5 of the picture that each jump shows, behind a filter,
// with one process for all.
func (t *Tools) jumpTo(ctx context.Context, jumps []jump, input, filter []string, p Profile, lim Limits) ([]string, error) {
	args := globalArgs()
	var maps, hide []string
	for n, j := range jumps {
		// Rounded down: a jump to a time behind the frame's would miss it. Half
		// a frame's time then holds this picture alone.
		micros := j.frame * 1_000_000 / int64(p.FPS)
		args = append(append(args, input...), "-ss", fmt.Sprintf("%dus", micros), "-t", fmt.Sprintf("%dus", 500_000/p.FPS), "-i", "file:"+j.path)
		maps = append(maps, "-map", fmt.Sprintf("%d:v:0", n))
		hide = append(hide, j.path)
	}
	args = append(append(append(args, maps...), filter...), "-fps_mode", "passthrough", "-f", "framemd5", "pipe:1")
	lists, err := t.frameLists(ctx, command{op: "jump", args: args, timeout: lim.Timeout, hide: hide})
	if err != nil {
		return nil, err
	}
	hashes := make([]string, len(jumps))
	for n := range jumps {
		if n >= len(lists) || len(lists[n].packets) != 1 {
			return nil, mismatched("a jump to frame %d shows nothing", jumps[n].frame)
		}
		hashes[n] = lists[n].packets[0].hash
	}
	return hashes, nil
}
