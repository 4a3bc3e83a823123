package media

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	ff "github.com/u2takey/ffmpeg-go"
)

// Clip is frames [From,To) of a mezzanine. From must be a keyframe of it, or a
// player would see half-drawn pictures; To may be any frame. Audio is the
// mezzanine's PCM file, or empty for silence: leave it empty in every clip of
// sources without sound, and the output has no sound track.
type Clip struct {
	Video, Audio string
	From, To     int64
}

// Output is a finished MP4.
type Output struct {
	Path          string
	Frames        int64
	Duration      float64 // seconds
	Width, Height int32
	HasAudio      bool
}

// Join puts clips one after another without encoding the picture again. The
// sound is cut and joined as PCM and encoded once, so that it cannot drift;
// there is a sound track unless every clip's Audio is empty. The same
// mezzanine may occur any number of times.
//
// What comes out is checked: every packet equals that of the mezzanine frame
// it stands for, frames lie on the grid, sound is as long as the picture.
func (t *Tools) Join(ctx context.Context, clips []Clip, p Profile, dir string, lim Limits) (Output, error) {
	if err := p.Check(); err != nil {
		return Output{}, err
	}
	clips, err := checkClips(clips)
	if err != nil {
		return Output{}, fmt.Errorf("join: %w", err)
	}
	w, err := newWork(dir)
	if err != nil {
		return Output{}, fmt.Errorf("join: %w", err)
	}
	defer w.remove()
	sound, err := joinSound(w, clips, p)
	if err != nil {
		return Output{}, fmt.Errorf("join: %w", err)
	}
	if err := t.mux(ctx, w, clips, sound, p, lim); err != nil {
		return Output{}, fmt.Errorf("join: %w", t.why(ctx, err, clips, p, lim))
	}
	source, err := t.compareJoined(ctx, w.path("joined.mp4"), clips, sound != "", p, lim)
	if err != nil {
		return Output{}, fmt.Errorf("join: %w", err)
	}
	path, err := w.publish("joined.mp4")
	if err != nil {
		return Output{}, fmt.Errorf("join: %w", err)
	}
	frames := int64(len(source.hashes))
	return Output{Path: path, Frames: frames, Duration: float64(frames) / float64(p.FPS), Width: source.width, Height: source.height, HasAudio: sound != ""}, nil
}

// why looks for what is wrong with the clips when they could not be joined; it
// is the error itself when nothing is.
func (t *Tools) why(ctx context.Context, err error, clips []Clip, p Profile, lim Limits) error {
	known, listing := t.mezzanines(ctx, clips, lim)
	if listing != nil {
		return err
	}
	if _, reason := expectedOf(known, clips, p); reason != nil {
		return reason
	}
	return err
}

func checkClips(clips []Clip) ([]Clip, error) {
	if len(clips) == 0 {
		return nil, fmt.Errorf("no clips given")
	}
	checked := make([]Clip, len(clips))
	for i, c := range clips {
		if c.From < 0 || c.To <= c.From {
			return nil, fmt.Errorf("clip %d: frames %d to %d: a clip has at least one frame", i, c.From, c.To)
		}
		video, err := filepath.Abs(c.Video)
		if err != nil {
			return nil, fmt.Errorf("clip %d: %w", i, err)
		}
		if strings.ContainsAny(video, "\n\r") {
			return nil, fmt.Errorf("clip %d: its path holds a line break, which a concat list cannot express", i)
		}
		info, err := os.Stat(video)
		if err != nil {
			return nil, fmt.Errorf("clip %d: %w", i, err)
		}
		if info.Size() == 0 {
			return nil, fmt.Errorf("clip %d: its mezzanine is an empty file", i)
		}
		c.Video = video
		checked[i] = c
	}
	return checked, nil
}

// joinSound writes the joined PCM and returns its path, or "" when all clips
// are silent.
func joinSound(w work, clips []Clip, p Profile) (string, error) {
	var spans []span
	any := false
	for i, c := range clips {
		s := span{path: c.Audio, from: c.From * p.frameBytes(), to: c.To * p.frameBytes()}
		spans = append(spans, s)
		if c.Audio == "" {
			continue
		}
		any = true
		info, err := os.Stat(c.Audio)
		if err != nil {
			return "", fmt.Errorf("clip %d: %w", i, err)
		}
		if info.Size() < s.to || info.Size()%p.frameBytes() != 0 {
			return "", fmt.Errorf("clip %d: its PCM file has %d bytes, which is not that of a mezzanine of %d or more frames", i, info.Size(), c.To)
		}
	}
	if !any {
		return "", nil
	}
	path := w.path("sound.pcm")
	return path, joinPCM(path, spans)
}

// concatList writes the script of the concat demuxer. A frame is found by its
// time in microseconds, so the begin is rounded up and the end is one less
// than the next frame's time rounded down: anything else takes in a frame too
// many at rates whose frame times are not whole microseconds. Durations are
// differences of rounded running totals, so rounding never adds up.
func concatList(clips []Clip, p Profile) string {
	var b strings.Builder
	b.WriteString("ffconcat version 1.0\n")
	fps := int64(p.FPS)
	total := int64(0)
	for _, c := range clips {
		before := (total*2_000_000 + fps) / (2 * fps)
		total += c.To - c.From
		after := (total*2_000_000 + fps) / (2 * fps)
		in := (c.From*1_000_000 + fps - 1) / fps
		out := c.To*1_000_000/fps - 1
		fmt.Fprintf(&b, "file '%s'\n", strings.ReplaceAll("file:"+c.Video, "'", `'\''`))
		fmt.Fprintf(&b, "inpoint %dus\noutpoint %dus\nduration %dus\n", in, out, after-before)
	}
	return b.String()
}

func (t *Tools) mux(ctx context.Context, w work, clips []Clip, sound string, p Profile, lim Limits) error {
	list := w.path("list.ffconcat")
	if err := os.WriteFile(list, []byte(concatList(clips, p)), 0o644); err != nil {
		return err
	}
	args, err := compile(func() *ff.Stream {
		video := ff.Input("file:"+list, ff.KwArgs{"f": "concat", "safe": "0", "auto_convert": "0", "protocol_whitelist": "file,pipe"})
		kw := []ff.KwArgs{mp4Args(p), sizeLimit(lim), {"c:v": "copy"}}
		streams := []*ff.Stream{video.Get("v:0")}
		if sound != "" {
			streams, kw = append(streams, pcmInput(sound).Get("a:0")), append(kw, aacArgs())
		}
		return ff.Output(streams, "file:"+w.path("joined.mp4"), kw...)
	})
	if err != nil {
		return err
	}
	hide := []string{w.dir}
	for _, c := range clips {
		hide = append(hide, c.Video)
	}
	if err := t.run(ctx, command{op: "copy", args: args, timeout: lim.Timeout, hide: hide}); err != nil {
		return err
	}
	return checkSize(w.path("joined.mp4"), lim)
}
