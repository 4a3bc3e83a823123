package format

import (
	"cmp"
	"encoding/json"

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
func newSample(q schemas.Question) Sample {
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
	for i, e := range q.Needed() {
		s.Evidence = append(s.Evidence, Evidence{Turn: e.Ref, Order: int32(i + 1), Role: e.Role, Modality: cmp.Or(e.Modality, schemas.ModalityText), Text: e.Text, Caption: e.Caption})
	}
	return s
}
