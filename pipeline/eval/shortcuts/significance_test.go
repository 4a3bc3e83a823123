package shortcuts

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/schemas"
)

// scores makes facts of which chance is a fourth: so many in each cluster are
// right of so many.
func scores(clusters ...[2]int) []score {
	var out []score
	for c, n := range clusters {
		for i := range n[1] {
			s := score{cluster: fmt.Sprint(c), chance: 0.25}
			if i < n[0] {
				s.right = 1
			}
			out = append(out, s)
		}
	}
	return out
}

// By hand: 12 of 16 alike in 4 clusters is the binomial 3.81e-5, for the clusters
// do not differ; the t of the surpluses 2, 0, 1, 1 over 4 clusters is
// 1/(0.8165/2) = 2.4495, whose upper tail with 3 degrees of freedom is 0.0459; of
// 8 right ones of 16 for themselves it is 0.25/(0.5164/4) = 1.9365, with 15
// degrees 0.0359, where the binomial is 0.0271.
func TestByLuck(t *testing.T) {
	own := make([][2]int, 16)
	for i := range own {
		own[i] = [2]int{map[bool]int{true: 1}[i < 8], 1}
	}
	for name, tc := range map[string]struct {
		scores []score
		want   float64
	}{
		"each fact for itself": {scores(own...), 0.03594},
		"clusters alike":       {scores([2]int{3, 4}, [2]int{3, 4}, [2]int{3, 4}, [2]int{3, 4}), 3.81e-5},
		"between clusters":     {scores([2]int{3, 4}, [2]int{1, 4}, [2]int{2, 4}, [2]int{2, 4}), 0.0459},
		"at chance":            {scores([2]int{1, 4}, [2]int{1, 4}), 1},
		"below chance":         {scores([2]int{0, 4}, [2]int{1, 4}), 1},
		"one cluster":          {scores([2]int{40, 40}), 1},
		"all right":            {scores([2]int{4, 4}, [2]int{4, 4}, [2]int{1, 1}, [2]int{7, 7}), math.Pow(0.25, 16)},
		"three clusters":       {scores([2]int{4, 4}, [2]int{4, 4}, [2]int{7, 7}), 1},
	} {
		if got := luckPValue(tc.scores, true); math.Abs(got-tc.want) > 2e-3*tc.want {
			t.Errorf("%s: %.5g, want %.5g", name, got, tc.want)
		}
	}
}

// Holm's own way: the least of three counts three times, the next twice, and
// none less than one before it.
func TestHolm(t *testing.T) {
	for _, tc := range []struct{ in, want []float64 }{
		{[]float64{0.01, 0.04, 0.03}, []float64{0.03, 0.06, 0.06}},
		{[]float64{0.5, 0.004, 0.9}, []float64{1, 0.012, 1}},
		{[]float64{0.02}, []float64{0.02}},
		{nil, nil},
	} {
		got := holm(tc.in)
		if !slices.EqualFunc(got, tc.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%v gives %v, want %v", tc.in, got, tc.want)
		}
	}
}

// TestManyFormsAreCorrectedFor studies one form that is beyond chance by itself,
// and again beside many clean ones.
func TestManyFormsAreCorrectedFor(t *testing.T) {
	form := func(name string, seed uint64, hints int) []schemas.Question {
		qs := clean(60, rand.New(rand.NewPCG(seed, 9)))
		for i := range qs {
			qs[i].Type, qs[i].QuestionID, qs[i].TaskID = name, name+qs[i].QuestionID, name+qs[i].TaskID
			if i < hints {
				suffix(&qs[i], " with a dent")
			}
		}
		return qs
	}
	adjusted := func(others int) float64 {
		qs := form("hinted", 1, 22)
		for i := range others {
			qs = append(qs, form(fmt.Sprint("other", i), uint64(10+i), 0)...)
		}
		studies, err := Studies(Subject{Questions: qs, Chance: func(form string) *rand.Rand { return rand.New(rand.NewPCG(1, uint64(len(form)))) }})
		if err != nil {
			t.Fatal(err)
		}
		at := slices.IndexFunc(studies, func(s *Study) bool { return s.Form == "hinted" })
		return figure(t, studies[at], "longest option").Adjusted
	}
	alone, among := adjusted(0), adjusted(6)
	if alone == 0 || among < 6*alone || among > 1 {
		t.Errorf("corrected chance of luck %.3g alone and %.3g among seven forms", alone, among)
	}
}

// TestCopiesCountOnce studies facts, and the same facts each shown in eight ways:
// every figure but the folds of the models is the same. The ways differ in what
// the video is said to be, in task, media, order of options and mirror group.
func TestCopiesCountOnce(t *testing.T) {
	facts := clean(100, rand.New(rand.NewPCG(11, 11)))
	var rows []schemas.Question
	for i := range facts {
		if i < 20 {
			suffix(&facts[i], " with a dent")
		}
		facts[i].Labels = map[string]string{schemas.LabelFact: facts[i].QuestionID}
		for way := range 8 {
			c := facts[i]
			c.QuestionID, c.TaskID, c.Media = fmt.Sprintf("%s-%d", c.QuestionID, way), fmt.Sprint(i, way), []string{fmt.Sprint(i, way)}
			c.Labels = map[string]string{schemas.LabelFact: facts[i].QuestionID, schemas.LabelMirror: c.QuestionID}
			c.Question = fmt.Sprintf("Layout%d. ", way) + c.Question
			rows = append(rows, c)
		}
	}
	one, eight := study(t, facts), study(t, rows)
	if eight.Questions != 800 || eight.Facts != 100 || eight.Clusters != 100 || one.Facts != 100 {
		t.Errorf("%d rows, %d facts, %d clusters", eight.Questions, eight.Facts, eight.Clusters)
	}
	for i, f := range eight.Figures {
		want := one.Figures[i]
		if strings.HasPrefix(f.Name, "choice model") || strings.Contains(f.Name, "words of the question") {
			continue // what they see differs with the layout
		}
		if math.Abs(f.Accuracy.Value-want.Accuracy.Value) > 1e-9 || math.Abs(f.PValue-want.PValue) > 1e-6 {
			t.Errorf("%s: %.4f, by luck %.3g; as single rows %.4f, %.3g", f.Name, f.Accuracy.Value, f.PValue, want.Accuracy.Value, want.PValue)
		}
	}
	if eight.Position != one.Position {
		t.Errorf("positions p = %g, as single rows %g", eight.Position, one.Position)
	}
}

// TestClustersKeepFactsTogether: what shares a pair, a sequence, a mirror group or
// a task is one cluster, and so are copies of a fact wherever they stand.
func TestClustersKeepFactsTogether(t *testing.T) {
	q := func(id, task string, labels ...string) schemas.Question {
		out := schemas.Question{QuestionID: id, TaskID: task, Labels: map[string]string{schemas.LabelFact: id}}
		for i := 0; i < len(labels); i += 2 {
			out.Labels[labels[i]] = labels[i+1]
		}
		return out
	}
	got := agreement.Clusters([]schemas.Question{
		q("a", "t1", schemas.LabelPair, "p"), q("b", "t2", schemas.LabelPair, "p"), q("c", "t3", "sequence", "s"), q("d", "t4", "sequence", "s"),
		q("e", "t5", schemas.LabelMirror, "m"), q("f", "t6", schemas.LabelMirror, "m"), q("g", "t7"), q("h", "t7"), q("i", "t8"),
		q("j", "t9", schemas.LabelFact, "b"), q("k", "t9", schemas.LabelPair, "s"),
	})
	want := map[string]string{"a": "a", "b": "a", "c": "c", "d": "c", "e": "e", "f": "e", "g": "g", "h": "g", "i": "i", "j": "a", "k": "k"}
	for id, c := range want {
		if got[id] != c {
			t.Errorf("%s is of cluster %s, want %s", id, got[id], c)
		}
	}
}
