package shortcut

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/agreement"
	"github.com/memforge/memforge/schemas"
	"gonum.org/v1/gonum/stat/distuv"
)

// Figure is how often a way to guess is right, with a 95 % interval, against
// what pure chance would give.
type Figure struct {
	Name     string
	Accuracy agreement.Interval
	Chance   float64
}

// Beyond reports whether the figure lies above chance by more than luck: by
// four standard errors, of which the interval is 3.92 wide. Several figures of
// many forms are looked at, so one interval beside chance says little.
func (f Figure) Beyond() bool {
	return f.Accuracy.Value-f.Chance > 4*(f.Accuracy.High-f.Accuracy.Low)/3.92
}

// Study is what was found in a set of questions.
type Study struct {
	Items int
	// Figures of the choice models (first) and the baselines.
	Figures []Figure
	// Blind is, per question id, the least chance that the choice models with
	// the question gave the gold option over the repetitions, if they were right
	// each time; 0 otherwise.
	Blind map[string]float64
	// RStd is the standard deviation of the gold positions' shares over the
	// number of options, Position the p-value of their equality (chi-square).
	RStd     float64
	Position float64
}

// repetitions is over how many deals of the folds an item must be guessed.
const repetitions = 3

const folds = 5

// fewest items that folds can be dealt of.
const fewest = 40

// ErrTooFew says that there is too little to learn from.
var ErrTooFew = errors.New("fewer than 40 questions with options: nothing can be learnt from them")

// Run studies questions. Equal questions and equal generators give equal
// studies.
func Run(qs []schemas.Question, rnd *rand.Rand) (Study, error) {
	qs = slices.Clone(qs)
	slices.SortFunc(qs, func(a, b schemas.Question) int { return cmp.Compare(a.QuestionID, b.QuestionID) })
	qs = slices.DeleteFunc(qs, func(q schemas.Question) bool { return goldOf(q) < 0 || len(q.Options) < 2 || len(q.Options) > 26 })
	if len(qs) < fewest {
		return Study{}, ErrTooFew
	}
	s := Study{Items: len(qs), Blind: map[string]float64{}}
	for _, v := range []View{OptionsOnly, QuestionWithOptions} {
		f, err := s.model(qs, v, rnd)
		if err != nil {
			return Study{}, err
		}
		s.Figures = append(s.Figures, f)
	}
	for _, b := range baselines() {
		f, err := b.figure(qs, rnd)
		if err != nil {
			return Study{}, err
		}
		s.Figures = append(s.Figures, f)
	}
	s.RStd, s.Position = positions(qs)
	return s, nil
}

// model cross-validates a choice model. The figure is that of the first deal of
// the folds; the others decide which single items are guessed reliably.
func (s *Study) model(qs []schemas.Question, v View, rnd *rand.Rand) (Figure, error) {
	items := itemsOf(qs, v)
	least := make([]float64, len(items))
	var samples []agreement.Sample
	for rep := range repetitions {
		gold, right := crossValidate(items, folds, rnd)
		for i := range items {
			switch {
			case !right[i]:
				least[i] = -1
			case rep == 0 || least[i] >= 0:
				least[i] = math.Min(gold[i], cmp.Or(least[i], 1))
			}
			if rep == 0 {
				samples = append(samples, agreement.Sample{Cluster: items[i].cluster, Score: score(right[i])})
			}
		}
	}
	if v == QuestionWithOptions {
		for i, it := range items {
			s.Blind[it.id] = math.Max(0, least[i])
		}
	}
	acc, err := agreement.Mean(samples, rnd)
	return Figure{Name: "choice model on " + string(v), Accuracy: acc, Chance: chance(qs)}, err
}

func score(right bool) float64 {
	if right {
		return 1
	}
	return 0
}

// chance is the mean of one over the number of options.
func chance(qs []schemas.Question) float64 {
	sum := 0.0
	for _, q := range qs {
		sum += 1 / float64(len(q.Options))
	}
	return sum / float64(len(qs))
}

// baseline picks options by one property; where several share it, its score is
// the chance to pick the gold one among them.
type baseline struct {
	name string
	pick func(schemas.Question, map[string]int) int // -1: nothing stands out
}

func baselines() []baseline {
	by := func(name string, at int) baseline {
		return baseline{name, func(q schemas.Question, prevalence map[string]int) int {
			for _, m := range compare(q, prevalence) {
				if m.at == at {
					return m.option
				}
			}
			return -1
		}}
	}
	return []baseline{
		by("longest option", longest), by("shortest option", shortest), by("odd one out", oddOneOut),
		by("commonest option", commonest), by("rarest option", rarest), by("most words of the question", overlapMost),
		{"latest mentioned in the question", latestMention},
	}
}

// latestMention picks the option whose text stands last in the question.
func latestMention(q schemas.Question, _ map[string]int) int {
	text := " " + folded(q.Question) + " "
	last, at := -1, -1
	for i, o := range q.Options {
		if p := strings.LastIndex(text, " "+folded(o.Text)+" "); folded(o.Text) != "" && p > at {
			last, at = i, p
		}
	}
	return last
}

func (b baseline) figure(qs []schemas.Question, rnd *rand.Rand) (Figure, error) {
	prevalence := map[string]int{}
	for _, q := range qs {
		for _, o := range q.Options {
			prevalence[folded(o.Text)]++
		}
	}
	samples := make([]agreement.Sample, len(qs))
	for i, q := range qs {
		samples[i] = agreement.Sample{Cluster: Cluster(q), Score: 1 / float64(len(q.Options))}
		if o := b.pick(q, prevalence); o >= 0 {
			samples[i].Score = score(o == goldOf(q))
		}
	}
	acc, err := agreement.Mean(samples, rnd)
	return Figure{Name: b.name, Accuracy: acc, Chance: chance(qs)}, err
}

// positions compares where the gold options stand, each cluster counted once
// per position, over the most frequent number of options.
func positions(qs []schemas.Question) (rstd, p float64) {
	size := map[int]int{}
	for _, q := range qs {
		size[len(q.Options)]++
	}
	n := 0
	for k, c := range size {
		if c > size[n] || c == size[n] && k < n {
			n = k
		}
	}
	counts, seen, total := make([]float64, n), map[string]bool{}, 0.0
	for _, q := range qs {
		key := Cluster(q) + "\x00" + q.Question + "\x00" + q.AnswerKey
		if len(q.Options) != n || seen[key] {
			continue
		}
		seen[key] = true
		counts[goldOf(q)]++
		total++
	}
	want, chi, spread := total/float64(n), 0.0, 0.0
	for _, c := range counts {
		chi += (c - want) * (c - want) / want
		spread += (c/total - 1/float64(n)) * (c/total - 1/float64(n))
	}
	return math.Sqrt(spread / float64(n)), distuv.ChiSquared{K: float64(n - 1)}.Survival(chi)
}
