package shortcuts

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/schemas"
)

// Figure is how often a way to guess is right, with a 95 % interval over
// clusters, against what pure chance would give. Every fact counts once.
type Figure struct {
	Name string
	// Trained tells the choice models from the rules.
	Trained  bool
	Accuracy agreement.Interval
	Chance   float64
	// PValue is the chance that pure guessing does as well; Adjusted takes into
	// account how many ways and forms were tried (Holm), where Studies did.
	PValue, Adjusted float64
	// Right are the ids of the questions to which it singles out the right
	// option, and of the copies of these, by fact.
	Right map[string][]string
}

// BeyondChance reports whether the figure lies above chance by more than luck, of
// which at most alpha is put up with over all figures of all forms.
func (f Figure) BeyondChance(alpha float64) bool { return f.Adjusted < alpha }

// Powerless reports that not even a way to guess that is always right would be
// beyond chance: there are too few independent clusters.
func (s Study) Powerless(alpha float64) bool { return s.TooFew == nil && s.LeastPValue >= alpha }

// Excess is how far the figure lies above chance.
func (f Figure) Excess() float64 { return f.Accuracy.Value - f.Chance }

// Study is what was found in the questions of a form.
type Study struct {
	Form string
	// Questions are rows, of which only those with options and a known right one
	// are studied. Facts are what they ask for, Clusters what is independent.
	Questions, Facts, Clusters int
	// TooFew says that there is nothing to learn from; then the rest is empty.
	TooFew error
	// LeastPValue is the chance, after correction, that luck explains a way to guess that is
	// always right: where it is not small, no figure can be, and nothing is shown.
	LeastPValue float64
	// Figures of the choice models (first) and the rules.
	Figures []Figure
	// WithOthers are those of who also reads the other questions of a cluster, their
	// options with them: the choice model (first) and the rules. They say that
	// questions must be put one by one, and nothing against any of them. So they are
	// not among those that are judged, and Adjusted is 1.
	WithOthers []Figure
	// GoldChance is, by fact, the least chance that the choice models with the
	// question gave the right option over the repetitions, the mean of copies.
	GoldChance map[string]float64
	// RStd is the standard deviation of the right positions' shares over the
	// number of options, Position the p-value of their equality (chi-square).
	RStd     float64
	Position float64
}

// Worst is the figure that lies furthest above chance; of equals the first.
func (s Study) Worst() Figure { return worst(s.Figures) }

// WorstWithOthers is the same of Beside.
func (s Study) WorstWithOthers() Figure { return worst(s.WithOthers) }

func worst(figures []Figure) Figure {
	worst := figures[0]
	for _, f := range figures {
		if f.Excess() > worst.Excess()+1e-9 {
			worst = f
		}
	}
	return worst
}

// repetitions is over how many deals of the folds a model is trained.
const repetitions = 3

const folds = 5

// minFacts facts, of at least two clusters, that anything can be learnt from.
const minFacts = 20

// ErrTooFew says that there is too little to learn from.
var ErrTooFew = fmt.Errorf("fewer than %d facts with options, or all of one pair or task: nothing can be learnt from them", minFacts)

// Studies studies questions form by form, in order of the forms, and adjusts for
// how many figures there are. chance gives the generator of a form. Equal sets of
// questions and equal generators give equal studies.
func Studies(qs []schemas.Question, forms Forms, chance func(form string) *rand.Rand) ([]Study, error) {
	groups, all := forms.Group(qs), indexNeighbours(qs, forms)
	var out []Study
	for _, form := range slices.Sorted(maps.Keys(groups)) {
		var of []schemas.Question
		for _, i := range groups[form] {
			of = append(of, qs[i])
		}
		s, err := studyForm(of, all, chance(form))
		if err != nil && !errors.Is(err, ErrTooFew) {
			return nil, fmt.Errorf("study %s: %w", form, err)
		}
		s.Form, s.TooFew = form, err
		out = append(out, s)
	}
	adjustAll(out)
	return out, nil
}

func adjustAll(studies []Study) {
	var ps []float64
	for _, s := range studies {
		for _, f := range s.Figures {
			ps = append(ps, f.PValue)
		}
	}
	adjusted := holm(ps)
	for n, s := range studies {
		studies[n].LeastPValue = min(1, s.LeastPValue*float64(len(ps)))
		for i := range s.Figures {
			s.Figures[i].Adjusted, adjusted = adjusted[0], adjusted[1:]
		}
	}
}

func studyForm(qs []schemas.Question, all *neighbourIndex, rnd *rand.Rand) (Study, error) {
	obs := observations(qs)
	s := Study{Questions: len(qs), Facts: countDistinct(obs, factOf), Clusters: countDistinct(obs, clusterOf), GoldChance: map[string]float64{}}
	if s.Facts < minFacts || s.Clusters < 2 {
		return s, ErrTooFew
	}
	for _, v := range []View{OptionsOnly, QuestionWithOptions} {
		f, err := s.addModel(obs, newItems(obs, v), v, rnd)
		if err != nil {
			return s, err
		}
		s.Figures = append(s.Figures, f)
	}
	c := newCorpus(obs)
	for _, r := range rules() {
		f, err := ruleFigure(r.name, obs, func(ob observation) []int { return bestOptions(r.rate(c, ob), 1) }, rnd)
		if err != nil {
			return s, err
		}
		s.Figures = append(s.Figures, f)
	}
	s.RStd, s.Position = positionSpread(obs)
	s.LeastPValue = leastPValue(obs)
	return s, s.addWithOthers(obs, all, rnd)
}

// addWithOthers adds the figures of who reads the other questions of a cluster as well.
func (s *Study) addWithOthers(obs []observation, all *neighbourIndex, rnd *rand.Rand) error {
	f, err := s.addModel(obs, all.neighbourItems(obs), WithOthers, rnd)
	if err != nil {
		return err
	}
	s.WithOthers = []Figure{f}
	for _, way := range neighbourRules() {
		f, err := ruleFigure(way.name, obs, func(ob observation) []int {
			return bestOptions(way.rate(all.clusters[ob.q.QuestionID], ob), 1)
		}, rnd)
		if err != nil {
			return err
		}
		s.WithOthers = append(s.WithOthers, f)
	}
	return nil
}

func ruleFigure(name string, obs []observation, choose func(observation) []int, rnd *rand.Rand) (Figure, error) {
	guesses := make([]guess, len(obs))
	for i, ob := range obs {
		guesses[i] = guess{choose(ob)}
	}
	return newFigure(name, obs, guesses, rnd)
}

// guess is the options that a way to guess cannot choose between: it takes any.
type guess struct{ among []int }

func (g guess) right(gold int) float64 {
	if !slices.Contains(g.among, gold) {
		return 0
	}
	return 1 / float64(len(g.among))
}

// addModel cross-validates a choice model. The figure is that of the first deal of the folds;
// Right holds what every deal singles out.
func (s *Study) addModel(obs []observation, items []item, v View, rnd *rand.Rand) (Figure, error) {
	first := make([]guess, len(items))
	least := slices.Repeat([]float64{1}, len(items))
	sure := slices.Repeat([]bool{true}, len(items))
	for rep := range repetitions {
		gold, best := crossValidate(items, rnd)
		for i := range items {
			least[i] = min(least[i], gold[i])
			sure[i] = sure[i] && len(best[i]) == 1 && best[i][0] == obs[i].gold
			if rep == 0 {
				first[i] = guess{best[i]}
			}
		}
	}
	f, err := newFigure("choice model on "+string(v), obs, first, rnd)
	f.Trained, f.Right = true, map[string][]string{}
	for i, ob := range obs {
		if v == QuestionWithOptions {
			s.GoldChance[ob.fact] += ob.weight * least[i]
		}
		if sure[i] {
			f.Right[ob.fact] = append(f.Right[ob.fact], ob.rows...)
		}
	}
	return f, err
}

// leastPValue is the chance that luck explains guesses that are all right.
func leastPValue(obs []observation) float64 {
	at := map[string]int{}
	var scores []score
	for _, ob := range obs {
		n, known := at[ob.fact]
		if !known {
			n = len(scores)
			at[ob.fact], scores = n, append(scores, score{cluster: ob.cluster, right: 1})
		}
		scores[n].chance += ob.weight / float64(len(ob.q.Options))
	}
	return luckPValue(scores)
}

func newFigure(name string, obs []observation, guesses []guess, rnd *rand.Rand) (Figure, error) {
	f := Figure{Name: name, Adjusted: 1, Right: map[string][]string{}}
	at := map[string]int{}
	var scores []score
	for i, ob := range obs {
		n, known := at[ob.fact]
		if !known {
			n = len(scores)
			at[ob.fact] = n
			scores = append(scores, score{cluster: ob.cluster})
		}
		right := guesses[i].right(ob.gold)
		scores[n].right += ob.weight * right
		scores[n].chance += ob.weight / float64(len(ob.q.Options))
		if right == 1 {
			f.Right[ob.fact] = append(f.Right[ob.fact], ob.rows...)
		}
	}
	samples := make([]agreement.Score, len(scores))
	for i, s := range scores {
		samples[i] = agreement.Score{Cluster: s.cluster, Value: s.right}
		f.Chance += s.chance
	}
	f.Chance /= float64(len(scores))
	f.PValue = luckPValue(scores)
	var err error
	f.Accuracy, err = agreement.MeanInterval(samples, rnd)
	return f, err
}

// positionSpread compares where the right options stand, over the most frequent number of
// options. A fact counts in part for each place of its answer.
func positionSpread(obs []observation) (rstd, p float64) {
	size := map[int]float64{}
	for _, ob := range obs {
		size[len(ob.q.Options)] += ob.weight
	}
	n := 0
	for k, c := range size {
		if c > size[n] || c == size[n] && k < n {
			n = k
		}
	}
	counts, total := make([]float64, n), 0.0
	for _, ob := range obs {
		if len(ob.q.Options) == n {
			counts[ob.gold] += ob.weight
			total += ob.weight
		}
	}
	want, chi, spread := total/float64(n), 0.0, 0.0
	for _, c := range counts {
		chi += (c - want) * (c - want) / want
		spread += (c/total - 1/float64(n)) * (c/total - 1/float64(n))
	}
	return math.Sqrt(spread / float64(n)), distuv.ChiSquared{K: float64(n - 1)}.Survival(chi)
}
