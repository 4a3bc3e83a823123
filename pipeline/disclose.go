package pipeline

import "fmt"

// Disclosure gives what a release holds of a record that gates judged and that it has no
// table of: a record of the same schema and id, by which each gate that judges the
// schema comes to the same judgement, without what the record was made from. It is pure.
type Disclosure func(Record) (Record, error)

// AddDisclosure registers that of a schema.
func (r *Registry) AddDisclosure(schema string, disclose Disclosure) {
	if _, taken := r.disclosures[schema]; taken || schema == "" || disclose == nil {
		r.errs = append(r.errs, fmt.Errorf("register disclosure of %q: it needs a schema without one and a function", schema))
		return
	}
	r.disclosures[schema] = disclose
}

// Disclose gives what a release holds of a record: the record itself, where its schema
// has no disclosure.
func (r *Registry) Disclose(rec Record) (Record, error) {
	disclose := r.disclosures[rec.Schema]
	if disclose == nil {
		return rec, nil
	}
	out, err := disclose(rec)
	switch {
	case err != nil:
		return rec, fmt.Errorf("disclose %s: %w", rec.ID, err)
	case out.Schema != rec.Schema || out.ID != rec.ID:
		return rec, fmt.Errorf("disclose %s of schema %s: what is disclosed is %s of schema %s; a record keeps both", rec.ID, rec.Schema, out.ID, out.Schema)
	}
	return out, nil
}

// Discloses reports whether a release holds less of records of a schema than they have.
func (r *Registry) Discloses(schema string) bool { return r.disclosures[schema] != nil }
