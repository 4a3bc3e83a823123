package media

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

// naive is one layout straight from the originals: which parts of which input,
// one after the other or side by side.
type naive struct {
	parts []naivePart
	split bool
	swaps int
}

type naivePart struct {
	path          string
	from, seconds float64 // 0 seconds: all of it
}

// naivePair lists the same seven videos that ourPair makes.
func naivePair(in []original) []naive {
	a, c := naivePart{path: in[0].path}, naivePart{path: in[1].path}
	var woven []naivePart
	for i := range 10 {
		for _, o := range in {
			part := o.facts.Duration / 10
			woven = append(woven, naivePart{o.path, float64(i) * part, part})
		}
	}
	return []naive{
		{parts: []naivePart{a, c}, split: true}, {parts: []naivePart{a, c}, split: true, swaps: 10},
		{parts: []naivePart{a, c}}, {parts: []naivePart{c, a}}, {parts: []naivePart{a, a, c}}, {parts: []naivePart{a, c, c}}, {parts: woven},
	}
}

// run transcodes with the settings of a normalised video; only sound with "-vn".
func (n naive) run(b *testing.B, p Profile, sound, picture bool) {
	b.Helper()
	var args []string
	graph, chain := "", ""
	size := fmt.Sprintf("%d:%d", p.Width, p.Height)
	if n.split {
		size = fmt.Sprintf("%d:%d", p.Width/2, p.Height/2)
	}
	for i, part := range n.parts {
		if part.seconds > 0 {
			args = append(args, "-ss", fmt.Sprint(part.from), "-t", fmt.Sprint(part.seconds))
		}
		args = append(args, "-threads", "1", "-i", part.path)
		if picture {
			graph += fmt.Sprintf("[%d:v]scale=%s:flags=%s,setsar=1,fps=%d[v%d];", i, size, scaleFlags, p.FPS, i)
			chain += fmt.Sprintf("[v%d]", i)
		}
		if sound && !n.split {
			graph += fmt.Sprintf("[%d:a]aresample=48000[a%d];", i, i)
			chain += fmt.Sprintf("[a%d]", i)
		}
	}
	graph += n.graph(chain, p, sound, picture)
	args = append(args, "-filter_threads", "1", "-filter_complex_threads", "1", "-filter_complex", strings.TrimSuffix(graph, ";"))
	if picture {
		args = append(args, "-map", "[v]", "-c:v", "libx264", "-preset", p.Preset, "-crf", fmt.Sprint(p.CRF), "-threads:v", fmt.Sprint(p.Threads),
			"-bf", "0", "-g", fmt.Sprint(p.KeyEvery), "-sc_threshold", "0", "-pix_fmt", "yuv420p")
	}
	if sound {
		args = append(args, "-map", "[a]", "-c:a", "aac", "-aac_coder", "fast", "-b:a", "128k")
	}
	ffmpeg(b, append(args, filepath.Join(b.TempDir(), "out.mp4"))...)
}

func (n naive) graph(chain string, p Profile, sound, picture bool) string {
	streams := fmt.Sprintf(":v=%d:a=%d", number01(picture), number01(sound))
	out := ""
	if picture {
		out += "[v]"
	}
	if sound {
		out += "[a]"
	}
	if !n.split {
		return fmt.Sprintf("%sconcat=n=%d%s%s", chain, len(n.parts), streams, out)
	}
	graph := ""
	if picture && n.swaps == 0 {
		graph += chain + "hstack=shortest=1[v];"
	}
	if picture && n.swaps > 0 {
		graph += fmt.Sprintf("[v0]split[v0a][v0b];[v0a][v1][v0b]hstack=inputs=3:shortest=1,crop=%d:%d:'%d*mod(floor(t/2)\\,2)':0[v];", p.Width, p.Height/2, p.Width/2)
	}
	if sound {
		graph += "[0:a]aresample=48000,pan=mono|c0=.5*c0+.5*c1[l];[1:a]aresample=48000,pan=mono|c0=.5*c0+.5*c1[r];[l][r]amerge=inputs=2[a]"
	}
	return graph
}

func number01(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
