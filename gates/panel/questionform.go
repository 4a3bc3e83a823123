package panel

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Tasks of the forms.
const (
	jobAnswer        = "gate.answer"
	jobSupport       = "gate.support"
	jobContradiction = "gate.contradiction"
)

// passage is what a model is shown of a piece of evidence.
type passage = view.NumberedPassage

// answerInput is a question put for an answer; Pictures counts the images. Form
// says where the prompt puts the question, see wordings.
type answerInput struct {
	Question string        `json:"question"`
	Options  []view.Choice `json:"options"`
	Setting  string        `json:"setting,omitempty"`
	Passages []passage     `json:"passages"`
	Pictures int           `json:"pictures"`
	Form     int           `json:"form,omitempty"`
}

type answerResponse struct {
	Why    string `json:"why"`
	Answer string `json:"answer"`
}

// supportInput asks whether what is shown establishes or contradicts the proposed answer.
// Options are texts, Tools what a call may call.
type supportInput struct {
	Question string         `json:"question"`
	Options  []string       `json:"options,omitempty"`
	Tools    []schemas.Tool `json:"tools,omitempty"`
	Proposed string         `json:"proposed"`
	Setting  string         `json:"setting,omitempty"`
	Passages []passage      `json:"passages"`
	Pictures int            `json:"pictures"`
	Form     int            `json:"form,omitempty"`
}

type supportResponse struct {
	Why       string `json:"why"`
	Supported string `json:"supported"`
}

type contradictionResponse struct {
	Why          string `json:"why"`
	Contradicted string `json:"contradicted"`
}

// Answers that are no option.
const (
	answerUnknown = "unknown"
	answerYes     = "yes"
	answerNo      = "no"
)

// wordings are the ways to put one and the same question: after what is shown,
// before it, or both.
const wordings = 3

// questionForm is a form that puts a question about what a view shows of its evidence.
type questionForm struct {
	jobs func() ([]Job, error)
	// convert makes a question of an item; nil where it is one.
	convert func(*pipeline.Item) (*schemas.Question, error)
	// propose shows the answer to who is asked, choice the question as it stands before
	// options.
	propose, choice bool
	// applies judges a question that cannot be put so.
	applies func(Definition, *schemas.Question) pipeline.Judgement
	// input is what of the tasks is asked, of a question as it is shown.
	input func(q *schemas.Question, s shownView) (task int, in any)
	// read takes the answer out of a response. Where the question is not known, q is
	// nil and the mark no finding, unless unseen says that none is needed.
	read             func(q *schemas.Question, text string, rotation int) (answer, mark, reason string)
	readsWithoutItem bool
	tokens           float64
}

type shownView struct {
	view.Shown
	passages          []passage
	pictures, wording int
}

// AsQuestions is the form for items that are no questions: as says which question each is
// put as, and is pure.
func AsQuestions(f Form, as func(*pipeline.Item) (*schemas.Question, error)) Form {
	switch q := f.(type) {
	case *questionForm:
		out := *q
		out.convert = as
		return &out
	case *openForm:
		out := *q
		out.convert = as
		return &out
	case *labelForm:
		out := *q
		out.convert = as
		return &out
	}
	return f
}

// Letter asks for one of the options, with the question in its choice form; a call is right
// when it is the answer. YesNo and Open put the open form.
func Letter() Form {
	return &questionForm{
		jobs: sync.OnceValues(func() ([]Job, error) { return oneJob(NewJob[answerInput, answerResponse](jobAnswer)) }),
		input: func(_ *schemas.Question, s shownView) (int, any) {
			return 0, answerInput{s.Question, s.Options, s.Setting, s.passages, s.pictures, s.wording}
		},
		choice: true, applies: requireOptions, read: readLetter, tokens: answerTokens,
	}
}

// YesNo asks whether what is shown establishes the answer; a call is right when it
// says yes. Of an answer that something occurs nowhere it asks what contradicts it.
func YesNo() Form {
	return &questionForm{
		jobs: sync.OnceValues(func() ([]Job, error) {
			support, err := NewJob[supportInput, supportResponse](jobSupport)
			if err != nil {
				return nil, err
			}
			contradiction, err := NewJob[supportInput, contradictionResponse](jobContradiction)
			return []Job{support, contradiction}, err
		}),
		input: func(q *schemas.Question, s shownView) (int, any) {
			in := supportInput{Question: s.Question, Tools: s.Tools, Proposed: s.Proposed, Setting: s.Setting, Passages: s.passages, Pictures: s.pictures, Form: s.wording}
			for _, o := range s.Options {
				in.Options = append(in.Options, o.Text)
			}
			if view.AnswerIsAbsence(q) {
				return 1, in
			}
			return 0, in
		},
		propose: true, applies: requireAnswer, read: readSupport, readsWithoutItem: true, tokens: answerTokens,
	}
}

func oneJob(t Job, err error) ([]Job, error) { return []Job{t}, err }

// Jobs implements Form.
func (f *questionForm) Jobs() ([]Job, error) { return f.jobs() }

func (f *questionForm) questionOf(i *pipeline.Item) (*schemas.Question, error) {
	if f.convert != nil && i != nil {
		return f.convert(i)
	}
	return pipeline.ItemValue[schemas.Question](i)
}

// BuildPrompt implements Form.
func (f *questionForm) BuildPrompt(d Definition, c Config, item *pipeline.Item, name string, rotation int) (Prompt, error) {
	q, err := f.questionOf(item)
	if err != nil {
		return Prompt{}, err
	}
	s, err := f.showView(d, c, q, name, rotation)
	if err != nil {
		return Prompt{}, err
	}
	out := Prompt{Content: s, MaxPictures: s.MaxPictures(), FullPictures: s.FullPictures(), Placements: len(q.Options), Wordings: wordings}
	for _, p := range s.Passages {
		if p.Picture != nil {
			out.Pictures = append(out.Pictures, *p.Picture)
		}
	}
	out.Request = func(role string, images [][]pipeline.Digest, t Attempt) (pipeline.Request, error) {
		tasks, err := f.jobs()
		if err != nil {
			return pipeline.Request{}, err
		}
		passages, all := view.NumberPassages(s.Passages, images)
		at, in := f.input(q, shownView{s, passages, len(all), t.Wording})
		r, err := tasks[at].render(role, in, all)
		if err == nil && tasks[at].For(role).Task == jobAnswer {
			r.Schema = enumerateLetters(r.Schema, len(q.Options))
		}
		return r, err
	}
	out.Read = func(text string) (answer, mark, reason string) { return f.read(q, text, rotation) }
	return out, nil
}

// anyLetter is how the schema of an answer has the letters; a request has those that are shown.
const anyLetter = `"pattern":"^([A-Z]|unknown)$"`

func enumerateLetters(schema json.RawMessage, options int) json.RawMessage {
	list := ""
	for i := range options {
		list += `"` + schemas.Letter(i) + `",`
	}
	return bytes.Replace(schema, []byte(anyLetter), []byte(`"enum":[`+list+`"unknown"]`), 1)
}

func (f *questionForm) showView(d Definition, c Config, q *schemas.Question, name string, rotation int) (view.Shown, error) {
	return view.Show(q, name, view.Settings{
		Rotation: rotation, Propose: f.propose, Choice: f.choice, Rest: d.Rest, Entire: slices.Contains(c.EntireTypes, q.Type), Frames: c.Frames, Whole: c.Whole, Most: c.MaxPictures,
	})
}

// CheckProbe implements Form.
func (f *questionForm) CheckProbe(p schemas.Probe, _ []string) error {
	if !f.readsWithoutItem {
		return nil
	}
	answer, mark, _ := f.read(nil, p.Response, int(p.Rotation))
	return compareProbe(p, answer, mark)
}

func compareProbe(p schemas.Probe, answer, mark string) error {
	if answer != p.Answer || mark != "" && mark != p.Mark {
		return fmt.Errorf("its response says %q, which is %s, and not %q, %s", answer, mark, p.Answer, p.Mark)
	}
	return nil
}

func readLetter(q *schemas.Question, text string, rotation int) (answer, mark, reason string) {
	var given answerResponse
	if err := json.Unmarshal([]byte(text), &given); err != nil {
		return Unusable(model.CodeInvalid, "the response is not an answer")
	}
	if given.Answer == answerUnknown {
		return answerUnknown, schemas.MarkWrong, ""
	}
	n := len(q.Options)
	if len(given.Answer) != 1 || given.Answer < "A" || given.Answer > schemas.Letter(n-1) {
		return Unusable(model.CodeInvalid, "it answers %q, and the letters A to %s were shown", validText(given.Answer), schemas.Letter(n-1))
	}
	key := q.Options[view.OptionAt(int(given.Answer[0]-'A'), rotation, n)].Key
	return key, markFor(key == q.AnswerKey), ""
}

func markFor(is bool) string {
	if is {
		return schemas.MarkRight
	}
	return schemas.MarkWrong
}

// readSupport reads an answer of a judge: right if the evidence establishes the proposed
// answer, wrong if it contradicts it. The item, where known, says which was asked.
func readSupport(q *schemas.Question, text string, _ int) (answer, mark, reason string) {
	var given struct {
		Supported    string `json:"supported"`
		Contradicted string `json:"contradicted"`
	}
	err := json.Unmarshal([]byte(text), &given)
	said := given.Supported + given.Contradicted
	absent := given.Supported == ""
	if err != nil || said != answerYes && said != answerNo || q != nil && view.AnswerIsAbsence(q) != absent {
		return Unusable(model.CodeInvalid, "the response is neither yes nor no to what was asked")
	}
	return said, markFor((said == answerYes) != absent), ""
}
