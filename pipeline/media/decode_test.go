package media

import (
	"context"
	"math"
	"path/filepath"
	"slices"
	"testing"
)

// shade is a shrunk picture of one colour with a bright bar at x.
func shade(level byte, x int) []byte {
	p := make([]byte, cutBytes)
	for i := range p {
		p[i] = level
		if i/3%cutWidth == x%cutWidth {
			p[i] = level + 60
		}
	}
	return p
}

func TestCutFinder(t *testing.T) {
	repeat := func(n int, level byte) (list [][]byte) {
		for i := range n {
			list = append(list, shade(level, i))
		}
		return list
	}
	ramp := func(n int) (list [][]byte) {
		for i := range n {
			list = append(list, shade(byte(3*i), i))
		}
		return list
	}
	strobe := func(n int) (list [][]byte) {
		for i := range n {
			list = append(list, shade(byte(i%2*150), i))
		}
		return list
	}
	for name, c := range map[string]struct {
		pictures [][]byte
		want     []int
	}{
		"nothing":          {nil, nil},
		"one picture":      {repeat(1, 90), nil},
		"no cut":           {repeat(60, 90), nil},
		"one cut":          {slices.Concat(repeat(30, 90), repeat(30, 20)), []int{30}},
		"at the begin":     {slices.Concat(repeat(1, 90), repeat(30, 20)), []int{1}},
		"at the end":       {slices.Concat(repeat(30, 90), repeat(1, 20)), []int{30}},
		"two near cuts":    {slices.Concat(repeat(30, 90), repeat(5, 20), repeat(30, 180)), []int{30, 35}},
		"flash":            {slices.Concat(repeat(30, 20), repeat(1, 190), repeat(30, 20)), nil},
		"longer flash":     {slices.Concat(repeat(30, 20), repeat(3, 190), repeat(30, 20)), nil},
		"fade":             {slices.Concat(repeat(30, 0), ramp(60), repeat(30, 177)), nil},
		"strobe":           {strobe(80), nil},
		"small difference": {slices.Concat(repeat(30, 90), repeat(30, 94)), nil},
	} {
		t.Run(name, func(t *testing.T) {
			var whole, bytewise cutFinder
			for _, p := range c.pictures {
				for len(p) > 0 {
					n := min(len(p), 100)
					_, _ = bytewise.Write(p[:n])
					p = p[n:]
				}
			}
			_, _ = whole.Write(slices.Concat(c.pictures...))
			got, also := whole.cuts(), bytewise.cuts()
			if !slices.Equal(got, c.want) || !slices.Equal(got, also) {
				t.Errorf("cuts at %v and %v, want %v", got, also, c.want)
			}
		})
	}
}

// scenesOf joins scenes that ffmpeg draws.
func scenesOf(t *testing.T, path string, rate string, scenes ...string) {
	t.Helper()
	var args []string
	graph := ""
	for i, s := range scenes {
		args = append(args, "-f", "lavfi", "-i", s)
		graph += "[" + string(rune('0'+i)) + ":v]setsar=1,format=yuv420p[v" + string(rune('0'+i)) + "];"
	}
	for i := range scenes {
		graph += "[v" + string(rune('0'+i)) + "]"
	}
	graph += "concat=n=" + string(rune('0'+len(scenes)))
	ffmpeg(t, append(args, "-filter_complex", graph, "-r", rate, "-c:v", "libx264", "-preset", "ultrafast", path)...)
}

func TestProbeFindsCuts(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	dir := t.TempDir()
	for name, c := range map[string]struct {
		rate   string
		scenes []string
		want   []float64
	}{
		"three scenes":  {"25", []string{"testsrc2=s=320x180:r=25:d=2", "smptehdbars=s=320x180:r=25:d=3", "mandelbrot=s=320x180:r=25,trim=duration=2"}, []float64{2, 5}},
		"at 30 fps":     {"30", []string{"mandelbrot=s=320x180:r=30,trim=duration=1.5", "testsrc2=s=320x180:r=30:d=2"}, []float64{1.5}},
		"a moving test": {"25", []string{"testsrc2=s=320x180:r=25:d=4"}, nil},
		"a zoom":        {"25", []string{"mandelbrot=s=320x180:r=25,trim=duration=4"}, nil},
		"a fade":        {"25", []string{"smptehdbars=s=320x180:r=25:d=4,fade=in:0:25,fade=out:75:25"}, nil},
		"a flash":       {"25", []string{"smptehdbars=s=320x180:r=25:d=4,drawbox=c=white:t=fill:enable=between(n\\,50\\,51)"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(dir, "scenes.mkv")
			scenesOf(t, path, c.rate, c.scenes...)
			checkCuts(t, tl, path, c.want)
		})
	}
}

func checkCuts(t *testing.T, tl *Tools, path string, want []float64) {
	t.Helper()
	f, err := tl.Probe(context.Background(), path, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	near := func(a, b float64) bool { return math.Abs(a-b) < 0.002 }
	if !slices.EqualFunc(f.Cuts, want, near) {
		t.Errorf("%s: cuts at %v, want %v", filepath.Base(path), f.Cuts, want)
	}
}

// Where a source has a cut, the normalised video shows the new scene from the frame
// that FrameAt names on.
func TestFrameAtACut(t *testing.T) {
	tl := tools(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "scenes.mp4")
	scenesOf(t, path, "30000/1001", "color=black:s=320x180:r=30000/1001:d=1.7", "color=white:s=320x180:r=30000/1001:d=2")
	f, err := tl.Probe(context.Background(), path, DefaultLimits())
	if err != nil || len(f.Cuts) != 1 {
		t.Fatalf("cuts %v (%v)", f.Cuts, err)
	}
	m := probed(t, tl, path, small(), dir)
	at := FrameAt(f, f.Cuts[0], 25)
	list := grays(t, m.Video, 320, 180)
	if list[at-1].pix[0] > 60 || list[at].pix[0] < 200 {
		t.Errorf("frames %d and %d are %d and %d, want black and white", at-1, at, list[at-1].pix[0], list[at].pix[0])
	}
}
