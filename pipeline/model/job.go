// Package model asks models typed questions and checks what they answer.
//
// A Job binds a prompt, the type of its input, and the JSON Schema and type of its answer.
// A plugin declares in its Spec which jobs it asks of which role (Job.For), and asks
// through its Scope (Job.Ask). Whether the answer is recorded, comes from a server or from
// the built-in model makes no difference to the plugin.
package model

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/prompts"
	"github.com/memforge/memforge/schemas"
)

// Job is one kind of request: In is rendered into the prompt, and the answer is decoded
// into Out. Both must survive JSON.
type Job[In, Out any] struct {
	prompt prompts.Prompt
	schema Schema
}

// NewJob loads the embedded prompt of that name and its answer schema.
func NewJob[In, Out any](name string) (*Job[In, Out], error) {
	p, err := prompts.Get(name)
	if err != nil {
		return nil, err
	}
	compile, embedded := answerSchemas()[p.Schema]
	if !embedded {
		_, err := schemas.AnswerSchema(p.Schema) // which says what there is
		return nil, fmt.Errorf("prompt %s: %w", name, err)
	}
	s, err := compile()
	return newJobOfSchema[In, Out](p, s, err)
}

// NewJobFromPrompt makes a job of the prompt and the answer schema of a domain outside this
// repository.
func NewJobFromPrompt[In, Out any](p prompts.Prompt, schema []byte) (*Job[In, Out], error) {
	s, err := CompileSchema(schema)
	return newJobOfSchema[In, Out](p, s, err)
}

func newJobOfSchema[In, Out any](p prompts.Prompt, s Schema, err error) (*Job[In, Out], error) {
	if err != nil {
		return nil, fmt.Errorf("prompt %s: answer schema %s: %w", p.Task, p.Schema, err)
	}
	return &Job[In, Out]{prompt: p, schema: s}, nil
}

// For returns the entry of a Spec that declares that the job is asked of a role.
func (j *Job[In, Out]) For(role string) pipeline.Ask {
	return pipeline.Ask{Role: role, Task: j.prompt.Task, Prompt: pipeline.Digest(j.prompt.Digest), Version: j.prompt.Version}
}

// Roles returns the roles that the prompt is written for.
func (j *Job[In, Out]) Roles() []string { return j.prompt.Roles }

// Answer is a checked answer and the reply that it was read from.
type Answer[Out any] struct {
	Value Out
	pipeline.Reply
}

// Ask puts one question. Images are PNG or JPEG blobs, in order; sample counts
// independent samples from 0. An answer that does not fit the schema is a
// *Rejection with code model-invalid, as are the other outcomes that concern
// this question alone.
func (j *Job[In, Out]) Ask(ctx context.Context, scope *pipeline.Scope, role string, in In, sample int, images ...pipeline.Digest) (Answer[Out], error) {
	r, err := j.Render(role, in, sample, images...)
	if err != nil {
		return Answer[Out]{}, err
	}
	reply, err := scope.Ask(ctx, r)
	if err != nil {
		return Answer[Out]{}, err
	}
	return j.Read(r, reply)
}

// Read checks the reply to a request that Render rendered against the schema, and decodes
// it; see Ask for its errors.
func (j *Job[In, Out]) Read(r pipeline.Request, reply pipeline.Reply) (Answer[Out], error) {
	text := json.RawMessage(reply.Text)
	if !reply.Checked || !bytes.Equal(r.Schema, j.schema.raw) {
		if err := j.schema.Check(text); err != nil {
			return Answer[Out]{}, &OutcomeError{Outcome: Invalid, Task: j.prompt.Task, Model: reply.Model, Text: reply.Text, Detail: err.Error(), Usage: reply.Usage}
		}
	}
	out := Answer[Out]{Reply: reply}
	if err := json.Unmarshal(text, &out.Value); err != nil {
		return Answer[Out]{}, fmt.Errorf("ask %s: the schema %s lets through what the answer's type does not: %w", j.prompt.Task, j.prompt.Schema, err)
	}
	return out, nil
}

// Render returns one question as a request, and sends nothing.
func (j *Job[In, Out]) Render(role string, in In, sample int, images ...pipeline.Digest) (pipeline.Request, error) {
	if !slices.Contains(j.prompt.Roles, role) {
		return pipeline.Request{}, fmt.Errorf("ask %s: its prompt is for %v, not for %q", j.prompt.Task, j.prompt.Roles, role)
	}
	input, err := pipeline.Canonical(in)
	if err != nil {
		return pipeline.Request{}, fmt.Errorf("ask %s: %w", j.prompt.Task, err)
	}
	system, user, err := j.prompt.Render(in)
	if err != nil {
		return pipeline.Request{}, err
	}
	return pipeline.Request{
		Task: j.prompt.Task, Messages: pipeline.ChatMessages(system, user, images), Schema: j.schema.raw, Sample: sample,
		Role: role, Prompt: pipeline.Digest(j.prompt.Digest), Input: input,
	}, nil
}

// Rule returns a typed function as the built-in model's rule for the job.
func (j *Job[In, Out]) Rule(answer func(ctx context.Context, s *pipeline.Scope, in In, images []pipeline.Digest) (Out, error)) pipeline.Rule {
	return func(ctx context.Context, s *pipeline.Scope, r pipeline.Request) (json.RawMessage, error) {
		var in In
		if err := json.Unmarshal(r.Input, &in); err != nil {
			return nil, fmt.Errorf("input of %s: %w", r.Task, err)
		}
		out, err := answer(ctx, s, in, r.Images())
		if err != nil {
			return nil, err
		}
		return pipeline.Canonical(out)
	}
}

// RejectedAnswer is an answer that cannot be used, and why.
type RejectedAnswer[Out any] struct {
	Answer  Out      `json:"answer"`
	Reasons []string `json:"reasons"`
}

// AskUntilUsable asks up to so many times until an answer can be used. Each request is told
// the answers before it and the reasons against them; check gives none for an answer
// that stands, and an error to stop at once. Where none of them stands, all are
// refusals.
func (j *Job[In, Out]) AskUntilUsable(ctx context.Context, scope *pipeline.Scope, role string, attempts int, in func([]RejectedAnswer[Out]) In,
	check func(Answer[Out]) ([]string, error), images ...pipeline.Digest) (good Answer[Out], refused []RejectedAnswer[Out], err error) {
	refused = []RejectedAnswer[Out]{}
	for range attempts {
		got, err := j.Ask(ctx, scope, role, in(refused), 0, images...)
		if err != nil {
			return good, refused, err
		}
		reasons, err := check(got)
		if err != nil || len(reasons) == 0 {
			return got, nil, err
		}
		refused = append(refused, RejectedAnswer[Out]{Answer: got.Value, Reasons: reasons})
	}
	return good, refused, nil
}

// PermanentRejection is the rejection that the error of a request is where it concerns that request
// alone, so that something else can stand in for its answer. What may pass, and what ends
// a build, is no finding.
func PermanentRejection(ctx context.Context, err error) (*pipeline.Rejection, bool) {
	var why *pipeline.Rejection
	if ctx.Err() != nil || !errors.As(err, &why) || why.Transient {
		return nil, false
	}
	return why, true
}

// What requests weigh, for forecasts. Tokens differ from model to model by a
// third and more; these are of the kind that most servers have.
const (
	// charsPerToken is the usual rule of thumb for English prose.
	charsPerToken = 4
	// pixelsPerToken is the area of the patch that Qwen2.5-VL makes one token
	// of, 28x28. OpenAI's patch models take 32x32, times a factor of the model.
	pixelsPerToken = 28 * 28
)

// TextTokens is about how many tokens a text has.
func TextTokens(chars float64) float64 { return chars / charsPerToken }

// ImageTokens is about how many tokens images have, by their megapixels.
func ImageTokens(megapixels float64) float64 { return 1e6 * megapixels / pixelsPerToken }

// PromptTokens is about how many the task's prompt has without its input.
func (j *Job[In, Out]) PromptTokens() float64 { return TextTokens(float64(j.prompt.Size())) }
