package format

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"github.com/memforge/memforge/pipeline/eval/benchformat"
	"github.com/memforge/memforge/pipeline/eval/score"
	"github.com/memforge/memforge/pipeline/eval/tables"
	"github.com/memforge/memforge/pipeline/release"
	"github.com/memforge/memforge/schemas"
)

// compositionScorer tells what memories are made of: by which operations they change, and
// which kinds of points they store (figures 4b and 4c).
type compositionScorer struct{ memoryScorer }

func composition() score.Scorer {
	s := Memory()
	s.Release = func(c release.Contents) (score.QuestionSet, error) {
		all, err := instances(c)
		return compositionScorer{memoryScorer{all}}, err
	}
	return s
}

// Operations on a memory.
const (
	opAppend = "append"
	opRevise = "revise"
	opDelete = "delete"
	opMerge  = "merge"
)

// operations returns how a session changed what was held. No system reports a merge, so a rule
// tells it: what was written says what two memories said, one of which is held no more.
func (h memoryState) operations(before []memory) (out []string) {
	held, ended := map[string]string{}, []string(nil)
	for _, m := range before {
		held[m.ID] = m.Text
	}
	type writing struct{ op, text, was string }
	var written []writing
	write := func(m memory, revises bool) {
		if revises {
			written = append(written, writing{opRevise, m.Text, held[m.ID]})
		} else {
			written = append(written, writing{opAppend, m.Text, ""})
		}
	}
	for _, c := range h.Changes {
		switch c.Op {
		case "add", "update":
			write(c.memory, c.Op == "update")
		case "suppress", "archive":
			ended = append(ended, cmp.Or(held[c.ID], c.Text))
		}
	}
	if len(h.Changes) == 0 {
		left := maps.Clone(held)
		for _, m := range h.Memories {
			if text, known := held[m.ID]; !known || text != m.Text {
				write(m, known)
			}
			delete(left, m.ID)
		}
		for _, m := range before {
			if _, gone := left[m.ID]; gone {
				ended = append(ended, m.Text)
			}
		}
	}
	for _, w := range written {
		left := slices.DeleteFunc(slices.Clone(ended), func(text string) bool { return textSays(w.text, text) })
		took := len(ended) - len(left)
		if took > 0 && (took > 1 || textSays(w.text, w.was)) {
			w.op, ended = opMerge, left
		}
		out = append(out, w.op)
	}
	return append(out, slices.Repeat([]string{opDelete}, len(ended))...)
}

// pointKinds returns the kinds of a point by which figure 4c tells salience.
func pointKinds(p schemas.MemoryPoint) []string {
	change := "new"
	if len(p.Supersedes) > 0 {
		change = "update"
	}
	return []string{"in " + p.Modality, change, fmt.Sprintf("importance %g", p.Importance)}
}

// Score implements score.QuestionSet.
func (s compositionScorer) Score(answers map[string]string, o score.Options) (score.Scores, error) {
	out := figures{Variant: o.Variant, Judge: judgeNone}
	var changes means
	ops, found := map[string]*means{}, map[string]*means{}
	var missing []string
	for _, i := range s.instances {
		lines, none, err := i.memoryStates(answers)
		if err != nil {
			return nil, err
		}
		missing = append(missing, none...)
		var before []memory
		var count tally
		made, stores := map[string]*tally{}, map[string]*tally{}
		for _, one := range i.sessions {
			h, known := lines[one.SessionID]
			if !known {
				continue
			}
			done, stored := h.operations(before), h.storedTexts(before)
			count.add(one.SessionID, float64(len(done)))
			countOperations(made, one.SessionID, done...)
			for _, p := range one.Points {
				if p.IsInterference {
					continue
				}
				isFound := slices.ContainsFunc(stored, func(text string) bool { return textStates(text, p) })
				for _, kind := range pointKinds(p) {
					getOrNew(stores, kind).add(factOf(one, p), benchformat.BoolScore(isFound))
				}
			}
			before = h.apply(before)
		}
		changes.per = append(changes.per, count)
		addTallies(ops, made)
		addTallies(found, stores)
	}
	if len(missing) > 0 && !o.Incomplete {
		return nil, &score.MissingError{IDs: missing}
	}
	out.add("operations a session", changes)
	for _, op := range []string{opAppend, opRevise, opDelete, opMerge} {
		out.add(op, *getOrNew(ops, op))
	}
	for _, kind := range sortedKeys(found) {
		out.add("found, "+kind, *found[kind])
	}
	return out, nil
}

// countOperations counts operations, each of which is one of the four.
func countOperations(into map[string]*tally, fact string, done ...string) {
	for _, did := range done {
		for _, op := range []string{opAppend, opRevise, opDelete, opMerge} {
			getOrNew(into, op).add(fact, benchformat.BoolScore(op == did))
		}
	}
}

func addTallies(to map[string]*means, of map[string]*tally) {
	for name, t := range of {
		getOrNew(to, name).per = append(getOrNew(to, name).per, *t)
	}
}

// goldOperations returns the operations that the points of the release ask for.
func goldOperations(asked score.QuestionSet, seed uint64) []tables.Measure {
	ops := map[string]*means{}
	for _, i := range asked.(compositionScorer).instances {
		made := map[string]*tally{}
		for _, s := range i.sessions {
			for _, p := range s.Points {
				op := opAppend
				if len(p.Supersedes) > 0 {
					op = map[string]string{schemas.UpdateMerge: opMerge, schemas.UpdateDelete: opDelete}[p.UpdateType]
				}
				if op == "" {
					op = opRevise
				}
				if !p.IsInterference {
					countOperations(made, factOf(s, p), op)
				}
			}
		}
		addTallies(ops, made)
	}
	out := figures{Variant: VariantPaper}
	for _, op := range []string{opAppend, opRevise, opDelete, opMerge} {
		out.add(op, *getOrNew(ops, op))
	}
	return out.Measures(nil, seed)
}
