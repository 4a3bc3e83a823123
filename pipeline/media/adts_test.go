package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// packetLike is a packet of n bytes with a filling.
func packetLike(n int, fill byte) []byte {
	b := bytes.Repeat([]byte{fill}, n)
	copy(b, []byte{0xff, 0xf1, 0x4c, 0x80 | byte(n>>11), byte(n >> 3), byte(n<<5) | 0x1f, 0xfc})
	return b
}

func TestParseADTS(t *testing.T) {
	good := bytes.Join([][]byte{packetLike(8, 1), packetLike(8191, 2), silentPacket[:]}, nil)
	at, sums, err := parseADTS(bytes.NewReader(good))
	if err != nil || len(at) != 4 || at[1] != 8 || at[2] != 8+8191 || at[3] != int64(len(good)) {
		t.Fatalf("packets at %v: %v", at, err)
	}
	if len(sums) != 3 || sums[0] != sumOf([]byte{1}) || sums[2] != sumOf(silentPacket[adtsHeader:]) {
		t.Errorf("sums %v", sums)
	}
	if at, sums, err := parseADTS(bytes.NewReader(nil)); err != nil || len(at) != 1 || len(sums) != 0 {
		t.Errorf("nothing gives %v, %v, %v", at, sums, err)
	}
	damage := func(i int, v byte) []byte {
		b := append(bytes.Clone(good), packetLike(20, 3)...)
		b[len(good)+i] = v
		return b
	}
	for name, c := range map[string]struct {
		in   []byte
		want string
	}{
		"half a header":    {append(bytes.Clone(good), 0xff, 0xf1), "ends within a packet at byte 8212"},
		"half a packet":    {good[:len(good)-1], "ends within a packet at byte 8199"},
		"no sync":          {damage(0, 0xfe), "at byte 8212"},
		"MPEG-2":           {damage(1, 0xf9), "not the sound"},
		"a checksum":       {damage(1, 0xf0), "not the sound"},
		"44.1 kHz":         {damage(2, 0x50), "not the sound"},
		"main profile":     {damage(2, 0x0c), "not the sound"},
		"six channels":     {damage(2, 0x4d), "not the sound"},
		"one channel":      {damage(3, 0x40), "not the sound"},
		"two blocks":       {damage(6, 0xfd), "not the sound"},
		"no content":       {packetLike(7, 0), "at byte 0"},
		"less than header": {packetLike(8, 0)[:7:7], "ends within"},
		"pcm":              {make([]byte, 4096), "not the sound"},
	} {
		_, _, err := parseADTS(bytes.NewReader(c.in))
		var wrong *mismatch
		if !errors.As(err, &wrong) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want a mismatch with %q", name, err, c.want)
		}
	}
}

// What is parsed must be the input, cut into pieces that begin with a header.
func FuzzParseADTS(f *testing.F) {
	f.Add([]byte(nil))
	f.Add(silentPacket[:])
	f.Add(append(packetLike(300, 7), silentPacket[:]...))
	f.Add(packetLike(8191, 0)[:100])
	f.Fuzz(func(t *testing.T, in []byte) {
		at, sums, err := parseADTS(bytes.NewReader(in))
		if err != nil {
			var wrong *mismatch
			if !errors.As(err, &wrong) {
				t.Fatalf("bytes in memory gave %v", err)
			}
			return
		}
		if len(at) != len(sums)+1 || at[len(at)-1] != int64(len(in)) {
			t.Fatalf("%d packets end at %v in %d bytes", len(sums), at, len(in))
		}
		for i, sum := range sums {
			p := in[at[i]:at[i+1]]
			if n, ok := packetSize([adtsHeader]byte(p)); !ok || n != len(p) || sumOf(p[adtsHeader:]) != sum {
				t.Fatalf("packet %d is %x", i, p)
			}
		}
	})
}

// The packet of silence is the encoder's own, and decodes to silence after
// anything.
func TestSilentPacket(t *testing.T) {
	tools(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "silence.aac")
	ffmpeg(t, "-f", "lavfi", "-i", "anullsrc=r=48000:cl=stereo", "-t", "0.2", "-c:a", "aac", "-aac_coder", "fast", "-b:a", "128k", "-flags:a", "+bitexact", "-f", "adts", path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := bytes.Repeat(silentPacket[:], 11); !bytes.Equal(b, want) {
		t.Errorf("ffmpeg encodes silence as %x", b[:min(len(b), 40)])
	}
	ffmpeg(t, "-f", "lavfi", "-i", "sine=1000:r=48000", "-t", "0.2", "-ac", "2", "-c:a", "aac", "-f", "adts", path)
	loud, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, append(loud, bytes.Repeat(silentPacket[:], 3)...), 0o644); err != nil {
		t.Fatal(err)
	}
	pcm := decoded(t, path)
	if tail := pcm[len(pcm)-2*aacFrame*sampleBytes:]; !bytes.Equal(tail, make([]byte, len(tail))) {
		t.Error("silence after a tone is not silent")
	}
}

func TestFitTrack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sound.aac")
	loud := packetLike(50, 9)
	for _, c := range []struct {
		have    int
		samples int64
		loud    int
		silent  int
	}{{0, 2048, 0, 3}, {5, 2048, 3, 0}, {3, 2048, 3, 0}, {3, 2049, 3, 1}, {2, 1, 2, 0}, {1, 1920, 1, 2}} {
		if err := os.WriteFile(path, bytes.Repeat(loud, c.have), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := fitTrack(path, c.samples); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if want := append(bytes.Repeat(loud, c.loud), bytes.Repeat(silentPacket[:], c.silent)...); !bytes.Equal(got, want) {
			t.Errorf("%d packets for %d samples: %d bytes, want %d", c.have, c.samples, len(got), len(want))
		}
	}
	if err := os.WriteFile(path, []byte("no sound"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := fitTrack(path, 1); err == nil {
		t.Error("a text was fitted")
	}
}

// fakeTrack has so many packets.
func fakeTrack(packets int64) *track { return &track{at: make([]int64, packets+1)} }

// Every packet of a joined sound must lie nearest in time to where it plays,
// however many pieces there are and whatever the rate.
func TestTakesAreNearestInTime(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		p := DefaultProfile()
		p.FPS = []int32{1, 24, 25, 30, 60, 120}[rng.IntN(6)]
		per := p.frameSamples()
		tracks := map[string]*track{"": nil}
		var pieces []SoundPiece
		for i := range 1 + rng.IntN(12) {
			s := SoundPiece{Path: fmt.Sprint(i % 3), From: rng.Int64N(300)}
			s.To = s.From + 1 + rng.Int64N(40)
			tracks[s.Path] = fakeTrack(packetsOf(400 * per))
			pieces = append(pieces, s)
		}
		checkTakes(t, pieces, packetRanges(pieces, tracks, p), per)
	}
}

func checkTakes(t *testing.T, pieces []SoundPiece, list []packetRange, per int64) {
	t.Helper()
	total := int64(0)
	for _, s := range pieces {
		total += (s.To - s.From) * per
	}
	slot := int64(-1) // the first packet primes
	for _, k := range list {
		for n := k.from; n < k.to; n, slot = n+1, slot+1 {
			if slot < 0 {
				continue
			}
			// The piece that plays in the middle of the slot, or the last one.
			at, i := int64(0), 0
			for i < len(pieces)-1 && slot*aacFrame+aacFrame/2 >= at+(pieces[i].To-pieces[i].From)*per {
				at += (pieces[i].To - pieces[i].From) * per
				i++
			}
			wanted := pieces[i].From*per + slot*aacFrame - at
			if off := (n-1)*aacFrame - wanted; off > aacFrame/2 || off < -aacFrame/2 {
				t.Fatalf("slot %d plays packet %d, %d samples off (pieces %v)", slot, n, off, pieces)
			}
		}
	}
	if slot != packetsOf(total)-1 {
		t.Fatalf("%d packets for %d samples, want %d", slot+1, total, packetsOf(total))
	}
	if list[0].from < 0 {
		t.Fatalf("packet %d is asked for", list[0].from)
	}
}

// Pieces that follow each other in their source are heard without a seam.
func TestTakesOfOneRunAreTheSource(t *testing.T) {
	p := DefaultProfile()
	whole := fakeTrack(packetsOf(100 * p.frameSamples()))
	var got []int64
	for _, k := range packetRanges([]SoundPiece{{"a", 0, 7}, {"a", 7, 31}, {"a", 31, 100}}, map[string]*track{"a": whole}, p) {
		for n := k.from; n < k.to; n++ {
			got = append(got, n)
		}
	}
	for i, n := range got {
		if n != int64(i) {
			t.Fatalf("packets %v", got)
		}
	}
	if int64(len(got)) != whole.packets() {
		t.Errorf("%d packets, want %d", len(got), whole.packets())
	}
}

func TestJoinSoundRefuses(t *testing.T) {
	dir := t.TempDir()
	short, text := filepath.Join(dir, "short.aac"), filepath.Join(dir, "text.aac")
	for path, b := range map[string][]byte{short: silentPacket[:], text: []byte("no sound at all")} {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, pieces := range map[string][]SoundPiece{
		"nothing": nil, "no frames": {{"", 3, 3}}, "before the begin": {{"", -1, 3}}, "short": {{short, 0, 1}}, "text": {{text, 0, 1}},
		"missing": {{filepath.Join(dir, "gone.aac"), 0, 1}},
	} {
		if path, err := JoinSound(pieces, 25, dir); err == nil {
			t.Errorf("%s: %s", name, path)
		}
	}
	if _, err := JoinSound([]SoundPiece{{"", 0, 1}}, 29, dir); err == nil {
		t.Error("29 frames a second were taken")
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".media-*")); len(left) > 0 {
		t.Errorf("work folders left behind: %v", left)
	}
}

// Where two loud sounds meet, the packet decoded over the other's rest must
// neither be louder than they are nor make a decoder complain.
func TestSeamsAreNotLouderThanTheirSources(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	dir, p := t.TempDir(), small()
	var ms []NormalisedVideo
	for i, tone := range []string{"0.8*sin(2*PI*440*t)", "0.5*sin(2*PI*1733*t)+0.3*(random(1)-0.5)", "0.9*(2*gt(sin(2*PI*97*t)\\,0)-1)*0.8"} {
		c := clipSpec{id: i, name: fmt.Sprintf("%d.mp4", i), frames: 75, w: 320, h: 180, flash: -1, out: x264}
		path := filepath.Join(dir, "loud-"+c.name)
		ffmpeg(t, "-i", c.make(t, dir), "-f", "lavfi", "-i", "aevalsrc="+tone+":s=48000:c=stereo", "-map", "0:v", "-map", "1:a",
			"-c:v", "copy", "-c:a", "aac", "-b:a", "192k", "-shortest", path)
		ms = append(ms, probed(t, tl, path, p, dir, 10, 20, 30, 40, 50, 60, 70))
	}
	var clips []Clip
	for i := range 21 {
		m := ms[i%3]
		from := int64(i/3) * 10
		clips = append(clips, Clip{m.Video, m.Audio, from, from + 10})
	}
	out, err := tl.Join(context.Background(), clips, p, dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	pcm := channelOf(pcmOf(t, out.Path), 0, false) // fails on any message
	loudest := 0.0
	for _, m := range ms {
		loudest = max(loudest, slices.Max(levels(channelOf(decoded(t, m.Audio), 0, false))))
	}
	if got := slices.Max(levels(pcm)); got > 1.1*loudest {
		t.Errorf("the joined sound has a level of %.0f, its sources of at most %.0f", got, loudest)
	}
	full := 0
	for _, v := range pcm {
		if v == 32767 || v == -32768 {
			full++
		}
	}
	if full > len(clips)*20 {
		t.Errorf("%d samples are clipped in %d seams", full, len(clips)-1)
	}
}

// levels are those of stretches as long as a packet.
func levels(pcm []int16) []float64 {
	var list []float64
	for part := range slices.Chunk(pcm, aacFrame) {
		list = append(list, effectiveLevel(part))
	}
	return list
}
