package format

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// Sample is a question with its evidence, from a release or from published folders.
type Sample struct {
	ID          string
	Environment string
	Task        string
	Arrangement string
	Required    string // how many sources its evidence stands in
	Preference  string
	Fact        string
	Question    string
	Options     map[string]string
	Answer      json.RawMessage
	Evidence    []Evidence
	// Sufficient are the sets of evidence of which each is enough, by order, where there are
	// several.
	Sufficient [][]int32
}

// Evidence is a piece, by the turn where it stands.
type Evidence struct {
	Turn     string
	Order    int32
	Role     string
	Modality string
	Text     string
}

// newSample returns the sample of a question of a release.
func newSample(q schemas.Question) (Sample, error) {
	s := Sample{
		ID: q.QuestionID, Environment: q.TaskID, Task: q.Labels[labelTask], Arrangement: q.Labels[labelArrangement], Required: q.Labels[labelSources],
		Preference: q.Labels[labelPreference], Fact: q.Labels[schemas.LabelFact], Question: q.Question, Answer: json.RawMessage(q.AnswerCall),
	}
	if q.AnswerCall == "" {
		s.Answer = json.RawMessage(`"` + q.AnswerKey + `"`)
	}
	for _, o := range q.Options {
		if s.Options == nil {
			s.Options = map[string]string{}
		}
		s.Options[o.Key] = o.Text
	}
	orders := map[int32]int32{}
	for i, e := range citedPieces(q) {
		orders[e.Order] = int32(i + 1)
		s.Evidence = append(s.Evidence, Evidence{Turn: e.Ref, Order: int32(i + 1), Role: e.Role, Modality: cmp.Or(e.Modality, schemas.ModalityText), Text: e.Text})
	}
	if q.Labels[schemas.LabelSufficient] == "" {
		return s, nil
	}
	sets, err := q.NeededSets()
	for _, set := range sets {
		var places []int32
		for _, e := range set {
			places = append(places, orders[e.Order])
		}
		s.Sufficient = append(s.Sufficient, places)
	}
	return s, err
}

// citedPieces returns the evidence of the answer, and what can stand in its place where sets
// say so.
func citedPieces(q schemas.Question) []schemas.Evidence {
	if q.Labels[schemas.LabelSufficient] == "" {
		return q.Needed()
	}
	return slices.DeleteFunc(slices.Clone(q.Evidence), func(e schemas.Evidence) bool { return e.Role == schemas.RoleDistractor })
}

// sufficient returns the sets of evidence of which each is enough.
func (s Sample) sufficient() [][]Evidence {
	if len(s.Sufficient) == 0 {
		return [][]Evidence{s.Evidence}
	}
	out := make([][]Evidence, len(s.Sufficient))
	for n, places := range s.Sufficient {
		for _, at := range places {
			out[n] = append(out[n], s.Evidence[at-1])
		}
	}
	return out
}
