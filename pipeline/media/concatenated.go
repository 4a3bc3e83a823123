package media

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// maxBoxes bounds the boxes that are looked at: a fragmented file has two for
// each fragment.
const maxBoxes = 1 << 16

// noteConcatenated notes an MP4 file behind which more of them follow. Players show the
// first, and what is asked about the file may be about what nobody sees.
func noteConcatenated(path, container string) ([]schemas.Note, error) {
	if !strings.Contains(container, "mp4") {
		return nil, nil
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("look for files behind the first: %w", err)
	}
	defer f.Close()
	n, err := countMovies(f)
	if err != nil {
		return nil, fmt.Errorf("look for files behind the first: %w", err)
	}
	if n < 2 {
		return nil, nil
	}
	return []schemas.Note{{Code: NoteConcatenated, Text: fmt.Sprintf("%d files stand one behind the other, the first is used", n)}}, nil
}

// countMovies counts the indexes at the top of an MP4 file, of which one file
// has one. What is no box ends it.
func countMovies(f io.ReaderAt) (movies int, err error) {
	var head [16]byte
	for at, boxes := int64(0), 0; boxes < maxBoxes; boxes++ {
		n, err := f.ReadAt(head[:], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return movies, err
		}
		if n < 8 {
			break
		}
		size := int64(binary.BigEndian.Uint32(head[:4]))
		if size == 1 && n == len(head) {
			size = int64(binary.BigEndian.Uint64(head[8:]))
		}
		if string(head[4:8]) == "moov" {
			movies++
		}
		if size < 8 || at+size < at {
			break // to the end of the file, or no box
		}
		at += size
	}
	return movies, nil
}
