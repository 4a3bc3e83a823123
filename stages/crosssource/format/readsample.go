package format

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// capabilities are what the benchmark says of each of its tasks.
func capabilities() map[string]string {
	return map[string]string{
		"single_hop": "cross-source multimodal reasoning", "multi_hop": "cross-source multimodal reasoning", "conflict_resolution": "conflict resolution",
		"preference_reasoning": "preference reasoning", "function_call": "memory-grounded action prediction",
	}
}

func (r *reader) readSample(file string) {
	var s Sample
	if !r.decode(file, &s) || !r.checkUnique(s.ID) {
		return
	}
	r.bench.Samples = append(r.bench.Samples, s)
	if c := capabilities()[s.Task]; c == "" || c != s.Capability {
		r.add(CodeTask, "task %q of capability %q", s.Task, s.Capability)
	}
	if strings.TrimSpace(s.Question) == "" {
		r.add(CodeQuestion, "it asks nothing")
	}
	for _, p := range s.Images {
		r.checkPicture(p)
	}
	for i, id := range s.Sources {
		if env, there := r.environments[id]; !there || env != s.Environment || slices.Contains(s.Sources[:i], id) {
			r.add(CodeSource, "source %q is not there, is of environment %q and not of %q, or is named twice", id, env, s.Environment)
		}
		r.named[id] = true
	}
	if s.Task == "function_call" {
		r.checkCall(s)
	} else {
		r.checkOptions(s)
	}
	r.checkEvidence(s)
}

func (r *reader) checkOptions(s Sample) {
	texts := map[string]bool{}
	for _, key := range []string{"A", "B", "C", "D"} {
		texts[s.Options[key]] = true
	}
	if len(s.Options) != 4 || len(texts) != 4 || texts[""] || len(s.Tools) > 0 {
		r.add(CodeOptions, "options %v and %d tools; want four different texts from A to D, and no tools", s.Options, len(s.Tools))
	}
	var answer string
	if err := json.Unmarshal(s.Answer, &answer); err != nil || s.Options[answer] == "" {
		r.add(CodeAnswer, "the answer %s is none of the options", s.Answer)
	}
}

func (r *reader) checkCall(s Sample) {
	if len(s.Options) > 0 || len(s.Tools) < 2 {
		r.add(CodeTools, "%d tools and %d options; want two tools or more, and no options", len(s.Tools), len(s.Options))
	}
	var call struct {
		Name      string                     `json:"name"`
		Arguments map[string]json.RawMessage `json:"arguments"`
	}
	dec := json.NewDecoder(bytes.NewReader(s.Answer))
	dec.DisallowUnknownFields()
	if err := pipeline.DecodeSingle(dec, &call); err != nil || call.Arguments == nil {
		r.add(CodeAnswer, "the answer %s is no call with a name and arguments", s.Answer)
	}
	names := map[string]bool{}
	fits := false
	for _, t := range s.Tools {
		var schema struct {
			Type       string                     `json:"type"`
			Properties map[string]json.RawMessage `json:"properties"`
			Required   []string                   `json:"required"`
		}
		if err := json.Unmarshal(t.Parameters, &schema); err != nil || schema.Type != "" && schema.Type != "object" || names[t.Name] || t.Name == "" {
			r.add(CodeTools, "tool %q is there twice, or has no schema of an object", t.Name)
		}
		names[t.Name] = true
		if t.Name != call.Name {
			continue
		}
		fits = true
		for _, key := range schema.Required {
			fits = fits && call.Arguments[key] != nil
		}
		for key := range call.Arguments {
			fits = fits && schema.Properties[key] != nil
		}
	}
	if !fits {
		r.add(CodeAnswer, "no tool takes the call %s", s.Answer)
	}
}

func (r *reader) checkEvidence(s Sample) {
	sources := map[string]bool{}
	for i, e := range s.Evidence {
		source, there := r.bench.Turns[e.Turn]
		if !there || source != e.Source || !slices.Contains(s.Sources, source) {
			r.add(CodeEvidence, "piece %d is turn %q of source %q, which is not there, or in another one", i+1, e.Turn, e.Source)
		}
		if e.Order != i+1 || !slices.Contains([]string{"clue", "update", "superseded", "context"}, e.Role) {
			r.add(CodeEvidence, "piece %d has order %d and role %q", i+1, e.Order, e.Role)
		}
		if e.Text == "" && e.Image == "" || (e.Modality == "image") != (e.Image != "") && e.Modality != "table" {
			r.add(CodeEvidence, "piece %d of modality %q has the image %q", i+1, e.Modality, e.Image)
		}
		if e.Image != "" {
			r.checkPicture(e.Image)
		}
		sources[e.Source] = true
	}
	want := 2
	if s.Arrangement == "concentrated" {
		want = 1
	}
	if len(sources) < want {
		r.add(CodeSpread, "its %d pieces of evidence stand in %d sources; want %d or more", len(s.Evidence), len(sources), want)
	}
}
