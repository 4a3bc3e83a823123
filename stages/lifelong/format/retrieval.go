package format

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/release"
)

// cutoffs are the values of K (B.4).
func cutoffs() []int { return []int{1, 5, 10} }

// judgeRule names who decides where no judge was asked.
const judgeRule = "rule"

// Retrieval scores what a memory system retrieved for each question (B.4).
func Retrieval() score.Scorer {
	return score.Scorer{
		Name: "worldmemarena-retrieval", Takes: takes(), Variants: []string{VariantPaper, VariantUpstream}, Answers: readRetrieved,
		Help: "Takes the retrieved.jsonl of memforge run. Recall@K and NDCG@K by the soft match of ids, sessions and words (B.4). RC needs a judge in the paper; here a rule stands in for it: a piece of evidence is covered where one of the first ten items holds it, or three quarters of its words. " +
			"upstream divides by log2 of the rank, not of the rank and one, and pools the questions of all tasks.",
		Release: func(c release.Contents) (score.QuestionSet, error) {
			all, err := instances(c)
			all = slices.DeleteFunc(all, func(i instance) bool { return len(i.sessions) == 0 })
			return retrievalScorer{all}, err
		},
	}
}

// readRetrieved reads what was retrieved; each answer is a JSON list of items.
func readRetrieved(r io.Reader) (map[string]string, error) {
	var bad error
	out, err := score.ReadRetrieved(r, func(items []score.Retrieved) string {
		data, err := json.Marshal(items)
		if err != nil {
			bad = fmt.Errorf("retrieved: %w", err)
		}
		return string(data)
	})
	if err == nil {
		err = bad
	}
	return out, err
}

type retrievalScorer struct{ instances []instance }

// IDs implements score.Asked.
func (s retrievalScorer) IDs() []string { return questionIDs(s.instances) }

func questionIDs(all []instance) (out []string) {
	for _, i := range all {
		for _, q := range i.questions {
			out = append(out, q.id)
		}
	}
	return out
}

// countMissing counts questions without an answer, which are an error in a complete run.
func countMissing(all []instance, answers map[string]string, o score.Options) (int, error) {
	var none []string
	for _, id := range questionIDs(all) {
		if _, given := answers[id]; !given {
			none = append(none, id)
		}
	}
	if len(none) > 0 && !o.Incomplete {
		return len(none), &score.MissingError{IDs: none}
	}
	return len(none), nil
}

// Score implements score.Asked. Questions without evidence have no recall; their NDCG
// is 0 (eq. 14).
func (s retrievalScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	none, err := countMissing(s.instances, answers, o)
	if err != nil {
		return nil, err
	}
	out := figures{Variant: o.Variant, Judge: judgeRule}
	if none > 0 {
		out.warn("%d questions have nothing retrieved and are in no figure", none)
	}
	f := retrievalScores{recall: make([]means, len(cutoffs())), gain: make([]means, len(cutoffs()))}
	for _, i := range s.instances {
		if err := f.addInstance(i, answers, o.Variant); err != nil {
			return nil, err
		}
	}
	out.add("RC", f.covered)
	for n, k := range cutoffs() {
		out.add(fmt.Sprintf("Recall@%d", k), f.recall[n])
	}
	for n, k := range cutoffs() {
		out.add(fmt.Sprintf("NDCG@%d", k), f.gain[n])
	}
	return out, nil
}

// retrievalScores collects coverage, and recall and gain by the place of their K in
// cutoffs.
type retrievalScores struct {
	covered      means
	recall, gain []means
}

func (f *retrievalScores) addInstance(i instance, answers map[string]string, variant string) error {
	var covered tally
	recall, gain := make([]tally, len(cutoffs())), make([]tally, len(cutoffs()))
	for _, q := range i.questions {
		answer, given := answers[q.id]
		if !given {
			continue
		}
		var items []score.Retrieved
		if err := json.Unmarshal([]byte(answer), &items); err != nil {
			return fmt.Errorf("what was retrieved for question %s is no JSON list of items: %w", q.id, err)
		}
		for n, k := range cutoffs() {
			gain[n].add(ndcg(items, q.evidence, k, variant))
			if len(q.evidence) > 0 {
				recall[n].add(recallAt(items, q.evidence, k))
			}
		}
		if len(q.evidence) > 0 {
			covered.add(coverage(items, q.evidence))
		}
	}
	f.covered.per = append(f.covered.per, covered)
	for n := range cutoffs() {
		f.recall[n].per, f.gain[n].per = append(f.recall[n].per, recall[n]), append(f.gain[n].per, gain[n])
	}
	return nil
}

func firstItems(items []score.Retrieved, k int) []score.Retrieved { return items[:min(k, len(items))] }

// coverage returns the share of evidence that the words of some of the first ten items say.
func coverage(items []score.Retrieved, evidence []goldPiece) float64 {
	found := benchformat.CountFound(evidence, firstItems(items, 10), func(g goldPiece, r score.Retrieved) bool { return textSays(r.Text, g.content) })
	return float64(found) / float64(len(evidence))
}

// recallAt returns the share of evidence that one of the first k items matches (eq. 10).
func recallAt(items []score.Retrieved, evidence []goldPiece, k int) float64 {
	found := benchformat.CountFound(evidence, firstItems(items, k), func(g goldPiece, r score.Retrieved) bool { return matches(r, g) })
	return float64(found) / float64(len(evidence))
}

// ndcg assigns each item at most one piece of evidence: the first match that no earlier
// item has (eq. 11 to 14).
func ndcg(items []score.Retrieved, evidence []goldPiece, k int, variant string) float64 {
	if len(evidence) == 0 {
		return 0
	}
	taken, dcg := make([]bool, len(evidence)), 0.0
	for rank, r := range firstItems(items, k) {
		for i, g := range evidence {
			if !taken[i] && matches(r, g) {
				taken[i] = true
				dcg += discount(rank+1, variant)
				break
			}
		}
	}
	ideal := 0.0
	for rank := 1; rank <= min(len(evidence), k); rank++ {
		ideal += discount(rank, variant)
	}
	return dcg / ideal
}

// discount returns the weight of a rank from 1: eq. 12, or by log2 of the rank in
// upstream's code, where ranks 1 and 2 weigh the same.
func discount(rank int, variant string) float64 {
	if rank == 1 {
		return 1
	}
	if variant == VariantUpstream {
		return 1 / math.Log2(float64(rank))
	}
	return 1 / math.Log2(float64(rank+1))
}
