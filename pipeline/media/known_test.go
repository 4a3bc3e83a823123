package media

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A mezzanine is listed once, however often it is joined, and again when the
// file is another one.
func TestMezzaninesAreListedOnce(t *testing.T) {
	tl, log := logged(t)
	dir, p := t.TempDir(), small()
	c := clipSpec{id: 1, name: "in.mp4", frames: 40, w: 320, h: 180, flash: -1, out: x264}
	m := probed(t, tl, c.make(t, dir), p, dir, 20)
	clips := []Clip{{m.Video, "", 20, 40}, {m.Video, "", 0, 20}}
	named := func() int {
		if err := os.Remove(log); err != nil {
			t.Fatal(err)
		}
		if _, err := tl.Join(context.Background(), clips, p, dir, DefaultLimits()); err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		return strings.Count(string(b), filepath.Base(m.Video)+"\n")
	}
	if first, second := named(), named(); first != 2 || second != 0 {
		t.Errorf("listed %d and %d times, want its packets and its keyframes once", first, second)
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(m.Video, later, later); err != nil {
		t.Fatal(err)
	}
	if again := named(); again != 2 {
		t.Errorf("a changed file was listed %d times, want its packets and its keyframes", again)
	}
}

func TestKnownForgetsWhenFull(t *testing.T) {
	var k known
	for i := range 10 {
		k.put(fileStream{bytes: int64(i)}, listing{packets: make([]packet, maxKnown/4)})
		if _, ok := k.get(fileStream{bytes: int64(i)}); !ok {
			t.Errorf("list %d is not known", i)
		}
		if k.size > maxKnown {
			t.Errorf("%d packets are remembered", k.size)
		}
	}
	if _, ok := k.get(fileStream{bytes: 0}); ok {
		t.Error("nothing was forgotten")
	}
}
