package media

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
)

// Clip is frames [From,To) of a normalised video. From must be a keyframe of it, or a
// player would see half-drawn pictures; To may be any frame. Audio is the
// normalised video's sound, or empty for silence: leave it empty in every clip of
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
// Audio is empty; see JoinSound for how exact it is. The same normalised video may
// occur any number of times.
//
// What comes out is checked: every packet equals that of the normalised video frame
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
			return nil, fmt.Errorf("clip %d: its normalised video is an empty file", i)
		}
		c.Video = video
		checked[i] = c
	}
	return checked, nil
}

// joinSound writes the joined sound and returns it, nil when all clips are
// silent.
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

// expected is what a joined file must hold.
type expected struct {
	hashes        []string      // of packets, in order
	places        []packetPlace // where they are
	keys          []int64       // which of them are keyframes
	extradata     string
	width, height int32
}

// expectedOf returns what the clips' normalised videos hold at the named
// frames.
func (t *Tools) expectedOf(clips []Clip, p Profile) (expected, error) {
	known := map[string]listing{}
	e := expected{}
	for i, c := range clips {
		l, ok := known[c.Video]
		if !ok {
			var err error
			if l, err = t.listNormalised(c.Video); err != nil {
				return expected{}, fmt.Errorf("clip %d: %w", i, err)
			}
			known[c.Video] = l
		}
		if i == 0 {
			e = expected{extradata: l.extradata, width: l.width, height: l.height}
		}
		if err := e.add(c, l, p); err != nil {
			return expected{}, fmt.Errorf("clip %d: %w", i, err)
		}
	}
	return e, nil
}

func (e *expected) add(c Clip, l listing, p Profile) error {
	if l.extradata == "" {
		return newMismatch("no picture with a parameter set: this is not a normalised video")
	}
	if l.extradata != e.extradata || l.width != e.width || l.height != e.height {
		return newMismatch("it was encoded in another format than clip 0; normalise all clips with one profile")
	}
	if err := checkGrid(l.packets, p); err != nil {
		return err
	}
	if c.To > int64(len(l.packets)) {
		return newMismatch("frames %d to %d of a normalised video that has %d", c.From, c.To, len(l.packets))
	}
	if _, ok := slices.BinarySearch(l.keys, c.From); c.From > 0 && !ok {
		return newMismatch("begins at frame %d, which is no keyframe; keyframes nearby are %v: begin there, or normalise with that boundary", c.From, keysAround(l.keys, c.From))
	}
	at := int64(len(e.hashes)) - c.From
	for i, k := range l.packets[c.From:c.To] {
		e.hashes = append(e.hashes, k.hash)
		e.places = append(e.places, packetPlace{c.Video, l.places[c.From+int64(i)].at, l.places[c.From+int64(i)].size})
	}
	for _, k := range l.keys {
		if k >= c.From && k < c.To {
			e.keys = append(e.keys, at+k)
		}
	}
	return nil
}

func expectedFile(path string, l listing) expected {
	e := expected{extradata: l.extradata, width: l.width, height: l.height, keys: l.keys}
	for i, k := range l.packets {
		e.hashes = append(e.hashes, k.hash)
		e.places = append(e.places, packetPlace{path, l.places[i].at, l.places[i].size})
	}
	return e
}

// compare demands exactly these packets, in order and on the grid.
func (e expected) compare(got content, p Profile) error {
	if got.picture.extradata != e.extradata {
		return newMismatch("check output: its parameter sets differ from those of the normalised videos")
	}
	if len(got.picture.packets) != len(e.hashes) {
		return newMismatch("check output: %d frames, want %d", len(got.picture.packets), len(e.hashes))
	}
	if err := checkGrid(got.picture.packets, p); err != nil {
		return fmt.Errorf("check output: %w", err)
	}
	for i, k := range got.picture.packets {
		if k.hash != e.hashes[i] {
			return newMismatch("check output: frame %d is not the frame of the normalised video it stands for", i)
		}
	}
	return got.checkSound(p)
}

// content is what a file this package wrote holds.
type content struct {
	picture listing
	sound   []packet // none without a sound track
}

// contentOf demands a picture and, with hasAudio, a sound track, nothing else.
func contentOf(lists []listing, hasAudio bool) (content, error) {
	want := 1
	if hasAudio {
		want = 2
	}
	if len(lists) != want {
		return content{}, newMismatch("%d streams, want %d: a picture or sound track is missing, or one too many", len(lists), want)
	}
	c := content{picture: lists[0]}
	if hasAudio {
		c.sound = lists[1].packets
	}
	return c, nil
}

// readContent returns the content of a file that this package had ffmpeg write.
func readContent(path string, hasAudio bool) (content, error) {
	lists, err := readMP4(path)
	if err != nil {
		return content{}, err
	}
	return contentOf(lists, hasAudio)
}

// maxPriming is the most an encoder puts before the sound, samples; a player
// drops it.
const maxPriming = 2 * aacFrame

// checkSound demands that a sound track begins with the picture and is as
// long, to one AAC frame.
func (c content) checkSound(p Profile) error {
	if len(c.sound) == 0 {
		return nil
	}
	first := c.sound[0]
	if first.timescale != sampleRate || first.pts > 0 || first.pts < -maxPriming {
		return newMismatch("check sound: it begins at %d/%d s, the picture at 0", first.pts, first.timescale)
	}
	want := int64(len(c.picture.packets)) * p.frameSamples()
	if got := playedSamples(c.sound); got < want-aacFrame || got > want+aacFrame {
		return newMismatch("check sound: %d samples, want %d", got, want)
	}
	return nil
}

// playedSamples counts the samples a player would play, after the edit list has
// dropped the encoder's priming. Packets suffice: no decoding.
func playedSamples(list []packet) int64 {
	last := list[len(list)-1]
	return last.pts + last.duration - max(0, list[0].pts)
}

// checkTrack demands exactly the packets of a track: its copy must be whole.
func (c content) checkTrack(t *track) error {
	if t == nil {
		return nil
	}
	if len(c.sound) != len(t.sums) {
		return newMismatch("check sound: %d packets, want %d", len(c.sound), len(t.sums))
	}
	for i, k := range c.sound {
		if k.hash != t.sums[i] {
			return newMismatch("check sound: packet %d is not that of its source", i)
		}
	}
	return nil
}
