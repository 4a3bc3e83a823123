package describe

import (
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// TestModelsAreNotPeople says on the card which annotators were models.
func TestModelsAreNotPeople(t *testing.T) {
	said := sampleSentence(review.Agreement{Draw: "review", Items: 3, Annotators: []string{"ann", schemas.ModelReviewer + "qwen"}})
	if !strings.Contains(said, "ann, model reviewer qwen decided") || !strings.Contains(said, "Of these 2 annotators 1 were models, not people.") {
		t.Error(said)
	}
	if said := sampleSentence(review.Agreement{Annotators: []string{"ann"}}); strings.Contains(said, "model") {
		t.Error(said)
	}
}
