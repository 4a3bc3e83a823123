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

// expect reads what the clips' mezzanines hold at the named frames.
func (t *Tools) expect(ctx context.Context, clips []Clip, p Profile, lim Limits) (expected, error) {
	known, err := t.mezzanines(ctx, clips, lim)
	if err != nil {
		return expected{}, err
	}
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

// mezzanines lists the picture of each distinct file of the clips, and the
// keyframes of those that a clip enters behind their begin.
func (t *Tools) mezzanines(ctx context.Context, clips []Clip, lim Limits) (map[string]listing, error) {
	var streams []wanted
	want := func(w wanted) {
		if !slices.Contains(streams, w) {
			streams = append(streams, w)
		}
	}
	for _, c := range clips {
		want(wanted{path: c.Video, selector: "v:0"})
		if c.From > 0 {
			want(wanted{path: c.Video, selector: "v:0", keysOnly: true})
		}
	}
	lists, err := t.listings(ctx, streams, lim)
	if err != nil {
		return nil, err
	}
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
	return known, nil
}

// written lists what a file this package just wrote holds; sound has no packets
// when there is to be none.
func (t *Tools) written(ctx context.Context, path string, hasAudio bool, lim Limits) (picture, sound listing, err error) {
	streams := []wanted{{path: path, selector: "v:0"}}
	if hasAudio {
		streams = append(streams, wanted{path: path, selector: "a:0"})
	}
	lists, err := t.listings(ctx, streams, lim)
	if err != nil {
		return listing{}, listing{}, err
	}
	if hasAudio {
		sound = lists[1]
	}
	return lists[0], sound, nil
}

// verify compares a joined file with what it must hold, packet by packet.
func (t *Tools) verify(ctx context.Context, path string, want expected, hasAudio bool, p Profile, lim Limits) error {
	got, sound, err := t.written(ctx, path, hasAudio, lim)
	if err != nil {
		return fmt.Errorf("check output: %w", err)
	}
	if got.extradata != want.extradata {
		return mismatched("check output: its parameter sets differ from those of the mezzanines")
	}
	if len(got.packets) != len(want.hashes) {
		return mismatched("check output: %d frames, want %d", len(got.packets), len(want.hashes))
	}
	if err := checkGrid(got.packets, p); err != nil {
		return fmt.Errorf("check output: %w", err)
	}
	for i, k := range got.packets {
		if k.hash != want.hashes[i] {
			return mismatched("check output: frame %d is not the frame of the mezzanine it stands for", i)
		}
	}
	return t.verifySound(ctx, path, sound, int64(len(got.packets)), p, lim)
}

// aacFrame is the number of samples in one AAC frame: sound can be exact only
// to that.
const aacFrame = 1024

// verifySound demands a sound track that begins with the picture and is as
// long, to one AAC frame. Without packets of sound it demands no track.
func (t *Tools) verifySound(ctx context.Context, path string, sound listing, frames int64, p Profile, lim Limits) error {
	h, err := t.header(ctx, path, lim)
	if err != nil {
		return fmt.Errorf("check sound: %w", err)
	}
	a, ok := h.sound()
	if wanted := len(sound.packets) > 0; ok != wanted {
		return mismatched("check sound: a sound track is there: %t, want %t", ok, wanted)
	}
	if !ok {
		return nil
	}
	if v, _ := h.picture(); a.Start != v.Start {
		return mismatched("check sound: it begins at %g s, the picture at %g s", a.Start, v.Start)
	}
	want := frames * int64(sampleRate/p.FPS)
	if got := heard(sound.packets); got < want-aacFrame || got > want+aacFrame {
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
