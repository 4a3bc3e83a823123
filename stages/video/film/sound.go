package film

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"

	"github.com/memforge/memforge/schemas"
)

const rate = 48000

// track is stereo sound being mixed; a sample is between -1 and 1.
type track struct{ left, right []float32 }

// writeSound mixes the sound of f and writes it as s16le, 48 kHz, stereo, one
// frame's samples for each picture.
func writeSound(f schemas.Film, dir string) (string, error) {
	path := filepath.Join(dir, "sound.pcm")
	if err := os.WriteFile(path, soundOf(f).pcm(), 0o600); err != nil {
		return "", fmt.Errorf("write the sound: %w", err)
	}
	return path, nil
}

func soundOf(f schemas.Film) track {
	n := int(f.Frames * rate / int64(f.FPS))
	t := track{make([]float32, n), make([]float32, n)}
	r := rand.New(rand.NewPCG(uint64(f.Seed), 11))
	t.ambience(r, f.Place == "park" || f.Place == "street cafe" || f.Place == "station")
	t.music(r, f.Duration())
	for _, e := range f.Events {
		if e.Kind != schemas.FilmWalks && e.Kind != schemas.FilmActs {
			t.pluck(e.Start, 1046.5, 0.20, 0.5, 0)
			t.pluck(e.Start+0.07, 1568, 0.12, 0.5, 0)
		}
	}
	t.fade()
	return t
}

func (t track) ambience(r *rand.Rand, open bool) {
	gain, smooth := float32(0.05), float32(0.006)
	if open {
		gain, smooth = 0.09, 0.02
	}
	var left, right float32
	for i := range t.left {
		bits := r.Uint32()
		left += (float32(int16(bits))/32768 - left) * smooth
		right += (float32(int16(bits>>16))/32768 - right) * smooth
		t.left[i] += left * gain * 4
		t.right[i] += right * gain * 4
	}
}

// scale is the pentatonic scale in semitones.
var scale = [8]float64{0, 2, 4, 7, 9, 12, 14, 16}

func (t track) music(r *rand.Rand, seconds float64) {
	root := 220 * math.Pow(2, float64(r.IntN(7)-3)/12)
	beat := 0.36 + 0.02*float64(r.IntN(7))
	step := r.IntN(len(scale))
	for n := 0; float64(n)*beat < seconds; n++ {
		at := float64(n) * beat
		if n%4 == 0 {
			t.pluck(at, root/2, 0.13, 1.6, 0)
		}
		if r.IntN(4) == 0 {
			continue
		}
		step = min(len(scale)-1, max(0, step+r.IntN(5)-2))
		t.pluck(at, root*math.Pow(2, scale[step]/12), 0.10, 0.9, 0.6*math.Sin(float64(n)))
	}
}

// pluck adds a decaying note with one overtone, panned from -1 to 1. Its sine
// waves are turned by rotation, which is cheap and exact enough.
func (t track) pluck(at, hz, gain, length, pan float64) {
	from := int(at * rate)
	count := min(int(length*rate), len(t.left)-from)
	if from < 0 || count <= 0 {
		return
	}
	sin, cos := math.Sincos(2 * math.Pi * hz / rate)
	fall := math.Exp(-5 / (length * rate))
	x, y, envelope := 1.0, 0.0, gain
	l, r := float32(0.5-0.5*pan), float32(0.5+0.5*pan)
	for i := range count {
		attack := math.Min(1, float64(i)/240)
		v := float32((y + 0.6*x*y) * envelope * attack)
		t.left[from+i] += v * l * 1.6
		t.right[from+i] += v * r * 1.6
		x, y = x*cos-y*sin, x*sin+y*cos
		envelope *= fall
	}
}

func (t track) fade() {
	n := min(rate/20, len(t.left)/2)
	for i := range n {
		k := float32(i) / float32(n)
		end := len(t.left) - 1 - i
		t.left[i], t.right[i] = t.left[i]*k, t.right[i]*k
		t.left[end], t.right[end] = t.left[end]*k, t.right[end]*k
	}
}

func (t track) pcm() []byte {
	out := make([]byte, 4*len(t.left))
	for i := range t.left {
		binary.LittleEndian.PutUint16(out[4*i:], uint16(sample(t.left[i])))
		binary.LittleEndian.PutUint16(out[4*i+2:], uint16(sample(t.right[i])))
	}
	return out
}

func sample(v float32) int16 { return int16(max(-1, min(1, v)) * 32000) }
