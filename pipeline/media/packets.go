package media

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// packet is one packet of a stream as it lies in the file.
type packet struct {
	pts, duration int64
	hash          string // MD5 of its bytes
	timescale     int64
}

// listing is one stream of a file this package wrote, as it lies in the file.
type listing struct {
	packets       []packet
	extradata     string        // MD5 of the parameter sets
	width, height int32         // 0 for sound
	keys          []int64       // frames that are keyframes, where they are told
	places        []packetPlace // of the packets, where they are told, without the path
	broken        string        // why a packet can be none of its format, of an MP4
}

func listPart(path string, lists *[]listing) ffmpegPart {
	return ffmpegPart{
		op:     "list packets",
		inputs: [][]string{{"-protocol_whitelist", "file,pipe", "-f", "mp4", "-i", "file:" + path}},
		output: func(first int) []string { return []string{"-map", fmt.Sprint(first), "-c", "copy", "-f", "framemd5"} },
		read:   func(r io.Reader) (err error) { *lists, err = parseMD5(r); return err },
		hide:   []string{path},
	}
}

func (t *Tools) frameList(ctx context.Context, c command) ([]packet, error) {
	var lists []listing
	if err := t.run(ctx, c, func(r io.Reader) (err error) { lists, err = parseMD5(r); return err }); err != nil {
		return nil, err
	}
	if len(lists) != 1 {
		return nil, fmt.Errorf("%s: %d streams listed, want one", c.op, len(lists))
	}
	return lists[0].packets, nil
}

// parseMD5 reads ffmpeg's framemd5 format, version 2, of any number of
// streams, numbered from 0.
func parseMD5(r io.Reader) ([]listing, error) {
	var p md5Parser
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if err := p.line(lines.Text()); err != nil {
			return nil, err
		}
	}
	return p.lists, lines.Err()
}

type md5Parser struct {
	lists  []listing
	scales []int64
	total  int
}

func (p *md5Parser) line(line string) error {
	switch {
	case line == "":
		return nil
	case line[0] == '#':
		return p.header(line)
	}
	if p.total++; p.total > maxFrames {
		return errFrames
	}
	f, err := parseFrame(line)
	if err != nil {
		return err
	}
	i, err := p.stream(f.stream)
	if err != nil {
		return err
	}
	fields := strings.Split(line, ",")
	p.lists[i].packets = append(p.lists[i].packets, packet{pts: f.pts, duration: f.duration, hash: strings.TrimSpace(fields[5]), timescale: p.scales[i]})
	return nil
}

// header reads "#tb 0: 1/25000", "#extradata 0, 47, <md5>" and
// "#dimensions 0: 640x360"; other headers say nothing that is needed.
func (p *md5Parser) header(line string) error {
	name, rest, ok := strings.Cut(strings.TrimPrefix(line, "#"), " ")
	if !ok || name != "tb" && name != "extradata" && name != "dimensions" {
		return nil
	}
	end := strings.IndexAny(rest, ":,")
	if end < 0 {
		return fmt.Errorf("header %q of a frame list names no stream", line)
	}
	i, err := p.stream(rest[:end])
	if err != nil {
		return err
	}
	value := strings.TrimSpace(rest[end+1:])
	switch name {
	case "tb":
		p.scales[i], err = strconv.ParseInt(strings.TrimPrefix(value, "1/"), 10, 64)
	case "dimensions":
		_, err = fmt.Sscanf(value, "%dx%d", &p.lists[i].width, &p.lists[i].height)
	default:
		p.lists[i].extradata = value[strings.LastIndexAny(value, ", ")+1:]
	}
	if err != nil {
		return fmt.Errorf("header %q of a frame list: %w", line, err)
	}
	return nil
}

const maxStreams = 256

// stream finds a stream by its printed number and makes room for it.
func (p *md5Parser) stream(number string) (int, error) {
	i, err := strconv.Atoi(strings.TrimSpace(number))
	if err != nil || i < 0 || i >= maxStreams {
		return 0, fmt.Errorf("frame list names the stream %q", number)
	}
	for len(p.lists) <= i {
		p.lists, p.scales = append(p.lists, listing{}), append(p.scales, 0)
	}
	return i, nil
}

// checkGrid demands that picture i stands at exactly i frames from 0.
func checkGrid(list []packet, p Profile) error {
	for i, k := range list {
		if k.timescale != int64(p.timescale()) || k.pts != int64(i)*ticks || k.duration != ticks {
			return newMismatch("frame %d stands at %d/%d s for %d ticks, want %d/%d s for %d: the picture is not on the frame grid", i, k.pts, k.timescale, k.duration, int64(i)*ticks, p.timescale(), ticks)
		}
	}
	return nil
}
