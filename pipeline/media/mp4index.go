package media

import (
	"fmt"
	"math"
	"slices"

	"github.com/Eyevinn/mp4ff/aac"
	"github.com/Eyevinn/mp4ff/mp4"
)

// largeFile is the size from which on places need eight bytes; the index in
// front is smaller than what it leaves.
const largeFile = 1<<32 - 1<<28

// mdatHeader is the size of what stands directly before so many bytes.
func mdatHeader(total int64) uint64 {
	if total >= largeFile {
		return 16
	}
	return 8
}

// versionFor is the version of a box that states a length.
func versionFor(long uint64) byte {
	if long > math.MaxUint32 {
		return 1
	}
	return 0
}

// indexBoxes are the boxes in front of the packets.
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

// chunkOffsets are where the chunks of each stream begin, from the first packet on.
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

// pictureTrack is a track in the format of another.
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

// soundTrack is a track of packets of which the first only primes a decoder.
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

// setSamples states sizes, and that each sample lasts so many ticks.
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
// the film's.
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
