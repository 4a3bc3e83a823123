package media

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/Eyevinn/mp4ff/mp4"
)

// aacObject is the type of MPEG-4 sound in the descriptor of a track.
const aacObject = 0x40

// sampleCheck says what keeps the bytes of one sample from being a picture or
// sound; empty where nothing does. It decodes nothing.
type sampleCheck func([]byte) string

// sampleCheckFor is how the samples of a track are looked at; nil for formats that
// are not known here.
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
