package media

import (
	"context"
	"math"
	"os/exec"
	"path/filepath"
	"testing"
)

// What docs/formats.md says of sound at a joint, in milliseconds.
const (
	saidOff       = 10.7
	saidHalfAfter = 21.5
	saidAfter     = 28.5
	saidBefore    = 9.5
)

// TestSoundAtAJoint joins a tone and silence at the eight places that a joint at
// 25 frames a second can have within a packet, and measures for how long the tone
// is heard where silence belongs: as loud as half, and at a hundredth.
func TestSoundAtAJoint(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("decodes sixteen joints; run without -short")
	}
	dir := t.TempDir()
	tone := filepath.Join(dir, "tone.aac")
	run(t, "-f", "lavfi", "-i", "sine=f=1000:r=48000:d=3,volume=4", "-ac", "2", "-c:a", "aac", "-b:a", "128k", "-f", "adts", tone)
	var half, after, before float64
	for n := int64(20); n < 28; n++ {
		x, joint := joined(t, dir, []SoundPiece{{tone, 0, n}, {"", 0, 15}}), int(n*1920)
		full := rms(x[9600:28800])
		half = max(half, loudFor(x, joint, 24, full/2))
		after = max(after, loudFor(x, joint, 24, full/100))
		x = joined(t, dir, []SoundPiece{{"", 0, n}, {tone, 3, 20}})
		before = max(before, loudFor(x, joint-48, -24, full/100))
	}
	t.Logf("after the joint: half as loud for %.1f ms, a hundredth for %.1f ms; before it: a hundredth for %.1f ms", half, after, before)
	if half > saidHalfAfter || after > saidAfter || before > saidBefore {
		t.Errorf("docs/formats.md says %g, %g and %g ms", saidHalfAfter, saidAfter, saidBefore)
	}
}

// TestSoundIsOffByHalfAPacketAtMost looks at where packets come from, for joints
// anywhere.
func TestSoundIsOffByHalfAPacketAtMost(t *testing.T) {
	t.Parallel()
	worst := int64(0)
	for _, fps := range []int32{24, 25, 30} {
		p := DefaultProfile()
		p.FPS = fps
		tracks := map[string]*track{"a": {}, "b": {}}
		for n := int64(1); n < 200; n++ {
			from := n % 7
			list := packetRanges([]SoundPiece{{"a", 0, n}, {"b", from, from + 50}}, tracks, p)
			b := list[len(list)-1]
			next := int64(0)
			for _, l := range list[:len(list)-1] {
				next += l.to - l.from
			}
			next-- // the first packet primes
			// Packet b.from completes from (b.from-1)*aacFrame of its source on.
			off := (b.from-1)*aacFrame - from*p.frameSamples() - (next*aacFrame - n*p.frameSamples())
			worst = max(worst, off, -off)
		}
	}
	if ms := float64(worst) / sampleRate * 1000; ms > saidOff || ms < 10 {
		t.Errorf("%.2f ms off at most; docs/formats.md says %g", ms, saidOff)
	}
}

func run(t *testing.T, args ...string) []byte {
	t.Helper()
	if _, err := Locate(); err != nil {
		t.Skipf("ffmpeg: %v", err)
	}
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "ffmpeg", append([]string{"-v", "error"}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// joined is the sound of pieces as decoded, one channel.
func joined(t *testing.T, dir string, pieces []SoundPiece) []int16 {
	t.Helper()
	path, err := JoinSound(pieces, 25, dir)
	if err != nil {
		t.Fatal(err)
	}
	b := run(t, "-i", path, "-ac", "1", "-f", "s16le", "-")
	out := make([]int16, len(b)/2)
	for i := range out {
		out[i] = int16(uint16(b[2*i]) | uint16(b[2*i+1])<<8)
	}
	return out[aacFrame:]
}

func rms(x []int16) float64 {
	sum := 0.0
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return math.Sqrt(sum / float64(len(x)))
}

// loudFor is for how many milliseconds, going by steps from a sample, a sound is
// heard louder than limit.
func loudFor(x []int16, at, step int, limit float64) (ms float64) {
	const window = 48
	for off := 0; off < 3000 && at >= 0 && at+window <= len(x); off += max(step, -step) {
		if rms(x[at:at+window]) > limit {
			ms = float64(off+window) / window
		}
		at += step
	}
	return ms
}
