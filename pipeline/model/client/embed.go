package client

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
	"github.com/memforge/memforge/pipeline/model/ledger"
)

// together is how many texts are embedded in one request.
const together = 128

// Embed implements pipeline.Models. Each text is recorded by itself, so that it
// does not matter which others it was asked with.
func (c *Client) Embed(ctx context.Context, s *pipeline.Scope, role string, texts []string) ([][]float32, error) {
	e, ok := c.roles[role]
	if !ok {
		return nil, fmt.Errorf("embed for %s: no model plays that role", role)
	}
	if !e.Capabilities.Embeddings {
		return nil, &model.ServerError{
			Reason: model.Unusable, Model: e.name, Host: e.host, Detail: "it is to embed texts and capabilities.embeddings is false",
			Advice: "give the role " + role + " to a model that embeds",
		}
	}
	m := embedding{client: c, endpoint: e, scope: s, vectors: make(map[string][]float32, len(texts))}
	vectors, err := m.all(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed with %s: %w", e.name, err)
	}
	return vectors, nil
}

type embedding struct {
	client   *Client
	endpoint *endpoint
	scope    *pipeline.Scope
	vectors  map[string][]float32
}

func (m embedding) request(text string) (pipeline.Key, ledger.Request) {
	r := ledger.Request{Host: m.endpoint.host, Model: m.endpoint.Model.Model, Task: pipeline.EmbedTask, Text: text}
	key := r.Key()
	return key, r
}

func (m embedding) all(ctx context.Context, texts []string) ([][]float32, error) {
	var missing []string
	for _, t := range texts {
		if _, ok := m.vectors[t]; ok {
			continue
		}
		key, _ := m.request(t)
		reply, ok, err := m.client.opts.Ledger.Find(ctx, key)
		if err != nil {
			return nil, err
		}
		m.vectors[t] = reply.Floats()
		if !ok {
			missing = append(missing, t)
			continue
		}
		m.client.account.replayed(m.scope.Origin().Node)
	}
	waits := m.client.opts.Collect && len(missing) > 0
	for len(missing) > 0 {
		n := min(len(missing), together)
		waiting, err := m.live(ctx, missing[:n])
		if err != nil {
			return nil, err
		}
		waits = waits || waiting
		missing = missing[n:]
	}
	if waits {
		return nil, &model.OutcomeError{Outcome: model.Pending, Task: pipeline.EmbedTask, Model: m.endpoint.Model.Model}
	}
	vectors := make([][]float32, len(texts))
	for i, t := range texts {
		vectors[i] = m.vectors[t]
		if len(vectors[i]) != len(vectors[0]) {
			return nil, fmt.Errorf("vectors of %d and of %d numbers; the server changed its model, so prune the ledger of model %s", len(vectors[0]), len(vectors[i]), m.endpoint.Model.Model)
		}
	}
	return vectors, nil
}

// live asks for the vectors of texts. It reports whether some wait in a batch.
func (m embedding) live(ctx context.Context, texts []string) (waits bool, err error) {
	if m.client.opts.Offline {
		_, r := m.request(texts[0])
		return false, question{client: m.client, endpoint: m.endpoint, scope: m.scope, request: r}.miss(ctx)
	}
	keys := make([]pipeline.Key, len(texts))
	for i, t := range texts {
		key, r := m.request(t)
		if err := r.Recordable(); err != nil {
			return false, err
		}
		keys[i] = key
	}
	if m.client.opts.Collect {
		return true, m.expect(ctx, texts)
	}
	release, err := m.client.hold(ctx, keys...)
	if err != nil {
		return false, err
	}
	open, waits, err := m.open(ctx, texts)
	if err == nil && len(open) > 0 {
		err = m.send(ctx, open)
	}
	return waits, errors.Join(err, release())
}

// open leaves out the texts that somebody else asked for meanwhile and those that
// wait in a batch.
func (m embedding) open(ctx context.Context, texts []string) (open []string, waits bool, err error) {
	for _, t := range texts {
		key, _ := m.request(t)
		reply, ok, err := m.client.opts.Ledger.Find(ctx, key)
		if err != nil {
			return nil, false, err
		}
		if ok {
			m.vectors[t] = reply.Floats()
			m.client.account.replayed(m.scope.Origin().Node)
			continue
		}
		in, err := m.client.inBatch(ctx, key)
		if err != nil {
			return nil, false, err
		}
		if in != "" {
			waits = true
			continue
		}
		open = append(open, t)
	}
	return open, waits, nil
}

// send asks for the vectors of texts that are held, and records them.
func (m embedding) send(ctx context.Context, texts []string) error {
	origin := m.scope.Origin()
	var vectors [][]float32
	size := 0
	for _, t := range texts {
		size += len(t)/4 + 1
	}
	var used pipeline.Usage
	err := m.client.try(ctx, job{endpoint: m.endpoint, node: origin.Node, task: pipeline.EmbedTask, guess: guess{input: size}}, func(ctx context.Context) (pipeline.Usage, http.Header, error) {
		var header http.Header
		var err error
		vectors, used, header, err = m.endpoint.wire.Embed(ctx, m.endpoint.Model.Model, texts)
		return used, header, err
	})
	if err != nil {
		return err
	}
	entries := make([]ledger.Entry, len(texts))
	for i, t := range texts {
		key, r := m.request(t)
		entries[i] = ledger.Entry{Key: key, Node: origin.Node, Item: origin.Item, Request: r, Reply: ledger.Reply{Outcome: model.OK, Vector: ledger.PackVector(vectors[i])}}
		m.vectors[t] = vectors[i]
	}
	// The tokens of the request are booked once, with its first text.
	entries[0].Reply.Usage = used
	ctx = context.WithoutCancel(ctx)
	if err := m.client.opts.Ledger.Put(ctx, entries...); err != nil {
		return err
	}
	for i, t := range texts { // those that were recorded first, see kept
		first, ok, err := m.client.opts.Ledger.Find(ctx, entries[i].Key)
		if err != nil {
			return err
		}
		if ok {
			m.vectors[t] = first.Floats()
		}
	}
	return nil
}

// expect leaves texts to a batch.
func (m embedding) expect(ctx context.Context, texts []string) error {
	origin := m.scope.Origin()
	all := make([]ledger.Pending, len(texts))
	for i, t := range texts {
		key, r := m.request(t)
		body, err := pipeline.Canonical(map[string]any{"model": r.Model, "input": []string{t}, "encoding_format": "float"})
		if err != nil {
			return err
		}
		all[i] = ledger.Pending{Key: key, Name: m.endpoint.name, Node: origin.Node, Item: origin.Item, Request: r, Body: body}
	}
	return m.client.opts.Ledger.Expect(ctx, all...)
}
