package format

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/schemas"
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
	fact     string     // what it asks for; intervals resample facts
	task     string     // its id, where a release says it
	sets     [][]string // of clues, of which each set is enough; the last clue is the latest
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
			sorted := retrievalQuestion{id: q.ID, y: q.Y, task: q.Task, fact: cmp.Or(q.Fact, q.ID), position: place}
			sets := q.Sets
			if len(sets) == 0 {
				sets = [][]string{q.Clues}
			}
			for _, clues := range sets {
				sorted.sets = append(sorted.sets, slices.SortedFunc(slices.Values(clues), func(a, b string) int { return cmp.Compare(place[a], place[b]) }))
			}
			s = append(s, sorted)
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

// roundOfTurn returns the round of a turn, which has two, behind the id of its task; "" for turns of
// profiles.
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
	return fmt.Sprintf("%s/D%d:%d", url.QueryEscape(strings.Join(path[:len(path)-2], "/")), session, (n+1)/2)
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
// listed twice, are errors. Rounds of other tasks, which a run on merged histories finds, take
// a place and are no clues.
func (q retrievalQuestion) parseHits(answer string) ([]hit, error) {
	var out []hit
	for _, part := range strings.Fields(strings.ReplaceAll(answer, ",", " ")) {
		round, sim, given := strings.Cut(part, "=")
		task, own, named := strings.Cut(round, "/")
		other := named && q.task != "" && task != url.QueryEscape(q.task)
		if named && !other {
			round = own
		}
		h := hit{round, math.NaN()}
		if _, known := q.position[round]; !known && !other || slices.ContainsFunc(out, func(o hit) bool { return o.round == round }) {
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

// measure returns the metrics of one ranking, by the set of clues of which it has most.
func (q retrievalQuestion) measure(top []hit) map[string]float64 {
	best := q.measureSet(q.sets[0], top)
	for _, clues := range q.sets[1:] {
		if other := q.measureSet(clues, top); other["coverage"] > best["coverage"] {
			best = other
		}
	}
	return best
}

func (q retrievalQuestion) measureSet(clues []string, top []hit) map[string]float64 {
	at := func(round string) int { return slices.IndexFunc(top, func(h hit) bool { return h.round == round }) }
	n := 0.0
	for _, c := range clues {
		n += benchformat.BoolScore(at(c) >= 0)
	}
	out := map[string]float64{"any clue": benchformat.BoolScore(n > 0), "coverage": n / float64(len(clues)), "full": benchformat.BoolScore(int(n) == len(clues))}
	if q.y != "Y3" {
		return out
	}
	latest := clues[len(clues)-1]
	where := at(latest)
	staleAt := func(stale func(round string) bool) int {
		return slices.IndexFunc(top, func(h hit) bool { return stale(h.round) })
	}
	clue := staleAt(func(r string) bool { return r != latest && slices.Contains(clues, r) })
	source := staleAt(func(r string) bool {
		return q.position[r] < q.position[latest] && slices.Contains(roundSessions(clues), roundSessions([]string{r})[0])
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
	r, err := s.rank(answers, o, top)
	if err != nil {
		return nil, err
	}
	out := retrievalScores{Top: top, Lines: r.depthLines("")}
	if !r.similar {
		out.notes = append(out.notes, "not every round has a similarity and is of the question's task, so nothing is ranked by recency")
		return out, nil
	}
	out.Lines = append(out.Lines, r.recencyLines("Y3, ", 1, 0.9, 0.7, 0.5, 0.3)...)
	return out, nil
}

// rankings are what one system retrieved, of which the first top rounds count.
type rankings struct {
	retrievalBench
	of  map[string][]hit
	top int
	// similar says that all rounds have a similarity, and an age in their task.
	similar bool
}

func (s retrievalBench) rank(answers map[string]string, o score.Options, top int) (r rankings, err error) {
	if _, err := score.FindMissing(s.IDs(), answers, o); err != nil {
		return r, err
	}
	r = rankings{s, map[string][]hit{}, top, true}
	for _, q := range s {
		answer, given := answers[q.id]
		if !given {
			continue
		}
		if r.of[q.id], err = q.parseHits(answer); err != nil {
			return r, err
		}
		r.similar = r.similar && !slices.ContainsFunc(r.of[q.id], func(h hit) bool {
			_, own := q.position[h.round]
			return math.IsNaN(h.sim) || !own
		})
	}
	return r, nil
}

// depthLines returns a line for each depth that has questions.
func (r rankings) depthLines(prefix string) (out []tables.Line) {
	for _, y := range axisY() {
		samples := map[string][]sample{}
		for _, q := range r.retrievalBench {
			if pool, ok := r.of[q.id]; ok && q.y == y {
				for measure, value := range q.measure(pool[:min(r.top, len(pool))]) {
					samples[measure] = append(samples[measure], sample{cluster: q.fact, value: value})
				}
			}
		}
		if len(samples) > 0 {
			out = append(out, lineOf(prefix+y, samples))
		}
	}
	return out
}

// recencyLines returns a line for each share of similarity in the rank of questions about
// changes; 1 keeps the ranking.
func (r rankings) recencyLines(prefix string, weights ...float64) (out []tables.Line) {
	for _, w := range weights {
		if samples := r.recencySamples(w, false); len(samples) > 0 {
			out = append(out, lineOf(fmt.Sprintf("%ssimilarity %.1f", prefix, w), samples))
		}
	}
	return out
}

// recencySamples returns what a share of similarity gives, or how that differs from the
// ranking as it is.
func (r rankings) recencySamples(weight float64, differs bool) map[string][]sample {
	samples := map[string][]sample{}
	for _, q := range r.retrievalBench {
		pool, ok := r.of[q.id]
		if !ok || q.y != schemas.ReasonEvolving {
			continue
		}
		ranked := q.rerankByRecency(pool, weight)
		asItIs := q.measure(pool[:min(r.top, len(pool))])
		for measure, value := range q.measure(ranked[:min(r.top, len(ranked))]) {
			if differs {
				value -= asItIs[measure]
			}
			samples[measure] = append(samples[measure], sample{cluster: q.fact, value: value})
		}
	}
	return samples
}

func lineOf(name string, samples map[string][]sample) tables.Line {
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
