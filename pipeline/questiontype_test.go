package pipeline_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
)

type typedConfig struct {
	Types []string `json:"types"`
}

// TestDefaultsFollowWhatIsDeclared, also what is declared after them.
func TestDefaultsFollowWhatIsDeclared(t *testing.T) {
	r := pipeline.NewRegistry()
	frozen := func(t pipeline.QuestionType) bool { return t.Frozen }
	pipeline.AddGate(r, "g", "1", "", func(typedConfig) (pipeline.Gate, error) { return nil, nil }, func(c *typedConfig) { c.Types = r.TypesWhere(frozen) })
	for _, t := range []pipeline.QuestionType{{Name: "riddle", Frozen: true}, {Name: "quiz", Form: "riddle"}, {Name: "maze", Frozen: true}} {
		r.AddQuestionType(t)
	}
	p, _ := r.Plugin(pipeline.KindGate, "g")
	if got := p.NewConfig().(*typedConfig).Types; !slices.Equal(got, []string{"maze", "riddle"}) {
		t.Errorf("by default %v", got)
	}
	if f := r.Forms(); len(f) != 1 || f["quiz"] != "riddle" {
		t.Errorf("forms %v", f)
	}
	if err := r.Err(); err != nil {
		t.Error(err)
	}
}

func TestAQuestionTypeIsDeclaredOnceAndHasAName(t *testing.T) {
	r := pipeline.NewRegistry()
	r.AddQuestionType(pipeline.QuestionType{Name: "riddle", Frozen: true})
	r.AddQuestionType(pipeline.QuestionType{Name: "riddle"})
	r.AddQuestionType(pipeline.QuestionType{})
	err := r.Err()
	if err == nil || !strings.Contains(err.Error(), `"riddle": the name is taken`) || !strings.Contains(err.Error(), "it needs a name") {
		t.Errorf("%v", err)
	}
	if all := r.QuestionTypes(); len(all) != 1 || !all[0].Frozen {
		t.Errorf("%+v", all)
	}
}

// TestAFamilyExplainsItsNamesOnce: what reviewers are asked about a label explains its values.
func TestAFamilyExplainsItsNamesOnce(t *testing.T) {
	r := pipeline.NewRegistry()
	r.Explain("maps", pipeline.Terms{Says: "maps", Labels: map[string]string{"scale": "how large"}})
	r.AddReviewCriteria("maps", pipeline.ReviewCriterion{Key: "scale", Label: "scale", Values: []pipeline.LabelValue{{Value: "S1", Says: "a town"}}})
	r.AddReviewCriteria("plain", pipeline.ReviewCriterion{Key: "natural"})
	want := map[string]pipeline.Terms{"maps": {Says: "maps", Labels: map[string]string{"scale": "how large", "scale=S1": "a town"}}}
	if got := r.Terms(); !reflect.DeepEqual(got, want) || r.Err() != nil {
		t.Errorf("%+v, %v", got, r.Err())
	}
	r.Explain("maps", pipeline.Terms{})
	if err := r.Err(); err == nil || !strings.Contains(err.Error(), `explain family "maps"`) {
		t.Errorf("%v", err)
	}
}
