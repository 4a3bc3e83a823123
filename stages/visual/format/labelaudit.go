package format

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/gates/view"
	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/kit/agreement"
	"github.com/memforge/memforge/pipeline/release/manifest"
	"github.com/memforge/memforge/schemas"
)

// Bounds of the label audit's sample: all questions, and those of one cell (A.5).
const labelSampleSize, labelSamplePerCell = 100, 10

// labelGates returns the gate that audits each label: two models choose it from
// question, answer and explanation.
func labelGates() map[string]string {
	return map[string]string{schemas.LabelGranularity: "label-granularity", schemas.LabelReasoning: "label-reasoning"}
}

// axes lists the labels in the order of tables.
func axes() []string { return []string{schemas.LabelGranularity, schemas.LabelReasoning} }

// questionRater stands for the label of the question itself.
const questionRater = "question"

// labelAudit shows how far two models, who see no picture, agree on labels of sampled
// questions with each other and with the questions (A.5).
func (s *study) labelAudit() ([]tables.Table, error) {
	drawn := s.sampleCells(tableLabels, labelSampleSize, labelSamplePerCell)
	head := tables.Table{Name: tableLabels, Title: "labels by two models that see question, answer and explanation, A.5", Columns: []string{"drawn", "by both", "observed", "kappa"}}
	var confusions []tables.Table
	var list []string
	for _, axis := range axes() {
		all := s.collectRatings(axis, drawn)
		roles := raterRoles(all)
		if len(roles) < 2 {
			continue
		}
		among, err := agreement.MeasureAgreement(all, s.factsByID(), bootstrapSeed, axis)
		if err != nil {
			return nil, fmt.Errorf("agreement on %s: %w", axis, err)
		}
		for _, p := range among.Pairs {
			if s.isPartial(axis) {
				p.DropEstimates()
			}
			l := pairLine(axis, "by both", p)
			l.Figures["drawn"] = tables.Count(len(drawn))
			head.Lines = append(head.Lines, l)
			confusions = append(confusions, confusionTable(tableLabels, axis, p))
		}
		list = append(list, listDisagreements(axis, all)...)
	}
	if len(head.Lines) == 0 {
		return nil, missingInput(tableLabels, "the gates label-granularity or label-reasoning with full_protocol: true, or a panel to ask (--panel)")
	}
	head.Notes = s.labelWarnings()
	out := append([]tables.Table{head}, confusions...)
	last := &out[len(out)-1]
	last.Notes = append(last.Notes, fmt.Sprintf("%d labels are not the same by all", len(list)))
	last.List = list
	return out, nil
}

// pairLine returns the line of the agreement of two raters; counted names the column of
// how many items both labelled.
func pairLine(what, counted string, p agreement.PairAgreement) tables.Line {
	figures := map[string]tables.Figure{counted: tables.Count(p.Calls), "observed": tables.FigureOf(p.Observed, p.Calls)}
	if p.Kappa != nil {
		figures["kappa"] = tables.FigureOf(*p.Kappa, p.Calls)
	}
	return tables.Line{Slice: what + ", " + p.A + " and " + p.B, Figures: figures}
}

// labelWarnings warns of gates that did not ask both models about every question, and
// of one model in both roles.
func (s *study) labelWarnings() (out []string) {
	models := map[string]bool{}
	for _, p := range s.Contents.Probes {
		if p.View == view.Labelling {
			models[p.Model] = true
		}
	}
	if len(models) == 1 {
		out = append(out, "one model labelled under both roles, so how far these agree says nothing; ask a panel of two")
	}
	for _, g := range s.Contents.Manifest.Gates {
		if s.askedPart(g.Name) {
			out = append(out, fmt.Sprintf("gate %s asked the second model only where the first gave another label, so its labels have no kappa; build with full_protocol: true, or ask a panel", g.Name))
		}
	}
	return out
}

// askedPart reports that a gate stopped asking for labels once its verdict was settled.
func (s *study) askedPart(gate string) bool {
	partial := func(v schemas.Verdict) bool { return v.Gate == gate && v.CallsMade < v.CallsFull }
	asked := func(p schemas.Probe) bool { return p.Gate == gate && p.View == view.Labelling }
	return slices.ContainsFunc(s.Contents.Probes, asked) && slices.ContainsFunc(s.Contents.Verdicts, partial)
}

// isPartial reports that a gate which asks for labels of an axis asked a part.
func (s *study) isPartial(axis string) bool {
	return slices.ContainsFunc(s.Contents.Manifest.Gates, func(g manifest.GateInfo) bool {
		return cmp.Or(g.Use, g.Name) == labelGates()[axis] && s.askedPart(g.Name)
	})
}

// confusionTable counts how often A gave each label where B gave each.
func confusionTable(name, what string, p agreement.PairAgreement) tables.Table {
	t := tables.Table{Name: name, Title: fmt.Sprintf("%s by %s (lines) and %s (columns)", what, p.A, p.B), Columns: p.Labels}
	for i, a := range p.Labels {
		l := tables.Line{Slice: a, Figures: map[string]tables.Figure{}}
		for j, b := range p.Labels {
			l.Figures[b] = tables.Count(p.Confusion[i][j])
		}
		t.Lines = append(t.Lines, l)
	}
	return t
}

// collectRatings returns the labels given to sampled questions.
func (s *study) collectRatings(axis string, drawn []string) (out []agreement.ItemLabels) {
	uses := map[string]string{}
	for _, g := range s.Contents.Manifest.Gates {
		uses[g.Name] = g.Use
	}
	said := map[string]map[string]string{}
	for _, p := range s.Contents.Probes {
		if p.View != view.Labelling || cmp.Or(uses[p.Gate], p.Gate) != labelGates()[axis] || p.Answer == "" {
			continue
		}
		if said[p.Item] == nil {
			said[p.Item] = map[string]string{}
		}
		said[p.Item][p.Role+" ("+cmp.Or(p.Model, pipeline.BuiltInModel)+")"] = p.Answer
	}
	for _, q := range s.subjects {
		if slices.Contains(drawn, q.id) && said[q.id] != nil {
			said[q.id][questionRater] = q.question.Labels[axis]
			out = append(out, agreement.ItemLabels{Item: q.id, ByRater: said[q.id]})
		}
	}
	return out
}

func raterRoles(all []agreement.ItemLabels) []string {
	roles := map[string]bool{}
	for _, r := range all {
		for role := range r.ByRater {
			roles[role] = role != questionRater
		}
	}
	delete(roles, questionRater)
	return slices.Sorted(maps.Keys(roles))
}

// factsByID returns the fact of each question, so that copies are resampled together.
func (s *study) factsByID() map[string]string {
	out := map[string]string{}
	for _, q := range s.subjects {
		out[q.id] = q.question.Fact()
	}
	return out
}

// listDisagreements lists the questions with more than one label.
func listDisagreements(axis string, all []agreement.ItemLabels) (out []string) {
	for _, r := range all {
		if len(slices.Compact(slices.Sorted(maps.Values(r.ByRater)))) < 2 {
			continue
		}
		var said []string
		for _, who := range slices.Sorted(maps.Keys(r.ByRater)) {
			said = append(said, who+" "+r.ByRater[who])
		}
		out = append(out, fmt.Sprintf("%s, %s: %s", r.Item, axis, strings.Join(said, ", ")))
	}
	return out
}
