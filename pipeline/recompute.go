package pipeline

import (
	"errors"

	"github.com/memforge/memforge/schemas"
)

// A Recomputer is a gate whose judgement follows from its probes: whoever has
// a release and no model can check every verdict.
type Recomputer interface {
	Gate
	// Recompute gives the judgement again: outcome, code, reason and relabelling.
	// probes are those of one item under this gate, in any order; full is the
	// verdict's calls_full. It is pure.
	//
	// item may be nil, as when the gate dropped it and nobody kept it. That suffices as long as
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
