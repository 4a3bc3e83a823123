package release

import (
	"iter"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// unseen is the view that shows question and options alone. The built-in model has
// nothing to go by there, so it draws lots.
const unseen = "none"

func isLot(p schemas.Probe) bool { return p.View == unseen && p.Model == pipeline.BuiltInModel }

// said is what gates said of an item and asked about it.
type said struct {
	item     string
	verdicts []schemas.Verdict
	probes   []schemas.Probe
}

// byItem merges verdicts and probes, which are in the order of their items.
func byItem(verdicts iter.Seq[schemas.Verdict], probes iter.Seq[schemas.Probe]) iter.Seq[said] {
	return func(yield func(said) bool) {
		nextVerdict, stop := iter.Pull(verdicts)
		defer stop()
		nextProbe, stop := iter.Pull(probes)
		defer stop()
		v, moreVerdicts := nextVerdict()
		p, moreProbes := nextProbe()
		for moreVerdicts || moreProbes {
			s := said{item: v.Item}
			if !moreVerdicts || moreProbes && p.Item < v.Item {
				s.item = p.Item
			}
			for ; moreVerdicts && v.Item == s.item; v, moreVerdicts = nextVerdict() {
				s.verdicts = append(s.verdicts, v)
			}
			for ; moreProbes && p.Item == s.item; p, moreProbes = nextProbe() {
				s.probes = append(s.probes, p)
			}
			if !yield(s) {
				return
			}
		}
	}
}

// asked gathers who was asked while items go by.
type asked struct {
	earlier, live map[[2]string]bool
	// models are the language models that gates asked about what is released, gates
	// these gates without rounds.
	models, gates map[string]bool
	// lots says of gates without rounds whether all their probes are lots.
	lots map[string]bool
}

func newAsked(c *content, gates []GateInfo) *asked {
	return &asked{earlierForms(c), liveRoles(gates), map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

// judgement is what gates said of one item.
func (a *asked) judgement(s said, released bool) (j judgement) {
	lots := map[string]bool{} // by gate
	for _, p := range s.probes {
		gate, _ := pipeline.SplitRound(p.Gate)
		note(lots, p.Gate, isLot(p))
		note(a.lots, gate, isLot(p))
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

// note remembers whether all of a key are lots.
func note(all map[string]bool, key string, lot bool) {
	before, known := all[key]
	all[key] = lot && (before || !known)
}

// drawing are the gates all of whose probes are lots.
func (a *asked) drawing() []string {
	maps.DeleteFunc(a.lots, func(_ string, all bool) bool { return !all })
	return slices.Sorted(maps.Keys(a.lots))
}
