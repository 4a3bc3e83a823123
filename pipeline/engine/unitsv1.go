package engine

import (
	"bufio"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/memforge/memforge/pipeline"
)

// readUnitsV1 reads units as they were written first: one a line as JSON, gzipped.
func readUnitsV1(src *bufio.Reader) iter.Seq2[pipeline.Unit, error] {
	return func(yield func(pipeline.Unit, error) bool) {
		n := 0
		fail := func(err error) { yield(pipeline.Unit{}, fmt.Errorf("read unit %d: %w", n, whole(src, err))) }
		zr, err := gzip.NewReader(src)
		if err != nil {
			fail(err)
			return
		}
		zr.Multistream(false)
		dec := json.NewDecoder(zr)
		dec.DisallowUnknownFields()
		for ; ; n++ {
			var u pipeline.Unit
			err := dec.Decode(&u)
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				fail(err)
				return
			}
			if !yield(u, nil) {
				return
			}
		}
		if _, err := src.ReadByte(); !errors.Is(err, io.EOF) {
			if err == nil {
				err = errors.New("data after the last unit")
			}
			fail(err)
		}
	}
}
