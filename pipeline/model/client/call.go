package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
	"github.com/memforge/memforge/pipeline/model/wire"
)

// call is one request on behalf of one task.
type call struct {
	client   *Client
	endpoint *endpoint
	scope    *pipeline.Scope
	request  ledger.Request
	// firstUsage is what the question took as first put, when this is a repair turn.
	firstUsage *pipeline.Usage
}

// answer gets the recorded answer, or a new one, which is then recorded. An outcome
// other than OK is an error. Its usage is what the question states, see
// pipeline.Reply.
func (q call) answer(ctx context.Context) (ledger.Reply, error) {
	key := q.request.Key()
	reply, err := q.findOrSend(ctx, key)
	if err != nil {
		return reply, fmt.Errorf("ask %s for %s: %w", q.endpoint.name, q.request.Task, err)
	}
	q.client.servedCounts.count(q.endpoint, reply.Model)
	if q.firstUsage != nil {
		reply.Usage.Input, reply.Usage.Cached = q.firstUsage.Input, q.firstUsage.Cached
	}
	if reply.Outcome == model.OK {
		return reply, nil
	}
	return reply, &model.OutcomeError{
		Outcome: reply.Outcome, Task: q.request.Task, Model: q.endpoint.Model.Model,
		Text: reply.Text, Detail: reply.Detail, Usage: reply.Usage,
	}
}

func (q call) findOrSend(ctx context.Context, key pipeline.Key) (ledger.Reply, error) {
	book, origin := q.client.opts.Ledger, q.scope.Origin()
	reply, ok, err := book.Find(ctx, key)
	if err != nil {
		return reply, err
	}
	if ok {
		q.client.account.countReplayed(origin.Step)
		return reply, nil
	}
	// Two tasks that ask the same at once get one answer and pay one.
	v, err, _ := q.client.inFlight.Do(string(key), func() (any, error) {
		if reply, ok, err := book.Find(ctx, key); ok || err != nil {
			return reply, err
		}
		return q.sendLive(ctx, key)
	})
	if err != nil {
		return ledger.Reply{}, err
	}
	return v.(ledger.Reply), nil
}

// sendLive asks the server and records what it says.
func (q call) sendLive(ctx context.Context, key pipeline.Key) (ledger.Reply, error) {
	chat, err := q.buildChat(ctx)
	if err != nil {
		return ledger.Reply{}, err
	}
	origin := q.scope.Origin()
	if q.client.opts.Offline {
		return ledger.Reply{}, q.missError(ctx)
	}
	if err := q.request.Recordable(); err != nil {
		return ledger.Reply{}, err
	}
	if q.client.opts.Collect {
		body, err := chat.Body()
		if err != nil {
			return ledger.Reply{}, err
		}
		p := ledger.Pending{Key: key, Name: q.endpoint.name, Step: origin.Step, Item: origin.Item, Request: q.request, Body: body}
		return ledger.Reply{Outcome: model.Pending}, q.client.opts.Ledger.AddPending(ctx, p)
	}
	release, err := q.client.claim(ctx, key)
	if err != nil {
		return ledger.Reply{}, err
	}
	reply, err := q.sendClaimed(ctx, key, chat)
	return reply, errors.Join(err, release())
}

// sendClaimed asks a request that nobody else asks now. Somebody may have before.
func (q call) sendClaimed(ctx context.Context, key pipeline.Key, chat wire.ChatRequest) (ledger.Reply, error) {
	origin := q.scope.Origin()
	reply, ok, err := q.client.opts.Ledger.Find(ctx, key)
	if err != nil {
		return reply, err
	}
	if ok {
		q.client.account.countReplayed(origin.Step)
		return reply, nil
	}
	in, err := q.client.findBatch(ctx, key)
	if err != nil || in != "" {
		return ledger.Reply{Outcome: model.Pending, Detail: in}, err
	}
	said, err := q.client.sendChat(ctx, q.endpoint, origin.Step, chat)
	if err != nil {
		return ledger.Reply{}, err
	}
	reply = ledger.Reply{
		Outcome: said.Outcome, Text: said.Text, Detail: said.Detail,
		Model: said.Model, Fingerprint: said.Fingerprint, Usage: said.Usage,
	}
	// What was paid for is kept even if the build is being stopped.
	e := ledger.Entry{Key: key, Step: origin.Step, Item: origin.Item, Request: q.request, Reply: reply}
	return q.client.record(ctx, e)
}

// record records an answer and gives the one that the ledger has: a process that stood
// still may find that another asked meanwhile, and what is built rests on one of them.
func (c *Client) record(ctx context.Context, e ledger.Entry) (ledger.Reply, error) {
	ctx = context.WithoutCancel(ctx)
	if err := c.opts.Ledger.Record(ctx, e); err != nil {
		return e.Reply, err
	}
	first, ok, err := c.opts.Ledger.Find(ctx, e.Key)
	if err != nil || !ok {
		return e.Reply, err
	}
	return first, nil
}

// missError says what is not recorded and what was changed since something was.
func (q call) missError(ctx context.Context) error {
	near, err := q.client.opts.Ledger.Nearest(ctx, q.request, q.scope.Origin().Item)
	if err != nil {
		return err
	}
	origin := q.scope.Origin()
	return &model.MissError{
		Task: q.request.Task, Node: origin.Step, Item: origin.Item, Model: q.endpoint.name,
		Changed: near.Changed, Nearest: near.Item,
	}
}

// buildChat loads the images and fits them to the model's bounds.
func (q call) buildChat(ctx context.Context) (wire.ChatRequest, error) {
	e, r := q.endpoint, q.request
	chat := wire.ChatRequest{Model: r.Model, Task: r.Task, Detail: e.Media.Detail, Sampling: e.samplingOf(r.Sample)}
	if e.Capabilities.JSONSchema {
		schema, err := q.client.compileSchema(r.Schema)
		if err != nil {
			return chat, fmt.Errorf("schema of the answer: %w", err)
		}
		if chat.Schema, chat.Strict = schema.Strict(); !chat.Strict {
			chat.Schema = schema.Text()
		}
	}
	for _, m := range r.Messages {
		out := wire.Message{Role: m.Role, Text: m.Text}
		if n := len(m.Images); n > 0 && !e.Capabilities.Images {
			return chat, &model.ServerError{
				Reason: model.Unusable, Model: e.name, Host: e.host, Detail: fmt.Sprintf("%s sends %d images and capabilities.images is false", r.Task, n),
				Advice: "give the role to a model that sees",
			}
		}
		if n := len(m.Images); n > e.Media.MaxImages && e.Media.MaxImages > 0 {
			return chat, q.tooLargeError(fmt.Sprintf("%d images, media.max_images is %d", n, e.Media.MaxImages))
		}
		for i, d := range m.Images {
			img, err := q.loadImage(ctx, d)
			if errors.Is(err, wire.ErrImage) {
				return chat, q.tooLargeError(fmt.Sprintf("image %d: %v", i, err))
			}
			if err != nil {
				return chat, fmt.Errorf("image %d: %w", i, err)
			}
			out.Images = append(out.Images, img)
		}
		chat.Messages = append(chat.Messages, out)
	}
	return chat, nil
}

func (q call) tooLargeError(detail string) error {
	return &model.OutcomeError{Outcome: model.TooLarge, Task: q.request.Task, Model: q.endpoint.Model.Model, Detail: detail}
}

// maxImageBytes image that is read at all, in bytes.
const maxImageBytes = 128 << 20

func (q call) loadImage(ctx context.Context, d pipeline.Digest) (wire.Image, error) {
	data, err := q.scope.ReadBlob(ctx, d, maxImageBytes)
	if err != nil {
		return wire.Image{}, err
	}
	if len(data) > maxImageBytes {
		return wire.Image{}, fmt.Errorf("%w: it has more than %d bytes", wire.ErrImage, maxImageBytes)
	}
	return wire.FitImage(data, wire.ImageBounds{LongSide: q.endpoint.Media.MaxLongSide, Bytes: q.endpoint.Media.MaxBytes})
}

func (e *endpoint) samplingOf(sample int) wire.Sampling {
	s := wire.Sampling{
		Temperature: e.Sampling.Temperature, TopP: e.Sampling.TopP, MaxTokens: e.Sampling.MaxTokens,
		Completion: e.Capabilities.MaxCompletionTokens,
	}
	if e.Sampling.Seed != nil {
		seed := *e.Sampling.Seed + sample
		s.Seed = &seed
	}
	return s
}
