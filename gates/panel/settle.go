package panel

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Settle implements Form.
func (f *question) Settle(d Definition, c Config, item *pipeline.Item) ([]string, pipeline.Judgement) {
	q, j := f.judged(d, c, item)
	if j.Outcome != "" {
		return nil, j
	}
	return f.views(d, c, q)
}

// judged is the question of an item, or the judgement of one that is not asked about
// whatever a view shows of it.
func (f *question) judged(d Definition, c Config, item *pipeline.Item) (*schemas.Question, pipeline.Judgement) {
	q, err := f.question(item)
	if err != nil {
		return nil, pipeline.GateError.Because("no-question", "%v", err)
	}
	if len(c.Types) > 0 && !slices.Contains(c.Types, q.Type) {
		return nil, pipeline.NotApplicable.Because("other-type", "it is of type %q and this gate judges %q", q.Type, c.Types)
	}
	for _, label := range slices.Sorted(maps.Keys(d.Labels)) {
		if q.Labels[label] != d.Labels[label] {
			return nil, pipeline.NotApplicable.Because("other-label", "its label %s is %q and this gate judges %s", label, q.Labels[label], d.Labels[label])
		}
	}
	if j := f.askable(d, q); j.Outcome != "" {
		return nil, j
	}
	if divides(d.View) && view.Absent(q) {
		return nil, pipeline.NotApplicable.Because("absence", "its answer is that something occurs nowhere in its evidence, and no part of that can be needed or suffice")
	}
	if d.Precheck != nil {
		if j := d.Precheck(item); j.Outcome != "" {
			return nil, j
		}
	}
	return q, pipeline.Judgement{}
}

// views are those that can be shown.
func (f *question) views(d Definition, c Config, q *schemas.Question) ([]string, pipeline.Judgement) {
	views := append(viewsOf(d.View, q), d.Controls...)
	switch {
	case len(views) == len(d.Controls):
		return nil, unsupported(q)
	case len(views)-len(d.Controls) < d.Least:
		return nil, pipeline.NotApplicable.Because(d.Few, "its answer rests on %s alone, and a part can only be told from the rest where there are several", map[bool]string{true: "one piece of evidence", false: "evidence of one kind"}[d.View != view.WithoutModality])
	}
	for _, v := range views {
		if _, err := f.see(c, q, v, 0); err != nil {
			return nil, lacking(err)
		}
	}
	return views, pipeline.Judgement{}
}

// unsupported is the judgement of a question of whose evidence nothing carries the answer.
func unsupported(q *schemas.Question) pipeline.Judgement {
	if len(q.Evidence) == 0 {
		return noEvidence()
	}
	return pipeline.Insufficient.Because("no-evidence", "its evidence is what wrong answers come from; what its right answer %.60q rests on stands nowhere", view.Proposed(q))
}

// checkable wants a question with an answer that can be put for a check.
func checkable(_ Definition, q *schemas.Question) pipeline.Judgement {
	if view.Proposed(q) == "" {
		return pipeline.Insufficient.Because("no-answer", "it has no answer in words that could be checked")
	}
	return pipeline.Judgement{}
}

// choosable wants a question with options.
func choosable(d Definition, q *schemas.Question) (j pipeline.Judgement) {
	gold := 0
	for _, o := range q.Options {
		if o.Key == q.AnswerKey {
			gold++
		}
	}
	switch {
	case len(q.Options) == 0:
		return pipeline.NotApplicable.Because("no-options", "the question has no options to choose from")
	case gold != 1:
		return pipeline.Insufficient.Because("no-gold", "%d of its options have the answer's key %q", gold, q.AnswerKey)
	case len(q.Options) < d.Options:
		return pipeline.NotApplicable.Because("too-few-options", "the question has %d options and this check needs %d, because a constant answer would pass with %[1]d", len(q.Options), d.Options)
	case len(q.Options) > mostRotations:
		return pipeline.NotApplicable.Because("too-many-options", "it has %d options, and there are letters for %d", len(q.Options), mostRotations)
	}
	return j
}

// divides reports a view of parts of the evidence, that asks what these are for.
func divides(kind string) bool {
	switch kind {
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

// ofOtherKind are the codes of a view for items that it is not made for: nothing
// is missing of them that a better item of their kind would have.
var ofOtherKind = []string{"no-picture", "no-text", "no-video", "bare-caption"}

// lacking is the judgement of an item that has not what a view takes.
func lacking(err error) pipeline.Judgement {
	var l *view.LackError
	if !errors.As(err, &l) {
		return pipeline.GateError.Because("no-such-view", "%v", err)
	}
	if slices.Contains(ofOtherKind, l.Code) {
		return pipeline.NotApplicable.Because(l.Code, "%s", l.Reason)
	}
	return pipeline.Insufficient.Because(l.Code, "%s", l.Reason)
}

func noEvidence() pipeline.Judgement {
	return pipeline.Insufficient.Because("no-evidence", "it names no evidence that its answer rests on")
}

// severalSources wants evidence from two sources at least.
func severalSources(q *schemas.Question) (none pipeline.Judgement) {
	sources := view.Sources(q)
	switch {
	case view.Pieces(q) == 0:
		return noEvidence()
	case len(sources) == 0:
		return pipeline.Insufficient.Because("no-source", "its evidence names no source")
	case len(sources) == 1:
		return pipeline.Fail.Because("one-source", "all of its evidence is from the source %q", sources[0])
	}
	return none
}

// joined wants several pieces that do not contradict each other.
func joined(q *schemas.Question) (none pipeline.Judgement) {
	switch {
	case view.Pieces(q) == 0:
		return noEvidence()
	case view.Changes(q):
		return offering(pipeline.Fail.Because("not-monotonic", "an update overrides an earlier piece of its evidence"), schemas.ReasonEvolving)
	case view.Pieces(q) == 1:
		return offering(pipeline.Fail.Because("single-suffices", "it has one piece of evidence only"), schemas.ReasonSingle)
	}
	return none
}

// evolving wants pieces in the order of time of which a later one overrides an
// earlier one. Several that do not may be one kind of item or the other.
func evolving(q *schemas.Question) (none pipeline.Judgement) {
	switch n := view.Pieces(q); {
	case n == 0:
		return noEvidence()
	case view.Changes(q):
		return none
	case n == 1:
		return offering(pipeline.Fail.Because("no-override", "it has one piece of evidence only"), schemas.ReasonSingle)
	}
	return pipeline.Fail.Because("no-override", "none of its evidence is an update that stands after what it overrides")
}

func severalAreJoined(views int, _ []schemas.Probe) map[string]string {
	if views < 2 {
		return nil
	}
	return reasoning(schemas.ReasonJoined)
}

func reasoning(value string) map[string]string {
	return map[string]string{schemas.LabelReasoning: value}
}

func offering(j pipeline.Judgement, value string) pipeline.Judgement {
	j.Relabel = reasoning(value)
	return j
}
