package pipeline

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
)

// EncodeUnits returns the bytes of a BuildNode.Units blob: one unit a line as
// JSON, gzipped without name or time. Equal units give equal bytes under one
// Go toolchain. The caller sorts the units by In.ID.
func EncodeUnits(units []Unit) ([]byte, error) {
	var out bytes.Buffer
	zw, err := gzip.NewWriterLevel(&out, gzip.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("encode units: %w", err)
	}
	enc := json.NewEncoder(zw)
	enc.SetEscapeHTML(false)
	for i := range units {
		if err := enc.Encode(&units[i]); err != nil {
			return nil, fmt.Errorf("encode unit %d (%s): %w", i, units[i].Key, err)
		}
	}
	if err := zw.Close(); err != nil {
		return nil, fmt.Errorf("encode units: %w", err)
	}
	return out.Bytes(), nil
}

// DecodeUnits is the inverse of EncodeUnits.
func DecodeUnits(b []byte) ([]Unit, error) {
	var units []Unit
	for u, err := range ReadUnits(bytes.NewReader(b)) {
		if err != nil {
			return nil, err
		}
		units = append(units, u)
	}
	return units, nil
}

// ReadUnits streams what EncodeUnits wrote, so that a large node need not fit
// in memory. It ends after the first error, also when r fails its digest.
func ReadUnits(r io.Reader) iter.Seq2[Unit, error] {
	return func(yield func(Unit, error) bool) {
		n := 0
		fail := func(err error) { yield(Unit{}, fmt.Errorf("read unit %d: %w", n, err)) }
		src := bufio.NewReader(r)
		zr, err := gzip.NewReader(src)
		if err != nil {
			fail(err)
			return
		}
		zr.Multistream(false)
		dec := json.NewDecoder(zr)
		dec.DisallowUnknownFields()
		for ; ; n++ {
			var u Unit
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
