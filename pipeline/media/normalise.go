package media

import (
	"context"
	"fmt"
	"math"
	"os"

	"github.com/memforge/memforge/schemas"
	ff "github.com/u2takey/ffmpeg-go"
)

// Mezzanine is a normalised video as local files. Video holds the picture
// only: an MP4 in the profile's format, a keyframe at every multiple of
// Profile.FPS frames, no B-frames. Audio is raw s16le, 48 kHz, stereo PCM of
// exactly Frames x 48000 / FPS samples.
type Mezzanine struct {
	Video, Audio string
	Frames       int64
	HasAudio     bool // false: Audio is silence
}

// Normalise brings a probed video to the profile: upright, square pixels,
// letterboxed and never stretched, BT.709, constant frame rate from time 0 of
// the file, sound apart. f must be what Probe said of the same file.
//
// Pictures of other rates are repeated or left out, never blended. An
// *Unplayable means that the bytes are to blame.
func (t *Tools) Normalise(ctx context.Context, in string, f schemas.VideoFacts, p Profile, dir string, lim Limits) (Mezzanine, error) {
	if err := p.Check(); err != nil {
		return Mezzanine{}, err
	}
	if f.Frames <= 0 || f.Duration <= 0 || f.Width <= 0 || f.Height <= 0 {
		return Mezzanine{}, fmt.Errorf("normalise: the facts name no picture; probe the file first")
	}
	w, err := newWork(dir)
	if err != nil {
		return Mezzanine{}, fmt.Errorf("normalise: %w", err)
	}
	defer w.remove()
	frames, err := t.transcode(ctx, in, f, p, w, lim)
	if err != nil {
		return Mezzanine{}, err
	}
	return publishMezzanine(w, frames, f.HasAudio, p)
}

func publishMezzanine(w work, frames int64, hasAudio bool, p Profile) (Mezzanine, error) {
	if !hasAudio {
		if err := os.WriteFile(w.path("sound.pcm"), nil, 0o644); err != nil {
			return Mezzanine{}, fmt.Errorf("normalise: %w", err)
		}
	}
	if err := fitPCM(w.path("sound.pcm"), frames*p.frameBytes()); err != nil {
		return Mezzanine{}, fmt.Errorf("normalise: %w", err)
	}
	video, err := w.publish("picture.mp4")
	if err != nil {
		return Mezzanine{}, fmt.Errorf("normalise: %w", err)
	}
	audio, err := w.publish("sound.pcm")
	if err != nil {
		return Mezzanine{}, fmt.Errorf("normalise: %w", err)
	}
	return Mezzanine{Video: video, Audio: audio, Frames: frames, HasAudio: hasAudio}, nil
}

// transcode writes picture.mp4 and, if there is sound, sound.pcm of any
// length. Both come from one run: picture and sound then share one origin of
// time, which they do not when either is mapped alone.
func (t *Tools) transcode(ctx context.Context, in string, f schemas.VideoFacts, p Profile, w work, lim Limits) (int64, error) {
	source, err := local(in)
	if err != nil {
		return 0, fmt.Errorf("normalise: %w", err)
	}
	h, err := t.header(ctx, in, lim)
	if err != nil {
		return 0, err
	}
	want := int64(math.Round((f.StartLag + f.Duration) * float64(p.FPS)))
	slack := 2 + want/200
	args, err := compile(func() *ff.Stream { return transcodeGraph(source, h, f, p, w, lim, want+slack+1) })
	if err != nil {
		return 0, fmt.Errorf("normalise: %w", err)
	}
	c := command{op: "normalise", args: args, timeout: lim.Timeout, hide: []string{source[len("file:"):], w.dir}}
	if err := t.run(ctx, c); err != nil {
		return 0, blame(err)
	}
	if err := checkSize(w.path("picture.mp4"), lim); err != nil {
		return 0, err
	}
	packets, err := t.packets(ctx, w.path("picture.mp4"), "v:0", lim)
	if err != nil {
		return 0, fmt.Errorf("normalise: %w", err)
	}
	if err := checkGrid(packets, p); err != nil {
		return 0, fmt.Errorf("normalise: %w", err)
	}
	got := int64(len(packets))
	if got < 1 || got > want+slack || got < want-slack {
		return 0, unplayable(CodeUndecodable, "%d frames at %d fps came out, %d were expected from %.3f s", got, p.FPS, want, f.StartLag+f.Duration)
	}
	return got, nil
}

func transcodeGraph(source string, h header, f schemas.VideoFacts, p Profile, w work, lim Limits, most int64) *ff.Stream {
	input := ff.Input(source, ff.KwArgs{
		"threads": "1", "protocol_whitelist": "file,pipe", "format_whitelist": containers,
	})
	if lim.MaxPixels > 0 {
		input = ff.Input(source, ff.KwArgs{
			"threads": "1", "protocol_whitelist": "file,pipe", "format_whitelist": containers, "max_pixels": fmt.Sprint(lim.MaxPixels),
		})
	}
	v, _ := h.picture()
	picture := ff.Output([]*ff.Stream{letterbox(input.Get("V:0"), v, f, p)}, "file:"+w.path("picture.mp4"),
		mp4Args(p), x264Args(p), sizeLimit(lim), ff.KwArgs{"frames:v": fmt.Sprint(most)})
	if !f.HasAudio {
		return picture
	}
	seconds := float64(most) / float64(p.FPS)
	sound := ff.Output([]*ff.Stream{resample(input.Get("a:0"))}, "file:"+w.path("sound.pcm"),
		ff.KwArgs{"format": "s16le", "c:a": "pcm_s16le", "t": fmt.Sprintf("%.6f", seconds), "map_metadata": "-1", "fflags": "+bitexact"})
	return ff.MergeOutputs(picture, sound)
}

const scaleFlags = "bicubic+accurate_rnd+bitexact"

// letterbox squares the pixels, fits the picture into the profile's, fills the
// rest with black and settles on the frame rate.
func letterbox(s *ff.Stream, v stream, f schemas.VideoFacts, p Profile) *ff.Stream {
	if n, d := v.aspect(); n != d {
		s = s.Filter("scale", ff.Args{fmt.Sprint(f.Width), fmt.Sprint(f.Height)}, ff.KwArgs{"flags": scaleFlags}).
			Filter("setsar", ff.Args{"1"})
	}
	fit := ff.KwArgs{
		"flags": scaleFlags, "force_original_aspect_ratio": "decrease", "force_divisible_by": "2",
		"out_range": "tv", "out_color_matrix": "bt709", "in_color_matrix": matrix(v),
	}
	return s.Filter("scale", ff.Args{fmt.Sprint(p.Width), fmt.Sprint(p.Height)}, fit).
		Filter("format", ff.Args{"yuv420p"}).
		Filter("pad", ff.Args{fmt.Sprint(p.Width), fmt.Sprint(p.Height), "-1", "-1"}).
		Filter("setsar", ff.Args{"1"}).
		Filter("fps", nil, ff.KwArgs{"fps": fmt.Sprint(p.FPS), "start_time": "0"})
}

// matrix is how the source's colours are to be read. An untagged source is
// taken as it is: guessing would shift the colours of half of them.
func matrix(v stream) string {
	switch v.Space {
	case "smpte170m", "bt470bg":
		return "bt601"
	case "smpte240m":
		return "smpte240m"
	case "bt2020nc", "bt2020c":
		return "bt2020"
	case "fcc":
		return "fcc"
	}
	return "bt709"
}

// resample gives sound from time 0 of the file, with silence where it has
// holes or starts late.
func resample(s *ff.Stream) *ff.Stream {
	return s.Filter("aresample", ff.Args{fmt.Sprint(sampleRate)}, ff.KwArgs{"async": "1", "first_pts": "0"}).
		Filter("aformat", nil, ff.KwArgs{"sample_fmts": "s16", "channel_layouts": "stereo"})
}
