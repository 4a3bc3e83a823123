// Package choices gives open questions options: the answers of other questions that
// are alike in form, so that no option stands out. It belongs to no family.
package choices

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/words"
	"github.com/memforge/memforge/schemas"
)

// Register adds the stage.
func Register(r *pipeline.Registry) {
	pipeline.AddStage(r, "choices", "1", "give open questions options: answers, alike in form, of other questions about the same task", newChoices)
}

// Config configures the stage.
type Config struct {
	Options int      `json:"options" doc:"how many options a question gets; one that has as many goes on as it is"`
	Types   []string `json:"types" doc:"question types to give options to; empty means all"`
	Among   int      `json:"among" doc:"each wrong option is drawn among so many answers that are most like the right one"`
}

// SetDefaults implements pipeline.Defaulter.
func (c *Config) SetDefaults() { c.Options, c.Among = 4, 8 }

// mostOptions is how many letters there are.
const mostOptions = 26

type choices struct{ cfg Config }

func newChoices(c Config) (pipeline.Stage, error) {
	if c.Options < 2 || c.Options > mostOptions {
		return nil, fmt.Errorf("options is %d; want 2 to %d", c.Options, mostOptions)
	}
	if c.Among < c.Options {
		return nil, fmt.Errorf("among is %d; want at least the %d options", c.Among, c.Options)
	}
	return &choices{c}, nil
}

// Spec implements pipeline.Stage.
func (*choices) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameQuestion}, Emits: []string{schemas.NameQuestion}}
}

// answer is the answer of a question, once for each wording of it in a task.
type answer struct {
	text, plain, kind string
	form              form
}

// Fold implements pipeline.Fold: it reads the questions twice, for answers and to
// give them out. A question about which too few others ask goes on as it is.
func (s *choices) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	byTask := map[string][]answer{}
	for rec, err := range in.All {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		q, err := pipeline.Decode[schemas.Question](rec)
		if err != nil {
			return err
		}
		if q.AnswerText != "" {
			byTask[q.TaskID] = append(byTask[q.TaskID], answer{q.AnswerText, plain(q.AnswerText), q.Type, formOf(q.AnswerText)})
		}
	}
	for rec, err := range in.All {
		if err := cmp.Or(err, ctx.Err()); err != nil {
			return err
		}
		if rec, err = s.give(scope, rec, byTask); err != nil {
			return err
		}
		if err := emit(rec); err != nil {
			return err
		}
	}
	return nil
}

func (s *choices) give(scope *pipeline.Scope, rec pipeline.Record, byTask map[string][]answer) (pipeline.Record, error) {
	q, err := pipeline.Decode[schemas.Question](rec)
	if err != nil {
		return rec, err
	}
	if q.AnswerText == "" || len(q.Options) >= s.cfg.Options || len(s.cfg.Types) > 0 && !slices.Contains(s.cfg.Types, q.Type) {
		return rec, nil
	}
	rand := scope.Rand("choices", q.QuestionID)
	wrong := wrongOf(q)
	near := nearest(byTask[q.TaskID], q, wrong, s.cfg.Among)
	rand.Shuffle(len(near), func(i, j int) { near[i], near[j] = near[j], near[i] })
	for _, text := range near[:min(len(near), s.cfg.Options-1-len(wrong))] {
		wrong = append(wrong, schemas.Option{Text: text, Role: schemas.RoleDistractor})
	}
	if len(wrong) < s.cfg.Options-1 {
		return rec, nil
	}
	options := append(wrong, schemas.Option{Text: q.AnswerText, Role: schemas.RoleCorrect})
	rand.Shuffle(len(options), func(i, j int) { options[i], options[j] = options[j], options[i] })
	q.Offer(options...)
	return pipeline.NewRecord(rec.Schema, rec.ID, q, rec.Blobs...)
}

// wrongOf are the wrong options that a question has already.
func wrongOf(q schemas.Question) (out []schemas.Option) {
	for _, o := range q.Options {
		if o.Key != q.AnswerKey {
			out = append(out, o)
		}
	}
	return out
}

// nearest are the answers most like a question's own: of the same type first, then
// alike in length and make-up. An answer that holds the right one, or is held by it,
// could be right as well.
func nearest(all []answer, q schemas.Question, taken []schemas.Option, most int) []string {
	own, mine := plain(q.AnswerText), formOf(q.AnswerText)
	used := map[string]bool{own: true}
	for _, o := range taken {
		used[plain(o.Text)] = true
	}
	list := slices.Clone(all)
	slices.SortStableFunc(list, func(a, b answer) int {
		return cmp.Or(-boolCompare(a.kind == q.Type, b.kind == q.Type), cmp.Compare(a.form.from(mine), b.form.from(mine)), strings.Compare(a.plain, b.plain))
	})
	var out []string
	for _, a := range list {
		if len(out) == most {
			break
		}
		if used[a.plain] || holds(a.plain, own) || holds(own, a.plain) {
			continue
		}
		used[a.plain] = true
		out = append(out, a.text)
	}
	return out
}

// holds reports that all words of the second text stand together in the first.
func holds(text, part string) bool { return strings.Contains(" "+text+" ", " "+part+" ") }

func boolCompare(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// form is what a reader sees of an answer without reading it.
type form struct {
	words         int
	digits, upper bool
}

func formOf(s string) form {
	f := form{words: len(strings.Fields(s))}
	for i, r := range s {
		f.digits = f.digits || unicode.IsDigit(r)
		f.upper = f.upper || i == 0 && unicode.IsUpper(r)
	}
	return f
}

// from is how unlike two forms are.
func (f form) from(o form) int {
	d := max(f.words-o.words, o.words-f.words)
	if f.digits != o.digits {
		d += 6
	}
	if f.upper != o.upper {
		d++
	}
	return d
}

// plain is a text as far as it says something: two that are alike so are one answer.
func plain(s string) string {
	return strings.Join(words.Rule{Digits: true}.Of(s), " ")
}
