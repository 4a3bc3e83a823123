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

// labelInput is what who labels an item sees: never evidence or pictures (MemEye
// A.5).
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

type labelGiven struct {
	Why   string `json:"why"`
	Value string `json:"value"`
}

// labels asks for the value of a label.
type labels struct {
	question
	label  string
	values []labelValue
}

// Labels asks which value of a label an item should have, of these with what each
// means; an answer is right when it is the value that the item has.
func Labels(label string, meanings map[string]string) Form {
	f := &labels{label: label, question: question{
		tasks: sync.OnceValues(func() ([]Task, error) { return all(NewTask[labelInput, labelGiven](taskLabel)) }), tokens: answerTokens,
		askable: func(_ Definition, q *schemas.Question) (none pipeline.Judgement) {
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

func (f *labels) labelOf(item *pipeline.Item) (name, value string) {
	q, err := f.question.question(item)
	if err != nil || q == nil {
		return f.label, ""
	}
	return f.label, q.Labels[f.label]
}

// Put implements Form.
func (f *labels) Put(_ Definition, _ Config, item *pipeline.Item, name string, rotation int) (Sheet, error) {
	q, err := f.question.question(item)
	if err != nil {
		return Sheet{}, err
	}
	if name != view.Labelling {
		return Sheet{}, fmt.Errorf("view %q: who labels an item is shown none but %s", name, view.Labelling)
	}
	in := labelInput{Question: q.Question, Answer: view.Proposed(q), Explanation: q.Explanation, Label: f.label, Values: f.values}
	in.Options = view.Choices(q, rotation)
	return Sheet{
		Content: in,
		Request: func(role string, _ [][]pipeline.Digest, _ Try) (pipeline.Request, error) {
			t, err := f.tasks()
			if err != nil {
				return pipeline.Request{}, err
			}
			return t[0].word(role, in, nil)
		},
		Read: func(text string) (answer, mark, reason string) {
			if answer, mark, reason = f.readValue(text); mark == "" {
				mark = right(answer == q.Labels[f.label])
			}
			return answer, mark, reason
		},
	}, nil
}

// Settle implements Form: there is one view, and it rests on no evidence.
func (f *labels) Settle(d Definition, c Config, item *pipeline.Item) ([]string, pipeline.Judgement) {
	if _, j := f.judged(d, c, item); j.Outcome != "" {
		return nil, j
	}
	return []string{view.Labelling}, pipeline.Judgement{}
}

// Reread implements Form.
func (f *labels) Reread(p schemas.Probe) error {
	answer, mark, _ := f.readValue(p.Response)
	return differs(p, answer, mark)
}

func (f *labels) readValue(text string) (answer, mark, reason string) {
	var given labelGiven
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return Unusable(model.CodeInvalid, "the response is no label")
	}
	if !slices.ContainsFunc(f.values, func(v labelValue) bool { return v.Value == given.Value }) {
		return Unusable(model.CodeInvalid, "%q is no value of the label %s", clean(given.Value), f.label)
	}
	return given.Value, "", ""
}

// labelling is a gate in which two models label the items: flagged is what neither
// labels as it is, and where they agree on a value, that is offered.
func labelling(f *labels, name, summary string) Definition {
	return Definition{
		Name: name, Version: "1", Summary: summary, Form: f, View: view.Labelling, Roles: []string{roleA, roleB}, Clean: seeing,
		Rule: func(views []protocol.Calls) protocol.Rule { return protocol.Unsolved(views[0], 0) },
		Code: "other-label", Told: "no model of the panel gives it the value of its label " + f.label,
		Relabel: func(_ int, probes []schemas.Probe) map[string]string {
			value := probes[0].Answer
			if value == "" || slices.ContainsFunc(probes, func(p schemas.Probe) bool { return p.Answer != value }) {
				return nil
			}
			return map[string]string{f.label: value}
		},
	}
}
