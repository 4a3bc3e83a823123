package format

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/testkit/scorertest"
	"github.com/memforge/memforge/schemas"
)

// budget is a task of two sessions: the budget is set, a joke is made about it, and it
// is raised; nothing is said of a dog.
func budget() ([]schemas.Question, []schemas.Session) {
	turn := func(session, id, text string) schemas.Turn {
		return schemas.Turn{TurnID: id, SessionID: session, Order: 1, Role: schemas.TurnUser, Text: text}
	}
	sessions := []schemas.Session{
		{SessionID: "t/S01", TaskID: "t", Order: 1, Turns: []schemas.Turn{turn("t/S01", "t/S01/T01", "The budget of the fair is ten thousand euros."), turn("t/S01", "t/S01/T02", "Mara paints the hall yellow.")}, Points: []schemas.MemoryPoint{
			{MemoryID: "mp_S01_001", SessionID: "t/S01", Content: "The budget is ten thousand euros.", Importance: 0.75, EvidenceTurns: []string{"t/S01/T01"}},
			{MemoryID: "mp_S01_002", SessionID: "t/S01", Content: "Mara paints the hall yellow.", Importance: 0.25, EvidenceTurns: []string{"t/S01/T02"}},
			{MemoryID: "mp_S01_003", SessionID: "t/S01", Content: "Mara paints her boss green.", IsInterference: true, Resembles: "mp_S01_002"},
		}},
		{SessionID: "t/S02", TaskID: "t", Order: 2, Turns: []schemas.Turn{turn("t/S02", "t/S02/T01", "After the sponsor signed, fifteen thousand may be spent.")}, Points: []schemas.MemoryPoint{
			{MemoryID: "mp_S02_001", SessionID: "t/S02", Content: "Fifteen thousand may be spent.", Importance: 1, IsUpdate: true, UpdateType: schemas.UpdateRevise, Supersedes: []string{"mp_S01_001"}, EvidenceTurns: []string{"t/S02/T01"}},
		}},
	}
	clue := func(role, session, turn string) schemas.Evidence {
		return schemas.Evidence{Kind: schemas.EvidenceTurn, Role: role, Ref: turn, SessionID: session}
	}
	questions := []schemas.Question{
		{QuestionID: "q1", TaskID: "t", AnswerText: "fifteen thousand euros", Labels: map[string]string{LabelAxis: "DU"}, Evidence: []schemas.Evidence{clue(schemas.RoleSuperseded, "t/S01", "t/S01/T01"), clue(schemas.RoleUpdate, "t/S02", "t/S02/T01")}},
		{QuestionID: "q2", TaskID: "t", AnswerText: "yellow", Labels: map[string]string{LabelAxis: "FR"}, Evidence: []schemas.Evidence{clue(schemas.RoleClue, "t/S01", "t/S01/T02"), clue(schemas.RoleClue, "t/S02", "t/S02/T01")}},
		{QuestionID: "q3", TaskID: "t", AnswerText: Unmentioned, Labels: map[string]string{LabelAxis: AxisBoundary}},
	}
	return questions, sessions
}

// second is a task with one question, so that means over tasks and over questions differ.
func second() ([]schemas.Question, []schemas.Session) {
	return []schemas.Question{{QuestionID: "q4", TaskID: "u", AnswerText: "a parrot", Labels: map[string]string{LabelAxis: "FR"}}},
		[]schemas.Session{{SessionID: "u/S01", TaskID: "u"}}
}

func both() []instance {
	q1, s1 := budget()
	q2, s2 := second()
	return groupInstances(append(q1, q2...), append(s2, s1...))
}

func line(t *testing.T, s score.Scores, name string) figure {
	t.Helper()
	for _, l := range s.(figures).Lines {
		if l.Name == name {
			return l
		}
	}
	t.Fatalf("no figure %s in %+v", name, s)
	return figure{}
}

func check(t *testing.T, s score.Scores, want map[string]figure) {
	t.Helper()
	for name, w := range want {
		got := line(t, s, name)
		if math.Abs(got.Value-w.Value) > 1e-9 || got.Count != w.Count {
			t.Errorf("%s is %v of %d, want %v of %d", name, got.Value, got.Count, w.Value, w.Count)
		}
	}
}

func TestAnswersAreScored(t *testing.T) {
	answers := map[string]string{"q1": "It is fifteen thousand euros.", "q2": "I don't know.", "q3": "A dog called Rex.", "q4": "a parrot"}
	for variant, want := range map[string]map[string]figure{
		// Task t: one of three right, task u: one of one. Types: FR is 0 of 1 and 1 of 1;
		// the averages of the tasks are 1/3 and 1.
		VariantPaper: {"accuracy": {Value: (1.0/3 + 1) / 2, Count: 4}, "wrong": {Value: 1.0 / 6, Count: 4}, "abstained": {Value: 1.0 / 6, Count: 4}, "accuracy, FR": {Value: 0.5, Count: 2}, "accuracy, DU": {Value: 1, Count: 1}, "accuracy, MB": {Value: 0, Count: 1}, "accuracy, mean of types": {Value: 2.0 / 3, Count: 4}},
		// Pooled, two of four are right.
		VariantUpstream: {"accuracy": {Value: 0.5, Count: 4}, "wrong": {Value: 0.25, Count: 4}, "abstained": {Value: 0.25, Count: 4}, "accuracy, mean of types": {Value: 0.5, Count: 4}},
	} {
		got, err := answerScorer{instances: both()}.Score(answers, score.Options{Variant: variant})
		if err != nil {
			t.Fatal(err)
		}
		check(t, got, want)
		if f := got.(figures); f.Judge != judgeNone || len(f.Empty) != 7 || f.Empty[0].Name != "QA-C" {
			t.Errorf("the judge is %q, and of the paper's figures these are empty: %v", f.Judge, f.Empty)
		}
	}
	var missing *score.MissingError
	delete(answers, "q4")
	if _, err := (answerScorer{instances: both()}).Score(answers, score.Options{}); !errors.As(err, &missing) || missing.IDs[0] != "q4" {
		t.Errorf("a question without answer: %v", err)
	}
}

// TestAnswersNameOptions by their keys or words, and by no likeness of words.
func TestAnswersNameOptions(t *testing.T) {
	q := evalQuestion{answer: "red, then green, then blue", key: "B", options: []schemas.Option{
		{Key: "A", Text: "green, then red, then blue"}, {Key: "B", Text: "red, then green, then blue"}, {Key: "C", Text: "not mentioned in the conversation"}, {Key: "D", Text: "red"},
	}}
	for answer, want := range map[string]string{
		"B": Correct, " B ": Correct, "(B)": Correct, "B.": Correct, "**B**": Correct, "B. red, then green, then blue": Correct, "Red, then green, then blue!": Correct,
		"I think it was red, then green, then blue.": Correct,
		"A": Hallucination, "D": Hallucination, "E": Hallucination, "b": Hallucination, "green, then red, then blue": Hallucination, "A big red one": Hallucination,
		"Either red, then green, then blue, or green, then red, then blue": Hallucination,
		"C": Omission, "": Omission, "I do not know.": Omission,
	} {
		if got := labelByRule(q, answer); got != want {
			t.Errorf("%q is %s, want %s", answer, got, want)
		}
	}
	for answer, want := range map[string]string{" A ": "green, then red, then blue", "B": q.answer, "E": "E", "yellow": "yellow"} {
		if got := q.words(answer); got != want {
			t.Errorf("%q is %q, want %q", answer, got, want)
		}
	}
}

// TestKeysDecide for each of the eleven types.
func TestKeysDecide(t *testing.T) {
	var questions []schemas.Question
	for _, axis := range Axes() {
		for i := range 6 {
			q := schemas.Question{QuestionID: fmt.Sprint(axis.Short, i), TaskID: fmt.Sprint("t", i%2), Type: "lifelong_" + strings.ToLower(axis.Short), Labels: map[string]string{LabelAxis: axis.Short}}
			// Options that a comparison of words takes for each other.
			options := []schemas.Option{{Text: "the red boat"}, {Text: "red boat, the"}, {Text: "boat red"}, {Text: schemas.AnswerNone}}
			right := (i + i/4) % 4
			if axis.Short == AxisBoundary {
				options[right], options[3] = options[3], options[right]
			}
			options[right].Role = schemas.RoleCorrect
			q.SetOptions(options...)
			questions = append(questions, q)
		}
	}
	scorertest.Run(t, scorertest.Subject{
		Scorer: Answers(), Questions: questions,
		Open: func(of []schemas.Question) (score.QuestionSet, error) {
			return answerScorer{instances: groupInstances(of, nil)}, nil
		},
		Accuracy: func(s score.Scores) (float64, error) {
			for _, l := range s.(figures).Lines {
				if l.Name == "accuracy" {
					return l.Value, nil
				}
			}
			return 0, errors.New("no accuracy")
		},
	})
}

// TestLabelsOfAJudge: what a judge says counts, and a question that it says nothing of
// counts in the denominators of upstream alone.
func TestLabelsOfAJudge(t *testing.T) {
	answers := map[string]string{"q1": "x", "q2": "x", "q3": "x", "q4": "x", "q1#judge": Correct, "q2#judge": Omission, "q4#judge": Correct}
	for variant, want := range map[string]figure{VariantPaper: {Value: 0.75, Count: 3}, VariantUpstream: {Value: 0.5, Count: 4}} {
		got, err := answerScorer{instances: both()}.Score(answers, score.Options{Variant: variant})
		if err != nil {
			t.Fatal(err)
		}
		check(t, got, map[string]figure{"QA-C": want})
		if len(got.Warnings()) != 1 || !strings.Contains(got.Warnings()[0], "1 answers have no label") {
			t.Errorf("warned of %q", got.Warnings())
		}
	}
	answers["q3#judge"] = "maybe"
	if _, err := (answerScorer{instances: both()}).Score(answers, score.Options{}); err == nil || !strings.Contains(err.Error(), "q3") {
		t.Errorf("a label that is none: %v", err)
	}
}

func retrieved(t *testing.T, items ...score.Retrieved) string {
	t.Helper()
	data, err := json.Marshal(items)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRetrievalIsScored(t *testing.T) {
	stale := score.Retrieved{ID: "m1", Text: "Budget: ten thousand euros", SessionID: "t/S01"}
	fresh := score.Retrieved{ID: "m2", Text: "Fifteen thousand may be spent, Mara said", TurnIDs: []string{"t/S02/T01"}}
	hall := score.Retrieved{ID: "x-MP_s01_002", Text: "no word of it"}
	answers := map[string]string{"q1": retrieved(t, stale, fresh), "q2": retrieved(t, stale, hall, fresh), "q3": retrieved(t), "q4": retrieved(t)}
	at2, at3 := 1/math.Log2(3), 1/math.Log2(4)
	for variant, want := range map[string]map[string]figure{
		VariantPaper: {
			// q1: the fresh budget at rank 2; q2: S01 at 1 by its session, S02 at 3.
			"Recall@1": {Value: (0 + 0.5) / 2, Count: 2}, "Recall@5": {Value: 1, Count: 2},
			// q3 and q4 have no evidence: 0. Task t: mean of three, task u: 0.
			"NDCG@1": {Value: (0 + 1 + 0) / 3.0 / 2, Count: 4},
			"NDCG@5": {Value: (at2 + (1+at3)/(1+at2) + 0) / 3 / 2, Count: 4},
			// The words of both are there for q1; for q2 those of the hall are not.
			"evidence covered by words": {Value: (1 + 0.5) / 2, Count: 2},
		},
		VariantUpstream: {
			// Rank 2 counts as much as rank 1, rank 3 is 1/log2(3); all four pooled.
			"NDCG@5": {Value: (1 + (1+1/math.Log2(3))/2) / 4, Count: 4},
			// Questions without evidence are 0.
			"Recall@1": {Value: 0.5 / 4, Count: 4}, "Recall@5": {Value: 2.0 / 4, Count: 4},
		},
	} {
		got, err := retrievalScorer{both()}.Score(answers, score.Options{Variant: variant})
		if err != nil {
			t.Fatal(err)
		}
		check(t, got, want)
	}
	answers["q1"] = "nothing"
	if _, err := (retrievalScorer{both()}).Score(answers, score.Options{}); err == nil || !strings.Contains(err.Error(), "q1") {
		t.Errorf("no list of items: %v", err)
	}
}

// TestAnySufficientSetIsCredited: a question rests on two pieces, the second of which another
// can stand for. Either set is found whole; half of each is half; upstream knows the first.
func TestAnySufficientSetIsCredited(t *testing.T) {
	q, s := budget()
	q = q[1:2]
	q[0].Evidence = append(q[0].Evidence, schemas.Evidence{Kind: schemas.EvidenceTurn, Role: schemas.RoleAlternative, Ref: "t/S01/T01", SessionID: "t/S01"})
	for i := range q[0].Evidence {
		q[0].Evidence[i].Order = int32(i + 1)
	}
	q[0].Labels[schemas.LabelSufficient] = "1 2|1 3"
	hall := score.Retrieved{ID: "mp_S01_002"}
	late, early := score.Retrieved{ID: "mp_S02_001"}, score.Retrieved{ID: "mp_S01_001"}
	for name, tc := range map[string]struct {
		found           []score.Retrieved
		paper, upstream float64
	}{
		"first set":   {[]score.Retrieved{hall, late}, 1, 1},
		"second set":  {[]score.Retrieved{hall, early}, 1, 0.5},
		"ends of two": {[]score.Retrieved{late, early}, 0.5, 0.5},
		"all":         {[]score.Retrieved{hall, early, late}, 1, 1},
		"nothing":     {nil, 0, 0},
	} {
		for variant, want := range map[string]float64{VariantPaper: tc.paper, VariantUpstream: tc.upstream} {
			got, err := retrievalScorer{groupInstances(q, s)}.Score(map[string]string{"q2": retrieved(t, tc.found...)}, score.Options{Variant: variant})
			if err != nil {
				t.Fatal(err)
			}
			if r := line(t, got, "Recall@10").Value; r != want {
				t.Errorf("%s, %s: recall %v, want %v", name, variant, r, want)
			}
			if gain := line(t, got, "NDCG@10").Value; (gain == 1) != (want == 1) && name != "all" {
				t.Errorf("%s, %s: gain %v beside recall %v", name, variant, gain, want)
			}
		}
	}
	cases, err := retrievalScorer{groupInstances(q, s)}.Cases(map[string]string{"q2": retrieved(t, hall, early)})
	if err != nil || len(cases) != 1 || !slices.Equal(cases[0].Subjects, []string{"Mara paints the hall yellow.", "The budget is ten thousand euros."}) {
		t.Errorf("a judge looks for %+v, %v", cases, err)
	}
}

// TestOneItemCountsOnce: an item that matches two pieces of evidence is gain for one, and has
// both upstream.
func TestOneItemCountsOnce(t *testing.T) {
	evidence := []goldPiece{{name: "mp_S01_001"}, {name: "mp_S01_002"}}
	items := []foundItem{newFoundItem("", nil, []string{"S01"}), newFoundItem("", nil, []string{"S01"})}
	if got := ndcg(items, evidence, 5, VariantPaper); math.Abs(got-1) > 1e-9 {
		t.Errorf("NDCG %v, want 1", got)
	}
	if got := ndcg(items, evidence, 5, VariantUpstream); math.Abs(got-0.5) > 1e-9 {
		t.Errorf("NDCG %v upstream, want 1/2", got)
	}
	if got := recallAt(items[:1], evidence, 5); got != 1 {
		t.Errorf("recall %v, want 1", got)
	}
}

// TestCoverageOfAJudge is the share that it says, in the figure of the paper.
func TestCoverageOfAJudge(t *testing.T) {
	answers := map[string]string{"q1": retrieved(t), "q2": retrieved(t), "q3": retrieved(t), "q4": retrieved(t), "q1#judge": "1", "q2#judge": "0.5"}
	got, err := retrievalScorer{both()}.Score(answers, score.Options{Variant: VariantPaper})
	if err != nil {
		t.Fatal(err)
	}
	check(t, got, map[string]figure{"RC": {Value: 0.75, Count: 2}})
	answers["q1#judge"] = "1.5"
	if _, err := (retrievalScorer{both()}).Score(answers, score.Options{}); err == nil || !strings.Contains(err.Error(), "q1") {
		t.Errorf("a share above 1: %v", err)
	}
}

// TestPointsThatAQuestionNames stand for what it cites.
func TestPointsThatAQuestionNames(t *testing.T) {
	q, s := budget()
	q[0].Labels[LabelPoints] = "mp_S02_001 mp_S01_001"
	got := groupInstances(q, s)[0].questions[0].evidence
	if len(got) != 2 || got[1] != (goldPiece{name: "mp_S01_001", session: "S01", content: "The budget is ten thousand euros."}) {
		t.Errorf("evidence %v", got)
	}
}

func TestWhatIsNearlyTheSame(t *testing.T) {
	for _, tc := range []struct {
		said, gold string
		want       bool
	}{
		{"We heard that the budget is 12 thousand.", "The budget is 12 thousand", true},
		{"budget is 340 euros", "budget is 410 euros", true}, // three of four: why updates should differ in more
		{"budget 340", "budget is 410 euros", false},
		{"anything", "", false},
		{"it costs 3.5 euros", "costs 3.5", true},
		{"it costs 35 euros", "costs 3.5", false},
	} {
		if got := textSays(tc.said, tc.gold); got != tc.want {
			t.Errorf("%q says %q: %v", tc.said, tc.gold, got)
		}
	}
}
