package audit

import (
	"slices"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Items are the questions of a release as gates judged them.
type Items struct {
	released map[string]*schemas.Question
	// flagged has the forms that were not released, by id.
	flagged map[string][]*schemas.FlaggedQuestion
}

// ItemsOf indexes the questions of a release, which must not change afterwards.
func ItemsOf(c release.Contents) *Items {
	t := &Items{released: map[string]*schemas.Question{}, flagged: map[string][]*schemas.FlaggedQuestion{}}
	for i := range c.Questions {
		t.released[c.Questions[i].QuestionID] = &c.Questions[i]
	}
	for i := range c.Flagged {
		id := c.Flagged[i].Question.QuestionID
		t.flagged[id] = append(t.flagged[id], &c.Flagged[i])
	}
	return t
}

// Question is an item in the form that a gate judged, nil where it is no
// question that the release holds.
func (t *Items) Question(item, gate string) *schemas.Question {
	for _, f := range t.flagged[item] {
		if slices.Contains(f.JudgedBy, gate) {
			return &f.Question
		}
	}
	return t.released[item]
}
