package format

import (
	"strconv"

	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
)

// tableSeed is the seed of resamples.
const tableSeed = 20260529

// Tables returns the paper's tables 2 and 3 and what they rest on, run by run.
func Tables() tables.Set {
	s := tables.MethodSet("worldmemarena", tableSeed,
		tables.Methods{Name: "answers", Title: "right, wrong and abstained, by type of question, tables 2 and 3", Help: "answers of each run by type of question (tables 2 and 3)", Scorer: Answers()},
		tables.Methods{Name: "memory", Title: "what was held after each session, table 2", Help: "what each run held: memories.jsonl beside the answers (table 2)", Scorer: Memory(), File: "memories.jsonl"},
		tables.Methods{Name: "retrieval", Title: "what was retrieved, table 2", Help: "what each run retrieved: retrieved.jsonl beside the answers (table 2)", Scorer: Retrieval(), File: "retrieved.jsonl"},
	)
	s.Help += " Figures are means over tasks, so whole tasks, each with all copies of its facts, are resampled."
	return s
}

// Measures implements tables.Measured. Figures are means over tasks, and a fact is within
// one task: tasks are resampled.
func (f figures) Measures(_ map[string]string, seed uint64) (out []tables.Measure) {
	for _, l := range f.Lines {
		shown := tables.Exactly(l.Value, l.Count)
		if got, ok := tables.Mean(l.per.scores(f.Variant), seed); ok {
			shown.Low, shown.High = got.Low, got.High
		}
		out = append(out, tables.Measure{Column: l.Name, Figure: shown})
	}
	for _, e := range f.Empty {
		out = append(out, tables.Measure{Column: e.Name, Missing: e.Why})
	}
	return out
}

// scores returns the means of tasks, each once, or upstream as often as it has items.
func (m means) scores(variant string) (out []agreement.Score) {
	for task, t := range m.per {
		n := min(t.n, 1)
		if variant == VariantUpstream {
			n = t.n
		}
		for range int(n) {
			out = append(out, agreement.Score{Cluster: strconv.Itoa(task), Value: t.sum / t.n})
		}
	}
	return out
}
