package release

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// StepModels is who answered what a node asked: language models by role, and
// built-in rules. A node that asks nothing has no row.
type StepModels struct {
	Step string `json:"node"`
	Kind string `json:"kind"`
	Use  string `json:"use"`
	// Models are sorted by role, Prompts and Rules by task.
	Models  []ModelUse  `json:"models,omitempty"`
	Prompts []PromptUse `json:"prompts,omitempty"`
	Rules   []RuleUse   `json:"rules,omitempty"`
}

// ModelUse is the model behind a role. Host is that of its base URL, without
// path and key.
type ModelUse struct {
	Role     string          `json:"role"`
	Model    string          `json:"model"`
	Host     string          `json:"host"`
	Sampling json.RawMessage `json:"sampling,omitempty"`
}

// PromptUse is the prompt of a task.
type PromptUse struct {
	Task    string          `json:"task"`
	Version string          `json:"version"`
	Digest  pipeline.Digest `json:"digest"`
}

// RuleUse is how the built-in model answers a task.
type RuleUse struct {
	Task    string `json:"task"`
	Version string `json:"version"`
}

// modelNames lists the models of some nodes, each once, sorted.
func modelNames(nodes []StepModels) []string {
	var out []string
	for _, n := range nodes {
		for _, m := range n.Models {
			out = append(out, m.Model+" at "+m.Host)
		}
		if len(n.Rules) > 0 {
			out = append(out, pipeline.BuiltInModel)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// describeModels says which models wrote. Which of them tested is for checked to say:
// that a gate may ask does not mean that it did.
func describeModels(nodes []StepModels) string {
	live := slices.ContainsFunc(nodes, func(n StepModels) bool { return len(n.Models) > 0 })
	var parts []string
	if !live {
		parts = append(parts, "No language model took part.")
	}
	isGate := func(n StepModels) bool { return n.Kind == string(pipeline.KindGate) }
	if wrote := modelNames(slices.DeleteFunc(slices.Clone(nodes), isGate)); len(wrote) > 0 {
		parts = append(parts, fmt.Sprintf("Written or described by: %s.", strings.Join(wrote, ", ")))
	}
	return strings.Join(append(parts, sharedSeats(nodes)...), " ")
}

// Opinions lists the models that held several seats of a panel at the node.
func (n StepModels) Opinions() []pipeline.SharedModel {
	models := map[string]pipeline.ModelIdentity{}
	for _, m := range n.Models {
		models[m.Role] = pipeline.ModelIdentity{Model: m.Model, Host: m.Host}
	}
	return pipeline.SharedModels(models)
}

// sharedSeats says which seats of panels one model held, and where, each once.
func sharedSeats(nodes []StepModels) []string {
	var said []string
	where := map[string][]string{}
	for _, n := range nodes {
		for _, o := range n.Opinions() {
			s := o.String()
			if gate, _ := pipeline.SplitRound(n.Step); !slices.Contains(where[s], gate) {
				where[s] = append(where[s], gate)
			}
			said = append(said, s)
		}
	}
	slices.Sort(said)
	said = slices.Compact(said)
	for i, s := range said {
		said[i] = fmt.Sprintf("In %s the roles %s: that they agree is one opinion.", strings.Join(where[s], ", "), s)
	}
	return said
}
