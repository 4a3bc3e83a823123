package release

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

// people is what card and report say of those who decided about items.
type people struct {
	Sentences []string
	Agreement grid
}

// peopleOf says who decided about what, and how far they agree: the figures are those
// of an audit.
func (c *content) peopleOf(marks []review.Mark, seed uint64) (people, error) {
	said := c.people.Sampled()
	if len(said) == 0 {
		return people{}, nil
	}
	var asked []schemas.Question
	for _, f := range c.flagged {
		asked = append(asked, f.Question)
	}
	all, err := review.Agreements(said, agreement.Clusters(slices.AppendSeq(asked, c.questions)), seed)
	out := people{Sentences: tellMarks(marks)}
	var rows []agreed
	for _, a := range all {
		out.Sentences = append(out.Sentences, tellDraw(a))
		for _, p := range a.Pairs {
			rows = append(rows, agreed{a.Draw, p})
		}
	}
	if len(rows) > 0 {
		out.Sentences = append(out.Sentences, agreedNote)
	}
	out.Agreement = agreedGrid(rows)
	return out, err
}

// agreedNote goes before the table of agreement.
const agreedNote = "Kappa (Cohen's, for two) and alpha (Krippendorff's, for all) are 1 where people always agree and 0 where they agree as often as by chance. " +
	"In brackets are intervals of 95 %, in which copies of one fact, and questions about the same videos, count as one."

// tellMarks says what a release that is marked reviewed had decided.
func tellMarks(marks []review.Mark) (out []string) {
	for _, m := range marks {
		text := fmt.Sprintf("This release is marked reviewed: of %s, %d were drawn in draw %s (%.4g %% of each kind by %s, at least %d), and more than half of %d people or more decided alike about each.",
			count(m.Items, m.Schema), m.Drawn, m.Name, 100*m.Share, strings.Join(m.By, ", "), m.Least, m.Annotators)
		if m.Beside > 0 {
			text += fmt.Sprintf(" %s about others took effect as well.", count(m.Beside, "decision"))
		}
		out = append(out, text)
	}
	return out
}

// tellDraw says who decided about the items of a draw.
func tellDraw(a review.Agreement) string {
	text := fmt.Sprintf("Draw %s: %s decided about %s.", a.Draw, listed(a.Annotators), count(a.Items, "item"))
	switch {
	case len(a.Pairs) == 0:
		text += " No two decided about the same item, so nothing is known of how far they agree."
	case a.Alpha != nil:
		text += fmt.Sprintf(" Alpha of all is %s over %s that two or more decided about.", bounded(a.Alpha.Interval), count(a.Alpha.Units, "item"))
	}
	return text
}

// maxListed bounds how many names a sentence has.
const maxListed = 10

func listed(names []string) string {
	if n := len(names) - maxListed; n > 0 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:maxListed], ", "), n)
	}
	return strings.Join(names, ", ")
}

func bounded(i agreement.Interval) string {
	return fmt.Sprintf("%.2f [%.2f, %.2f]", i.Value, i.Low, i.High)
}

// agreed is how far two agree about the items of a draw.
type agreed struct {
	draw string
	agreement.PairAgreement
}

func agreedGrid(rows []agreed) grid {
	return gridOf(rows,
		words("draw", func(r agreed) string { return r.draw }),
		words("annotators", func(r agreed) string { return r.A + ", " + r.B }),
		figures("items both decided", func(r agreed) int64 { return int64(r.Calls) }),
		measures("decided alike", func(r agreed) string {
			return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*r.Observed.Value, 100*r.Observed.Low, 100*r.Observed.High)
		}),
		measures("kappa", func(r agreed) string {
			if r.Kappa == nil {
				return "undefined: one decision throughout"
			}
			return bounded(*r.Kappa)
		}))
}
