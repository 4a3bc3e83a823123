package client

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model"
)

func (e *endpoint) address(r pipeline.Request, schema model.Schema) pipeline.Request {
	r.Host, r.Model, r.Sampling, r.Form, r.Schema = e.host, e.Model.Model, e.sampling, e.form, schema.Text()
	system := r.System()
	if !e.Capabilities.JSONSchema {
		system += "\n\nAnswer with one JSON value and nothing around it. It must be valid under this JSON Schema:\n" + string(r.Schema)
	}
	r.Messages = pipeline.ChatMessages(system, r.User(), r.Images())
	return r
}

// maxQuoted bounds, in bytes, how much of a wrong answer and of what is wrong
// with it a repair turn repeats: answers of a megabyte were paid for twice over.
const maxQuoted = 6000

func repairMessages(said string, wrong error) []pipeline.Message {
	return []pipeline.Message{
		{Role: "assistant", Text: elide(said)},
		{Role: "user", Text: "This answer cannot be used: " + elide(wrong.Error()) + "\nGive the whole answer again, as one JSON value that fits the schema, and nothing around it."},
	}
}

func elide(s string) string {
	if len(s) <= maxQuoted {
		return s
	}
	head, tail := s[:maxQuoted/2], s[len(s)-maxQuoted/2:]
	return strings.ToValidUTF8(head, "") + fmt.Sprintf("\n[%d bytes left out]\n", len(s)-maxQuoted) + strings.ToValidUTF8(tail, "")
}

// findAnswer returns the last JSON value in an answer that passes the check: some models think
// aloud, use fences or write sentences around it. The error is about the whole text.
func findAnswer(text string, accept func(json.RawMessage) (json.RawMessage, error)) (json.RawMessage, error) {
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
	answer, wrong := accept(json.RawMessage(text))
	if wrong == nil {
		return answer, nil
	}
	values := jsonValues(text)
	for i := len(values) - 1; i >= 0; i-- {
		if answer, err := accept(values[i]); err == nil {
			return answer, nil
		}
	}
	return nil, wrong
}

// maxTriedBrackets bounds at how many brackets a value is looked for.
const maxTriedBrackets = 64

// jsonValues lists the objects and lists in a text, none within another.
func jsonValues(text string) []json.RawMessage {
	var out []json.RawMessage
	for tried := 0; tried < maxTriedBrackets; tried++ {
		at := strings.IndexAny(text, "{[")
		if at < 0 {
			break
		}
		text = text[at:]
		var v json.RawMessage
		dec := json.NewDecoder(strings.NewReader(text))
		if dec.Decode(&v) != nil {
			text = text[1:]
			continue
		}
		out = append(out, v)
		text = text[dec.InputOffset():]
	}
	return out
}
