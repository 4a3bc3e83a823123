package media

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

// What we read of a file must be what ffmpeg reads of it.
func TestReadMP4AsFfmpegDoes(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	ctx, dir, p, lim := context.Background(), t.TempDir(), small(), DefaultLimits()
	a, b, _, _ := pairOf(t, tl, p, dir)
	joined, err := tl.Join(ctx, []Clip{whole(a), {b.Video, b.Audio, 28, 60}}, p, dir, lim)
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "foreign.mp4")
	ffmpeg(t, "-i", joined.Path, "-c:v", "libx264", "-bf", "2", "-preset", "ultrafast", "-c:a", "aac", "-movie_timescale", "48000", foreign)
	for name, c := range map[string]struct {
		path     string
		hasAudio bool
	}{"normalised video": {a.Video, false}, "joined": {joined.Path, true}, "with B-frames and encoded sound": {foreign, true}} {
		want, err := tl.listPlayed(ctx, c.path, c.hasAudio, lim)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		got, err := readContent(c.path, c.hasAudio)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if got.picture.keys == nil || got.picture.keys[0] != 0 {
			t.Errorf("%s: keyframes %v", name, got.picture.keys)
		}
		got.picture.keys, got.picture.places = nil, nil
		for i, pair := range [][2][]packet{{got.picture.packets, want.picture.packets}, {got.sound, want.sound}} {
			if len(pair[0]) != len(pair[1]) {
				t.Fatalf("%s: %d packets of stream %d, ffmpeg reads %d", name, len(pair[0]), i, len(pair[1]))
			}
			for n, k := range pair[0] {
				if k != pair[1][n] {
					t.Fatalf("%s: packet %d of stream %d is %+v, ffmpeg reads %+v", name, n, i, k, pair[1][n])
				}
			}
		}
		got.picture.packets, want.picture.packets = nil, nil
		if !reflect.DeepEqual(got.picture, want.picture) {
			t.Errorf("%s: picture %+v, ffmpeg reads %+v", name, got.picture, want.picture)
		}
	}
}

// FuzzParseMP4 must end without a panic, and with a judgement.
func FuzzParseMP4(f *testing.F) {
	f.Add([]byte("no video"))
	if _, err := Locate(); err == nil {
		path := filepath.Join(f.TempDir(), "seed.mp4")
		ffmpeg(f, "-f", "lavfi", "-i", "color=s=16x16:r=5:d=1", "-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo", "-t", "1",
			"-c:v", "libx264", "-preset", "ultrafast", "-c:a", "aac", "-movflags", "+faststart", path)
		b, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		lists, err := parseMP4(bytes.NewReader(in), int64(len(in)))
		var wrong *mismatch
		if err != nil && !errors.As(err, &wrong) {
			t.Fatalf("bytes in memory gave %v", err)
		}
		for _, l := range lists {
			if len(l.packets) > len(in) && len(l.packets) > maxFrames {
				t.Fatalf("%d packets in %d bytes", len(l.packets), len(in))
			}
		}
	})
}
