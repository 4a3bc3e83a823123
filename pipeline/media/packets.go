package media

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
)

// packet is one packet of a stream as it lies in the file.
type packet struct {
	pts, duration int64
	hash          string // MD5 of its bytes
	timescale     int64
}

// packets lists the packets of one stream of a file this package wrote,
// without decoding.
func (t *Tools) packets(ctx context.Context, path, selector string, lim Limits) ([]packet, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("list packets: %w", err)
	}
	args := append(globalArgs(), "-protocol_whitelist", "file,pipe", "-f", "mp4", "-i", "file:"+path,
		"-map", "0:"+selector, "-c", "copy", "-f", "framemd5", "pipe:1")
	return t.frameList(ctx, command{op: "list packets", args: args, timeout: lim.Timeout, hide: []string{path}})
}

func (t *Tools) frameList(ctx context.Context, c command) ([]packet, error) {
	var list []packet
	out, err := t.stream(ctx, c, func(r io.Reader) (err error) {
		list, err = parseMD5(r)
		return err
	})
	if err != nil {
		return nil, err
	}
	if out.exit != 0 || out.timedOut || len(out.messages) > 0 {
		return nil, &RunError{Op: c.op, Exit: out.exit, TimedOut: out.timedOut, Messages: out.messages}
	}
	return list, nil
}

// parseMD5 reads ffmpeg's framemd5 format.
func parseMD5(r io.Reader) ([]packet, error) {
	var list []packet
	scale := int64(0)
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if base, ok := strings.CutPrefix(line, "#tb 0: 1/"); ok {
			v, err := strconv.ParseInt(base, 10, 64)
			if err != nil {
				return nil, fmt.Errorf("time base: %w", err)
			}
			scale = v
		}
		if line == "" || line[0] == '#' {
			continue
		}
		if len(list) >= maxFrames {
			return nil, errFrames
		}
		f, err := parseFrame(line)
		if err != nil {
			return nil, err
		}
		fields := strings.Split(line, ",")
		list = append(list, packet{pts: f.pts, duration: f.duration, hash: strings.TrimSpace(fields[5]), timescale: scale})
	}
	return list, lines.Err()
}

// checkGrid demands that picture i stands at exactly i frames from 0.
func checkGrid(list []packet, p Profile) error {
	for i, k := range list {
		if k.timescale != int64(p.timescale()) || k.pts != int64(i)*1000 || k.duration != 1000 {
			return fmt.Errorf("frame %d stands at %d/%d s for %d ticks, want %d/%d s for 1000: the picture is not on the frame grid", i, k.pts, k.timescale, k.duration, int64(i)*1000, p.timescale())
		}
	}
	return nil
}
