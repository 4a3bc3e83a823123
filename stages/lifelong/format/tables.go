package format

import (
	"fmt"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/tables"
)

// tableSeed is the seed of resamples.
const tableSeed = 20260529

// Tables returns the paper's tables 2 and 3, what they rest on, and figures 4 to 6, run by
// run.
func Tables() tables.Set {
	var pictured, types []string
	for _, a := range Axes() {
		types = append(types, a.Short, "accuracy, "+a.Short)
		if a.Group == "Multimodal" {
			pictured = append(pictured, a.Short, "accuracy, "+a.Short)
		}
	}
	return tables.MethodSet("worldmemarena", tableSeed,
		tables.Methods{Name: "answers", Title: "right, wrong and abstained, by type of question, tables 2 and 3, figure 6a", Help: "answers of each run by type of question (tables 2 and 3, figure 6a), and how runs spread over types with pictures (figure 5c)", Scorer: Answers(),
			Plots: []tables.Plot{{Kind: tables.PlotHeat, Columns: types}, {Kind: tables.PlotBoxes, Title: "how runs spread over types with pictures, figure 5c", Columns: pictured}}},
		tables.Methods{Name: "memory", Title: "what was held after each session, table 2", Help: "what each run held: memories.jsonl beside the answers (table 2)", Scorer: Memory(), File: "memories.jsonl"},
		tables.Methods{Name: "sessions", Title: "right answers by how many sessions were over, figure 4a", Help: "answers of each run by how many sessions were over (figure 4a)", Scorer: answersBy(sessionParts),
			Plots: []tables.Plot{{Kind: tables.PlotCurve, Title: "right answers by sessions, figure 4a", Columns: []string{"after *"}}}},
		tables.Methods{Name: "composition", Title: "what memories are made of: operations, and kinds of points found, figures 4b and 4c", Help: "operations of each run, beside those that the points ask for, and which kinds of points it found (figures 4b, 4c)", Scorer: composition(), File: "memories.jsonl", Release: goldOperations,
			Plots: []tables.Plot{{Kind: tables.PlotBars, Title: "shares of operations, figure 4b", Columns: []string{opAppend, opRevise, opDelete, opMerge}}, {Kind: tables.PlotBars, Title: "shares of points found, figure 4c", Columns: []string{"found, *"}}}},
		tables.Methods{Name: "scenarios", Title: "right answers by setting and scenario, figures 5a and 5b", Help: "answers of each run by setting and scenario (figures 5a, 5b)", Scorer: answersBy(scenarioParts),
			Plots: []tables.Plot{{Kind: tables.PlotHeat, Columns: []string{"*"}}, {Kind: tables.PlotBars, Title: "right answers by setting, figure 5b", Columns: []string{settingLives, settingRuns}}}},
		tables.Methods{Name: "retrieval", Title: "what was retrieved, table 2 and figure 6b", Help: "what each run retrieved: retrieved.jsonl beside the answers (table 2, figure 6b)", Scorer: Retrieval(), File: "retrieved.jsonl",
			Plots: []tables.Plot{{Kind: tables.PlotCurve, Title: "Recall@K, figure 6b", Columns: []string{"Recall@*"}}, {Kind: tables.PlotCurve, Title: "NDCG@K, figure 6b", Columns: []string{"NDCG@*"}}}},
	)
}

// Names of the two settings (4).
const (
	settingLives = "Lifelong Evolution"
	settingRuns  = "Agentic Execution"
)

// Measures implements tables.Measured. Facts are resampled: those that questions ask for,
// and of memories the points.
func (f figures) Measures(_ map[string]string, seed uint64) (out []tables.Measure) {
	for _, l := range f.Lines {
		shown := tables.Exactly(l.Value, l.Count)
		if got, ok := tables.MeanOfGroups(l.per.groups(f.Variant), seed); ok {
			shown.Low, shown.High = got.Low, got.High
		}
		out = append(out, tables.Measure{Column: l.Name, Figure: shown})
	}
	for _, e := range f.Empty {
		out = append(out, tables.Measure{Column: e.Name, Missing: e.Why})
	}
	return out
}

// sessionParts names the range of sessions after which a question was asked: a tenth of them.
func sessionParts(all []instance) func(instance, evalQuestion) []string {
	most := 1
	for _, i := range all {
		most = max(most, len(i.sessions))
	}
	width := (most + 9) / 10
	return func(_ instance, q evalQuestion) []string {
		last := (max(q.after, 1) + width - 1) / width * width
		if width == 1 {
			return []string{fmt.Sprintf("after %d", last)}
		}
		return []string{fmt.Sprintf("after %d to %d", last-width+1, last)}
	}
}

// scenarioParts names the setting of a task, and its scenario.
func scenarioParts([]instance) func(instance, evalQuestion) []string {
	return func(i instance, _ evalQuestion) []string {
		switch setting, _, _ := strings.Cut(i.scenario, "/"); setting {
		case "lifelong":
			return []string{settingLives, i.scenario}
		case "agent":
			return []string{settingRuns, i.scenario}
		}
		return []string{"without scenario"}
	}
}
