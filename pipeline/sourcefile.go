package pipeline

import (
	"fmt"

	"github.com/memforge/memforge/schemas"
)

// SourceFile is what a record says of itself to people who look for their file.
type SourceFile struct {
	// File is the path, as in Asset, of the file that the record was read from.
	File string
	// Notes are what is odd about it, although it was taken.
	Notes []schemas.Note
}

// SourceFileReader reads that off a record of one schema. It is pure.
type SourceFileReader func(Record) (SourceFile, error)

// AddSourceFileReader registers the teller of a schema.
func (r *Registry) AddSourceFileReader(schema string, tell SourceFileReader) {
	if _, taken := r.sourceFileReaders[schema]; taken || schema == "" || tell == nil {
		r.errs = append(r.errs, fmt.Errorf("register teller of %q: it needs a schema without one and a function", schema))
		return
	}
	r.sourceFileReaders[schema] = tell
}

// HasSourceFile reports whether records of a schema say something of themselves.
func (r *Registry) HasSourceFile(schema string) bool { return r.sourceFileReaders[schema] != nil }

// SourceFile asks a record; one of a schema without a teller says nothing.
func (r *Registry) SourceFile(rec Record) (SourceFile, error) {
	tell := r.sourceFileReaders[rec.Schema]
	if tell == nil {
		return SourceFile{}, nil
	}
	t, err := tell(rec)
	if err != nil {
		return SourceFile{}, fmt.Errorf("record %s: %w", rec.ID, err)
	}
	return t, nil
}
