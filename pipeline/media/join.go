package media

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
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

// joinsPerRun bounds the videos one process checks.
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
	films := make([]film, len(videos))
	wants := make([]expected, len(videos))
	for i, clips := range videos {
		clips, err := checkClips(clips)
		if err != nil {
			return nil, err
		}
		if wants[i], err = t.expectedOf(clips, p); err != nil {
			return nil, err
		}
		films[i] = film{name: fmt.Sprintf("joined%d.mp4", i), template: clips[0].Video, picture: wants[i].places, keys: wants[i].keys}
		if films[i].sound, err = joinSound(w.path(fmt.Sprintf("sound%d.aac", i)), clips, p); err != nil {
			return nil, err
		}
	}
	return t.writeFilms(ctx, w, films, wants, p, lim)
}

// writeFilms writes films, demands that ffmpeg reads in them what they were
// made of, and publishes them.
func (t *Tools) writeFilms(ctx context.Context, w work, films []film, wants []expected, p Profile, lim Limits) ([]Output, error) {
	var paths []string
	var hasAudio []bool
	for _, f := range films {
		if err := f.write(w.path(f.name), p, lim); err != nil {
			return nil, err
		}
		paths, hasAudio = append(paths, w.path(f.name)), append(hasAudio, f.sound != nil)
	}
	got, err := t.played(ctx, paths, hasAudio, lim)
	if err != nil {
		return nil, fmt.Errorf("check output: %w", err)
	}
	var outs []Output
	for i, c := range got {
		if err := wants[i].compare(c, p); err != nil {
			return nil, err
		}
		if err := c.holds(films[i].sound); err != nil {
			return nil, err
		}
		out, err := c.publish(w, films[i].name, p)
		if err != nil {
			return nil, err
		}
		outs = append(outs, out)
	}
	return outs, nil
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
