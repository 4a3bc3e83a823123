package format

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/safetext"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// cutoffs are the values of K (C.4).
func cutoffs() []int { return []int{10, 20, 50, 100} }

// Retrieval scores what a memory system retrieved for each question (C.4).
func Retrieval() score.Scorer {
	return score.Scorer{
		Name: "smmbench-retrieval", Takes: takes(), Answers: readRetrieved,
		Help: "Takes the retrieved.jsonl of memforge run. Else an answer is what was retrieved, best first: entries parted by spaces, each the ids of its turns joined by +. Recall@K is the share of the evidence in the first K entries, " +
			"Precision@K the share of K that entries with evidence are, also where fewer than K were retrieved (as table 3 falls).",
		Load: func(dir string) (score.QuestionSet, error) {
			b, err := loadExport(dir)
			return retrievalScorer{b}, err
		},
		Release: func(c release.Contents) (score.QuestionSet, error) {
			b, err := loadRelease(c)
			return retrievalScorer{b}, err
		},
	}
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

// retrievalScorer are the items with the evidence that should be retrieved.
type retrievalScorer struct{ answerScorer }

// IDs implements score.Asked.
func (s retrievalScorer) IDs() []string {
	out := make([]string, len(s.items))
	for i, one := range s.items {
		out[i] = one.id
	}
	return out
}

// neededPieces returns the pieces that are not superseded.
func (i item) neededPieces() []piece {
	return slices.DeleteFunc(slices.Clone(i.pieces), func(p piece) bool { return p.role == schemas.RoleSuperseded })
}

// recallPrecision returns recall and precision of the first k entries. Superseded pieces
// count: a conflict shows only with both sides.
func (i item) recallPrecision(entries [][]string, k int) (recall, precision float64) {
	top := entries[:min(k, len(entries))]
	holds := func(e []string, p piece) bool { return slices.Contains(e, p.turn) }
	found := benchformat.CountFound(i.pieces, top, func(p piece, e []string) bool { return holds(e, p) })
	useful := benchformat.CountFound(top, i.pieces, holds)
	return float64(found) / float64(len(i.pieces)), float64(useful) / float64(k)
}

func entriesOf(answer string) (out [][]string) {
	for _, e := range strings.Fields(answer) {
		out = append(out, strings.Split(e, "+"))
	}
	return out
}

// retrievalRow is a row of the table.
type retrievalRow struct {
	Name      string     `json:"name"`
	Count     int        `json:"count"`
	Recall    []valueAtK `json:"recall"`
	Precision []valueAtK `json:"precision"`
}

type valueAtK struct {
	K    int      `json:"k"`
	Mean float64  `json:"mean"`
	Low  *float64 `json:"low,omitempty"`
	High *float64 `json:"high,omitempty"`
}

// Score implements score.Asked.
func (s retrievalScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	var missing []string
	rankings := map[string][][]string{}
	for _, i := range s.items {
		answer, given := answers[i.id]
		if !given {
			missing = append(missing, i.id)
			continue
		}
		rankings[i.id] = entriesOf(answer)
	}
	if len(missing) > 0 && !o.Incomplete {
		return nil, &score.MissingError{IDs: missing}
	}
	out := retrievalScores{}
	if len(missing) > 0 {
		out.warned = []string{fmt.Sprintf("%d questions have nothing retrieved and are in no mean", len(missing))}
	}
	add := func(name string, keep func(item) bool) {
		if l := s.line(name, rankings, keep); l.Count > 0 {
			out.Lines = append(out.Lines, l)
		}
	}
	add("all", func(i item) bool { return !i.twin })
	for _, t := range tasks() {
		add(t.short, func(i item) bool { return !i.twin && i.task == t })
	}
	add("one source", func(i item) bool { return i.twin })
	return out, nil
}

func (s retrievalScorer) line(name string, rankings map[string][][]string, keep func(item) bool) retrievalRow {
	out := retrievalRow{Name: name}
	for n, k := range cutoffs() {
		var recall, precision []agreement.Score
		for _, i := range s.items {
			entries, given := rankings[i.id]
			if !given || !keep(i) || len(i.pieces) == 0 {
				continue
			}
			r, p := i.recallPrecision(entries, k)
			recall, precision = append(recall, agreement.Score{Cluster: i.fact, Value: r}), append(precision, agreement.Score{Cluster: i.fact, Value: p})
		}
		if n == 0 {
			out.Count = len(recall)
		}
		if len(recall) == 0 {
			return out
		}
		out.Recall, out.Precision = append(out.Recall, meanAtK(k, recall)), append(out.Precision, meanAtK(k, precision))
	}
	return out
}

func meanAtK(k int, samples []agreement.Score) valueAtK {
	sum := 0.0
	for _, s := range samples {
		sum += s.Value
	}
	out := valueAtK{K: k, Mean: sum / float64(len(samples))}
	out.Low, out.High = interval(samples)
	return out
}

// retrievalScores are the Scores of Retrieval.
type retrievalScores struct {
	Lines  []retrievalRow `json:"lines"`
	warned []string
}

// Warnings implements score.Scores.
func (r retrievalScores) Warnings() []string { return r.warned }

// Print implements score.Scores.
func (r retrievalScores) Print(out io.Writer) error {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	safetext.Fprintf(w, "\tquestions")
	for _, what := range []string{"Recall", "Precision"} {
		for _, k := range cutoffs() {
			safetext.Fprintf(w, "\t%s@%d", what, k)
		}
	}
	safetext.Fprintf(w, "\n")
	for _, l := range r.Lines {
		safetext.Fprintf(w, "%s\t%d", l.Name, l.Count)
		for _, f := range slices.Concat(l.Recall, l.Precision) {
			safetext.Fprintf(w, "\t%.4f", f.Mean)
		}
		safetext.Fprintf(w, "\n")
	}
	return w.Flush()
}
