package kitchen

import (
	"strings"

	"github.com/memforge/memforge/pipeline/eval/export"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// line is a question in the export, beside its clue.
type line struct {
	Clue
	Question string `json:"question"`
	Answer   string `json:"answer"`
}

// layout writes each question with its clue.
func layout(c release.Contents) (tree export.Tree, err error) {
	clues, err := release.DecodeTable[Clue](c, ClueTable)
	if err != nil {
		return tree, err
	}
	of := map[string]Clue{}
	for _, clue := range clues {
		of[clue.QuestionID] = clue
	}
	var lines []line
	for _, q := range c.Questions {
		lines = append(lines, line{of[q.QuestionID], q.Question, q.AnswerText})
	}
	file, err := export.Lines("questions.jsonl", lines)
	tree.Files = []export.File{file}
	return tree, err
}

// mark is 1 for the place where the thing is, or its letter, and 0 for any other.
func mark(q schemas.Question, answer string) float64 {
	if answer = strings.TrimSpace(answer); answer == q.AnswerKey || strings.EqualFold(answer, q.AnswerText) {
		return 1
	}
	return 0
}
