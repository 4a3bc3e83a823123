package format

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Tables returns the paper's tables 2 and 3 and figure 5, run by run, and what figures 7 to 9
// say of the release.
func Tables() tables.Set {
	s := tables.MethodSet("smmbench", seed,
		tables.Methods{Name: "tasks", Title: "accuracy by task, by sources, and with all evidence in one source, table 2", Help: "runs by task and number of sources (table 2)", Scorer: Scorer()},
		tables.Methods{Name: "retrieval", Title: "what was retrieved, table 3", Help: "what each run retrieved: retrieved.jsonl beside the answers (table 3)", Scorer: Retrieval(), File: "retrieved.jsonl"},
		tables.Methods{Name: "diagnosis", Title: "why answers failed, figure 5", Help: "why answers of each run failed, from what it retrieved and a judge's labels (figure 5)", Scorer: Diagnosis(),
			Plots: []tables.Plot{{Kind: tables.PlotBars, Title: "shares of failures by label, figure 5", Columns: labels()}}},
	)
	s.Tables = append(s.Tables, tables.TableKind{Name: "statistics", Help: "lengths of conversations, pieces of evidence and their forms (figures 7 to 9); needs no run", Make: statistics})
	return s
}

// statistics returns figures 7 to 9. Shares of questions have intervals by fact; twins do not
// count.
func statistics(in tables.Inputs) ([]tables.Table, error) {
	all, err := loadRelease(in.Contents)
	if err != nil {
		return nil, err
	}
	all = slices.DeleteFunc(all, func(i item) bool { return i.twin })
	sessions, err := release.DecodeTable[schemas.Session](in.Contents, "sessions")
	if err != nil {
		return nil, err
	}
	used := map[string]bool{}
	for _, i := range all {
		used[i.Environment] = true
	}
	var lengths []agreement.Score
	var turns []int
	for _, s := range sessions {
		if used[s.TaskID] && slices.Contains([]string{schemas.KindGroupChat, schemas.KindPrivateChat, schemas.KindDialogue}, s.Kind) {
			lengths, turns = append(lengths, agreement.Score{Cluster: s.SessionID}), append(turns, len(s.Turns))
		}
	}
	facts := make([]agreement.Score, len(all))
	for n, i := range all {
		facts[n].Cluster = i.Fact
	}
	pieces := func(n int) string { return fmt.Sprint(len(all[n].Evidence)) }
	forms := func(n int) string {
		var out []string
		for _, p := range all[n].Evidence {
			out = append(out, p.Modality)
		}
		slices.Sort(out)
		return strings.Join(slices.Compact(out), "+")
	}
	return []tables.Table{
		distribution("turns of conversations, figure 7", "conversations", in.Seed, lengths, func(n int) string { return lengthRange(turns[n]) }),
		distribution("pieces of evidence of a question, figure 8", "questions", in.Seed, facts, pieces),
		distribution("forms of evidence of a question, figure 9", "questions", in.Seed, facts, forms),
	}, nil
}

// lengthRange returns the range of figure 7 that a length is in: paper names 1-250 and
// 1001-1500.
func lengthRange(turns int) string {
	from := 1
	for _, to := range []int{250, 500, 750, 1000, 1500} {
		if turns <= to {
			return fmt.Sprintf("%d-%d", from, to)
		}
		from = to + 1
	}
	return "1501 and more"
}

// distribution counts things by a part that each is in. Scores have what is resampled.
func distribution(title, of string, seed uint64, all []agreement.Score, part func(n int) string) tables.Table {
	out := tables.Table{Name: "statistics", Title: title, Columns: []string{of, "share"}, Plots: []tables.Plot{{Kind: tables.PlotBars, Title: title, Columns: []string{"share"}}}}
	counts := map[string]int{}
	for n := range all {
		counts[part(n)]++
	}
	first := func(name string) (n int) { _, _ = fmt.Sscan(name, &n); return n }
	for _, name := range slices.SortedFunc(maps.Keys(counts), func(a, b string) int { return cmp.Or(first(a)-first(b), counts[b]-counts[a], strings.Compare(a, b)) }) {
		for n := range all {
			all[n].Value = benchformat.BoolScore(part(n) == name)
		}
		share, _ := tables.Mean(all, seed)
		out.Lines = append(out.Lines, tables.Line{Slice: name, Figures: map[string]tables.Figure{of: tables.Count(counts[name]), "share": share}})
	}
	return out
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
