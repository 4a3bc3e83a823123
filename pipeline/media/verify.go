package media

import (
	"context"
	"fmt"
	"slices"
)

// expected is what a joined file must hold.
type expected struct {
	hashes        []string // of packets, in order
	extradata     string
	width, height int32
}

// expectedOf is what the clips' mezzanines hold at the named frames.
func expectedOf(known map[string]listing, clips []Clip, p Profile) (expected, error) {
	first := known[clips[0].Video]
	e := expected{extradata: first.extradata, width: first.width, height: first.height}
	for i, c := range clips {
		l := known[c.Video]
		if l.extradata == "" {
			return expected{}, mismatched("clip %d: no picture with a parameter set: this is not a mezzanine", i)
		}
		if l.extradata != e.extradata || l.width != e.width || l.height != e.height {
			return expected{}, mismatched("clip %d: it was encoded in another format than clip 0; normalise all clips with one profile", i)
		}
		if err := checkGrid(l.packets, p); err != nil {
			return expected{}, fmt.Errorf("clip %d: %w", i, err)
		}
		if c.To > int64(len(l.packets)) {
			return expected{}, mismatched("clip %d: frames %d to %d of a mezzanine that has %d", i, c.From, c.To, len(l.packets))
		}
		if _, ok := slices.BinarySearch(l.keys, c.From); c.From > 0 && !ok {
			return expected{}, mismatched("clip %d: begins at frame %d, which is no keyframe; keyframes nearby are %v: begin there, or normalise with that boundary", i, c.From, nearest(l.keys, c.From))
		}
		for _, k := range l.packets[c.From:c.To] {
			e.hashes = append(e.hashes, k.hash)
		}
	}
	return e, nil
}

// mezzanineStreams names the picture of each distinct file of the clips, and
// the keyframes of those that a clip enters behind their begin.
func mezzanineStreams(clips []Clip) []wanted {
	var streams []wanted
	want := func(w wanted) {
		if !slices.Contains(streams, w) {
			streams = append(streams, w)
		}
	}
	for _, c := range clips {
		want(wanted{path: c.Video, selector: ":v:0"})
		if c.From > 0 {
			want(wanted{path: c.Video, selector: ":v:0", keysOnly: true})
		}
	}
	return streams
}

// byFile gathers what was listed of mezzanines.
func byFile(streams []wanted, lists []listing) map[string]listing {
	known := make(map[string]listing, len(streams))
	for i, s := range streams {
		l := known[s.path]
		if s.keysOnly {
			l.keys = frameNumbers(lists[i].packets)
		} else {
			l.packets, l.extradata, l.width, l.height = lists[i].packets, lists[i].extradata, lists[i].width, lists[i].height
		}
		known[s.path] = l
	}
	return known
}

// mezzanines lists the pictures of the clips.
func (t *Tools) mezzanines(ctx context.Context, clips []Clip, lim Limits) (map[string]listing, error) {
	streams := mezzanineStreams(clips)
	lists, _, err := t.knownListings(ctx, streams, nil, lim)
	if err != nil {
		return nil, err
	}
	return byFile(streams, lists), nil
}

// compareJoined compares a joined file with the mezzanines of its clips,
// packet by packet. One process lists all that is not known yet.
func (t *Tools) compareJoined(ctx context.Context, path string, clips []Clip, hasAudio bool, p Profile, lim Limits) (expected, error) {
	streams := mezzanineStreams(clips)
	lists, output, err := t.knownListings(ctx, streams, []wanted{whatIsIn(path, hasAudio)}, lim)
	if err != nil {
		return expected{}, err
	}
	want, err := expectedOf(byFile(streams, lists), clips, p)
	if err != nil {
		return expected{}, err
	}
	return want, want.compare(contentOf(output), p)
}

// compare demands the very packets, in order and on the grid.
func (e expected) compare(got content, p Profile) error {
	if got.picture.extradata != e.extradata {
		return mismatched("check output: its parameter sets differ from those of the mezzanines")
	}
	if len(got.picture.packets) != len(e.hashes) {
		return mismatched("check output: %d frames, want %d", len(got.picture.packets), len(e.hashes))
	}
	if err := checkGrid(got.picture.packets, p); err != nil {
		return fmt.Errorf("check output: %w", err)
	}
	for i, k := range got.picture.packets {
		if k.hash != e.hashes[i] {
			return mismatched("check output: frame %d is not the frame of the mezzanine it stands for", i)
		}
	}
	return got.checkSound(p)
}

// content is what a file this package wrote holds.
type content struct {
	picture listing
	sound   []packet // none without a sound track
}

// whatIsIn asks for all streams of a file: a picture and, with hasAudio, a
// sound track, nothing else.
func whatIsIn(path string, hasAudio bool) wanted {
	if hasAudio {
		return wanted{path: path, streams: 2}
	}
	return wanted{path: path, streams: 1}
}

// contentOf reads the lists that whatIsIn asked for.
func contentOf(lists []listing) content {
	c := content{picture: lists[0]}
	if len(lists) > 1 {
		c.sound = lists[1].packets
	}
	return c
}

// written lists what files of this package hold.
func (t *Tools) written(ctx context.Context, paths []string, hasAudio bool, lim Limits) ([]content, error) {
	var streams []wanted
	for _, path := range paths {
		streams = append(streams, whatIsIn(path, hasAudio))
	}
	lists, err := t.listings(ctx, streams, lim)
	if err != nil {
		return nil, err
	}
	var list []content
	for _, s := range streams {
		list, lists = append(list, contentOf(lists[:s.streams])), lists[s.streams:]
	}
	return list, nil
}

// aacFrame is the number of samples in one AAC frame: sound can be exact only
// to that.
const aacFrame = 1024

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
		return mismatched("check sound: it begins at %d/%d s, the picture at 0", first.pts, first.timescale)
	}
	want := int64(len(c.picture.packets)) * int64(sampleRate/p.FPS)
	if got := heard(c.sound); got < want-aacFrame || got > want+aacFrame {
		return mismatched("check sound: %d samples, want %d", got, want)
	}
	return nil
}

// heard counts the samples a player would play, after the edit list has
// dropped the encoder's priming. Packets suffice: no decoding.
func heard(list []packet) int64 {
	last := list[len(list)-1]
	return last.pts + last.duration - max(0, list[0].pts)
}

// VerifyJoin decodes a joined file and the mezzanines it was made of and
// compares every picture. Join has compared the packets already; this is the
// slow proof for tests and audits.
func VerifyJoin(ctx context.Context, t *Tools, out Output, clips []Clip) error {
	known := map[string][]string{}
	var want []string
	for i, c := range clips {
		if _, ok := known[c.Video]; !ok {
			hashes, err := t.FrameHashes(ctx, c.Video)
			if err != nil {
				return fmt.Errorf("verify join: clip %d: %w", i, err)
			}
			known[c.Video] = hashes
		}
		if c.To > int64(len(known[c.Video])) {
			return fmt.Errorf("verify join: clip %d: frames %d to %d of %d", i, c.From, c.To, len(known[c.Video]))
		}
		want = append(want, known[c.Video][c.From:c.To]...)
	}
	got, err := t.FrameHashes(ctx, out.Path)
	if err != nil {
		return fmt.Errorf("verify join: %w", err)
	}
	if len(got) != len(want) || out.Frames != int64(len(want)) {
		return fmt.Errorf("verify join: %d frames decode, %d stated, want %d", len(got), out.Frames, len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("verify join: frame %d differs from that of its mezzanine", i)
		}
	}
	return nil
}
