package audit

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// Sampling says which questions of a release people are to review.
type Sampling struct {
	// By lists what a stratum has in common: type, family, split, source (of the
	// question's task) or the name of a label.
	By []string
	// Share of each stratum that is drawn, rounded up; at least Least questions.
	Share float64
	Least int
	// Seed decides which.
	Seed uint64
}

// Drawn is a question to review, with all that a reviewer needs.
type Drawn struct {
	QuestionID string `json:"question_id"`
	// Stratum holds the values of Sampling.By, in its order.
	Stratum []string `json:"stratum"`
	// Why is "flagged" for a question that some gate flagged and that was kept,
	// "drawn" for the others.
	Why      string             `json:"why"`
	Question string             `json:"question"` // with its options
	Answer   string             `json:"answer"`
	Because  string             `json:"explanation,omitempty"`
	Media    []string           `json:"media"` // files within the release
	Evidence []schemas.Evidence `json:"evidence"`
	// Verdicts are all on the question, in the order of the gates' names.
	Verdicts []schemas.Verdict `json:"verdicts"`
	// Same are the other questions of its mirror group: who reviews one reviews
	// what all of them ask.
	Same []string `json:"same"`
}

// Draw lists, sorted by stratum, every question that a gate flagged and a share
// of the others, drawn within each stratum. Questions of a mirror group count
// as one. The same release and sampling give the same list; a question more or
// less changes it only within its stratum.
func Draw(c release.Contents, s Sampling) ([]Drawn, error) {
	if len(s.By) == 0 || !(s.Share > 0 && s.Share <= 1) || s.Least < 0 {
		return nil, fmt.Errorf("draw a share of %g, at least %d, by %q: want a share above 0 up to 1, 0 or more, and something to draw by", s.Share, s.Least, s.By)
	}
	strata := map[string][]Drawn{}
	for _, d := range candidates(c, s.By) {
		key := strings.Join(d.Stratum, "\x00")
		strata[key] = append(strata[key], d)
	}
	var out []Drawn
	for _, key := range slices.Sorted(maps.Keys(strata)) {
		out = append(out, pick(strata[key], s)...)
	}
	return out, nil
}

// pick takes what is flagged in a stratum, and of the others those of least rank.
func pick(of []Drawn, s Sampling) []Drawn {
	var out, others []Drawn
	for _, d := range of {
		if d.Why == whyFlagged {
			out = append(out, d)
		} else {
			others = append(others, d)
		}
	}
	rank := func(d Drawn) uint64 {
		h := fnv.New64a()
		fmt.Fprintf(h, "%d %s", s.Seed, d.QuestionID)
		return h.Sum64()
	}
	slices.SortFunc(others, func(a, b Drawn) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.QuestionID, b.QuestionID))
	})
	n := max(s.Least, int(math.Ceil(s.Share*float64(len(others)))))
	return append(out, others[:min(n, len(others))]...)
}

// Why a question is listed.
const (
	whyFlagged = "flagged"
	whyDrawn   = "drawn"
)

// candidates are the questions of a release, one for each mirror group: the
// first that is flagged, else the first.
func candidates(c release.Contents, by []string) []Drawn {
	sources := map[string][]string{}
	for _, t := range c.Tasks {
		sources[t.TaskID] = t.SourceRecords
	}
	said := map[string][]schemas.Verdict{}
	for _, v := range c.Verdicts {
		said[v.Item] = append(said[v.Item], v)
	}
	at := map[string]int{}
	var out []Drawn
	for _, q := range c.Questions {
		d := drawn(q, said[q.QuestionID], c.Files)
		for _, key := range by {
			d.Stratum = append(d.Stratum, strataValue(q, key, sources[q.TaskID]))
		}
		group := cmp.Or(q.Labels[schemas.LabelMirror], q.QuestionID)
		i, known := at[group]
		switch {
		case !known:
			at[group] = len(out)
			out = append(out, d)
		case d.Why == whyFlagged && out[i].Why != whyFlagged:
			d.Same = append(out[i].Same, out[i].QuestionID)
			out[i] = d
		default:
			out[i].Same = append(out[i].Same, d.QuestionID)
		}
	}
	return out
}

// drawn is what a reviewer sees of a question.
func drawn(q schemas.Question, said []schemas.Verdict, files map[string]string) Drawn {
	d := Drawn{
		QuestionID: q.QuestionID, Why: whyDrawn, Question: q.QuestionMCQ, Answer: q.AnswerText, Because: q.Explanation,
		Evidence: q.Evidence, Verdicts: append([]schemas.Verdict{}, said...), Same: []string{}, Media: []string{},
	}
	for _, m := range q.Media {
		d.Media = append(d.Media, files[m])
	}
	if slices.ContainsFunc(said, func(v schemas.Verdict) bool { return v.Outcome == schemas.Fail }) {
		d.Why = whyFlagged
	}
	return d
}

func strataValue(q schemas.Question, key string, sources []string) string {
	switch key {
	case "type":
		return q.Type
	case "family":
		return q.Family
	case "split":
		return q.Split
	case "source":
		return strings.Join(slices.Sorted(slices.Values(sources)), "+")
	}
	return q.Labels[key]
}
