package panel

import (
	"encoding/json"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/tool"
	"github.com/memforge/memforge/schemas"
)

// Tasks of the forms without options.
const (
	jobCall  = "gate.call"
	jobOpen  = "gate.open"
	jobGrade = "gate.grade"
	jobLabel = "gate.label"
)

// openInput asks for an answer in words, or for a call of a tool.
type openInput struct {
	Question string         `json:"question"`
	Tools    []schemas.Tool `json:"tools,omitempty"`
	Setting  string         `json:"setting,omitempty"`
	Passages []passage      `json:"passages"`
	Pictures int            `json:"pictures"`
	Form     int            `json:"form,omitempty"`
}

type callResponse struct {
	Why  string `json:"why"`
	Call string `json:"call"`
}

func openInputOf(_ *schemas.Question, s shownView) (int, any) {
	return 0, openInput{s.Question, s.Tools, s.Setting, s.passages, s.pictures, s.wording}
}

// Call asks for a call of the question's tools, or a plan of several; an answer is right when
// it is the gold after decoding, without arguments that are defaults (SMMBench 3.3).
func Call() Form {
	return &questionForm{
		jobs:  sync.OnceValues(func() ([]Job, error) { return oneJob(NewJob[openInput, callResponse](jobCall)) }),
		input: openInputOf, tokens: answerTokens,
		applies: func(_ Definition, q *schemas.Question) (none pipeline.Judgement) {
			if q.AnswerCall == "" {
				return pipeline.NotApplicable.Because("no-call", "its answer is no call of a tool")
			}
			if _, err := schemas.CanonicalCall(q.AnswerCall); err != nil {
				return pipeline.Insufficient.Because("no-gold", "the call that answers it cannot be read: %v", err)
			}
			return none
		},
		read: func(q *schemas.Question, text string, _ int) (answer, mark, reason string) {
			var given callResponse
			if err := json.Unmarshal([]byte(text), &given); err != nil {
				return Unusable(model.CodeInvalid, "the response is no call")
			}
			if given.Call == answerUnknown {
				return answerUnknown, schemas.MarkWrong, ""
			}
			answer, err := tool.WithoutDefaults(q.Tools, given.Call)
			if err != nil {
				return Unusable(model.CodeInvalid, "the call cannot be read: %v", err)
			}
			gold, err := tool.WithoutDefaults(q.Tools, q.AnswerCall)
			return answer, markFor(err == nil && answer == gold), ""
		},
	}
}

type gradeInput struct {
	Question string `json:"question"`
	Gold     string `json:"gold"`
	Answer   string `json:"answer"`
}

type gradeResponse struct {
	Why     string `json:"why"`
	Correct string `json:"correct"`
}

type openForm struct {
	questionForm
	gradeJobs func() ([]Job, error)
}

// Open asks for an answer in words. Another model, the role judge, says whether it
// is the gold; that is a probe of its own.
func Open() Form {
	f := &openForm{gradeJobs: sync.OnceValues(func() ([]Job, error) { return oneJob(NewJob[gradeInput, gradeResponse](jobGrade)) })}
	f.questionForm = questionForm{
		jobs: sync.OnceValues(func() ([]Job, error) {
			if _, err := f.gradeJobs(); err != nil {
				return nil, err
			}
			return oneJob(NewJob[openInput, answerResponse](jobOpen))
		}),
		input: openInputOf, tokens: answerTokens, readsWithoutItem: true,
		applies: func(d Definition, q *schemas.Question) pipeline.Judgement {
			if q.AnswerText == "" {
				return pipeline.NotApplicable.Because("no-answer", "it has no answer in words that another could be held against")
			}
			return pipeline.Judgement{}
		},
		read: func(_ *schemas.Question, text string, _ int) (answer, mark, reason string) {
			var given answerResponse
			err := json.Unmarshal([]byte(text), &given)
			switch {
			case err != nil || given.Answer == "":
				return Unusable(model.CodeInvalid, "the response is not an answer")
			case given.Answer == answerUnknown:
				return answerUnknown, schemas.MarkWrong, ""
			}
			return given.Answer, "", ""
		},
	}
	return f
}

// GradeJob implements Grader. Tasks has been called before.
func (f *openForm) GradeJob() Job {
	t, err := f.gradeJobs()
	if err != nil {
		return nil
	}
	return t[0]
}

// GradePrompt implements Grader.
func (f *openForm) GradePrompt(item *pipeline.Item, answer string) (Prompt, error) {
	in := gradeInput{Answer: answer}
	q, err := f.questionForm.questionOf(item)
	if err != nil {
		return Prompt{}, err
	}
	if q != nil {
		in.Question, in.Gold = q.Question, q.AnswerText
	}
	return Prompt{
		Content: in,
		Request: func(role string, _ [][]pipeline.Digest, _ Attempt) (pipeline.Request, error) {
			return f.GradeJob().render(role, in, nil)
		},
		Read: func(text string) (answer, mark, reason string) {
			var given gradeResponse
			if err := json.Unmarshal([]byte(text), &given); err != nil || given.Correct != answerYes && given.Correct != answerNo {
				return Unusable(model.CodeInvalid, "the response is no grade")
			}
			return given.Correct, markFor(given.Correct == answerYes), ""
		},
	}, nil
}
