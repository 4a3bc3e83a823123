package panel

import (
	"fmt"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/schemas"
)

// Form is how an item is put to a model and how a response is read. All but Jobs
// are pure.
type Form interface {
	// Jobs are those that a role may be asked by.
	Jobs() ([]Job, error)
	// SelectViews names the views to ask under, or is the judgement of an item about
	// which nothing is to be asked.
	SelectViews(d Definition, c Config, item *pipeline.Item) ([]string, pipeline.Judgement)
	// BuildPrompt is what the item shows and asks under a view, with its options moved on by
	// so many places. A *view.MissingError says what it lacks for the view.
	BuildPrompt(d Definition, c Config, item *pipeline.Item, name string, rotation int) (Prompt, error)
	// CheckProbe holds answer and mark of a usable probe against its response as far as
	// that can be done without the item. earlier are the unusable responses before it.
	CheckProbe(p schemas.Probe, earlier []string) error
	// Cost is what one call takes on average.
	Cost(d Definition, c Config) Cost
}

// Grader is a form whose answers another model grades: Read of its prompts gives no
// mark for an answer that is to be graded.
type Grader interface {
	Form
	// GradeJob is the task of who grades.
	GradeJob() Job
	// GradePrompt is what is asked about an answer.
	GradePrompt(item *pipeline.Item, answer string) (Prompt, error)
}

// Prompt is what one call shows and asks.
type Prompt struct {
	// Content is all that is shown, as JSON; its digest is that of the view.
	Content any
	// Pictures are shown in this order. AreImages says that all are images, sent as they
	// are. MaxPictures is the most images they give, FullPictures how many it would be if
	// the view were not fitted.
	Pictures                  []view.Picture
	AreImages                 bool
	MaxPictures, FullPictures int
	// Placements is how many placements of the options differ, Wordings in how many ways
	// the same can be asked; less than two means one.
	Placements, Wordings int
	// Request asks, given the images taken of each of Pictures.
	Request func(role string, images [][]pipeline.Digest, t Attempt) (pipeline.Request, error)
	// Read takes answer and mark out of a response that fits its schema; the mark is
	// failed, with a reason and no answer, where it cannot be used.
	Read func(text string) (answer, mark, reason string)
	// Continue, where it is set, is the prompt that shows the same and asks for what unusable
	// responses, the oldest first, left open.
	Continue func(earlier []string) Prompt
}

// Attempt is one of several calls with the same prompt: its wording, and what was wrong
// with the answer to the last.
type Attempt struct {
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

func (s Prompt) digest() (pipeline.Digest, error) {
	b, err := pipeline.Canonical(s.Content)
	if err != nil {
		return "", fmt.Errorf("digest of a view: %w", err)
	}
	return pipeline.DigestOf(b), nil
}

// wordingAndSample puts a question that was put before in other words, and takes another
// sample when there are no other words: a model without a temperature gives the same words the
// same answer, and a copy is no vote.
func (s Prompt) wordingAndSample(rotation, run, runs int) (wording, sample int) {
	if s.Placements > 0 {
		run += runs * (rotation / s.Placements)
	}
	w := max(s.Wordings, 1)
	return run % w, run / w
}

// Job is one kind of request, as package model has it, without the types of its input and
// answer.
type Job interface {
	// For returns the declaration that the job is asked of a role.
	For(role string) pipeline.Ask
	// Roles returns the roles that its prompt is written for.
	Roles() []string
	// PromptTokens returns about how many tokens the prompt has without its input.
	PromptTokens() float64
	render(role string, in any, images []pipeline.Digest) (pipeline.Request, error)
	check(r pipeline.Request, reply pipeline.Reply) error
}

type job[In, Out any] struct{ *model.Job[In, Out] }

// NewJob returns the job of an embedded prompt.
func NewJob[In, Out any](name string) (Job, error) {
	j, err := model.NewJob[In, Out](name)
	return job[In, Out]{j}, err
}

// JobOf returns a job that model.NewJobFromPrompt made.
func JobOf[In, Out any](j *model.Job[In, Out]) Job { return job[In, Out]{j} }

// Render renders a request of a job.
func Render(j Job, role string, in any, images ...pipeline.Digest) (pipeline.Request, error) {
	return j.render(role, in, images)
}

func (j job[In, Out]) render(role string, in any, images []pipeline.Digest) (pipeline.Request, error) {
	v, ok := in.(In)
	if !ok {
		return pipeline.Request{}, fmt.Errorf("ask %s: its input is a %T", j.For(role).Task, in)
	}
	return j.Render(role, v, 0, images...)
}

func (j job[In, Out]) check(r pipeline.Request, reply pipeline.Reply) error {
	_, err := j.Read(r, reply)
	return err
}
