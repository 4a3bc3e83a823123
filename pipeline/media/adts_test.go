package media

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
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
