// Package ask writes multiple-choice questions about one of two videos that
// are shown together, from the ground truth of both. A question holds for
// either order of the two: it names its video by what can be seen in it, never
// by its place.
package ask

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/facts"
)

// Side of a pair.
type Side string

// The sides.
const (
	A Side = "A"
	B Side = "B"
)

// Scene is a pair as it is shown.
type Scene struct {
	Pair schemas.Pair
	// Seen is how many seconds of A and B are shown, from their beginning.
	SeenA, SeenB float64
	// Opening is the sentence that says how the two are shown.
	Opening string
	Style   Style
}

// Mix says what stands beside the right answer.
type Mix struct {
	// Rivals are answers true of the other video only, Unrelated of neither.
	Rivals, Unrelated int
	// RivalRole is the role of the former.
	RivalRole string
}

// The mixes of M3Eval: memory interference (3.1.2) has two intrusions and one
// unrelated distractor, source identification (3.1.1) three options of one
// error type, taken from the other video.
var (
	Interference = Mix{Rivals: 2, Unrelated: 1, RivalRole: schemas.RoleIntrusion}
	Source       = Mix{Rivals: 3, RivalRole: schemas.RoleDistractor}
)

// Item is a question without the media it is asked over.
type Item struct {
	Target   Side
	Kind     string
	Question string
	Options  []schemas.Option
	Key      string
	Answer   string
	// Clue is the event that gives the answer; Others are the events of the
	// other video that the rival options come from.
	Clue   schemas.Event
	Others []schemas.Event
	// Name identifies the target in the question.
	Name string
}

// Items asks up to limit questions about each side. All that is drawn comes
// from rnd, so a scene asked twice with equal generators gives the same items.
func Items(s Scene, m Mix, limit int, rnd *rand.Rand) []Item {
	var out []Item
	start := rnd.IntN(1 + m.Rivals + m.Unrelated)
	for _, side := range []Side{A, B} {
		target, rival := s.view(side)
		name, used := s.Style.identify(target, rival)
		if name == "" {
			continue
		}
		q := asker{scene: s, mix: m, side: side, target: target, rival: rival, name: name, used: used, rnd: rnd}
		for _, c := range q.choose(limit) {
			out = append(out, q.item(c, (start+len(out))%(1+m.Rivals+m.Unrelated)))
		}
	}
	return out
}

// view returns the target and its rival as far as they are seen.
func (s Scene) view(side Side) (target, rival view) {
	a, b := newView(s.Pair.A, s.SeenA), newView(s.Pair.B, s.SeenB)
	if side == A {
		return a, b
	}
	return b, a
}

// asker asks about one side.
type asker struct {
	scene  Scene
	mix    Mix
	side   Side
	target view
	rival  view
	name   string
	used   []string // values that the name gives away
	rnd    *rand.Rand
}

// candidate is a fact with the options that may stand beside it.
type candidate struct {
	fact      fact
	rivals    []schemas.Event
	unrelated []string
}

// choose picks up to limit candidates, visiting the kinds in turn.
func (q *asker) choose(limit int) []candidate {
	var byKind [][]candidate
	for _, kind := range facts.Kinds() {
		var cs []candidate
		for _, f := range q.target.facts(kind) {
			if c, ok := q.candidate(f); ok {
				cs = append(cs, c)
			}
		}
		q.rnd.Shuffle(len(cs), func(i, j int) { cs[i], cs[j] = cs[j], cs[i] })
		byKind = append(byKind, cs)
	}
	q.rnd.Shuffle(len(byKind), func(i, j int) { byKind[i], byKind[j] = byKind[j], byKind[i] })
	var out []candidate
	for round := 0; len(out) < limit; round++ {
		before := len(out)
		for _, cs := range byKind {
			if round < len(cs) && len(out) < limit {
				out = append(out, cs[round])
			}
		}
		if len(out) == before {
			break
		}
	}
	return out
}

// candidate gathers the options of a fact; false when there are too few, or
// when the answer is true of the other video too or given away by the question.
func (q *asker) candidate(f fact) (candidate, bool) {
	value := facts.Value(f.event)
	if facts.Mentions(q.rival.all, value) || q.told(value) {
		return candidate{}, false
	}
	chosen := []string{value}
	var rivals []schemas.Event
	for _, e := range shuffled(q.rival.whole(f.event.Kind), q.rnd) {
		v := facts.Value(e)
		if len(rivals) < q.mix.Rivals && !facts.Mentions(q.target.all, v) && !q.told(v) && !clashes(chosen, v) {
			rivals, chosen = append(rivals, e), append(chosen, v)
		}
	}
	var unrelated []string
	for _, v := range shuffled(q.scene.Pair.Pool[f.event.Kind], q.rnd) {
		free := !facts.Mentions(q.target.all, v) && !facts.Mentions(q.rival.all, v)
		if len(unrelated) < q.mix.Unrelated && free && !q.told(v) && !clashes(chosen, v) {
			unrelated, chosen = append(unrelated, v), append(chosen, v)
		}
	}
	ok := len(rivals) == q.mix.Rivals && len(unrelated) == q.mix.Unrelated
	return candidate{f, rivals, unrelated}, ok
}

// told reports whether the name of the target gives a value away.
func (q *asker) told(value string) bool { return clashes(q.used, value) }

func clashes(values []string, v string) bool {
	return slices.ContainsFunc(values, func(u string) bool { return facts.Clash(u, v) })
}

func shuffled[T any](in []T, rnd *rand.Rand) []T {
	out := slices.Clone(in)
	rnd.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// item writes a candidate down with its answer at the given position.
func (q *asker) item(c candidate, position int) Item {
	var wrong []schemas.Option
	for _, e := range c.rivals {
		wrong = append(wrong, schemas.Option{Text: facts.Value(e), Role: q.mix.RivalRole})
	}
	for _, v := range c.unrelated {
		wrong = append(wrong, schemas.Option{Text: v, Role: schemas.RoleUnrelated})
	}
	answer := facts.Value(c.fact.event)
	options := slices.Insert(shuffled(wrong, q.rnd), position, schemas.Option{Text: answer, Role: schemas.RoleCorrect})
	for i := range options {
		options[i].Key = string(rune('A' + i))
	}
	return Item{
		Target: q.side, Kind: c.fact.event.Kind, Name: q.name,
		Question: strings.Join(strings.Fields(q.scene.Opening+" "+q.scene.Style.phrase(q.name, c.fact)), " "),
		Options:  options, Key: options[position].Key, Answer: answer,
		Clue: c.fact.event, Others: c.rivals,
	}
}

// MCQ is a question followed by its options, one a line.
func MCQ(question string, options []schemas.Option) string {
	var b strings.Builder
	b.WriteString(question)
	for _, o := range options {
		b.WriteString("\n" + o.Key + ". " + o.Text)
	}
	return b.String()
}
