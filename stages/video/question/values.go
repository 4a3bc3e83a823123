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
		sides = append(sides, takeInTurn(byKind(q, func(kind string) []choices { return q.valueWordings(m, kind) }), maxFacts(limit)))
	}
	if s.Apart {
		return chooseApart(sides, limit, rnd)
	}
	return chooseBalanced(sides, limit, m.unrelated == 0)
}

func (q asker) valueWordings(m optionMix, kind string) []choices {
	var out []choices
	for _, e := range q.target.distinctEvents(kind) {
		if ds := q.valueChoices(m, e); len(ds) > 0 {
			out = append(out, ds)
		}
	}
	return out
}

// valueChoices asks what happens in a video: which of four it is that an event names,
// with any options that look alike; nothing when there are too few, or when the answer
// is true of the other video too or given away by the question. No number is asked
// for: what no wrong option has would decide nothing. What must hold of the answer
// holds of the options of the other video.
func (q asker) valueChoices(m optionMix, e schemas.Event) choices {
	kind, answer := e.Kind, groundtruth.Value(e)
	if q.rival.mentions(answer) || q.givesAway(answer) {
		return nil
	}
	var rivals, unrelated []string
	source := map[string]schemas.Event{}
	for _, o := range shuffled(q.rival.distinctEvents(kind), q.rnd) {
		if v := groundtruth.Value(o); !q.target.mentions(v) && !q.givesAway(v) {
			source[v] = o
			rivals = append(rivals, v)
		}
	}
	for _, v := range shuffled(q.scene.Pair.Pool[kind], q.rnd) {
		if q.isAbsent(v) {
			unrelated = append(unrelated, v)
		}
	}
	var out choices
	for _, wrong := range findOptionSets(q.rnd, answer, optionRequest{rivals, m.rivals}, optionRequest{unrelated, m.unrelated}) {
		d := q.askDraft(m.typ, kind, q.scene.Style.phrase(kind, "only", nil))
		d.Answer, d.Clues, d.Reason, d.Fact = answer, []Moment{q.clueMoment(e)}, m.reason(), happensFact(d.Target, kind, answer)
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
