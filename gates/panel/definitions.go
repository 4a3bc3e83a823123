package panel

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/schemas"
)

// Chances of a right call: of who cannot know and of who can.
const (
	blindRate  = 0.25
	seeingRate = 0.95
)

// fewestOptions of an item that a guess must not get right.
const fewestOptions = 3

// definitions follow the papers in roles, rotations and runs.
func definitions() []Definition {
	f := forms{Letter(), YesNo()}
	all := slices.Concat(f.bypassGates(), f.solvabilityGates(), f.necessityGates(), f.taxonomyGates())
	return append(append(append(all, unletteredGates(all)...), f.captionGates()...), shippedGate())
}

// Versions of the gates about options and evidence: of those that show all of it or
// none, and of those that hide some.
const (
	version       = "12"
	versionHiding = "13"
)

func versionOf(name string) string {
	switch name {
	case view.None, view.Oracle, view.SingleFrame:
		return version
	}
	return versionHiding
}

type forms struct{ letter, yesNo Form }

// byPanel completes a gate that asks two models in four orders of the options.
func (f forms) byPanel(d Definition) Definition {
	d.Form, d.Version = f.letter, versionOf(d.View)
	d.Roles, d.Rotations, d.Runs = []string{roleA, roleB}, 4, 1
	if d.Options == 0 {
		d.Options = fewestOptions
	}
	if d.Rule == nil {
		d.Rule = RobustUnderSome
	}
	if d.CleanRate == 0 {
		d.CleanRate = blindRate
	}
	return d
}

func (f forms) bypassGates() []Definition {
	const found = "the whole panel finds the answer in every placement of the options with %s shown: "
	return []Definition{
		f.byPanel(Definition{
			Name: "option-only", Summary: "nobody finds the answer from question and options alone (MemEye A.4)",
			View: view.None, Code: "option-leak", Message: found + "question and options give it away",
		}),
		f.byPanel(Definition{
			Name: "text-only", Summary: "nobody finds the answer from the clues' texts without pictures (MemEye A.4)",
			View: view.Text, Code: "text-leak", Message: found + "the texts give it away",
		}),
		f.byPanel(Definition{
			Name: "caption-bypass", Summary: "nobody finds the answer when pictures are replaced by their rough kind (MemEye A.4)",
			View: view.MinimalCaption, Code: "caption-leak", Message: found + "the pictures are not needed",
		}),
		f.byPanel(Definition{
			Name: "single-frame-bypass", Summary: "nobody finds the answer from one picture of the video",
			View: view.SingleFrame, Pictures: true, Code: "single-frame", Message: found + "the video is not needed",
		}),
	}
}

// captionGates ask what a solver finds from fuller captions (MemEye D.2).
func (f forms) captionGates() []Definition {
	out := []Definition{
		f.byPanel(Definition{Name: "dense-caption-bypass", Summary: "nobody finds the answer when pictures are replaced by captions (MemEye D.2)", View: view.DenseCaption}),
		f.byPanel(Definition{Name: "task-aware-caption-bypass", Summary: "nobody finds the answer when pictures are replaced by captions of all that may be asked (MemEye D.2)", View: view.TaskAwareCaption}),
	}
	for i := range out {
		out[i].Version, out[i].Code, out[i].Message = "5", "caption-leak", "the whole panel finds the answer in every placement of the options with %s shown: the pictures are not needed"
	}
	return out
}

func (f forms) solvabilityGates() []Definition {
	return []Definition{
		f.oracleGate(),
		f.byJudge(Definition{
			Name: "correctness", Summary: "the evidence establishes the answer, and nothing beside it another (SMMBench B.6)",
			View: view.Oracle, Rule: yesUnderNone, CleanRate: seeingRate, Rest: true,
			Code: "not-established", Message: "most judgements say that all evidence together does not establish the answer",
		}),
	}
}

func (f forms) oracleGate() Definition {
	out := f.byPanel(Definition{
		Name: "oracle", Summary: "somebody finds the answer when all evidence is shown (MemEye A.4)", Options: 2,
		View: view.Oracle, Pictures: true, Rule: Unsolved, ByModel: true, CleanRate: seeingRate, NeedsAbility: true,
		Code: "unsolved", Message: "no model of the panel is right more often than by chance with all evidence shown",
	})
	out.Version = "13"
	return out
}

// byJudge completes a gate that asks one model three times whether the evidence establishes
// the answer.
func (f forms) byJudge(d Definition) Definition {
	d.Form, d.Version = f.yesNo, versionOf(d.View)
	d.Pictures, d.Roles, d.Rotations, d.Runs = true, []string{roleJudge}, 1, 3
	if d.Rule == nil {
		d.Rule, d.CleanRate = yesUnderSome, 1-seeingRate
	}
	return d
}

// necessityGates flag items of which a part suffices that should not.
func (f forms) necessityGates() []Definition {
	const established = "most judgements say that the answer is established with %s shown"
	alone := func(d Definition) Definition {
		d = f.byPanel(d)
		d.Roles, d.Pictures, d.Message = []string{roleA}, true, "the answer is found in every placement of the options with %s shown"
		return d
	}
	return []Definition{
		f.byJudge(Definition{
			Name: "evidence-necessity", Summary: "without any one piece of evidence the answer is not established (SMMBench B.6)",
			View: view.Without, MinViews: 2, TooFewCode: "one-piece", Code: "redundant-evidence", Message: established,
		}),
		f.byJudge(Definition{
			Name: "source-necessity", Summary: "no one source establishes the answer (SMMBench 3.1)",
			View: view.OnlySource, Precheck: precheckQuestion(requireSources), Code: "one-source", Message: established,
		}),
		alone(Definition{
			Name: "modality-necessity", Summary: "without any one modality nobody finds the answer (SMMBench B.3)",
			View: view.WithoutModality, MinViews: 2, TooFewCode: "one-modality", Code: "spare-modality",
		}),
		alone(Definition{
			Name: "answerable-alone", Summary: "nobody finds the answer from one piece of evidence (SMMBench B.3)",
			View: view.Only, MinViews: 2, TooFewCode: "one-piece", Code: "answerable-alone",
		}),
	}
}

// taxonomyGates holds the label of an item's reasoning against its evidence.
func (f forms) taxonomyGates() []Definition {
	const found = "the whole panel finds the answer in every placement of the options with %s shown"
	return []Definition{
		f.byPanel(Definition{
			Name: "taxonomy-y1", Summary: "of an item labelled Y1 one piece of evidence suffices (MemEye A.4)", Labels: reasoningLabel(schemas.ReasonSingle), OneView: true,
			View: view.Only, Pictures: true, Rule: robustUnderNone, CleanRate: seeingRate, Relabel: relabelJoined,
			Code: "not-single", Message: "with no single piece of evidence the whole panel finds the answer in every placement of the options",
		}),
		f.byPanel(Definition{
			Name: "taxonomy-y2", Summary: "of an item labelled Y2 no single piece of evidence suffices (MemEye A.4)", Labels: reasoningLabel(schemas.ReasonJoined),
			View: view.Only, Pictures: true, Precheck: precheckQuestion(requireJoined), Relabel: func(int, []schemas.Probe) map[string]string { return reasoningLabel(schemas.ReasonSingle) },
			Code: "single-suffices", Message: found,
		}),
		f.byPanel(Definition{
			Name: "taxonomy-y3", Summary: "of an item labelled Y3 outdated evidence does not give the answer (MemEye A.4, D.5)", Labels: reasoningLabel(schemas.ReasonEvolving),
			View: view.StaleOnly, Controls: []string{view.LatestOnly}, Pictures: true, Precheck: precheckQuestion(requireEvolving),
			Code: "stale-gives-answer", Message: found + ": what holds at the end is not needed",
		}),
	}
}

// unletteredGates are the gates about what a solver finds, with a call or words for a letter,
// and the audits of labels.
func unletteredGates(lettered []Definition) []Definition {
	forms := []struct {
		suffix, told string
		form         Form
	}{{"-call", ", answering by a call", Call()}, {"-open", ", answering in words", Open()}}
	names := []string{"option-only", "text-only", "caption-bypass", "oracle", "modality-necessity", "answerable-alone"}
	var out []Definition
	for _, f := range forms {
		for _, d := range lettered {
			if !slices.Contains(names, d.Name) {
				continue
			}
			d.Name, d.Version, d.Form, d.Options, d.Rotations = d.Name+f.suffix, "5", f.form, 0, 1
			if d.View == view.None {
				d.Version = "4"
			}
			d.Summary, d.Message = d.Summary+f.told, strings.ReplaceAll(d.Message, " in every placement of the options", "")
			if d.CleanRate != seeingRate {
				d.CleanRate = 1 - seeingRate
			}
			out = append(out, d)
		}
	}
	return append(out, labelGates()...)
}

// labelGates audit the two labels of MemEye's taxonomy, each by itself.
func labelGates() []Definition {
	x := Labels(schemas.LabelGranularity, map[string]string{
		schemas.GrainScene:    "the gist decides: what kind of scene it is, or what goes on in it",
		schemas.GrainRegion:   "a place decides: what is where in a part of the picture, or how things there lie to each other, and no one of several alike must be told from the others",
		schemas.GrainInstance: "which one decides: one thing or person must be told from others that are alike, or known again in another picture",
		schemas.GrainPixel:    "a detail decides: small text, an exact colour, a marking, a texture or a count",
	})
	y := Labels(schemas.LabelReasoning, map[string]string{
		schemas.ReasonSingle:   "one piece of evidence suffices for the answer",
		schemas.ReasonJoined:   "several pieces of evidence must be put together, and none contradicts another",
		schemas.ReasonEvolving: "something changes: evidence is overridden by later evidence, and what holds at the end decides",
	})
	return []Definition{
		labelGate(x.(*labelForm), "label-granularity", "who sees question, answer and explanation labels how fine the evidence is the same (MemEye A.5)"),
		labelGate(y.(*labelForm), "label-reasoning", "who sees question, answer and explanation labels the reasoning the same (MemEye A.5)"),
	}
}

// Rules over the calls of each view.

// RobustUnderSome holds when under some view every model is right on all calls.
func RobustUnderSome(views [][]protocol.Call) protocol.Rule {
	var some protocol.Any
	for _, c := range views {
		some = append(some, protocol.RobustSuccess(c))
	}
	return some
}

func robustUnderNone(views [][]protocol.Call) protocol.Rule {
	return protocol.Not{Rule: RobustUnderSome(views)}
}

// chanceLevel is the share of right answers up to which an item is unsolved.
const chanceLevel = 0.25

// Unsolved holds when no model is right more often than by chance.
func Unsolved(views [][]protocol.Call) protocol.Rule {
	var every protocol.All
	for _, c := range views {
		every = append(every, protocol.Unsolved(c, chanceLevel))
	}
	return every
}

// yesUnderSome holds when more than half of the judgements under some view say yes.
func yesUnderSome(views [][]protocol.Call) protocol.Rule {
	var some protocol.Any
	for _, c := range views {
		some = append(some, protocol.Majority(c, len(c)/2+1))
	}
	return some
}

func yesUnderNone(views [][]protocol.Call) protocol.Rule {
	return protocol.Not{Rule: yesUnderSome(views)}
}
