package media

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A normalised video is listed once, however often it is joined, and again when the
// file is another one.
func TestMezzaninesAreListedOnce(t *testing.T) {
	tl := tools(t)
	dir, p := t.TempDir(), small()
	c := clipSpec{id: 1, name: "in.mp4", frames: 40, w: 320, h: 180, flash: -1, out: x264}
	m := probed(t, tl, c.make(t, dir), p, dir, 20)
	clips := []Clip{{m.Video, "", 20, 40}, {m.Video, "", 0, 20}}
	join := func() error {
		_, err := tl.Join(context.Background(), clips, p, dir, DefaultLimits())
		return err
	}
	if err := join(); err != nil {
		t.Fatal(err)
	}
	for state := range tl.cache.lists.values {
		tl.cache.lists.values[state] = listing{}
	}
	if err := join(); err == nil || !strings.Contains(err.Error(), "not a normalised video") {
		t.Errorf("what was remembered as empty: %v", err)
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(m.Video, later, later); err != nil {
		t.Fatal(err)
	}
	if err := join(); err != nil {
		t.Errorf("a changed file: %v", err)
	}
}

func TestKnownForgetsWhenFull(t *testing.T) {
	var k boundedCache[listing]
	for i := range 10 {
		k.put(fileState{bytes: int64(i)}, listing{}, maxCachedPackets/4, maxCachedPackets)
		if _, ok := k.get(fileState{bytes: int64(i)}); !ok {
			t.Errorf("list %d is not known", i)
		}
		if k.size > maxCachedPackets {
			t.Errorf("%d packets are remembered", k.size)
		}
	}
	if _, ok := k.get(fileState{bytes: 0}); ok {
		t.Error("nothing was forgotten")
	}
}

// The header of a file is read once, and again when the file is another one.
func TestHeadersAreReadOnce(t *testing.T) {
	dir := t.TempDir()
	path, runs := filepath.Join(dir, "in.mp4"), filepath.Join(dir, "runs")
	if err := os.WriteFile(path, []byte("film"), 0o644); err != nil {
		t.Fatal(err)
	}
	tl := scripted(t, "echo run >> '"+runs+"'; echo '{\"format\": {\"duration\": \"7\"}}'")
	read := func(want string) {
		t.Helper()
		for range 2 {
			if h, err := tl.header(t.Context(), path, DefaultLimits()); err != nil || h.Format.Duration != 7 {
				t.Errorf("%+v, %v", h.Format, err)
			}
		}
		if got, err := os.ReadFile(runs); err != nil || string(got) != want {
			t.Errorf("read by %q (%v), want %q", got, err, want)
		}
	}
	read("run\n")
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	read("run\nrun\n")
}
