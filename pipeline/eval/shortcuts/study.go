// Package shortcuts looks for ways to answer multiple-choice questions without
// what they ask about: it tries a list of rules, trains choice models on words and on what the
// rules say, and measures how far from chance each gets, in either direction. Rules that read
// the history are measured as baselines. No language model is asked.
package shortcuts

import (
	"fmt"
	"iter"
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
	Sees Sight
	// Trained tells the choice models from the rules.
	Trained bool
	// Facts are those of which it says something.
	Facts    int
	Accuracy agreement.Interval
	Chance   float64
	// PValue is the chance that pure guessing lies as far from chance; Adjusted takes into
	// account how many ways and forms were tried (Holm).
	PValue, Adjusted float64

	guesses []guess
	// sure tells where a trained model singled out the right option in every deal.
	sure []bool
}

// BeyondChance reports whether the figure lies off chance by more than luck, of
// which at most alpha is put up with over all figures of all forms.
func (f Figure) BeyondChance(alpha float64) bool { return f.Adjusted < alpha }

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
	// Figures are those of choice models and of rules that must be at chance, the models first.
	// Company are those of who reads the other questions of the cluster as well: they say that each
	// must be put alone, and are corrected by themselves. Baselines are those of rules that read
	// what the question is about; their Adjusted is 1.
	Figures, Company, Baselines []Figure
	// GoldChance is, by fact, the least chance that the choice models with the
	// question gave the right option over the repetitions, the mean of copies.
	GoldChance map[string]float64
	// RStd is the standard deviation of the right positions' shares over the
	// number of options, Position the p-value of their equality (chi-square).
	RStd     float64
	Position float64

	cases   []*Case
	rules   []Rule
	guesses [][]guess // by rule
	dated   []datedCase
}

// Powerless reports that not even a way to guess that is always right would be
// beyond chance: there are too few independent clusters.
func (s *Study) Powerless(alpha float64) bool { return s.TooFew == nil && s.LeastPValue >= alpha }

// Furthest is the figure that luck explains least; of equals that furthest from chance.
func Furthest(figures []Figure) (out Figure) {
	for _, f := range figures {
		off := math.Abs(f.Excess()) - math.Abs(out.Excess())
		if out.Name == "" || f.PValue < out.PValue || f.PValue == out.PValue && off > 1e-9 {
			out = f
		}
	}
	return out
}

// repetitions is over how many deals of the folds a model is trained.
const repetitions = 3

const folds = 5

// minFacts facts, of at least two clusters, that anything can be learnt from.
const minFacts = 20

// ErrTooFew says that there is too little to learn from.
var ErrTooFew = fmt.Errorf("fewer than %d facts with options, or all of one pair or task: nothing can be learnt from them", minFacts)

// Subject is what is studied.
type Subject struct {
	Questions []schemas.Question
	Forms     Forms
	// Added are the rules of domains.
	Added []Rule
	// Chance gives the generator of a form.
	Chance func(form string) *rand.Rand
	// Materials yields what can be read of tasks, one after the other; nil: nothing can.
	Materials iter.Seq2[Material, error]
	// Exhibits are the contents of pictures by media id, Happenings what happens in videos by
	// title, as folded text.
	Exhibits   map[string]Exhibit
	Happenings map[string][]string
}

// Material is what can be read of one task.
type Material struct {
	TaskID      string
	Sessions    []schemas.Session
	Checkpoints []schemas.Checkpoint
}

// Studies studies questions form by form, in order of the forms, and adjusts for
// how many figures there are. Equal sets of questions and equal generators give equal studies.
func Studies(of Subject) ([]*Study, error) {
	out, err := of.guess(slices.Concat(BuiltInRules(), of.Added), indexNeighbours(of.Questions, of.Forms))
	if err != nil {
		return nil, err
	}
	for _, s := range out {
		if s.TooFew == nil {
			s.measure(of.Chance(s.Form))
		}
	}
	adjustAll(out)
	return out, nil
}

// guess lets rules guess, form by form.
func (of Subject) guess(rules []Rule, all *neighbourIndex) ([]*Study, error) {
	groups := of.Forms.Group(of.Questions)
	var out []*Study
	byTask := map[string][]*Study{}
	for _, form := range slices.Sorted(maps.Keys(groups)) {
		var qs []schemas.Question
		for _, i := range groups[form] {
			qs = append(qs, of.Questions[i])
		}
		s := newStudy(form, qs, all, rules)
		out = append(out, s)
		for _, c := range s.cases {
			if list := byTask[c.ob.q.TaskID]; len(list) == 0 || list[len(list)-1] != s {
				byTask[c.ob.q.TaskID] = append(list, s)
			}
		}
	}
	return out, of.readMaterials(out, byTask)
}

// TypeHistory is what rules that read what questions are about get of a type, as it is reported.
type TypeHistory struct {
	Family, Type string
	// Figures are those of at least minFacts facts. They are not corrected.
	Figures []Figure
}

// MeasureHistory measures the rules that read what was said, shown in captions or happens, and no
// others, by type.
func MeasureHistory(of Subject) ([]TypeHistory, error) {
	of.Forms = nil
	rules := slices.DeleteFunc(slices.Concat(BuiltInRules(), of.Added), func(r Rule) bool { return !r.Sees.IsBaseline() || r.Sees == Exhibits })
	studies, err := of.guess(rules, &neighbourIndex{})
	var out []TypeHistory
	for _, s := range studies {
		if s.TooFew != nil {
			continue
		}
		h := TypeHistory{Family: s.cases[0].ob.q.Family, Type: s.Form}
		for r, rule := range rules {
			h.Figures = append(h.Figures, s.figure(rule, s.guesses[r]))
		}
		h.Figures = slices.DeleteFunc(append(h.Figures, s.retrieval()), func(f Figure) bool { return f.Facts < minFacts })
		out = append(out, h)
	}
	return out, err
}

// newStudy lets the rules that read questions alone guess.
func newStudy(form string, qs []schemas.Question, all *neighbourIndex, rules []Rule) *Study {
	obs := observations(qs)
	s := &Study{
		Form: form, Questions: len(qs), Facts: countDistinct(obs, factOf), Clusters: countDistinct(obs, clusterOf),
		GoldChance: map[string]float64{}, rules: rules, guesses: make([][]guess, len(rules)),
	}
	if s.Facts < minFacts || s.Clusters < 2 {
		s.TooFew = ErrTooFew
		return s
	}
	corpus := newCorpus(obs)
	for _, ob := range obs {
		s.cases = append(s.cases, newCase(ob, corpus, all.clusters[ob.q.QuestionID]))
	}
	for r, rule := range rules {
		s.guesses[r] = make([]guess, len(obs))
		for n, c := range s.cases {
			if !rule.Sees.IsBaseline() {
				s.guesses[r][n] = rule.guess(c)
			}
		}
	}
	return s
}

// readMaterials lets the other rules guess, task by task, and forgets what they read.
func (of Subject) readMaterials(studies []*Study, byTask map[string][]*Study) error {
	if of.Materials == nil {
		return nil
	}
	for m, err := range of.Materials {
		if err != nil {
			return err
		}
		read := m.reader(of.Exhibits)
		for _, s := range byTask[m.TaskID] {
			s.guessBaselines(func(c *Case) {
				if c.ob.q.TaskID == m.TaskID {
					c.Lines = read(c.ob.q.CheckpointID)
				}
			})
		}
	}
	for _, s := range studies {
		s.guessBaselines(func(c *Case) { c.Happenings = of.happenings(c.Question) })
	}
	return nil
}

func (s *Study) guessBaselines(show func(*Case)) {
	for n, c := range s.cases {
		show(c)
		if len(c.Lines) == 0 && len(c.Happenings) == 0 {
			continue
		}
		for r, rule := range s.rules {
			if rule.Sees.IsBaseline() && s.guesses[r][n] == 0 {
				s.guesses[r][n] = rule.guess(c)
			}
		}
		if found, ok := c.findsEvidence(); ok {
			s.dated = append(s.dated, datedCase{n, found})
		}
		c.Lines, c.Happenings, c.found = nil, nil, findings{}
	}
}

// reader returns what was said before a checkpoint, in order; all that was where there is none.
func (m Material) reader(exhibits map[string]Exhibit) func(checkpoint string) []Line {
	slices.SortFunc(m.Sessions, func(a, b schemas.Session) int { return int(a.Order) - int(b.Order) })
	type session struct {
		id    string
		lines []Line
	}
	var all []session
	for _, s := range m.Sessions {
		all = append(all, session{s.SessionID, newLines(s, exhibits)})
	}
	order := map[string]int32{}
	for _, c := range m.Checkpoints {
		order[c.CheckpointID] = c.Order
	}
	return func(checkpoint string) (out []Line) {
		limit, limited := order[checkpoint]
		seen := map[string]bool{}
		for _, c := range m.Checkpoints {
			for _, id := range c.Sessions {
				seen[id] = seen[id] || c.Order <= limit
			}
		}
		for _, s := range all {
			if !limited || seen[s.id] {
				out = append(out, s.lines...)
			}
		}
		return out
	}
}

func (of Subject) happenings(question string) (out []string) {
	asked := padded(question)
	for _, title := range slices.Sorted(maps.Keys(of.Happenings)) {
		if names(asked, title) {
			out = append(out, of.Happenings[title]...)
		}
	}
	return out
}

// measure trains the models and turns all guesses into figures.
func (s *Study) measure(rnd *rand.Rand) {
	for _, v := range []View{OptionsOnly, QuestionWithOptions} {
		s.Figures = append(s.Figures, s.model(v, rnd))
	}
	s.Company = []Figure{s.model(WithOthers, rnd)}
	s.Figures = append(s.Figures, s.figure(Rule{Name: "choice model fitted on " + string(Attack), Sees: Siblings, Upward: true}, attack(newItems(s.cases, Attack, s.rules, s.guesses), rnd)))
	s.Figures[2].Trained = true
	for r, rule := range s.rules {
		f := s.figure(rule, s.guesses[r])
		switch {
		case f.Facts == 0:
		case rule.Sees == Company:
			s.Company = append(s.Company, f)
		case rule.Sees.IsBaseline():
			s.Baselines = append(s.Baselines, f)
		default:
			s.Figures = append(s.Figures, f)
		}
	}
	if f := s.retrieval(); f.Facts > 0 {
		s.Baselines = append(s.Baselines, f)
	}
	s.RStd, s.Position = s.positionSpread()
	always := make([]guess, len(s.cases))
	for n, c := range s.cases {
		always[n] = guessOf([]int{c.ob.gold})
	}
	s.LeastPValue = s.figure(Rule{}, always).PValue
	s.guesses, s.rules = nil, nil
}

// model cross-validates a choice model. The figure is that of the first deal of the folds.
func (s *Study) model(v View, rnd *rand.Rand) Figure {
	items := newItems(s.cases, v, s.rules, s.guesses)
	first, sure := make([]guess, len(items)), slices.Repeat([]bool{true}, len(items))
	least := slices.Repeat([]float64{1}, len(items))
	for rep := range repetitions {
		gold, best := crossValidate(items, rnd)
		for i := range items {
			least[i] = min(least[i], gold[i])
			sure[i] = sure[i] && slices.Equal(best[i], []int{items[i].gold})
			if rep == 0 {
				first[i] = guessOf(best[i])
			}
		}
	}
	for i, c := range s.cases {
		if v == QuestionWithOptions {
			s.GoldChance[c.ob.fact] += c.ob.weight * least[i]
		}
	}
	sees := Alone
	if v == WithOthers {
		sees = Company
	}
	f := s.figure(Rule{Name: "choice model on " + string(v), Sees: sees, Upward: true}, first)
	f.Trained, f.sure = true, sure
	return f
}

func (s *Study) figure(r Rule, guesses []guess) Figure {
	f := Figure{Name: r.Name, Sees: r.Sees, Adjusted: 1, guesses: guesses}
	scores, _ := s.scores(f)
	if f.Facts = len(scores); f.Facts == 0 {
		return f
	}
	for _, sc := range scores {
		f.Chance += sc.chance
	}
	f.Chance /= float64(len(scores))
	f.Accuracy, f.PValue = meanInterval(scores), luckPValue(scores, r.Upward)
	return f
}

// scores are those of the facts of which a figure says something, with their names.
func (s *Study) scores(f Figure) (out []score, facts []string) {
	at, weights := map[string]int{}, []float64{}
	for i, c := range s.cases {
		if f.guesses[i] == 0 {
			continue
		}
		n, known := at[c.ob.fact]
		if !known {
			n = len(out)
			at[c.ob.fact] = n
			out, facts, weights = append(out, score{cluster: c.ob.cluster}), append(facts, c.ob.fact), append(weights, 0)
		}
		out[n].right += c.ob.weight * f.guesses[i].right(c.ob.gold)
		out[n].chance += c.ob.weight / float64(len(c.Options))
		weights[n] += c.ob.weight
	}
	for n, w := range weights {
		out[n].right /= w
		out[n].chance /= w
	}
	return out, facts
}

type datedCase struct {
	at    int
	found bool
}

// retrieval is how often the turns of the days that a question names hold all of its evidence.
func (s *Study) retrieval() Figure {
	f := Figure{Name: "all evidence stands on the days that the question names", Sees: History, PValue: 1, Adjusted: 1}
	var scores []score
	for _, d := range s.dated {
		scores = append(scores, score{cluster: s.cases[d.at].ob.cluster, right: indicator(d.found)})
	}
	if f.Facts = len(scores); f.Facts > 0 {
		f.Accuracy = meanInterval(scores)
	}
	return f
}

// Surplus returns the facts, besides those gone, that must go for a figure to be at chance, with
// the ids of their questions: of a figure above chance facts that it gets right, those first of
// which the model with the question is surest, of one below chance facts that it gets wrong.
// When something is gone already, a figure within three standard errors is explained by that.
func (s *Study) Surplus(f Figure, gone map[string]bool) map[string][]string {
	told := s.told(f)
	right, chance, n := 0.0, 0.0, 0.0
	scores, facts := s.scores(f)
	for i, fact := range facts {
		if !gone[fact] {
			right, chance, n = right+scores[i].right, chance+scores[i].chance, n+1
		} else {
			delete(told, fact)
		}
	}
	if n == 0 {
		return nil
	}
	chance /= n
	over := right - chance*n
	if len(gone) > 0 && math.Abs(over) < explainedErrors*math.Sqrt(n*chance*(1-chance)) {
		return nil
	}
	many := over / (1 - chance)
	if f.Excess() < 0 {
		many = -over / chance
	}
	left := slices.SortedFunc(maps.Keys(told), func(a, b string) int {
		if d := s.GoldChance[b] - s.GoldChance[a]; d != 0 {
			return int(indicator(d > 0) - indicator(d < 0))
		}
		return int(indicator(a > b) - indicator(a < b))
	})
	out := map[string][]string{}
	for _, fact := range left[:min(len(left), max(0, int(math.Ceil(many-1e-9))))] {
		out[fact] = told[fact]
	}
	return out
}

// explainedErrors is how many standard errors off chance a figure may be over what is
// left, when something is flagged already.
const explainedErrors = 3

// told are the questions by which a figure lies off chance, by fact: above it those whose right
// option it singles out, below it those whose right option it rules out.
func (s *Study) told(f Figure) map[string][]string {
	out := map[string][]string{}
	for i, c := range s.cases {
		p := f.guesses[i].right(c.ob.gold)
		is := p == 1 && (f.sure == nil || f.sure[i])
		if f.Excess() < 0 {
			is = p == 0 && f.guesses[i] != 0
		}
		if is {
			out[c.ob.fact] = append(out[c.ob.fact], c.ob.rows...)
		}
	}
	return out
}

func adjustAll(studies []*Study) {
	var alone, company []*Figure
	for _, s := range studies {
		for i := range s.Figures {
			alone = append(alone, &s.Figures[i])
		}
		for i := range s.Company {
			company = append(company, &s.Company[i])
		}
	}
	for _, s := range studies {
		s.LeastPValue = min(1, s.LeastPValue*float64(len(alone)))
	}
	for _, figures := range [][]*Figure{alone, company} {
		ps := make([]float64, len(figures))
		for i, f := range figures {
			ps[i] = f.PValue
		}
		for i, p := range holm(ps) {
			figures[i].Adjusted = p
		}
	}
}

// positionSpread compares where the right options stand, over the most frequent number of
// options. A fact counts in part for each place of its answer.
func (s *Study) positionSpread() (rstd, p float64) {
	size := map[int]float64{}
	for _, c := range s.cases {
		size[len(c.Options)] += c.ob.weight
	}
	n := 0
	for k, c := range size {
		if c > size[n] || c == size[n] && k < n {
			n = k
		}
	}
	counts, total := make([]float64, n), 0.0
	for _, c := range s.cases {
		if len(c.Options) == n {
			counts[c.ob.gold] += c.ob.weight
			total += c.ob.weight
		}
	}
	want, chi, spread := total/float64(n), 0.0, 0.0
	for _, c := range counts {
		chi += (c - want) * (c - want) / want
		spread += (c/total - 1/float64(n)) * (c/total - 1/float64(n))
	}
	return math.Sqrt(spread / float64(n)), distuv.ChiSquared{K: float64(n - 1)}.Survival(chi)
}
