package media

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
)

// All sound inside this package is s16le PCM at 48 kHz, two channels.
const (
	sampleRate  = 48000
	sampleBytes = 4 // two channels of two bytes
)

// fitPCM makes a PCM file exactly n bytes long: what is missing at the end is
// silence, what is too much is cut.
func fitPCM(path string, n int64) error {
	if err := os.Truncate(path, n); err != nil {
		return fmt.Errorf("fit sound to picture: %w", err)
	}
	return nil
}

// span is a byte range of a PCM file; an empty path means silence.
type span struct {
	path     string
	from, to int64
}

// joinPCM writes the spans one after another.
func joinPCM(path string, spans []span) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("join sound: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := bufio.NewWriterSize(f, 1<<20)
	for i, s := range spans {
		if err := copySpan(out, s); err != nil {
			return fmt.Errorf("join sound: clip %d: %w", i, err)
		}
	}
	return out.Flush()
}

func copySpan(out io.Writer, s span) error {
	n := s.to - s.from
	if s.path == "" {
		_, err := io.CopyN(out, silence{}, n)
		return err
	}
	f, err := os.Open(s.path)
	if err != nil {
		return err
	}
	defer f.Close()
	if _, err := f.Seek(s.from, io.SeekStart); err != nil {
		return err
	}
	if _, err := io.CopyN(out, f, n); err != nil {
		return fmt.Errorf("bytes %d to %d of the PCM file: %w", s.from, s.to, err)
	}
	return nil
}

type silence struct{}

func (silence) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// mixSides writes the mono mix of left's sound to the left channel and that of
// right's to the right channel, n bytes of each.
func mixSides(path, left, right string, n int64) (err error) {
	l, err := os.Open(left)
	if err != nil {
		return fmt.Errorf("mix sound: %w", err)
	}
	defer l.Close()
	r, err := os.Open(right)
	if err != nil {
		return fmt.Errorf("mix sound: %w", err)
	}
	defer r.Close()
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("mix sound: %w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	out := bufio.NewWriterSize(f, 1<<20)
	a, c := make([]byte, mixBlock), make([]byte, mixBlock)
	for n > 0 {
		part := min(n, mixBlock)
		if _, err := io.ReadFull(l, a[:part]); err != nil {
			return fmt.Errorf("mix sound: %w", err)
		}
		if _, err := io.ReadFull(r, c[:part]); err != nil {
			return fmt.Errorf("mix sound: %w", err)
		}
		mixBlocks(a[:part], c[:part])
		if _, err := out.Write(a[:part]); err != nil {
			return fmt.Errorf("mix sound: %w", err)
		}
		n -= part
	}
	return out.Flush()
}

// mixBlock is how much is mixed at once, a multiple of sampleBytes.
const mixBlock = 1 << 16

// mixBlocks leaves the mono mix of left on the left channel and that of right
// on the right one, in left.
func mixBlocks(left, right []byte) {
	for i := 0; i+sampleBytes <= len(left); i += sampleBytes {
		l, r := mono([sampleBytes]byte(left[i:])), mono([sampleBytes]byte(right[i:]))
		binary.LittleEndian.PutUint16(left[i:], l)
		binary.LittleEndian.PutUint16(left[i+2:], r)
	}
}

func mono(s [sampleBytes]byte) uint16 {
	l := int16(binary.LittleEndian.Uint16(s[:2]))
	r := int16(binary.LittleEndian.Uint16(s[2:]))
	return uint16(int16((int32(l) + int32(r)) / 2))
}
