package widget_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/draw"
	"github.com/memforge/memforge/pipeline/testkit/golden"
	"github.com/memforge/memforge/pipeline/testkit/testsize"
)

// random draws shapes whose places come from trigonometry and products, as a scene
// without care would make them.
func random(t testing.TB, studio *draw.Studio, seed uint64) *draw.Canvas {
	r := rand.New(rand.NewPCG(seed, 5))
	c, err := studio.NewCanvas(160, 120, draw.Hex(r.Uint32()&0xffffff))
	if err != nil {
		t.Fatal(err)
	}
	for k := range 40 {
		x, y, l, a := r.Float64()*200-20, r.Float64()*160-20, 4+r.Float64()*60, r.Float64()*7
		at := func(x, y float64) draw.Point { return draw.Point{X: draw.At(x), Y: draw.At(y)} }
		p := new(draw.Path).Move(at(x, y))
		for i := range 5 {
			s, c := math.Sincos(a + float64(float64(i)*1.2566))
			p.Quad(at(x+float64(c*l*.5)-float64(s*9), y+float64(s*l*.5)+float64(c*9)), at(x+float64(c*l), y+float64(s*l)))
		}
		ink := draw.Hex(r.Uint32() & 0xffffff).Fade(uint8(r.IntN(256)))
		end := draw.Polar(at(x, y), draw.At(l), draw.Angle(r.IntN(1<<16)))
		switch k % 6 {
		case 0:
			c.Fill(p, ink)
		case 1:
			c.Fill(p.Close(), draw.Linear{From: at(x, y), To: end, A: ink, B: ink.Mix(draw.Hex(0xffffff), 200).Fade(40)})
		case 2:
			c.Stroke(p, draw.At(1+r.Float64()*4), ink)
		case 3:
			c.Shadow(p.Close(), r.IntN(12), r.IntN(9)-4, r.IntN(9)-4, ink)
		case 4:
			c.Fill(p.Transform(draw.Rotate(draw.Angle(r.IntN(1<<16)), at(x, y))), draw.Radial{At: at(x, y), Radius: draw.At(l), A: ink, B: ink.Fade(0)})
		case 5:
			c.Text(draw.Style{Font: draw.Font(r.IntN(7)), Size: draw.At(8 + r.Float64()*20), Ink: ink}, at(x, y), "Åre 17 Лес, AVATo")
		}
	}
	return c
}

const randomScenes = 60

// TestDigests prints the digest of every scene, for TestSamePixelsElsewhere to read
// from a binary for another architecture.
func TestDigests(t *testing.T) {
	var out strings.Builder
	studio := draw.NewStudio()
	for seed := range uint64(randomScenes) {
		fmt.Fprintf(&out, "digest random-%02d %s\n", seed, random(t, studio, seed).PixelDigest())
	}
	for _, s := range scenes {
		c := s.canvas(t, studio)
		fmt.Fprintf(&out, "digest %s %s\n", s.name, c.PixelDigest())
		show(t, s.name, c)
	}
	if os.Getenv("MEMFORGE_DRAW_DIGESTS") != "" {
		fmt.Println(out.String())
		return
	}
	golden.Check(t, "pixels", out.String())
}

// show writes a picture where MEMFORGE_PICTURES says, for people to look at.
func show(t *testing.T, name string, c *draw.Canvas) {
	dir := os.Getenv("MEMFORGE_PICTURES")
	if dir == "" {
		return
	}
	data, err := c.PNG()
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), data, 0o644)
	}
	if err != nil {
		t.Error(err)
	}
}

// Pixels are the same from a binary for arm64, under an emulator, and from one for
// processors that fuse products with sums.
func TestSamePixelsOnARM64(t *testing.T) {
	emulator, err := exec.LookPath("qemu-aarch64")
	if runtime.GOARCH == "arm64" {
		t.Skip("runs on arm64 already; TestDigests holds the pins")
	}
	if err != nil {
		t.Skip("needs qemu-aarch64 (apt-get install qemu-user)")
	}
	samePixels(t, []string{"GOARCH=arm64"}, emulator)
}

func TestSamePixelsWithFusedProducts(t *testing.T) {
	if !testsize.Full() {
		t.Skip("compiles all that draws for another processor; make test-all does")
	}
	cpu, err := os.ReadFile("/proc/cpuinfo")
	if err != nil || runtime.GOARCH != "amd64" || !bytes.Contains(cpu, []byte(" fma ")) || !bytes.Contains(cpu, []byte(" avx2 ")) {
		t.Skip("needs an amd64 processor with FMA and AVX2, on Linux")
	}
	samePixels(t, []string{"GOAMD64=v3"})
}

func samePixels(t *testing.T, env []string, run ...string) {
	t.Parallel()
	env = append(os.Environ(), append(env, "CGO_ENABLED=0", "MEMFORGE_DRAW_DIGESTS=1")...)
	binary := filepath.Join(t.TempDir(), "draw.test")
	build := exec.CommandContext(t.Context(), "go", "test", "-c", "-ldflags=-s -w", "-o", binary, ".")
	build.Env = env
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build: %v\n%s", err, out)
	}
	args := append(run, binary, "-test.run", "^TestDigests$")
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Env = env
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("run: %v\n%s", err, out)
	}
	want, err := os.ReadFile(filepath.Join("testdata", "pixels.golden"))
	if err != nil {
		t.Fatal(err)
	}
	same := 0
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		switch line := s.Text(); {
		case !strings.HasPrefix(line, "digest "):
		case bytes.Contains(want, []byte(line+"\n")):
			same++
		default:
			t.Errorf("differs: %s", line)
		}
	}
	if same != randomScenes+len(scenes) {
		t.Errorf("%d scenes are the same, want %d", same, randomScenes+len(scenes))
	}
}

// TestMarks pins what is recorded of a chat, a chart and a page.
func TestMarks(t *testing.T) {
	var out bytes.Buffer
	for _, s := range scenes {
		if s.name != "chat" && s.name != "bars" && s.name != "page" {
			continue
		}
		fmt.Fprintln(&out, s.name)
		for _, m := range s.canvas(t, draw.NewStudio()).Marks() {
			line, err := json.Marshal(m)
			if err != nil {
				t.Fatal(err)
			}
			out.Write(append(line, '\n'))
		}
	}
	golden.Check(t, "marks", out.String())
}
