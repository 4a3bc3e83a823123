package release

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
)

// sentences say what was checked of the release and what was not: no word more
// than verdicts and probes hold.
func (k checked) sentences() []string {
	return slices.Concat(k.tellFailed(), k.tellPassed(), k.tellModels(), k.tellMedia())
}

func (k checked) tellFailed() []string {
	all := k.questions.all
	switch {
	case k.questions.judged == 0:
		return []string{fmt.Sprintf("No check came to a judgement on any of the %s.", count(int(all), "question"))}
	case k.questions.failed == 0:
		return []string{fmt.Sprintf("No check failed any of the %s.", count(int(all), "question"))}
	}
	var by []string
	for _, gate := range slices.Sorted(maps.Keys(k.failed)) {
		by = append(by, fmt.Sprintf("%s %d", gate, k.failed[gate]))
	}
	return []string{fmt.Sprintf("Of the %s, %d failed a check and were released all the same (%s).", count(int(all), "question"), k.questions.failed, strings.Join(by, ", "))}
}

func (k checked) tellPassed() []string {
	if k.questions.judged == 0 {
		return nil
	}
	ns := slices.Sorted(maps.Keys(k.passed))
	least, most := ns[0], ns[len(ns)-1]
	passed := fmt.Sprintf("Each passed %d to %d checks.", least, most)
	if least == most {
		passed = fmt.Sprintf("Each passed %s.", count(most, "check"))
	}
	left := k.questions.all - k.questions.judged
	if left == 0 {
		return []string{passed}
	}
	return []string{passed, fmt.Sprintf("No check judged %d of them (%s).", left, k.typesWith(func(t checkedType) int64 { return t.all - t.judged }))}
}

func (k checked) tellModels() []string {
	byModel, byRule, none := k.questions.byModel, k.questions.byRule, k.questions.untested()
	var out []string
	if byModel == 0 {
		out = append(out, "No language model tested them.")
	} else {
		out = append(out, fmt.Sprintf("A language model tested %d of them (%s, asked by %s).", byModel, strings.Join(k.models, ", "), strings.Join(k.asking, ", ")))
	}
	if byRule > 0 {
		out = append(out, fmt.Sprintf("Fixed rules (%s) answered in the place of a language model about %d of them.", pipeline.BuiltInModel, byRule))
	}
	if none > 0 && byModel+byRule > 0 {
		out = append(out, fmt.Sprintf("The other %d had no such test (%s).", none, k.typesWith(checkedType.untested)))
	}
	if k.questions.byLot > 0 {
		out = append(out, fmt.Sprintf("Lots were drawn about %d of them (%s, in %s): whoever answered saw question and options and nothing to go by. "+
			"This says nothing about the questions, and is not among the checks that they passed.", k.questions.byLot, pipeline.BuiltInModel, strings.Join(k.lots, ", ")))
	}
	return out
}

func (k checked) tellMedia() []string {
	if k.media == 0 {
		return nil
	}
	left := k.media - k.mediaPassed - k.mediaFailed
	if left == k.media {
		return []string{fmt.Sprintf("No check judged the %s themselves.", count(k.media, "media file"))}
	}
	text := fmt.Sprintf("Of the %s, %d passed checks of their own (%s)", count(k.media, "media file"), k.mediaPassed, strings.Join(k.mediaGates, ", "))
	if k.mediaFailed > 0 {
		text += fmt.Sprintf(", %d failed one and were released all the same", k.mediaFailed)
	}
	if left > 0 {
		text += fmt.Sprintf(", %d were judged by none", left)
	}
	return []string{text + "."}
}

// passedGrid says how many questions passed how many checks.
func (k checked) passedGrid() grid {
	ns := slices.Sorted(maps.Keys(k.passed))
	g := grid{Heads: []head{{"checks passed", true}, {"questions", true}}}
	for _, n := range ns {
		g.Rows = append(g.Rows, []string{fmt.Sprint(n), fmt.Sprint(k.passed[n])})
	}
	return g
}

// typesGrid says for each type of question who tested it.
func (k checked) typesGrid() grid {
	return gridOf(k.types,
		words("type", func(t checkedType) string { return t.name }),
		figures("questions", func(t checkedType) int64 { return t.all }),
		figures("judged by a check", func(t checkedType) int64 { return t.judged }),
		figures("failed one", func(t checkedType) int64 { return t.failed }),
		figures("put to a language model", func(t checkedType) int64 { return t.byModel }),
		figures("put to fixed rules", func(t checkedType) int64 { return t.byRule }),
		figures("lots drawn", func(t checkedType) int64 { return t.byLot }),
		figures("put to nobody", checkedType.unasked))
}

// gatesGrid says what each check did, by source where sources are known. Checks
// are the gates of pipeline.yaml.
func (k checked) gatesGrid(rows []JudgedRow, gates []GateInfo) grid {
	summaries := map[string]string{}
	for _, g := range gates {
		summaries[g.Name] = g.Summary
		if name, _ := pipeline.SplitRound(g.Name); slices.Contains(k.lots, name) {
			summaries[g.Name] = lotsNote + g.Summary
		}
	}
	bySource := slices.ContainsFunc(rows, func(r JudgedRow) bool { return r.Source != "" })
	mainly := func(of func(JudgedRow) []ReasonCount) gridColumn[JudgedRow] {
		return words("mainly because", func(r JudgedRow) string { return mostOf(of(r)).Code })
	}
	return gridOf(rows,
		words("check", JudgedRow.Label),
		words("what passes", func(r JudgedRow) string {
			if r.Source != "" {
				return ""
			}
			return summaries[r.Node()]
		}),
		words("source", func(r JudgedRow) string {
			if r.Source == "" && bySource {
				return "all"
			}
			return r.Source
		}),
		figures("items", func(r JudgedRow) int64 { return r.In }),
		figures("passed", func(r JudgedRow) int64 { return r.Passed }),
		figures("failed", func(r JudgedRow) int64 { return r.Flagged }),
		mainly(func(r JudgedRow) []ReasonCount { return r.Reasons }),
		figures("dropped", func(r JudgedRow) int64 { return r.Dropped }),
		figures("rewritten", func(r JudgedRow) int64 { return r.Revised }),
		figures("relabelled", func(r JudgedRow) int64 { return r.Relabelled }),
		figures("kept", func(r JudgedRow) int64 { return r.Kept }),
		figures("not applicable", func(r JudgedRow) int64 { return r.NotApplicable }),
		mainly(func(r JudgedRow) []ReasonCount { return r.NotApplicableReasons }),
		figures("too little data", func(r JudgedRow) int64 { return r.Insufficient }),
		mainly(func(r JudgedRow) []ReasonCount { return r.InsufficientReasons }),
		figures("no usable answer", func(r JudgedRow) int64 { return r.Errors }))
}

// lotsNote goes before what a check is for that nobody was asked in.
const lotsNote = "lots were drawn, so nothing was checked. With somebody to ask: "

// checksNote goes before the table of checks.
const checksNote = "A check is a gate of the plan. Not applicable: the item is of a kind that the check does not judge. " +
	"Too little data: it would judge the item, but lacks data for it. Both kinds of items go on without a judgement."

// funnelGrid says what came of the records at each step.
func funnelGrid(rows []FunnelRow, judged []JudgedRow) grid {
	without := notJudged(judged)
	return gridOf(rows,
		words("step", func(f FunnelRow) string { return f.Node }),
		words("kind", func(f FunnelRow) string { return f.Kind }),
		words("plugin", func(f FunnelRow) string { return f.Use }),
		figures("records in", func(f FunnelRow) int64 { return f.In }),
		figures("records out", func(f FunnelRow) int64 { return f.Out }),
		figures("lost", func(f FunnelRow) int64 { return f.Lost }),
		figures("withheld", func(f FunnelRow) int64 { return countOf(f.Withheld) }),
		figures("dropped", func(f FunnelRow) int64 { return f.Flagged - f.Revised }),
		figures("handed on to be rewritten", func(f FunnelRow) int64 { return f.Revised }),
		words("main reason", func(f FunnelRow) string { return mainOf(f.Reasons) }),
		words("without a judgement", func(f FunnelRow) string { return without[f.Node] }))
}

// countOf is how many all codes count together.
func countOf(counts []ReasonCount) (n int64) {
	for _, c := range counts {
		n += c.Count
	}
	return n
}

// notJudged says by node how many items a gate did not judge, and mainly why.
func notJudged(judged []JudgedRow) map[string]string {
	out := map[string]string{}
	for _, r := range judged {
		if r.Source != "" {
			continue
		}
		var parts []string
		if r.NotApplicable > 0 {
			parts = append(parts, fmt.Sprintf("%d not applicable: %s", r.NotApplicable, mostOf(r.NotApplicableReasons).Code))
		}
		if r.Insufficient > 0 {
			parts = append(parts, fmt.Sprintf("%d too little data: %s", r.Insufficient, mostOf(r.InsufficientReasons).Code))
		}
		out[r.Node()] = strings.Join(parts, "; ")
	}
	return out
}
