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
			Reason: model.Unusable, Model: e.Name, Host: e.host, Detail: "it is to embed texts and capabilities.embeddings is false",
			Advice: "give the role " + role + " to a model that embeds",
		}
	}
	m := embedding{client: c, endpoint: e, scope: s, vectors: make(map[string][]float32, len(texts))}
	vectors, err := m.embedAll(ctx, texts)
	if err != nil {
		return nil, fmt.Errorf("embed with %s: %w", e.Name, err)
	}
	return vectors, nil
}

type embedding struct {
	client   *Client
	endpoint *endpoint
	scope    *pipeline.Scope
	vectors  map[string][]float32
}

func (m embedding) request(text string) (pipeline.Key, pipeline.Request) {
	r := pipeline.Request{Host: m.endpoint.host, Model: m.endpoint.Model.Model, Task: pipeline.EmbedTask, Text: text}
	return ledger.Key(r), r
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
		m.vectors[t] = ledger.UnpackVector(reply.Vector)
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

func (m embedding) embedMissing(ctx context.Context, texts []string) (waits bool, err error) {
	keys := make([]pipeline.Key, len(texts))
	for i, t := range texts {
		key, r := m.request(t)
		if m.client.opts.Offline {
			return false, m.client.missError(ctx, m.scope.Origin(), m.endpoint, r)
		}
		if err := ledger.CheckRecordable(r); err != nil {
			return false, err
		}
		keys[i] = key
	}
	if m.client.opts.Collect {
		return true, m.addPending(ctx, texts)
	}
	standing, release, err := m.client.claim(ctx, keys...)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, release()) }()
	var open []string
	for i, now := range standing {
		switch {
		case now.Recorded:
			m.vectors[texts[i]] = ledger.UnpackVector(now.Reply.Vector)
			m.client.account.countReplayed(m.scope.Origin().Step)
		case now.Batch != "":
			waits = true
		default:
			open = append(open, texts[i])
		}
	}
	if len(open) > 0 {
		err = m.sendTexts(ctx, open)
	}
	return waits, err
}

func (m embedding) sendTexts(ctx context.Context, texts []string) error {
	origin := m.scope.Origin()
	entries := make([]ledger.Entry, len(texts))
	estimate := tokenEstimate{}
	for i, t := range texts {
		key, r := m.request(t)
		entries[i] = ledger.Entry{Key: key, Step: origin.Step, Item: origin.Item, Request: r}
		estimate.input += len(t)/4 + 1
	}
	var vectors [][]float32
	var used pipeline.Usage
	err := m.client.sendWithRetries(ctx, m.endpoint, entries[0].Request, origin.Step, estimate, func(ctx context.Context) (pipeline.Usage, http.Header, error) {
		var header http.Header
		var err error
		vectors, used, header, err = m.endpoint.wire.Embed(ctx, m.endpoint.Model.Model, texts)
		return used, header, err
	})
	if err != nil {
		return err
	}
	for i, v := range vectors {
		entries[i].Reply = pipeline.Reply{Outcome: model.OK, Vector: ledger.PackVector(v)}
	}
	// The tokens of the request are booked once, with its first text.
	entries[0].Reply.Usage = used
	replies, err := m.client.opts.Ledger.Record(context.WithoutCancel(ctx), entries...)
	for i, r := range replies {
		m.vectors[texts[i]] = ledger.UnpackVector(r.Vector)
	}
	return err
}

func (m embedding) addPending(ctx context.Context, texts []string) error {
	origin := m.scope.Origin()
	all := make([]ledger.Pending, len(texts))
	for i, t := range texts {
		key, r := m.request(t)
		body, err := pipeline.Canonical(map[string]any{"model": r.Model, "input": []string{t}, "encoding_format": "float"})
		if err != nil {
			return err
		}
		all[i] = ledger.Pending{Key: key, Name: m.endpoint.Name, Step: origin.Step, Item: origin.Item, Request: r, Body: body}
	}
	return m.client.opts.Ledger.AddPending(ctx, all...)
}
