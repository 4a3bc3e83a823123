package still

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image/png"
	"io"
	"slices"
)

// checkPNG checks the parts of a PNG, whose decoder passes over those it does
// not know.
func checkPNG(data []byte) (tiff []byte, err error) {
	_, err = pngParts(data, func(kind string, part []byte) error {
		switch kind {
		case "acTL":
			return refuse(Animated, "it is an animated PNG")
		case "eXIf":
			tiff = part[8 : len(part)-4]
		}
		return nil
	})
	return tiff, err
}

// pngParts visits the parts of a PNG up to its end, each with its length before
// and its sum behind it, and returns what follows.
func pngParts(data []byte, visit func(kind string, part []byte) error) (behind []byte, err error) {
	for rest := data[8:]; ; {
		if len(rest) < 12 {
			return nil, refuse(Truncated, "it has no end")
		}
		n, kind := int64(binary.BigEndian.Uint32(rest)), string(rest[4:8])
		if n > int64(len(rest))-12 {
			return nil, refuse(Truncated, "its part %q has %d bytes, %d are left", kind, n, len(rest)-12)
		}
		if err := visit(kind, rest[:12+n]); err != nil {
			return nil, err
		}
		if rest = rest[12+n:]; kind == "IEND" {
			return rest, nil
		}
	}
}

// maxScans of a JPEG. Progressive ones have about ten.
const maxScans = 100

// checkJPEG walks the segments of a JPEG. A scan of few bytes can go over the whole
// picture, so many of them take very long.
func checkJPEG(data []byte) (tiff []byte, err error) {
	scans := 0
	for at := 2; at+2 <= len(data); {
		marker := data[at+1]
		switch {
		case data[at] != 0xff || marker == 0 || marker >= 0xd0 && marker <= 0xd7:
			at++ // what a scan holds
			continue
		case marker == 0xff:
			at++
			continue
		case marker == 0xd9:
			return tiff, nil
		case marker == 0xda:
			scans++
		}
		if scans > maxScans {
			return nil, refuse(TooManyScans, "it has more than %d scans", maxScans)
		}
		if at+4 > len(data) {
			break
		}
		n := int(binary.BigEndian.Uint16(data[at+2:]))
		if n < 2 || at+2+n > len(data) {
			return nil, refuse(Truncated, "segment %#x has %d bytes, %d are left", marker, n, len(data)-at-2)
		}
		segment := data[at+4 : at+2+n]
		if marker == 0xe1 && tiff == nil && len(segment) > 6 && string(segment[:6]) == "Exif\x00\x00" {
			tiff = segment[6:]
		}
		at += 2 + n
	}
	return nil, refuse(Truncated, "it has no end")
}

// checkWebP checks the parts of a WebP and compares the picture inside with the
// canvas around it: the decoder would trust each by itself.
func checkWebP(data []byte) (tiff []byte, err error) {
	if n := int64(binary.LittleEndian.Uint32(data[4:])) + 8; n > int64(len(data)) {
		return nil, refuse(Truncated, "it says it has %d bytes and has %d", n, len(data))
	}
	var canvas, frame [2]int
	for rest := data[12:]; len(rest) >= 8; {
		n, kind := int64(binary.LittleEndian.Uint32(rest[4:])), string(rest[:4])
		if n > int64(len(rest))-8 {
			return nil, refuse(Truncated, "its part %q has %d bytes, %d are left", kind, n, len(rest)-8)
		}
		part := rest[8 : 8+n]
		switch {
		case kind == "ANIM" || kind == "ANMF" || kind == "VP8X" && n > 0 && part[0]&2 != 0:
			return nil, refuse(Animated, "it is an animated WebP")
		case kind == "VP8X" && n >= 10:
			canvas = [2]int{1 + int(part[4]) + int(part[5])<<8 + int(part[6])<<16, 1 + int(part[7]) + int(part[8])<<8 + int(part[9])<<16}
		case kind == "VP8 " && n >= 10:
			frame = [2]int{int(binary.LittleEndian.Uint16(part[6:])) & 0x3fff, int(binary.LittleEndian.Uint16(part[8:])) & 0x3fff}
		case kind == "VP8L" && n >= 5:
			bits := int(binary.LittleEndian.Uint32(part[1:]))
			frame = [2]int{1 + bits&0x3fff, 1 + bits>>14&0x3fff}
		case kind == "EXIF":
			tiff = part
		}
		if canvas != [2]int{} && frame != [2]int{} && canvas != frame {
			return nil, refuse(Damaged, "a picture of %d x %d pixels on a canvas of %d x %d", frame[0], frame[1], canvas[0], canvas[1])
		}
		rest = rest[min(8+n+n&1, int64(len(rest))):]
	}
	return tiff, nil
}

// orientation reads tag 0x0112 of EXIF; 1 where there is none or it makes no sense.
func orientation(tiff []byte) int {
	if len(tiff) > 6 && string(tiff[:6]) == "Exif\x00\x00" {
		tiff = tiff[6:]
	}
	if len(tiff) < 8 || !slices.Contains([]string{"II*\x00", "MM\x00*"}, string(tiff[:4])) {
		return 1
	}
	var order binary.ByteOrder = binary.LittleEndian
	if tiff[0] == 'M' {
		order = binary.BigEndian
	}
	at := int64(order.Uint32(tiff[4:]))
	if at+2 > int64(len(tiff)) {
		return 1
	}
	entries := tiff[at+2:]
	for range order.Uint16(tiff[at:]) {
		if len(entries) < 12 {
			return 1
		}
		if order.Uint16(entries) == 0x0112 && order.Uint16(entries[2:]) == 3 {
			if v := int(order.Uint16(entries[8:])); v >= 1 && v <= 8 {
				return v
			}
			return 1
		}
		entries = entries[12:]
	}
	return 1
}

// CheckPlainPNG wants one PNG of at most so many pixels and nothing else: no part but those
// that a plain picture consists of, so no text within, and nothing behind.
func CheckPlainPNG(data []byte, pixels int) error {
	size, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return fmt.Errorf("it is no PNG: %w", err)
	}
	if size.Width*size.Height > pixels {
		return fmt.Errorf("a picture of %d x %d pixels", size.Width, size.Height)
	}
	var packed []byte
	behind, err := pngParts(data, func(kind string, part []byte) error {
		sum := len(part) - 4
		switch {
		case !slices.Contains([]string{"IHDR", "PLTE", "tRNS", "IDAT", "IEND"}, kind):
			return fmt.Errorf("a PNG with a part %q of %d bytes", kind, sum-8)
		case binary.BigEndian.Uint32(part[sum:]) != crc32.ChecksumIEEE(part[4:sum]):
			return fmt.Errorf("a PNG with a damaged part %q", kind)
		case kind == "IDAT":
			packed = append(packed, part[8:sum]...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	if len(behind) > 0 {
		return fmt.Errorf("%d bytes behind a PNG", len(behind))
	}
	return checkInflates(packed, size.Width, size.Height)
}

// checkInflates demands pixels packed as one whole stream. It does not check
// what they show: undoing the filters of a PNG takes four times as long.
func checkInflates(packed []byte, width, height int) error {
	from := bytes.NewReader(packed)
	z, err := zlib.NewReader(from)
	if err != nil {
		return fmt.Errorf("a PNG without pixels: %w", err)
	}
	most := int64(height) * (int64(width)*8 + 1) // 16 bits of four colours
	n, err := io.Copy(io.Discard, io.LimitReader(z, most+1))
	if err != nil {
		return fmt.Errorf("the pixels of a PNG: %w", err)
	}
	if n < int64(height) || n > most || from.Len() > 0 {
		return fmt.Errorf("%d bytes of pixels and %d behind them in a PNG of %d x %d", n, from.Len(), width, height)
	}
	return nil
}
