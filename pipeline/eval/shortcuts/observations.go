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
			out = append(out, observation{q: q, fact: q.Fact(), cluster: clusters[q.QuestionID], gold: goldIndex(q)})
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
	s := q.Question + "\x00" + q.AnswerKey
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

// Forms are, by question type, the form that it shares with types of its wording.
// A type that is not among them is a form of its own.
type Forms map[string]string

// FormOf is what a solver could tell a question by.
func (f Forms) FormOf(q schemas.Question) string { return cmp.Or(f[q.Type], q.Type) }

// Group groups questions by their form. The indices of a form are in input order.
func (f Forms) Group(qs []schemas.Question) map[string][]int {
	out := map[string][]int{}
	for i, q := range qs {
		out[f.FormOf(q)] = append(out[f.FormOf(q)], i)
	}
	return out
}
