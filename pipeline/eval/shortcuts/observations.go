package shortcuts

import (
	"cmp"
	"slices"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/schemas"
)

// observation stands for the rows of a fact that have one text and one right option. The
// observations of a fact share a weight of 1, so that a fact counts once however it is asked.
type observation struct {
	q             schemas.Question
	fact, cluster string
	gold          int
	weight        float64
	// last is the place of the right option of the fact before, -1 for none.
	last int
	// rows are the ids of the questions that it stands for.
	rows []string
}

// observations returns those of the questions that can be studied, by id.
func observations(qs []schemas.Question) []observation {
	qs = slices.Clone(qs)
	slices.SortFunc(qs, func(a, b schemas.Question) int { return cmp.Compare(a.QuestionID, b.QuestionID) })
	clusters := agreement.Clusters(qs)
	at := map[[2]string]int{}
	of := map[string]int{}
	var out []observation
	for _, q := range qs {
		if !CanStudy(q) {
			continue
		}
		key := [2]string{q.Fact(), shownText(q)}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			of[q.Fact()]++
			ob := observation{q: q, fact: q.Fact(), cluster: clusters[q.QuestionID], gold: goldIndex(q), last: -1}
			if i > 0 && out[i-1].fact != ob.fact {
				ob.last = out[i-1].gold
			}
			out = append(out, ob)
		}
		out[i].rows = append(out[i].rows, q.QuestionID)
	}
	for i := range out {
		out[i].weight = 1 / float64(of[out[i].fact])
	}
	return out
}

// CanStudy reports whether a question can be studied: it has 2 to 26 options, and
// the right one is known.
func CanStudy(q schemas.Question) bool {
	return goldIndex(q) >= 0 && len(q.Options) >= 2 && len(q.Options) <= MostOptions
}

// MostOptions that a question may have to be studied.
const MostOptions = 26

func shownText(q schemas.Question) string {
	s := q.ChoiceStem() + "\x00" + q.Question + "\x00" + q.AnswerKey
	for _, o := range q.Options {
		s += "\x00" + o.Key + "\x00" + o.Text
	}
	return s
}

func goldIndex(q schemas.Question) int {
	return slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
}

func countDistinct(obs []observation, of func(observation) string) int {
	seen := map[string]bool{}
	for _, o := range obs {
		seen[of(o)] = true
	}
	return len(seen)
}

func factOf(o observation) string    { return o.fact }
func clusterOf(o observation) string { return o.cluster }
