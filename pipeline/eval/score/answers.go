package score

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
)

// maxAnswer bounds one line of a file of answers.
const maxAnswer = 16 << 20

// ReadAnswers reads JSON lines, each with the answer to one question, in one
// of two forms: {"id": ..., "prediction": ...}, or a line of the samples that
// lmms-eval logs, whose "doc" holds the id ("id" or "question_id") and whose
// "filtered_resps" or "resps" the answer. An error names the line.
func ReadAnswers(r io.Reader) (map[string]string, error) {
	return benchformat.ReadLines(r, "answers", maxAnswer, parseAnswer)
}

// answerLine is a line in either form.
type answerLine struct {
	ID         string  `json:"id"`
	QuestionID string  `json:"question_id"`
	Prediction *string `json:"prediction"`
	Doc        *struct {
		ID         string `json:"id"`
		QuestionID string `json:"question_id"`
	} `json:"doc"`
	Filtered json.RawMessage `json:"filtered_resps"`
	Resps    json.RawMessage `json:"resps"`
}

func parseAnswer(data []byte) (id, answer string, err error) {
	var l answerLine
	if err := json.Unmarshal(data, &l); err != nil {
		return "", "", err
	}
	id = first(l.ID, l.QuestionID)
	if l.Doc != nil {
		id = first(l.Doc.ID, l.Doc.QuestionID, id)
	}
	if id == "" {
		return "", "", errors.New(`it names no question; want "id", "question_id" or a "doc" with one`)
	}
	if l.Prediction != nil {
		return id, *l.Prediction, nil
	}
	for _, raw := range []json.RawMessage{l.Filtered, l.Resps} {
		if answer, ok := firstText(raw); ok {
			return id, answer, nil
		}
	}
	return "", "", fmt.Errorf(`question %q has no answer; want "prediction", or "filtered_resps" or "resps" with a text first`, id)
}

func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// firstText finds the text of ["..."] or [["..."]].
func firstText(raw json.RawMessage) (string, bool) {
	for raw != nil {
		var text string
		if json.Unmarshal(raw, &text) == nil {
			return text, true
		}
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
			return "", false
		}
		raw = list[0]
	}
	return "", false
}
