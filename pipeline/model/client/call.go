package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// maxRepairs is how often a model may repair an answer that does not fit the schema.
const maxRepairs = 1

// Ask implements pipeline.Models: it returns the recorded reply to a request, or a new one,
// which it records.
func (c *Client) Ask(ctx context.Context, s *pipeline.Scope, r pipeline.Request) (pipeline.Reply, error) {
	e, ok := c.roles[r.Role]
	if !ok {
		return pipeline.Reply{}, fmt.Errorf("ask %s for %s: no model plays that role", r.Role, r.Task)
	}
	schema, err := c.compileSchema(r.Schema)
	if err != nil {
		return pipeline.Reply{}, fmt.Errorf("ask %s: schema of the answer: %w", r.Task, err)
	}
	r = e.address(r, schema)
	var first pipeline.Usage
	for turn := 0; ; turn++ {
		key := ledger.Key(r)
		// Two tasks that ask the same at once get one reply and pay one.
		v, err, _ := c.inFlight.Do(string(key), func() (any, error) { return c.findOrSend(ctx, s, e, r, schema, key) })
		if err != nil {
			return pipeline.Reply{}, fmt.Errorf("ask %s for %s: %w", e.Name, r.Task, err)
		}
		found := v.(stored)
		if found.replayed {
			c.account.countReplayed(s.Origin().Step)
		}
		reply := found.reply
		c.servedCounts.count(e, reply.Served)
		if turn == 0 {
			first = reply.Usage
		}
		reply.Usage.Input, reply.Usage.Cached = first.Input, first.Cached // see pipeline.Reply
		outcome := &model.OutcomeError{Outcome: reply.Outcome, Task: r.Task, Model: e.Model.Model, Text: reply.Text, Detail: reply.Detail, Usage: reply.Usage}
		if reply.Outcome != model.OK {
			return pipeline.Reply{}, outcome
		}
		answer, wrong := findAnswer(reply.Text, schema.Accept)
		switch {
		case wrong == nil:
			reply.Text, reply.Model, reply.Checked = string(answer), e.Model.Model, true
			return reply, nil
		case turn == maxRepairs:
			outcome.Outcome, outcome.Detail = model.Invalid, wrong.Error()
			return pipeline.Reply{}, outcome
		}
		r.Messages = append(r.Messages, repairMessages(reply.Text, wrong)...)
	}
}

type stored struct {
	reply    pipeline.Reply
	replayed bool
}

// findOrSend returns the recorded reply, or claims and sends the request and records the
// reply.
func (c *Client) findOrSend(ctx context.Context, s *pipeline.Scope, e *endpoint, r pipeline.Request, schema model.Schema, key pipeline.Key) (found stored, err error) {
	reply, ok, err := c.opts.Ledger.Find(ctx, key)
	if ok || err != nil {
		return stored{reply, true}, err
	}
	chat, err := wire.Encode(ctx, e.Endpoint, r, schema, s.ReadBlob)
	if err != nil {
		return stored{}, err
	}
	origin := s.Origin()
	if c.opts.Offline {
		return stored{}, c.missError(ctx, origin, e, r)
	}
	if err := ledger.CheckRecordable(r); err != nil {
		return stored{}, err
	}
	if c.opts.Collect {
		body, err := chat.JSON()
		if err != nil {
			return stored{}, err
		}
		p := ledger.Pending{Key: key, Name: e.Name, Step: origin.Step, Item: origin.Item, Request: r, Body: body}
		return stored{reply: pipeline.Reply{Outcome: model.Pending}}, c.opts.Ledger.AddPending(ctx, p)
	}
	standing, release, err := c.claim(ctx, key)
	if err != nil {
		return stored{}, err
	}
	defer func() { err = errors.Join(err, release()) }()
	switch now := standing[0]; {
	case now.Recorded:
		return stored{now.Reply, true}, nil
	case now.Batch != "":
		return stored{reply: pipeline.Reply{Outcome: model.Pending, Detail: now.Batch}}, nil
	}
	err = c.sendWithRetries(ctx, e, r, origin.Step, estimateTokens(e, r), func(ctx context.Context) (pipeline.Usage, http.Header, error) {
		var header http.Header
		var err error
		reply, header, err = e.wire.Chat(ctx, chat)
		return reply.Usage, header, err
	})
	if err != nil {
		return stored{}, err
	}
	// What was paid for is kept even if the build is being stopped. A process that stood
	// still may find that another one asked meanwhile: what is built rests on the reply that
	// the ledger has.
	replies, err := c.opts.Ledger.Record(context.WithoutCancel(ctx), ledger.Entry{Key: key, Step: origin.Step, Item: origin.Item, Request: r, Reply: reply})
	if err != nil {
		return stored{}, err
	}
	return stored{reply: replies[0]}, nil
}

func estimateTokens(e *endpoint, r pipeline.Request) tokenEstimate {
	out := tokenEstimate{output: e.Sampling.MaxTokens}
	for _, m := range r.Messages {
		out.input += len(m.Text)/4 + 1000*len(m.Images)
	}
	return out
}

func (c *Client) missError(ctx context.Context, origin pipeline.Origin, e *endpoint, r pipeline.Request) error {
	near, err := c.opts.Ledger.Nearest(ctx, r, origin.Item)
	if err != nil {
		return err
	}
	return &model.MissError{Task: r.Task, Step: origin.Step, Item: origin.Item, Model: e.Name, Changed: near.Changed, Nearest: near.Item}
}
