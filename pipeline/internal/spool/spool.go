// Package spool puts bytes aside that are read again in any order. They lie packed, in
// memory where they are few and in a file where they are many, so that who has a
// million records holds a million places.
package spool

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// Position is where something lies in a pile.
type Position struct {
	from int64
	size int32
}

// Spool is filled by one goroutine; between fills, any number may read it. The
// zero Pile is not usable.
type Spool struct {
	dir    string
	memory int
	tail   []byte // what is not in the file
	begin  int64  // where the tail begins
	file   *os.File
}

// New makes a pile that keeps about as many bytes in memory as said, packed, and those
// beyond in a file below dir, which must exist when there are any.
func New(dir string, memory int) *Spool { return &Spool{dir: dir, memory: memory} }

// largest bounds one thing in a pile: its size in a Place is 32 bits wide.
const largest = 1 << 30

// coders pack and unpack. Both work on whole buffers and serve any number at once.
var coders = sync.OnceValues(func() (*zstd.Encoder, *zstd.Decoder) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(fmt.Sprintf("pile: zstd refuses its own options: %v", err))
	}
	dec, err := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(largest), zstd.WithDecoderLowmem(true))
	if err != nil {
		panic(fmt.Sprintf("pile: zstd refuses its own options: %v", err))
	}
	return enc, dec
})

// Put takes a copy of bytes and says where it lies.
func (p *Spool) Put(b []byte) (Position, error) {
	if len(b) > largest {
		return Position{}, fmt.Errorf("put %d bytes aside: at most %d are taken", len(b), largest)
	}
	enc, _ := coders()
	at := len(p.tail)
	p.tail = enc.EncodeAll(b, p.tail)
	place := Position{p.begin + int64(at), int32(len(p.tail) - at)}
	if len(p.tail) <= p.memory {
		return place, nil
	}
	if err := p.spill(); err != nil {
		return Position{}, fmt.Errorf("put aside on disk below %s: %w", p.dir, err)
	}
	return place, nil
}

// spill moves the tail to the file, which has no name any more: nothing is left of it
// however the program ends.
func (p *Spool) spill() (err error) {
	if p.file == nil {
		if p.file, err = os.CreateTemp(p.dir, "pile-"); err != nil {
			return err
		}
		if err = os.Remove(p.file.Name()); err != nil {
			return err
		}
	}
	n, err := p.file.Write(p.tail)
	p.begin += int64(n)
	p.tail = p.tail[:0]
	return err
}

// Get returns what lies at a place.
func (p *Spool) Get(at Position) ([]byte, error) {
	_, dec := coders()
	var packed []byte
	if at.from >= p.begin {
		packed = p.tail[at.from-p.begin:][:at.size]
	} else {
		packed = make([]byte, at.size)
		if _, err := p.file.ReadAt(packed, at.from); err != nil {
			return nil, fmt.Errorf("read back what was put aside: %w", err)
		}
	}
	out, err := dec.DecodeAll(packed, nil)
	if err != nil {
		return nil, fmt.Errorf("read back what was put aside: %w", err)
	}
	return out, nil
}

// Close gives the file back.
func (p *Spool) Close() error {
	if p.file == nil {
		return nil
	}
	err := p.file.Close()
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}
