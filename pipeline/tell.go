package pipeline

import (
	"fmt"

	"github.com/memforge/memforge/schemas"
)

// Told is what a record says of itself to people who look for their file.
type Told struct {
	// File is the path, as in Asset, of the file that the record was read from.
	File string
	// Notes are what is odd about it, although it was taken.
	Notes []schemas.Note
}

// Teller reads that off a record of one schema. It is pure.
type Teller func(Record) (Told, error)

// AddTeller registers the teller of a schema.
func (r *Registry) AddTeller(schema string, tell Teller) {
	if _, taken := r.tellers[schema]; taken || schema == "" || tell == nil {
		r.errs = append(r.errs, fmt.Errorf("register teller of %q: it needs a schema without one and a function", schema))
		return
	}
	r.tellers[schema] = tell
}

// Tells reports whether records of a schema say something of themselves.
func (r *Registry) Tells(schema string) bool { return r.tellers[schema] != nil }

// Tell asks a record; one of a schema without a teller says nothing.
func (r *Registry) Tell(rec Record) (Told, error) {
	tell := r.tellers[rec.Schema]
	if tell == nil {
		return Told{}, nil
	}
	t, err := tell(rec)
	if err != nil {
		return Told{}, fmt.Errorf("record %s: %w", rec.ID, err)
	}
	return t, nil
}
