package media

import (
	"crypto/md5"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/bits"
	"os"
	"slices"

	mp4bits "github.com/Eyevinn/mp4ff/bits"
	"github.com/Eyevinn/mp4ff/mp4"
)

// readMP4 lists the streams of an MP4 that this package had ffmpeg write, as
// ffmpeg would list them, without starting it. What is damaged, or more than
// such a file ever is, is a mismatch.
func readMP4(path string) (lists []listing, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return parseMP4(f, info.Size())
}

func openMP4(path string) (file *mp4.File, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return decodeMP4(f)
}

func decodeMP4(f io.ReadSeeker) (file *mp4.File, err error) {
	defer recoverMismatch(&err)
	if file, err = mp4.DecodeFile(f, mp4.WithDecodeMode(mp4.DecModeLazyMdat)); err != nil {
		return nil, noMP4(err)
	}
	return file, nil
}

// errNoMP4 is in the chain of what holds for no file of the format.
var errNoMP4 = errors.New("this is no whole MP4")

func noMP4(why any) error { return fmt.Errorf("%w: %w", errNoMP4, newMismatch("%v", why)) }

// recoverMismatch turns a panic over damaged boxes into a mismatch.
func recoverMismatch(err *error) {
	if r := recover(); r != nil {
		*err = noMP4(r)
	}
}

type mp4Bytes interface {
	io.ReadSeeker
	io.ReaderAt
}

// parseMP4 reads an MP4 of so many bytes. The library that parses the boxes
// assumes that they are complete, and so does the code here: a missing box
// causes a panic, which only says that the file is damaged.
func parseMP4(f mp4Bytes, size int64) (lists []listing, err error) {
	defer recoverMismatch(&err)
	file, err := decodeMP4(f)
	if err != nil {
		return nil, err
	}
	for _, trak := range file.Moov.Traks {
		l, err := streamOf(f, size, trak, int64(file.Moov.Mvhd.Timescale))
		if err != nil {
			return nil, err
		}
		lists = append(lists, l)
	}
	return lists, nil
}

// streamOf lists a stream of a file on whose clock a second has so many ticks.
func streamOf(f io.ReaderAt, size int64, trak *mp4.TrakBox, second int64) (listing, error) {
	begin, long, err := editOf(trak)
	if err != nil {
		return listing{}, err
	}
	table := trak.Mdia.Minf.Stbl
	l := listing{}
	if entry := table.Stsd.AvcX; entry != nil {
		l.width, l.height = int32(entry.Width), int32(entry.Height)
		w := mp4bits.NewFixedSliceWriter(int(entry.AvcC.DecConfRec.Size()))
		if err := entry.AvcC.DecConfRec.EncodeSW(w); err != nil {
			return listing{}, newMismatch("parameter sets: %v", err)
		}
		l.extradata = sumOf(w.Bytes())
	}
	s := sampleReader{f: f, size: size, table: table, begin: begin, timescale: int64(trak.Mdia.Mdhd.Timescale)}
	s.check = sampleCheckFor(table)
	if l.packets, err = s.read(); err != nil {
		return listing{}, err
	}
	l.places, l.broken = s.places, s.broken
	// Clocks of other files are too coarse to be exact.
	if long >= 0 && float64(long)/float64(second) < float64(s.dts-begin)/float64(s.timescale)-0.002 {
		return listing{}, newMismatch("an edit list ends the stream before its end")
	}
	if l.width > 0 {
		l.keys = keysOf(table, l.packets)
	}
	return l, nil
}

func keysOf(table *mp4.StblBox, list []packet) []int64 {
	var keys []int64
	for i, k := range list {
		if table.Stss == nil || table.Stss.IsSyncSample(uint32(i+1)) {
			keys = append(keys, k.pts/ticks)
		}
	}
	return keys
}

// editOf returns where in a stream playing begins, and how long it goes on, by
// its edit list: -1 without one.
func editOf(trak *mp4.TrakBox) (begin, long int64, err error) {
	if trak.Edts == nil {
		return 0, -1, nil
	}
	if len(trak.Edts.Elst) != 1 || len(trak.Edts.Elst[0].Entries) != 1 {
		return 0, 0, newMismatch("an edit list of more than one entry: this is no file of this package")
	}
	e := trak.Edts.Elst[0].Entries[0]
	if e.MediaTime < 0 || e.MediaRateInteger != 1 || e.MediaRateFraction != 0 {
		return 0, 0, newMismatch("an edit list that does more than choose a begin: this is no file of this package")
	}
	return e.MediaTime, int64(e.SegmentDuration), nil
}

// sampleReader walks the samples of a stream in the order of the file.
type sampleReader struct {
	f                      io.ReaderAt
	size, begin, timescale int64
	table                  *mp4.StblBox

	run, left uint32 // place in the table of durations
	dts       int64
	buf       []byte
	list      []packet
	places    []packetPlace
	check     sampleCheck
	broken    string
}

func (s *sampleReader) read() ([]packet, error) {
	count := s.table.Stsz.GetNrSamples()
	if count > maxFrames {
		return nil, newMismatch("%d samples, at most %d are possible", count, maxFrames)
	}
	chunks := s.chunks()
	for c := 1; c <= len(chunks); c++ {
		at := int64(chunks[c-1])
		for range s.table.Stsc.GetChunk(uint32(c)).NrSamples {
			n := int64(s.table.Stsz.GetSampleSize(len(s.list) + 1))
			if len(s.list) == int(count) || at < 0 || at > s.size || n > s.size-at {
				return nil, noMP4(fmt.Sprintf("it ends before its sample %d does", len(s.list)))
			}
			if err := s.add(at, n); err != nil {
				return nil, err
			}
			at += n
		}
	}
	if len(s.list) != int(count) {
		return nil, newMismatch("%d samples lie in chunks, want %d", len(s.list), count)
	}
	return s.list, nil
}

func (s *sampleReader) chunks() []uint64 {
	if s.table.Co64 != nil {
		return s.table.Co64.ChunkOffset
	}
	all := make([]uint64, len(s.table.Stco.ChunkOffset))
	for i, at := range s.table.Stco.ChunkOffset {
		all[i] = uint64(at)
	}
	return all
}

func (s *sampleReader) add(at, n int64) error {
	s.buf = slices.Grow(s.buf[:0], int(n))[:n]
	if _, err := s.f.ReadAt(s.buf, at); err != nil {
		return fmt.Errorf("read sample %d: %w", len(s.list), err)
	}
	late := int64(0)
	if s.table.Ctts != nil {
		late = int64(s.table.Ctts.GetCompositionTimeOffset(uint32(len(s.list) + 1)))
	}
	lasts := s.duration()
	s.places = append(s.places, packetPlace{at: at, size: n})
	s.list = append(s.list, packet{pts: s.dts + late - s.begin, duration: lasts, hash: sumOf(s.buf), timescale: s.timescale})
	s.dts += lasts
	if s.check != nil && s.broken == "" {
		if why := s.check(s.buf); why != "" {
			s.broken = fmt.Sprintf("sample %d: %s", len(s.list)-1, why)
		}
	}
	return nil
}

func (s *sampleReader) duration() int64 {
	for s.left == 0 {
		s.left = s.table.Stts.SampleCount[s.run]
		s.run++
	}
	s.left--
	return int64(s.table.Stts.SampleTimeDelta[s.run-1])
}

func sumOf(b []byte) string {
	sum := md5.Sum(b)
	return hex.EncodeToString(sum[:])
}

// aacObject is the type of MPEG-4 sound in the descriptor of a track.
const aacObject = 0x40

// sampleCheck says what keeps the bytes of one sample from being a picture or
// sound; empty where nothing does. It decodes nothing.
type sampleCheck func([]byte) string

// sampleCheckFor returns how the samples of a track are checked; nil for
// formats that are not known here.
func sampleCheckFor(table *mp4.StblBox) sampleCheck {
	stsd := table.Stsd
	switch {
	case stsd.AvcX != nil:
		return brokenAVC
	case stsd.Mp4a != nil && stsd.Mp4a.Esds != nil && stsd.Mp4a.Esds.DecConfigDescriptor != nil &&
		stsd.Mp4a.Esds.DecConfigDescriptor.ObjectType == aacObject:
		return brokenAAC
	}
	return nil
}

// brokenAVC walks the units of a picture, each behind four bytes with its length
// (ISO/IEC 14496-15), of which one at least is a slice (14496-10, table 7-1).
func brokenAVC(sample []byte) string {
	slices := 0
	for rest := sample; len(rest) > 0; {
		if len(rest) < 5 {
			return fmt.Sprintf("%d bytes are left behind its last unit", len(rest))
		}
		n := binary.BigEndian.Uint32(rest)
		if n == 0 || uint64(n) > uint64(len(rest)-4) {
			return fmt.Sprintf("a unit of %d bytes in %d", n, len(rest)-4)
		}
		head := rest[4]
		if kind := head & 0x1f; head&0x80 != 0 || kind == 0 {
			return fmt.Sprintf("a unit that begins with %#02x", head)
		} else if kind <= 5 {
			slices++
		}
		rest = rest[4+n:]
	}
	if slices == 0 {
		return "none of its units is a part of a picture"
	}
	return ""
}

// brokenAAC looks for what ends a frame of sound: three bits that are set, and
// unset ones up to a whole byte (ISO/IEC 14496-3, 4.4.2.1).
func brokenAAC(sample []byte) string {
	if len(sample) < 2 {
		return fmt.Sprintf("it has %d bytes", len(sample))
	}
	end := binary.BigEndian.Uint16(sample[len(sample)-2:])
	if zeros := bits.TrailingZeros16(end); zeros > 7 || end>>zeros&7 != 7 {
		return "nothing ends it"
	}
	return ""
}
