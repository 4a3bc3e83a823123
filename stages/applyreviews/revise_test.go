package applyreviews

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/pipeline/testkit"
	"github.com/memforge/memforge/schemas"
)

// posed is a question with two options about a span of a video.
func posed(id, mirror string) schemas.Question {
	q := schemas.Question{QuestionID: id, Type: "a", Question: "What is the colour?", Labels: map[string]string{}, Explanation: "It is seen.",
		Evidence: []schemas.Evidence{{Kind: schemas.EvidenceMedia, Ref: "m" + id + "#t=1.00,2.00", Role: schemas.RoleClue, Order: 1, Caption: "a cup"}}}
	if mirror != "" {
		q.Labels[schemas.LabelMirror] = mirror
	}
	q.SetOptions(schemas.Option{Text: "red", Role: schemas.RoleCorrect}, schemas.Option{Text: "blue", Role: schemas.RoleDistractor})
	return q
}

func change(field, old, text string) schemas.ProposedChange {
	return schemas.ProposedChange{Field: field, Old: old, New: text}
}

func proposal(t *testing.T, q schemas.Question, by string, changes ...schemas.ProposedChange) schemas.Proposal {
	t.Helper()
	d, err := review.ContentDigest(q)
	if err != nil {
		t.Fatal(err)
	}
	return schemas.Proposal{Item: q.QuestionID, Annotator: by, Sample: "review", Digest: string(d), Changes: changes}
}

// revise runs review.revise over questions and proposals. Lost maps ids to codes.
func revise(t *testing.T, keeper string, qs []schemas.Question, ps ...schemas.Proposal) (out map[string]schemas.Question, lost map[string]string) {
	t.Helper()
	var made pipeline.RecordBuilder
	for _, q := range qs {
		made.Add(schemas.NameQuestion, q.QuestionID, q)
	}
	for i, p := range ps {
		made.Add(schemas.NameProposal, fmt.Sprint("p", i), p)
	}
	for _, q := range qs {
		made.Add(schemas.NameMedia, "m"+q.QuestionID, schemas.Media{MediaID: "m" + q.QuestionID, Kind: schemas.ModalityVideo, Duration: 5})
	}
	in, err := made.Records()
	if err != nil {
		t.Fatal(err)
	}
	recs, gone, err := testkit.Subject{Register: Register, Use: "review.revise", Config: &ReviseConfig{keeper}, Inputs: in}.Run(t)
	if err != nil {
		t.Fatal(err)
	}
	out, lost = map[string]schemas.Question{}, map[string]string{}
	for _, r := range recs {
		if out[r.ID], err = pipeline.Decode[schemas.Question](r); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range gone {
		if !r.Flagged {
			t.Errorf("%s counts as a loss", r.ID)
		}
		lost[r.ID] = r.Code
	}
	return out, lost
}

func TestReviseConforms(t *testing.T) {
	q := posed("q0", "")
	a, err := pipeline.NewRecord(schemas.NameQuestion, "q0", q)
	b, err2 := pipeline.NewRecord(schemas.NameProposal, "p0", proposal(t, q, "ann", change("question", q.Question, "Which colour is it?")))
	if err != nil || err2 != nil {
		t.Fatal(err, err2)
	}
	s := testkit.Subject{Register: Register, Use: "review.revise", Config: &ReviseConfig{}, Inputs: []pipeline.Record{a, b}, Golden: goldenRevise}
	testkit.ConformStage(t, s)
	s.CheckSpoiledInput(t, pipeline.KindStage, "spoiled-question", 0)
	s.CheckSpoiledInput(t, pipeline.KindStage, "spoiled-proposal", 1)
}

const goldenRevise = "2 480491814675aac817242db5617be97c977b945543b045f4ec65bab88e005cf8"

// TestProposalsChangeQuestions changes words in all copies, a span in one question only.
func TestProposalsChangeQuestions(t *testing.T) {
	q0, q1, q2 := posed("q0", "m"), posed("q1", "m"), posed("q2", "")
	out, lost := revise(t, "", []schemas.Question{q0, q1, q2}, proposal(t, q0, "ann",
		change("question", q0.Question, "Which colour is it?"), change("options.A", "red", "crimson"), change("evidence.1.span", "1.00,2.00", "1.50,2.50")),
		proposal(t, q2, "bea", change("evidence.1.caption", "a cup", "a red cup")))
	if len(out) != 3 || lost["q0"] != CodeReworded || lost["q1"] != CodeReworded || lost["q2"] != CodeReworded {
		t.Fatalf("%v, lost %v", out, lost)
	}
	for id, q := range out {
		from := q.Labels[schemas.LabelProposalOf]
		if !strings.HasPrefix(id, from+"-p") || q.QuestionID != id {
			t.Errorf("%s is of %q", id, from)
		}
		words, span := q.QuestionMCQ == "Which colour is it?\nA. crimson\nB. blue" && q.AnswerText == "crimson", q.Evidence[0].Ref
		switch from {
		case "q0":
			if !words || span != "mq0#t=1.50,2.50" || q.Labels[schemas.LabelProposedBy] != "ann" {
				t.Errorf("%+v", q)
			}
		case "q1":
			if !words || span != "mq1#t=1.00,2.00" {
				t.Errorf("%+v", q)
			}
		case "q2":
			if words || q.Evidence[0].Caption != "a red cup" || q.Labels[schemas.LabelProposedBy] != "bea" {
				t.Errorf("%+v", q)
			}
		}
	}
}

func TestProposalsThatDoNotFit(t *testing.T) {
	q := posed("q0", "")
	word := func(text string) schemas.ProposedChange { return change("question", q.Question, text) }
	stale := proposal(t, q, "ann", word("Which?"))
	stale.Digest = strings.Repeat("0", 64)
	gone := proposal(t, posed("q9", ""), "ann", word("Which?"))
	strange := posed("q0", "")
	strange.Evidence[0].Ref = "other#t=1.00,2.00"
	for name, tc := range map[string]struct {
		keeper string
		given  []schemas.Proposal
		want   string // words of the question
		lost   map[string]string
	}{
		"another form":    {"", []schemas.Proposal{stale}, q.Question, map[string]string{"p0": CodeStaleProposal}},
		"no question":     {"", []schemas.Proposal{gone}, q.Question, map[string]string{"p0": CodeStaleProposal}},
		"same options":    {"", []schemas.Proposal{proposal(t, q, "ann", change("options.A", "red", "Blue"))}, q.Question, map[string]string{"p0": CodeStaleProposal}},
		"not agreed":      {"", []schemas.Proposal{proposal(t, q, "ann", word("One?")), proposal(t, q, "bea", word("Two?"))}, q.Question, map[string]string{"p0": CodeProposalsDiffer, "p1": CodeProposalsDiffer}},
		"beyond the film": {"", []schemas.Proposal{proposal(t, q, "ann", change("evidence.1.span", "1.00,2.00", "4.00,5.50"))}, q.Question, map[string]string{"p0": CodeSpanOutside}},
		"backwards":       {"", []schemas.Proposal{proposal(t, q, "ann", change("evidence.1.span", "1.00,2.00", "2.00,1.00"))}, q.Question, map[string]string{"p0": CodeSpanOutside}},
		"no number":       {"", []schemas.Proposal{proposal(t, q, "ann", change("evidence.1.span", "1.00,2.00", "NaN,NaN"))}, q.Question, map[string]string{"p0": CodeSpanOutside}},
		"negative":        {"", []schemas.Proposal{proposal(t, q, "ann", change("evidence.1.span", "1.00,2.00", "-1.00,1.00"))}, q.Question, map[string]string{"p0": CodeSpanOutside}},
		"unknown film":    {"", []schemas.Proposal{proposal(t, strange, "ann", change("evidence.1.span", "1.00,2.00", "1.00,1.50"))}, q.Question, map[string]string{"p0": CodeSpanOutside}},
		"keeper settles":  {"kim", []schemas.Proposal{proposal(t, q, "ann", word("One?")), proposal(t, q, "kim", word("Two?"))}, "Two?", map[string]string{"q0": CodeReworded}},
		"agreed":          {"", []schemas.Proposal{proposal(t, q, "ann", word("One?")), proposal(t, q, "bea", word("One?"))}, "One?", map[string]string{"q0": CodeReworded}},
	} {
		asked := q
		if tc.given[0].Digest == proposal(t, strange, "").Digest {
			asked = strange
		}
		out, lost := revise(t, tc.keeper, []schemas.Question{asked}, tc.given...)
		if fmt.Sprint(lost) != fmt.Sprint(tc.lost) {
			t.Errorf("%s: lost %v, want %v", name, lost, tc.lost)
		}
		for _, got := range out {
			if len(out) != 1 || got.Question != tc.want {
				t.Errorf("%s: %q, want %q", name, got.Question, tc.want)
			}
		}
	}
}

// TestAChangedQuestionMayBeChangedAgain names the form that the first proposal gave.
func TestAChangedQuestionMayBeChangedAgain(t *testing.T) {
	q := posed("q0", "")
	first := proposal(t, q, "ann", change("question", q.Question, "Which colour is it?"))
	out, _ := revise(t, "", []schemas.Question{q}, first)
	for _, next := range out {
		out, lost := revise(t, "", []schemas.Question{q}, first, proposal(t, next, "bea", change("question", next.Question, "Which colour?")))
		for id, got := range out {
			if got.Question != "Which colour?" || !strings.HasPrefix(id, next.QuestionID+"-p") || got.Labels[schemas.LabelProposedBy] != "ann, bea" || len(lost) != 1 {
				t.Errorf("%s: %+v, lost %v", id, got, lost)
			}
		}
	}
}

// TestSomebodyElseAcceptsAProposal leaves a changed question open until it is decided about
// by others than who proposed the change, whether or not it was drawn.
func TestSomebodyElseAcceptsAProposal(t *testing.T) {
	c := config(0.1, refuse)
	c.Annotators = 1
	in := collection(t, all()...)
	changed := posed("q3-p0", "")
	changed.Type, changed.Labels[schemas.LabelProposalOf], changed.Labels[schemas.LabelProposedBy] = "a", "q3", "ann"
	r, err := pipeline.NewRecord(schemas.NameQuestion, "q3-p0", changed)
	if err != nil {
		t.Fatal(err)
	}
	in = append(slices.DeleteFunc(in, func(r pipeline.Record) bool { return r.ID == "q3" }), r)
	decided := func(by string) pipeline.Record {
		r, err := pipeline.NewRecord(schemas.NameReview, "r9"+by, schemas.Review{Item: "q3-p0", Annotator: by, Sample: "review", Decision: schemas.DecisionAccept})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	in = append(in, decided("ann"))
	if _, _, err := run(t, c, in); err == nil || !strings.Contains(err.Error(), "q3-p0") {
		t.Errorf("nobody else accepted it: %v", err)
	}
	out, lost, err := run(t, c, append(in, decided("bea")))
	if err != nil || len(out) != 8 || len(lost) != 1 || lost[0].Code != CodeOwnProposal {
		t.Errorf("%d questions, lost %v, %v", len(out), lost, err)
	}
}

// TestTheKeeperSettles lets one decision stand against the others.
func TestTheKeeperSettles(t *testing.T) {
	c := config(1, refuse)
	decisions := append(all(), "q0 kim reject", "q1 cid reject", "q1 dan reject")
	c.Keeper = "kim"
	out, lost, err := run(t, c, collection(t, append(decisions, "q1 kim accept")...))
	if err != nil || len(out) != 7 || len(lost) != 1 || lost[0].ID != "q0" || lost[0].Reason != "kim, who settles disputes, decided so" {
		t.Errorf("%d questions, lost %v, %v", len(out), lost, err)
	}
	if _, _, err := run(t, c, collection(t, decisions...)); err == nil || !strings.Contains(err.Error(), "1 are disputed") {
		t.Errorf("two against two: %v", err)
	}
}

// TestCopiesShareWordsAlone: a change of how a video is shown leaves the copies of a question as they
// are, and a change of words leaves questions that are no copies.
func TestCopiesShareWordsAlone(t *testing.T) {
	for name, tc := range map[string]struct {
		mirror string
		change schemas.ProposedChange
		want   string // of q1
	}{
		"words of a copy":     {"m", change("question", "What is the colour?", "Which colour is it?"), "Which colour is it?"},
		"evidence of a copy":  {"m", change("evidence.1.caption", "a cup", "a mug"), "q1 What is the colour?"},
		"words of another":    {"", change("question", "What is the colour?", "Which colour is it?"), "q1 What is the colour?"},
		"evidence of another": {"", change("evidence.1.caption", "a cup", "a mug"), "q1 What is the colour?"},
	} {
		q0, q1 := posed("q0", tc.mirror), posed("q1", tc.mirror)
		out, _ := revise(t, "", []schemas.Question{q0, q1}, proposal(t, q0, "ann", tc.change))
		got := ""
		for id, q := range out {
			if id == "q1" {
				got = "q1 " + q.Question
			} else if strings.HasPrefix(id, "q1-p") {
				got = q.Question
			}
		}
		if got != tc.want || len(out) != 2 {
			t.Errorf("%s: %q of %d questions, want %q", name, got, len(out), tc.want)
		}
	}
}
