package audit

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

type findings []string

func (f *findings) add(format string, args ...any) { *f = append(*f, fmt.Sprintf(format, args...)) }

func (f *findings) equal(what string, states, follows int64) {
	if states != follows {
		f.add("%s: %d stated, %d follow", what, states, follows)
	}
}

// checkGates compares the sums of each gate's rows with the manifest, and the purpose
// that the manifest states with the plugin's.
func checkGates(reg *pipeline.Registry, c release.Contents) Part {
	var f findings
	totals, err := release.SumGates(c.Verdicts, c.Probes)
	if err != nil {
		f.add("%v", err)
	}
	for _, g := range c.Manifest.Gates {
		t := totals[g.Name]
		f.equal(g.Name+": verdicts", g.Verdicts, t.Verdicts)
		f.equal(g.Name+": calls", g.Calls, t.Calls)
		f.equal(g.Name+": input tokens", g.InputTokens, t.InputTokens)
		f.equal(g.Name+": output tokens", g.OutputTokens, t.OutputTokens)
		if g.Rows != t.Rows {
			f.add("%s: its verdicts and probes have digest %s, the manifest says %q", g.Name, t.Rows, string(g.Rows))
		}
		if p, ok := reg.Plugin(pipeline.KindGate, g.Use); ok && p.Version == g.Version && p.Summary != g.Summary {
			f.add("%s: it is said to pass when %q, the plugin %s when %q", g.Name, g.Summary, g.Use, p.Summary)
		}
		delete(totals, g.Name)
	}
	for _, name := range slices.Sorted(maps.Keys(totals)) {
		f.add("%s: it has verdicts and the manifest says nothing of it", name)
	}
	return part("gates in the manifest", f)
}

// recordCounts compares the counts of each step with what became of its items.
type recordCounts struct {
	findings
	rejections map[string]map[string]int64 // by stage and code
	lost       map[[2]string]string        // code by stage and id
	reasonsOf  map[[2]string]string
	excluded   map[string]map[string]int64 // by stage and code
	verdicts   map[string][]schemas.Verdict
	// whole has the items of which a release holds all that gates judged: questions, and
	// records of tables that plugins declared. Media and tasks that nothing needs are
	// left out.
	whole map[string]bool
}

func newRecordCounts(items *Items, c release.Contents) *recordCounts {
	f := &recordCounts{
		rejections: map[string]map[string]int64{}, lost: map[[2]string]string{}, reasonsOf: map[[2]string]string{},
		verdicts: map[string][]schemas.Verdict{}, whole: map[string]bool{}, excluded: map[string]map[string]int64{},
	}
	for _, r := range c.Rejections {
		if schemas.Excluded(r.Code) {
			count(f.excluded, r)
			continue
		}
		count(f.rejections, r)
		f.lost[[2]string{r.Stage, r.ID}] = r.Code
		f.reasonsOf[[2]string{r.Stage, r.ID}] = r.Reason
	}
	for _, v := range c.Verdicts {
		f.verdicts[v.Gate] = append(f.verdicts[v.Gate], v)
	}
	f.addHeldItems(items, c)
	return f
}

func count(by map[string]map[string]int64, r schemas.Rejection) {
	if by[r.Stage] == nil {
		by[r.Stage] = map[string]int64{}
	}
	by[r.Stage][r.Code]++
}

// checkRecordCounts derives the counts of steps from rejections, verdicts and sources.
func checkRecordCounts(items *Items, c release.Contents) Part {
	f := newRecordCounts(items, c)
	gates := map[string]manifest.GateInfo{}
	for _, g := range c.Manifest.Gates {
		gates[g.Name] = g
	}
	// Releases of earlier versions say nothing of what they withhold.
	told := slices.ContainsFunc(c.Manifest.RecordCounts, func(row manifest.RecordCounts) bool { return len(row.Excluded) > 0 })
	for _, row := range c.Manifest.RecordCounts {
		f.reasons(row)
		if told {
			f.compareCodes(row.Step+": withheld as ", row.Excluded, f.excluded[row.Step])
		}
		if g, ok := gates[row.Step]; ok {
			f.gate(row, g)
		}
		delete(f.rejections, row.Step)
	}
	for _, stage := range slices.Sorted(maps.Keys(f.rejections)) {
		f.add("%s: it has rejections and the funnel says nothing of it", stage)
	}
	f.sources(c)
	return part("funnel in the manifest", f.findings)
}

// addHeldItems adds every item that gates judged and the release holds.
func (f *recordCounts) addHeldItems(items *Items, c release.Contents) {
	for _, q := range c.Questions {
		f.whole[q.QuestionID] = true
	}
	for _, q := range c.Flagged {
		f.whole[q.Question.QuestionID] = true
	}
	for _, all := range items.declared {
		for _, k := range all {
			f.whole[k.id] = true
		}
	}
	for _, r := range c.FlaggedRecords {
		if r.Schema != schemas.NameMedia && r.Schema != schemas.NameTask {
			f.whole[r.Item] = true
		}
	}
}

// reasons compares what a step lost with the rejections that name it.
func (f *recordCounts) reasons(row manifest.RecordCounts) {
	f.equal(row.Step+": lost and flagged", row.Lost+row.Flagged, f.compareCodes(row.Step+": rejected as ", row.Reasons, f.rejections[row.Step]))
}

// compareCodes compares counts by code and returns the sum of those stated.
func (f *recordCounts) compareCodes(what string, counts []manifest.ReasonCount, codes map[string]int64) (all int64) {
	stated := map[string]int64{}
	for _, r := range counts {
		stated[r.Code] += r.Count
		all += r.Count
	}
	for _, code := range slices.Sorted(maps.Keys(codes)) {
		f.equal(what+code, stated[code], codes[code])
		delete(stated, code)
	}
	for _, code := range slices.Sorted(maps.Keys(stated)) {
		f.equal(what+code, stated[code], 0)
	}
	return all
}

// gate compares what a gate took in, gave and dropped with its verdicts. A release
// leaves out media and tasks that nothing needs, with their verdicts, so the counts hold
// for gates of other records.
func (f *recordCounts) gate(row manifest.RecordCounts, g manifest.GateInfo) {
	counts := map[string]int64{}
	judged := map[string]bool{}
	gone := int64(0) // of those that failed
	for _, v := range f.verdicts[g.Name] {
		if !f.whole[v.Item] {
			return
		}
		counts[v.Outcome]++
		judged[v.Item] = true
		if _, dropped := f.lost[[2]string{g.Name, v.Item}]; dropped && v.Outcome == schemas.Fail {
			gone++
		}
		f.rejected(g, v)
	}
	put := int64(0) // off to the next build, without a verdict
	for key := range f.lost {
		if key[0] == g.Name && !judged[key[1]] {
			put++
		}
	}
	all := int64(len(judged))
	f.equal(g.Name+": in", row.In, all+put)
	f.equal(g.Name+": lost", row.Lost, counts[schemas.Error]+put)
	f.equal(g.Name+": flagged", row.Flagged, gone)
	f.equal(g.Name+": out", row.Out, all-counts[schemas.Error]-gone)
	revised := int64(0)
	if g.OnFail == pipeline.OnFailRevise {
		revised = gone
	}
	f.equal(g.Name+": revised", row.Revised, revised)
}

func (f *recordCounts) rejected(g manifest.GateInfo, v schemas.Verdict) {
	code, dropped := f.lost[[2]string{g.Name, v.Item}]
	switch {
	case v.Outcome == schemas.Error:
		if code != "gate-error" {
			f.add("%s: %s has outcome error and is rejected as %q", g.Name, v.Item, code)
		}
	case v.Outcome == schemas.Fail && g.OnFail == pipeline.OnFailRelabel:
	case v.Outcome == schemas.Fail && dropped == (g.OnFail == pipeline.OnFailKeep):
		f.add("%s: %s fails, on_fail is %s, and it is rejected: %t", g.Name, v.Item, g.OnFail, dropped)
	case dropped && v.Outcome != schemas.Fail:
		f.add("%s: %s has outcome %s and is rejected as %q", g.Name, v.Item, v.Outcome, code)
	}
	if reason := f.reasonsOf[[2]string{g.Name, v.Item}]; dropped && !strings.HasSuffix(reason, v.Reason) || dropped && v.Outcome == schemas.Fail && reason != v.Reason {
		f.add("%s: %s is rejected because %q, its verdict says %q", g.Name, v.Item, reason, v.Reason)
	}
}

// sources compares the totals that every row of a source repeats.
func (f *recordCounts) sources(c release.Contents) {
	rows := map[string]manifest.RecordCounts{}
	for _, row := range c.Manifest.RecordCounts {
		if row.Kind == string(pipeline.KindSource) {
			rows[row.Step] = row
		}
	}
	for _, s := range c.Sources {
		row, ok := rows[s.ID]
		if !ok {
			f.add("source %s: the funnel says nothing of it", s.ID)
			continue
		}
		f.equal("source "+s.ID+": records", row.Out, s.Records)
		f.equal("source "+s.ID+": losses", row.Lost, s.Losses)
	}
}

// checkJudged counts again what each gate did in each round. No table names the source
// of an item, so the rows of sources are compared with the row of all items: together
// they have no more.
func checkJudged(items *Items, c release.Contents) Part {
	f := newRecordCounts(items, c)
	nodes := map[string]manifest.RecordCounts{}
	for _, row := range c.Manifest.RecordCounts {
		nodes[row.Step] = row
	}
	stated := map[string]manifest.GateCounts{}
	parts := map[string]map[string]int64{}
	for _, row := range c.Manifest.GateCounts {
		f.checkSums(row)
		if row.Source == "" {
			// An item that was lost without a verdict is judged by the next build.
			name, n := row.Step(), nodes[row.Step()]
			f.equal(name+": in", row.In, n.In-(n.Lost-row.Errors))
			f.equal(name+": dropped and revised", row.Dropped+row.Revised, n.Flagged)
			f.equal(name+": revised", row.Revised, n.Revised)
			f.equal(name+": out, in the funnel", n.Out, n.In-n.Lost-n.Flagged)
			stated[row.Step()] = row
			continue
		}
		addTo(parts, row)
	}
	for _, g := range c.Manifest.Gates {
		row, ok := stated[g.Name]
		if !ok {
			f.add("%s: what it did is not counted", g.Name)
			continue
		}
		states := figuresOf(row)
		for what, n := range parts[g.Name] {
			if n > states[what] {
				f.add("%s: %s: %d of all sources together, %d of all items", g.Name, what, n, states[what])
			}
		}
		if follows, all := f.countVerdicts(g); all {
			f.figures(g.Name, states, follows)
		}
	}
	slices.Sort(f.findings)
	return part("what the gates did, in the manifest", f.findings)
}

func addTo(parts map[string]map[string]int64, row manifest.GateCounts) {
	if parts[row.Step()] == nil {
		parts[row.Step()] = map[string]int64{}
	}
	for what, n := range figuresOf(row) {
		parts[row.Step()][what] += n
	}
}

func (f *recordCounts) checkSums(r manifest.GateCounts) {
	name := r.Step() + ": "
	if r.Source != "" {
		name = r.Step() + ", " + r.Source + ": "
	}
	f.equal(name+"in", r.In, r.Passed+r.NotApplicable+r.Insufficient+r.Errors+r.Flagged)
	f.equal(name+"flagged", r.Flagged, r.Revised+r.Relabelled+r.Kept+r.Dropped)
	f.equal(name+"flagged by reasons", r.Flagged, total(r.Reasons))
	f.equal(name+"not applicable by reasons", r.NotApplicable, total(r.NotApplicableReasons))
	f.equal(name+"insufficient by reasons", r.Insufficient, total(r.InsufficientReasons))
}

func total(reasons []manifest.ReasonCount) (n int64) {
	for _, r := range reasons {
		n += r.Count
	}
	return n
}

func (f *recordCounts) figures(gate string, states, follows map[string]int64) {
	both := maps.Clone(states)
	maps.Copy(both, follows)
	for what := range both {
		f.equal(gate+": "+what, states[what], follows[what])
	}
}

func figuresOf(row manifest.GateCounts) map[string]int64 {
	out := map[string]int64{
		"in": row.In, "asked": row.Asked, "passed": row.Passed, "not applicable": row.NotApplicable, "insufficient": row.Insufficient, "errors": row.Errors, "flagged": row.Flagged,
		"revised": row.Revised, "relabelled": row.Relabelled, "kept": row.Kept, "dropped": row.Dropped,
	}
	for what, reasons := range map[string][]manifest.ReasonCount{
		"flagged": row.Reasons, "not applicable": row.NotApplicableReasons, "insufficient": row.InsufficientReasons,
	} {
		for _, r := range reasons {
			out[what+" as "+r.Code] += r.Count
		}
	}
	return out
}

// countVerdicts counts the verdicts of a gate; all is false where some are on media or
// tasks, since a release leaves out those that nothing needs.
func (f *recordCounts) countVerdicts(g manifest.GateInfo) (out map[string]int64, all bool) {
	out = map[string]int64{}
	for _, v := range f.verdicts[g.Name] {
		if !f.whole[v.Item] {
			return nil, false
		}
		out["in"]++
		if v.CallsMade > 0 {
			out["asked"]++
		}
		switch v.Outcome {
		case schemas.Pass:
			out["passed"]++
		case schemas.NotApplicable:
			out["not applicable"]++
			out["not applicable as "+pipeline.ReasonCode(v.Reason)]++
		case schemas.Insufficient:
			out["insufficient"]++
			out["insufficient as "+pipeline.ReasonCode(v.Reason)]++
		case schemas.Error:
			out["errors"]++
		default:
			code, gone := f.lost[[2]string{g.Name, v.Item}]
			if !gone {
				code = pipeline.ReasonCode(v.Reason)
			}
			out["flagged"]++
			out["flagged as "+code]++
			out[fateOf(g.OnFail, gone)]++
		}
	}
	return out, true
}

func fateOf(onFail string, gone bool) string {
	switch {
	case gone && onFail == pipeline.OnFailRevise:
		return "revised"
	case gone:
		return "dropped"
	case onFail == pipeline.OnFailRelabel:
		return "relabelled"
	}
	return "kept"
}

// checkAsked compares the models that the manifest names for each gate in two places.
func checkAsked(c release.Contents) Part {
	var f findings
	asked := map[string]map[string]string{}
	for _, n := range c.Manifest.Models {
		models := map[string]string{}
		for _, m := range n.Models {
			models[m.Role] = m.Model
		}
		asked[n.Step] = models
	}
	for _, g := range c.Manifest.Gates {
		if !maps.Equal(g.Models, asked[g.Name]) {
			f.add("%s: asked are %s, and %s", g.Name, fmt.Sprint(g.Models), fmt.Sprint(asked[g.Name]))
		}
	}
	return part("models in the manifest", f)
}
