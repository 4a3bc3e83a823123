package media

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
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

// Join puts clips one after another without encoding picture or sound again
// and without starting a program. There is a sound track unless every clip's
// Audio is empty; see JoinSound for how exact it is. The same mezzanine may
// occur any number of times.
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
	want, err := t.expectedOf(clips, p)
	if err != nil {
		return Output{}, fmt.Errorf("join: %w", err)
	}
	f := mp4Writer{name: "joined.mp4", template: clips[0].Video, picture: want.places, keys: want.keys}
	if f.sound, err = joinSound(w.path("sound.aac"), clips, p); err != nil {
		return Output{}, fmt.Errorf("join: %w", err)
	}
	out, err := f.build(ctx, w, want, p, lim)
	if err != nil {
		return Output{}, fmt.Errorf("join: %w", err)
	}
	return out, nil
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
	pieces := make([]SoundPiece, len(clips))
	silent := true
	for i, c := range clips {
		pieces[i] = SoundPiece{c.Audio, c.From, c.To}
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
