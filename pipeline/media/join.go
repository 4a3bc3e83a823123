package media

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Clip is frames [From,To) of a mezzanine. From must be a keyframe of it, or a
// player would see half-drawn pictures; To may be any frame. Audio is the
// mezzanine's sound, or empty for silence: leave it empty in every clip of
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

// Join puts clips one after another without encoding picture or sound again.
// There is a sound track unless every clip's Audio is empty; see JoinSound for
// how exact it is. The same mezzanine may occur any number of times.
//
// What comes out is checked: every packet equals that of the mezzanine frame
// it stands for, frames lie on the grid, sound is as long as the picture.
func (t *Tools) Join(ctx context.Context, clips []Clip, p Profile, dir string, lim Limits) (Output, error) {
	list, err := t.JoinAll(ctx, [][]Clip{clips}, p, dir, lim)
	if err != nil {
		return Output{}, err
	}
	return list[0], nil
}

// joinsPerRun bounds the videos one process writes.
const joinsPerRun = 16

// JoinAll joins several videos, which takes fewer starts of a program than
// joining one after the other.
func (t *Tools) JoinAll(ctx context.Context, videos [][]Clip, p Profile, dir string, lim Limits) ([]Output, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	w, err := newWork(dir)
	if err != nil {
		return nil, fmt.Errorf("join: %w", err)
	}
	defer w.remove()
	var outs []Output
	for part := range slices.Chunk(videos, joinsPerRun) {
		list, err := t.joinPart(ctx, part, p, w, lim)
		if err != nil {
			return nil, fmt.Errorf("join: %w", err)
		}
		outs = append(outs, list...)
	}
	return outs, nil
}

func (t *Tools) joinPart(ctx context.Context, videos [][]Clip, p Profile, w work, lim Limits) ([]Output, error) {
	wants := make([]expected, len(videos))
	copies := make([]copied, len(videos))
	for i, clips := range videos {
		clips, err := checkClips(clips)
		if err != nil {
			return nil, err
		}
		if wants[i], err = t.expectedOf(clips, p); err != nil {
			return nil, err
		}
		copies[i] = copied{name: fmt.Sprintf("joined%d.mp4", i), picture: w.path(fmt.Sprintf("list%d.ffconcat", i)), list: true}
		for _, c := range clips {
			copies[i].hide = append(copies[i].hide, c.Video)
		}
		if err := os.WriteFile(copies[i].picture, []byte(concatList(clips, p)), 0o644); err != nil {
			return nil, err
		}
		if copies[i].sound, err = joinSound(w.path(fmt.Sprintf("sound%d.aac", i)), clips, p); err != nil {
			return nil, err
		}
	}
	if err := t.mux(ctx, w, copies, p, lim); err != nil {
		return nil, err
	}
	var outs []Output
	for i, c := range copies {
		out, err := wants[i].publish(w, c, p)
		if err != nil {
			return nil, err
		}
		outs = append(outs, out)
	}
	return outs, nil
}

// publish compares what was written and moves it out.
func (e expected) publish(w work, c copied, p Profile) (Output, error) {
	got, err := inside(w.path(c.name), c.sound != nil)
	if err != nil {
		return Output{}, fmt.Errorf("check output: %w", err)
	}
	if err := e.compare(got, p); err != nil {
		return Output{}, err
	}
	if err := got.holds(c.sound); err != nil {
		return Output{}, err
	}
	path, err := w.publish(c.name)
	if err != nil {
		return Output{}, err
	}
	frames := int64(len(e.hashes))
	return Output{Path: path, Frames: frames, Duration: float64(frames) / float64(p.FPS), Width: e.width, Height: e.height, HasAudio: c.sound != nil}, nil
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

// joinSound writes the joined sound, which is nil when all clips are silent.
func joinSound(path string, clips []Clip, p Profile) (*track, error) {
	pieces := make([]Sound, len(clips))
	silent := true
	for i, c := range clips {
		pieces[i] = Sound{c.Audio, c.From, c.To}
		silent = silent && c.Audio == ""
	}
	if silent {
		return nil, nil
	}
	if err := splice(path, pieces, p); err != nil {
		return nil, err
	}
	return readTrack(path)
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
