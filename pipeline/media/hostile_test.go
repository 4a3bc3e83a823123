package media

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/memforge/memforge/schemas"
)

// server counts who connects.
func server(t *testing.T) (address string, visits *atomic.Int64) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Skipf("needs a local port: %v", err)
	}
	t.Cleanup(func() { _ = l.Close() })
	visits = &atomic.Int64{}
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			visits.Add(1)
			_ = c.Close()
		}
	}()
	return l.Addr().String(), visits
}

// Files and names that point elsewhere are refused, and nobody is called.
func TestNothingIsFetched(t *testing.T) {
	t.Parallel()
	tl := tools(t)
	address, visits := server(t)
	s := newWorkshop(t)
	facts, err := tl.Probe(context.Background(), s.mp4, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	url := "http://" + address + "/x.mp4"
	for name, path := range map[string]string{
		"playlist":          s.write("p1.mp4", []byte("#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\n"+url+"\n#EXT-X-ENDLIST\n")),
		"playlist of files": s.write("p2.m3u8", []byte("#EXTM3U\n#EXT-X-TARGETDURATION:3\n#EXTINF:3,\nfile:"+s.mp4+"\n#EXT-X-ENDLIST\n")),
		"key of a playlist": s.write("p3.m3u8", []byte("#EXTM3U\n#EXT-X-KEY:METHOD=AES-128,URI=\""+url+"\"\n#EXTINF:3,\nplain.mp4\n#EXT-X-ENDLIST\n")),
		"concat script":     s.write("p4.mkv", []byte("ffconcat version 1.0\nfile '"+url+"'\nfile 'file:"+s.mp4+"'\n")),
		"session":           s.write("p5.sdp", []byte("v=0\no=- 0 0 IN IP4 "+address+"\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5004 RTP/AVP 96\na=rtpmap:96 H264/90000\n")),
		"manifest":          s.write("p6.mpd", []byte(`<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011"><BaseURL>`+url+`</BaseURL><Period/></MPD>`)),
		"reference movie":   s.write("p7.mov", []byte("\x00\x00\x00\x40moov\x00\x00\x00\x38rmra\x00\x00\x00\x30rmda\x00\x00\x00\x28rdrf\x00\x00\x00\x00url \x00\x00\x00\x14"+url)),
		"address":           url,
		"subfile":           "subfile,,start,0,end,1000,,:" + s.mp4,
		"concat protocol":   "concat:" + s.mp4 + "|" + s.mp4,
		"data":              "data:video/mp4;base64,AAAA",
		"pipe":              "pipe:0",
	} {
		t.Run(name, func(t *testing.T) {
			_, err := tl.Probe(context.Background(), path, DefaultLimits())
			var u *Unplayable
			if !errors.As(err, &u) && !errors.Is(err, os.ErrNotExist) {
				t.Errorf("probe: %v, want it refused", err)
			}
			if _, err := tl.Normalise(context.Background(), path, facts, nil, small(), s.dir, DefaultLimits()); err == nil {
				t.Error("normalise took it")
			}
			if _, err := tl.Frame(context.Background(), path, 0); err == nil {
				t.Error("a picture was taken out")
			}
		})
	}
	if n := visits.Load(); n > 0 {
		t.Errorf("%d connections were made", n)
	}
}

// logged returns tools that write down every command line.
func logged(t *testing.T) (tl *Tools, log string) {
	t.Helper()
	tools(t)
	dir := t.TempDir()
	log = filepath.Join(dir, "log")
	for _, name := range []string{"ffmpeg", "ffprobe"} {
		real, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		script := fmt.Sprintf("#!/bin/sh\n{ echo \"# %s\"; for a in \"$@\"; do echo \"$a\"; done; } >> '%s'\nexec '%s' \"$@\"\n", name, log, real)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p := programs{ffmpeg: filepath.Join(dir, "ffmpeg"), ffprobe: filepath.Join(dir, "ffprobe")}
	return &Tools{locate: func() (programs, error) { return p, nil }, grace: killGrace}, log
}

// Every input of every operation may be a file or a pipe and nothing else.
func TestEveryInputIsConfined(t *testing.T) {
	t.Parallel()
	tl, log := logged(t)
	ctx, dir, p, lim := context.Background(), t.TempDir(), small(), DefaultLimits()
	a := sounding(t, tl, 3, 60, p, dir)
	b := sounding(t, tl, 9, 60, p, dir)
	joined, err := tl.Join(ctx, []Clip{whole(a), {b.Video, b.Audio, 28, 60}}, p, dir, lim)
	if err != nil {
		t.Fatal(err)
	}
	split, err := tl.SplitScreen(ctx, a, b, 2, p, dir, lim)
	if err != nil {
		t.Fatal(err)
	}
	find := func(id string) (NormalisedVideo, error) { return map[string]NormalisedVideo{"a": a, "b": b}[id], nil }
	full := sequenceOf(schemas.Segment{Source: "a", To: 60}, schemas.Segment{Source: "b", From: 28, To: 60})
	halves := schemas.Recipe{SwapFrames: split.SwapFrames, Segments: []schemas.Segment{{Source: "a", Region: "left", To: 60}, {Source: "b", Region: "right", To: 60}}}
	for path, r := range map[string]schemas.Recipe{joined.Path: full, split.Swapped.Path: halves} {
		if rep, err := tl.Verify(ctx, path, r, find, p); err != nil || len(rep.Problems) > 0 {
			t.Errorf("verify: %v, %v", rep.Problems, err)
		}
	}
	picture := func(n int64) (*image.RGBA, bool, error) { return image.NewRGBA(image.Rect(0, 0, 64, 64)), n < 5, nil }
	_, drawn := tl.EncodeFrames(ctx, FrameSpec{Width: 64, Height: 64, FPS: 25}, picture, dir, lim)
	_, looked := tl.MeasureAppearance(ctx, a.Video, 25, []Span{{0, 60}})
	_, hashed := tl.FrameHashes(ctx, a.Video)
	_, taken := tl.Frame(ctx, a.Video, 3)
	_, version := tl.Version(ctx)
	if err := errors.Join(drawn, looked, hashed, taken, version); err != nil {
		t.Fatal(err)
	}
	checkLog(t, log)
}

func checkLog(t *testing.T, log string) {
	t.Helper()
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	inputs := 0
	for _, command := range strings.Split(string(text), "# ff")[1:] {
		lines := strings.Split(command, "\n")
		confined := false
		for i, arg := range lines {
			switch {
			case strings.Contains(arg, "://"):
				t.Errorf("an address in %q", lines)
			case arg == "-protocol_whitelist" && lines[i+1] == "file,pipe":
				confined = true
			case arg == "-i":
				inputs++
				if !confined && lines[i+1] != "pipe:0" {
					t.Errorf("input %s is not confined in %q", lines[i+1], lines)
				}
				if lines[i+1] != "pipe:0" && !strings.HasPrefix(lines[i+1], "file:/") {
					t.Errorf("input %s may be taken for another protocol", lines[i+1])
				}
				confined = false
			}
		}
		if strings.HasPrefix(command, "mpeg") && !strings.Contains(command, "-nostdin") {
			t.Errorf("may read from the terminal: %q", lines)
		}
	}
	if inputs < 30 {
		t.Errorf("%d inputs were looked at, want 30 and more", inputs)
	}
}

// An encoder that hangs behind a working ffprobe is ended, and nothing of it
// is left.
func TestHangingEncoderIsEnded(t *testing.T) {
	real := tools(t)
	dir := t.TempDir()
	c := clipSpec{id: 1, name: "in.mp4", frames: 30, w: 320, h: 180, flash: -1, out: x264}
	path := c.make(t, dir)
	f, err := real.Probe(context.Background(), path, DefaultLimits())
	if err != nil {
		t.Fatal(err)
	}
	pids := filepath.Join(t.TempDir(), "pids")
	ffprobe, err := exec.LookPath("ffprobe")
	if err != nil {
		t.Fatal(err)
	}
	tl := scripted(t, fmt.Sprintf("trap '' INT TERM\nsleep 300 &\necho $$ $! > '%s'\nwait\nsleep 300", pids))
	p, err := tl.locate()
	if err != nil {
		t.Fatal(err)
	}
	p.ffprobe = ffprobe
	tl.locate = func() (programs, error) { return p, nil }
	lim := DefaultLimits()
	lim.Timeout = 3 * time.Second
	_, err = tl.Normalise(context.Background(), path, f, nil, small(), dir, lim)
	var u *Unplayable
	if !errors.As(err, &u) || u.Code != CodeTimeout || !strings.Contains(err.Error(), "did not end in time") {
		t.Errorf("error %v, want a timeout", err)
	}
	gone(t, pids)
	if left, _ := filepath.Glob(filepath.Join(dir, ".media-*")); len(left) > 0 {
		t.Errorf("work folders left behind: %v", left)
	}
}

func TestLimitsAreKept(t *testing.T) {
	tl := tools(t)
	dir := t.TempDir()
	c := clipSpec{id: 1, name: "in.mp4", frames: 60, w: 320, h: 180, flash: -1, out: x264}
	path := c.make(t, dir)
	for code, set := range map[string]func(*Limits){
		CodeTooLarge: func(l *Limits) { l.MaxInputBytes = 1000 },
		CodePixels:   func(l *Limits) { l.MaxPixels = 320*180 - 1 },
		CodeTooLong:  func(l *Limits) { l.MaxDuration = 2 },
		CodeTooFew:   func(l *Limits) { l.MinFrames = 61 },
		CodeTimeout:  func(l *Limits) { l.Timeout = time.Millisecond },
	} {
		lim := DefaultLimits()
		set(&lim)
		_, err := tl.Probe(context.Background(), path, lim)
		var u *Unplayable
		if !errors.As(err, &u) || u.Code != code {
			t.Errorf("%v, want %s", err, code)
		}
	}
	lim := DefaultLimits()
	lim.Timeout = time.Nanosecond // over before anything can be started
	var u *Unplayable
	if _, err := tools(t).Probe(context.Background(), path, lim); !errors.As(err, &u) || u.Code != CodeTimeout {
		t.Errorf("without any time: %v, want %s", err, CodeTimeout)
	}
	lim = DefaultLimits()
	lim.MaxInputBytes, lim.MaxPixels, lim.MaxDuration, lim.MinFrames = 1<<20, 320*180, 2.4, 60
	if _, err := tl.Probe(context.Background(), path, lim); err != nil {
		t.Errorf("at its limits: %v", err)
	}
}
