package media

import (
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testfiles"
)

// tools returns located tools or skips the test.
func tools(t testing.TB) *Tools {
	t.Helper()
	tl, err := Locate()
	if err != nil {
		t.Skipf("needs ffmpeg: %v", err)
	}
	return tl
}

// fixtureVideos returns the folder of real videos or skips the test.
func fixtureVideos(t testing.TB) string {
	t.Helper()
	return testfiles.Real(t, "videos")
}

// small is a profile that keeps tests fast.
func small() Profile {
	p := DefaultProfile()
	p.Width, p.Height = 320, 180
	return p
}

// clipSpec describes a synthetic source: every picture carries its number and
// the clip's id as blocks, so that it can be recognised after any scaling.
type clipSpec struct {
	id, frames, w, h int
	rate             string // "25", "30000/1001"
	flash            int    // picture that flashes while a click begins; -1 none
	sound            bool
	lateSound        float64  // seconds
	channels         string   // layout of the encoded sound, or ""
	out              []string // encoder options
	name             string   // file name, its extension is the container
}

const (
	blockColumns = 8
	blockRows    = 2
)

// draw paints 4 bits of id, 11 bits of number and a parity bit as 8x2 blocks
// in the upper half; the lower half is a moving grey ramp or the flash.
func (c clipSpec) draw(n int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, c.w, c.h))
	for y := c.h / 2; y < c.h; y++ {
		for x := range c.w {
			v := uint8(40 + (x+3*n+y)%80)
			if n == c.flash {
				v = 255
			}
			img.SetRGBA(x, y, color.RGBA{v, v, v, 255})
		}
	}
	bits := uint(c.id<<11 | n)
	for i := range blockColumns * blockRows {
		v := uint8(0)
		if i == 15 && parity(bits) || i < 15 && bits>>uint(i)&1 == 1 {
			v = 255
		}
		cell := image.Rect(i%blockColumns*c.w/blockColumns, i/blockColumns*c.h/4, (i%blockColumns+1)*c.w/blockColumns, (i/blockColumns+1)*c.h/4)
		draw.Draw(img, cell, image.NewUniform(color.RGBA{v, v, v, 255}), image.Point{}, draw.Src)
	}
	return img
}

func parity(bits uint) bool {
	odd := false
	for ; bits > 0; bits >>= 1 {
		odd = odd != (bits&1 == 1)
	}
	return odd
}

// gray is one decoded picture.
type gray struct {
	w, h int
	pix  []byte
}

func (g gray) sub(x, w int) gray {
	out := gray{w: w, h: g.h}
	for y := range g.h {
		out.pix = append(out.pix, g.pix[y*g.w+x:][:w]...)
	}
	return out
}

// read returns id and number; ok is false when the parity is wrong.
func (g gray) read() (id, n int, ok bool) {
	var bits uint
	check := false
	for i := range blockColumns * blockRows {
		x := (2*(i%blockColumns) + 1) * g.w / (2 * blockColumns)
		y := (2*(i/blockColumns) + 1) * g.h / 8
		on := g.pix[y*g.w+x] > 127
		if i == 15 {
			check = on
		} else if on {
			bits |= 1 << uint(i)
		}
	}
	return int(bits >> 11), int(bits & 0x7ff), check == parity(bits)
}

// flashes tells whether the lower half is white.
func (g gray) flashes() bool {
	sum, count := 0, 0
	for y := g.h * 5 / 8; y < g.h*7/8; y++ {
		for x := g.w / 4; x < g.w*3/4; x++ {
			sum += int(g.pix[y*g.w+x])
			count++
		}
	}
	return sum/count > 200
}

// absDiff is the mean absolute difference of two pictures of one size.
func absDiff(a, b gray) float64 {
	sum := 0
	for i := range a.pix {
		sum += int(math.Abs(float64(a.pix[i]) - float64(b.pix[i])))
	}
	return float64(sum) / float64(len(a.pix))
}

// ffmpeg runs the program as it is, apart from the code under test.
func ffmpeg(t testing.TB, args ...string) []byte {
	t.Helper()
	cmd := exec.Command("ffmpeg", append([]string{"-hide_banner", "-nostdin", "-v", "error", "-y"}, args...)...)
	var stderr limitedBuffer
	stderr.max = 4096
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("ffmpeg %v: %v\n%s", args, err, stderr.kept.String())
	}
	return out
}

// make encodes the clip into dir.
func (c clipSpec) make(t testing.TB, dir string) string {
	t.Helper()
	if c.rate == "" {
		c.rate = "25"
	}
	path := filepath.Join(dir, c.name)
	args := []string{"-hide_banner", "-v", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgba", "-s", fmt.Sprintf("%dx%d", c.w, c.h), "-r", c.rate, "-i", "pipe:0"}
	if c.sound {
		pcm := filepath.Join(dir, c.name+".raw")
		if err := os.WriteFile(pcm, c.clicks(), 0o644); err != nil {
			t.Fatal(err)
		}
		args = append(args, "-itsoffset", fmt.Sprint(c.lateSound), "-f", "s16le", "-ar", "48000", "-ac", "1", "-i", pcm, "-map", "0:v", "-map", "1:a")
		if c.channels != "" {
			args = append(args, "-af", "aformat=channel_layouts="+c.channels)
		}
	}
	args = append(append(args, c.out...), path)
	cmd := exec.Command("ffmpeg", args...)
	cmd.Stdin = &frameReader{ctx: context.Background(), spec: FrameSpec{Width: int32(c.w), Height: int32(c.h)}, next: func(n int64) (*image.RGBA, bool, error) {
		return c.draw(int(n)), n < int64(c.frames), nil
	}}
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("ffmpeg %v: %v\n%s", args, err, out)
	}
	return path
}

// clicks is mono PCM as long as the picture with a burst of 20 ms that begins
// with the flash.
func (c clipSpec) clicks() []byte {
	n := int(float64(c.frames) / fraction2(c.rate) * 48000)
	out := make([]byte, 2*n)
	if c.flash < 0 {
		return out
	}
	from := int(float64(c.flash) / fraction2(c.rate) * 48000)
	for i := range 960 {
		v := int16(20000 * math.Sin(float64(i)*2*math.Pi*1000/48000))
		binary.LittleEndian.PutUint16(out[2*(from+i):], uint16(v))
	}
	return out
}

func fraction2(rate string) float64 {
	if v := parseFraction(rate); v > 0 {
		return v
	}
	return parseFraction(rate + "/1")
}

// grays decodes every picture of a file to luma.
func grays(t testing.TB, path string, w, h int) []gray {
	t.Helper()
	raw := ffmpeg(t, "-i", path, "-map", "0:V:0", "-fps_mode", "passthrough", "-pix_fmt", "gray", "-f", "rawvideo", "pipe:1")
	if len(raw)%(w*h) != 0 {
		t.Fatalf("%d decoded bytes are no pictures of %dx%d", len(raw), w, h)
	}
	var list []gray
	for ; len(raw) > 0; raw = raw[w*h:] {
		list = append(list, gray{w: w, h: h, pix: raw[:w*h]})
	}
	return list
}

// peaks returns the begin of each burst on one channel of s16le stereo, in
// samples: places louder than 3000 with 100 ms of quiet before them.
func peaks(pcm []byte, channel int) []int {
	var list []int
	last := -48000
	for i := 0; i+4 <= len(pcm); i += 4 {
		v := int16(binary.LittleEndian.Uint16(pcm[i+2*channel:]))
		if v > 3000 || v < -3000 {
			if i/4-last > 4800 {
				list = append(list, i/4)
			}
			last = i / 4
		}
	}
	return list
}

// pcmOf decodes the sound of a file as a player would hear it.
func pcmOf(t testing.TB, path string) []byte {
	t.Helper()
	return ffmpeg(t, "-i", path, "-map", "0:a:0", "-af", "aresample=async=1:first_pts=0", "-ar", "48000", "-ac", "2", "-f", "s16le", "pipe:1")
}

// decoded is the PCM of a normalised video's sound, from its first sample on.
func decoded(t testing.TB, path string) []byte {
	t.Helper()
	return ffmpeg(t, "-f", "aac", "-i", path, "-f", "s16le", "pipe:1")[aacFrame*sampleBytes:]
}

// probed probes and normalises a file that must be playable, with keyframes at
// keys.
func probed(t testing.TB, tl *Tools, path string, p Profile, dir string, keys ...int64) NormalisedVideo {
	t.Helper()
	ctx := context.Background()
	f, err := tl.Probe(ctx, path, DefaultLimits())
	if err != nil {
		t.Fatalf("probe %s: %v", filepath.Base(path), err)
	}
	m, err := tl.Normalise(ctx, path, f, keys, p, dir, DefaultLimits())
	if err != nil {
		t.Fatalf("normalise %s: %v", filepath.Base(path), err)
	}
	return m
}
