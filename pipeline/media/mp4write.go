package media

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/Eyevinn/mp4ff/mp4"
)

// mp4Writer is an MP4 to be written out of packets that exist already. No program
// runs, so what comes out does not depend on one.
type mp4Writer struct {
	name     string // in the work folder
	template string // an MP4 whose picture is of the same format
	picture  []packetPlace
	keys     []int64 // frames that are keyframes, sorted
	sound    *track  // nil without a sound track
}

// packetPlace is where a packet lies.
type packetPlace struct {
	path     string
	at, size int64
}

// chunk is a run of packets of one stream that lie together.
type chunk struct {
	sound    bool
	from, to int
}

// build writes the film, demands that what is read in it is what it was made of,
// and publishes it.
func (f mp4Writer) build(ctx context.Context, w workDir, want expected, p Profile, lim Limits) (Output, error) {
	if err := f.write(ctx, w.path(f.name), p, lim); err != nil {
		return Output{}, err
	}
	got, err := readContent(w.path(f.name), f.sound != nil)
	if err != nil {
		return Output{}, fmt.Errorf("check output: %w", err)
	}
	if err := want.compare(got, p); err != nil {
		return Output{}, err
	}
	if err := got.checkTrack(f.sound); err != nil {
		return Output{}, err
	}
	return got.publish(w, f.name, p)
}

// write makes a file whose index stands in front: a second of picture, the
// sound up to its end, the next second, and so on.
func (f mp4Writer) write(ctx context.Context, path string, p Profile, lim Limits) (err error) {
	sound := f.soundPackets()
	chunks := f.chunks(len(sound), p)
	total := int64(0)
	for _, list := range [][]packetPlace{f.picture, sound} {
		for _, k := range list {
			total += k.size
		}
	}
	if lim.MaxOutputBytes > 0 && total >= lim.MaxOutputBytes {
		return unplayable(CodeOutputSize, "the output would have %d bytes of %d that are allowed; raise the limit or use a shorter input", total, lim.MaxOutputBytes)
	}
	head, err := f.indexBoxes(chunks, sound, total, p)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	out := bufio.NewWriterSize(file, 1<<18)
	for _, box := range head {
		if err := box.Encode(out); err != nil {
			return fmt.Errorf("write index: %w", err)
		}
	}
	if err := mp4.EncodeHeaderWithSize("mdat", uint64(total)+mdatHeader(total), total >= largeFile, out); err != nil {
		return fmt.Errorf("write index: %w", err)
	}
	if err := copyChunks(ctx, out, chunks, f.picture, sound); err != nil {
		return err
	}
	return out.Flush()
}

// soundPackets is where the packets of the sound lie, without their headers.
func (f mp4Writer) soundPackets() []packetPlace {
	if f.sound == nil {
		return nil
	}
	list := make([]packetPlace, f.sound.packets())
	for i := range list {
		at := f.sound.at[i] + adtsHeader
		list[i] = packetPlace{f.sound.path, at, f.sound.at[i+1] - at}
	}
	return list
}

func (f mp4Writer) chunks(packets int, p Profile) []chunk {
	var list []chunk
	played := 0
	for from := 0; from < len(f.picture); from += int(p.FPS) {
		to := min(from+int(p.FPS), len(f.picture))
		list = append(list, chunk{from: from, to: to})
		until := 1 + to*int(p.frameSamples())/aacFrame
		if to == len(f.picture) {
			until = packets
		}
		if until = min(until, packets); until > played {
			list = append(list, chunk{sound: true, from: played, to: until})
			played = until
		}
	}
	return list
}

// copyChunks writes packets in the order in which chunks lie.
func copyChunks(ctx context.Context, w io.Writer, chunks []chunk, picture, sound []packetPlace) error {
	files := map[string]*os.File{}
	defer func() {
		for _, f := range files {
			_ = f.Close()
		}
	}()
	var buf []byte
	for _, c := range chunks {
		if err := ctx.Err(); err != nil {
			return err
		}
		list := picture
		if c.sound {
			list = sound
		}
		for _, k := range list[c.from:c.to] {
			f, ok := files[k.path]
			if !ok {
				var err error
				if f, err = os.Open(k.path); err != nil {
					return err
				}
				files[k.path] = f
			}
			buf = slices.Grow(buf[:0], int(k.size))[:k.size]
			if _, err := f.ReadAt(buf, k.at); err != nil {
				return fmt.Errorf("copy packets: %w", err)
			}
			if _, err := w.Write(buf); err != nil {
				return err
			}
		}
	}
	return nil
}
