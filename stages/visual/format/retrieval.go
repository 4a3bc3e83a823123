package format

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
)

// Retrieval returns the scorer of what a memory system retrieved for each question
// (D.4).
func Retrieval() score.Scorer {
	return score.Reading(score.Scorer{
		Name: "memeye-retrieval", Takes: takes(), Variants: []string{"top10", "top5", "top20"}, Answers: readRetrieved,
		Help: "Takes the retrieved.jsonl of memforge run. Else an answer is what was retrieved, best first: ids of rounds as the export has them, separated by spaces, each with its similarity or none (D3:7=0.81 D1:2=0.64). " +
			"With similarities, and more rounds than are counted, it also says what ranking by recency would change.",
	}, readUnmergedTasks, releasedTasks, func(tasks []Task) score.QuestionSet { return newRetrievalBench(tasks) })
}

// retrievalQuestion is a question with the rounds to retrieve.
type retrievalQuestion struct {
	id, y    string
	clues    []string // the last is the latest
	position map[string]int
}

type retrievalBench []retrievalQuestion

func newRetrievalBench(tasks []Task) (s retrievalBench) {
	for _, t := range tasks {
		place := map[string]int{}
		for i, r := range t.Rounds {
			place[r] = i
		}
		for _, q := range t.Items {
			clues := slices.Clone(q.Clues)
			slices.SortFunc(clues, func(a, b string) int { return cmp.Compare(place[a], place[b]) })
			s = append(s, retrievalQuestion{q.ID, q.Y, clues, place})
		}
	}
	return s
}

// readRetrieved reads retrieved.jsonl of memforge run, or answers.
func readRetrieved(r io.Reader) (map[string]string, error) {
	return score.ReadRetrieved(r, func(items []score.Retrieved) string {
		var rounds, seen []string
		for _, item := range items {
			for _, turn := range item.TurnIDs {
				round := roundOfTurn(turn)
				if round == "" || slices.Contains(seen, round) {
					continue
				}
				seen = append(seen, round)
				rounds = append(rounds, round+"="+strconv.FormatFloat(item.Score, 'g', -1, 64))
			}
		}
		return strings.Join(rounds, " ")
	})
}

// roundOfTurn returns the round of a turn, which has two, or "" for turns of profiles.
func roundOfTurn(turn string) string {
	path := strings.Split(turn, "/")
	if len(path) < 2 {
		return ""
	}
	session, err := strconv.Atoi(strings.TrimPrefix(path[len(path)-2], "S"))
	n, err2 := strconv.Atoi(strings.TrimPrefix(path[len(path)-1], "T"))
	if err != nil || err2 != nil || session == 0 {
		return ""
	}
	return fmt.Sprintf("D%d:%d", session, (n+1)/2)
}

func (s retrievalBench) IDs() []string {
	var out []string
	for _, q := range s {
		out = append(out, q.id)
	}
	return out
}

// hit is a retrieved round with its similarity, NaN if none is given.
type hit struct {
	round string
	sim   float64
}

// parseHits parses a ranking. Rounds that the dialogue does not have, or that are
// listed twice, are errors.
func (q retrievalQuestion) parseHits(answer string) ([]hit, error) {
	var out []hit
	for _, part := range strings.Fields(strings.ReplaceAll(answer, ",", " ")) {
		round, sim, given := strings.Cut(part, "=")
		h := hit{round, math.NaN()}
		if _, known := q.position[round]; !known || slices.ContainsFunc(out, func(o hit) bool { return o.round == round }) {
			return nil, fmt.Errorf("question %s: the round %q was retrieved twice, or is in no session", q.id, round)
		}
		if given {
			var err error
			if h.sim, err = strconv.ParseFloat(sim, 64); err != nil || math.IsNaN(h.sim) || math.IsInf(h.sim, 0) {
				return nil, fmt.Errorf("question %s: the similarity of %s is %q; want a number", q.id, round, sim)
			}
		}
		out = append(out, h)
	}
	return out, nil
}

// decay is the loss of recency per following round (D.4).
const decay = 0.02

// rerankByRecency ranks hits by a mixture of similarity, with share weight, and
// recency. Only the order changes.
func (q retrievalQuestion) rerankByRecency(pool []hit, weight float64) []hit {
	value := func(h hit) float64 {
		age := float64(len(q.position) - q.position[h.round])
		return float64(weight*h.sim) + float64((1-weight)*math.Exp(-decay*age))
	}
	out := slices.Clone(pool)
	slices.SortStableFunc(out, func(a, b hit) int { return cmp.Compare(value(b), value(a)) })
	return out
}

// measure returns the metrics of one ranking.
func (q retrievalQuestion) measure(top []hit) map[string]float64 {
	at := func(round string) int { return slices.IndexFunc(top, func(h hit) bool { return h.round == round }) }
	n := 0.0
	for _, c := range q.clues {
		n += benchformat.BoolScore(at(c) >= 0)
	}
	out := map[string]float64{"any clue": benchformat.BoolScore(n > 0), "coverage": n / float64(len(q.clues)), "full": benchformat.BoolScore(int(n) == len(q.clues))}
	if q.y != "Y3" {
		return out
	}
	latest := q.clues[len(q.clues)-1]
	where := at(latest)
	staleAt := func(stale func(round string) bool) int {
		return slices.IndexFunc(top, func(h hit) bool { return stale(h.round) })
	}
	clue := staleAt(func(r string) bool { return r != latest && slices.Contains(q.clues, r) })
	source := staleAt(func(r string) bool {
		return q.position[r] < q.position[latest] && slices.Contains(roundSessions(q.clues), roundSessions([]string{r})[0])
	})
	out["latest"], out["latest miss"] = benchformat.BoolScore(where >= 0), benchformat.BoolScore(where < 0)
	out["stale clue first"] = benchformat.BoolScore(clue >= 0 && (where < 0 || clue < where))
	out["stale session first"] = benchformat.BoolScore(source >= 0 && (where < 0 || source < where))
	out["inversion"] = benchformat.BoolScore(source >= 0 && where >= 0 && source < where)
	return out
}

// retrievalMetrics lists the metrics in the order of the table. All but the first three
// apply to questions about changes.
func retrievalMetrics() []string {
	return []string{"any clue", "coverage", "full", "latest", "latest miss", "stale clue first", "stale session first", "inversion"}
}

// recencyWeights are the tested shares of similarity; 1 keeps the ranking.
func recencyWeights() []float64 { return []float64{1, 0.9, 0.7, 0.5, 0.3} }

type retrievalScores struct {
	Top   int           `json:"top"`
	Lines []tables.Line `json:"lines"`
	notes []string
}

func (s retrievalBench) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	top, err := strconv.Atoi(strings.TrimPrefix(o.Variant, "top"))
	if err != nil {
		return nil, fmt.Errorf("variant %q: want top and a number", o.Variant)
	}
	if _, err := score.FindMissing(s.IDs(), answers, o); err != nil {
		return nil, err
	}
	rankings := map[string][]hit{}
	similar := true
	for _, q := range s {
		answer, given := answers[q.id]
		if !given {
			continue
		}
		if rankings[q.id], err = q.parseHits(answer); err != nil {
			return nil, err
		}
		similar = similar && !slices.ContainsFunc(rankings[q.id], func(h hit) bool { return math.IsNaN(h.sim) })
	}
	out := retrievalScores{Top: top}
	for _, y := range []string{"Y1", "Y2", "Y3"} {
		out.Lines = append(out.Lines, s.tableLine(y, y, rankings, func(_ retrievalQuestion, pool []hit) []hit { return pool[:min(top, len(pool))] }))
	}
	if !similar {
		out.notes = append(out.notes, "not every round has a similarity, so nothing is ranked by recency")
		return out, nil
	}
	for _, w := range recencyWeights() {
		out.Lines = append(out.Lines, s.tableLine(fmt.Sprintf("Y3, similarity %.1f", w), "Y3", rankings, func(q retrievalQuestion, pool []hit) []hit {
			ranked := q.rerankByRecency(pool, w)
			return ranked[:min(top, len(ranked))]
		}))
	}
	return out, nil
}

// tableLine returns the line of the questions of one depth under a way to rank.
func (s retrievalBench) tableLine(name, y string, rankings map[string][]hit, rank func(retrievalQuestion, []hit) []hit) tables.Line {
	samples := map[string][]sample{}
	for _, q := range s {
		pool, ok := rankings[q.id]
		if q.y != y || !ok {
			continue
		}
		for measure, value := range q.measure(rank(q, pool)) {
			samples[measure] = append(samples[measure], sample{cluster: q.id, value: value})
		}
	}
	out := tables.Line{Slice: name, Figures: map[string]tables.Figure{}}
	for _, measure := range retrievalMetrics() {
		if f, ok := meanWithInterval(samples[measure]); ok {
			out.Figures[measure] = f
		}
	}
	return out
}

// Warnings implements score.Scores.
func (r retrievalScores) Warnings() []string { return r.notes }

func (r retrievalScores) Print(out io.Writer) error {
	return tables.PrintLines(out, r.Lines, retrievalMetrics())
}
