package media

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/Eyevinn/mp4ff/mp4"
)

// normalisedOf is a short normalised video with sound.
func normalisedOf(t *testing.T, tl *Tools, p Profile, dir string) NormalisedVideo {
	t.Helper()
	c := clipSpec{id: 1, name: "in.mp4", frames: 60, w: 320, h: 180, sound: true, flash: 30, out: x264}
	return probed(t, tl, c.make(t, dir), p, dir)
}

// The index must place every packet where it lies, below and above 4 GiB.
func TestIndexPlacesPackets(t *testing.T) {
	tl := tools(t)
	dir, p := t.TempDir(), small()
	m := normalisedOf(t, tl, p, dir)
	for _, size := range []int64{1000, 100 << 20} {
		f := mp4Writer{template: m.Video, keys: []int64{0}}
		var sound []packetPlace
		for range 110 {
			f.picture = append(f.picture, packetPlace{size: size})
		}
		for range 209 {
			sound = append(sound, packetPlace{size: 300})
		}
		f.sound = &track{}
		total := 110*size + 209*300
		chunks := f.chunks(len(sound), p)
		boxes, err := f.indexBoxes(chunks, sound, total, p)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		for _, box := range boxes {
			if err := box.Encode(&b); err != nil {
				t.Fatal(err)
			}
		}
		file, err := mp4.DecodeFile(bytes.NewReader(b.Bytes()), mp4.WithDecodeMode(mp4.DecModeLazyMdat))
		if err != nil {
			t.Fatal(err)
		}
		at := uint64(b.Len()) + mdatHeader(total)
		numbers, totals := [2]int{}, [2]uint32{}
		for _, c := range chunks {
			stream := number01(c.sound)
			s := sampleReader{table: file.Moov.Traks[stream].Mdia.Minf.Stbl}
			numbers[stream]++
			if got := s.chunks()[numbers[stream]-1]; got != at {
				t.Fatalf("chunk %d of stream %d stands at %d, want %d", numbers[stream], stream, got, at)
			}
			n := s.table.Stsc.GetChunk(uint32(numbers[stream])).NrSamples
			if int(n) != c.to-c.from {
				t.Fatalf("chunk %d of stream %d has %d packets, want %d", numbers[stream], stream, n, c.to-c.from)
			}
			totals[stream] += n
			at += uint64(n) * uint64(map[bool]int64{false: size, true: 300}[c.sound])
		}
		if totals != [2]uint32{110, 209} {
			t.Errorf("%v packets lie in chunks", totals)
		}
	}
}

func TestFilmRespectsTheLimit(t *testing.T) {
	tl := tools(t)
	dir, p := t.TempDir(), small()
	m := normalisedOf(t, tl, p, dir)
	lim := DefaultLimits()
	lim.MaxOutputBytes = 5000
	_, err := tl.Join(context.Background(), []Clip{whole(m), whole(m)}, p, dir, lim)
	var u *Unplayable
	if !errors.As(err, &u) || u.Code != CodeOutputSize {
		t.Errorf("error %v, want the output's size", err)
	}
}

// What is read of a written film must be held against what it was made of.
func TestWrittenFilmsAreChecked(t *testing.T) {
	tl := tools(t)
	ctx, dir, p, lim := context.Background(), t.TempDir(), small(), DefaultLimits()
	m := normalisedOf(t, tl, p, dir)
	w, err := newWork(dir)
	if err != nil {
		t.Fatal(err)
	}
	sound, err := readTrack(m.Audio)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		spoil func(f *mp4Writer, e *expected)
		want  string
	}{
		"nothing":           {func(*mp4Writer, *expected) {}, ""},
		"a picture too few": {func(f *mp4Writer, e *expected) { f.picture = f.picture[:59] }, "59 frames, want 60"},
		"another picture":   {func(f *mp4Writer, e *expected) { f.picture[7] = f.picture[8] }, "frame 7 is not"},
		"another sound":     {func(f *mp4Writer, e *expected) { f.sound = spoiled(sound) }, "packet 3 is not"},
		"a short sound":     {func(f *mp4Writer, e *expected) { f.sound = &track{sound.path, sound.at[:60], sound.sums[:59]} }, "samples, want"},
		"other parameters":  {func(f *mp4Writer, e *expected) { e.extradata = "x" }, "parameter sets"},
	} {
		l, err := tl.listNormalised(m.Video)
		if err != nil {
			t.Fatal(err)
		}
		want := expectedFile(m.Video, l)
		f := mp4Writer{name: "film.mp4", template: m.Video, picture: want.places, keys: want.keys, sound: sound}
		c.spoil(&f, &want)
		_, err = f.build(ctx, w, want, p, lim)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// spoiled claims another sum for a packet.
func spoiled(t *track) *track {
	c := *t
	c.sums = append([]string(nil), t.sums...)
	c.sums[3] = "another"
	return &c
}
