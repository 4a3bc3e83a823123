package media

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"

	ff "github.com/u2takey/ffmpeg-go"

	"github.com/memforge/memforge/schemas"
)

// Benchmarks compare CPU seconds of this process and its children within one
// run: ratios carry over to other machines, seconds do not. Inputs are real
// clips looped to MEMFORGE_BENCH_SECONDS (default 20) with sound of our own,
// for that of the clips is silent.

// cpu is the CPU time used so far.
func cpu(b *testing.B) float64 {
	b.Helper()
	total := 0.0
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var u syscall.Rusage
		if err := syscall.Getrusage(who, &u); err != nil {
			b.Fatal(err)
		}
		total += float64(u.Utime.Sec+u.Stime.Sec) + float64(u.Utime.Usec+u.Stime.Usec)/1e6
	}
	return total
}

// spent is the CPU time of some work.
func spent(b *testing.B, work func()) float64 {
	b.Helper()
	before := cpu(b)
	work()
	return cpu(b) - before
}

func benchSeconds(b *testing.B) float64 {
	b.Helper()
	text := os.Getenv("MEMFORGE_BENCH_SECONDS")
	if text == "" {
		return 20
	}
	s, err := strconv.ParseFloat(text, 64)
	if err != nil || s < 4 {
		b.Fatalf("MEMFORGE_BENCH_SECONDS is %q: want 4 or more", text)
	}
	return s
}

func hd() Profile {
	p := DefaultProfile()
	p.Width, p.Height = 1280, 720
	return p
}

// looped is a real clip looped, or cut, to a length, with a wandering tone.
func looped(b *testing.B, clip string, from, seconds float64, dir string, id int) string {
	b.Helper()
	path := filepath.Join(dir, fmt.Sprintf("in%d.mkv", id))
	tone := fmt.Sprintf("aevalsrc=0.3*sin(2*PI*t*(%d+20*sin(t)))+0.1*(random(%d)-0.5):s=48000:c=stereo", 200+40*id, id)
	ffmpeg(b, "-stream_loop", "-1", "-ss", fmt.Sprint(from), "-i", filepath.Join(fixtureVideos(b), clip), "-f", "lavfi", "-i", tone, "-map", "0:v", "-map", "1:a",
		"-c:v", "libx264", "-preset", "ultrafast", "-crf", "14", "-c:a", "aac", "-t", fmt.Sprint(seconds), path)
	return path
}

// original is an input of a benchmark.
type original struct {
	path  string
	facts schemas.VideoFacts
}

func originals(b *testing.B, tl *Tools, paths ...string) []original {
	b.Helper()
	var list []original
	for _, path := range paths {
		f, err := tl.Probe(context.Background(), path, DefaultLimits())
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, original{path, f})
	}
	return list
}

// ourPair makes all layouts of a pair: two split screens, four orders and one
// of 10 + 10 segments. Without sound the sources are taken as mute.
func ourPair(b *testing.B, tl *Tools, in []original, p Profile, sound bool) {
	b.Helper()
	ctx, dir, lim := context.Background(), b.TempDir(), DefaultLimits()
	var ms []NormalisedVideo
	for _, o := range in {
		o.facts.HasAudio = o.facts.HasAudio && sound
		var keys []int64
		for i := range int64(10) {
			keys = append(keys, i*FramesOf(o.facts, p.FPS)/10)
		}
		m, err := tl.Normalise(ctx, o.path, o.facts, keys, p, dir, lim)
		if err != nil {
			b.Fatal(err)
		}
		ms = append(ms, m)
	}
	if _, err := tl.SplitScreen(ctx, ms[0], ms[1], 10, p, dir, lim); err != nil {
		b.Fatal(err)
	}
	a, c := clipOf(ms[0]), clipOf(ms[1])
	for _, clips := range [][]Clip{{a, c}, {c, a}, {a, a, c}, {a, c, c}, weave(ms[0], ms[1], 10)} {
		if _, err := tl.Join(ctx, clips, p, dir, lim); err != nil {
			b.Fatal(err)
		}
	}
}

func clipOf(m NormalisedVideo) Clip {
	c := whole(m)
	if !m.HasAudio {
		c.Audio = ""
	}
	return c
}

// weave takes n parts of two normalised videos in turn, at the keyframes set for it.
func weave(x, y NormalisedVideo, n int64) []Clip {
	part := func(m NormalisedVideo, i int64) Clip {
		c := clipOf(m)
		c.From, c.To = i*m.Frames/n, (i+1)*m.Frames/n
		return c
	}
	var clips []Clip
	for i := range n {
		clips = append(clips, part(x, i), part(y, i))
	}
	return clips
}

// limitOfPair is what no way of doing it can save: each source encoded once,
// both decoded once and both split screens encoded, each sound encoded once.
func limitOfPair(b *testing.B, tl *Tools, in []original, p Profile, sound bool) {
	b.Helper()
	ctx, lim := context.Background(), DefaultLimits()
	w, err := newWork(b.TempDir())
	if err != nil {
		b.Fatal(err)
	}
	var ms []NormalisedVideo
	for i, o := range in {
		o.facts.HasAudio = o.facts.HasAudio && sound
		h, err := tl.header(ctx, o.path, lim)
		if err != nil {
			b.Fatal(err)
		}
		own, err := newWork(w.dir)
		if err != nil {
			b.Fatal(err)
		}
		bare(b, tl, func() *ff.Stream {
			return transcodeGraph("file:"+o.path, h, o.facts, nil, p, own, lim, FramesOf(o.facts, p.FPS)+2)
		})
		ms = append(ms, NormalisedVideo{Video: own.path("picture.mp4"), Audio: own.path("sound.aac"), Frames: FramesOf(in[i].facts, p.FPS) - 1})
	}
	bare(b, tl, func() *ff.Stream {
		return splitGraph(ms[0], ms[1], min(ms[0].Frames, ms[1].Frames), 10, sound && in[0].facts.HasAudio, p, w, lim)
	})
}

// bare runs a graph and looks at nothing.
func bare(b *testing.B, tl *Tools, build func() *ff.Stream) {
	b.Helper()
	args, err := compile(build)
	if err != nil {
		b.Fatal(err)
	}
	if err := tl.run(context.Background(), command{op: "bench", args: args, timeout: time.Hour}); err != nil {
		b.Fatal(err)
	}
}

// comparePair reports, for pictures alone and with sound, how our way compares
// with the naive one and with the limit. What is compared runs in turn, several
// rounds for short inputs, so that both meet the same other work on the machine.
func comparePair(b *testing.B, tl *Tools, in []original, p Profile, rounds int) {
	b.Helper()
	for b.Loop() {
		var naivePicture, naiveSound, mute, limit, full, fullLimit float64
		hasSound := in[0].facts.HasAudio && in[1].facts.HasAudio
		for _, n := range naivePair(in) {
			naivePicture += spent(b, func() { n.run(b, p, false, true) })
			if hasSound {
				naiveSound += spent(b, func() { n.run(b, p, true, false) })
			}
		}
		for range rounds {
			mute += spent(b, func() { ourPair(b, tl, in, p, false) }) / float64(rounds)
			limit += spent(b, func() { limitOfPair(b, tl, in, p, false) }) / float64(rounds)
			if hasSound {
				full += spent(b, func() { ourPair(b, tl, in, p, true) }) / float64(rounds)
				fullLimit += spent(b, func() { limitOfPair(b, tl, in, p, true) }) / float64(rounds)
			}
		}
		b.ReportMetric(naivePicture, "naive-cpu-s")
		b.ReportMetric(mute, "ours-cpu-s")
		b.ReportMetric(limit, "limit-cpu-s")
		b.ReportMetric(mute/limit, "ours/limit")
		b.ReportMetric(naivePicture/mute, "naive/ours")
		if !hasSound {
			continue
		}
		b.ReportMetric(naiveSound, "naive-sound-cpu-s")
		b.ReportMetric(full-mute, "ours-sound-cpu-s")
		b.ReportMetric(fullLimit-limit, "limit-sound-cpu-s")
		b.ReportMetric(full/fullLimit, "ours/limit-with-sound")
		b.ReportMetric((naivePicture+naiveSound)/full, "naive/ours-with-sound")
	}
}

// BenchmarkPair is all layouts of two looped 720p clips.
func BenchmarkPair(b *testing.B) {
	tl := tools(b)
	dir, seconds := b.TempDir(), benchSeconds(b)
	in := originals(b, tl, looped(b, "sam2/02_cups.mp4", 0, seconds, dir, 1), looped(b, "sam2/04_coffee.mp4", 0, seconds, dir, 2))
	comparePair(b, tl, in, hd(), 1)
}

// BenchmarkPairOfClips is all layouts of two real clips as they are.
func BenchmarkPairOfClips(b *testing.B) {
	tl := tools(b)
	root := fixtureVideos(b)
	in := originals(b, tl, filepath.Join(root, "sam2/01_dog.mp4"), filepath.Join(root, "sam2/03_blocks.mp4"))
	comparePair(b, tl, in, hd(), 3)
}

// BenchmarkWorkers is the wall time of four encodings by shapes of workers:
// so many at once with so many encoder threads each.
func BenchmarkWorkers(b *testing.B) {
	tl := tools(b)
	dir, seconds := b.TempDir(), benchSeconds(b)
	in := originals(b, tl, looped(b, "sam2/02_cups.mp4", 0, seconds, dir, 1), looped(b, "sam2/04_coffee.mp4", 0, seconds, dir, 2))
	for _, shape := range []struct {
		processes int
		threads   int32
	}{{2, 1}, {1, 2}, {2, 2}} {
		b.Run(fmt.Sprintf("%dx%d", shape.processes, shape.threads), func(b *testing.B) {
			p := hd()
			p.Threads = shape.threads
			for b.Loop() {
				jobs := make(chan original, 4)
				for range 2 {
					jobs <- in[0]
					jobs <- in[1]
				}
				close(jobs)
				var all sync.WaitGroup
				for range shape.processes {
					all.Go(func() {
						for o := range jobs {
							if _, err := tl.Normalise(context.Background(), o.path, o.facts, nil, p, dir, DefaultLimits()); err != nil {
								b.Error(err)
							}
						}
					})
				}
				all.Wait()
			}
		})
	}
}

// BenchmarkVerify is what proving a video costs, as a share of making it.
func BenchmarkVerify(b *testing.B) {
	tl := tools(b)
	p, dir, seconds := hd(), b.TempDir(), benchSeconds(b)
	in := originals(b, tl, looped(b, "sam2/02_cups.mp4", 0, seconds, dir, 1), looped(b, "sam2/04_coffee.mp4", 0, seconds, dir, 2))
	ms := encodeAll(b, tl, in, p)
	find := func(media string) (NormalisedVideo, error) {
		return map[string]NormalisedVideo{"a": ms[0], "b": ms[1]}[media], nil
	}
	n := min(ms[0].Frames, ms[1].Frames)
	full := schemas.Recipe{Segments: []schemas.Segment{{Source: "a", Region: "full", To: ms[0].Frames}, {Source: "b", Region: "full", To: ms[1].Frames, At: ms[0].Frames}}}
	var split Split
	var err error
	making := spent(b, func() { split, err = tl.SplitScreen(context.Background(), ms[0], ms[1], 10, p, dir, DefaultLimits()) })
	if err != nil {
		b.Fatal(err)
	}
	joined, err := tl.Join(context.Background(), []Clip{clipOf(ms[0]), clipOf(ms[1])}, p, dir, DefaultLimits())
	if err != nil {
		b.Fatal(err)
	}
	halves := schemas.Recipe{SwapFrames: split.SwapFrames, Segments: []schemas.Segment{{Source: "a", Region: "left", To: n}, {Source: "b", Region: "right", To: n}}}
	clean := func(video string, r schemas.Recipe) func() {
		return func() {
			if rep, err := tl.Verify(context.Background(), video, r, find, p); err != nil || len(rep.Problems) > 0 {
				b.Fatalf("%v, %v", rep.Problems, err)
			}
		}
	}
	for b.Loop() {
		b.ReportMetric(spent(b, clean(joined.Path, full)), "join-cpu-s")
		b.ReportMetric(spent(b, clean(split.Swapped.Path, halves)), "split-cpu-s")
		b.ReportMetric(making, "making-both-splits-cpu-s")
	}
}
