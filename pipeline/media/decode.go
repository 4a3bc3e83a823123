package media

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

const maxFrames = 4_000_000

// decodeResult is what decoding a file from end to end showed.
type decodeResult struct {
	times    []float64 // presentation times of the pictures, sorted, seconds
	held     []float64 // how long the file says each picture lasts; 0 unknown
	tick     float64   // resolution of times
	audioOf  float64   // begin of the sound, NaN without
	audioTo  float64   // end of the sound
	messages []string
	cuts     []cutAt // hard cuts
	shuffled bool    // the pictures did not come in order of time
	picture  int64   // bytes of the first picture as it is decoded
	mixed    float64 // time of the first picture with other bytes, NaN without
}

// decode decodes the first video stream and the first audio stream. Errors in
// the bytes are not errors of decode: they are in the result's messages. One
// thread, so that the first message is the same each time.
func (t *Tools) decode(ctx context.Context, path string, lim Limits) (decodeResult, error) {
	in, err := inputURL(path)
	if err != nil {
		return decodeResult{}, fmt.Errorf("decode: %w", err)
	}
	args := decodeArgs(in, lim)
	var s decodeResult
	var finder cutFinder
	c := command{op: "decode", args: args, timeout: lim.Timeout, more: []io.Writer{&finder}, hide: []string{in[len("file:"):]}}
	out, err := t.streams(ctx, c, func(r io.Reader) error {
		s, err = parseCRC(r)
		return err
	})
	switch {
	case errors.Is(err, errFrames):
		return decodeResult{}, unplayable(CodeTooLong, "more than %d pictures", maxFrames)
	case err != nil:
		return decodeResult{}, err
	case out.timedOut:
		return decodeResult{}, unplayable(CodeTimeout, "decoding did not end in time; raise the timeout or leave the file out")
	case out.exit < 0 || hostFault(out.messages):
		return decodeResult{}, &RunError{Op: "decode", Exit: out.exit, Messages: out.messages}
	}
	s.messages = out.messages
	s.cuts = cutTimes(s, &finder)
	if out.exit != 0 && len(s.messages) == 0 {
		s.messages = []string{fmt.Sprintf("ffmpeg left with exit code %d", out.exit)}
	}
	return s, nil
}

// decodeArgs lists times on descriptor 1 and writes the pictures once more,
// shrunk, to descriptor 3: cuts are found without decoding again.
func decodeArgs(in string, lim Limits) []string {
	args := append(globalArgs(), "-threads", "1", "-noautorotate")
	args = append(append(args, inputArgs(lim)...), "-i", in)
	args = append(args, "-map", "0:V:0", "-map", "0:a:0?", "-sn", "-dn", "-fps_mode", "passthrough", "-autoscale", "0", "-enc_time_base", "-1")
	shrink := cutFilter
	if lim.MaxDuration > 0 {
		until := fmt.Sprintf("%.3f", lim.MaxDuration+1)
		args = append(args, "-t", until)
		shrink = "trim=duration=" + until + "," + cutFilter
	}
	return append(append(args, "-f", "framecrc", "pipe:1", "-map", "0:V:0", "-vf", shrink), cutOutput...)
}

// cutAt is a hard cut: its time, as times, and how much the picture changes.
type cutAt struct{ at, change float64 }

// cutTimes finds the times of cuts. Pictures that came out of order have none:
// their numbers then say nothing about their times.
func cutTimes(s decodeResult, finder *cutFinder) []cutAt {
	if s.shuffled || finder.pictures != len(s.times) {
		return nil
	}
	var cuts []cutAt
	for _, n := range finder.cuts() {
		cuts = append(cuts, cutAt{s.times[n], float64(finder.changes[n-1])})
	}
	return cuts
}

// streams runs a command that writes to descriptors 1, 3, 4, ..., and hands
// each output to its reader as it comes.
func (t *Tools) streams(ctx context.Context, c command, reads ...func(io.Reader) error) (outcome, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	failed := make(chan error, len(reads))
	var ends []*io.PipeWriter
	for n, read := range reads {
		r, w := io.Pipe()
		go func() {
			err := read(r)
			if err != nil {
				cancel(err)
			}
			_, _ = io.Copy(io.Discard, r)
			failed <- err
		}()
		if ends = append(ends, w); n == 0 {
			c.stdout = w
		} else {
			c.more = append(c.more, w)
		}
	}
	out, err := t.exec(ctx, c)
	for _, w := range ends {
		_ = w.Close()
	}
	var wrong error
	for range reads {
		if readErr := <-failed; readErr != nil && wrong == nil {
			wrong = readErr
		}
	}
	if wrong != nil {
		return outcome{}, fmt.Errorf("%s: %w", c.op, wrong)
	}
	return out, err
}

var errFrames = errors.New("too many pictures")

// parseCRC reads ffmpeg's framecrc format: "#tb N: a/b" lines, then one line
// per frame with stream, dts, pts, duration, size and checksum.
func parseCRC(r io.Reader) (decodeResult, error) {
	s := decodeResult{audioOf: math.NaN(), audioTo: math.NaN(), mixed: math.NaN()}
	bases := map[string]float64{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if rest, ok := strings.CutPrefix(line, "#tb "); ok {
			name, base, _ := strings.Cut(rest, ": ")
			bases[name] = parseFraction(base)
			continue
		}
		if line == "" || line[0] == '#' {
			continue
		}
		f, err := parseFrame(line)
		if err != nil {
			return decodeResult{}, err
		}
		if len(s.times) >= maxFrames {
			return decodeResult{}, errFrames
		}
		s.add(f, bases[f.stream])
	}
	s.sort()
	return s, lines.Err()
}

func (s *decodeResult) add(f crcLine, base float64) {
	at, held := float64(f.pts)*base, float64(f.duration)*base
	if f.stream == "0" {
		s.tick = base
		if len(s.times) == 0 {
			s.picture = f.size
		}
		if f.size != s.picture && math.IsNaN(s.mixed) {
			s.mixed = at
		}
		s.times, s.held = append(s.times, at), append(s.held, held)
		return
	}
	if math.IsNaN(s.audioOf) {
		s.audioOf = at
	}
	s.audioTo = at + held
}

// sort orders the pictures by time. They nearly always are.
func (s *decodeResult) sort() {
	if slices.IsSorted(s.times) {
		return
	}
	s.shuffled = true
	order := make([]int, len(s.times))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(s.times[a], s.times[b]) })
	times, held := make([]float64, len(order)), make([]float64, len(order))
	for to, from := range order {
		times[to], held[to] = s.times[from], s.held[from]
	}
	s.times, s.held = times, held
}

type crcLine struct {
	stream              string
	pts, duration, size int64
}

func parseFrame(line string) (crcLine, error) {
	fields := strings.Split(line, ",")
	if len(fields) < 6 {
		return crcLine{}, fmt.Errorf("frame line with %d fields, want 6", len(fields))
	}
	var n [3]int64
	for i, name := range []string{"time", "duration", "size"} {
		var err error
		if n[i], err = strconv.ParseInt(strings.TrimSpace(fields[2+i]), 10, 64); err != nil {
			return crcLine{}, fmt.Errorf("frame %s: %w", name, err)
		}
	}
	return crcLine{stream: strings.TrimSpace(fields[0]), pts: n[0], duration: n[1], size: n[2]}, nil
}

// step returns the median distance of two pictures, or what the file says of
// the only one.
func (s decodeResult) step() float64 {
	if len(s.times) < 2 {
		if len(s.held) == 1 {
			return s.held[0]
		}
		return 0
	}
	gaps := make([]float64, 0, len(s.times)-1)
	for i := 1; i < len(s.times); i++ {
		gaps = append(gaps, s.times[i]-s.times[i-1])
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/2]
}

// span returns the length of the picture: from the first to the end of the
// last.
func (s decodeResult) span() float64 {
	if len(s.times) == 0 {
		return 0
	}
	last := s.held[len(s.held)-1]
	if last <= 0 {
		last = s.step()
	}
	return s.times[len(s.times)-1] - s.times[0] + last
}

// uneven reports whether the distances differ by more than rounding to ticks. A
// clock that ticks about once a picture has nothing to round.
func (s decodeResult) uneven() bool {
	step := s.step()
	slack := step / 4
	if s.tick < step/2 {
		slack = max(slack, 1.01*s.tick)
	}
	for i := 1; i < len(s.times); i++ {
		if math.Abs(s.times[i]-s.times[i-1]-step) > slack {
			return true
		}
	}
	return false
}

// How hard cuts are found: pictures are shrunk to cutWidth x cutHeight, which
// leaves noise and small movement out, and compared. The mean change over all
// colours, of 255, is below 10 between neighbouring pictures of handheld and
// tabletop footage and reaches 17 where a car fills a still camera's view;
// changes of scene measure 19 and more in nine of ten. Hence three conditions:
// the change is cutLevel at least, stands out cutContrast times from what
// moves around it, and lasts, so that a flash is none. Cuts between views that
// look alike, and fades, are not found.
const (
	cutWidth, cutHeight = 32, 18
	cutBytes            = cutWidth * cutHeight * 3
	cutLevel            = 10.0
	cutContrast         = 2.0
	// cutAround is how many changes before and after are compared.
	cutAround = 8
	// cutLasts is how many pictures before and after must differ as well; a
	// flash is shorter.
	cutLasts = 3
)

const cutFilter = "scale=32:18:flags=area+accurate_rnd+bitexact,format=rgb24"

// cutOutput writes them to descriptor 3, every one: a raw stream would refuse
// times that do not ascend, so they are dropped.
var cutOutput = []string{"-fps_mode", "drop", "-f", "rawvideo", "pipe:3"}

// cutFinder reads shrunk pictures as they come and remembers changes.
type cutFinder struct {
	half     []byte   // of the picture that comes
	recent   [][]byte // the last pictures, at most 2*cutLasts+2
	pictures int
	changes  []float32 // change i is between pictures i and i+1
	lasting  []int     // pictures that differ from those before for some time
}

// Write implements io.Writer; pictures may come in any portions.
func (c *cutFinder) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		if c.half == nil {
			c.half = c.blank()
		}
		n := min(len(rest), cutBytes-len(c.half))
		c.half, rest = append(c.half, rest[:n]...), rest[n:]
		if len(c.half) == cutBytes {
			c.add(c.half)
			c.half = nil
		}
	}
	return len(b), nil
}

// blank returns room for a picture, that of one no longer needed if there is.
func (c *cutFinder) blank() []byte {
	if len(c.recent) < 2*cutLasts+2 {
		return make([]byte, 0, cutBytes)
	}
	oldest := c.recent[0]
	c.recent = slices.Delete(c.recent, 0, 1)
	return oldest[:0]
}

func (c *cutFinder) add(picture []byte) {
	if n := len(c.recent); n > 0 {
		c.changes = append(c.changes, float32(distance(c.recent[n-1], picture)))
	}
	c.recent = append(c.recent, picture)
	c.pictures++
	c.judgeChange(len(c.recent) - 1 - cutLasts)
}

func (c *cutFinder) judgeChange(n int) {
	if n < 1 {
		return
	}
	picture := len(c.changes) - (len(c.recent) - 1 - n) // number of recent[n]
	change := float64(c.changes[picture-1])
	if change < cutLevel || slices.Contains(c.lasting, picture) {
		return
	}
	for _, later := range c.recent[n+1 : min(len(c.recent), n+1+cutLasts)] {
		if distance(c.recent[n-1], later) < change/2 {
			return
		}
	}
	for _, earlier := range c.recent[max(0, n-1-cutLasts) : n-1] {
		if distance(earlier, c.recent[n]) < change/2 {
			return
		}
	}
	c.lasting = append(c.lasting, picture)
}

// cuts returns the numbers of the pictures that follow a hard cut, sorted. It
// is called once, when all pictures have come.
func (c *cutFinder) cuts() []int {
	// The last pictures have fewer behind them.
	for n := len(c.recent) - cutLasts; n < len(c.recent); n++ {
		c.judgeChange(n)
	}
	var list []int
	for _, n := range c.lasting {
		at := n - 1
		around := slices.Clone(c.changes[max(0, at-cutAround):at])
		around = append(around, c.changes[at+1:min(len(c.changes), at+1+cutAround)]...)
		slices.Sort(around)
		// The largest may be that of another cut.
		usual := float32(0)
		if len(around) > 1 {
			usual = around[len(around)-2]
		}
		if c.changes[at] >= cutContrast*usual {
			list = append(list, n)
		}
	}
	return list
}
