package format

import (
	"cmp"
	"encoding/json"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// Sample is the file of a question. No other place names its keys: once the published
// form is known, the names change here.
type Sample struct {
	ID          string            `json:"id"`
	Environment string            `json:"environment"`
	Capability  string            `json:"capability"`
	Task        string            `json:"task"`
	Arrangement string            `json:"arrangement,omitempty"`
	Required    string            `json:"required_sources,omitempty"`
	Preference  string            `json:"preference,omitempty"`
	Fact        string            `json:"fact,omitempty"`
	Sources     []string          `json:"sources"`
	Question    string            `json:"question"`
	Images      []string          `json:"question_images,omitempty"`
	Options     map[string]string `json:"options,omitempty"`
	Tools       []Tool            `json:"tools,omitempty"`
	Answer      json.RawMessage   `json:"answer"`
	Evidence    []Evidence        `json:"evidence"`
	// Sufficient are the sets of evidence of which each is enough, by order, where there are
	// several.
	Sufficient [][]int32 `json:"sufficient,omitempty"`
}

// Tool is one that may be called, with its schema as JSON, not as text.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// Evidence is a piece, by the source and the turn where it stands.
type Evidence struct {
	Source   string `json:"source"`
	Turn     string `json:"turn"`
	Order    int32  `json:"order"`
	Role     string `json:"role"`
	Modality string `json:"modality"`
	Text     string `json:"text,omitempty"`
	Image    string `json:"image,omitempty"`
	Caption  string `json:"caption,omitempty"`
}

// The shapes of a source's file.
type (
	sourceFile struct {
		ID           string     `json:"id"`
		Environment  string     `json:"environment"`
		Kind         string     `json:"kind"`
		Title        string     `json:"title,omitempty"`
		Participants []string   `json:"participants"`
		Turns        []turnFile `json:"turns"`
	}
	turnFile struct {
		ID string `json:"id"`
		// Position is the turn's place in the stream of all sources of its environment.
		Position int64       `json:"position"`
		Time     string      `json:"time"`
		Speaker  string      `json:"speaker,omitempty"`
		Text     string      `json:"text,omitempty"`
		Images   []imageFile `json:"images,omitempty"`
	}
	imageFile struct {
		Handle  string `json:"handle"`
		Path    string `json:"path"`
		Caption string `json:"caption,omitempty"`
	}
)

// newSample returns the sample of a question, without what only sources tell: their ids,
// and the paths of pictures.
func newSample(q schemas.Question) (Sample, error) {
	t, _ := taskOf(q.Labels[labelTask])
	s := Sample{
		ID: q.QuestionID, Environment: q.TaskID, Capability: t.capability, Task: t.label, Arrangement: q.Labels[labelArrangement], Required: q.Labels[labelSources],
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
	for _, t := range q.Tools {
		s.Tools = append(s.Tools, Tool{t.Name, t.Description, json.RawMessage(t.Parameters)})
	}
	orders := map[int32]int32{}
	for i, e := range citedPieces(q) {
		orders[e.Order] = int32(i + 1)
		s.Evidence = append(s.Evidence, Evidence{Turn: e.Ref, Order: int32(i + 1), Role: e.Role, Modality: cmp.Or(e.Modality, schemas.ModalityText), Text: e.Text, Caption: e.Caption})
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
