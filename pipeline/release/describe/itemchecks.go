package describe

import (
	"iter"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
)

// viewNone is the view that shows question and options alone. The built-in model has
// nothing to go by there, so it draws lots.
const viewNone = "none"

func isRandomAnswer(p schemas.Probe) bool {
	return p.View == viewNone && p.Model == pipeline.BuiltInModel
}

// itemRecords is what gates said of an item and asked about it, and the question or medium
// that it is; nil where it is another record, or is not released.
type itemRecords struct {
	item     string
	question *schemas.Question
	medium   *schemas.Media
	verdicts []schemas.Verdict
	probes   []schemas.Probe
}

// itemStream gives what is known of items, in the order of these.
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

// leastItem is the item that comes first, of this queue and what is known of others.
func (q *itemStream[T]) leastItem(item string, known bool) (string, bool) {
	if q.more && (!known || q.id(q.first) < item) {
		return q.id(q.first), true
	}
	return item, known
}

// takeItem takes what is known of an item.
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

// panelUse gathers who was asked while items go by.
type panelUse struct {
	earlier, live map[[2]string]bool
	// models are the language models that gates asked about what is released, gates
	// these gates without rounds.
	models, gates map[string]bool
	// lots says of gates without rounds whether all their probes are lots.
	lots map[string]bool
}

func newPanelUse(rel Release) *panelUse {
	return &panelUse{earlierForms(rel), liveRoles(rel.Manifest.Gates), map[string]bool{}, map[string]bool{}, map[string]bool{}}
}

// checksOf is what gates said of one item.
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

// allOf remembers whether all of a key are lots.
func allOf(all map[string]bool, key string, lot bool) {
	before, known := all[key]
	all[key] = lot && (before || !known)
}

// randomGates are the gates all of whose probes are lots.
func (a *panelUse) randomGates() []string {
	maps.DeleteFunc(a.lots, func(_ string, all bool) bool { return !all })
	return slices.Sorted(maps.Keys(a.lots))
}
