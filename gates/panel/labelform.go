package panel

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/memforge/memforge/gates/protocol"
	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// labelInput never has evidence or pictures (MemEye A.5).
type labelInput struct {
	Question    string        `json:"question"`
	Options     []view.Choice `json:"options,omitempty"`
	Answer      string        `json:"answer"`
	Explanation string        `json:"explanation,omitempty"`
	Label       string        `json:"label"`
	Values      []labelValue  `json:"values"`
}

type labelValue struct {
	Value   string `json:"value"`
	Meaning string `json:"meaning"`
}

type labelResponse struct {
	Why   string `json:"why"`
	Value string `json:"value"`
}

type labelForm struct {
	questionForm
	label  string
	values []labelValue
}

// Labels asks which value of a label an item should have, of these with what each
// means; an answer is right when it is the value that the item has.
func Labels(label string, meanings map[string]string) Form {
	f := &labelForm{label: label, questionForm: questionForm{
		jobs: sync.OnceValues(func() ([]Job, error) { return oneJob(NewJob[labelInput, labelResponse](jobLabel)) }), tokens: answerTokens,
		applies: func(_ Definition, q *schemas.Question) (none pipeline.Judgement) {
			switch value := q.Labels[label]; {
			case value == "":
				return pipeline.NotApplicable.Because("no-label", "it has no label %s", label)
			case meanings[value] == "":
				return pipeline.Insufficient.Because("no-such-value", "its label %s is %q, which is none of %q", label, value, slices.Sorted(maps.Keys(meanings)))
			}
			return none
		},
	}}
	for _, v := range slices.Sorted(maps.Keys(meanings)) {
		f.values = append(f.values, labelValue{v, meanings[v]})
	}
	return f
}

func (f *labelForm) itemLabel(item *pipeline.Item) (name, value string) {
	q, err := f.questionForm.questionOf(item)
	if err != nil || q == nil {
		return f.label, ""
	}
	return f.label, q.Labels[f.label]
}

// BuildPrompt implements Form.
func (f *labelForm) BuildPrompt(_ Definition, _ Config, item *pipeline.Item, name string, rotation int) (Prompt, error) {
	q, err := f.questionForm.questionOf(item)
	if err != nil {
		return Prompt{}, err
	}
	if name != view.Labelling {
		return Prompt{}, fmt.Errorf("view %q: who labels an item is shown none but %s", name, view.Labelling)
	}
	in := labelInput{Question: q.Question, Answer: view.Proposed(q), Explanation: q.Explanation, Label: f.label, Values: f.values}
	in.Options = view.Choices(q, rotation)
	return Prompt{
		Content: in,
		Request: func(role string, _ [][]pipeline.Digest, _ Attempt) (pipeline.Request, error) {
			t, err := f.jobs()
			if err != nil {
				return pipeline.Request{}, err
			}
			return t[0].render(role, in, nil)
		},
		Read: func(text string) (answer, mark, reason string) {
			if answer, mark, reason = f.readValue(text); mark == "" {
				mark = markFor(answer == q.Labels[f.label])
			}
			return answer, mark, reason
		},
	}, nil
}

// SelectViews implements Form: there is one view, and it rests on no evidence.
func (f *labelForm) SelectViews(d Definition, c Config, item *pipeline.Item) ([]string, pipeline.Judgement) {
	if _, j := f.applicableQuestion(d, c, item); j.Outcome != "" {
		return nil, j
	}
	return []string{view.Labelling}, pipeline.Judgement{}
}

// CheckProbe implements Form.
func (f *labelForm) CheckProbe(p schemas.Probe, _ []string) error {
	answer, mark, _ := f.readValue(p.Response)
	return compareProbe(p, answer, mark)
}

func (f *labelForm) readValue(text string) (answer, mark, reason string) {
	var given labelResponse
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return Unusable(model.CodeInvalid, "the response is no label")
	}
	if !slices.ContainsFunc(f.values, func(v labelValue) bool { return v.Value == given.Value }) {
		return Unusable(model.CodeInvalid, "%q is no value of the label %s", validText(given.Value), f.label)
	}
	return given.Value, "", ""
}

// labelGate flags what neither of two models labels as it is, and offers the value on which
// they agree.
func labelGate(f *labelForm, name, summary string) Definition {
	return Definition{
		Name: name, Version: "2", Summary: summary, Form: f, View: view.Labelling, Roles: []string{roleA, roleB}, CleanRate: seeingRate,
		Rule: func(views [][]protocol.Call) protocol.Rule { return protocol.Unsolved(views[0], 0) },
		Code: "other-label", Message: "no model of the panel gives it the value of its label " + f.label,
		Relabel: func(_ int, probes []schemas.Probe) map[string]string {
			value := probes[0].Answer
			if value == "" || slices.ContainsFunc(probes, func(p schemas.Probe) bool { return p.Answer != value }) {
				return nil
			}
			return map[string]string{f.label: value}
		},
	}
}
