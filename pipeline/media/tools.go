// Package media is the only place that runs ffmpeg and ffprobe. It decides
// whether a file is a playable video, brings videos to one common format,
// joins and composes them frame-exactly, and takes single pictures out.
//
// A command that exits with 0 proves little: ffmpeg shortens, freezes and
// fills without a word. So every operation looks at what came out: frames are
// counted, packets compared with those of the source, samples measured. What
// cannot be shown to be right is an error.
//
// Bytes are the same on every run with the same ffmpeg build and thread counts
// on the same CPU model; between models, resampled sound may differ. Version
// names the build, so that keys can hold it.
package media

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
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

// Tags lists every tag of a video file and of its streams, chapters and
// programs, as "place: name=value", sorted: all that a player would show of
// what the file says about itself in words.
func (t *Tools) Tags(ctx context.Context, path string) ([]string, error) {
	in, err := inputURL(path)
	if err != nil {
		return nil, fmt.Errorf("read tags: %w", err)
	}
	out := &limitedBuffer{max: maxHeader}
	args := append([]string{"-v", "error", "-protocol_whitelist", "file,pipe", "-format_whitelist", containers},
		"-show_entries", "format_tags:stream_tags:chapter_tags:program_tags", "-of", "json", in)
	c := command{op: "read tags", probe: true, args: args, stdout: out, timeout: DefaultLimits().Timeout, hide: []string{in[len("file:"):]}}
	if err := t.run(ctx, c); err != nil {
		return nil, err
	}
	return parseTags(out.kept.Bytes())
}

func parseTags(b []byte) ([]string, error) {
	type tagged struct {
		Tags map[string]any `json:"tags"`
	}
	var all struct {
		Format                      tagged
		Streams, Chapters, Programs []tagged
	}
	if err := json.NewDecoder(bytes.NewReader(b)).Decode(&all); err != nil {
		return nil, fmt.Errorf("read tags: ffprobe output: %w", err)
	}
	var tags []string
	add := func(place string, list ...tagged) {
		for _, one := range list {
			for name, value := range one.Tags {
				tags = append(tags, fmt.Sprintf("%s: %s=%v", place, name, value))
			}
		}
	}
	add("file", all.Format)
	add("stream", all.Streams...)
	add("chapter", all.Chapters...)
	add("program", all.Programs...)
	slices.Sort(tags)
	return tags, nil
}
