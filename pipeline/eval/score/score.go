// Package score names the rules by which answers to a benchmark are scored.
// Plugins bring them; the command line offers what is registered.
package score

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/kit/atomicfile"
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
	Load func(dir string) (QuestionSet, error)
	// Takes says which questions of a release are scored. Release gets no others.
	Takes   benchformat.Selector
	Release func(release.Contents) (QuestionSet, error)
	// Forms are the ways in which a question of a release is put, each with the id of
	// its answer; nil where a question is put once, as it stands.
	Forms func(schemas.Question) []Form
	// Merged returns groups of so many tasks of a release whose histories the benchmark merges;
	// nil where it merges none.
	Merged func(c release.Contents, size int) [][]string
	// Answers reads answers by question id.
	Answers func(io.Reader) (map[string]string, error)
	// ReadRun reads answers from a file of a run with what stands beside it; nil where Answers
	// is enough.
	ReadRun func(file string) (map[string]string, error)
}

// ReadAnswersOf reads the answers of a run.
func (s Scorer) ReadAnswersOf(file string) (map[string]string, error) {
	if s.ReadRun != nil {
		return s.ReadRun(file)
	}
	return ReadFile(file, s.Answers)
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

// ReadFile reads a file of a run.
func ReadFile[T any](name string, read func(io.Reader) (T, error)) (out T, err error) {
	f, err := atomicfile.Open(name)
	if err != nil {
		return out, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	return read(f)
}

const maxAnswer = 16 << 20

// ReadAnswers reads JSON lines, each with the answer to one question, in one
// of two forms: {"id": ..., "prediction": ...}, or a line of the samples that
// lmms-eval logs, whose "doc" holds the id ("id" or "question_id") and whose
// "filtered_resps" or "resps" the answer. An error names the line.
func ReadAnswers(r io.Reader) (map[string]string, error) {
	return benchformat.ReadLines(r, "answers", "question %q is answered twice", maxAnswer, parseAnswer)
}

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

// firstText returns the text of ["..."] or [["..."]].
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

// Retrieved is a memory that a system found for a question, as memforge run writes it.
type Retrieved struct {
	ID        string   `json:"id"`
	Text      string   `json:"text"`
	Score     float64  `json:"score"`
	SessionID string   `json:"session_id"`
	TurnIDs   []string `json:"turn_ids"`
	MediaID   string   `json:"media_id"`
}

// retrievedLine is what was retrieved for a question, or the label of a judge.
type retrievedLine struct {
	ID         string      `json:"id"`
	Items      []Retrieved `json:"items"`
	Prediction *string     `json:"prediction"`
}

// ReadRetrieved reads what was retrieved for each question as an answer of one line:
// the lines that memforge run writes, spelled by spell, or those of ReadAnswers.
func ReadRetrieved(r io.Reader, spell func([]Retrieved) string) (map[string]string, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxRetrieved+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("retrieved: %w", err)
	case len(data) > maxRetrieved:
		return nil, fmt.Errorf("retrieved: the file is larger than %d MiB; score it in parts, with --incomplete", maxRetrieved>>20)
	case !bytes.Contains(data, []byte(`"items":`)):
		return ReadAnswers(bytes.NewReader(data))
	}
	out := map[string]string{}
	dec := json.NewDecoder(bytes.NewReader(data))
	for n := 1; dec.More(); n++ {
		var l retrievedLine
		if err := dec.Decode(&l); err != nil {
			return nil, fmt.Errorf("retrieved: line %d: %w", n, err)
		}
		if _, twice := out[l.ID]; twice || l.ID == "" {
			return nil, fmt.Errorf("retrieved: line %d: question %q has no id, or is there twice", n, l.ID)
		}
		if l.Prediction != nil && strings.HasSuffix(l.ID, JudgeSuffix) {
			out[l.ID] = *l.Prediction
			continue
		}
		out[l.ID] = spell(l.Items)
	}
	return out, nil
}

const maxRetrieved = 1 << 30
