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

// track is the sound of a mezzanine, a file of ADTS packets. The first one only
// primes a decoder; packet i+1 completes samples [1024 x i, 1024 x (i+1)), for
// what overlaps them of packet i must have been decoded before.
type track struct {
	path string
	at   []int64  // where each packet begins, then where the last one ends
	sums []string // MD5 of each packet without its header
}

func (t *track) packets() int64 { return int64(len(t.at)) - 1 }

// packetsOf is how many packets hold so many samples.
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
			return nil, nil, newMismatch("no packet of 48 kHz stereo AAC in ADTS at byte %d: this is not the sound of a mezzanine", pos)
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

// writeSilence writes n packets.
func writeSilence(w io.Writer, n int64) error {
	out := bufio.NewWriter(w)
	for range n {
		if _, err := out.Write(silentPacket[:]); err != nil {
			return fmt.Errorf("write silence: %w", err)
		}
	}
	return out.Flush()
}
