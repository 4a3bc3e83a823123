package agreement

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func near(t *testing.T, what string, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > tolerance || math.IsNaN(got) {
		t.Errorf("%s is %.4f, want %.4f", what, got, want)
	}
}

// The grant-proposal example that textbooks share: 20 yes-yes, 5 yes-no, 10
// no-yes, 15 no-no. By hand: observed 35/50 = 0.7, expected 0.5 x 0.6 + 0.5 x
// 0.4 = 0.5, kappa 0.2 / 0.5 = 0.4.
func TestCohenByHand(t *testing.T) {
	var pairs []Pair
	add := func(n int, a, b string) {
		for range n {
			pairs = append(pairs, Pair{fmt.Sprint(len(pairs)), a, b})
		}
	}
	add(20, "yes", "yes")
	add(5, "yes", "no")
	add(10, "no", "yes")
	add(15, "no", "no")
	k, err := CohenKappa(pairs)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "observed", k.Observed, 0.7, 1e-12)
	near(t, "expected", k.Expected, 0.5, 1e-12)
	near(t, "kappa", k.Value, 0.4, 1e-12)
	if k.Confusion[1][0] != 5 || k.Confusion[0][1] != 10 || len(k.Disagreements) != 15 {
		t.Errorf("confusion %v of %v, %d disagreements", k.Confusion, k.Labels, len(k.Disagreements))
	}
}

func TestCohenWithoutVariety(t *testing.T) {
	k, err := CohenKappa([]Pair{{"1", "x", "x"}, {"2", "x", "x"}})
	if err != nil || k.Defined {
		t.Errorf("%+v, %v: kappa of one label throughout is undefined", k, err)
	}
	if _, err := CohenKappa(nil); err == nil {
		t.Error("no pairs gave a kappa")
	}
}

// Four observers, twelve units, nominal, with missing values: the worked
// example of Krippendorff, Computing Krippendorff's Alpha-Reliability (2011),
// section C, which gives 0.743.
func TestKrippendorffWorkedExample(t *testing.T) {
	rows := []string{"123321412...", "1233224125.3", ".3332342251.", "12332441251."}
	r := make(Ratings, 12)
	for u := range r {
		for _, row := range rows {
			label := string(row[u])
			if label == "." {
				label = ""
			}
			r[u] = append(r[u], label)
		}
	}
	a, err := KrippendorffAlpha(r, alone)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "alpha", a.Value, 0.743, 0.0005)
	if a.Units != 11 || a.Values != 40 {
		t.Errorf("%d units with %d values, want 11 and 40", a.Units, a.Values)
	}
	if a.Low >= a.Value || a.High <= a.Value || a.High > 1 {
		t.Errorf("interval %.3f to %.3f around %.3f", a.Low, a.High, a.Value)
	}
}

func alone(int) string { return "" }

// Units that are each there eight times, in one cluster, are no more certain than
// they are once; as units of their own they would be, by a factor of root eight.
func TestKrippendorffClusters(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	var once, eight Ratings
	for range 60 {
		var labels []string
		for range 3 {
			labels = append(labels, []string{"x", "y", "y"}[rnd.IntN(3)])
		}
		if rnd.IntN(2) == 0 {
			labels[1], labels[2] = labels[0], labels[0]
		}
		once = append(once, labels)
		for range 8 {
			eight = append(eight, labels)
		}
	}
	width := func(r Ratings, of func(int) string) float64 {
		a, err := KrippendorffAlpha(r, of)
		if err != nil {
			t.Fatal(err)
		}
		return a.High - a.Low
	}
	want, apart := width(once, alone), width(eight, alone)
	near(t, "width of the interval", width(eight, func(u int) string { return string(rune('a' + u/8)) }), want, 0.05*want)
	near(t, "width of the interval of copies apart", apart, want/math.Sqrt(8), 0.05*want)
}

func TestKrippendorffRefusesNothingToAgreeOn(t *testing.T) {
	for _, r := range []Ratings{{}, {{"a", ""}, {"", "b"}}, {{"a", "a"}, {"a", "a"}}} {
		if a, err := KrippendorffAlpha(r, alone); err == nil {
			t.Errorf("%v gave %+v", r, a)
		}
	}
}

// The share of n independent successes has the standard error sqrt(p(1-p)/n),
// so the interval must come out at about 1.96 of them on either side.
func TestMeanIntervalOfAShare(t *testing.T) {
	var samples []Score
	for i := range 400 {
		samples = append(samples, Score{Value: float64(i % 4 / 3)})
	}
	got, err := MeanInterval(samples, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	se := math.Sqrt(0.25 * 0.75 / 400)
	near(t, "mean", got.Value, 0.25, 1e-12)
	near(t, "low", got.Low, 0.25-1.96*se, 0.004)
	near(t, "high", got.High, 0.25+1.96*se, 0.004)
	again, _ := MeanInterval(samples, rand.New(rand.NewPCG(1, 2)))
	if again != got {
		t.Error("one seed gave two intervals")
	}
}

// Ten equal scores a cluster carry no more than one: the interval of 40
// clusters is that of 40 items, sqrt(10) times wider than that of 400.
func TestClustersWidenTheInterval(t *testing.T) {
	var alone, together []Score
	for i := range 400 {
		score := float64(i / 10 % 2)
		alone = append(alone, Score{Value: score})
		together = append(together, Score{Cluster: fmt.Sprint(i / 10), Value: score})
	}
	a, _ := MeanInterval(alone, rand.New(rand.NewPCG(3, 4)))
	b, _ := MeanInterval(together, rand.New(rand.NewPCG(3, 4)))
	near(t, "ratio of widths", (b.High-b.Low)/(a.High-a.Low), math.Sqrt(10), 0.3)
}

// TestMeanOfGroups: groups count alike whatever their sizes, weights are those within a
// group, and what lies between groups alone does not vary with the resample.
func TestMeanOfGroups(t *testing.T) {
	flat := func(prefix string, n int, value float64) (out []Score) {
		for i := range n {
			out = append(out, Score{Cluster: fmt.Sprint(prefix, i), Value: value})
		}
		return out
	}
	mean := func(groups ...[]Score) Interval {
		t.Helper()
		got, err := MeanOfGroups(groups, rand.New(rand.NewPCG(1, 2)))
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := mean(flat("a", 90, 1), flat("b", 10, 0)); got != (Interval{0.5, 0.5, 0.5}) {
		t.Errorf("groups of 90 and 10: %+v", got)
	}
	if got := mean([]Score{{Value: 1, Weight: 3}, {Value: 0}}); got.Value != 0.75 || got.Low != 0 || got.High != 1 {
		t.Errorf("weights 3 and 1: %+v", got)
	}
	// One fact in both groups is drawn in both or in neither.
	if got := mean([]Score{{"x", 1, 0}, {"y", 0, 0}}, []Score{{"x", 0, 0}, {"y", 1, 0}}); got != (Interval{0.5, 0.5, 0.5}) {
		t.Errorf("paired by fact: %+v", got)
	}
	varied := append(flat("a", 20, 1), flat("c", 20, 0)...)
	if one, two := mean(varied), mean(varied, flat("b", 40, 0)); two.Value != 0.25 || math.Abs((one.High-one.Low)/2-(two.High-two.Low)) > 0.08 {
		t.Errorf("half of the spread: %+v and %+v", one, two)
	}
	if _, err := MeanOfGroups([][]Score{nil, nil}, rand.New(rand.NewPCG(1, 2))); err == nil {
		t.Error("no score has a mean")
	}
}

// Scores that differ by 0.1 on every item have no uncertain difference,
// however much they vary: pairing removes the variance they share.
func TestContrastIsPaired(t *testing.T) {
	var a, b []Score
	for i := range 50 {
		a = append(a, Score{Cluster: fmt.Sprint(i), Value: float64(i) + 0.1})
		b = append(b, Score{Cluster: fmt.Sprint(i), Value: float64(i)})
	}
	d, err := ContrastInterval(a, b, rand.New(rand.NewPCG(5, 6)))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "low", d.Low, 0.1, 1e-9)
	near(t, "high", d.High, 0.1, 1e-9)
}

// By hand, from the delta method for kappa (Fleiss, Cohen and Everitt 1969): in
// the table of TestCohenByHand, 50 items, kappa 0.4, the standard error is
// sqrt(A + B - C) / ((1 - e) sqrt(n)) with A = 0.4 (1 - 1.1 x 0.6)^2 + 0.3 (1 -
// 0.9 x 0.6)^2 = 0.10972, B = 0.36 (0.1 x 1.1^2 + 0.2 x 0.9^2) = 0.10188 and C =
// (0.4 - 0.5 x 0.6)^2 = 0.01: 0.1270. Of 40 copies of the table the bootstrap
// interval must reach 1.96 / sqrt(40) of that to either side.
func TestBoundsByHand(t *testing.T) {
	var pairs []Pair
	for i := range 40 {
		for cell, n := range map[[2]string]int{{"yes", "yes"}: 20, {"yes", "no"}: 5, {"no", "yes"}: 10, {"no", "no"}: 15} {
			for j := range n {
				pairs = append(pairs, Pair{fmt.Sprint(i, cell, j), cell[0], cell[1]})
			}
		}
	}
	k, err := CohenKappa(pairs)
	if err != nil {
		t.Fatal(err)
	}
	observed, kappa, err := KappaIntervals(pairs, func(string) string { return "" }, rand.New(rand.NewPCG(1, 2)))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "kappa", kappa.Value, 0.4, 1e-12)
	near(t, "observed", observed.Value, k.Observed, 1e-12)
	se := 0.1270 / math.Sqrt(40)
	near(t, "low", kappa.Low, 0.4-1.96*se, 0.003)
	near(t, "high", kappa.High, 0.4+1.96*se, 0.003)
	share := math.Sqrt(0.7 * 0.3 / 2000)
	near(t, "low share", observed.Low, 0.7-1.96*share, 0.002)

	if _, flat, err := KappaIntervals([]Pair{{"1", "x", "x"}}, func(string) string { return "" }, rand.New(rand.NewPCG(1, 2))); err != nil || flat != (Interval{}) {
		t.Errorf("undefined throughout: %+v, %v", flat, err)
	}
}

// Items that are judged ten times alike carry no more than one.
func TestBoundsDrawClusters(t *testing.T) {
	var alone, together []Pair
	for i := range 400 {
		p := Pair{Item: fmt.Sprint(i), A: []string{"x", "y"}[i/10%2], B: []string{"x", "y", "y"}[i/10%3]}
		alone = append(alone, p)
		p.Item = fmt.Sprint(i / 10)
		together = append(together, p)
	}
	_, a, _ := KappaIntervals(alone, func(string) string { return "" }, rand.New(rand.NewPCG(3, 4)))
	_, b, _ := KappaIntervals(together, func(item string) string { return item }, rand.New(rand.NewPCG(3, 4)))
	near(t, "ratio of widths", (b.High-b.Low)/(a.High-a.Low), math.Sqrt(10), 0.4)
}

// Over the same items a contrast is the mean of the paired differences, to the last
// bit.
func TestContrastOfTheSameItemsIsTheDifference(t *testing.T) {
	var a, b, differences []Score
	for i := range 60 {
		cluster := fmt.Sprint(i / 2)
		a = append(a, Score{Cluster: cluster, Value: float64(i % 3 / 2)})
		b = append(b, Score{Cluster: cluster, Value: float64(i % 4 / 3)})
		differences = append(differences, Score{Cluster: cluster, Value: a[i].Value - b[i].Value})
	}
	want, err := MeanInterval(differences, rand.New(rand.NewPCG(5, 6)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := ContrastInterval(a, b, rand.New(rand.NewPCG(5, 6)))
	if err != nil {
		t.Fatal(err)
	}
	near(t, "value", got.Value, want.Value, 1e-12)
	near(t, "low", got.Low, want.Low, 1e-12)
	near(t, "high", got.High, want.High, 1e-12)
}

// Over other items nothing is paired: the variances add up.
func TestContrastOfOtherItems(t *testing.T) {
	var a, b []Score
	for i := range 400 {
		a = append(a, Score{Cluster: fmt.Sprint("a", i), Value: float64(i % 2)})
		if i < 200 {
			b = append(b, Score{Cluster: fmt.Sprint("b", i), Value: float64(i % 4 / 3)})
		}
	}
	got, err := ContrastInterval(a, b, rand.New(rand.NewPCG(7, 8)))
	if err != nil {
		t.Fatal(err)
	}
	se := math.Sqrt(0.25/400 + 0.1875/200)
	near(t, "value", got.Value, 0.25, 1e-12)
	near(t, "low", got.Low, 0.25-1.96*se, 0.006)
	near(t, "high", got.High, 0.25+1.96*se, 0.006)
	if _, err := ContrastInterval(a, nil, rand.New(rand.NewPCG(7, 8))); err == nil {
		t.Error("a contrast with nothing was taken")
	}
}
