package media

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	ff "github.com/u2takey/ffmpeg-go"
)

// NormalisedVideo is a normalised video as local files. Video holds the picture
// only: an MP4 in the profile's format, without B-frames. Audio is AAC-LC in
// ADTS, 48 kHz, stereo: one packet that primes a decoder, and as many of 1024
// samples each as Frames x 48000 / FPS samples need.
type NormalisedVideo struct {
	Video, Audio string
	Frames       int64
	HasAudio     bool // false: Audio is silence
	// A keyframe stands at every multiple of KeyEvery below Frames and at each
	// of Keyframes (sorted, no multiples), as found in the file.
	KeyEvery  int32
	Keyframes []int64
}

// Normalise brings a probed video to the profile: upright, square pixels,
// letterboxed and never stretched, BT.709, constant frame rate from time 0 of
// the file, sound apart. f must be what Probe said of the same file.
//
// Pictures of other rates are repeated or left out, never blended. An
// *Unplayable means that the bytes are to blame.
//
// Besides the regular ones, a keyframe is set at each frame of keys, in any
// order; those beyond the end have no effect. What stands in the file in the
// end is in the result.
func (t *Tools) Normalise(ctx context.Context, in string, f schemas.VideoFacts, keys []int64, p Profile, dir string, lim Limits) (NormalisedVideo, error) {
	if err := p.Check(); err != nil {
		return NormalisedVideo{}, err
	}
	keys, err := extraKeys(keys, p)
	if err != nil {
		return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
	}
	if f.Frames <= 0 || f.Duration <= 0 || f.Width <= 0 || f.Height <= 0 {
		return NormalisedVideo{}, fmt.Errorf("normalise: the facts name no picture; probe the file first")
	}
	w, err := newWork(dir)
	if err != nil {
		return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
	}
	defer w.remove()
	m, err := t.transcode(ctx, in, f, keys, p, w, lim)
	if err != nil {
		return NormalisedVideo{}, err
	}
	m.HasAudio = f.HasAudio
	return publishNormalised(w, m, p)
}

func publishNormalised(w workDir, m NormalisedVideo, p Profile) (NormalisedVideo, error) {
	if !m.HasAudio {
		if err := os.WriteFile(w.path("sound.aac"), nil, 0o644); err != nil {
			return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
		}
	}
	if err := fitTrack(w.path("sound.aac"), m.Frames*p.frameSamples()); err != nil {
		return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
	}
	var err error
	if m.Video, err = w.publish("picture.mp4"); err != nil {
		return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
	}
	if m.Audio, err = w.publish("sound.aac"); err != nil {
		return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
	}
	return m, nil
}

// leadSeconds returns how many seconds of a normalised video pass before the
// source's first picture is due: its lag behind the sound. Without sound the
// video begins with it.
func leadSeconds(f schemas.VideoFacts) float64 {
	if !f.HasAudio {
		return 0
	}
	return f.StartLag
}

// FramesOf predicts how many frames Normalise gives at fps. What comes out may
// differ by a frame or two, more where a file's pictures are uneven.
func FramesOf(f schemas.VideoFacts, fps int32) int64 {
	return int64(math.Round((leadSeconds(f) + f.Duration) * float64(fps)))
}

// FrameAt is the frame of a normalised video that first shows what the source shows
// at a time, in seconds from its first picture.
func FrameAt(f schemas.VideoFacts, at float64, fps int32) int64 {
	return int64(math.Floor((leadSeconds(f)+at)*float64(fps) + 0.5))
}

// transcode writes picture.mp4 and, if there is sound, sound.aac of any
// length. Both come from one run: picture and sound then share one origin of
// time, which they do not when either is mapped alone.
func (t *Tools) transcode(ctx context.Context, in string, f schemas.VideoFacts, keys []int64, p Profile, w workDir, lim Limits) (NormalisedVideo, error) {
	source, err := inputURL(in)
	if err != nil {
		return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
	}
	h, err := t.header(ctx, in, lim)
	if err != nil {
		return NormalisedVideo{}, err
	}
	want := FramesOf(f, p.FPS)
	slack := 2 + want/200
	args, err := compile(func() *ff.Stream { return transcodeGraph(source, h, f, keys, p, w, lim, want+slack+1) })
	if err != nil {
		return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
	}
	c := command{op: "normalise", args: args, timeout: lim.Timeout, hide: []string{source[len("file:"):], w.dir}}
	if err := t.run(ctx, c); err != nil {
		return NormalisedVideo{}, blameSource(err)
	}
	if err := checkSize(w.path("picture.mp4"), lim); err != nil {
		return NormalisedVideo{}, err
	}
	written, err := readContent(w.path("picture.mp4"), false)
	if err != nil {
		return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
	}
	list := written.picture
	if err := checkGrid(list.packets, p); err != nil {
		return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
	}
	got := int64(len(list.packets))
	if got < 1 || got > want+slack || got < want-slack {
		return NormalisedVideo{}, unplayable(CodeUndecodable, "%d frames at %d fps came out, %d were expected from %.3f s", got, p.FPS, want, leadSeconds(f)+f.Duration)
	}
	m := NormalisedVideo{Frames: got, KeyEvery: p.KeyEvery}
	if m.Keyframes, err = irregularKeys(list.keys, keys, got, p); err != nil {
		return NormalisedVideo{}, fmt.Errorf("normalise: %w", err)
	}
	return m, nil
}

func transcodeGraph(source string, h header, f schemas.VideoFacts, keys []int64, p Profile, w workDir, lim Limits, most int64) *ff.Stream {
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
		mp4Args(p), x264Args(p), forceKeys(keys, p), sizeLimit(lim), ff.KwArgs{"frames:v": fmt.Sprint(most)})
	if !f.HasAudio {
		return picture
	}
	seconds := float64(most) / float64(p.FPS)
	sound := ff.Output([]*ff.Stream{resampleSound(input.Get("a:0"))}, "file:"+w.path("sound.aac"),
		adtsArgs(), ff.KwArgs{"t": fmt.Sprintf("%.6f", seconds)})
	return ff.MergeOutputs(picture, sound)
}

const scaleFlags = "bicubic+accurate_rnd+bitexact"

// letterbox squares the pixels, fits the picture into the profile's, fills the
// rest with black and sets the frame rate.
func letterbox(s *ff.Stream, v stream, f schemas.VideoFacts, p Profile) *ff.Stream {
	if !f.HasAudio {
		s = s.Filter("setpts", ff.Args{"PTS-STARTPTS"})
	}
	if n, d := v.aspect(); n != d {
		s = s.Filter("scale", ff.Args{fmt.Sprint(f.Width), fmt.Sprint(f.Height)}, ff.KwArgs{"flags": scaleFlags}).
			Filter("setsar", ff.Args{"1"})
	}
	fit := ff.KwArgs{
		"flags": scaleFlags, "force_original_aspect_ratio": "decrease", "force_divisible_by": "2",
		"out_range": "tv", "out_color_matrix": "bt709", "in_color_matrix": colourMatrix(v),
	}
	return s.Filter("scale", ff.Args{fmt.Sprint(p.Width), fmt.Sprint(p.Height)}, fit).
		Filter("format", ff.Args{"yuv420p"}).
		Filter("pad", ff.Args{fmt.Sprint(p.Width), fmt.Sprint(p.Height), "-1", "-1"}).
		Filter("setsar", ff.Args{"1"}).
		Filter("fps", nil, ff.KwArgs{"fps": fmt.Sprint(p.FPS), "start_time": "0"})
}

// colourMatrix returns how the source's colours are to be read. An untagged
// source is taken as it is: guessing would shift the colours of half of them.
func colourMatrix(v stream) string {
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

// resampleSound returns sound from time 0 of the file, with silence where it
// has holes or starts late.
func resampleSound(s *ff.Stream) *ff.Stream {
	return s.Filter("aresample", ff.Args{fmt.Sprint(sampleRate)}, ff.KwArgs{"async": "1", "first_pts": "0"}).
		Filter("aformat", nil, ff.KwArgs{"sample_fmts": "s16", "channel_layouts": "stereo"})
}

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

func keysAround(keys []int64, frame int64) []int64 {
	i, _ := slices.BinarySearch(keys, frame)
	return keys[max(0, i-1):min(len(keys), i+1)]
}
