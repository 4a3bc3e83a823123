package agreement

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
)

// incomplete are items of which not every rater labelled each. Rater a left out item 5,
// b items 4 and 6, c items 2 and 4; nobody labelled item 7. Item 4 has an empty label in
// one place and none in the other: both are missing.
func incomplete() []ItemLabels {
	return []ItemLabels{
		{"1", map[string]string{"a": "x", "b": "x", "c": "x"}},
		{"2", map[string]string{"a": "x", "b": "y"}},
		{"3", map[string]string{"a": "y", "b": "y", "c": "y"}},
		{"4", map[string]string{"a": "y", "b": ""}},
		{"5", map[string]string{"b": "x", "c": "x"}},
		{"6", map[string]string{"a": "x", "c": "y"}},
		{"7", nil},
	}
}

// By hand: an item that one of two raters left out counts for neither of them.
//
//	a, b: items 1 (x x), 2 (x y), 3 (y y): observed 2/3, expected 2/3 1/3 + 1/3 2/3 = 4/9,
//	      kappa (6/9 - 4/9) / (5/9) = 0.4
//	a, c: items 1 (x x), 3 (y y), 6 (x y): the same
//	b, c: items 1 (x x), 3 (y y), 5 (x x): observed 1, kappa 1
//
// Alpha is over the units with two labels, 1, 2, 3, 5 and 6, of 12 labels, 7 of them x.
// Within units 2 and 6 two of two ordered pairs differ: observed 4. Over all labels
// 12*11 - 7*6 - 5*4 = 70 differ: alpha = 1 - 11*4/70 = 26/70.
func TestAgreementOnIncompleteData(t *testing.T) {
	got, err := MeasureAgreement(incomplete(), nil, 1, "test")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		a, b            string
		observed, kappa float64
		confusion       [][]int
	}{
		{"a", "b", 2. / 3, 0.4, [][]int{{1, 1}, {0, 1}}},
		{"a", "c", 2. / 3, 0.4, [][]int{{1, 1}, {0, 1}}},
		{"b", "c", 1, 1, [][]int{{2, 0}, {0, 1}}},
	} {
		p := got.Pairs[i]
		if p.A != want.a || p.B != want.b || p.Calls != 3 || !reflect.DeepEqual(p.Confusion, want.confusion) || !slices.Equal(p.Labels, []string{"x", "y"}) {
			t.Errorf("%s and %s: %d calls, %v of %v; want 3, %v", p.A, p.B, p.Calls, p.Confusion, p.Labels, want.confusion)
		}
		near(t, "observed", p.Observed.Value, want.observed, 1e-12)
		near(t, "kappa", p.Kappa.Value, want.kappa, 1e-12)
	}
	if len(got.Pairs) != 3 || got.Alpha.Units != 5 {
		t.Errorf("%d pairs and %d units, want 3 and 5", len(got.Pairs), got.Alpha.Units)
	}
	near(t, "alpha", got.Alpha.Value, 26./70, 1e-12)
}

// By hand, from the units of TestAgreementOnIncompleteData. Without unit 1 alpha is
// 1 - 8*4/40 = 0.2, without 2 or 6 it is 1 - 9*2/48 = 0.625, without 3 it is
// 1 - 8*4/28 = -1/7, without 5 it is 1 - 9*4/50 = 0.28. Their mean is 0.31743, the sum of
// squares around it 0.41625, the standard error sqrt(4/5 * 0.41625) = 0.57706. The lower
// bound is 26/70 - 1.96*0.57706 = -0.75962, the upper one above 1.
func TestAlphaIntervalOnIncompleteData(t *testing.T) {
	got, err := MeasureAgreement(incomplete(), nil, 1, "test")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "low", got.Alpha.Low, -0.75962, 1e-4)
	near(t, "high", got.Alpha.High, 1, 0)

	// With 2 and 6 in one cluster they go together: without them nobody disagrees and
	// alpha is 1. Mean of 0.2, 1, -1/7 and 0.28: 0.33429; squares 0.69287; standard error
	// sqrt(3/4 * 0.69287) = 0.72087, so the lower bound is beyond -1.
	clustered, err := MeasureAgreement(incomplete(), map[string]string{"2": "pair", "6": "pair"}, 1, "test")
	if err != nil {
		t.Fatal(err)
	}
	near(t, "low of clusters", clustered.Alpha.Low, -1, 0)
	near(t, "alpha of clusters", clustered.Alpha.Value, 26./70, 1e-12)

	// Two units, one of which is left out at a time: one unit gives no alpha, so nothing is
	// known of the interval. By hand: 4 labels, 3 of them x, observed 2, expected
	// 12 - 6 = 6, alpha = 1 - 3*2/6 = 0.
	two, err := KrippendorffAlpha(Ratings{{"x", "x", ""}, {"", "x", "y"}, {"", "", "y"}}, alone)
	if err != nil || two.Units != 2 || two.Values != 4 || two.Value != 0 || two.Low != -1 || two.High != 1 {
		t.Errorf("two units: %+v, %v", two, err)
	}

	// Of three units one alone has a y: without it nothing differs and there is no alpha.
	// Without one of the others it is 1 - 3*2/6 = 0, as it is with all, 1 - 5*2/10: the
	// interval rests on two equal values.
	three, err := KrippendorffAlpha(Ratings{{"x", "x"}, {"x", "y"}, {"x", "x"}}, alone)
	if err != nil || three.Value != 0 || three.Low != 0 || three.High != 0 {
		t.Errorf("three units: %+v, %v", three, err)
	}
}

func TestAgreementOfRatersWithoutCommonItems(t *testing.T) {
	for name, labels := range map[string][]ItemLabels{
		"nothing":      nil,
		"no labels":    {{"1", nil}, {"2", map[string]string{"a": "", "b": ""}}},
		"taking turns": {{"1", map[string]string{"a": "x"}}, {"2", map[string]string{"b": "y"}}, {"3", map[string]string{"c": "x", "a": ""}}},
	} {
		if got, err := MeasureAgreement(labels, nil, 1, "test"); err != nil || len(got.Pairs) > 0 || got.Alpha != nil {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	// Of three raters two have an item in common. They give one pair; one unit gives no alpha.
	got, err := MeasureAgreement([]ItemLabels{{"1", map[string]string{"a": "x", "b": "y"}}, {"2", map[string]string{"c": "x"}}}, nil, 1, "test")
	if err != nil || len(got.Pairs) != 1 || got.Alpha != nil {
		t.Fatalf("one pair: %+v, %v", got, err)
	}
	// By hand: observed 0, expected 1*0 + 0*1 = 0, kappa 0.
	if p := got.Pairs[0]; p.Calls != 1 || p.Observed != (Interval{}) || *p.Kappa != (Interval{}) || !reflect.DeepEqual(p.Confusion, [][]int{{0, 1}, {0, 0}}) {
		t.Errorf("%+v", p)
	}
	// Two raters have no alpha: kappa says the same.
	if got, err = MeasureAgreement([]ItemLabels{{"1", map[string]string{"a": "x", "b": "y"}}, {"2", map[string]string{"a": "x", "b": "x"}}}, nil, 1, "test"); err != nil || got.Alpha != nil {
		t.Errorf("two raters: %+v, %v", got.Alpha, err)
	}
}

func TestAgreementOnOneCategory(t *testing.T) {
	got, err := MeasureAgreement([]ItemLabels{
		{"1", map[string]string{"a": "x", "b": "x", "c": "x"}}, {"2", map[string]string{"a": "x", "b": "x"}}, {"3", map[string]string{"a": "y"}},
	}, nil, 1, "test")
	if err != nil || len(got.Pairs) != 3 || got.Alpha != nil {
		t.Fatalf("%+v, %v", got, err)
	}
	// Rater a's y is of an item that b left out, so of what both labelled there is one
	// category: all is observed to agree, and kappa is undefined.
	p := got.Pairs[0]
	if p.Kappa != nil || p.Calls != 2 || p.Observed != (Interval{1, 1, 1}) || !reflect.DeepEqual(p.Confusion, [][]int{{2}}) || !slices.Equal(p.Labels, []string{"x"}) {
		t.Errorf("%+v", p)
	}
	// One rater who knows one category: observed 1/3, expected 1*1/3, kappa 0.
	k, err := CohenKappa([]Pair{{"1", "x", "x"}, {"2", "x", "y"}, {"3", "x", "y"}})
	if err != nil || !k.Defined || math.Abs(k.Value) > 1e-12 || len(k.Disagreements) != 2 {
		t.Errorf("one rater of one category: %+v, %v", k, err)
	}
	near(t, "expected", k.Expected, 1./3, 1e-12)
}

// Of two clusters, one with (x, x) and (y, y) and one with (x, x), every fourth resample
// has one category. Its kappa is undefined and does not count; that of all others is 1.
func TestKappaIntervalLeavesUndefinedResamplesOut(t *testing.T) {
	pairs := []Pair{{"1", "x", "x"}, {"1", "y", "y"}, {"2", "x", "x"}}
	observed, kappa, err := KappaIntervals(pairs, func(item string) string { return item }, rand.New(rand.NewPCG(1, 2)))
	if err != nil || kappa != (Interval{1, 1, 1}) || observed != (Interval{1, 1, 1}) {
		t.Errorf("observed %+v, kappa %+v, %v", observed, kappa, err)
	}
	if _, _, err := KappaIntervals(nil, func(string) string { return "" }, rand.New(rand.NewPCG(1, 2))); err == nil {
		t.Error("no pairs gave an interval")
	}
}

// By hand: of a cluster with three scores of 0 and one with a score of 1 the mean over
// items is 1/4. Two clusters are drawn, so resamples have the means 0, 1/4 and 1.
func TestMeanOfUnequalClusters(t *testing.T) {
	scores := []Score{{"a", 0, 0}, {"a", 0, 0}, {"b", 1, 0}, {"a", 0, 0}}
	got, err := MeanInterval(scores, rand.New(rand.NewPCG(1, 2)))
	if err != nil || got != (Interval{0.25, 0, 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	for i := range scores {
		scores[i].Cluster = "one"
	}
	if got, err = MeanInterval(scores, rand.New(rand.NewPCG(1, 2))); err != nil || got != (Interval{0.25, 0.25, 0.25}) || got.Span() != "in every cluster" {
		t.Errorf("one cluster: %+v (%s), %v", got, got.Span(), err)
	}
	// Scores without a cluster are clusters of their own.
	if got, err = MeanInterval([]Score{{"", 0, 0}, {"", 1, 0}}, rand.New(rand.NewPCG(1, 2))); err != nil || got != (Interval{0.5, 0, 1}) || got.Span() != "[0.0, 100.0]" {
		t.Errorf("no clusters: %+v (%s), %v", got, got.Span(), err)
	}
	if _, err := MeanInterval(nil, rand.New(rand.NewPCG(1, 2))); err == nil {
		t.Error("no scores gave a mean")
	}
}

// By hand: a has scores 1 and 0 in the clusters u and v, b a score 0 in u alone. The
// contrast is 1/2 - 0. Resamples are u u (1 - 0), u v (1/2 - 0) and v v, which has no
// score of b and does not count.
func TestContrastWithAMissingCell(t *testing.T) {
	got, err := ContrastInterval([]Score{{"u", 1, 0}, {"v", 0, 0}}, []Score{{"u", 0, 0}}, rand.New(rand.NewPCG(1, 2)))
	if err != nil || got != (Interval{0.5, 0.5, 1}) {
		t.Errorf("%+v, %v", got, err)
	}
	// Clusters that have scores in one list each: of two that are drawn both must come.
	if got, err = ContrastInterval([]Score{{"u", 1, 0}}, []Score{{"v", 0.25, 0}}, rand.New(rand.NewPCG(1, 2))); err != nil || got != (Interval{0.75, 0.75, 0.75}) {
		t.Errorf("nothing in common: %+v, %v", got, err)
	}
}

// Questions hang together by pair, sequence or mirror group, else by task, and copies of a
// fact always. What has no label is not of one group with all else that has none.
func TestClustersOfQuestions(t *testing.T) {
	q := func(id, task, fact string, labels ...string) schemas.Question {
		out := schemas.Question{QuestionID: id, TaskID: task, Labels: map[string]string{schemas.LabelFact: fact}}
		if len(labels) == 2 {
			out.Labels[labels[0]] = labels[1]
		}
		return out
	}
	got := Clusters([]schemas.Question{
		q("b", "t1", "f1", schemas.LabelPair, "p"), q("a", "t2", "f2", schemas.LabelPair, "p"), // one pair of videos
		q("c", "t2", "f3"), q("d", "t2", "f4"), // one task; the pair of a is not the task t2
		q("e", "t3", "f5", schemas.LabelMirror, "p"), // a mirror group is no pair of that name
		q("f", "t4", "f5"), q("g", "t5", "f6"),       // a copy of the fact of e; one that stands alone
		q("h", "t6", "f7", "sequence", "s"), q("i", "t5", "f8", "sequence", "s"),
	})
	want := map[string]string{"a": "a", "b": "a", "c": "c", "d": "c", "e": "e", "f": "e", "g": "g", "h": "h", "i": "h"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("clusters\n got %v\nwant %v", got, want)
	}
}
