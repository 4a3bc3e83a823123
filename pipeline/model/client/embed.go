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

// maxTextsPerRequest is how many texts are embedded in one request.
const maxTextsPerRequest = 128

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
	vectors, err := m.embedAll(ctx, texts)
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

func (m embedding) embedAll(ctx context.Context, texts []string) ([][]float32, error) {
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
		m.client.account.countReplayed(m.scope.Origin().Step)
	}
	waits := m.client.opts.Collect && len(missing) > 0
	for len(missing) > 0 {
		n := min(len(missing), maxTextsPerRequest)
		waiting, err := m.embedMissing(ctx, missing[:n])
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

// embedMissing asks for the vectors of texts. It reports whether some wait in a batch.
func (m embedding) embedMissing(ctx context.Context, texts []string) (waits bool, err error) {
	if m.client.opts.Offline {
		_, r := m.request(texts[0])
		return false, call{client: m.client, endpoint: m.endpoint, scope: m.scope, request: r}.missError(ctx)
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
		return true, m.addPending(ctx, texts)
	}
	release, err := m.client.claim(ctx, keys...)
	if err != nil {
		return false, err
	}
	open, waits, err := m.findUnanswered(ctx, texts)
	if err == nil && len(open) > 0 {
		err = m.sendTexts(ctx, open)
	}
	return waits, errors.Join(err, release())
}

// findUnanswered leaves out the texts that somebody else asked for meanwhile and those that
// wait in a batch.
func (m embedding) findUnanswered(ctx context.Context, texts []string) (open []string, waits bool, err error) {
	for _, t := range texts {
		key, _ := m.request(t)
		reply, ok, err := m.client.opts.Ledger.Find(ctx, key)
		if err != nil {
			return nil, false, err
		}
		if ok {
			m.vectors[t] = reply.Floats()
			m.client.account.countReplayed(m.scope.Origin().Step)
			continue
		}
		in, err := m.client.findBatch(ctx, key)
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

// sendTexts asks for the vectors of texts that are held, and records them.
func (m embedding) sendTexts(ctx context.Context, texts []string) error {
	origin := m.scope.Origin()
	var vectors [][]float32
	size := 0
	for _, t := range texts {
		size += len(t)/4 + 1
	}
	var used pipeline.Usage
	err := m.client.sendWithRetries(ctx, job{endpoint: m.endpoint, step: origin.Step, task: pipeline.EmbedTask, estimate: tokenEstimate{input: size}}, func(ctx context.Context) (pipeline.Usage, http.Header, error) {
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
		entries[i] = ledger.Entry{Key: key, Step: origin.Step, Item: origin.Item, Request: r, Reply: ledger.Reply{Outcome: model.OK, Vector: ledger.PackVector(vectors[i])}}
		m.vectors[t] = vectors[i]
	}
	// The tokens of the request are booked once, with its first text.
	entries[0].Reply.Usage = used
	ctx = context.WithoutCancel(ctx)
	if err := m.client.opts.Ledger.Record(ctx, entries...); err != nil {
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

// addPending leaves texts to a batch.
func (m embedding) addPending(ctx context.Context, texts []string) error {
	origin := m.scope.Origin()
	all := make([]ledger.Pending, len(texts))
	for i, t := range texts {
		key, r := m.request(t)
		body, err := pipeline.Canonical(map[string]any{"model": r.Model, "input": []string{t}, "encoding_format": "float"})
		if err != nil {
			return err
		}
		all[i] = ledger.Pending{Key: key, Name: m.endpoint.name, Step: origin.Step, Item: origin.Item, Request: r, Body: body}
	}
	return m.client.opts.Ledger.AddPending(ctx, all...)
}
