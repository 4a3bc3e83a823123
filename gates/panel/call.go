package panel

import (
	"encoding/json"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Tasks of the forms without options.
const (
	taskCall  = "gate.call"
	taskOpen  = "gate.open"
	taskGrade = "gate.grade"
	taskLabel = "gate.label"
)

// openInput is a question put for an answer in the solver's own words, or for a
// call of one of its tools.
type openInput struct {
	Question string         `json:"question"`
	Tools    []schemas.Tool `json:"tools,omitempty"`
	Setting  string         `json:"setting,omitempty"`
	Passages []passage      `json:"passages"`
	Pictures int            `json:"pictures"`
	Form     int            `json:"form,omitempty"`
}

type callGiven struct {
	Why  string `json:"why"`
	Call string `json:"call"`
}

func putOpen(_ *schemas.Question, s shown) (int, any) {
	return 0, openInput{s.Question, s.Tools, s.Setting, s.passages, s.pictures, s.wording}
}

// Call asks for a call of one of the question's tools; an answer is right when it is
// the gold call after decoding (SMMBench 3.3).
func Call() Form {
	return &question{
		tasks: sync.OnceValues(func() ([]Task, error) { return all(NewTask[openInput, callGiven](taskCall)) }),
		input: putOpen, tokens: answerTokens,
		askable: func(_ Definition, q *schemas.Question) (none pipeline.Judgement) {
			if q.AnswerCall == "" {
				return pipeline.NotApplicable.Because("no-call", "its answer is no call of a tool")
			}
			if _, err := schemas.CanonicalCall(q.AnswerCall); err != nil {
				return pipeline.Insufficient.Because("no-gold", "the call that answers it cannot be read: %v", err)
			}
			return none
		},
		read: func(q *schemas.Question, text string, _ int) (answer, mark, reason string) {
			var given callGiven
			if err := json.Unmarshal([]byte(text), &given); err != nil {
				return Unusable(model.CodeInvalid, "the response is no call")
			}
			if given.Call == answerUnknown {
				return answerUnknown, schemas.MarkWrong, ""
			}
			answer, err := schemas.CanonicalCall(given.Call)
			if err != nil {
				return Unusable(model.CodeInvalid, "the call cannot be read: %v", err)
			}
			gold, err := schemas.CanonicalCall(q.AnswerCall)
			return answer, right(err == nil && answer == gold), ""
		},
	}
}

// gradeInput is an answer put beside the gold, never with evidence.
type gradeInput struct {
	Question string `json:"question"`
	Gold     string `json:"gold"`
	Answer   string `json:"answer"`
}

type gradeGiven struct {
	Why     string `json:"why"`
	Correct string `json:"correct"`
}

// open asks for an answer in words, which another model grades.
type open struct {
	question
	grades func() ([]Task, error)
}

// Open asks for an answer in words. Another model, the role judge, says whether it
// is the gold; that is a probe of its own.
func Open() Form {
	f := &open{grades: sync.OnceValues(func() ([]Task, error) { return all(NewTask[gradeInput, gradeGiven](taskGrade)) })}
	f.question = question{
		tasks: sync.OnceValues(func() ([]Task, error) {
			if _, err := f.grades(); err != nil {
				return nil, err
			}
			return all(NewTask[openInput, answerGiven](taskOpen))
		}),
		input: putOpen, tokens: answerTokens, unseen: true,
		askable: func(d Definition, q *schemas.Question) pipeline.Judgement {
			if q.AnswerText == "" {
				return pipeline.NotApplicable.Because("no-answer", "it has no answer in words that another could be held against")
			}
			return pipeline.Judgement{}
		},
		read: func(_ *schemas.Question, text string, _ int) (answer, mark, reason string) {
			var given answerGiven
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

// Grades implements Grader. Tasks has been called before.
func (f *open) Grades() Task {
	t, err := f.grades()
	if err != nil {
		return nil
	}
	return t[0]
}

// Grade implements Grader.
func (f *open) Grade(item *pipeline.Item, answer string) (Sheet, error) {
	in := gradeInput{Answer: answer}
	q, err := f.question.question(item)
	if err != nil {
		return Sheet{}, err
	}
	if q != nil {
		in.Question, in.Gold = q.Question, q.AnswerText
	}
	return Sheet{
		Content: in,
		Request: func(role string, _ [][]pipeline.Digest, _ Try) (pipeline.Request, error) {
			return f.Grades().word(role, in, nil)
		},
		Read: func(text string) (answer, mark, reason string) {
			var given gradeGiven
			if err := json.Unmarshal([]byte(text), &given); err != nil || given.Correct != answerYes && given.Correct != answerNo {
				return Unusable(model.CodeInvalid, "the response is no grade")
			}
			return given.Correct, right(given.Correct == answerYes), ""
		},
	}, nil
}
