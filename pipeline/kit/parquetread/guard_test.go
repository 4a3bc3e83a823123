package parquetread

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestGuardRefusesRunsThatExplode(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		data  []byte
		width int
		ok    bool
	}{
		"one run":              {[]byte{20, 1}, 1, true},
		"one packed group":     {[]byte{3, 0xff}, 1, true},
		"a run of 2^35":        {[]byte{0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 1}, 1, false},
		"many runs":            {bytes.Repeat([]byte{20, 1}, 30), 1, false},
		"runs of nothing":      {[]byte{0, 1, 0, 1}, 1, false},
		"groups of no width":   {[]byte{0xff, 0xff, 0xff, 0x7f}, 0, false},
		"a header without end": {bytes.Repeat([]byte{0xff}, 12), 1, false},
	}
	for name, c := range cases {
		if err := checkRuns(c.data, c.width, 10); (err == nil) != c.ok {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLevelsAreCounted(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data    []byte
		width   int
		n       int64
		highest int
		want    int64
	}{
		"a run of the highest":   {[]byte{20, 1}, 1, 10, 1, 10},
		"a run of a lower one":   {[]byte{20, 1}, 2, 10, 3, 0},
		"a packed group":         {[]byte{3, 0b1011_0101}, 1, 8, 1, 5},
		"a group filled up":      {[]byte{3, 0b1111_0101}, 1, 3, 1, 2},
		"two bits a level":       {[]byte{3, 0b11_10_01_11, 0b11_00_11_00}, 2, 8, 3, 4},
		"three bits, over bytes": {[]byte{3, 0b10_111_101, 0b1_101_101_1, 0b111_101_11}, 3, 8, 7, 3},
		"a run and a group":      {[]byte{6, 1, 3, 0b0000_0011}, 1, 11, 1, 5},
		"too few":                {[]byte{6, 1}, 1, 4, 1, -1},
	} {
		if err := checkRuns(c.data, c.width, max(c.n, 8)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if got := highestLevels(c.data, c.width, c.n, c.highest); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

// TestOneFrameIsOneFrame compresses texts of many lengths and kinds in every way
// that changes the head of a frame.
func TestOneFrameIsOneFrame(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{1, 255, 256, 300, 65_791, 70_000, 400_000} {
		noise := make([]byte, n)
		for i := range noise {
			noise[i] = byte(random.Uint32())
		}
		for _, plain := range [][]byte{noise, make([]byte, n), bytes.Repeat([]byte("a few words "), n/12+1)} {
			for _, options := range [][]zstd.EOption{nil, {zstd.WithEncoderCRC(false)}, {zstd.WithSingleSegment(true)}, {zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(1 << 15)}} {
				enc, err := zstd.NewWriter(nil, options...)
				if err != nil {
					t.Fatal(err)
				}
				frame := enc.EncodeAll(plain, nil)
				hidden := []byte{0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 'x'}
				if !oneFrame(frame) {
					t.Errorf("%d bytes: a frame is none", n)
				}
				for what, bad := range map[string][]byte{
					"one behind": slices.Concat(frame, hidden), "one before": slices.Concat(hidden, frame), "two": slices.Concat(frame, frame),
					"a byte more": append(slices.Clone(frame), 0), "a byte less": frame[:len(frame)-1], "a beginning": frame[:4],
				} {
					if oneFrame(bad) {
						t.Errorf("%d bytes, %s: it passes for one frame", n, what)
					}
				}
			}
		}
	}
}
