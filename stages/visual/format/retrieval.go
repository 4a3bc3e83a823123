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
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Retrieval scores what a memory system retrieved for each question (D.4).
func Retrieval() score.Scorer {
	return score.Scorer{
		Name: "memeye-retrieval", Variants: []string{"top10", "top5", "top20"}, Answers: readRetrieved,
		Help: "Takes the retrieved.jsonl of memforge run. Else an answer is what was retrieved, best first: ids of rounds as the export has them, parted by spaces, each with its similarity or none (D3:7=0.81 D1:2=0.64). " +
			"With similarities, and more rounds than are counted, it also says what ranking by recency would change.",
		Load: func(dir string) (score.QuestionSet, error) {
			tasks, err := readUnmergedTasks(dir)
			var s retrievalBench
			for _, t := range tasks {
				s.addTask(t)
			}
			return s, err
		},
		Release: func(c release.Contents) (score.QuestionSet, error) {
			tasks, err := layoutTasks(c)
			if err != nil {
				return nil, err
			}
			var s retrievalBench
			for _, t := range tasks {
				s.addTask(t.asReadTask())
			}
			return s, nil
		},
	}
}

// asReadTask is a task as its files would be read.
func (t layoutTask) asReadTask() Task {
	out := Task{Name: t.name}
	for _, s := range t.sessions {
		for _, r := range s.Rounds {
			out.Rounds = append(out.Rounds, r.ID)
		}
	}
	for _, q := range t.questions {
		out.Items = append(out.Items, Item{ID: q.QuestionID, Clues: q.clues, Y: q.Labels[schemas.LabelReasoning]})
	}
	return out
}

// retrievalQuestion is a question with the rounds that should be retrieved.
type retrievalQuestion struct {
	id, y    string
	clues    []string // the last is the latest
	position map[string]int
}

type retrievalBench struct{ items []retrievalQuestion }

func (s *retrievalBench) addTask(t Task) {
	place := map[string]int{}
	for i, r := range t.Rounds {
		place[r] = i
	}
	for _, q := range t.Items {
		clues := slices.Clone(q.Clues)
		slices.SortFunc(clues, func(a, b string) int { return cmp.Compare(place[a], place[b]) })
		s.items = append(s.items, retrievalQuestion{q.ID, q.Y, clues, place})
	}
}

// readRetrieved reads what was retrieved, in the form of memforge run or as answers.
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

// roundOfTurn is the round of a turn, two turns being one; empty for those of profiles.
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

// IDs implements score.Asked.
func (s retrievalBench) IDs() []string {
	var out []string
	for _, q := range s.items {
		out = append(out, q.id)
	}
	return out
}

// hit is a retrieved round with its similarity, NaN where none is given.
type hit struct {
	round string
	sim   float64
}

// parseHits reads a ranking. A round that the dialogue does not have, or that is there
// twice, is an error.
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

// decay is how fast a round grows old, per round that follows it (D.4).
const decay = 0.02

// rerankByRecency ranks hits by a mixture of similarity and recency: weight is the share of
// the former. Only the order changes, so nothing is found that was not retrieved.
func (q retrievalQuestion) rerankByRecency(pool []hit, weight float64) []hit {
	value := func(h hit) float64 {
		age := float64(len(q.position) - q.position[h.round])
		return float64(weight*h.sim) + float64((1-weight)*math.Exp(-decay*age))
	}
	out := slices.Clone(pool)
	slices.SortStableFunc(out, func(a, b hit) int { return cmp.Compare(value(b), value(a)) })
	return out
}

// measure are the measures of one ranking, by name.
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
