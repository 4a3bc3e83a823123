package media

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// containers is the list of demuxers a source may be opened with. Playlists,
// concat scripts, subtitles, single pictures and raw streams are not on it:
// they could name other files, or carry no times.
const containers = "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi,mpegts,mpeg,flv,asf,ogg,mp3,wav,flac,aac"

const maxHeader = 4 << 20

// minSide and maxSide bound the sides of a picture, in pixels as stored: less
// cannot be scaled to a common size without vanishing, more not without x264
// and swscale refusing it.
const minSide, maxSide = 16, 16384

// inputArgs stand before every "-i" of a file that this package did not write.
func inputArgs(lim Limits) []string {
	args := []string{"-protocol_whitelist", "file,pipe", "-format_whitelist", containers}
	if lim.MaxPixels > 0 {
		args = append(args, "-max_pixels", fmt.Sprint(lim.MaxPixels))
	}
	return args
}

// Probe decides whether a file is a playable video and states the facts about
// it. It reads the header, then decodes every picture and sample, because a
// header may promise what is not there.
//
// An *Unplayable says why the file cannot be used; any other error is about
// the machine or the call. Near misses are accepted and noted in Facts.Notes.
func (t *Tools) Probe(ctx context.Context, path string, lim Limits) (schemas.VideoFacts, error) {
	if err := checkFile(path, lim); err != nil {
		return schemas.VideoFacts{}, err
	}
	h, err := t.header(ctx, path, lim)
	if err != nil {
		return schemas.VideoFacts{}, err
	}
	if err := checkHeader(h, lim); err != nil {
		return schemas.VideoFacts{}, err
	}
	seen, err := t.decode(ctx, path, lim)
	if err != nil {
		return schemas.VideoFacts{}, err
	}
	f, err := judgeDecoding(h, seen, lim)
	if err != nil {
		return f, err
	}
	more, err := noteConcatenated(path, h.Format.Name)
	f.Notes = append(f.Notes, more...)
	return f, err
}

func checkFile(path string, lim Limits) error {
	info, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	switch {
	case !info.Mode().IsRegular():
		return unplayable(CodeNotFile, "it is not a regular file; give the video file itself")
	case info.Size() == 0:
		return unplayable(CodeEmpty, "the file has no bytes; fetch it again")
	case lim.MaxInputBytes > 0 && info.Size() > lim.MaxInputBytes:
		return unplayable(CodeTooLarge, "%d bytes exceed the limit of %d", info.Size(), lim.MaxInputBytes)
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("probe: %w", err)
	}
	return f.Close()
}

// header runs ffprobe over the head of the file, once for each state of it,
// because many pictures may be taken of one file.
func (t *Tools) header(ctx context.Context, path string, lim Limits) (header, error) {
	state, unknown := stateOf(path)
	if h, ok := t.cache.headers.get(state); ok && unknown == nil {
		return h, nil
	}
	text, err := t.readHeader(ctx, path, lim)
	if err != nil {
		return header{}, err
	}
	h, err := parseHeader(text)
	if err == nil && unknown == nil {
		t.cache.headers.put(state, h, len(text), maxCachedHeaders)
	}
	return h, err
}

func (t *Tools) readHeader(ctx context.Context, path string, lim Limits) ([]byte, error) {
	in, err := inputURL(path)
	if err != nil {
		return nil, fmt.Errorf("read header: %w", err)
	}
	out := &limitedBuffer{max: maxHeader}
	args := append([]string{"-v", "error", "-protocol_whitelist", "file,pipe", "-format_whitelist", containers},
		"-show_format", "-show_streams", "-of", "json", in)
	end, err := t.exec(ctx, command{op: "read header", probe: true, args: args, stdout: out, timeout: lim.Timeout, hide: []string{in, in[len("file:"):]}})
	switch {
	case err != nil:
		return nil, err
	case end.timedOut:
		return nil, unplayable(CodeTimeout, "reading the header did not end in time")
	case end.exit < 0 || hostFault(end.messages):
		return nil, &RunError{Op: "read header", Exit: end.exit, Messages: end.messages}
	case end.exit != 0:
		return nil, headerError(path, end.messages)
	case out.kept.Len() >= maxHeader:
		return nil, unplayable(CodeNotMedia, "the header describes more than %d bytes of streams", maxHeader)
	}
	return bytes.TrimSpace(out.kept.Bytes()), nil
}

// headerError returns why ffprobe could not open a file. A file that begins
// like a known container was one, and was cut or damaged; any other never was.
func headerError(path string, messages []string) error {
	first := "no message"
	if len(messages) > 0 {
		first = messages[0]
	}
	for _, m := range messages {
		if kind, ok := strings.CutSuffix(m, " Format not on whitelist '"+containers+"'"); ok {
			return unplayable(CodeNotMedia, "this is no video container but %s, which may be a playlist, a script, a subtitle or a single picture", kind)
		}
	}
	if strings.Contains(first, "Picture size") {
		return unplayable(CodePixels, "%s", first)
	}
	kind, err := containerOf(path)
	if err != nil {
		return fmt.Errorf("read header: %w", err)
	}
	if kind == "" {
		return unplayable(CodeNotMedia, "no known video container: %s", first)
	}
	return unplayable(CodeTruncated, "it begins like %s but its header cannot be read (%s); fetch it again", kind, first)
}

func containerOf(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	var b [8]byte
	if _, err := io.ReadFull(f, b[:]); err != nil {
		return "", nil // shorter than any mark
	}
	switch mark := string(b[:4]); {
	case mark == "\x1aE\xdf\xa3":
		return "Matroska", nil
	case mark == "RIFF":
		return "AVI", nil
	}
	switch string(b[4:]) {
	case "ftyp", "moov", "mdat", "wide", "pnot", "free", "skip":
		return "MP4", nil
	}
	return "", nil
}

func checkHeader(h header, lim Limits) error {
	v, ok := h.picture()
	switch {
	case !ok && h.hasCover():
		return unplayable(CodeNoVideo, "the only picture is a cover")
	case !ok:
		return unplayable(CodeNoVideo, "no video stream in %s", h.Format.Name)
	case v.Codec == "" || v.Codec == "unknown":
		return unplayable(CodeUndecodable, "the video codec is not known to this ffmpeg")
	case v.Width <= 0 || v.Height <= 0:
		return unplayable(CodeNoFrames, "the header gives no picture size and no picture could be found")
	case min(v.Width, v.Height) < minSide || max(v.Width, v.Height) > maxSide:
		return unplayable(CodeSides, "its pictures are %dx%d; a side of %d to %d can be worked with", v.Width, v.Height, minSide, maxSide)
	case lim.MaxPixels > 0 && pixels(v) > lim.MaxPixels:
		return unplayable(CodePixels, "%d pixels a picture exceed the limit of %d", pixels(v), lim.MaxPixels)
	case v.Transfer == "smpte2084" || v.Transfer == "arib-std-b67":
		return unplayable(CodeHDR, "high dynamic range (%s) is not tone-mapped; convert it to BT.709 first", v.Transfer)
	}
	if d, ok := declaredDuration(h, v); ok && lim.MaxDuration > 0 && d > lim.MaxDuration {
		return unplayable(CodeTooLong, "%.3f s exceed the limit of %g s", d, lim.MaxDuration)
	}
	return nil
}

// pixels counts those stored and those shown, whichever are more: a pixel
// aspect of 1000:1 would blow a small picture up.
func pixels(v stream) int64 {
	w, h := v.displayed()
	return max(int64(v.Width)*int64(v.Height), int64(w)*int64(h))
}

// declaredDuration returns the picture's length according to the file, in
// seconds.
func declaredDuration(h header, v stream) (float64, bool) {
	switch {
	case h.Format.Name == "avi" && v.Duration.known() && v.Frames > 0 && parseFraction(v.BaseRate) > 0:
		// ffprobe measures an AVI by its bytes; what its header counts is a length too.
		return max(float64(v.Duration), float64(v.Frames)/parseFraction(v.BaseRate)), true
	case v.Duration.known():
		return float64(v.Duration), true
	case v.Tags.Duration > 0:
		d := v.Tags.Duration
		// Matroska's tag is the end on the file's clock, not the length.
		if strings.HasPrefix(h.Format.Name, "matroska") && v.Start.known() && float64(v.Start) < d {
			d -= float64(v.Start)
		}
		return d, true
	case h.Format.Duration.known():
		return float64(h.Format.Duration), true
	}
	return 0, false
}

// EstimateAmount reads what a file says of itself, without decoding: good enough to
// say beforehand what work on it will take, and for nothing else. ok is false
// where the file says too little.
func (t *Tools) EstimateAmount(ctx context.Context, path string, lim Limits) (a pipeline.Amount, ok bool, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return a, false, fmt.Errorf("glance: %w", err)
	}
	h, err := t.header(ctx, path, lim)
	var unplayable *Unplayable
	if errors.As(err, &unplayable) {
		return a, false, nil
	}
	if err != nil {
		return a, false, fmt.Errorf("glance: %w", err)
	}
	picture, there := h.picture()
	length := float64(h.Format.Duration)
	rate := parseFraction(picture.Rate)
	if !there || !h.Format.Duration.known() || length <= 0 || rate <= 0 {
		return a, false, nil
	}
	a = PlayingAmount(1, length, picture.Width, picture.Height, 1)
	a.Megapixels *= math.Min(rate, 120)
	a.Bytes = float64(info.Size())
	a.Detail = estimateDetail(a.Bytes, a.Megapixels)
	if _, sound := h.sound(); !sound {
		a.Sound = 0
	}
	return a, true, nil
}

// maxBoxes bounds the boxes that are looked at: a fragmented file has two for
// each fragment.
const maxBoxes = 1 << 16

// noteConcatenated notes an MP4 file behind which more of them follow. Players
// show the first, and questions about the file may be about what no player
// shows.
func noteConcatenated(path, container string) ([]schemas.Note, error) {
	if !strings.Contains(container, "mp4") {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("look for files behind the first: %w", err)
	}
	defer f.Close()
	n, err := countMovies(f)
	if err != nil {
		return nil, fmt.Errorf("look for files behind the first: %w", err)
	}
	if n < 2 {
		return nil, nil
	}
	return []schemas.Note{{Code: NoteConcatenated, Text: fmt.Sprintf("%d files stand one behind the other, the first is used", n)}}, nil
}

// countMovies counts the indexes at the top of an MP4 file, of which one file
// has one. Anything but a box ends it.
func countMovies(f io.ReaderAt) (movies int, err error) {
	var head [16]byte
	for at, boxes := int64(0), 0; boxes < maxBoxes; boxes++ {
		n, err := f.ReadAt(head[:], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return movies, err
		}
		if n < 8 {
			break
		}
		size := int64(binary.BigEndian.Uint32(head[:4]))
		if size == 1 && n == len(head) {
			size = int64(binary.BigEndian.Uint64(head[8:]))
		}
		if string(head[4:8]) == "moov" {
			movies++
		}
		if size < 8 || at+size < at {
			break // to the end of the file, or no box
		}
		at += size
	}
	return movies, nil
}
