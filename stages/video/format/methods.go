package format

import (
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/tables"
)

// MethodTables returns the paper's tables 1 to 3, N-Back and figures 8 and 9, run by run.
func MethodTables() tables.Set {
	return tables.MethodSet("m3eval", 20260501,
		tables.Methods{Name: "tasks", Title: "accuracy by task, tables 1 to 3, figures 8 and 9", Help: "runs by the columns of tables 1 to 3, N-Back (figure 11) and figures 8 and 9", Scorer: Scorer()})
}

// Measures implements tables.Measured: the rows of M3Eval's tables that are no difference,
// as shares with intervals by fact.
func (s Scores) Measures(factOf map[string]string, seed uint64) (out []tables.Measure) {
	for _, t := range append([]Table{s.Means()}, s.Tables()...) {
		for _, r := range t.Rows {
			if r.metric == "" {
				continue
			}
			name := strings.TrimSuffix(strings.TrimPrefix(r.metric, "m3eval_"), "_accuracy")
			m := tables.Measure{Column: strings.ReplaceAll(name, "_", " ")}
			marks := slices.Clone(s.marks[r.metric])
			for i := range marks {
				marks[i].Cluster = factOf[marks[i].Cluster]
			}
			if f, ok := tables.Mean(marks, seed); ok {
				m.Figure = f
			} else {
				m.Missing = tables.NoQuestions
			}
			out = append(out, m)
		}
	}
	return out
}
