package parquetread

import "encoding/binary"

// highestLevels counts, among the first n levels of runs that checkRuns has passed,
// those of the highest level: values that are there. It is negative if there are
// fewer than n.
func highestLevels(data []byte, width int, n int64, highest int) (count int64) {
	for n > 0 && len(data) > 0 {
		header, size := binary.Uvarint(data)
		data = data[size:]
		length, bytes := int64(header>>1), (width+7)/8
		if header&1 == 1 {
			length, bytes = 8*length, int(length)*width
		}
		for i := range min(length, n) {
			at := 0
			if header&1 == 1 {
				at = int(i) * width
			}
			if level(data, at, width) == highest {
				count++
			}
		}
		data = data[bytes:]
		n -= min(length, n)
	}
	if n > 0 {
		return -1
	}
	return count
}

// level is the number of width bits that begins at a bit, the lowest first.
func level(data []byte, bit, width int) (v int) {
	for i := range width {
		v |= int(data[(bit+i)/8]>>((bit+i)%8)&1) << i
	}
	return v
}

// oneFrame reports whether zstd data is one frame and nothing else: what a decoder
// passes over may hold anything.
func oneFrame(data []byte) bool {
	const magic, blockHeader = 0xfd2fb528, 3
	if len(data) < 6 || binary.LittleEndian.Uint32(data) != magic {
		return false
	}
	flags := data[4]
	at := 5 + []int{0, 1, 2, 4}[flags&3] + []int{0, 2, 4, 8}[flags>>6]
	single := flags>>5&1 == 1
	if !single {
		at++ // the window
	} else if flags>>6 == 0 {
		at++ // a size of one byte
	}
	for last := false; !last; {
		if at+blockHeader > len(data) {
			return false
		}
		block := int(data[at]) | int(data[at+1])<<8 | int(data[at+2])<<16
		last = block&1 == 1
		size := block >> 3
		if block>>1&3 == 1 {
			size = 1 // a run
		}
		at += blockHeader + size
	}
	if flags>>2&1 == 1 {
		at += 4 // the checksum
	}
	return at == len(data)
}
