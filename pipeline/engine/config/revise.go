package config

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/engine"
	"github.com/memforge/memforge/schemas"
)

// maxRounds bounds how often an item is rewritten: every round adds a copy of
// each gate of its loop to the plan.
const maxRounds = 8

// setDefaultOnFail decides for gates that have no on_fail: what fails is dropped, but sessions that
// a model finds faulty are rewritten first, where a stage of the revise block gives sessions.
func (l *loader) setDefaultOnFail(names []string) {
	givesSessions := sync.OnceValue(func() bool {
		return slices.ContainsFunc(l.revisers(), func(d *draftStep) bool { return slices.Contains(d.spec.Emits, schemas.NameSession) })
	})
	for _, name := range names {
		d := l.drafts[name]
		if d.Kind != pipeline.KindGate || d.OnFail != "" {
			continue
		}
		d.OnFail = pipeline.OnFailDrop
		if d.judgesSessions() && !d.spec.Whole && len(d.From) == 1 && givesSessions() {
			d.OnFail = pipeline.OnFailRevise
		}
	}
}

// judgesSessions reports whether a gate asks a model about sessions.
func (d *draftStep) judgesSessions() bool {
	return len(d.spec.Asks) > 0 && slices.Contains(d.spec.Accepts, schemas.NameSession)
}

// onFail makes sure that a gate can do what its on_fail says.
func (l *loader) onFail(d *draftStep) {
	if !d.sound || d.OnFail == "" || d.OnFail == pipeline.OnFailDrop {
		return
	}
	at := d.onFailAt()
	switch {
	case d.OnFail == pipeline.OnFailKeep:
		if d.judgesSessions() && strings.TrimSpace(d.KeepBecause) == "" {
			l.problems.add(at, "gate %q keeps sessions that a model finds faulty; say why in keep_because, which the card states, or use drop or revise", d.Name)
		}
	case d.OnFail == pipeline.OnFailRelabel:
	case d.spec.Whole:
		l.problems.add(at, "gate %q judges all items at once, so none of them can be revised and judged again by itself; use drop or keep", d.Name)
	case len(d.From) > 1:
		l.problems.add(at, "gate %q reads %s; with on_fail revise it must read one step, so that there is one first gate to start again from", d.Name, strings.Join(d.From, ", "))
	}
}

// unroll spells every loop of gates and rewriting out as steps, and reports
// whether there was any. The steps must be in order already.
func (l *loader) unroll() bool {
	var rows [][]string
	for _, name := range slices.Sorted(maps.Keys(l.drafts)) {
		if d := l.drafts[name]; d.OnFail == pipeline.OnFailRevise {
			rows = append(rows, l.gatesFrom(d))
		}
	}
	rows = l.separateRows(rows)
	if len(rows) == 0 || len(l.problems.list) > 0 {
		return false
	}
	revisers := l.revisers()
	for _, row := range rows {
		model := l.reviserOf(row, revisers)
		if model == nil {
			return false
		}
		gather, flags := l.gatherer(model.spec), l.helper(flagsUse, nil)
		if gather == nil || flags == nil {
			return false
		}
		l.copies(row, *model)
		l.gatherers(row, *gather, *flags)
		l.readCopies(row)
	}
	return true
}

func (d *draftStep) onFailAt() place { return d.tree.where("on_fail") }

// gatesFrom walks back from a gate through gates that judge item by item: what it
// has rewritten starts again at the first of them. The row ends with the gate.
func (l *loader) gatesFrom(d *draftStep) []string {
	row := []string{d.Name}
	at := d
	for len(at.From) == 1 && l.drafts[at.From[0]].each {
		at = l.drafts[at.From[0]]
		row = append(row, at.Name)
	}
	for _, up := range at.From {
		if len(at.From) > 1 && l.drafts[up].each {
			l.problems.add(d.onFailAt(), "what gate %q flags would start again at gate %q, but that reads several steps and one of them, %q, is a gate that would be passed by; let the gates follow each other", d.Name, at.Name, up)
		}
	}
	slices.Reverse(row)
	return row
}

// separateRows leaves out rows that are the beginning of another, and refuses those
// that part in the middle: an item could then be rewritten on two ways.
func (l *loader) separateRows(rows [][]string) [][]string {
	longest := slices.DeleteFunc(slices.Clone(rows), func(row []string) bool {
		last := row[len(row)-1]
		return slices.ContainsFunc(rows, func(r []string) bool { return len(r) > len(row) && slices.Contains(r, last) })
	})
	for i, row := range longest {
		for _, other := range longest[:i] {
			if row[0] != other[0] {
				continue
			}
			d := l.drafts[row[len(row)-1]]
			l.problems.add(d.onFailAt(), "gates %q and %q both have revised what gate %q passes; put one after the other", other[len(other)-1], d.Name, row[0])
		}
	}
	return longest
}

// reviseBlock checks the revise block, whether or not a gate needs it.
func (l *loader) reviseBlock() {
	r, at := l.file.Revise, l.tree.get("revise")
	if at == nil {
		return
	}
	if r.Rounds < 1 || r.Rounds > maxRounds {
		l.problems.add(at.where("rounds"), "revise.rounds is %d: want 1 to %d", r.Rounds, maxRounds)
	}
	l.checkShare("max_loss", r.MaxLoss, at.where("max_loss"))
}

// revisers drafts the stages that rewrite; those with a problem are left out.
func (l *loader) revisers() []*draftStep {
	r, at := l.file.Revise, l.tree
	if given := l.tree.get("revise"); given != nil {
		at = given
	}
	out := l.reviser(nil, at, reviser{r.Use, r.With})
	if also := at.get("also"); also != nil {
		for i, one := range r.Also {
			out = l.reviser(out, also.items[i], one)
		}
	}
	return out
}

func (l *loader) reviser(list []*draftStep, at *node, r reviser) []*draftStep {
	d := &draftStep{section: "stages", tree: at, Step: engine.Step{Name: "revise", Kind: pipeline.KindStage, Use: r.Use, MaxLoss: l.file.Revise.MaxLoss}}
	l.construct(d, at.at, r.With)
	switch {
	case !d.sound:
		return list
	case !slices.Contains(d.spec.Accepts, schemas.NameFlagged) || len(d.spec.Emits) == 0:
		l.problems.add(at.where("use"), "stage plugin %q accepts %s and gives %s; what revises must accept %s and give what it rewrites",
			d.Use, schemaList(d.spec.Accepts), schemaList(d.spec.Emits), schemas.NameFlagged)
		return list
	}
	return append(list, d)
}

// reviserOf returns the first stage that gives what the gates of a row have rewritten; nil
// after a problem.
func (l *loader) reviserOf(row []string, revisers []*draftStep) *draftStep {
	if len(l.problems.list) > 0 {
		return nil
	}
	var wants []string
	for _, name := range row {
		if l.drafts[name].OnFail == pipeline.OnFailRevise {
			wants = append(wants, l.drafts[name].spec.Accepts...)
		}
	}
	var known []string
	for _, d := range revisers {
		if !slices.ContainsFunc(wants, func(s string) bool { return !slices.Contains(d.spec.Emits, s) }) {
			return d
		}
		known = append(known, d.Use+" gives "+schemaList(d.spec.Emits))
	}
	slices.Sort(wants)
	l.problems.add(l.drafts[row[len(row)-1]].onFailAt(), "what gate %q flags is %s, and no stage of the revise block gives that (%s); add one to revise.also, or use drop or keep",
		row[len(row)-1], schemaList(slices.Compact(wants)), strings.Join(known, ", "))
	return nil
}

// The plugins that gather records to be rewritten together: flagsUse takes what
// gates flagged out of what they give, gatherUse puts questions, and unitUse the
// records of any unit, beside what the last one of the loop passed.
const (
	flagsUse  = "question.flags"
	gatherUse = "question.gather"
	unitUse   = "unit.gather"
)

// gatherer drafts what goes before a reviser.
func (l *loader) gatherer(s pipeline.Spec) *draftStep {
	if s.Unit == "" && slices.Equal(s.Emits, []string{schemas.NameQuestion}) {
		return l.helper(gatherUse, nil)
	}
	word := func(s string) *node { return &node{kind: text, at: l.tree.at, scalar: s} }
	schemas := &node{kind: list, at: l.tree.at}
	for _, e := range s.Emits {
		schemas.items = append(schemas.items, word(e))
	}
	return l.helper(unitUse, &node{kind: mapping, at: l.tree.at, fields: []field{
		{"schemas", l.tree.at, schemas}, {"unit", l.tree.at, word(s.Unit)},
	}})
}

// helper drafts a stage that every loop needs; nil after a problem.
func (l *loader) helper(use string, with *node) *draftStep {
	d := &draftStep{section: "stages", tree: l.tree, Step: engine.Step{Name: use, Kind: pipeline.KindStage, Use: use}}
	l.construct(d, l.tree.at, with)
	if !d.sound {
		return nil
	}
	return d
}

// gatherers adds, for every round, what goes before the reviser: the gatherer,
// which reads the last gate of the row, and the flags of the others.
func (l *loader) gatherers(row []string, gather, flags draftStep) {
	end := row[len(row)-1]
	var others []string
	for _, name := range row[:len(row)-1] {
		if l.drafts[name].OnFail == pipeline.OnFailRevise {
			others = append(others, name)
		}
	}
	for round := 1; round <= l.file.Revise.Rounds; round++ {
		g := gather
		g.Name, g.From = pipeline.GathererName(row[0], round), inRound([]string{end}, round-1)
		l.drafts[g.Name] = &g
		if len(others) == 0 {
			continue
		}
		f := flags
		f.Name, f.From = pipeline.FlagsName(row[0], round), inRound(others, round-1)
		g.From = append([]string{f.Name}, g.From...)
		l.drafts[f.Name] = &f
	}
}

// copies adds a reviser and copies of the row's gates for every round. A gate
// has nothing revised in the last one. A copy sees few items, so that the loss
// of one could end a build; what it may lose is therefore the loop's.
func (l *loader) copies(row []string, model draftStep) {
	rounds := l.file.Revise.Rounds
	for round := 1; round <= rounds; round++ {
		reviser := model
		reviser.Name, reviser.From = pipeline.ReviserName(row[0], round), []string{pipeline.GathererName(row[0], round)}
		l.drafts[reviser.Name] = &reviser
		from := reviser.Name
		for _, name := range row {
			gate := *l.drafts[name]
			gate.Name, gate.From, gate.MaxLoss = pipeline.RoundName(name, round), []string{from}, model.MaxLoss
			if round == rounds && gate.OnFail == pipeline.OnFailRevise {
				gate.OnFail = pipeline.OnFailDrop
			}
			l.drafts[gate.Name] = &gate
			from = gate.Name
		}
	}
}

// inRound names the copies of steps for a round; those of round 0 are the steps.
func inRound(names []string, round int) []string {
	out := slices.Clone(names)
	for i, n := range out {
		if round > 0 {
			out[i] = pipeline.RoundName(n, round)
		}
	}
	return out
}

// readCopies lets steps outside the row that read one of its gates read its copies
// as well, the release included. What passes the last gate of the row is read
// from the gatherers, which hold back what is rewritten, and from the last copy.
func (l *loader) readCopies(row []string) {
	rounds, end := l.file.Revise.Rounds, row[len(row)-1]
	with := func(from []string) []string {
		var out []string
		for _, up := range from {
			if up != end {
				out = append(out, up)
			}
			for round := 1; round <= rounds && slices.Contains(row, up); round++ {
				switch {
				case up != end:
					out = append(out, pipeline.RoundName(up, round))
				case round == rounds:
					out = append(out, pipeline.GathererName(row[0], round), pipeline.RoundName(end, round))
				default:
					out = append(out, pipeline.GathererName(row[0], round))
				}
			}
		}
		return out
	}
	for name, d := range l.drafts {
		written, round := pipeline.SplitRound(name)
		if !slices.Contains(row, written) && !(round > 0 && d.Kind == pipeline.KindStage) {
			d.From = with(d.From)
		}
	}
	l.file.Release.From = with(l.file.Release.From)
}
