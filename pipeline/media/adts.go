package media

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// All sound inside this package is 48 kHz with two channels: drawn and decoded
// as s16le PCM, kept as AAC-LC in ADTS packets of 1024 samples.
const (
	sampleRate  = 48000
	sampleBytes = 4 // two channels of two bytes
	// aacFrame is the number of samples in one AAC packet: copied sound can be
	// exact only to that.
	aacFrame = 1024
	// adtsHeader is the size of a packet's header, which has no checksum here.
	adtsHeader = 7
	// maxPackets bounds a file of sound to about a day.
	maxPackets = 4_000_000
)

// silentPacket is a packet of silence as the encoder writes it.
var silentPacket = [...]byte{0xff, 0xf1, 0x4c, 0x80, 0x01, 0xbf, 0xfc, 0x21, 0x10, 0x04, 0x60, 0x8c, 0x1c}

// track is the sound of a normalised video, a file of ADTS packets. The first one only
// primes a decoder; packet i+1 completes samples [1024 x i, 1024 x (i+1)), for
// what overlaps them of packet i must have been decoded before.
type track struct {
	path string
	at   []int64  // where each packet begins, then where the last one ends
	sums []string // MD5 of each packet without its header
}

func (t *track) packets() int64 { return int64(len(t.at)) - 1 }

// packetsOf returns how many packets hold so many samples.
func packetsOf(samples int64) int64 { return 1 + (samples+aacFrame-1)/aacFrame }

// readTrack finds the packets of a file. Anything but whole packets of this
// package's sound is a mismatch.
func readTrack(path string) (*track, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t := &track{path: path}
	t.at, t.sums, err = parseADTS(f)
	return t, err
}

// parseADTS returns where each packet begins, the end of the last one, and the
// MD5 of each packet's content.
func parseADTS(r io.Reader) (at []int64, sums []string, err error) {
	in := bufio.NewReaderSize(r, 1<<16)
	packet := make([]byte, 1<<13)
	pos := int64(0)
	for {
		at = append(at, pos)
		switch _, err := io.ReadFull(in, packet[:adtsHeader]); {
		case err == io.EOF:
			return at, sums, nil
		case errors.Is(err, io.ErrUnexpectedEOF):
			return nil, nil, newMismatch("the sound ends within a packet at byte %d", pos)
		case err != nil:
			return nil, nil, err
		}
		n, ok := packetSize([adtsHeader]byte(packet))
		if !ok {
			return nil, nil, newMismatch("no packet of 48 kHz stereo AAC in ADTS at byte %d: this is not the sound of a normalised video", pos)
		}
		if len(sums) == maxPackets {
			return nil, nil, newMismatch("the sound has more than %d packets", maxPackets)
		}
		switch _, err := io.ReadFull(in, packet[adtsHeader:n]); {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return nil, nil, newMismatch("the sound ends within a packet at byte %d", pos)
		case err != nil:
			return nil, nil, err
		}
		sums = append(sums, sumOf(packet[adtsHeader:n]))
		pos += int64(n)
	}
}

// packetSize reads a header: MPEG-4 without checksum, AAC-LC, 48 kHz, two
// channels, one block of 1024 samples. Nothing else can be joined with it.
func packetSize(h [adtsHeader]byte) (int, bool) {
	n := int(h[3]&3)<<11 | int(h[4])<<3 | int(h[5])>>5
	return n, h[0] == 0xff && h[1] == 0xf1 && h[2] == 0x4c && h[3]&^3 == 0x80 && h[6]&3 == 0 && n > adtsHeader
}

// fitTrack makes an encoded sound exactly as many packets long as so many
// samples need: what is too much is cut, what is missing is silence.
func fitTrack(path string, samples int64) (err error) {
	t, err := readTrack(path)
	if err != nil {
		return fmt.Errorf("fit sound to picture: %w", err)
	}
	want := packetsOf(samples)
	if t.packets() >= want {
		if err := os.Truncate(path, t.at[want]); err != nil {
			return fmt.Errorf("fit sound to picture: %w", err)
		}
		return nil
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		return fmt.Errorf("fit sound to picture: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return writeSilence(f, want-t.packets())
}

func writeSilence(w io.Writer, n int64) error {
	out := bufio.NewWriter(w)
	for range n {
		if _, err := out.Write(silentPacket[:]); err != nil {
			return fmt.Errorf("write silence: %w", err)
		}
	}
	return out.Flush()
}

// SoundPiece is what is heard of a normalised video during its frames [From,
// To). Path is the video's Audio, or empty for silence.
type SoundPiece struct {
	Path     string
	From, To int64
}

// JoinSound writes the sound of a normalised video that shows pieces one after the
// other at a rate, by copying packets, and returns its path under dir. What is
// heard of a piece is at most half a packet (10.7 ms) off its picture; it may
// begin and end a packet too early or too late, for packets are copied whole.
func JoinSound(pieces []SoundPiece, fps int32, dir string) (string, error) {
	p := DefaultProfile()
	p.FPS = fps
	if err := p.Check(); err != nil {
		return "", fmt.Errorf("join sound: %w", err)
	}
	w, err := newWork(dir)
	if err != nil {
		return "", fmt.Errorf("join sound: %w", err)
	}
	defer w.remove()
	if err := splice(w.path("sound.aac"), pieces, p); err != nil {
		return "", fmt.Errorf("join sound: %w", err)
	}
	path, err := w.publish("sound.aac")
	if err != nil {
		return "", fmt.Errorf("join sound: %w", err)
	}
	return path, nil
}

// packetRange is packets [from, to) of a track; those it does not have, and all
// of no track, are silence.
type packetRange struct {
	track    *track
	from, to int64
}

// packetRanges says which packets make up the sound of pieces. Each packet of the
// output is that of its source which is nearest in time: what lies between them
// is found anew for each piece from its absolute place, so it never adds up.
//
// A packet belongs to the piece that plays in its middle. Where two pieces
// meet, one packet is decoded over what is left of the other piece's last: it
// sounds like both, fading, for 21 ms.
func packetRanges(pieces []SoundPiece, tracks map[string]*track, p Profile) []packetRange {
	per := p.frameSamples()
	total := int64(0)
	for _, s := range pieces {
		total += (s.To - s.From) * per
	}
	all := packetsOf(total) - 1
	var list []packetRange
	at, next := int64(0), int64(0)
	for i, s := range pieces {
		end := at + (s.To-s.From)*per
		last := (end + aacFrame/2 - 1) / aacFrame
		if i == len(pieces)-1 {
			last = all
		}
		if last > next {
			// The source's sample that is heard at the first packet's begin.
			x := s.From*per + next*aacFrame - at
			first := (x+aacFrame/2)/aacFrame + 1
			list = append(list, packetRange{tracks[s.Path], first, first + last - next})
			next = last
		}
		at = end
	}
	list[0].from-- // primes the decoder
	return list
}

func splice(path string, pieces []SoundPiece, p Profile) (err error) {
	tracks, err := tracksOf(pieces, p)
	if err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return copyRanges(f, packetRanges(pieces, tracks, p))
}

// tracksOf reads each distinct sound once. The empty path has none.
func tracksOf(pieces []SoundPiece, p Profile) (map[string]*track, error) {
	if len(pieces) == 0 {
		return nil, errors.New("no pieces given")
	}
	tracks := map[string]*track{"": nil}
	for i, s := range pieces {
		if s.From < 0 || s.To <= s.From {
			return nil, fmt.Errorf("piece %d: frames %d to %d: a piece has at least one frame", i, s.From, s.To)
		}
		t, ok := tracks[s.Path]
		if !ok {
			var err error
			if t, err = readTrack(s.Path); err != nil {
				return nil, fmt.Errorf("sound of piece %d: %w", i, err)
			}
			tracks[s.Path] = t
		}
		if need := packetsOf(s.To * p.frameSamples()); t != nil && t.packets() < need {
			return nil, newMismatch("sound of piece %d: %d packets, %d frames need %d", i, t.packets(), s.To, need)
		}
	}
	return tracks, nil
}

func copyRanges(w io.Writer, list []packetRange) error {
	out := bufio.NewWriterSize(w, 1<<16)
	for _, t := range list {
		if err := t.copy(out); err != nil {
			return err
		}
	}
	return out.Flush()
}

func (t packetRange) copy(w io.Writer) error {
	if t.track == nil {
		return writeSilence(w, t.to-t.from)
	}
	f, err := os.Open(t.track.path)
	if err != nil {
		return err
	}
	defer f.Close()
	end := min(t.to, t.track.packets())
	if t.from < end {
		at, n := t.track.at[t.from], t.track.at[end]-t.track.at[t.from]
		if _, err := io.Copy(w, io.NewSectionReader(f, at, n)); err != nil {
			return fmt.Errorf("copy sound: %w", err)
		}
	}
	return writeSilence(w, t.to-max(t.from, end))
}
