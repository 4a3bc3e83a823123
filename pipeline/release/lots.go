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

// said is what gates said of an item and asked about it, and the question or medium
// that it is; nil where it is another record, or is not released.
type said struct {
	item     string
	question *schemas.Question
	medium   *schemas.Media
	verdicts []schemas.Verdict
	probes   []schemas.Probe
}

// queue gives what is known of items, in the order of these.
type queue[T any] struct {
	id    func(T) string
	next  func() (T, bool)
	first T
	more  bool
}

func queueOf[T any](all iter.Seq[T], id func(T) string) (*queue[T], func()) {
	if all == nil {
		all = func(func(T) bool) {}
	}
	next, stop := iter.Pull(all)
	q := &queue[T]{id: id, next: next}
	q.first, q.more = next()
	return q, stop
}

// least is the item that comes first, of this queue and what is known of others.
func (q *queue[T]) least(item string, known bool) (string, bool) {
	if q.more && (!known || q.id(q.first) < item) {
		return q.id(q.first), true
	}
	return item, known
}

// of takes what is known of an item.
func (q *queue[T]) of(item string) (out []T) {
	for ; q.more && q.id(q.first) == item; q.first, q.more = q.next() {
		out = append(out, q.first)
	}
	return out
}

// byItem merges questions, media, verdicts and probes, which are in the order of their
// items.
func (c *content) byItem() iter.Seq[said] {
	return func(yield func(said) bool) {
		questions, stop := queueOf(c.questions, func(q schemas.Question) string { return q.QuestionID })
		defer stop()
		media, stop := queueOf(c.media, func(m schemas.Media) string { return m.MediaID })
		defer stop()
		verdicts, stop := queueOf(c.verdicts, func(v schemas.Verdict) string { return v.Item })
		defer stop()
		probes, stop := queueOf(c.probes, func(p schemas.Probe) string { return p.Item })
		defer stop()
		for {
			item, known := questions.least(media.least(verdicts.least(probes.least("", false))))
			if !known {
				return
			}
			s := said{item: item, verdicts: verdicts.of(item), probes: probes.of(item)}
			for _, q := range questions.of(item) {
				s.question = &q
			}
			for _, m := range media.of(item) {
				s.medium = &m
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
