package panel

import (
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// settle gives the views to ask under, or the judgement of an item about which
// nothing is to be asked. It is pure.
func (g *gate) settle(q *schemas.Question) ([]string, *pipeline.Judgement) {
	switch {
	case len(g.cfg.Types) > 0 && !slices.Contains(g.cfg.Types, q.Type):
		return nil, notApplicable("other-type", "it is of type %q and this gate judges %q", q.Type, g.cfg.Types)
	case g.label != "" && q.Labels[schemas.LabelReasoning] != g.label:
		return nil, notApplicable("other-label", "its label %s is %q and this gate judges %s", schemas.LabelReasoning, q.Labels[schemas.LabelReasoning], g.label)
	}
	if j := g.askable(q); j != nil {
		return nil, j
	}
	if g.divides() && view.Absent(q) {
		return nil, notApplicable("absence", "its answer is that something occurs nowhere in its evidence, and no part of that can be needed or suffice")
	}
	if g.settled != nil {
		if j := g.settled(q); j != nil {
			return nil, j
		}
	}
	views := append(viewsOf(g.view, q), g.controls...)
	switch {
	case len(views) == len(g.controls):
		return nil, noEvidence()
	case len(views)-len(g.controls) < g.least:
		return nil, notApplicable(g.few, "its evidence is all of one kind, so no part can be told from the rest")
	}
	for _, v := range views {
		if _, err := g.see(q, v, 0); err != nil {
			return nil, lacking(err)
		}
	}
	return views, nil
}

// askable wants an item that can be put in the gate's form.
func (g *gate) askable(q *schemas.Question) *pipeline.Judgement {
	if g.form == formSupport {
		if q.AnswerText == "" {
			return insufficient("no-answer", "it has no answer in words that could be checked")
		}
		return nil
	}
	gold := 0
	for _, o := range q.Options {
		if o.Key == q.AnswerKey {
			gold++
		}
	}
	switch {
	case len(q.Options) == 0:
		return notApplicable("no-options", "the question has no options to choose from")
	case gold != 1:
		return insufficient("no-gold", "%d of its options have the answer's key %q", gold, q.AnswerKey)
	case len(q.Options) < g.options:
		return notApplicable("too-few-options", "the question has %d options and this check needs %d, because a constant answer would pass with %[1]d", len(q.Options), g.options)
	case len(q.Options) > mostRotations:
		return notApplicable("too-many-options", "it has %d options, and there are letters for %d", len(q.Options), mostRotations)
	}
	return nil
}

// divides reports a gate that asks what parts of the evidence are for.
func (g *gate) divides() bool {
	switch g.view {
	case view.Only, view.Without, view.OnlySource, view.WithoutModality, view.StaleOnly:
		return true
	}
	return false
}

// viewsOf lists the views of a kind that an item has.
func viewsOf(kind string, q *schemas.Question) []string {
	var arguments []string
	switch kind {
	case view.Only, view.Without:
		for _, place := range view.Units(q) {
			arguments = append(arguments, fmt.Sprint(place))
		}
	case view.OnlySource:
		arguments = view.Sources(q)
	case view.WithoutModality:
		arguments = view.Modalities(q)
	default:
		return []string{kind}
	}
	for i, a := range arguments {
		arguments[i] = kind + ":" + a
	}
	return arguments
}

// see shows an item in the gate's form.
func (g *gate) see(q *schemas.Question, name string, rotation int) (view.Sight, error) {
	return view.See(q, name, view.Terms{
		Rotation: rotation, Propose: g.form == formSupport, Entire: slices.Contains(g.cfg.EntireTypes, q.Type), Frames: g.cfg.Frames, Whole: g.cfg.Whole, Most: g.cfg.MaxPictures,
	})
}

// ofOtherKind are the codes of a view for items that it is not made for: nothing
// is missing of them that a better item of their kind would have.
var ofOtherKind = []string{"no-picture", "no-text", "no-video", "bare-caption"}

// lacking is the judgement of an item that has not what a view takes.
func lacking(err error) *pipeline.Judgement {
	var l *view.LackError
	if !errors.As(err, &l) {
		j := gateError("no-such-view", "%v", err)
		return &j
	}
	if slices.Contains(ofOtherKind, l.Code) {
		return notApplicable(l.Code, "%s", l.Reason)
	}
	return insufficient(l.Code, "%s", l.Reason)
}

func noEvidence() *pipeline.Judgement {
	return insufficient("no-evidence", "it names no evidence that its answer rests on")
}

// severalSources wants evidence from two sources at least.
func severalSources(q *schemas.Question) *pipeline.Judgement {
	sources := view.Sources(q)
	switch {
	case view.Pieces(q) == 0:
		return noEvidence()
	case len(sources) == 0:
		return insufficient("no-source", "its evidence names no source")
	case len(sources) == 1:
		return fail("one-source", "all of its evidence is from the source %q", sources[0])
	}
	return nil
}

// joined wants several pieces that do not contradict each other.
func joined(q *schemas.Question) *pipeline.Judgement {
	switch {
	case view.Pieces(q) == 0:
		return noEvidence()
	case view.Changes(q):
		return offering(fail("not-monotonic", "an update overrides an earlier piece of its evidence"), schemas.ReasonEvolving)
	case view.Pieces(q) == 1:
		return offering(fail("single-suffices", "it has one piece of evidence only"), schemas.ReasonSingle)
	}
	return nil
}

// evolving wants pieces in the order of time of which a later one overrides an
// earlier one. Several that do not may be one kind of item or the other.
func evolving(q *schemas.Question) *pipeline.Judgement {
	switch n := view.Pieces(q); {
	case n == 0:
		return noEvidence()
	case view.Changes(q):
		return nil
	case n == 1:
		return offering(fail("no-override", "it has one piece of evidence only"), schemas.ReasonSingle)
	}
	return fail("no-override", "none of its evidence is an update that stands after what it overrides")
}

func severalAreJoined(views int) string {
	if views < 2 {
		return ""
	}
	return schemas.ReasonJoined
}

func offering(j *pipeline.Judgement, reasoning string) *pipeline.Judgement {
	if reasoning != "" {
		j.Relabel = map[string]string{schemas.LabelReasoning: reasoning}
	}
	return j
}
