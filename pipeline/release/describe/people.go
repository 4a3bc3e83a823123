package describe

import (
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/pipeline/release/review"
	"github.com/memforge/memforge/schemas"
)

type reviewSummary struct {
	Sentences []string
	Agreement grid
}

// summarizeReviews says who decided about what, and how far they agree: the figures are
// those of an audit.
func (rel Release) summarizeReviews() (reviewSummary, error) {
	if len(rel.Reviews) == 0 {
		return reviewSummary{}, nil
	}
	var asked []schemas.Question
	for _, f := range rel.Flagged {
		asked = append(asked, f.Question)
	}
	all, err := review.Agreements(rel.Reviews, agreement.Clusters(slices.AppendSeq(asked, rel.Questions)), rel.Manifest.Seed)
	out := reviewSummary{Sentences: markSentences(rel.Manifest.Reviewed)}
	var rows []pairRow
	for _, a := range all {
		out.Sentences = append(out.Sentences, sampleSentence(a))
		for _, p := range a.Pairs {
			rows = append(rows, pairRow{a.Draw, p})
		}
	}
	if len(rows) > 0 {
		out.Sentences = append(out.Sentences, agreementNote)
	}
	out.Agreement = agreementGrid(rows)
	return out, err
}

const agreementNote = "Kappa (Cohen's, for two) and alpha (Krippendorff's, for all) are 1 where people always agree and 0 where they agree as often as by chance. " +
	"In brackets are intervals of 95 %, in which copies of one fact, and questions about the same media, count as one."

func markSentences(marks []review.SampleMark) (out []string) {
	for _, m := range marks {
		text := fmt.Sprintf("This release is marked reviewed: of %s, %d were drawn in draw %s (%.4g %% of each kind by %s, at least %d), and more than half of %d people or more decided alike about each.",
			count(m.Items, m.Schema), m.Drawn, m.Name, 100*m.Share, strings.Join(m.By, ", "), m.Least, m.Annotators)
		if m.Others > 0 {
			text += fmt.Sprintf(" %s about others took effect as well.", count(m.Others, "decision"))
		}
		out = append(out, text)
	}
	return out
}

func sampleSentence(a review.Agreement) string {
	text := fmt.Sprintf("Draw %s: %s decided about %s.", a.Draw, joinNames(a.Annotators), count(a.Items, "item"))
	models := 0
	for _, name := range a.Annotators {
		if strings.HasPrefix(name, schemas.ModelReviewer) {
			models++
		}
	}
	if models > 0 {
		text += fmt.Sprintf(" Of these %d annotators %d were models, not people.", len(a.Annotators), models)
	}
	switch {
	case len(a.Pairs) == 0:
		text += " No two decided about the same item, so nothing is known of how far they agree."
	case a.Alpha != nil:
		text += fmt.Sprintf(" Alpha of all is %s over %s that two or more decided about.", intervalText(a.Alpha.Interval), count(a.Alpha.Units, "item"))
	}
	return text
}

const maxListed = 10

func joinNames(names []string) string {
	if n := len(names) - maxListed; n > 0 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:maxListed], ", "), n)
	}
	return strings.Join(names, ", ")
}

func intervalText(i agreement.Interval) string {
	return fmt.Sprintf("%.2f [%.2f, %.2f]", i.Value, i.Low, i.High)
}

type pairRow struct {
	draw string
	agreement.PairAgreement
}

func agreementGrid(rows []pairRow) grid {
	return newGrid(rows,
		textColumn("draw", func(r pairRow) string { return r.draw }),
		textColumn("annotators", func(r pairRow) string { return r.A + ", " + r.B }),
		countColumn("items both decided", func(r pairRow) int64 { return int64(r.Calls) }),
		numberColumn("decided alike", func(r pairRow) string {
			return fmt.Sprintf("%.1f %% [%.1f, %.1f]", 100*r.Observed.Value, 100*r.Observed.Low, 100*r.Observed.High)
		}),
		numberColumn("kappa", func(r pairRow) string {
			if r.Kappa == nil {
				return "undefined: one decision throughout"
			}
			return intervalText(*r.Kappa)
		}))
}

// modelNames lists the models of some steps, each once, sorted.
func modelNames(nodes []manifest.StepModels) []string {
	var out []string
	for _, n := range nodes {
		for _, m := range n.Models {
			out = append(out, m.Model+" at "+m.Host)
		}
		if len(n.Rules) > 0 {
			out = append(out, pipeline.BuiltInModel)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// describeModels says which models wrote. checkSummary says which of them tested: a gate
// that may ask need not have asked.
func describeModels(nodes []manifest.StepModels) string {
	live := slices.ContainsFunc(nodes, func(n manifest.StepModels) bool { return len(n.Models) > 0 })
	var parts []string
	if !live {
		parts = append(parts, "No language model took part.")
	}
	isGate := func(n manifest.StepModels) bool { return n.Kind == string(pipeline.KindGate) }
	if wrote := modelNames(slices.DeleteFunc(slices.Clone(nodes), isGate)); len(wrote) > 0 {
		parts = append(parts, fmt.Sprintf("Written or described by: %s.", strings.Join(wrote, ", ")))
	}
	return strings.Join(append(parts, sharedSeats(nodes)...), " ")
}

// sharedSeats says which seats of panels one model held, and where, each once.
func sharedSeats(nodes []manifest.StepModels) []string {
	var said []string
	where := map[string][]string{}
	for _, n := range nodes {
		for _, o := range n.Opinions() {
			s := o.String()
			if gate, _ := pipeline.SplitRound(n.Step); !slices.Contains(where[s], gate) {
				where[s] = append(where[s], gate)
			}
			said = append(said, s)
		}
	}
	slices.Sort(said)
	said = slices.Compact(said)
	for i, s := range said {
		said[i] = fmt.Sprintf("In %s the roles %s: that they agree is one opinion.", strings.Join(where[s], ", "), s)
	}
	return said
}
