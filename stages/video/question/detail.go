package question

import (
	"math/rand/v2"
	"slices"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
)

// contentRetention asks for a detail of an event. The wrong options misremember
// the detail and are true of neither video (M3Eval 3.1.1).
func contentRetention(s Scene, limit int, rnd *rand.Rand) []draft {
	var details [2][]detail
	var named []sideFacts
	for _, q := range s.askers(rnd) {
		n := map[Side]int{A: 0, B: 1}[q.side]
		details[n] = takeInTurn(byKind(q, q.colourDetails), maxFacts(limit))
		named = append(named, takeInTurn(byKind(q, q.misnamedEvents), maxFacts(limit)))
	}
	if ds := colourSets(details, limit); len(ds) > 0 {
		return ds
	}
	return chooseBalanced(named, limit, false)
}

// byKind lists, in random order, what can be asked of each kind of event.
func byKind[T any](q asker, of func(kind string) []T) [][]T {
	var out [][]T
	for _, kind := range groundtruth.Kinds() {
		out = append(out, shuffled(of(kind), q.rnd))
	}
	return shuffled(out, q.rnd)
}

// detail is a question for the colour of something, without options.
type detail struct {
	draft
	// may tells the colours in which the sentence is true of neither video.
	may map[string]bool
}

// colourDetails asks for the colour in what happens. Options are colours alone:
// a made-up "blue kettle" would stand out because it occurs nowhere else in a
// release.
func (q asker) colourDetails(kind string) []detail {
	var out []detail
	for _, e := range q.target.distinctEvents(kind) {
		value := groundtruth.Value(e)
		of, ok := groundtruth.ParseDetail(value)
		if !ok || q.givesAway(value) || q.rival.mentions(value) || q.countTwins(kind, of) > 1 {
			continue
		}
		may := map[string]bool{}
		for _, c := range q.scene.palette() {
			other := of.WithColour(c)
			may[c] = c != of.Colour && !q.target.mentions(other) && !q.rival.mentions(other)
		}
		d := q.newDraft(schemas.TypeContentRetention, kind, "Which colour is left out in this sentence about "+q.name+": "+
			quote(q.scene.Style.statement(kind, of.WithColour(gap)))+"?")
		d.Answer, d.Clues, d.Reason = of.Colour, []Moment{q.clueMoment(e)}, "With the other colours it is true of neither video."
		out = append(out, detail{d, may})
	}
	return out
}

// gap stands for what a sentence leaves out.
const gap = "____"

// countTwins counts the events of a kind in the target that differ from a
// detail in colour at most.
func (q asker) countTwins(kind string, detail groundtruth.Detail) (n int) {
	for _, e := range q.target.all {
		if o, ok := groundtruth.ParseDetail(groundtruth.Value(e)); ok && e.Kind == kind && o.EqualButColour(detail) {
			n++
		}
	}
	return n
}

func (s Scene) palette() []string {
	var out []string
	add := func(values []string) {
		for _, v := range values {
			if d, ok := groundtruth.ParseDetail(v); ok {
				out = append(out, d.Colour)
			}
		}
	}
	for _, kind := range groundtruth.Kinds() {
		add(groundtruth.Values(s.Pair.A.Events)[kind])
		add(groundtruth.Values(s.Pair.B.Events)[kind])
		add(s.Pair.Pool[kind])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// misnamedEvents asks, where no video names a colour, for the whole of what
// happens, with values of neither video beside it.
func (q asker) misnamedEvents(kind string) []wordings {
	var out []wordings
	for _, f := range q.target.facts(kind) {
		answer := groundtruth.Value(f.event)
		if q.rival.mentions(answer) || q.givesAway(answer) {
			continue
		}
		free := slices.DeleteFunc(shuffled(q.scene.Pair.Pool[kind], q.rnd), func(v string) bool { return !q.isAbsent(v) })
		var ws wordings
		for _, wrong := range findOptionSets(q.rnd, answer, optionRequest{free, optionCount - 1}) {
			d := q.newDraft(schemas.TypeContentRetention, kind, q.scene.Style.askForFact(q.name, f))
			d.Answer, d.Clues, d.Reason = answer, []Moment{q.clueMoment(f.event)}, "The other options are true of neither video."
			d.wrong = distractors(wrong)
			ws = append(ws, d)
		}
		if len(ws) > 0 {
			out = append(out, ws)
		}
	}
	return out
}

func distractors(texts []string) []schemas.Option {
	var out []schemas.Option
	for _, t := range texts {
		out = append(out, schemas.Option{Text: t, Role: schemas.RoleDistractor})
	}
	return out
}

// colourSets asks for details in sets of four with the same four colours as
// options, each of which is right once. So no colour is right more often than
// another one that stands beside it, nor a longer word than a shorter. A set asks
// about both videos twice, or three times about one where it must. What is left
// over of limit, or finds no set, is not asked.
func colourSets(details [2][]detail, limit int) []draft {
	left := [2]int{limit, limit}
	var out []draft
	for {
		set := findColourSet(details, left)
		if set == nil {
			return out
		}
		for _, d := range set {
			var wrong []string
			for _, o := range set {
				if o.Answer != d.Answer {
					wrong = append(wrong, o.Answer)
				}
			}
			d.wrong = distractors(wrong)
			out = append(out, d.draft)
			n := map[string]int{string(A): 0, string(B): 1}[d.Target]
			left[n]--
			details[n] = slices.DeleteFunc(slices.Clone(details[n]), func(o detail) bool { return o.Question == d.Question })
		}
	}
}

// maxSearched bounds how many details of a video a set is looked for in.
const maxSearched = 12

func findColourSet(details [2][]detail, left [2]int) []detail {
	for _, from := range [][2]int{{2, 2}, {1, 3}, {3, 1}} {
		if from[0] > left[0] || from[1] > left[1] {
			continue
		}
		if set := completeColourSet(nil, details, from); set != nil {
			return set
		}
	}
	return nil
}

// completeColourSet adds so many details of each video to a set; nil when none
// fit.
func completeColourSet(set []detail, details [2][]detail, from [2]int) []detail {
	side := 0
	if from[0] == 0 {
		side = 1
	}
	if from[side] == 0 {
		return set
	}
	from[side]--
	ds := details[side]
	for i, d := range ds[:min(len(ds), maxSearched)] {
		if slices.ContainsFunc(set, func(o detail) bool { return !(o.may[d.Answer] && d.may[o.Answer]) }) {
			continue
		}
		rest := details
		rest[side] = ds[i+1:]
		if found := completeColourSet(append(slices.Clone(set), d), rest, from); found != nil {
			return found
		}
	}
	return nil
}
