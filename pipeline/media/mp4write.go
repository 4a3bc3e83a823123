package media

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"

	"github.com/Eyevinn/mp4ff/aac"
	"github.com/Eyevinn/mp4ff/mp4"
)

// mp4Writer writes an MP4 of packets that exist already. No program runs, so
// the result does not depend on one.
type mp4Writer struct {
	name     string // in the work folder
	template string // an MP4 whose picture is of the same format
	picture  []packetPlace
	keys     []int64 // frames that are keyframes, sorted
	sound    *track  // nil without a sound track
}

type packetPlace struct {
	path     string
	at, size int64
}

// chunk is a run of packets of one stream that lie together.
type chunk struct {
	sound    bool
	from, to int
}

// build writes the file, demands that reading it gives what it was made of, and
// publishes it.
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

// largeFile is the size from which on places need eight bytes; the index in
// front is smaller than what it leaves.
const largeFile = 1<<32 - 1<<28

// mdatHeader returns the size of what stands directly before so many bytes.
func mdatHeader(total int64) uint64 {
	if total >= largeFile {
		return 16
	}
	return 8
}

// versionFor returns the version of a box that states a length.
func versionFor(long uint64) byte {
	if long > math.MaxUint32 {
		return 1
	}
	return 0
}

func (f mp4Writer) indexBoxes(chunks []chunk, sound []packetPlace, total int64, p Profile) ([]mp4.Box, error) {
	like, err := openMP4(f.template)
	if err != nil {
		return nil, err
	}
	moov, head := mp4.NewMoovBox(), mp4.CreateMvhd()
	head.Timescale = sampleRate
	moov.AddChild(head)
	video, audio := f.chunkOffsets(chunks, sound)
	tracks, offsets := []*mp4.TrakBox{pictureTrack(like.Moov.Trak, f.picture, f.keys, p)}, [][]uint64{video}
	if f.sound != nil {
		trak, err := soundTrack(sound)
		if err != nil {
			return nil, err
		}
		tracks, offsets = append(tracks, trak), append(offsets, audio)
	}
	head.NextTrackID = uint32(len(tracks) + 1)
	for i, trak := range tracks {
		setChunks(trak, chunks, i == 1, len(offsets[i]), total >= largeFile)
		head.Duration = max(head.Duration, trak.Tkhd.Duration)
		head.Version = versionFor(head.Duration)
		moov.AddChild(trak)
	}
	begin := like.Ftyp.Size() + moov.Size() + mdatHeader(total)
	for i, trak := range tracks {
		setOffsets(trak, offsets[i], begin)
	}
	return []mp4.Box{like.Ftyp, moov}, nil
}

func (f mp4Writer) chunkOffsets(chunks []chunk, sound []packetPlace) (video, audio []uint64) {
	at := uint64(0)
	for _, c := range chunks {
		list := f.picture
		if c.sound {
			list = sound
			audio = append(audio, at)
		} else {
			video = append(video, at)
		}
		for _, k := range list[c.from:c.to] {
			at += uint64(k.size)
		}
	}
	return video, audio
}

func pictureTrack(like *mp4.TrakBox, list []packetPlace, keys []int64, p Profile) *mp4.TrakBox {
	trak := mp4.CreateEmptyTrak(1, uint32(p.timescale()), "video", "und")
	trak.Tkhd.Width, trak.Tkhd.Height = like.Tkhd.Width, like.Tkhd.Height
	trak.Mdia.Hdlr.Name = "VideoHandler"
	entry := like.Mdia.Minf.Stbl.Stsd.AvcX
	// The template's bit rate is not that of this file.
	entry.Btrt = nil
	entry.Children = slices.DeleteFunc(entry.Children, func(b mp4.Box) bool { return b.Type() == "btrt" })
	table := trak.Mdia.Minf.Stbl
	table.Stsd.AddChild(entry)
	setSamples(trak, list, ticks)
	sync := &mp4.StssBox{}
	for _, k := range keys {
		sync.SampleNumber = append(sync.SampleNumber, uint32(k+1))
	}
	table.AddChild(sync)
	setEdit(trak, 0, uint64(len(list))*uint64(p.frameSamples()))
	return trak
}

// soundTrack returns a track of packets of which the first only primes a
// decoder.
func soundTrack(list []packetPlace) (*mp4.TrakBox, error) {
	trak := mp4.CreateEmptyTrak(2, sampleRate, "audio", "und")
	trak.Mdia.Hdlr.Name = "SoundHandler"
	trak.Tkhd.AlternateGroup = 1
	if err := trak.SetAACDescriptor(aac.AAClc, sampleRate); err != nil {
		return nil, fmt.Errorf("describe sound: %w", err)
	}
	setSamples(trak, list, aacFrame)
	setEdit(trak, aacFrame, uint64(len(list)-1)*aacFrame)
	return trak, nil
}

func setSamples(trak *mp4.TrakBox, list []packetPlace, ticks uint32) {
	table := trak.Mdia.Minf.Stbl
	head := trak.Mdia.Mdhd
	head.Duration = uint64(len(list)) * uint64(ticks)
	head.Version = versionFor(head.Duration)
	table.Stts.SampleCount, table.Stts.SampleTimeDelta = []uint32{uint32(len(list))}, []uint32{ticks}
	table.Stsz.SampleNumber = uint32(len(list))
	for _, k := range list {
		table.Stsz.SampleSize = append(table.Stsz.SampleSize, uint32(k.size))
	}
}

// setEdit lets a track play from a tick of its clock on, for so many ticks of
// the file's.
func setEdit(trak *mp4.TrakBox, begin int64, long uint64) {
	trak.Tkhd.Duration, trak.Tkhd.Version = long, versionFor(long)
	edits := &mp4.EdtsBox{}
	edits.AddChild(&mp4.ElstBox{Version: versionFor(long), Entries: []mp4.ElstEntry{{SegmentDuration: long, MediaTime: begin, MediaRateInteger: 1}}})
	trak.Edts = edits
	trak.Children = slices.Insert(trak.Children, 1, mp4.Box(edits))
}

// setChunks states how many samples lie in each chunk of a track, and makes
// room for their places.
func setChunks(trak *mp4.TrakBox, chunks []chunk, sound bool, n int, large bool) {
	table := trak.Mdia.Minf.Stbl
	number, before := uint32(1), 0
	for _, c := range chunks {
		if c.sound != sound {
			continue
		}
		if c.to-c.from != before {
			before = c.to - c.from
			// Entries of one description cannot fail.
			_ = table.Stsc.AddEntry(number, uint32(before), 1)
		}
		number++
	}
	if !large {
		table.Stco.ChunkOffset = make([]uint32, n)
		return
	}
	table.Children = slices.DeleteFunc(table.Children, func(b mp4.Box) bool { return b.Type() == "stco" })
	table.Stco = nil
	table.AddChild(&mp4.Co64Box{ChunkOffset: make([]uint64, n)})
}

func setOffsets(trak *mp4.TrakBox, list []uint64, begin uint64) {
	table := trak.Mdia.Minf.Stbl
	for i, at := range list {
		if table.Co64 != nil {
			table.Co64.ChunkOffset[i] = begin + at
		} else {
			table.Stco.ChunkOffset[i] = uint32(begin + at)
		}
	}
}
