package pipeline

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"github.com/memforge/memforge/pipeline/internal/canonicaljson"
	"io"
)

// Record is one typed, JSON-safe unit of data.
type Record struct {
	// ID is stable across rebuilds, derived from content, and unique within
	// the output of a step.
	ID string `json:"id"`
	// Schema names the type of Data.
	Schema string `json:"schema"`
	// Data is canonical JSON.
	Data json.RawMessage `json:"data"`
	// Blobs are the media the record refers to.
	Blobs []Digest `json:"blobs,omitempty"`
}

// Ref names a record without carrying it.
type Ref struct {
	ID     string `json:"id"`
	Schema string `json:"schema"`
	Digest Digest `json:"digest"`
}

// MaxRecordBytes bounds the data of one record.
const MaxRecordBytes = 2 << 20

// CodeRecordSize is why a record that is too large is no record.
const CodeRecordSize = "record-too-large"

// NewRecord builds a record from a typed value. One that is too large is a *Rejection:
// a Map that returns it loses its input, and the build goes on.
func NewRecord(schema, id string, v any, blobs ...Digest) (Record, error) {
	if id == "" || schema == "" {
		return Record{}, fmt.Errorf("record of schema %q with id %q: both must be set", schema, id)
	}
	data, err := canonicaljson.Marshal(v)
	if err != nil {
		return Record{}, fmt.Errorf("record %s %q: %w", schema, id, err)
	}
	if len(data) > MaxRecordBytes {
		return Record{}, Reject(CodeRecordSize, "record %s %q: %d bytes exceed the limit of %d; make it smaller, or keep large data in blobs", schema, id, len(data), MaxRecordBytes)
	}
	return Record{ID: id, Schema: schema, Data: data, Blobs: blobs}, nil
}

// RecordBuilder collects the records that a plugin makes. The zero value is ready.
type RecordBuilder struct {
	records []Record
	errs    []error
}

// Add is NewRecord, whose error Records gives.
func (m *RecordBuilder) Add(schema, id string, v any, blobs ...Digest) {
	r, err := NewRecord(schema, id, v, blobs...)
	if err != nil {
		m.errs = append(m.errs, err)
		return
	}
	m.records = append(m.records, r)
}

// Records gives them in the order in which they were added, if all could be made.
func (m *RecordBuilder) Records() ([]Record, error) {
	if err := errors.Join(m.errs...); err != nil {
		return nil, err
	}
	return m.records, nil
}

// Canonical returns the one JSON encoding that digests and keys are taken of:
// sorted object keys, no insignificant space, no HTML escaping.
func Canonical(v any) ([]byte, error) { return canonicaljson.Marshal(v) }

// Decode reads the data of a record strictly: an unknown field is an error.
func Decode[T any](r Record) (T, error) {
	var v T
	if err := decodeStrict(r.Data, &v); err != nil {
		return v, fmt.Errorf("record %s %q: %w", r.Schema, r.ID, err)
	}
	return v, nil
}

// Encode returns the bytes a record's digest is taken of.
func (r Record) Encode() ([]byte, error) {
	if b, ok := canonicaljson.EncodeRecord(r.ID, r.Schema, r.Data, r.Blobs); ok {
		return b, nil
	}
	return canonicaljson.MarshalCompact(r)
}

// DecodeRecord is the inverse of Encode.
func DecodeRecord(b []byte) (Record, error) {
	if id, schema, data, blobs, ok := canonicaljson.DecodeRecord[Digest](b); ok {
		return Record{ID: id, Schema: schema, Data: data, Blobs: blobs}, nil
	}
	var r Record
	if err := decodeStrict(b, &r); err != nil {
		return Record{}, fmt.Errorf("stored record: %w", err)
	}
	return r, nil
}

// Ref returns the record's reference.
func (r Record) Ref() (Ref, error) {
	b, err := r.Encode()
	if err != nil {
		return Ref{}, err
	}
	return r.refTo(b), nil
}

func (r Record) refTo(encoded []byte) Ref {
	return Ref{ID: r.ID, Schema: r.Schema, Digest: DigestOf(encoded)}
}

func decodeStrict(b []byte, v any) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.DisallowUnknownFields()
	return DecodeSingle(dec, v)
}

// DecodeSingle decodes a JSON value and refuses whatever but white space follows it, a
// closing bracket too, which json.Decoder.More takes for an end.
func DecodeSingle(dec *json.Decoder, v any) error {
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("data after the JSON value")
	}
	return nil
}
