package audit_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/audit"
	"github.com/memforge/memforge/schemas"
)

// asked are questions whose options are drawn at random.
func asked(n int) []schemas.Question {
	rnd := rand.New(rand.NewPCG(1, 1))
	things := strings.Fields("kettle ladder lantern violin saucer hammer basket mirror pillow bucket anchor candle")
	qs := make([]schemas.Question, n)
	for i := range qs {
		q := schemas.Question{
			QuestionID: fmt.Sprintf("q%04d", i), TaskID: fmt.Sprintf("t%04d", i), Split: "test", Media: []string{fmt.Sprint("m", i)},
			Question: fmt.Sprintf("In the video titled %d, what is picked up after the %s?", rnd.IntN(1e9), things[rnd.IntN(12)]),
		}
		for o, at := range rnd.Perm(len(things))[:4] {
			q.Options = append(q.Options, schemas.Option{Key: schemas.Letter(o), Text: things[at]})
		}
		q.AnswerKey, q.AnswerText = q.Options[i%4].Key, q.Options[i%4].Text
		qs[i] = q
	}
	return qs
}

func TestCensusOfDifferentQuestions(t *testing.T) {
	if got := audit.TakeCensus(asked(1000)); got.Questions != 1000 || got.Facts != 1000 || got.Across != 0 || len(got.Near) != 0 {
		t.Errorf("census: %+v", got)
	}
}

// The copy of a question is no near-duplicate but the same fact, be it under
// another task and in another split; what differs in a word is one.
func TestCensus(t *testing.T) {
	qs := asked(100)
	for i := range qs {
		for word := range 40 {
			qs[i].Question += fmt.Sprintf(" word%d", word*(i+1))
		}
	}
	twin := qs[3]
	twin.QuestionID, twin.TaskID, twin.Split = "q9999", "t9999", "train"
	elsewhere := qs[5]
	elsewhere.QuestionID, elsewhere.TaskID, elsewhere.Media = "q9998", "t9998", []string{"other"}
	alike := qs[1]
	alike.QuestionID, alike.TaskID, alike.Options, alike.Question = "q9997", "t9997", slices.Clone(alike.Options), alike.Question+" Now!"
	slices.Reverse(alike.Options)
	leaked := qs[2]
	leaked.QuestionID, leaked.Split, leaked.Question = "q9996", "train", leaked.Question+" Now!"
	qs = append(qs, twin, elsewhere, alike, leaked)
	got := audit.TakeCensus(qs)
	if got.Questions != 104 || got.Facts != 103 || got.Across != 1 || len(got.Near) != 2 {
		t.Fatalf("census: %+v", got)
	}
	for i, want := range []audit.NearDuplicate{{"q0002", "q9996", got.Near[0].Similarity, "test", "train"}, {"q0001", "q9997", got.Near[1].Similarity, "test", "test"}} {
		if got.Near[i] != want || want.Similarity < 0.9 || want.Similarity == 1 || want.CrossesSplits() != (i == 0) {
			t.Errorf("near-duplicate %+v, want %+v", got.Near[i], want)
		}
	}
	slices.Reverse(qs)
	if again := audit.TakeCensus(qs); !reflect.DeepEqual(again, got) {
		t.Errorf("in another order: %+v", again)
	}
}
