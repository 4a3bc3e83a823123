package describe

import (
	"cmp"
	"fmt"
	"iter"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// checkSummary is what verdicts and probes say of what is released. All that card and
// report say about checking follows from it.
type checkSummary struct {
	// questions are those released, types the same by type.
	questions typeChecks
	types     []typeChecks
	// failed counts released questions that failed, by gate.
	failed map[string]int
	// passed counts questions by how many gates they passed.
	passed map[int]int
	// models names the language models that gates asked about them, asking the
	// gates.
	models, asking []string
	// asked is what gates took of language models.
	asked askedCosts
	// lots are the gates all of whose answers were lots.
	lots []string
	// lacks says by gate and code why items were not judged, where it is the same for all.
	lacks map[[2]string]string
	// media are those released, and what gates said of these themselves.
	media, mediaPassed, mediaFailed int
	mediaGates                      []string
}

// typeChecks counts questions of one type.
type typeChecks struct {
	name string
	all  int64
	// judged by a gate, and of these failed by one.
	judged, failed int64
	// byModel were judged by a gate that asked a language model about them, byRule
	// only by gates where fixed rules answered in the place of one. byLot are the
	// others that lots were drawn about.
	byModel, byRule, byLot int64
}

// untested counts questions that no gate put to a model or rule with something in view.
func (t typeChecks) untested() int64 { return t.all - t.byModel - t.byRule }

// unasked counts those of them that no lots were drawn about either.
func (t typeChecks) unasked() int64 { return t.untested() - t.byLot }

// itemChecks is what gates said of one item. A pass by lot is no pass.
type itemChecks struct {
	passed, failed         []string // by gates as the plan names them, copies and all
	byModel, byRule, byLot bool
}

// gatesWithoutRounds returns the names of gates without rounds, sorted, each once.
func gatesWithoutRounds(gates []string) []string {
	out := make([]string, len(gates))
	for i, g := range gates {
		out[i], _ = pipeline.SplitRound(g)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// summarizeChecks reads the verdicts and probes of what is released, item by item. A
// verdict on an earlier wording of a question does not count for the one released.
func (rel Release) summarizeChecks() checkSummary {
	k := checkSummary{failed: map[string]int{}, passed: map[int]int{}, lacks: map[[2]string]string{}}
	types, asked := map[string]*typeChecks{}, &panelUse{earlierForms(rel), liveRoles(rel.Manifest.Gates), map[string]bool{}, map[string]bool{}, map[string]bool{}}
	k.asked = askedCosts{live: asked.live, checks: map[string]*askedCost{}}
	for _, g := range rel.Manifest.Gates {
		k.asked.order = append(k.asked.order, g.Name)
	}
	for s := range rel.byItem() {
		k.asked.add(s.probes)
		j := asked.checksOf(s, s.question != nil)
		k.addLacks(s.verdicts)
		if q := s.question; q != nil {
			typ := q.ReportedType()
			if types[typ] == nil {
				types[typ] = &typeChecks{name: typ}
			}
			k.add(types[typ], j)
		}
		if s.medium != nil {
			k.media++
			k.addMedia(j)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(types)) {
		t := *types[name]
		k.types = append(k.types, t)
		k.questions.all += t.all
		k.questions.judged += t.judged
		k.questions.failed += t.failed
		k.questions.byModel += t.byModel
		k.questions.byRule += t.byRule
		k.questions.byLot += t.byLot
	}
	k.models, k.asking = slices.Sorted(maps.Keys(asked.models)), slices.Sorted(maps.Keys(asked.gates))
	maps.DeleteFunc(asked.lots, func(_ string, all bool) bool { return !all })
	k.lots = slices.Sorted(maps.Keys(asked.lots))
	return k
}

func (k *checkSummary) addLacks(verdicts []schemas.Verdict) {
	for _, v := range verdicts {
		if v.Outcome != schemas.Insufficient {
			continue
		}
		gate, _ := pipeline.SplitRound(v.Gate)
		code, text, _ := strings.Cut(v.Reason, ": ")
		if was, known := k.lacks[[2]string{gate, code}]; known && was != text {
			text = ""
		}
		k.lacks[[2]string{gate, code}] = text
	}
}

func (k *checkSummary) addMedia(j itemChecks) {
	switch {
	case len(j.failed) > 0:
		k.mediaFailed++
	case len(j.passed) > 0:
		k.mediaPassed++
	}
	k.mediaGates = gatesWithoutRounds(slices.Concat(k.mediaGates, j.passed, j.failed))
}

func (k *checkSummary) add(t *typeChecks, j itemChecks) {
	t.all++
	k.passed[len(gatesWithoutRounds(j.passed))]++
	if len(j.passed)+len(j.failed) > 0 {
		t.judged++
	}
	if len(j.failed) > 0 {
		t.failed++
	}
	for _, gate := range gatesWithoutRounds(j.failed) {
		k.failed[gate]++
	}
	switch {
	case j.byModel:
		t.byModel++
	case j.byRule:
		t.byRule++
	case j.byLot:
		t.byLot++
	}
}

// liveRoles returns the roles, by gate, that language models play.
func liveRoles(gates []manifest.GateInfo) map[[2]string]bool {
	out := map[[2]string]bool{}
	for _, g := range gates {
		for role := range g.Models {
			out[[2]string{g.Name, role}] = true
		}
	}
	return out
}

// earlierForms returns the verdicts, by gate and item, on a question in other words than
// it is released in.
func earlierForms(rel Release) map[[2]string]bool {
	released := map[string]*schemas.Question{}
	for i := range rel.Flagged {
		released[rel.Flagged[i].Question.QuestionID] = nil
	}
	out := map[[2]string]bool{}
	if len(released) == 0 {
		return out
	}
	for q := range rel.Questions {
		if _, judged := released[q.QuestionID]; judged {
			released[q.QuestionID] = &q
		}
	}
	for i := range rel.Flagged {
		f := &rel.Flagged[i]
		if q := released[f.Question.QuestionID]; q == nil || sameTest(&f.Question, q) {
			continue
		}
		for _, gate := range f.JudgedBy {
			out[[2]string{gate, f.Question.QuestionID}] = true
		}
	}
	return out
}

// sameTest reports whether two forms of a question show a solver the same and ask the
// same.
func sameTest(a, b *schemas.Question) bool {
	return a.Question == b.Question && a.QuestionMCQ == b.QuestionMCQ && a.AnswerKey == b.AnswerKey && a.AnswerText == b.AnswerText &&
		a.AnswerCall == b.AnswerCall && slices.Equal(a.Options, b.Options) && slices.Equal(a.Evidence, b.Evidence) && slices.Equal(a.Media, b.Media)
}

const mostTypes = 6

// typesWith lists the types of which some are counted, with the counts.
func (k checkSummary) typesWith(of func(typeChecks) int64) string {
	var parts []string
	for _, t := range k.types {
		if n := of(t); n > 0 {
			parts = append(parts, fmt.Sprintf("%s %d", t.name, n))
		}
	}
	if more := len(parts) - mostTypes; more > 0 {
		parts = append(parts[:mostTypes], fmt.Sprintf("%d more types", more))
	}
	return strings.Join(parts, ", ")
}

// viewNone is the view of question and options alone. The built-in model has nothing to
// go by there, so it draws lots.
const viewNone = "none"

func isRandomAnswer(p schemas.Probe) bool {
	return p.View == viewNone && p.Model == pipeline.BuiltInModel
}

// itemRecords are the verdicts and probes of an item, with the question or medium that
// it is; nil where it is another record, or is not released.
type itemRecords struct {
	item     string
	question *schemas.Question
	medium   *schemas.Media
	verdicts []schemas.Verdict
	probes   []schemas.Probe
}

// itemStream yields records in the order of their items.
type itemStream[T any] struct {
	id    func(T) string
	next  func() (T, bool)
	first T
	more  bool
}

func newItemStream[T any](all iter.Seq[T], id func(T) string) (*itemStream[T], func()) {
	if all == nil {
		all = func(func(T) bool) {}
	}
	next, stop := iter.Pull(all)
	q := &itemStream[T]{id: id, next: next}
	q.first, q.more = next()
	return q, stop
}

// leastItem returns the item that comes first in this stream and in those before it.
func (q *itemStream[T]) leastItem(item string, known bool) (string, bool) {
	if q.more && (!known || q.id(q.first) < item) {
		return q.id(q.first), true
	}
	return item, known
}

func (q *itemStream[T]) takeItem(item string) (out []T) {
	for ; q.more && q.id(q.first) == item; q.first, q.more = q.next() {
		out = append(out, q.first)
	}
	return out
}

// byItem merges questions, media, verdicts and probes, which are in the order of their
// items.
func (rel Release) byItem() iter.Seq[itemRecords] {
	return func(yield func(itemRecords) bool) {
		questions, stop := newItemStream(rel.Questions, func(q schemas.Question) string { return q.QuestionID })
		defer stop()
		media, stop := newItemStream(rel.Media, func(m schemas.Media) string { return m.MediaID })
		defer stop()
		verdicts, stop := newItemStream(rel.Verdicts, func(v schemas.Verdict) string { return v.Item })
		defer stop()
		probes, stop := newItemStream(rel.Probes, func(p schemas.Probe) string { return p.Item })
		defer stop()
		for {
			item, known := questions.leastItem(media.leastItem(verdicts.leastItem(probes.leastItem("", false))))
			if !known {
				return
			}
			s := itemRecords{item: item, verdicts: verdicts.takeItem(item), probes: probes.takeItem(item)}
			for _, q := range questions.takeItem(item) {
				s.question = &q
			}
			for _, m := range media.takeItem(item) {
				s.medium = &m
			}
			if !yield(s) {
				return
			}
		}
	}
}

// panelUse collects the models and gates that asked while items go by.
type panelUse struct {
	earlier, live map[[2]string]bool
	// models are the language models that gates asked about what is released, gates
	// these gates without rounds.
	models, gates map[string]bool
	// lots says of gates without rounds whether all their probes are lots.
	lots map[string]bool
}

func (a *panelUse) checksOf(s itemRecords, released bool) (j itemChecks) {
	lots := map[string]bool{} // by gate
	for _, p := range s.probes {
		gate, _ := pipeline.SplitRound(p.Gate)
		allOf(lots, p.Gate, isRandomAnswer(p))
		allOf(a.lots, gate, isRandomAnswer(p))
		if released && a.live[[2]string{p.Gate, p.Role}] {
			a.models[p.Model], a.gates[gate] = true, true
		}
	}
	for _, v := range s.verdicts {
		if !schemas.Judged(v.Outcome) || a.earlier[[2]string{v.Gate, v.Item}] {
			continue
		}
		j.byLot = j.byLot || lots[v.Gate]
		switch {
		case v.Outcome == schemas.Fail:
			j.failed = append(j.failed, v.Gate)
		case !lots[v.Gate]:
			j.passed = append(j.passed, v.Gate)
		}
	}
	for _, p := range s.probes {
		if lots[p.Gate] || !slices.Contains(j.passed, p.Gate) && !slices.Contains(j.failed, p.Gate) {
			continue
		}
		if a.live[[2]string{p.Gate, p.Role}] {
			j.byModel = true
		} else {
			j.byRule = true
		}
	}
	return j
}

// allOf keeps whether all values of a key are lots.
func allOf(all map[string]bool, key string, lot bool) {
	before, known := all[key]
	all[key] = lot && (before || !known)
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
	var rest []string
	if byRule > 0 {
		rest = append(rest, fmt.Sprintf("For %d of them fixed rules (%s) answered in place of a language model.", byRule, pipeline.BuiltInModel))
	}
	if none > 0 && byModel+byRule > 0 {
		rest = append(rest, fmt.Sprintf("The other %d had no such test (%s).", none, k.typesWith(typeChecks.untested)))
	}
	if len(rest) > 0 {
		out = append(out, strings.Join(rest, " "))
	}
	if k.questions.byLot > 0 {
		out = append(out, fmt.Sprintf("For %s the stand-in (%s, in %s) had nothing to go on and guessed at random; this is not counted as a check.",
			count(int(k.questions.byLot), "question"), pipeline.BuiltInModel, strings.Join(k.lots, ", ")))
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

// untested is a check that could not judge all items that it applies to.
type untested struct {
	check           string
	applies, judged int64
	why             string
}

// untestedGrid lists the checks that could not judge all items that they apply to, those
// first that judged the least.
func (k checkSummary) untestedGrid(counts []manifest.GateCounts) grid {
	byGate := map[string]manifest.GateCounts{}
	for _, r := range counts {
		if r.Source != "" {
			continue
		}
		all := byGate[r.Gate]
		all.In, all.NotApplicable, all.Insufficient, all.Errors = all.In+r.In, all.NotApplicable+r.NotApplicable, all.Insufficient+r.Insufficient, all.Errors+r.Errors
		all.InsufficientReasons = append(all.InsufficientReasons, r.InsufficientReasons...)
		byGate[r.Gate] = all
	}
	var rows []untested
	for gate, r := range byGate {
		u := untested{check: gate, applies: r.In - r.NotApplicable, judged: r.In - r.NotApplicable - r.Insufficient - r.Errors}
		code := manifest.MostFrequent(r.InsufficientReasons).Code
		switch {
		case slices.Contains(k.lots, gate):
			u.judged, u.why = 0, "the stand-in guessed at random"
		case r.Insufficient > 0:
			u.why = strings.TrimSuffix(code+": "+k.lacks[[2]string{gate, code}], ": ")
		default:
			u.why = "no usable answer"
		}
		if u.judged < u.applies {
			rows = append(rows, u)
		}
	}
	share := func(u untested) float64 { return float64(u.judged) / float64(u.applies) }
	slices.SortFunc(rows, func(a, b untested) int {
		return cmp.Or(cmp.Compare(share(a), share(b)), strings.Compare(a.check, b.check))
	})
	return newGrid(rows,
		textColumn("check", func(u untested) string { return u.check }),
		countColumn("items it applies to", func(u untested) int64 { return u.applies }),
		numberColumn("judged", func(u untested) string {
			if u.judged == 0 {
				return "none"
			}
			return fmt.Sprint(u.judged)
		}),
		textColumn("main reason for the others", func(u untested) string { return u.why }))
}

func untestedSentences(g grid) []string {
	if len(g.Rows) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("%s could judge only a part of the items: see What could not be tested.", count(len(g.Rows), "check"))}
}

func (k checkSummary) passedGrid() grid {
	ns := slices.Sorted(maps.Keys(k.passed))
	g := grid{Heads: []head{{"checks passed", true}, {"questions", true}}}
	for _, n := range ns {
		g.Rows = append(g.Rows, []string{fmt.Sprint(n), fmt.Sprint(k.passed[n])})
	}
	return g
}

func (k checkSummary) typesGrid() grid {
	return newGrid(k.types,
		textColumn("type", func(t typeChecks) string { return t.name }),
		countColumn("questions", func(t typeChecks) int64 { return t.all }),
		countColumn("judged by a check", func(t typeChecks) int64 { return t.judged }),
		countColumn("failed one", func(t typeChecks) int64 { return t.failed }),
		countColumn("put to a language model", func(t typeChecks) int64 { return t.byModel }),
		countColumn("put to fixed rules", func(t typeChecks) int64 { return t.byRule }),
		countColumn("guessed at random", func(t typeChecks) int64 { return t.byLot }),
		countColumn("put to neither", typeChecks.unasked))
}

// gatesGrid states what each check did, by source where sources are known. Checks are
// the gates of pipeline.yaml.
func (k checkSummary) gatesGrid(rows []manifest.GateCounts, gates []manifest.GateInfo) grid {
	summaries := map[string]string{}
	for _, g := range gates {
		summaries[g.Name] = g.Summary
		if name, _ := pipeline.SplitRound(g.Name); slices.Contains(k.lots, name) {
			summaries[g.Name] = lotsNote + g.Summary
		}
		if g.KeepBecause != "" {
			summaries[g.Name] += "; what fails is kept: " + g.KeepBecause
		}
	}
	bySource := slices.ContainsFunc(rows, func(r manifest.GateCounts) bool { return r.Source != "" })
	mainly := func(head string, of func(manifest.GateCounts) []manifest.ReasonCount) gridColumn[manifest.GateCounts] {
		return textColumn(head, func(r manifest.GateCounts) string { return manifest.MostFrequent(of(r)).Code })
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
		countColumn("asked about", func(r manifest.GateCounts) int64 { return r.Asked }),
		countColumn("passed", func(r manifest.GateCounts) int64 { return r.Passed }),
		countColumn("failed", func(r manifest.GateCounts) int64 { return r.Flagged }),
		mainly("main failure", func(r manifest.GateCounts) []manifest.ReasonCount { return r.Reasons }),
		countColumn("dropped", func(r manifest.GateCounts) int64 { return r.Dropped }),
		countColumn("rewritten", func(r manifest.GateCounts) int64 { return r.Revised }),
		countColumn("relabelled", func(r manifest.GateCounts) int64 { return r.Relabelled }),
		countColumn("kept", func(r manifest.GateCounts) int64 { return r.Kept }),
		countColumn("not applicable", func(r manifest.GateCounts) int64 { return r.NotApplicable }),
		mainly("why mostly not applicable", func(r manifest.GateCounts) []manifest.ReasonCount { return r.NotApplicableReasons }),
		countColumn("too little data", func(r manifest.GateCounts) int64 { return r.Insufficient }),
		mainly("what is mostly lacking", func(r manifest.GateCounts) []manifest.ReasonCount { return r.InsufficientReasons }),
		countColumn("no usable answer", func(r manifest.GateCounts) int64 { return r.Errors }))
}

// lotsNote goes before the summary of a check in which all answers were random.
const lotsNote = "the stand-in guessed at random, so nothing was checked. With a model: "

const checksNote = "A check is a gate of the plan. Asked about: calls were made; where a rule proposes faults that a model judges, these are its proposals. Not applicable: the item is of a kind that the check does not judge. " +
	"Too little data: it would judge the item, but lacks data for it. Both kinds of items go on without a judgement."

// ranSteps returns the steps of a plan without the rounds of rewriting that had nothing to do.
func ranSteps(rows []manifest.RecordCounts) []manifest.RecordCounts {
	return slices.DeleteFunc(slices.Clone(rows), func(r manifest.RecordCounts) bool {
		_, round := pipeline.SplitRound(r.Step)
		return round > 0 && r.In+r.Out == 0
	})
}

// saysOfStep returns what the plugin of a step does.
func saysOfStep(m manifest.Manifest, r manifest.RecordCounts) string {
	for _, g := range m.Gates {
		if g.Name == r.Step {
			return g.Summary
		}
	}
	return m.Plugins[r.Use]
}

// funnelGrid states what became of the records at each step.
func funnelGrid(m manifest.Manifest) grid {
	without := unjudgedItems(m.GateCounts)
	return newGrid(ranSteps(m.RecordCounts),
		textColumn("step", func(f manifest.RecordCounts) string { return f.Step }),
		textColumn("kind", func(f manifest.RecordCounts) string { return f.Kind }),
		textColumn("plugin", func(f manifest.RecordCounts) string { return f.Use }),
		textColumn("what it does, or what passes it", func(f manifest.RecordCounts) string { return saysOfStep(m, f) }),
		countColumn("records in", func(f manifest.RecordCounts) int64 { return f.In }),
		countColumn("records out", func(f manifest.RecordCounts) int64 { return f.Out }),
		countColumn("lost", func(f manifest.RecordCounts) int64 { return f.Lost }),
		countColumn("withheld", func(f manifest.RecordCounts) int64 { return sumCounts(f.Excluded) }),
		countColumn("dropped", func(f manifest.RecordCounts) int64 { return f.Flagged - f.Revised }),
		countColumn("handed on to be rewritten", func(f manifest.RecordCounts) int64 { return f.Revised }),
		textColumn("main reason", func(f manifest.RecordCounts) string { return manifest.MainReason(f.Reasons) }),
		textColumn("without a judgement", func(f manifest.RecordCounts) string { return without[f.Step] }))
}

func sumCounts(counts []manifest.ReasonCount) (n int64) {
	for _, c := range counts {
		n += c.Count
	}
	return n
}

// unjudgedItems says by step how many items a gate did not judge, and mainly why.
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
