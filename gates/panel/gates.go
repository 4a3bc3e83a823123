package panel

import (
	"slices"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// Roles of a panel: two models, and one that checks evidence.
const (
	roleA     = "panel_a"
	roleB     = "panel_b"
	roleJudge = "judge"
)

// form is what is asked.
type form int

const (
	// formAnswer asks for an option; a call is right when it is the answer.
	formAnswer form = iota
	// formSupport asks whether the evidence shown establishes the answer; a call
	// is right when it says yes.
	formSupport
)

// definition is one gate.
type definition struct {
	name, summary string
	// label is the reasoning that items must be labelled with; empty for all.
	label string
	form  form
	// options is the fewest an item must have.
	options int
	// view is the kind of view to ask under: one, or one for each piece, source
	// or modality. least is the fewest that tell anything, few the code of an
	// item with fewer.
	view  string
	least int
	few   string
	// controls are views that the full protocol alone asks under.
	controls []string
	// pictures says that the views may show some.
	pictures bool

	roles           []string
	rotations, runs int

	// byModel asks one model all it is asked under a view before the next.
	byModel bool

	flagged func([]protocol.Calls) protocol.Rule
	// code and told say what it means that the rule holds; %s in told stands for
	// the views under which calls were right.
	code, told string
	// settled judges what follows from the item's evidence alone, or is nil.
	settled func(*schemas.Question) *pipeline.Judgement
	// relabel is the reasoning that fits an item which the rule flags under so
	// many views, or empty.
	relabel func(views int) string
	// clean is the chance that a call about a sound item is right, for forecasts.
	clean float64
}

// Chances of a right call: of who cannot know and of who can.
const (
	blind  = 0.25
	seeing = 0.95
)

// fewestOptions of an item that a guess must not get right.
const fewestOptions = 3

// definitions are the gates. Roles, rotations and runs are the papers' where
// they say so.
func definitions() []definition {
	return slices.Concat(bypasses(), solvability(), necessities(), taxonomy())
}

// panelOfTwo completes a gate in which two models answer four placements of the
// options.
func panelOfTwo(d definition) definition {
	d.roles, d.rotations, d.runs = []string{roleA, roleB}, 4, 1
	if d.options == 0 {
		d.options = fewestOptions
	}
	if d.flagged == nil {
		d.flagged = robustUnderSome
	}
	if d.clean == 0 {
		d.clean = blind
	}
	return d
}

// bypasses flag what the whole panel finds without what it should need.
func bypasses() []definition {
	const found = "the whole panel finds the answer in every placement of the options with %s shown: "
	return []definition{
		panelOfTwo(definition{
			name: "option-only", summary: "nobody finds the answer from question and options alone (MemEye A.4)",
			view: view.None, code: "option-leak", told: found + "question and options give it away",
		}),
		panelOfTwo(definition{
			name: "text-only", summary: "nobody finds the answer from the clues' texts without pictures (MemEye A.4)",
			view: view.Text, code: "text-leak", told: found + "the texts give it away",
		}),
		panelOfTwo(definition{
			name: "caption-bypass", summary: "nobody finds the answer when pictures are replaced by their rough kind (MemEye A.4)",
			view: view.MinimalCaption, code: "caption-leak", told: found + "the pictures are not needed",
		}),
		panelOfTwo(definition{
			name: "single-frame-bypass", summary: "nobody finds the answer from one picture of the video",
			view: view.SingleFrame, pictures: true, code: "single-frame", told: found + "the video is not needed",
		}),
	}
}

// solvability flags what cannot be found, or does not follow, from all there is.
func solvability() []definition {
	return []definition{
		panelOfTwo(definition{
			name: "oracle", summary: "somebody finds the answer when all evidence is shown (MemEye A.4)", options: 2,
			view: view.Oracle, pictures: true, flagged: unsolved, byModel: true, clean: seeing,
			code: "unsolved", told: "no model of the panel is right more often than by chance with all evidence shown",
		}),
		judged(definition{
			name: "correctness", summary: "the evidence establishes the answer (SMMBench B.6)",
			view: view.Oracle, flagged: yesUnderNone, clean: seeing,
			code: "not-established", told: "most judgements say that all evidence together does not establish the answer",
		}),
	}
}

// judged completes a gate in which one model says three times whether the
// evidence shown establishes the answer.
func judged(d definition) definition {
	d.form, d.pictures, d.roles, d.rotations, d.runs = formSupport, true, []string{roleJudge}, 1, 3
	if d.flagged == nil {
		d.flagged, d.clean = yesUnderSome, 1-seeing
	}
	return d
}

// necessities flag items of which a part suffices that should not.
func necessities() []definition {
	const established = "most judgements say that the answer is established with %s shown"
	alone := func(d definition) definition {
		d = panelOfTwo(d)
		d.roles, d.pictures, d.told = []string{roleA}, true, "the answer is found in every placement of the options with %s shown"
		return d
	}
	return []definition{
		judged(definition{
			name: "evidence-necessity", summary: "without any one piece of evidence the answer is not established (SMMBench B.6)",
			view: view.Without, least: 2, few: "one-piece", code: "redundant-evidence", told: established,
		}),
		judged(definition{
			name: "source-necessity", summary: "no one source establishes the answer (SMMBench 3.1)",
			view: view.OnlySource, settled: severalSources, code: "one-source", told: established,
		}),
		alone(definition{
			name: "modality-necessity", summary: "without any one modality nobody finds the answer (SMMBench B.3)",
			view: view.WithoutModality, least: 2, few: "one-modality", code: "spare-modality",
		}),
		alone(definition{
			name: "answerable-alone", summary: "nobody finds the answer from one piece of evidence (SMMBench B.3)",
			view: view.Only, least: 2, few: "one-piece", code: "answerable-alone",
		}),
	}
}

// taxonomy holds the label of an item's reasoning against its evidence.
func taxonomy() []definition {
	const found = "the whole panel finds the answer in every placement of the options with %s shown"
	return []definition{
		panelOfTwo(definition{
			name: "taxonomy-y1", summary: "of an item labelled Y1 one piece of evidence suffices (MemEye A.4)", label: schemas.ReasonSingle,
			view: view.Only, pictures: true, flagged: robustUnderNone, clean: seeing, relabel: severalAreJoined,
			code: "not-single", told: "with no single piece of evidence the whole panel finds the answer in every placement of the options",
		}),
		panelOfTwo(definition{
			name: "taxonomy-y2", summary: "of an item labelled Y2 no single piece of evidence suffices (MemEye A.4)", label: schemas.ReasonJoined,
			view: view.Only, pictures: true, settled: joined, relabel: func(int) string { return schemas.ReasonSingle },
			code: "single-suffices", told: found,
		}),
		panelOfTwo(definition{
			name: "taxonomy-y3", summary: "of an item labelled Y3 outdated evidence does not give the answer (MemEye A.4, D.5)", label: schemas.ReasonEvolving,
			view: view.StaleOnly, controls: []string{view.LatestOnly}, pictures: true, settled: evolving,
			code: "stale-gives-answer", told: found + ": what holds at the end is not needed",
		}),
	}
}

// Rules over the calls of each view.

func robustUnderSome(views []protocol.Calls) protocol.Rule {
	var some protocol.Any
	for _, c := range views {
		some = append(some, protocol.RobustSuccess(c))
	}
	return some
}

func robustUnderNone(views []protocol.Calls) protocol.Rule {
	return protocol.Not{Rule: robustUnderSome(views)}
}

// chanceLevel is the share of right answers up to which an item is unsolved.
const chanceLevel = 0.25

func unsolved(views []protocol.Calls) protocol.Rule {
	var every protocol.All
	for _, c := range views {
		every = append(every, protocol.Unsolved(c, chanceLevel))
	}
	return every
}

// yesUnderSome holds when under some view more than half of the judgements say
// yes.
func yesUnderSome(views []protocol.Calls) protocol.Rule {
	var some protocol.Any
	for _, c := range views {
		some = append(some, protocol.Majority(c, c.Len()/2+1))
	}
	return some
}

func yesUnderNone(views []protocol.Calls) protocol.Rule {
	return protocol.Not{Rule: yesUnderSome(views)}
}
