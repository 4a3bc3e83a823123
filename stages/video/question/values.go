package question

import (
	"math/rand/v2"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// optionMix says what stands beside the right answer.
type optionMix struct {
	typ string
	// rivals are answers true of the other video only, unrelated of neither.
	rivals, unrelated        int
	rivalRole, unrelatedRole string
}

// interference has two intrusions and one unrelated distractor (M3Eval 3.1.2).
func interference(s Scene, limit int, rnd *rand.Rand) []draft {
	return valueDrafts(s, optionMix{
		typ: schemas.TypeInterference, rivals: 2, unrelated: 1,
		rivalRole: schemas.RoleIntrusion, unrelatedRole: schemas.RoleUnrelated,
	}, limit, rnd)
}

// sourceIdentification has three options of one error, taken from the other
// video (M3Eval 3.1.1).
func sourceIdentification(s Scene, limit int, rnd *rand.Rand) []draft {
	return valueDrafts(s, optionMix{typ: schemas.TypeSourceIdentification, rivals: 3, rivalRole: schemas.RoleDistractor}, limit, rnd)
}

func valueDrafts(s Scene, m optionMix, limit int, rnd *rand.Rand) []draft {
	var sides []sideFacts
	for _, q := range s.askers(rnd) {
		sides = append(sides, takeInTurn(byKind(q, func(kind string) []wordings { return q.valueWordings(m, kind) }), maxFacts(limit)))
	}
	return chooseBalanced(sides, limit, m.unrelated == 0)
}

func (q asker) valueWordings(m optionMix, kind string) []wordings {
	var out []wordings
	for _, f := range q.target.facts(kind) {
		if ds := q.valueWording(m, f); len(ds) > 0 {
			out = append(out, ds)
		}
	}
	return out
}

// valueWording asks for a fact, with any options that look alike; nothing when
// there are too few, or when the answer is true of the other video too or given
// away by the question.
func (q asker) valueWording(m optionMix, f fact) wordings {
	answer := groundtruth.Value(f.event)
	if q.rival.mentions(answer) || q.givesAway(answer) {
		return nil
	}
	var rivals, unrelated []string
	source := map[string]schemas.Event{}
	for _, e := range shuffled(q.rival.wholeEvents(f.event.Kind), q.rnd) {
		v := groundtruth.Value(e)
		if _, known := source[v]; !known && !q.target.mentions(v) && !q.givesAway(v) {
			source[v] = e
			rivals = append(rivals, v)
		}
	}
	for _, v := range shuffled(q.scene.Pair.Pool[f.event.Kind], q.rnd) {
		if q.isAbsent(v) {
			unrelated = append(unrelated, v)
		}
	}
	var out wordings
	for _, wrong := range findOptionSets(q.rnd, answer, optionRequest{rivals, m.rivals}, optionRequest{unrelated, m.unrelated}) {
		d := q.newDraft(m.typ, f.event.Kind, q.scene.Style.askForFact(q.name, f))
		d.Answer, d.Clues, d.Reason = answer, []Moment{q.clueMoment(f.event)}, m.reason()
		for i, v := range wrong {
			o := schemas.Option{Text: v, Role: m.rivalRole}
			if i >= m.rivals {
				o.Role = m.unrelatedRole
			} else {
				d.Distractors = append(d.Distractors, Moment{Side: q.side.Other(), Event: source[v]})
			}
			d.wrong = append(d.wrong, o)
		}
		out = append(out, d)
	}
	return out
}

func (m optionMix) reason() string {
	if m.unrelated > 0 {
		return "The other options are true of the other video or, one of them, of neither."
	}
	return "The other options are true of the other video."
}

func (q asker) isAbsent(v string) bool {
	return !q.target.mentions(v) && !q.rival.mentions(v) && !q.givesAway(v)
}
