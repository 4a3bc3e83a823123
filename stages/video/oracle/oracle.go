// Package replay works out again what a question about composed videos says,
// as somebody would who has the tables of a release and nothing else: it reads
// the words of the question, finds the video that they name, and looks up in
// events, labels and recipe what is so. It shares no code with what wrote the
// questions, so that a mistake, or a forgery, on one side is none on the other.
package oracle

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// Version rises when the same tables would give other questions.
const Version = "3"

// Case is what the tables say about one medium.
type Case struct {
	Media schemas.Media
	// Events and Labels are those of the originals that the medium shows.
	Events []schemas.StatedEvent
	Labels []schemas.StatedLabel
}

// DeriveQuestion gives q with every column as it follows, and what follows from
// nothing. The error says what in its words or options is not so.
func (c Case) DeriveQuestion(q schemas.Question) (schemas.Question, []string, error) {
	w, err := c.composition()
	if err != nil {
		return q, nil, err
	}
	if w.layout == layoutNBack {
		return w.solveTrial(q)
	}
	r, err := w.solve(q)
	if err != nil {
		return q, nil, fmt.Errorf("%q: %w", q.Question, err)
	}
	out := newQuestion(q, c.Media.MediaID)
	out.Question, out.Options, out.AnswerKey, out.AnswerText, out.Type = r.question, r.options, r.key, r.answer, r.typ
	out.QuestionMCQ = withOptions(out.Question, out.Options)
	out.Evidence = w.evidence(r, c.Media.MediaID, q.Evidence)
	out.Explanation, out.Setting = w.explanation(r).format(q.Explanation), w.setting().format(q.Setting)
	free := w.deriveLabels(&out, r, q)
	return out, free, nil
}

// newQuestion is a question without what is worked out. What stages never set is
// empty.
func newQuestion(q schemas.Question, medium string) schemas.Question {
	return schemas.Question{
		QuestionID: q.QuestionID, Family: family, TaskID: q.TaskID, Split: "test", Media: []string{medium},
		Labels: map[string]string{},
	}
}

// family is that of all questions of this kind.
const family = "video"

// withOptions is a question with its options below it, one a line.
func withOptions(question string, options []schemas.Option) string {
	lines := []string{question}
	for _, o := range options {
		lines = append(lines, o.Key+". "+o.Text)
	}
	return strings.Join(lines, "\n")
}

// contentID is an id made of what it names.
func contentID(prefix string, parts ...string) string {
	sum := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(sum, "%d:%s", len(p), p)
	}
	return prefix + "-" + hex.EncodeToString(sum.Sum(nil))[:16]
}

// collapseSpace has single spaces only.
func collapseSpace(s string) string { return strings.Join(strings.Fields(s), " ") }
