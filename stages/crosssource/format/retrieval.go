package format

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
)

// cutoffs are the values of K (C.4).
func cutoffs() []int { return []int{10, 20, 50, 100} }

// Retrieval scores what a memory system retrieved for each question (C.4).
func Retrieval() score.Scorer {
	return score.Reading(score.Scorer{
		Name: "smmbench-retrieval", Takes: takes(), Answers: readRetrieved,
		Help: "Takes the retrieved.jsonl of memforge run. Else an answer is what was retrieved, best first: entries parted by spaces, each the ids of its turns joined by +. Recall@K is the share of the evidence in the first K entries, " +
			"Precision@K the share of K that entries with evidence are, also where fewer than K were retrieved (as table 3 falls).",
	}, loadExport, loadRelease, func(all items) score.QuestionSet { return retrievalScorer{all} })
}

// readRetrieved reads what was retrieved, as memforge run writes it or as answers.
func readRetrieved(r io.Reader) (map[string]string, error) {
	return score.ReadRetrieved(r, func(items []score.Retrieved) string {
		entries := make([]string, len(items))
		for i, one := range items {
			if entries[i] = strings.Join(one.TurnIDs, "+"); entries[i] == "" {
				entries[i] = "-" // an entry of no turn takes a place all the same
			}
		}
		return strings.Join(entries, " ")
	})
}

// retrievalScorer scores what was retrieved.
type retrievalScorer struct{ items }

// recallPrecision returns recall and precision of the first k entries. Superseded pieces
// count: a conflict shows only with both sides. Of several sets that are enough, recall is
// that of the set of which most was found.
func (i item) recallPrecision(entries [][]string, k int) (recall, precision float64) {
	top := entries[:min(k, len(entries))]
	holds := func(e []string, p Evidence) bool { return slices.Contains(e, p.Turn) }
	for _, set := range i.sufficient() {
		found := benchformat.CountFound(set, top, func(p Evidence, e []string) bool { return holds(e, p) })
		recall = max(recall, float64(found)/float64(len(set)))
	}
	useful := benchformat.CountFound(top, i.Evidence, holds)
	return recall, float64(useful) / float64(k)
}

func entriesOf(answer string) (out [][]string) {
	for _, e := range strings.Fields(answer) {
		out = append(out, strings.Split(e, "+"))
	}
	return out
}

// Score implements score.QuestionSet.
func (s retrievalScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	missing, err := score.FindMissing(s.IDs(), answers, o)
	if err != nil {
		return nil, err
	}
	out := results{}
	if len(missing) > 0 {
		out.warned = []string{fmt.Sprintf("%d questions have nothing retrieved and are in no mean", len(missing))}
	}
	for _, what := range []string{"Recall", "Precision"} {
		for _, k := range cutoffs() {
			out.columns = append(out.columns, fmt.Sprintf("%s@%d", what, k))
		}
	}
	add := func(name string, keep func(item) bool) {
		if l := s.line(name, answers, keep); len(l.Figures) > 0 {
			out.Lines = append(out.Lines, l)
		}
	}
	add("all", func(i item) bool { return !i.twin && i.task != task{} })
	for _, t := range tasks() {
		add(t.short, func(i item) bool { return !i.twin && i.task == t })
	}
	add("one source", func(i item) bool { return i.twin })
	return out, nil
}

func (s retrievalScorer) line(name string, answers map[string]string, keep func(item) bool) tables.Line {
	out := tables.Line{Slice: name, Figures: map[string]tables.Figure{}}
	for _, k := range cutoffs() {
		var recall, precision []agreement.Score
		for _, i := range s.items {
			answer, given := answers[i.ID]
			if !given || !keep(i) || len(i.Evidence) == 0 {
				continue
			}
			r, p := i.recallPrecision(entriesOf(answer), k)
			recall, precision = append(recall, agreement.Score{Cluster: i.Fact, Value: r}), append(precision, agreement.Score{Cluster: i.Fact, Value: p})
		}
		if len(recall) > 0 {
			out.Figures[fmt.Sprintf("Recall@%d", k)], _ = tables.Mean(recall, seed)
			out.Figures[fmt.Sprintf("Precision@%d", k)], _ = tables.Mean(precision, seed)
		}
	}
	return out
}
