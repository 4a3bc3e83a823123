package pipeline_test

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

func TestMadeKeepsOrderAndErrors(t *testing.T) {
	var m pipeline.RecordBuilder
	if got, err := m.Records(); len(got) != 0 || err != nil {
		t.Errorf("nothing made: %v, %v", got, err)
	}
	m.Add("a", "2", 2)
	m.Add("a", "1", 1)
	got, err := m.Records()
	if err != nil || len(got) != 2 || got[0].ID != "2" || got[1].ID != "1" {
		t.Errorf("%v, %v", got, err)
	}
	m.Add("a", "", 3)
	m.Add("a", "4", func() {})
	if got, err := m.Records(); got != nil || err == nil || strings.Count(err.Error(), "record") < 2 {
		t.Errorf("two records that cannot be made: %v, %v", got, err)
	}
}

func TestOfferLettersOptions(t *testing.T) {
	q := schemas.Question{Question: "Where?", AnswerKey: "D", AnswerText: "old"}
	options := []schemas.Option{{Key: "Z", Text: "oven", Role: schemas.RoleDistractor}, {Text: "sink", Role: schemas.RoleCorrect}}
	q.SetOptions(options...)
	if q.AnswerKey != "B" || q.AnswerText != "sink" || q.Options[0].Key != "A" || q.QuestionMCQ != "Where?\nA. oven\nB. sink" {
		t.Errorf("%+v", q)
	}
	if options[0].Key != "Z" {
		t.Error("the given options were changed")
	}
}
