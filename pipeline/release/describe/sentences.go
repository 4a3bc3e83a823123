package describe

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
)

// sentences say what was checked of the release and what was not: no word more
// than verdicts and probes hold.
func (k checkSummary) sentences() []string {
	return slices.Concat(k.failedSentences(), k.passedSentences(), k.modelSentences(), k.mediaSentences())
}

func (k checkSummary) failedSentences() []string {
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

func (k checkSummary) passedSentences() []string {
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
	return []string{passed, fmt.Sprintf("No check judged %d of them (%s).", left, k.typesWith(func(t typeChecks) int64 { return t.all - t.judged }))}
}

func (k checkSummary) modelSentences() []string {
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
		out = append(out, fmt.Sprintf("The other %d had no such test (%s).", none, k.typesWith(typeChecks.untested)))
	}
	if k.questions.byLot > 0 {
		out = append(out, fmt.Sprintf("Lots were drawn about %d of them (%s, in %s): whoever answered saw question and options and nothing to go by. "+
			"This says nothing about the questions, and is not among the checks that they passed.", k.questions.byLot, pipeline.BuiltInModel, strings.Join(k.lots, ", ")))
	}
	return out
}

func (k checkSummary) mediaSentences() []string {
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
func (k checkSummary) passedGrid() grid {
	ns := slices.Sorted(maps.Keys(k.passed))
	g := grid{Heads: []head{{"checks passed", true}, {"questions", true}}}
	for _, n := range ns {
		g.Rows = append(g.Rows, []string{fmt.Sprint(n), fmt.Sprint(k.passed[n])})
	}
	return g
}

// typesGrid says for each type of question who tested it.
func (k checkSummary) typesGrid() grid {
	return newGrid(k.types,
		textColumn("type", func(t typeChecks) string { return t.name }),
		countColumn("questions", func(t typeChecks) int64 { return t.all }),
		countColumn("judged by a check", func(t typeChecks) int64 { return t.judged }),
		countColumn("failed one", func(t typeChecks) int64 { return t.failed }),
		countColumn("put to a language model", func(t typeChecks) int64 { return t.byModel }),
		countColumn("put to fixed rules", func(t typeChecks) int64 { return t.byRule }),
		countColumn("lots drawn", func(t typeChecks) int64 { return t.byLot }),
		countColumn("put to nobody", typeChecks.unasked))
}

// gatesGrid says what each check did, by source where sources are known. Checks
// are the gates of pipeline.yaml.
func (k checkSummary) gatesGrid(rows []manifest.GateCounts, gates []manifest.GateInfo) grid {
	summaries := map[string]string{}
	for _, g := range gates {
		summaries[g.Name] = g.Summary
		if name, _ := pipeline.SplitRound(g.Name); slices.Contains(k.lots, name) {
			summaries[g.Name] = lotsNote + g.Summary
		}
	}
	bySource := slices.ContainsFunc(rows, func(r manifest.GateCounts) bool { return r.Source != "" })
	mainly := func(of func(manifest.GateCounts) []manifest.ReasonCount) gridColumn[manifest.GateCounts] {
		return textColumn("mainly because", func(r manifest.GateCounts) string { return manifest.MostFrequent(of(r)).Code })
	}
	return newGrid(rows,
		textColumn("check", manifest.GateCounts.Label),
		textColumn("what passes", func(r manifest.GateCounts) string {
			if r.Source != "" {
				return ""
			}
			return summaries[r.Step()]
		}),
		textColumn("source", func(r manifest.GateCounts) string {
			if r.Source == "" && bySource {
				return "all"
			}
			return r.Source
		}),
		countColumn("items", func(r manifest.GateCounts) int64 { return r.In }),
		countColumn("passed", func(r manifest.GateCounts) int64 { return r.Passed }),
		countColumn("failed", func(r manifest.GateCounts) int64 { return r.Flagged }),
		mainly(func(r manifest.GateCounts) []manifest.ReasonCount { return r.Reasons }),
		countColumn("dropped", func(r manifest.GateCounts) int64 { return r.Dropped }),
		countColumn("rewritten", func(r manifest.GateCounts) int64 { return r.Revised }),
		countColumn("relabelled", func(r manifest.GateCounts) int64 { return r.Relabelled }),
		countColumn("kept", func(r manifest.GateCounts) int64 { return r.Kept }),
		countColumn("not applicable", func(r manifest.GateCounts) int64 { return r.NotApplicable }),
		mainly(func(r manifest.GateCounts) []manifest.ReasonCount { return r.NotApplicableReasons }),
		countColumn("too little data", func(r manifest.GateCounts) int64 { return r.Insufficient }),
		mainly(func(r manifest.GateCounts) []manifest.ReasonCount { return r.InsufficientReasons }),
		countColumn("no usable answer", func(r manifest.GateCounts) int64 { return r.Errors }))
}

// lotsNote goes before what a check is for that nobody was asked in.
const lotsNote = "lots were drawn, so nothing was checked. With somebody to ask: "

// checksNote goes before the table of checks.
const checksNote = "A check is a gate of the plan. Not applicable: the item is of a kind that the check does not judge. " +
	"Too little data: it would judge the item, but lacks data for it. Both kinds of items go on without a judgement."

// funnelGrid says what came of the records at each step.
func funnelGrid(rows []manifest.RecordCounts, judged []manifest.GateCounts) grid {
	without := unjudgedItems(judged)
	return newGrid(rows,
		textColumn("step", func(f manifest.RecordCounts) string { return f.Step }),
		textColumn("kind", func(f manifest.RecordCounts) string { return f.Kind }),
		textColumn("plugin", func(f manifest.RecordCounts) string { return f.Use }),
		countColumn("records in", func(f manifest.RecordCounts) int64 { return f.In }),
		countColumn("records out", func(f manifest.RecordCounts) int64 { return f.Out }),
		countColumn("lost", func(f manifest.RecordCounts) int64 { return f.Lost }),
		countColumn("withheld", func(f manifest.RecordCounts) int64 { return sumCounts(f.Excluded) }),
		countColumn("dropped", func(f manifest.RecordCounts) int64 { return f.Flagged - f.Revised }),
		countColumn("handed on to be rewritten", func(f manifest.RecordCounts) int64 { return f.Revised }),
		textColumn("main reason", func(f manifest.RecordCounts) string { return manifest.MainReason(f.Reasons) }),
		textColumn("without a judgement", func(f manifest.RecordCounts) string { return without[f.Step] }))
}

// sumCounts is how many all codes count together.
func sumCounts(counts []manifest.ReasonCount) (n int64) {
	for _, c := range counts {
		n += c.Count
	}
	return n
}

// unjudgedItems says by node how many items a gate did not judge, and mainly why.
func unjudgedItems(judged []manifest.GateCounts) map[string]string {
	out := map[string]string{}
	for _, r := range judged {
		if r.Source != "" {
			continue
		}
		var parts []string
		if r.NotApplicable > 0 {
			parts = append(parts, fmt.Sprintf("%d not applicable: %s", r.NotApplicable, manifest.MostFrequent(r.NotApplicableReasons).Code))
		}
		if r.Insufficient > 0 {
			parts = append(parts, fmt.Sprintf("%d too little data: %s", r.Insufficient, manifest.MostFrequent(r.InsufficientReasons).Code))
		}
		out[r.Step()] = strings.Join(parts, "; ")
	}
	return out
}
