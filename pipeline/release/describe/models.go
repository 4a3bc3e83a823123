package describe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// modelNames lists the models of some nodes, each once, sorted.
func modelNames(nodes []manifest.StepModels) []string {
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
func describeModels(nodes []manifest.StepModels) string {
	live := slices.ContainsFunc(nodes, func(n manifest.StepModels) bool { return len(n.Models) > 0 })
	var parts []string
	if !live {
		parts = append(parts, "No language model took part.")
	}
	isGate := func(n manifest.StepModels) bool { return n.Kind == string(pipeline.KindGate) }
	if wrote := modelNames(slices.DeleteFunc(slices.Clone(nodes), isGate)); len(wrote) > 0 {
		parts = append(parts, fmt.Sprintf("Written or described by: %s.", strings.Join(wrote, ", ")))
	}
	return strings.Join(append(parts, sharedSeats(nodes)...), " ")
}

// sharedSeats says which seats of panels one model held, and where, each once.
func sharedSeats(nodes []manifest.StepModels) []string {
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
