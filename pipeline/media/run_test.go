package media

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/memforge/memforge/pipeline/testkit/testwait"
)

// scripted returns tools whose ffmpeg and ffprobe are the given shell script.
func scripted(t *testing.T, script string) *Tools {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	tl, err := Locate()
	if err != nil {
		t.Fatal(err)
	}
	tl.grace = 200 * time.Millisecond
	return tl
}

func someFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "some.mp4")
	if err := os.WriteFile(path, []byte("some bytes"), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// A program that ignores the interrupt, and its child, are killed.
func TestHangingProgramIsKilled(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	tl := scripted(t, fmt.Sprintf("trap '' INT TERM\nsleep 300 &\necho $$ $! > '%s'\nwait\nsleep 300", pids))
	lim := DefaultLimits()
	lim.Timeout = 300 * time.Millisecond
	begin := time.Now()
	_, err := tl.Probe(context.Background(), someFile(t), lim)
	var u *Unplayable
	if !errors.As(err, &u) || u.Code != CodeTimeout {
		t.Errorf("error %v, want a timeout", err)
	}
	if took := time.Since(begin); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
	gone(t, pids)
}

func TestCancelKillsAndSaysSo(t *testing.T) {
	pids := filepath.Join(t.TempDir(), "pids")
	tl := scripted(t, fmt.Sprintf("trap '' INT\nsleep 300 &\necho $$ $! > '%s'\nwait", pids))
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		defer cancel()
		testwait.Poll(time.Minute, func() bool { b, _ := os.ReadFile(pids); return len(b) > 0 })
	}()
	_, err := tl.Probe(ctx, someFile(t), DefaultLimits())
	var u *Unplayable
	if !errors.Is(err, context.Canceled) || errors.As(err, &u) {
		t.Errorf("error %v, want a cancellation and no verdict on the file", err)
	}
	gone(t, pids)
}

// gone waits until no process of the file's list runs any more.
func gone(t *testing.T, list string) {
	t.Helper()
	b, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	var leader, child int
	if _, err := fmt.Sscan(string(b), &leader, &child); err != nil {
		t.Fatal(err)
	}
	if !testwait.Poll(5*time.Second, func() bool { return !running(leader) && !running(child) }) {
		t.Fatalf("of the processes %d and %d one still runs", leader, child)
	}
}

// running is false for a zombie whose new parent has not collected it yet.
func running(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil && runtime.GOOS != "linux" || err == nil && !strings.Contains(string(stat), ") Z ")
}

// TestProgramsEndWithUs: the kernel ends what a killed build had started.
func TestProgramsEndWithUs(t *testing.T) {
	if os.Getenv("MEMFORGE_TEST_PARENT") != "" {
		tl := tools(t)
		_ = tl.run(t.Context(), command{op: "wait", args: append(globalArgs(), "-f", "lavfi", "-i", "color=size=16x16:rate=1,realtime", "-f", "null", "-metadata", "note="+os.Getenv("MEMFORGE_TEST_PARENT"), "-")})
		return
	}
	tools(t)
	if runtime.GOOS != "linux" {
		t.Skip("only Linux ends a program with its parent")
	}
	mark := fmt.Sprintf("memforge-%d", os.Getpid())
	parent := exec.Command(os.Args[0], "-test.run", "^TestProgramsEndWithUs$")
	parent.Env = append(os.Environ(), "MEMFORGE_TEST_PARENT="+mark)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	testwait.Until(t, "the program to start", func() bool { return len(started(t, mark)) > 0 })
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	testwait.Until(t, "the program to end", func() bool { return len(started(t, mark)) == 0 })
}

// started lists the processes with a word among their arguments.
func started(t *testing.T, mark string) (pids []string) {
	t.Helper()
	all, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range all {
		if b, err := os.ReadFile(p); err == nil && bytes.Contains(b, []byte("note="+mark)) {
			pids = append(pids, p)
		}
	}
	return pids
}

func TestRunTrustsNothing(t *testing.T) {
	for name, c := range map[string]struct{ script, want string }{
		"line on stderr, exit 0": {"echo 'something odd' >&2", "something odd"},
		"exit code alone":        {"exit 3", "exit code 3"},
		"killed":                 {"kill -9 $$", "killed from outside"},
		"flood of messages":      {"i=0; while [ $i -lt 20000 ]; do echo line $i of many >&2; i=$((i+1)); done", "line 0 of many"},
	} {
		t.Run(name, func(t *testing.T) {
			err := scripted(t, c.script).run(context.Background(), command{op: "work", timeout: time.Minute})
			var run *RunError
			if !errors.As(err, &run) || !strings.Contains(err.Error(), c.want) {
				t.Fatalf("error %v, want %q", err, c.want)
			}
			if n := len(strings.Join(run.Messages, "\n")); n > maxStderr {
				t.Errorf("%d bytes of messages kept", n)
			}
		})
	}
}

// A full disk or a killed program is not held against the video.
func TestHostTroubleIsNoVerdict(t *testing.T) {
	for _, script := range []string{"echo 'av_interleaved_write_frame(): No space left on device' >&2; exit 1", "kill -9 $$"} {
		_, err := scripted(t, script).Probe(context.Background(), someFile(t), DefaultLimits())
		var u *Unplayable
		if err == nil || errors.As(err, &u) {
			t.Errorf("%s: error %v, want one about the machine", script, err)
		}
	}
}

func TestMissingTools(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := Locate()
	var missing *MissingToolError
	if !errors.As(err, &missing) || len(missing.Missing) != 2 {
		t.Fatalf("error %v, want both tools missing", err)
	}
	if want := "ffmpeg and ffprobe not found on PATH; install it with: apt-get install ffmpeg (Debian, Ubuntu) or brew install ffmpeg (macOS)"; err.Error() != want {
		t.Errorf("error %q", err)
	}
	_, err = Lazy().Probe(context.Background(), someFile(t), DefaultLimits())
	if !errors.As(err, &missing) {
		t.Errorf("lazy: %v", err)
	}
}

func TestUnreadableFileIsNoVerdict(t *testing.T) {
	tl := tools(t)
	_, err := tl.Probe(context.Background(), filepath.Join(t.TempDir(), "gone.mp4"), DefaultLimits())
	var u *Unplayable
	if !errors.Is(err, os.ErrNotExist) || errors.As(err, &u) {
		t.Errorf("missing file: %v", err)
	}
	if os.Geteuid() == 0 {
		t.Skip("root reads everything, so permissions cannot be tested")
	}
	path := someFile(t)
	if err := os.Chmod(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := tl.Probe(context.Background(), path, DefaultLimits()); !errors.Is(err, os.ErrPermission) || errors.As(err, &u) {
		t.Errorf("unreadable file: %v", err)
	}
}

func TestCleanHidesWhatDiffersBetweenMachines(t *testing.T) {
	got := cleanMessages("[h264 @ 0x55d0c1] bad\r\nfile:/a/b/c.mp4: Invalid \x1b[31mdata\n\n/a/b failed\n", []string{"/a/b", "/a/b/c.mp4"})
	want := []string{"[h264] bad", "input: Invalid [31mdata", "input failed"}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestEncodeFrames(t *testing.T) {
	tl := tools(t)
	dir := t.TempDir()
	c := clipSpec{id: 4, frames: 30, w: 320, h: 180, flash: 10, rate: "25"}
	sound := filepath.Join(dir, "sound.pcm")
	mono := c.clicks()
	var stereo []byte
	for i := 0; i < len(mono); i += 2 {
		stereo = append(stereo, mono[i], mono[i+1], mono[i], mono[i+1])
	}
	if err := os.WriteFile(sound, stereo, 0o644); err != nil {
		t.Fatal(err)
	}
	spec := FrameSpec{Width: 320, Height: 180, FPS: 25, Audio: sound}
	next := func(n int64) (*image.RGBA, bool, error) { return c.draw(int(n)), n < 30, nil }
	path, err := tl.EncodeFrames(context.Background(), spec, next, dir, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	for n, g := range grays(t, path, 320, 180) {
		if id, shown, ok := g.read(); !ok || id != 4 || shown != n {
			t.Fatalf("frame %d shows %d of %d", n, shown, id)
		}
	}
	if at := peaks(pcmOf(t, path), 1); len(at) != 1 || at[0] < 9*1920 || at[0] > 11*1920 {
		t.Errorf("click at %v, want %d", at, 10*1920)
	}
	again, err := tl.EncodeFrames(context.Background(), spec, next, t.TempDir(), DefaultLimits())
	if err != nil || sum(t, again) != sum(t, path) {
		t.Errorf("a second run gave other bytes (%v)", err)
	}
}

func TestEncodeFramesRefuses(t *testing.T) {
	tl := tools(t)
	dir := t.TempDir()
	sound := filepath.Join(dir, "short.pcm")
	if err := os.WriteFile(sound, make([]byte, 4*1920), 0o644); err != nil {
		t.Fatal(err)
	}
	img := image.NewRGBA(image.Rect(0, 0, 320, 180))
	broken := errors.New("out of ink")
	spec := FrameSpec{Width: 320, Height: 180, FPS: 25}
	for name, c := range map[string]struct {
		spec FrameSpec
		next func(n int64) (*image.RGBA, bool, error)
		want string
	}{
		"drawing fails": {spec, func(n int64) (*image.RGBA, bool, error) {
			if n == 5 {
				return nil, false, broken
			}
			return img, true, nil
		}, "frame 5: out of ink"},
		"wrong size":  {spec, func(n int64) (*image.RGBA, bool, error) { return image.NewRGBA(image.Rect(0, 0, 10, 10)), true, nil }, "not 320x180"},
		"no picture":  {spec, func(n int64) (*image.RGBA, bool, error) { return nil, false, nil }, "encode frames"},
		"odd size":    {FrameSpec{Width: 321, Height: 180, FPS: 25}, nil, "width 321"},
		"short sound": {FrameSpec{Width: 320, Height: 180, FPS: 25, Audio: sound}, func(n int64) (*image.RGBA, bool, error) { return img, n < 3, nil }, "3 frames need"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tl.EncodeFrames(context.Background(), c.spec, c.next, dir, DefaultLimits())
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

func TestOutputLimitIsAnError(t *testing.T) {
	tl := tools(t)
	dir := t.TempDir()
	c := clipSpec{id: 1, name: "in.mp4", frames: 50, w: 320, h: 180, flash: -1, out: x264}
	path := c.make(t, dir)
	f, err := tl.Probe(context.Background(), path, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	lim := DefaultLimits()
	lim.MaxOutputBytes = 8_000
	_, err = tl.Normalise(context.Background(), path, f, nil, small(), dir, lim)
	var u *Unplayable
	if !errors.As(err, &u) || u.Code != CodeOutputSize {
		t.Errorf("error %v, want %s", err, CodeOutputSize)
	}
}
