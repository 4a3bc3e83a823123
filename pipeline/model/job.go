// Package model asks models typed questions and checks what they answer.
//
// A Task binds a prompt, the type of its input and the JSON Schema and type of
// its answer. A plugin declares in its Spec which tasks it asks which role
// (Task.For), and asks through its Scope (Task.Ask): which model answers,
// recorded, live or built-in, is not its business.
package model

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/prompts"
	"github.com/memforge/memforge/schemas"
)

// Job is one kind of request: In is rendered into the prompt, Out is what the
// answer decodes to. Both must survive JSON.
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

// NewJobFromPrompt makes a task of a prompt from elsewhere and its answer schema: how a
// domain outside this repository brings its own.
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

// For declares in a Spec that the task is asked of a role.
func (t *Job[In, Out]) For(role string) pipeline.Ask {
	return pipeline.Ask{Role: role, Task: t.prompt.Task, Prompt: pipeline.Digest(t.prompt.Digest), Version: t.prompt.Version}
}

// Roles are those that the prompt may be put to.
func (t *Job[In, Out]) Roles() []string { return t.prompt.Roles }

// Answer is a checked answer and who gave it.
type Answer[Out any] struct {
	Value Out
	// Text is the answer as it was given: one JSON value.
	Text  string
	Model string
	// Usage is that of pipeline.Reply.
	Usage pipeline.Usage
}

// Ask puts one question. Images are PNG or JPEG blobs, in order; sample counts
// independent samples from 0. An answer that does not fit the schema is a
// *Rejection with code model-invalid, as are the other outcomes that concern
// this question alone.
func (t *Job[In, Out]) Ask(ctx context.Context, scope *pipeline.Scope, role string, in In, sample int, images ...pipeline.Digest) (Answer[Out], error) {
	r, err := t.Render(role, in, sample, images...)
	if err != nil {
		return Answer[Out]{}, err
	}
	return t.Send(ctx, scope, r)
}

// Send asks what Request rendered; see Ask. Role and sample may have been changed
// since.
func (t *Job[In, Out]) Send(ctx context.Context, scope *pipeline.Scope, r pipeline.Request) (Answer[Out], error) {
	reply, err := scope.Ask(ctx, r)
	if err != nil {
		return Answer[Out]{}, err
	}
	out := Answer[Out]{Text: string(reply.Answer), Model: reply.Model, Usage: reply.Usage}
	if !reply.Checked || !bytes.Equal(r.Schema, t.schema.raw) {
		if err := t.schema.Check(reply.Answer); err != nil {
			return Answer[Out]{}, &OutcomeError{Outcome: Invalid, Task: t.prompt.Task, Model: reply.Model, Text: string(reply.Answer), Detail: err.Error(), Usage: reply.Usage}
		}
	}
	if err := json.Unmarshal(reply.Answer, &out.Value); err != nil {
		return Answer[Out]{}, fmt.Errorf("ask %s: the schema %s lets through what the answer's type does not: %w", t.prompt.Task, t.prompt.Schema, err)
	}
	return out, nil
}

// Render renders one question without asking it.
func (t *Job[In, Out]) Render(role string, in In, sample int, images ...pipeline.Digest) (pipeline.Request, error) {
	if !slices.Contains(t.prompt.Roles, role) {
		return pipeline.Request{}, fmt.Errorf("ask %s: its prompt is for %v, not for %q", t.prompt.Task, t.prompt.Roles, role)
	}
	input, err := pipeline.Canonical(in)
	if err != nil {
		return pipeline.Request{}, fmt.Errorf("ask %s: %w", t.prompt.Task, err)
	}
	system, user, err := t.prompt.Render(in)
	if err != nil {
		return pipeline.Request{}, err
	}
	return pipeline.Request{
		Role: role, Task: t.prompt.Task, Prompt: pipeline.Digest(t.prompt.Digest),
		Input: input, System: system, User: user, Images: images, Schema: t.schema.raw, Sample: sample,
	}, nil
}

// Rule makes a typed function the built-in model's rule for the task.
func (t *Job[In, Out]) Rule(answer func(ctx context.Context, s *pipeline.Scope, in In, images []pipeline.Digest) (Out, error)) pipeline.Rule {
	return func(ctx context.Context, s *pipeline.Scope, r pipeline.Request) (json.RawMessage, error) {
		var in In
		if err := json.Unmarshal(r.Input, &in); err != nil {
			return nil, fmt.Errorf("input of %s: %w", r.Task, err)
		}
		out, err := answer(ctx, s, in, r.Images)
		if err != nil {
			return nil, err
		}
		return pipeline.Canonical(out)
	}
}
