package client

import (
	"encoding/json"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/ledger"
)

// first is a request as the model is to see it.
func (e *endpoint) first(r pipeline.Request) ledger.Request {
	system := r.System
	out := ledger.Request{
		Host: e.host, Model: e.Model.Model, Task: r.Task, Sampling: e.sampling, Form: e.form,
		Schema: r.Schema, Sample: r.Sample,
	}
	if !e.Capabilities.JSONSchema {
		system += "\n\nAnswer with one JSON value and nothing around it. It must be valid under this JSON Schema:\n" + string(r.Schema)
	}
	out.Messages = []ledger.Message{
		{Role: "system", Text: system},
		{Role: "user", Text: r.User, Images: r.Images},
	}
	return out
}

// repair shows a model what is wrong with its answer.
func repair(said string, wrong error) []ledger.Message {
	return []ledger.Message{
		{Role: "assistant", Text: said},
		{Role: "user", Text: "This answer cannot be used: " + wrong.Error() + "\nGive the whole answer again, as one JSON value that fits the schema, and nothing around it."},
	}
}

// payload finds the JSON in an answer: some models think aloud before it or put
// it between fences.
func payload(text string) json.RawMessage {
	text = strings.TrimSpace(text)
	if rest, ok := strings.CutPrefix(text, "<think>"); ok {
		if _, after, ok := strings.Cut(rest, "</think>"); ok {
			text = strings.TrimSpace(after)
		}
	}
	if rest, ok := strings.CutPrefix(text, "```"); ok {
		if _, body, ok := strings.Cut(rest, "\n"); ok {
			if inner, _, ok := strings.Cut(body, "\n```"); ok {
				text = strings.TrimSpace(inner)
			}
		}
	}
	return json.RawMessage(text)
}
