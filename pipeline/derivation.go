package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// Premises are what the tables of a release say of the media of one item, and
// nothing else: gold that is true by construction follows from there.
type Premises struct {
	Task schemas.Task
	// Media are those of the item that the release holds, in its order.
	Media []schemas.Media
	// Events and Labels are those of the originals that the media show, in the
	// order of their tables.
	Events []schemas.StatedEvent
	Labels []schemas.StatedLabel
	// Questions are those about the item, where it is a task.
	Questions []schemas.Question
	// Flagged tells a question that was taken out: the release has no rows that are of
	// released questions alone.
	Flagged bool
	// Related are the questions, released or taken out, of the task that the derivation
	// names beside a question's own.
	Related []schemas.Question
	// Records are those of the schemas that the derivation reads, of the item's task
	// and of its media, in the order of their tables.
	Records map[string][]Record
	// Plugins are those of the steps of the build, as the release names them.
	Plugins []string
	// Prepared is what the derivation made of the records of the task, nil without a Prepare.
	Prepared any
}

// PremiseRecords decodes the records of a schema that premises have.
func PremiseRecords[T any](p Premises, schema string) ([]T, error) {
	var out []T
	for _, r := range p.Records[schema] {
		v, err := Decode[T](r)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, nil
}

// LastSession returns the order of the last session that a checkpoint covers, among the
// checkpoints that premises have. It covers a first part of so many sessions.
func (p Premises) LastSession(checkpoint string, sessions int) (int, error) {
	all, err := PremiseRecords[schemas.Checkpoint](p, schemas.NameCheckpoint)
	if err != nil {
		return 0, err
	}
	for _, c := range all {
		if c.CheckpointID == checkpoint && len(c.Sessions) > 0 && len(c.Sessions) <= sessions {
			return len(c.Sessions) - 1, nil
		}
	}
	return 0, fmt.Errorf("checkpoint %q of the question is not there, or covers other sessions than there are", checkpoint)
}

// Derived is an item with everything in it as it follows from its premises.
type Derived[T any] struct {
	Item T
	// Underivable names the columns, and as "labels.pair" the labels, that follow from
	// nothing in the tables; the item has them as they are stated.
	Underivable []string
}

// A Derivation works out again what the questions and tasks of a family say, by
// another way than the stages that wrote them. Both are pure.
//
// Question reads what is asked off the question's words, and gives text, options
// with their roles, answer, evidence, labels and all other columns as they
// follow. An error says what in the question follows from nothing. It is an
// *UnderivedError where the question does not claim to be true by construction,
// or the release lacks what it rests on.
type Derivation struct {
	Version string
	// Claims tells the media that only this family makes, by their rows: whatever
	// is asked about one is of the family. Nil claims none.
	Claims func(schemas.Media) bool
	// Writers names the sources and stages that write questions of the family, and of
	// no other than of those that name them too.
	Writers []string
	// Reads names schemas of records that it rests on besides. Each record says in its
	// column task_id or media_id what it belongs to.
	Reads []string
	// RelatedTask names the task that asks the same as a task in another way, such as the
	// twin of one. Nil names none.
	RelatedTask func(task string) string
	// Prepare makes of the records of a task what all its questions share, so that it is made
	// once and not for each of them. It sees premises without an item. Nil makes nothing.
	Prepare  func(Premises) (any, error)
	Question func(schemas.Question, Premises) (Derived[schemas.Question], error)
	// Settle works the answer, or the call, out from pieces of a question's evidence alone; an
	// error says why nothing follows from them, an *UnderivedError that the question does not
	// claim to be true by construction. Nil where a family cannot.
	Settle func(schemas.Question, []schemas.Evidence) (string, error)
	Task   func(schemas.Task, Premises) (Derived[schemas.Task], error)
}

// CheckSettled answers a question by settle from each of its sufficient sets of evidence,
// with all that misleads and the context beside it, and from each set less one piece. It
// reports a set that does not give the answer, with or without what is superseded, and a
// piece without which a set still does.
func CheckSettled(q schemas.Question, settle func(schemas.Question, []schemas.Evidence) (string, error)) error {
	sets, err := q.SufficientSets()
	if err != nil {
		return err
	}
	var beside, before []schemas.Evidence
	for _, e := range q.Evidence {
		switch e.Role {
		case schemas.RoleDistractor, schemas.RoleContext:
			beside = append(beside, e)
		case schemas.RoleSuperseded:
			before = append(before, e)
		}
	}
	gold := cmp.Or(q.AnswerCall, q.AnswerText)
	for _, set := range sets {
		for _, shown := range [][]schemas.Evidence{slices.Concat(set, beside), slices.Concat(set, beside, before)} {
			answer, err := settle(q, shown)
			if err != nil {
				return fmt.Errorf("evidence %v does not settle the answer %q: %w", orders(shown), gold, err)
			}
			if answer != gold {
				return fmt.Errorf("evidence %v gives the answer %q, and %q is stated", orders(shown), answer, gold)
			}
		}
		for i, e := range set {
			less := slices.Concat(set[:i], set[i+1:], beside, before)
			if answer, err := settle(q, less); err == nil && answer == gold {
				return fmt.Errorf("evidence %v gives the answer without piece %d, %s; leave it out of the set", orders(set), e.Order, e.Ref)
			}
		}
	}
	return nil
}

func orders(set []schemas.Evidence) (out []int32) {
	for _, e := range set {
		out = append(out, e.Order)
	}
	return out
}

// UnderivedError says why an item can be neither confirmed nor refuted from the
// tables: an honest reason, to be counted.
type UnderivedError struct{ Reason string }

func (e *UnderivedError) Error() string { return e.Reason }

// AddDerivation registers how gold of a family is worked out again.
func (r *Registry) AddDerivation(family string, d Derivation) {
	if _, taken := r.derive[family]; taken || family == "" || d.Version == "" || d.Question == nil || d.Task == nil {
		r.errs = append(r.errs, fmt.Errorf("register derivation of family %q, version %q: it needs a name that is not taken, a version and both functions", family, d.Version))
		return
	}
	r.derive[family] = d
}

// Derivation finds how gold of a family is worked out again.
func (r *Registry) Derivation(family string) (Derivation, bool) {
	d, ok := r.derive[family]
	return d, ok
}

// FamiliesOf finds the families that a source or stage writes all its questions for, in
// order; none where none says so.
func (r *Registry) FamiliesOf(use string) []string {
	var out []string
	for _, family := range slices.Sorted(maps.Keys(r.derive)) {
		if slices.Contains(r.derive[family].Writers, use) {
			out = append(out, family)
		}
	}
	return out
}

// ClaimedBy finds the family that alone makes such media; empty where none says so.
func (r *Registry) ClaimedBy(m schemas.Media) string {
	for _, family := range slices.Sorted(maps.Keys(r.derive)) {
		if claims := r.derive[family].Claims; claims != nil && claims(m) {
			return family
		}
	}
	return ""
}

// Derivations maps the families with a derivation to its version.
func (r *Registry) Derivations() map[string]string {
	out := map[string]string{}
	for family, d := range r.derive {
		out[family] = d.Version
	}
	return out
}
