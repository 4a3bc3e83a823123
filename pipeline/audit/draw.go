package audit

import (
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/review"
	"github.com/memforge/memforge/schemas"
)

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

	unit string
}

// Draw lists, sorted by stratum, every question that a gate flagged and those of
// the others that are drawn within each stratum. Questions of a mirror group count
// as one. The same release and sampling give the same list; a question more or
// less changes it only within its stratum.
func Draw(c release.Contents, s review.Sampling) ([]Drawn, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	strata := map[string][]Drawn{}
	for _, d := range candidates(c, s) {
		key := strings.Join(d.Stratum, "\x00")
		strata[key] = append(strata[key], d)
	}
	var out []Drawn
	for _, key := range slices.Sorted(maps.Keys(strata)) {
		out = append(out, pick(strata[key], s)...)
	}
	return out, nil
}

// pick takes what is flagged in a stratum, and those drawn.
func pick(of []Drawn, s review.Sampling) []Drawn {
	units := make([]string, len(of))
	for i, d := range of {
		units[i] = d.unit
	}
	drawn := map[string]bool{}
	for _, unit := range s.Draw(units) {
		drawn[unit] = true
	}
	var out []Drawn
	for _, why := range []string{whyFlagged, whyDrawn} {
		for _, d := range of {
			if d.Why == why && (why == whyFlagged || drawn[d.unit]) {
				out = append(out, d)
			}
		}
	}
	return out
}

// Why a question is listed.
const (
	whyFlagged = "flagged"
	whyDrawn   = "drawn"
)

// candidates are the questions of a release, one for each mirror group: the
// first that is flagged, else the first.
func candidates(c release.Contents, s review.Sampling) []Drawn {
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
		d.Stratum, d.unit = s.Stratum(q, sources[q.TaskID]), review.Unit(q)
		i, known := at[d.unit]
		switch {
		case !known:
			at[d.unit] = len(out)
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

// Open keeps those of drawn questions that so many annotators have not decided
// about, or not alike.
func Open(drawn []Drawn, reviews []schemas.Review, draw string, annotators int) []Drawn {
	said := map[string][]schemas.Review{}
	for _, r := range reviews {
		if r.Draw == draw {
			said[r.Item] = append(said[r.Item], r)
		}
	}
	return slices.DeleteFunc(slices.Clone(drawn), func(d Drawn) bool {
		decisions := slices.Clone(said[d.QuestionID])
		for _, id := range d.Same {
			decisions = append(decisions, said[id]...)
		}
		return review.Settle(decisions, annotators).Decision != ""
	})
}
