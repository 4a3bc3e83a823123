package defects_test

import (
	"slices"

	"github.com/memforge/memforge/pipeline/testkit/defects"
	"github.com/memforge/memforge/schemas"
)

// chain lists the gates that ask, the cheapest on clean items first.
var chain = []string{
	"option-only", "text-only", "caption-bypass", "single-frame-bypass", "taxonomy-y3", "oracle", "correctness",
	"modality-necessity", "answerable-alone", "taxonomy-y2", "source-necessity", "evidence-necessity", "taxonomy-y1",
}

// only names the types that a gate is for, where it is not for all: what rests
// on one piece is from one source.
var only = map[string][]string{"source-necessity": {defects.Joined, defects.Evolving}}

// violates says which gates a defect violates, by the logic of the defect and
// not by what the gates were seen to do. A defect that stands here with several
// has them all: what options give away is found under every view, and what one
// piece says alone makes the others redundant.
func violates(it defects.Item) []string {
	gates := slices.Clone(violated[it.Defect])
	byForm := map[string]map[string][]string{
		// Whoever rules out all other options needs no picture, no second piece and
		// no update. The judge is not shown options.
		defects.OptionLeak: {
			defects.Joined: {"taxonomy-y2", "answerable-alone"}, defects.Evolving: {"taxonomy-y3"},
		},
		// Where one piece is all there is, what all does not answer no piece does.
		defects.Unsolvable:      {defects.Single: {"taxonomy-y1"}},
		defects.TwoRightOptions: {defects.Single: {"taxonomy-y1"}},
		defects.WrongGold:       {defects.Single: {"taxonomy-y1"}},
	}
	return append(gates, byForm[it.Defect][it.Form]...)
}

var violated = map[string][]string{
	defects.OptionLeak: {"option-only", "text-only", "caption-bypass", "modality-necessity"},
	// The texts are what is left without pictures, and without images.
	defects.TextLeak:    {"text-only", "caption-bypass", "modality-necessity"},
	defects.CaptionLeak: {"caption-bypass"},
	// What cannot be found cannot be established.
	defects.Unsolvable:   {"oracle", "correctness"},
	defects.OpenEvidence: {"oracle", "correctness"},
	defects.WrongGold:    {"oracle", "correctness"},
	// Established, but two options say it.
	defects.TwoRightOptions: {"oracle"},
	// Found by what the options have in common, not established.
	defects.Ungrounded: {"correctness"},
	defects.Redundant:  {"evidence-necessity"},
	// One piece for all is one source for all, and leaves the other redundant.
	defects.SingleSufficient: {"taxonomy-y2", "answerable-alone", "evidence-necessity", "source-necessity"},
	defects.AnsweredAlone:    {"answerable-alone"},
	defects.NoSingle:         {"taxonomy-y1"},
	defects.OneModality:      {"modality-necessity"},
	// One source for all leaves the pieces of the others redundant.
	defects.OneSourceEnough: {"source-necessity", "evidence-necessity"},
	defects.OneSourceOnly:   {"source-necessity"},
	// What is overridden suffices, and it is all from one source.
	defects.StaleGold:  {"taxonomy-y3", "source-necessity"},
	defects.NoOverride: {"taxonomy-y3"},
	// The outdated is the last word.
	defects.UpdateFirst: {"taxonomy-y3", "oracle", "correctness"},
	// The update is all from one source. Nothing is redundant: what an update
	// overrides is context and not counted among the pieces.
	defects.UpdateAlone: {"source-necessity"},
	defects.SingleFrame: {"single-frame-bypass"},
}

// shouldFlag says of each item whether a gate should flag it.
func shouldFlag(items []defects.Item, gate string) []bool {
	out := make([]bool, len(items))
	for i, it := range items {
		out[i] = slices.Contains(violates(it), gate)
	}
	return out
}

// flags says of each item whether a gate flagged it.
func (j judged) flags() []bool {
	out := make([]bool, len(j.verdicts))
	for i, v := range j.verdicts {
		out[i] = v.Outcome == schemas.Fail
	}
	return out
}
