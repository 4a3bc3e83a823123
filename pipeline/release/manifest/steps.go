package manifest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/memforge/memforge/pipeline"
)

// RecordCounts says what one node of the build took in, gave and lost.
type RecordCounts struct {
	Step string `json:"node"`
	// From names the nodes it reads.
	From []string `json:"from,omitempty"`
	Kind string   `json:"kind"`
	Use  string   `json:"use"`
	In   int64    `json:"in"`
	Out  int64    `json:"out"`
	// Lost counts quarantined items, Flagged those that a gate dropped or handed
	// on to be rewritten; Revised are the latter.
	Lost    int64         `json:"lost"`
	Flagged int64         `json:"flagged"`
	Revised int64         `json:"revised"`
	Reasons []ReasonCount `json:"reasons,omitempty"`
	// Excluded counts by code what the node gave, or let pass, and the release leaves
	// out; see schemas.Withheld.
	Excluded []ReasonCount `json:"withheld,omitempty"`
	// Notes counts near misses that the node found, by code; see table sources.
	Notes []ReasonCount `json:"notes,omitempty"`
}

// ReasonCount is how often items were dropped, or noted, with one code.
type ReasonCount struct {
	Code  string `json:"code"`
	Count int64  `json:"count"`
}

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

// Opinions lists the models that held several seats of a panel at the node.
func (n StepModels) Opinions() []pipeline.SharedModel {
	models := map[string]pipeline.ModelIdentity{}
	for _, m := range n.Models {
		models[m.Role] = pipeline.ModelIdentity{Model: m.Model, Host: m.Host}
	}
	return pipeline.SharedModels(models)
}

// GateCounts says what a gate did in one round: with all items, or with those of
// one source (SMMBench, table 4).
type GateCounts struct {
	// Gate as pipeline.yaml calls it. Round is 0 for items as they came and
	// counts how often those of the row were rewritten.
	Gate  string `json:"gate"`
	Round int    `json:"round"`
	Use   string `json:"use"`
	// Source is empty for all items. Items whose source is not known are only
	// there: those made of several.
	Source string `json:"source,omitempty"`
	// In is the items with a verdict: Passed, NotApplicable, Insufficient, Errors
	// and Flagged together. Flagged, those that failed, is Revised, Relabelled, Kept
	// and Dropped together. Asked is those of In about which calls were made: where a rule
	// proposes what a model judges, what it proposed.
	In            int64 `json:"in"`
	Asked         int64 `json:"asked,omitempty"`
	Passed        int64 `json:"passed"`
	NotApplicable int64 `json:"not_applicable"`
	Insufficient  int64 `json:"insufficient"`
	Errors        int64 `json:"errors"`
	Flagged       int64 `json:"flagged"`
	Revised       int64 `json:"revised"`
	Relabelled    int64 `json:"relabelled"`
	Kept          int64 `json:"kept"`
	Dropped       int64 `json:"dropped"`
	// Reasons are the codes of those that failed, the others those of the items
	// without a judgement.
	Reasons              []ReasonCount `json:"reasons,omitempty"`
	NotApplicableReasons []ReasonCount `json:"not_applicable_reasons,omitempty"`
	InsufficientReasons  []ReasonCount `json:"insufficient_reasons,omitempty"`
}

// MainReason is the most frequent code with its count, or empty.
func (g GateCounts) MainReason() string { return MainReason(g.Reasons) }

// Step names the gate of the plan whose work the row counts.
func (g GateCounts) Step() string {
	if g.Round == 0 {
		return g.Gate
	}
	return pipeline.RoundName(g.Gate, g.Round)
}

// Label names the row's gate with its round.
func (g GateCounts) Label() string {
	if g.Round == 0 {
		return g.Gate
	}
	return fmt.Sprintf("%s, round %d", g.Gate, g.Round)
}

// MainReason returns the most frequent code with its count, or nothing.
func MainReason(reasons []ReasonCount) string {
	if len(reasons) == 0 {
		return ""
	}
	r := MostFrequent(reasons)
	return fmt.Sprintf("%s (%d)", r.Code, r.Count)
}

// MostFrequent returns the most frequent code, the first in the alphabet among equals.
func MostFrequent(reasons []ReasonCount) ReasonCount {
	if len(reasons) == 0 {
		return ReasonCount{}
	}
	return slices.MaxFunc(reasons, func(a, b ReasonCount) int {
		return cmp.Or(cmp.Compare(a.Count, b.Count), cmp.Compare(b.Code, a.Code))
	})
}
