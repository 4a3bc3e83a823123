package shortcut

import (
	"cmp"
	"slices"

	"github.com/memforge/memforge/schemas"
)

// observation is what a fact is asked with: rows that have one text and one
// right option count once. The observations of a fact share its weight of 1, so
// a fact counts once however often and in however many ways it is asked.
type observation struct {
	q             schemas.Question
	fact, cluster string
	gold          int
	weight        float64
	// rows are the ids of the questions that it stands for.
	rows []string
}

// observations of the questions that have at least two options and a known right
// one, in order of the ids.
func observations(qs []schemas.Question) []observation {
	qs = slices.Clone(qs)
	slices.SortFunc(qs, func(a, b schemas.Question) int { return cmp.Compare(a.QuestionID, b.QuestionID) })
	clusters := Clusters(qs)
	at := map[[2]string]int{}
	of := map[string]int{}
	var out []observation
	for _, q := range qs {
		if !Studied(q) {
			continue
		}
		key := [2]string{q.Fact(), shown(q)}
		i, known := at[key]
		if !known {
			i = len(out)
			at[key] = i
			of[q.Fact()]++
			out = append(out, observation{q: q, fact: q.Fact(), cluster: clusters[q.QuestionID], gold: goldOf(q)})
		}
		out[i].rows = append(out[i].rows, q.QuestionID)
	}
	for i := range out {
		out[i].weight = 1 / float64(of[out[i].fact])
	}
	return out
}

// Studied reports whether a question can be studied: it has 2 to 26 options, and
// the right one is known.
func Studied(q schemas.Question) bool {
	return goldOf(q) >= 0 && len(q.Options) >= 2 && len(q.Options) <= MostOptions
}

// MostOptions that a question may have to be studied.
const MostOptions = 26

// shown is the text that a solver reads, and which option is right.
func shown(q schemas.Question) string {
	s := q.Question + "\x00" + q.AnswerKey
	for _, o := range q.Options {
		s += "\x00" + o.Key + "\x00" + o.Text
	}
	return s
}

func goldOf(q schemas.Question) int {
	return slices.IndexFunc(q.Options, func(o schemas.Option) bool { return o.Key == q.AnswerKey })
}

// distinct counts the different values of observations.
func distinct(obs []observation, of func(observation) string) int {
	seen := map[string]bool{}
	for _, o := range obs {
		seen[of(o)] = true
	}
	return len(seen)
}

func factOf(o observation) string    { return o.fact }
func clusterOf(o observation) string { return o.cluster }

// Clusters tells, by question id, what must not be torn apart by folds and
// resampling: questions about one pair of videos, over one sequence of clips, of
// one mirror group, else those of one task; and always the copies of one fact. A
// cluster has the name of its first question by id.
func Clusters(qs []schemas.Question) map[string]string {
	owner := map[string]int{}
	parent := make([]int, len(qs))
	root := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	for i, q := range qs {
		parent[i] = i
		for _, name := range []string{shared(q), "fact\x00" + q.Fact()} {
			if j, known := owner[name]; known {
				parent[root(i)] = root(j)
				continue
			}
			owner[name] = i
		}
	}
	first := map[int]string{}
	for i, q := range qs {
		if r := root(i); first[r] == "" || q.QuestionID < first[r] {
			first[r] = q.QuestionID
		}
	}
	out := make(map[string]string, len(qs))
	for i, q := range qs {
		out[q.QuestionID] = first[root(i)]
	}
	return out
}

// shared is what a question shares with others that tell something of its answer.
func shared(q schemas.Question) string {
	for _, label := range []string{schemas.LabelPair, "sequence", schemas.LabelMirror} {
		if g := q.Labels[label]; g != "" {
			return label + "\x00" + g
		}
	}
	return "task\x00" + q.TaskID
}
