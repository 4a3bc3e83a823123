package pipeline

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// EncodeUnits writes units as gzipped JSON lines. Equal units give equal
// bytes: the gzip header carries neither time nor name.
func EncodeUnits(units []Unit) ([]byte, error) {
	var buf bytes.Buffer
	zw, err := gzip.NewWriterLevel(&buf, gzip.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("encode units: %w", err)
	}
	enc := json.NewEncoder(zw)
	enc.SetEscapeHTML(false)
	for _, u := range units {
		if err := enc.Encode(u); err != nil {
			return nil, fmt.Errorf("encode units: %w", err)
		}
	}
	if err := zw.Close(); err != nil {
		return nil, fmt.Errorf("encode units: %w", err)
	}
	return buf.Bytes(), nil
}

// DecodeUnits is the inverse of EncodeUnits.
func DecodeUnits(b []byte) ([]Unit, error) {
	zr, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, fmt.Errorf("decode units: %w", err)
	}
	dec := json.NewDecoder(bufio.NewReader(zr))
	dec.DisallowUnknownFields()
	var units []Unit
	for {
		var u Unit
		err := dec.Decode(&u)
		if errors.Is(err, io.EOF) {
			return units, nil
		}
		if err != nil {
			return nil, fmt.Errorf("decode units: line %d: %w", len(units)+1, err)
		}
		units = append(units, u)
	}
}
