package media

import (
	"context"
	"testing"
)

// trialsOf is how many trials of a sequence have K clips: one for each lag N
// from 1 to 4 below K. Trials of one K show the same clips.
var trialsOf = []struct{ k, trials int }{{2, 1}, {3, 2}, {4, 3}, {5, 4}, {6, 4}, {8, 4}, {10, 4}, {12, 4}}

// BenchmarkNBack is the 26 trials of a sequence of 12 clips of 4 s. The naive
// way encodes each trial; trials of one K cost the same, so one is measured.
func BenchmarkNBack(b *testing.B) {
	tl := tools(b)
	p, dir := hd(), b.TempDir()
	var paths []string
	for i := range 12 {
		name := []string{"01_dog", "02_cups", "03_blocks", "04_coffee"}[i%4]
		paths = append(paths, looped(b, "sam2/"+name+".mp4", float64(i/4), 4, dir, i))
	}
	in := originals(b, tl, paths...)
	for b.Loop() {
		var naiveAll, naiveSound float64
		for _, c := range trialsOf {
			var n naive
			for _, o := range in[:c.k] {
				n.parts = append(n.parts, naivePart{path: o.path})
			}
			naiveAll += float64(c.trials) * spent(b, func() { n.run(b, p, true, true) })
			naiveSound += float64(c.trials) * spent(b, func() { n.run(b, p, true, false) })
		}
		var ms []NormalisedVideo
		encoding := spent(b, func() { ms = encodeAll(b, tl, in, p) })
		trials := spent(b, func() { trialsOfSequence(b, tl, ms, p, true) })
		mute := spent(b, func() { trialsOfSequence(b, tl, ms, p, false) })
		b.ReportMetric(naiveAll, "naive-cpu-s")
		b.ReportMetric(naiveSound, "naive-sound-cpu-s")
		b.ReportMetric(encoding, "clips-cpu-s")
		b.ReportMetric(trials, "trials-cpu-s")
		b.ReportMetric(trials-mute, "trials-sound-cpu-s")
		b.ReportMetric(naiveAll/(encoding+trials), "naive/ours")
		b.ReportMetric(naiveAll/trials, "naive/trials")
	}
}

func encodeAll(b *testing.B, tl *Tools, in []original, p Profile) []NormalisedVideo {
	b.Helper()
	var ms []NormalisedVideo
	for _, o := range in {
		m, err := tl.Normalise(context.Background(), o.path, o.facts, nil, p, b.TempDir(), DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		ms = append(ms, m)
	}
	return ms
}

// trialsOfSequence joins the first K clips for each K.
func trialsOfSequence(b *testing.B, tl *Tools, ms []NormalisedVideo, p Profile, sound bool) {
	b.Helper()
	for _, c := range trialsOf {
		var clips []Clip
		for _, m := range ms[:c.k] {
			clip := clipOf(m)
			if !sound {
				clip.Audio = ""
			}
			clips = append(clips, clip)
		}
		if _, err := tl.Join(context.Background(), clips, p, b.TempDir(), DefaultLimits()); err != nil {
			b.Fatal(err)
		}
	}
}
