package media

import (
	"bytes"
	"context"
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"time"
)

// Tools runs ffmpeg and ffprobe. It is safe for concurrent use.
type Tools struct {
	locate func() (programs, error)
	// grace is how long an interrupted program may take to leave before its
	// process group is killed.
	grace time.Duration
	cache fileCache
}

type programs struct{ ffmpeg, ffprobe string }

// MissingToolError names programs that are not on PATH.
type MissingToolError struct{ Missing []string }

func (e *MissingToolError) Error() string {
	return fmt.Sprintf("%s not found on PATH; install it with: apt-get install ffmpeg (Debian, Ubuntu) or brew install ffmpeg (macOS)",
		strings.Join(e.Missing, " and "))
}

// Locate finds ffmpeg and ffprobe on PATH. The error is a *MissingToolError
// that names what is missing and how to install it.
func Locate() (*Tools, error) {
	p, err := lookUp()
	if err != nil {
		return nil, err
	}
	return &Tools{locate: func() (programs, error) { return p, nil }, grace: killGrace}, nil
}

// Lazy returns tools that are located when first used. It does no I/O, so a
// plugin's constructor may call it.
func Lazy() *Tools {
	return &Tools{locate: sync.OnceValues(lookUp), grace: killGrace}
}

func lookUp() (programs, error) {
	var missing []string
	find := func(name string) string {
		path, err := exec.LookPath(name)
		if err != nil {
			missing = append(missing, name)
		}
		return path
	}
	p := programs{ffmpeg: find("ffmpeg"), ffprobe: find("ffprobe")}
	if missing != nil {
		return programs{}, &MissingToolError{Missing: missing}
	}
	return p, nil
}

var (
	versionLine = regexp.MustCompile(`(?m)^ffmpeg version (\S+)`)
	codecLine   = regexp.MustCompile(`(?m)^libavcodec\s+(\d+)\.\s*(\d+)\.\s*(\d+)`)
	x264Line    = regexp.MustCompile(`x264 - core (\d+(?: r\d+)?(?: [0-9a-f]{7,})?)`)
)

// Version returns one stable line that names everything that shapes the bytes
// this package writes: the ffmpeg version, libavcodec and the x264 build. The
// last is read from a stream encoded for the purpose, so a build of ffmpeg
// without libx264 is an error here and not in the middle of a build; the others
// from what the program says of itself meanwhile, for starting it costs more than
// the stream.
func (t *Tools) Version(ctx context.Context) (string, error) {
	c := command{op: "encode a test picture with libx264", timeout: time.Minute}
	c.args = []string{"-nostdin", "-v", "info", "-nostats", "-filter_threads", "1", "-f", "rawvideo", "-pix_fmt", "yuv420p",
		"-s", "16x16", "-r", "1", "-i", "pipe:0", "-c:v", "libx264", "-threads", "1", "-f", "h264", "pipe:1"}
	var stream bytes.Buffer
	c.stdin, c.stdout = bytes.NewReader(make([]byte, 16*16*3/2)), &stream
	out, err := t.exec(ctx, c)
	if err != nil {
		return "", err
	}
	if out.exit != 0 || out.timedOut {
		last := out.messages[max(0, len(out.messages)-1):] // those before tell of the program
		return "", &RunError{Op: c.op, Exit: out.exit, TimedOut: out.timedOut, Messages: last}
	}
	return versionOf(strings.Join(out.messages, "\n"), stream.Bytes())
}

func versionOf(about string, stream []byte) (string, error) {
	v, c, x := versionLine.FindStringSubmatch(about), codecLine.FindStringSubmatch(about), x264Line.FindSubmatch(stream)
	if v == nil || c == nil || x == nil {
		return "", fmt.Errorf("ffmpeg version: ffmpeg does not say which it is, or its x264 stream is unmarked; install a stock build of ffmpeg")
	}
	return fmt.Sprintf("ffmpeg %s libavcodec %s.%s.%s x264 %s", v[1], c[1], c[2], c[3], x[1]), nil
}
