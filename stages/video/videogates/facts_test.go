package videogates_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/memforge/memforge/gates/structural"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// copied shows each question in eight ways: other media, id and mirror group, one
// fact.
func copied(qs []schemas.Question) []schemas.Question {
	var out []schemas.Question
	for _, q := range qs {
		for way := range 8 {
			c := q
			c.Labels = map[string]string{}
			for k, v := range q.Labels {
				c.Labels[k] = v
			}
			c.QuestionID = fmt.Sprintf("%s-%d", q.QuestionID, way)
			c.Labels[schemas.LabelFact], c.Labels[schemas.LabelMirror] = q.QuestionID, c.QuestionID
			c.Media = []string{fmt.Sprintf("%060x%04x", len(out), way)}
			out = append(out, c)
		}
	}
	return out
}

// at places the answers of questions: so many at A, at B and so on, in no order.
func at(counts ...int) []schemas.Question {
	var out []schemas.Question
	var places []int
	for place, n := range counts {
		places = append(places, slices.Repeat([]int{place}, n)...)
	}
	rand.New(rand.NewPCG(1, 1)).Shuffle(len(places), func(i, j int) { places[i], places[j] = places[j], places[i] })
	for _, place := range places {
		q := interference(fmt.Sprintf("q%03d", len(out)))
		q.AnswerKey, q.Labels[schemas.LabelTarget] = string(rune('A'+place)), []string{"A", "B", "both", "neither"}[place]
		q.Labels[schemas.LabelMirror] = q.QuestionID
		if place == 3 {
			q.Type = schemas.TypeFalseMemory
		}
		out = append(out, q)
	}
	return out
}

// TestCopiesAreOneObservation shows each fact in eight ways. What is ordinary
// for so many facts is not flagged because there are eight times as many rows,
// and what is not is flagged with all of its copies.
func TestCopiesAreOneObservation(t *testing.T) {
	typed := func(qs []schemas.Question, typ string) []schemas.Question {
		for i := range qs {
			qs[i].Type = typ
		}
		return qs
	}
	ofFirst := func(int) map[string]string { return map[string]string{"first_clip": "1"} }
	for name, tc := range map[string]struct {
		gate    string
		qs      []schemas.Question
		flagged int // facts
	}{
		"positions by chance":     {"answer-position", typed(at(10, 5, 5, 4), schemas.TypeInterference), 0},
		"positions by design":     {"answer-position", typed(at(21, 1, 1, 1), schemas.TypeInterference), 15},
		"a place more than fair":  {"answer-position", typed(at(21, 1, 1, 2), schemas.TypeInterference), 14},
		"answers by chance":       {"source-answers", typed(at(10, 5, 5, 4), schemas.TypeSourceMemory), 0},
		"answers by design":       {"source-answers", typed(at(21, 1, 1, 1), schemas.TypeSourceMemory), 15},
		"first clips by chance":   {"nback-leak", answers(20, func(i int) bool { return i < 14 }, ofFirst), 0},
		"first clips by design":   {"nback-leak", answers(20, func(i int) bool { return i < 20 }, ofFirst), 20},
		"as many yes as no":       {"nback-balance", answers(20, func(i int) bool { return i < 10 }, none), 0},
		"two yes and eighteen no": {"nback-balance", answers(20, func(i int) bool { return i < 2 }, none), 16},
	} {
		n := 0
		for _, j := range judge(t, tc.gate, copied(tc.qs)...) {
			if j.Outcome == pipeline.Fail {
				n++
			}
			if j.Outcome == pipeline.Insufficient {
				t.Errorf("%s: %s", name, j.Reason)
			}
		}
		if n != 8*tc.flagged {
			t.Errorf("%s: %d rows flagged, want %d facts of 8", name, n, tc.flagged)
		}
	}
}

// TestCopiesOfAYesAreNotMoreYes: eight rows with yes and eight with no are not
// balanced when they are one fact beside eight.
func TestCopiesOfAYesAreNotMoreYes(t *testing.T) {
	yes := copied(answers(1, func(int) bool { return true }, none))
	no := answers(9, func(int) bool { return false }, none)[1:]
	if n := failures(judge(t, "nback-balance", append(yes, no...)...), "unbalanced"); n != 7 {
		t.Errorf("%d flagged, want 7 of the 8 no", n)
	}
}

// TestManyTestsAreCorrectedFor puts the fewest answers at one place that a single
// comparison would flag, and finds nothing: several are made. One more set of
// comparisons makes more of them needed.
func TestManyTestsAreCorrectedFor(t *testing.T) {
	const n = 80
	needed := func(p float64, tests float64) int {
		k := 0
		for structural.BinomialTail(k, n, p) >= structural.Suspicion/tests {
			k++
		}
		return k
	}
	flagged := func(gate string, qs []schemas.Question) int {
		n := 0
		for _, j := range judge(t, gate, qs...) {
			if j.Outcome == pipeline.Fail {
				n++
			}
		}
		return n
	}
	spreadOut := func(k int) []schemas.Question { return at(k, (n-k)/3, (n-k)/3, n-k-2*((n-k)/3)) }
	typed := func(qs []schemas.Question, typ string) []schemas.Question {
		out := append([]schemas.Question(nil), qs...)
		for i := range out {
			out[i].Type, out[i].QuestionID = typ, typ+out[i].QuestionID
		}
		return out
	}
	even := typed(spreadOut(20), schemas.TypeContentRetention)
	for i, kind := range []string{schemas.TypeOrderUnderstanding, schemas.TypeSourceIdentification, schemas.TypeSpatialGrounding, schemas.TypeTemporalGrounding} {
		even = append(even, typed(at(20+i, 20, 20, 20-i), kind)...)
	}
	one, four, many := needed(0.25, 1), needed(0.25, 4), needed(0.25, 24)
	if one >= four || four >= many {
		t.Fatalf("%d, %d and %d answers; the test cannot tell them apart", one, four, many)
	}
	for name, tc := range map[string]struct {
		gate string
		qs   []schemas.Question
		want bool
	}{
		"enough for one place":          {"answer-position", typed(spreadOut(one), schemas.TypeInterference), false},
		"enough for four places":        {"answer-position", typed(spreadOut(four), schemas.TypeInterference), true},
		"enough for four, of six types": {"answer-position", append(typed(spreadOut(four), schemas.TypeInterference), even...), false},
		"enough for six types":          {"answer-position", append(typed(spreadOut(many), schemas.TypeInterference), even...), true},
		"enough for one answer":         {"source-answers", typed(spreadOut(one), schemas.TypeSourceMemory), false},
		"enough for four answers":       {"source-answers", typed(spreadOut(four), schemas.TypeSourceMemory), true},
	} {
		if got := flagged(tc.gate, tc.qs) > 0; got != tc.want {
			t.Errorf("%s: flagged %v, want %v", name, got, tc.want)
		}
	}
}

// TestManyGroupsOfTrialsAreCorrectedFor does the same for N-Back: of 40 first
// clips, one may have as many yes as would be suspicious if it were the only one.
func TestManyGroupsOfTrialsAreCorrectedFor(t *testing.T) {
	const n = 40
	of := func(groups, yes int) []schemas.Question {
		return answers(n*groups, func(i int) bool {
			if i < n {
				return i < yes
			}
			return i%2 == 0
		}, func(i int) map[string]string {
			return map[string]string{"first_clip": fmt.Sprint(i / n), "clip_count": "", "frames": ""}
		})
	}
	yes := 0
	for 2*structural.BinomialTail(yes, n, 0.5) >= structural.Suspicion/4 || yes <= n/2 {
		yes++ // four properties are looked at
	}
	for name, tc := range map[string]struct {
		qs   []schemas.Question
		want int
	}{
		"one group":                  {of(1, yes), n},
		"one group, one yes fewer":   {of(1, yes-1), 0},
		"forty groups":               {of(40, yes), 0},
		"forty groups, most are yes": {of(40, n-1), n},
	} {
		if got := failures(judge(t, "nback-leak", tc.qs...), "predictable"); got != tc.want {
			t.Errorf("%s: %d flagged, want %d", name, got, tc.want)
		}
	}
}
