package assemble

import (
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// WithheldError says that more of what a node gave is against a rule of the tables than
// its max_loss allows.
type WithheldError struct {
	Node string
	// Withheld are the records that are against a rule, Lost those that the node lost
	// itself, Of is how many it would have given.
	Withheld, Lost, Of int
	Max                float64
	// First is one of the withheld.
	First schemas.Rejection
}

func (e *WithheldError) Error() string {
	return fmt.Sprintf("node %s gave %d records that no release can hold (the first: %s: %s); with the %d it lost itself that is %.1f %% of %d, more than max_loss %.1f %%: mend the node or its input, or raise its max_loss (what was built is kept)",
		e.Node, e.Withheld, e.First.ID, e.First.Reason, e.Lost, 100*e.share(), e.Of, 100*e.Max)
}

func (e *WithheldError) share() float64 { return float64(e.Withheld+e.Lost) / float64(max(e.Of, 1)) }

// withhold takes out the records whose rows are to blame, and what rests on them. Of two
// that hold the same place it is the later one. That no record is to blame is a
// *release.ReferenceError.
func (w *walk) withhold(broken []release.Violation) error {
	why := map[name]blamed{}
	for _, b := range broken {
		p := w.place(b.Table, b.ID)
		if of := why[p]; of.left == 0 || of.Violation == b {
			why[p] = blamed{b, of.left + 1}
		}
	}
	some := false
	for i := len(w.stands) - 1; i >= 0; i-- {
		if w.stands[i].state == stands && w.breaks(i, why) {
			w.stands[i].state, some = isBroken, true
			w.leave(w.stands[i])
		}
	}
	if !some {
		return &release.ReferenceError{Problems: broken}
	}
	w.hold()
	return w.rest()
}

// blamed is a breach, and how many records that hold its place are still to go for it.
type blamed struct {
	release.Violation
	left int
}

// breaks notes why a record is to blame, if it is.
func (w *walk) breaks(number int, why map[name]blamed) bool {
	at := w.stands[number].places
	for n, p := range w.places[at.from:at.to] {
		b := why[p]
		if b.left == 0 {
			continue
		}
		why[p] = blamed{b.Violation, b.left - 1}
		if w.broken[number] = b.Why; n > 0 {
			w.broken[number] = b.String()
		}
		return true
	}
	return false
}

// against is the rejection of a record that is against a rule.
func (c *collector) against(r pipeline.Record, why string) schemas.Rejection {
	return schemas.Rejection{ID: r.ID, Stage: c.author(r), Code: schemas.ExcludedRule, Reason: why}
}

// hold notes the places of all that stands: what left may have shared some.
func (w *walk) hold() {
	for _, s := range w.stands {
		if s.state != stands {
			continue
		}
		for _, p := range w.places[s.places.from:s.places.to] {
			w.held.add(p)
		}
	}
}

// bounded holds what is against a rule to the max_loss of the nodes that gave it.
func (w *walk) bounded() error {
	first, count := map[string]schemas.Rejection{}, map[string]int{}
	for _, r := range w.lost {
		if r.Code != schemas.ExcludedRule {
			continue
		}
		if count[r.Stage]++; count[r.Stage] == 1 {
			first[r.Stage] = r
		}
	}
	for _, n := range w.c.nodes {
		node, s := n.Step.Name, n.Summary
		e := &WithheldError{Node: node, Withheld: count[node], Lost: s.Lost, Of: s.Out + s.Lost, Max: n.Step.MaxLoss, First: first[node]}
		if e.Withheld > 0 && e.share() > e.Max {
			return e
		}
	}
	return nil
}
