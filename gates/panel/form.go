package panel

import (
	"context"
	"fmt"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Form is how an item is put to a model and how a response is read. All but Tasks
// are pure.
type Form interface {
	// Tasks are those that a role may be asked by.
	Tasks() ([]Task, error)
	// Settle names the views to ask under, or is the judgement of an item about
	// which nothing is to be asked.
	Settle(d Definition, c Config, item *pipeline.Item) ([]string, pipeline.Judgement)
	// Put is what the item shows and asks under a view, with its options moved on by
	// so many places. A *view.LackError says that it has not what the view takes.
	Put(d Definition, c Config, item *pipeline.Item, name string, rotation int) (Sheet, error)
	// Reread holds answer and mark of a usable probe against its response as far as
	// that can be done without the item.
	Reread(p schemas.Probe) error
	// Cost is what one call takes on average.
	Cost(d Definition, c Config) Cost
}

// Grader is a form whose answers another model grades: Read of its sheets gives no
// mark where one is to be had.
type Grader interface {
	Form
	// Grades is the task of who grades.
	Grades() Task
	// Grade is what is asked about an answer.
	Grade(item *pipeline.Item, answer string) (Sheet, error)
}

// Sheet is what one call shows and asks.
type Sheet struct {
	// Content is all that is shown, as JSON; its digest is that of the view.
	Content any
	// Pictures are shown in this order. Still says that all are images, sent as
	// they are. Most is the most images they give, Full how many it would be if the
	// view were not fitted.
	Pictures   []view.Picture
	Still      bool
	Most, Full int
	// Places is how many placements of the options differ, Wordings in how many ways
	// the same can be asked; less than two means one.
	Places, Wordings int
	// Request asks, given the images taken of each of Pictures.
	Request func(role string, images [][]pipeline.Digest, t Try) (pipeline.Request, error)
	// Read takes answer and mark out of a response that fits its schema; the mark is
	// failed, with a reason and no answer, where it cannot be used.
	Read func(text string) (answer, mark, reason string)
}

// Try is one of several calls with the same sheet: its wording, and what was wrong
// with the answer to the last.
type Try struct {
	Wording int
	Problem string
}

// Cost of one call: tokens without those of images, and images of so many
// megapixels.
type Cost struct {
	TokensIn, TokensOut, Images, Megapixels float64
	// Views is how many views of the rule an item has.
	Views int
}

func (s Sheet) digest() (pipeline.Digest, error) {
	b, err := pipeline.Canonical(s.Content)
	if err != nil {
		return "", fmt.Errorf("digest of a view: %w", err)
	}
	return pipeline.DigestOf(b), nil
}

// again is the wording and the sample of a call: what was put before, in other
// runs or where a placement comes round again, is put in other words before another
// sample is drawn. A model without a temperature gives the same words the same
// answer, and a copy is no vote.
func (s Sheet) again(rotation, run, runs int) (wording, sample int) {
	if s.Places > 0 {
		run += runs * (rotation / s.Places)
	}
	w := max(s.Wordings, 1)
	return run % w, run / w
}

// Task is a kind of request.
type Task interface {
	// For declares that it is asked of a role, Roles are those of its prompt, and
	// Tokens what that takes.
	For(role string) pipeline.Ask
	Roles() []string
	Tokens() float64
	word(role string, in any, images []pipeline.Digest) (pipeline.Request, error)
	pose(ctx context.Context, scope *pipeline.Scope, r pipeline.Request) (reply, error)
}

type reply struct {
	text, model string
	usage       pipeline.Usage
}

type task[In, Out any] struct{ *model.Task[In, Out] }

// NewTask is the task of an embedded prompt.
func NewTask[In, Out any](name string) (Task, error) {
	t, err := model.NewTask[In, Out](name)
	return task[In, Out]{t}, err
}

// TaskOf is a task made by model.TaskOf: of a prompt from elsewhere.
func TaskOf[In, Out any](t *model.Task[In, Out]) Task { return task[In, Out]{t} }

// Word renders a request of a task.
func Word(t Task, role string, in any, images ...pipeline.Digest) (pipeline.Request, error) {
	return t.word(role, in, images)
}

func (t task[In, Out]) word(role string, in any, images []pipeline.Digest) (pipeline.Request, error) {
	v, ok := in.(In)
	if !ok {
		return pipeline.Request{}, fmt.Errorf("ask %s: its input is a %T", t.For(role).Task, in)
	}
	return t.Request(role, v, 0, images...)
}

func (t task[In, Out]) pose(ctx context.Context, scope *pipeline.Scope, r pipeline.Request) (reply, error) {
	got, err := t.Put(ctx, scope, r)
	return reply{got.Text, got.Model, got.Usage}, err
}
