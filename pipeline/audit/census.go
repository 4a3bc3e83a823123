package audit

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/kit/words"
	"github.com/memforge/memforge/schemas"
)

// NearDuplicate is a pair of questions that say nearly the same; A comes first by id.
type NearDuplicate struct {
	A, B string
	// Similarity is the share of common three-word shingles (Jaccard), at least
	// 0.9.
	Similarity float64
	// SplitA and SplitB are the splits that they stand in.
	SplitA, SplitB string
}

// CrossesSplits reports that the pair stands in different splits.
func (c NearDuplicate) CrossesSplits() bool { return c.SplitA != c.SplitB }

func (c NearDuplicate) rank() int {
	if c.CrossesSplits() {
		return 1
	}
	return 0
}

// Census counts what a set of questions really holds.
type Census struct {
	// Questions are rows, Facts what they ask for (schemas.Question.Fact). Across
	// counts the facts that stand in several splits.
	Questions, Facts, Across int
	// Near are near-duplicates among the facts, each by one of its questions.
	Near []NearDuplicate
}

// TakeCensus takes the census of questions of any type, with options and without.
// Equal sets give equal censuses.
func TakeCensus(qs []schemas.Question) Census {
	qs = slices.SortedFunc(slices.Values(qs), func(a, b schemas.Question) int { return cmp.Compare(a.QuestionID, b.QuestionID) })
	splits := map[string]map[string]bool{}
	var first []schemas.Question
	for _, q := range qs {
		f := q.Fact()
		if splits[f] == nil {
			splits[f] = map[string]bool{}
			first = append(first, q)
		}
		splits[f][q.Split] = true
	}
	c := Census{Questions: len(qs), Facts: len(first), Near: near(first)}
	for _, in := range splits {
		if len(in) > 1 {
			c.Across++
		}
	}
	return c
}

// near finds near-duplicates among questions, which are ordered by id: first pairs
// across splits, then by id.
func near(qs []schemas.Question) []NearDuplicate {
	clusters := agreement.Clusters(qs)
	texts := make([]string, len(qs))
	for i, q := range qs {
		texts[i] = textOf(q)
	}
	var out []NearDuplicate
	for _, p := range words.NearDuplicates(texts, func(i, j int) bool { return comparable(qs[i], qs[j], clusters) }) {
		a, b := qs[p.A], qs[p.B]
		out = append(out, NearDuplicate{a.QuestionID, b.QuestionID, p.Similarity, a.Split, b.Split})
	}
	slices.SortStableFunc(out, func(a, b NearDuplicate) int { return cmp.Compare(b.rank(), a.rank()) })
	return out
}

// comparable leaves out questions over different media of different clusters:
// there the same words ask something else.
func comparable(a, b schemas.Question, clusters map[string]string) bool {
	if clusters[a.QuestionID] == clusters[b.QuestionID] || len(a.Media) == 0 && len(b.Media) == 0 {
		return true
	}
	return slices.ContainsFunc(a.Media, func(m string) bool { return slices.Contains(b.Media, m) })
}

// textOf returns a question with its options in alphabetical order, since another order
// asks the same.
func textOf(q schemas.Question) string {
	var options []string
	for _, o := range q.Options {
		options = append(options, o.Text)
	}
	slices.Sort(options)
	return q.Question + " " + strings.Join(options, " ")
}
