package format

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/score/textmatch"
	"github.com/memforge/memforge/pipeline/release"
)

// cutoffs are the values of K (B.4).
func cutoffs() []int { return []int{1, 5, 10} }

// Retrieval scores what a memory system retrieved for each question (B.4).
func Retrieval() score.Scorer {
	return score.Scorer{
		Name: "worldmemarena-retrieval", Takes: takes(), Variants: []string{VariantPaper, VariantUpstream}, Answers: readRetrieved,
		Help: "Takes the retrieved.jsonl of memforge run. Recall@K and NDCG@K by the soft match of ids, sessions and words (B.4). RC needs a judge: the line {\"id\": ..., \"prediction\": ...} with the question's id and #judge has the share of evidence that it found covered, from 0 to 1. Evidence is covered by words where one of the first ten items holds it, or three quarters of its words. " +
			"upstream follows the published code: it divides by log2 of the rank, not of the rank and one, gives an item all evidence that it matches, a question without evidence 0, and pools the questions of all tasks.",
		Load: func(dir string) (score.QuestionSet, error) {
			all, err := loadInstances(dir)
			return retrievalScorer{all}, err
		},
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
func (s retrievalScorer) IDs() []string { return score.WithLabels(questionIDs(s.instances)) }

func questionIDs(all []instance) (out []string) {
	for _, i := range all {
		for _, q := range i.questions {
			out = append(out, q.id)
		}
	}
	return out
}

// Score implements score.Asked. A question without evidence has no recall, and its NDCG is
// 0 (eq. 14); upstream gives it 0 in all.
func (s retrievalScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	none, err := score.FindMissing(questionIDs(s.instances), answers, o)
	if err != nil {
		return nil, err
	}
	f := retrievalScores{variant: o.Variant, labels: score.LabelsIn(answers), recall: make([]means, len(cutoffs())), gain: make([]means, len(cutoffs()))}
	out := figures{Variant: o.Variant, Judge: judgeOf(f.labels)}
	if len(none) > 0 {
		out.warn("%d questions have nothing retrieved and are in no figure", len(none))
	}
	for _, i := range s.instances {
		if err := f.addInstance(i, answers); err != nil {
			return nil, err
		}
	}
	if len(f.labels) > 0 {
		out.add("RC", f.judged)
	} else {
		out.needsJudge("RC")
	}
	out.add("evidence covered by words", f.covered)
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
	variant         string
	labels          score.JudgeLabels
	judged, covered means
	recall, gain    []means
}

func (f *retrievalScores) addInstance(i instance, answers map[string]string) error {
	var judged, covered tally
	recall, gain := make([]tally, len(cutoffs())), make([]tally, len(cutoffs()))
	for _, q := range i.questions {
		answer, given := answers[q.id]
		if !given {
			continue
		}
		var retrieved []score.Retrieved
		if err := json.Unmarshal([]byte(answer), &retrieved); err != nil {
			return fmt.Errorf("what was retrieved for question %s is no JSON list of items: %w", q.id, err)
		}
		items := make([]foundItem, len(retrieved))
		for n, r := range retrieved {
			items[n] = i.newFoundItem(r)
		}
		counts := len(q.evidence) > 0 || f.variant == VariantUpstream
		for n, k := range cutoffs() {
			gain[n].add(q.fact, q.best(f.variant, func(gold []goldPiece) float64 { return ndcg(items, gold, k, f.variant) }))
			if counts {
				recall[n].add(q.fact, q.best(f.variant, func(gold []goldPiece) float64 { return recallAt(items, gold, k) }))
			}
		}
		if counts {
			covered.add(q.fact, q.best(f.variant, func(gold []goldPiece) float64 { return coverage(items, gold) }))
		}
		share, labelled, err := shareLabel(f.labels, q.id)
		if err != nil {
			return err
		}
		if labelled || f.variant == VariantUpstream {
			judged.add(q.fact, share)
		}
	}
	f.judged.per, f.covered.per = append(f.judged.per, judged), append(f.covered.per, covered)
	for n := range cutoffs() {
		f.recall[n].per, f.gain[n].per = append(f.recall[n].per, recall[n]), append(f.gain[n].per, gain[n])
	}
	return nil
}

// best returns the figure of the set of evidence for which it is highest: any that is enough
// counts as found. Published data and upstream's code know one set.
func (q evalQuestion) best(variant string, figure func([]goldPiece) float64) float64 {
	switch {
	case variant == VariantUpstream:
		return figure(q.published())
	case len(q.sets) == 0:
		return figure(q.evidence)
	}
	most := 0.0
	for _, gold := range q.sets {
		most = max(most, figure(gold))
	}
	return most
}

// published returns the evidence that the published layout has: points and pictures, or else
// turns.
func (q evalQuestion) published() []goldPiece {
	if !slices.ContainsFunc(q.evidence, func(g goldPiece) bool { return !g.turn }) {
		return q.evidence
	}
	return slices.DeleteFunc(slices.Clone(q.evidence), func(g goldPiece) bool { return g.turn })
}

// shareLabel returns the share of evidence that a judge found covered.
func shareLabel(labels score.JudgeLabels, id string) (share float64, labelled bool, err error) {
	label, labelled := labels[id]
	if !labelled {
		return 0, false, nil
	}
	share, err = strconv.ParseFloat(label, 64)
	if err != nil || !(share >= 0 && share <= 1) {
		return 0, true, fmt.Errorf("the label of a judge for question %s is %q; want the share of its evidence that is covered, from 0 to 1", id, label)
	}
	return share, true, nil
}

// foundItem is a retrieved memory as the published scorer sees it.
type foundItem struct {
	text     string
	ids      string // with the text, in lower case
	words    []string
	sessions []string
}

func newFoundItem(text string, ids, sessions []string) foundItem {
	return foundItem{text, strings.ToLower(strings.Join(append(slices.Clone(ids), text), "\n")), textmatch.Words(text), sessions}
}

// newFoundItem adds the published names of the turns, pictures and sessions that an item
// comes from: upstream's texts of turns hold the names of their pictures.
func (i instance) newFoundItem(r score.Retrieved) foundItem {
	ids, sessions := append([]string{r.ID, r.MediaID, i.names.pictures[r.MediaID]}, r.TurnIDs...), []string{i.names.sessions[r.SessionID]}
	for _, t := range r.TurnIDs {
		ids = append(ids, i.names.turnPictures[t]...)
		sessions = append(sessions, i.names.turnSessions[t])
	}
	return newFoundItem(r.Text, ids, sessions)
}

// matches is the soft match of B.4 as the published code has it: the name of the evidence
// stands in an id or the text, ignoring case; the item comes from the session of a point; or
// the text has the words of the point in a row, or three quarters of its different words.
func (r foundItem) matches(g goldPiece) bool {
	if g.name != "" && strings.Contains(r.ids, strings.ToLower(g.name)) {
		return true
	}
	session := ""
	if m := pointSession.FindStringSubmatch(g.name); m != nil {
		session = m[1]
	} else if g.turn {
		session = g.session
	}
	if session != "" && slices.Contains(r.sessions, session) {
		return true
	}
	gold := textmatch.Words(g.content)
	if len(gold) == 0 || len(r.words) == 0 {
		return false
	}
	if strings.Contains(strings.Join(r.words, " "), strings.Join(gold, " ")) {
		return true
	}
	slices.Sort(gold)
	gold = slices.Compact(gold)
	return float64(benchformat.CountFound(gold, r.words, func(a, b string) bool { return a == b }))/float64(len(gold)) >= nearly
}

func firstItems(items []foundItem, k int) []foundItem { return items[:min(k, len(items))] }

// coverage returns the share of evidence that the words of some of the first ten items say.
func coverage(items []foundItem, evidence []goldPiece) float64 {
	return shareFound(firstItems(items, 10), evidence, func(g goldPiece, r foundItem) bool { return textSays(r.text, g.content) })
}

// recallAt returns the share of evidence that one of the first k items matches (eq. 10).
func recallAt(items []foundItem, evidence []goldPiece, k int) float64 {
	return shareFound(firstItems(items, k), evidence, func(g goldPiece, r foundItem) bool { return r.matches(g) })
}

func shareFound(items []foundItem, evidence []goldPiece, found func(goldPiece, foundItem) bool) float64 {
	if len(evidence) == 0 {
		return 0
	}
	return float64(benchformat.CountFound(evidence, items, found)) / float64(len(evidence))
}

// ndcg gives an item a gain if it matches evidence that no earlier item has. It has one
// piece of it (eq. 11 to 14), or upstream all.
func ndcg(items []foundItem, evidence []goldPiece, k int, variant string) float64 {
	if len(evidence) == 0 {
		return 0
	}
	taken, dcg := make([]bool, len(evidence)), 0.0
	for rank, r := range firstItems(items, k) {
		gains := false
		for n, g := range evidence {
			if taken[n] || gains && variant != VariantUpstream || !r.matches(g) {
				continue
			}
			taken[n], gains = true, true
		}
		if gains {
			dcg += discount(rank+1, variant)
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
