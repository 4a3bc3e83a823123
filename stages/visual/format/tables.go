package format

import (
	"github.com/memforge/memforge/pipeline/eval/tables"
)

// Tables are those of the paper that follow from a release and runs over it.
func Tables() tables.Set {
	return tables.Set{
		Name: "memeye", Variants: []string{VariantPaper, VariantUpstream}, Seed: sampleSeed, Check: checkRun, Warnings: findWarnings,
		Help: "A run is METHOD.SETTING=FILE, its answers as memforge score --format memeye has them. The setting says what stood for the pictures: " +
			"visual (they themselves), dense, task-aware or minimal (captions), none; latest and stale are the latest clue and those before it. " +
			"The method oracle, or one that begins with oracle-, is given the rounds of the clues. What the release's gates asked in choice form, all of it, counts as runs of oracle-MODEL. " +
			"Intervals are of 10,000 resamples of questions, rotations averaged first, paired, seed 20260430 (MemEye C.4).",
		Tables: []tables.TableKind{
			{Name: tableProof, Help: "what pictures add to dense captions, by place on the grid (B.1)", Make: makeTables((*study).captionProof)},
			{Name: tableOracle, Help: "with the clues given, by depth, and with and without pictures by granularity (B.2)", Make: makeTables((*study).oracleTables)},
			{Name: tableVisualInformation, Help: "no visual information, captions, pictures, with the clues given (D.3)", Make: makeTables((*study).visualInformation)},
			{Name: tableRobustness, Help: "pictures against dense and task-aware captions, on 40 and 80 drawn questions (D.2)", Make: makeTables((*study).captionRobustness)},
			{Name: tableEvolving, Help: "stale clues, the latest, all, and the methods, where an update is in pictures (D.5)", Make: makeTables((*study).evolvingTables)},
			{Name: tableMethods, Help: "methods that see pictures, two by two (C.4)", Make: makeTables((*study).compareMethods)},
			{Name: tableLabels, Help: "two models label 100 questions without pictures: kappa, confusion, disagreements (A.5)", Make: makeTables((*study).labelAudit), GateCalls: askLabels},
			{Name: tableHuman, Help: "people who are given the clues (B.3)", Make: makeTables((*study).humanTable)},
			{Name: tableJudge, Help: "people and the judge (C.2)", Make: makeTables((*study).judgeTable)},
		},
		Sheets: []tables.Sheet{
			{Name: tableHuman, Help: "36 questions with options, clues and pictures, to be answered", Make: makeSheet((*study).humanSheet)},
			{Name: tableJudge, Help: "predictions of the runs to 36 questions, 72 of two, to be accepted or rejected", Make: makeSheet((*study).judgeSheet)},
		},
	}
}

// findWarnings says what of a release the tables leave out.
func findWarnings(in tables.Inputs) ([]string, error) {
	s, err := newStudy(in)
	if err != nil {
		return nil, err
	}
	return s.notes, nil
}

func makeTables(of func(*study) ([]tables.Table, error)) func(tables.Inputs) ([]tables.Table, error) {
	return func(in tables.Inputs) ([]tables.Table, error) {
		s, err := newStudy(in)
		if err != nil {
			return nil, err
		}
		return of(s)
	}
}

func makeSheet(of func(*study) ([]any, error)) func(tables.Inputs) ([]any, error) {
	return func(in tables.Inputs) ([]any, error) {
		s, err := newStudy(in)
		if err != nil {
			return nil, err
		}
		return of(s)
	}
}

// askLabels are the gates of the audit of labels, and the questions drawn for it.
func askLabels(in tables.Inputs) (gates, questions []string, err error) {
	s, err := newStudy(tables.Inputs{Contents: in.Contents, Seed: in.Seed})
	if err != nil {
		return nil, nil, err
	}
	for _, axis := range axes() {
		gates = append(gates, labelGates()[axis])
	}
	return gates, s.sampleCells(tableLabels, labelSampleSize, labelSamplePerCell, allSubjects), nil
}
