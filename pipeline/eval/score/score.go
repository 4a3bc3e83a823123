// Package score names the rules by which answers to a benchmark are scored.
// Plugins bring them; the command line offers what is registered.
package score

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// A Scorer scores answers as the code or the paper of one benchmark says.
type Scorer struct {
	Name string
	// Help says in a few sentences what is scored and what answers look like.
	Help string
	// Variants are whose rules there are where these differ, the default first.
	Variants []string
	// Load reads what was asked from the folder of an export, Release from a release
	// that was verified. One of them may be nil.
	Load    func(dir string) (QuestionSet, error)
	Release func(release.Contents) (QuestionSet, error)
	// Forms are the ways in which a question of a release is put, each with the id of
	// its answer; nil where a question is put once, as it stands.
	Forms func(schemas.Question) []Form
	// Answers reads answers by question id.
	Answers func(io.Reader) (map[string]string, error)
}

// Form is one way in which a question is put.
type Form struct {
	// ID is that of the answer. Options are in the order in which they are shown; none
	// where the question is put openly.
	ID      string
	Options []schemas.Option
}

// QuestionSet is what was asked.
type QuestionSet interface {
	// IDs names the questions.
	IDs() []string
	// Score scores an answer to each question; those that have none are an error
	// unless the run is incomplete.
	Score(answers map[string]string, o Options) (Scores, error)
}

// Options say how to score.
type Options struct {
	Variant string
	// Incomplete leaves questions without an answer out of every mean.
	Incomplete bool
}

// Scores are printed as tables, or encoded as JSON under the benchmark's own names.
type Scores interface {
	Print(io.Writer) error
	// Warnings tells what a reader of the figures should know.
	Warnings() []string
}

// kind of these extensions of a registry.
const kind = "scorer"

// Add registers a scorer.
func Add(r *pipeline.Registry, s Scorer) { r.Extend(kind, s.Name, s) }

// Scorers are those registered, by name.
func Scorers(r *pipeline.Registry) []Scorer { return pipeline.Extensions[Scorer](r, kind) }

// MissingError lists questions without an answer.
type MissingError struct{ IDs []string }

func (e *MissingError) Error() string {
	return fmt.Sprintf("%d questions have no answer: %s; answer them all, or score the run as incomplete with --incomplete", len(e.IDs), FirstFew(e.IDs))
}

// ChooseVariant is a variant by its name, the default by none.
func (s Scorer) ChooseVariant(name string) (string, error) {
	switch {
	case name == "" && len(s.Variants) > 0:
		return s.Variants[0], nil
	case name != "" && !slices.Contains(s.Variants, name):
		return "", fmt.Errorf("the variants of %s are %q, and %q is none of them", s.Name, s.Variants, name)
	}
	return name, nil
}

// FirstFew names the first few of a list.
func FirstFew(list []string) string {
	const shown = 3
	if len(list) <= shown {
		return strings.Join(list, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(list[:shown], ", "), len(list)-shown)
}
