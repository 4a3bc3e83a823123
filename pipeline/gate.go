package pipeline

import (
	"errors"
	"fmt"

	"github.com/memforge/memforge/schemas"
)

// A Recomputer is a gate whose judgement follows from its probes: with
// a release and no model, every verdict can be checked.
type Recomputer interface {
	Gate
	// Recompute gives the judgement again: outcome, code, reason and relabelling.
	// probes are those of one item under this gate, in any order; full is the
	// verdict's calls_full. It is pure.
	//
	// item may be nil, as when the gate dropped it and it was not kept. That suffices as long as
	// anything was asked; else, and only then, the error is ErrNeedsItem. Any
	// other error says that these probes cannot have come of this gate's
	// configuration: one is missing, is there twice, or is of another shape. What
	// does not recompute either is an outcome of error without any probe: then
	// something could not be shown.
	Recompute(item *Item, probes []schemas.Probe, full int) (Judgement, error)
}

// A FirstCaller is a Recomputer that draws which call it makes first about an item.
// Which calls follow may depend on answers; which is first does not.
type FirstCaller interface {
	Gate
	// FirstCall gives view, role, rotation and run of the first call about an item;
	// ok is false where nothing is asked. Of the scope it takes randomness alone.
	FirstCall(scope *Scope, item *Item) (call schemas.Probe, ok bool)
}

// ErrNeedsItem says that nothing was asked about an item, so that its judgement
// follows from the item alone.
var ErrNeedsItem = errors.New("nothing was asked, so the judgement follows from the item alone")

// A Viewer is a gate that shows parts of an item to those it asks.
type Viewer interface {
	Gate
	// Views names the views of the item that the full protocol asks under, in
	// order. An item that the gate does not ask about has none.
	Views(item *Item) []string
	// Show is what a probe was put by. Where that is another's answer, it is among
	// the item's probes under the gate. A probe that the protocol does not have is an
	// error.
	Show(item *Item, p schemas.Probe, probes []schemas.Probe) (ShownView, error)
}

// A Labeller is a gate that asks for labels: the answer of a probe is a value of the
// label, and the item has one of its own.
type Labeller interface {
	Gate
	// Label names the label and gives the item's value.
	Label(item *Item) (name, value string, ok bool)
}

// A Solver is a gate under which models answer for themselves.
type Solver interface {
	Gate
	// AnswerView is the view that they answer under; empty where there is none, or several.
	AnswerView() string
}

// ShownView is what a view shows, as a probe has it: the digest of exactly that, the
// most pictures in it, and what these would be if the view were not fitted to
// what the models take.
type ShownView struct {
	Digest                 Digest
	Pictures, FullPictures int
}

// ReviewSample says which records people decide about, and how many people.
type ReviewSample struct {
	// Name is what decisions name it by.
	Name string `json:"draw"`
	// Schema is that of the records, By what those of a stratum have in common: columns
	// or labels.
	Schema string   `json:"of"`
	By     []string `json:"by"`
	// Share of each stratum that is drawn, rounded up; at least Least.
	Share float64 `json:"share"`
	Least int     `json:"least"`
	// Seed decides which.
	Seed uint64 `json:"seed"`
	// Annotators is how many must decide about each that is drawn.
	Annotators int `json:"annotators"`
	// Keeper settles disputes: the keeper's decision stands, and agreement leaves it out.
	Keeper string `json:"keeper,omitempty"`
}

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

// Disclose returns what a release holds of a record: the record itself, where its schema
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

// CodeUnanswered is the code of an error of a gate whose models gave no usable answer.
const CodeUnanswered = "unanswered"
