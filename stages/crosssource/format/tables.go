package format

import (
	"slices"

	"github.com/memforge/memforge/pipeline/eval/tables"
)

// Tables returns the paper's tables 2 and 3, run by run.
func Tables() tables.Set {
	return tables.MethodSet("smmbench", seed,
		tables.Methods{Name: "tasks", Title: "accuracy by task, by sources, and with all evidence in one source, table 2", Help: "runs by task and number of sources (table 2)", Scorer: Scorer()},
		tables.Methods{Name: "retrieval", Title: "what was retrieved, table 3", Help: "what each run retrieved: retrieved.jsonl beside the answers (table 3)", Scorer: Retrieval(), File: "retrieved.jsonl"},
	)
}

// Measures implements tables.Measured: a column is a line of the scores, that of all tasks
// first. Lines have their intervals by fact already.
func (r results) Measures(_ map[string]string, _ uint64) (out []tables.Measure) {
	for _, l := range r.Lines {
		for _, c := range r.columns {
			f, has := l.Figures[c]
			m := tables.Measure{Column: l.Slice, Figure: f}
			if c != "mean" {
				m.Column += ", " + c
			}
			switch {
			case !has || f.N == 0:
			case l.Slice == "overall":
				out = slices.Insert(out, 0, m)
			default:
				out = append(out, m)
			}
		}
	}
	return out
}
