package review

import (
	"fmt"
	"strings"
	"testing"

	"github.com/memforge/memforge/schemas"
)

const proposedLine = `{"item":"q","annotator":"a","draw":"d","digest":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","changes":[{"field":"question","old":"What?","new":"Which?"}]}`

func TestWrongProposalsAreNamed(t *testing.T) {
	for change, want := range map[string]string{
		`"field":"question"->"field":"labels.x"`:                  "field \"labels.x\"",
		`"new":"Which?"->"new":"What?"`:                           "is not changed",
		`"new":"Which?"->"new":" "`:                               "without space",
		`"digest":"e3b0->"digest":"`:                              "want the digest",
		`"annotator":"a"->"annotator":""`:                         "annotator is",
		`"draw":"d"->"draw":"d","score":1`:                        "unknown field",
		`}]}->}],"note":5}`:                                       "want one JSON object",
		`"question","old":"What?"->"evidence.1.span","old":"1,2"`: "want two times",
		`"question","old":"What?","new":"Which?"->"evidence.1.span","old":"1,2","new":"5,3"`:   "proposal about q: field evidence.1.span",
		`"question","old":"What?","new":"Which?"->"evidence.1.span","old":"1,2","new":"-1,3"`:  "want two times",
		`"question","old":"What?","new":"Which?"->"evidence.1.span","old":"1,2","new":"NaN,3"`: "want two times",
		`[{->[{"field":"question","old":"x","new":"y"},{`:                                      "changed twice",
	} {
		old, text, _ := strings.Cut(change, "->")
		line := strings.Replace(proposedLine, old, text, 1)
		if _, err := ReadProposals("p.jsonl", []byte(proposedLine+"\n"+line)); line == proposedLine || err == nil || !strings.HasPrefix(err.Error(), "p.jsonl:2: ") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
}

// TestASpanLiesWithinItsFilm names the field and both lengths, or the film that is not known.
func TestASpanLiesWithinItsFilm(t *testing.T) {
	q := schemas.Question{Evidence: []schemas.Evidence{{Ref: "m#t=1,2"}, {Ref: "turn", Media: "n#t=1,2"}, {Ref: "p"}}}
	seconds := map[string]float64{"m": 5, "p": 0}
	for change, want := range map[string]string{
		"evidence.1.span 3,5": "", "evidence.1.span 3,5.009": "", "evidence.3.caption 9,99": "", "evidence.9.span 1,2": "", "question 9,99": "",
		"evidence.1.span 3,5.02": "evidence.1.span: the span ends at 5.02 s, its film at 5.00 s", "evidence.1.span 4,3": "want two times", "evidence.1.span Inf,NaN": "want two times",
		"evidence.2.span 1,2": "evidence.2.span: no length of its film n is known",
	} {
		field, value, _ := strings.Cut(change, " ")
		err := CheckSpans(q, []schemas.ProposedChange{{Field: field, New: value}}, seconds)
		if got := fmt.Sprint(err); (want == "") != (err == nil) || !strings.Contains(got, want) {
			t.Errorf("%s: %v, want %q", change, err, want)
		}
	}
}

func TestReadKeepsTheLastProposal(t *testing.T) {
	other := strings.Replace(proposedLine, `"annotator":"a"`, `"annotator":"b"`, 1)
	again := strings.Replace(proposedLine, "Which?", "Who?", 1)
	got, err := ReadProposals("p.jsonl", []byte(strings.Join([]string{proposedLine, other, "", again}, "\n")))
	if err != nil || len(got) != 2 || got[0].Annotator != "b" || got[1].Annotator != "a" || got[1].Changes[0].New != "Who?" {
		t.Errorf("%+v, %v; want b's proposal and a's second", got, err)
	}
}

func FuzzReadProposals(f *testing.F) {
	f.Add([]byte(proposedLine))
	q := schemas.Question{Question: "What?", Evidence: []schemas.Evidence{{Ref: "m#t=1,2", Caption: "c"}}}
	q.SetOptions(schemas.Option{Text: "a", Role: schemas.RoleCorrect}, schemas.Option{Text: "b"})
	f.Fuzz(func(t *testing.T, b []byte) {
		got, err := ReadProposals("f", b)
		for _, p := range got {
			if err == nil && CheckProposal(p) != nil {
				t.Errorf("%+v", p)
			}
			next, err := ApplyChanges(q, p.Changes)
			for _, c := range p.Changes {
				if now, ok := Field(&next, c.Field); err == nil && (!ok || now != c.New) {
					t.Errorf("%s is %q after %+v", c.Field, now, c)
				}
			}
		}
	})
}

// TestTheKeeperStaysOutOfAgreement leaves out the decisions of who knows the others'.
func TestTheKeeperStaysOutOfAgreement(t *testing.T) {
	rows := []schemas.Sampled{{Item: "q", Sample: "d", Schema: schemas.NameQuestion, Unit: "q", Selected: true, Keeper: "kim"}}
	said := []schemas.Review{{Item: "q", Sample: "d", Annotator: "ann"}, {Item: "q", Sample: "d", Annotator: "kim"}, {Item: "q", Sample: "e", Annotator: "kim"}}
	tables := Tables{
		Drawn:   func(yield func(schemas.Sampled) bool) { yield(rows[0]) },
		Reviews: func(yield func(schemas.Review) bool) { _ = yield(said[0]) && yield(said[1]) && yield(said[2]) },
	}
	if got := tables.Sampled(); len(got) != 2 || got[0].Annotator != "ann" || got[1].Sample != "e" {
		t.Errorf("%+v", got)
	}
}
