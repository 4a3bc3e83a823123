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

// SelectViews implements Form.
func (f *questionForm) SelectViews(d Definition, c Config, item *pipeline.Item) ([]string, pipeline.Judgement) {
	q, j := f.applicableQuestion(d, c, item)
	if j.Outcome != "" {
		return nil, j
	}
	return f.availableViews(d, c, q)
}

// applicableQuestion returns the question of an item, or the judgement of one that is not
// asked about.
func (f *questionForm) applicableQuestion(d Definition, c Config, item *pipeline.Item) (*schemas.Question, pipeline.Judgement) {
	q, err := f.questionOf(item)
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
	if j := f.applies(d, q); j.Outcome != "" {
		return nil, j
	}
	if hidesParts(d.View) && view.AnswerIsAbsence(q) {
		return nil, pipeline.NotApplicable.Because("absence", "its answer is that something occurs nowhere in its evidence, and no part of that can be needed or suffice")
	}
	if d.Precheck != nil {
		if j := d.Precheck(item); j.Outcome != "" {
			return nil, j
		}
	}
	return q, pipeline.Judgement{}
}

func (f *questionForm) availableViews(d Definition, c Config, q *schemas.Question) ([]string, pipeline.Judgement) {
	views := append(expandView(d.View, q), d.Controls...)
	switch {
	case len(views) == len(d.Controls):
		return nil, judgeUnsupported(q)
	case len(views)-len(d.Controls) < d.MinViews:
		parts := "one piece of evidence"
		if d.View == view.WithoutModality {
			parts = "evidence of one kind"
		}
		return nil, pipeline.NotApplicable.Because(d.TooFewCode, "its answer rests on %s alone, and a part can only be told from the rest where there are several", parts)
	}
	for _, v := range views {
		if _, err := f.showView(d, c, q, v, 0); err != nil {
			return nil, judgeMissing(err)
		}
	}
	return views, pipeline.Judgement{}
}

// judgeUnsupported is the judgement of a question of whose evidence nothing carries the answer.
func judgeUnsupported(q *schemas.Question) pipeline.Judgement {
	if len(q.Evidence) == 0 {
		return judgeNoEvidence()
	}
	return pipeline.Insufficient.Because("no-evidence", "its evidence is what wrong answers come from; what its right answer %.60q rests on stands nowhere", view.Proposed(q))
}

// requireAnswer wants a question with an answer that can be put for a check.
func requireAnswer(_ Definition, q *schemas.Question) pipeline.Judgement {
	if view.Proposed(q) == "" {
		return pipeline.Insufficient.Because("no-answer", "it has no answer in words that could be checked")
	}
	return pipeline.Judgement{}
}

func requireOptions(d Definition, q *schemas.Question) (j pipeline.Judgement) {
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
	case len(q.Options) > maxRotations:
		return pipeline.NotApplicable.Because("too-many-options", "it has %d options, and there are letters for %d", len(q.Options), maxRotations)
	}
	return j
}

// hidesParts reports a view of parts of the evidence, that asks what these are for.
func hidesParts(kind string) bool {
	switch kind {
	case view.Only, view.Without, view.OnlySource, view.WithoutModality, view.StaleOnly:
		return true
	}
	return false
}

func expandView(kind string, q *schemas.Question) []string {
	var arguments []string
	switch kind {
	case view.Only, view.Without:
		for _, place := range view.JudgedPieces(q) {
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

// otherKindCodes are the codes of a view for items that it is not made for: nothing
// is missing of them that a better item of their kind would have.
var otherKindCodes = []string{"no-picture", "no-text", "no-video", "bare-caption"}

func judgeMissing(err error) pipeline.Judgement {
	var l *view.MissingError
	if !errors.As(err, &l) {
		return pipeline.GateError.Because("no-such-view", "%v", err)
	}
	if slices.Contains(otherKindCodes, l.Code) {
		return pipeline.NotApplicable.Because(l.Code, "%s", l.Reason)
	}
	return pipeline.Insufficient.Because(l.Code, "%s", l.Reason)
}

func judgeNoEvidence() pipeline.Judgement {
	return pipeline.Insufficient.Because("no-evidence", "it names no evidence that its answer rests on")
}

func requireSources(q *schemas.Question) (none pipeline.Judgement) {
	sources := view.Sources(q)
	switch {
	case view.CountPieces(q) == 0:
		return judgeNoEvidence()
	case len(sources) == 0:
		return pipeline.Insufficient.Because("no-source", "its evidence names no source")
	case len(sources) == 1:
		return pipeline.Fail.Because("one-source", "all of its evidence is from the source %q", sources[0])
	}
	return none
}

// requireJoined wants several pieces that do not contradict each other.
func requireJoined(q *schemas.Question) (none pipeline.Judgement) {
	switch {
	case view.CountPieces(q) == 0:
		return judgeNoEvidence()
	case view.HasOverride(q):
		return withRelabel(pipeline.Fail.Because("not-monotonic", "an update overrides an earlier piece of its evidence"), schemas.ReasonEvolving)
	case view.CountPieces(q) == 1:
		return withRelabel(pipeline.Fail.Because("single-suffices", "it has one piece of evidence only"), schemas.ReasonSingle)
	}
	return none
}

// requireEvolving wants a later piece that overrides an earlier one.
func requireEvolving(q *schemas.Question) (none pipeline.Judgement) {
	switch n := view.CountPieces(q); {
	case n == 0:
		return judgeNoEvidence()
	case view.HasOverride(q):
		return none
	case n == 1:
		return withRelabel(pipeline.Fail.Because("no-override", "it has one piece of evidence only"), schemas.ReasonSingle)
	}
	return pipeline.Fail.Because("no-override", "none of its evidence is an update that stands after what it overrides")
}

func relabelJoined(views int, _ []schemas.Probe) map[string]string {
	if views < 2 {
		return nil
	}
	return reasoningLabel(schemas.ReasonJoined)
}

func reasoningLabel(value string) map[string]string {
	return map[string]string{schemas.LabelReasoning: value}
}

func withRelabel(j pipeline.Judgement, value string) pipeline.Judgement {
	j.Relabel = reasoningLabel(value)
	return j
}
