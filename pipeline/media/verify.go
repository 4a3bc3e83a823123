package media

import (
	"context"
	"fmt"
)

// expected is what a joined file must hold.
type expected struct {
	hashes        []string // of packets, in order
	extradata     string
	width, height int32
}

// expect reads what the clips' mezzanines hold at the named frames.
func (t *Tools) expect(ctx context.Context, clips []Clip, p Profile, lim Limits) (expected, error) {
	known := map[string][]packet{}
	var e expected
	for i, c := range clips {
		list, ok := known[c.Video]
		if !ok {
			v, err := t.described(ctx, c.Video, lim)
			if err != nil {
				return expected{}, fmt.Errorf("clip %d: %w", i, err)
			}
			if e.extradata == "" {
				e.extradata, e.width, e.height = v.Extradata, v.Width, v.Height
			}
			if v.Extradata != e.extradata || v.Width != e.width || v.Height != e.height {
				return expected{}, fmt.Errorf("clip %d: it was encoded in another format than clip 0; normalise all clips with one profile", i)
			}
			if list, err = t.packets(ctx, c.Video, "v:0", lim); err != nil {
				return expected{}, fmt.Errorf("clip %d: %w", i, err)
			}
			if err := checkGrid(list, p); err != nil {
				return expected{}, fmt.Errorf("clip %d: %w", i, err)
			}
			known[c.Video] = list
		}
		if c.To > int64(len(list)) {
			return expected{}, fmt.Errorf("clip %d: frames %d to %d of a mezzanine that has %d", i, c.From, c.To, len(list))
		}
		for _, k := range list[c.From:c.To] {
			e.hashes = append(e.hashes, k.hash)
		}
	}
	return e, nil
}

// described returns the picture stream of an MP4 this package wrote.
func (t *Tools) described(ctx context.Context, path string, lim Limits) (stream, error) {
	h, err := t.header(ctx, path, lim)
	if err != nil {
		return stream{}, err
	}
	v, ok := h.picture()
	if !ok || v.Extradata == "" {
		return stream{}, fmt.Errorf("no picture with a parameter set: this is not a mezzanine")
	}
	return v, nil
}

// verify compares a joined file with what it must hold, packet by packet.
func (t *Tools) verify(ctx context.Context, path string, want expected, hasAudio bool, p Profile, lim Limits) error {
	h, err := t.header(ctx, path, lim)
	if err != nil {
		return fmt.Errorf("check output: %w", err)
	}
	if v, _ := h.picture(); v.Extradata != want.extradata {
		return fmt.Errorf("check output: its parameter sets differ from those of the mezzanines")
	}
	got, err := t.packets(ctx, path, "v:0", lim)
	if err != nil {
		return fmt.Errorf("check output: %w", err)
	}
	if len(got) != len(want.hashes) {
		return fmt.Errorf("check output: %d frames, want %d", len(got), len(want.hashes))
	}
	if err := checkGrid(got, p); err != nil {
		return fmt.Errorf("check output: %w", err)
	}
	for i, k := range got {
		if k.hash != want.hashes[i] {
			return fmt.Errorf("check output: frame %d is not the frame of the mezzanine it stands for", i)
		}
	}
	return t.verifySound(ctx, path, h, int64(len(got)), hasAudio, p, lim)
}

// aacFrame is the number of samples in one AAC frame: sound can be exact only
// to that.
const aacFrame = 1024

// verifySound demands a sound track that begins with the picture and is as
// long, to one AAC frame, or none at all.
func (t *Tools) verifySound(ctx context.Context, path string, h header, frames int64, hasAudio bool, p Profile, lim Limits) error {
	a, ok := h.sound()
	if ok != hasAudio {
		return fmt.Errorf("check sound: a sound track is there: %t, want %t", ok, hasAudio)
	}
	if !hasAudio {
		return nil
	}
	v, _ := h.picture()
	if a.Start != v.Start {
		return fmt.Errorf("check sound: it begins at %g s, the picture at %g s", a.Start, v.Start)
	}
	got, err := t.samples(ctx, path, lim)
	if err != nil {
		return fmt.Errorf("check sound: %w", err)
	}
	want := frames * int64(sampleRate/p.FPS)
	if got < want-aacFrame || got > want+aacFrame {
		return fmt.Errorf("check sound: %d samples, want %d", got, want)
	}
	return nil
}

// samples counts the samples of the sound a player would hear, after the edit
// list has dropped the encoder's priming. Packets suffice: no decoding.
func (t *Tools) samples(ctx context.Context, path string, lim Limits) (int64, error) {
	list, err := t.packets(ctx, path, "a:0", lim)
	if err != nil {
		return 0, err
	}
	if len(list) == 0 {
		return 0, nil
	}
	last := list[len(list)-1]
	return last.pts + last.duration - max(0, list[0].pts), nil
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
