package media

import (
	"context"
	"fmt"
	"path/filepath"

	ff "github.com/u2takey/ffmpeg-go"
)

// Split is a split-screen video in two variants: Plain keeps the sides,
// Swapped exchanges them at every one of SwapFrames.
type Split struct {
	Plain, Swapped Output
	SwapFrames     []int64
}

// SwapFrames are the frames at which the sides of a split-screen video of n
// frames change with s swaps: the first frame of each new arrangement, swap i
// at ceil(i x n / (s+1)).
func SwapFrames(n int64, s int) []int64 {
	frames := make([]int64, 0, max(s, 0))
	for i := int64(1); i <= int64(s); i++ {
		parts := int64(s) + 1
		frames = append(frames, (i*n+parts-1)/parts)
	}
	return frames
}

// SplitScreen shows two normalised videos side by side, each at half its width and
// height, so the picture is Width x Height/2 and nothing is stretched. It is
// as long as the shorter of both.
//
// The sound has left's on the left channel and right's on the right channel,
// each mixed to mono. It does not move at swaps, so that it cannot tell where
// they are; there is none when neither source has sound.
func (t *Tools) SplitScreen(ctx context.Context, left, right NormalisedVideo, swaps int, p Profile, dir string, lim Limits) (Split, error) {
	if err := p.Check(); err != nil {
		return Split{}, err
	}
	n := min(left.Frames, right.Frames)
	if swaps < 1 || int64(swaps) >= n {
		return Split{}, fmt.Errorf("split-screen: %d swaps in %d frames: use at least 1 and fewer than there are frames", swaps, n)
	}
	w, err := newWork(dir)
	if err != nil {
		return Split{}, fmt.Errorf("split-screen: %w", err)
	}
	defer w.remove()
	hasAudio := left.HasAudio || right.HasAudio
	if err := t.compose(ctx, left, right, n, swaps, hasAudio, p, w, lim); err != nil {
		return Split{}, fmt.Errorf("split-screen: %w", err)
	}
	out, err := finishSplit(ctx, w, n, hasAudio, p, lim)
	if err != nil {
		return Split{}, fmt.Errorf("split-screen: %w", err)
	}
	return Split{Plain: out[0], Swapped: out[1], SwapFrames: SwapFrames(n, swaps)}, nil
}

// finishSplit checks both variants and publishes them. The mixed sound, which
// was encoded once, is copied to each.
func finishSplit(ctx context.Context, w workDir, frames int64, hasAudio bool, p Profile, lim Limits) ([]Output, error) {
	var sound *track
	if hasAudio {
		err := fitTrack(w.path("sound.aac"), frames*p.frameSamples())
		if err != nil {
			return nil, err
		}
		if sound, err = readTrack(w.path("sound.aac")); err != nil {
			return nil, err
		}
	}
	var list []Output
	for _, name := range []string{"plain.mp4", "swapped.mp4"} {
		c, err := readEncoded(w, name, frames, p, lim)
		if err != nil {
			return nil, err
		}
		var out Output
		if sound == nil {
			out, err = c.publish(w, name, p)
		} else {
			want := expectedFile(w.path(name), c.picture)
			f := mp4Writer{name: "sounding-" + name, template: w.path(name), picture: want.places, keys: want.keys, sound: sound}
			out, err = f.build(ctx, w, want, p, lim)
		}
		if err != nil {
			return nil, err
		}
		list = append(list, out)
	}
	return list, nil
}

func (t *Tools) compose(ctx context.Context, left, right NormalisedVideo, n int64, swaps int, hasAudio bool, p Profile, w workDir, lim Limits) error {
	l, err := left.absolute()
	if err != nil {
		return err
	}
	r, err := right.absolute()
	if err != nil {
		return err
	}
	if l.Video == r.Video {
		return fmt.Errorf("left and right are the same file: a swap would not show")
	}
	args, err := compile(func() *ff.Stream { return splitGraph(l, r, n, swaps, hasAudio, p, w, lim) })
	if err != nil {
		return err
	}
	return t.run(ctx, command{op: "compose", args: args, timeout: lim.Timeout, hide: []string{w.dir, l.Video, r.Video, l.Audio, r.Audio}})
}

func (m NormalisedVideo) absolute() (NormalisedVideo, error) {
	var err error
	if m.Video, err = filepath.Abs(m.Video); err != nil {
		return m, err
	}
	m.Audio, err = filepath.Abs(m.Audio)
	return m, err
}

func splitGraph(l, r NormalisedVideo, n int64, swaps int, hasAudio bool, p Profile, w workDir, lim Limits) *ff.Stream {
	sides := halfSize(normalisedInput(l.Video, nil).Get("v:0"), n, p).Split()
	row := ff.Filter([]*ff.Stream{sides.Get("0"), halfSize(normalisedInput(r.Video, nil).Get("v:0"), n, p), sides.Get("1")}, "hstack", nil, ff.KwArgs{"inputs": "3"})
	both := row.Split()
	// The row is left, right, left. Seen from its start it shows left-right,
	// seen from the middle right-left. Which of the two is the parity of
	// floor(frame x (swaps+1) / frames), a function of the frame number alone.
	q := fmt.Sprintf("floor(n*%d/%d)", swaps+1, n)
	x := fmt.Sprintf("%d*(%s-2*floor(%s/2))", p.Width/2, q, q)
	size := ff.Args{fmt.Sprint(p.Width), fmt.Sprint(p.Height / 2)}
	plain := both.Get("0").Filter("crop", append(size[:2:2], "0", "0"))
	swapped := both.Get("1").Filter("crop", append(size[:2:2], x, "0"))
	out := func(picture *ff.Stream, name string) *ff.Stream {
		return ff.Output([]*ff.Stream{picture}, "file:"+w.path(name), mp4Args(p), x264Args(p), sizeLimit(lim))
	}
	outs := []*ff.Stream{out(plain, "plain.mp4"), out(swapped, "swapped.mp4")}
	if hasAudio {
		samples := n * p.frameSamples()
		both := ff.Filter([]*ff.Stream{monoOf(l.Audio, samples), monoOf(r.Audio, samples)}, "join", nil, ff.KwArgs{"inputs": "2", "channel_layout": "stereo"})
		outs = append(outs, ff.Output([]*ff.Stream{both}, "file:"+w.path("sound.aac"), adtsArgs(), sizeLimit(lim)))
	}
	return ff.MergeOutputs(outs...)
}

func monoOf(audio string, samples int64) *ff.Stream {
	return ff.Input("file:"+audio, ff.KwArgs{"f": "aac", "protocol_whitelist": "file,pipe"}, nil).Get("a:0").
		Filter("atrim", nil, ff.KwArgs{"start_sample": fmt.Sprint(aacFrame), "end_sample": fmt.Sprint(aacFrame + samples)}).
		Filter("asetpts", ff.Args{"PTS-STARTPTS"}).
		Filter("pan", ff.Args{"mono|c0=0.5*c0+0.5*c1"})
}

func halfSize(s *ff.Stream, n int64, p Profile) *ff.Stream {
	return s.Filter("fps", ff.Args{fmt.Sprint(p.FPS)}).
		Filter("trim", nil, ff.KwArgs{"end_frame": fmt.Sprint(n)}).
		Filter("scale", ff.Args{fmt.Sprint(p.Width / 2), fmt.Sprint(p.Height / 2)}, ff.KwArgs{"flags": scaleFlags}).
		Filter("setsar", ff.Args{"1"})
}

func readEncoded(w workDir, name string, frames int64, p Profile, lim Limits) (content, error) {
	if err := checkSize(w.path(name), lim); err != nil {
		return content{}, err
	}
	c, err := readContent(w.path(name), false)
	if err != nil {
		return content{}, fmt.Errorf("check output: %w", err)
	}
	if int64(len(c.picture.packets)) != frames {
		return content{}, fmt.Errorf("check output: %d frames, want %d", len(c.picture.packets), frames)
	}
	if err := checkGrid(c.picture.packets, p); err != nil {
		return content{}, fmt.Errorf("check output: %w", err)
	}
	return c, c.checkSound(p)
}

func (c content) publish(w workDir, name string, p Profile) (Output, error) {
	path, err := w.publish(name)
	if err != nil {
		return Output{}, err
	}
	n := int64(len(c.picture.packets))
	return Output{Path: path, Frames: n, Duration: float64(n) / float64(p.FPS), Width: c.picture.width, Height: c.picture.height, HasAudio: len(c.sound) > 0}, nil
}
