package question

import (
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/video/groundtruth"
	"github.com/memforge/memforge/stages/video/wordings"
)

// contentRetention asks for details of events. The wrong options misremember the
// detail and are true of neither video (M3Eval 3.1.1). Each kind of detail is asked
// in turn, four questions at a time, so that none makes up most of what is asked.
func contentRetention(s Scene, limit int, rnd *rand.Rand) []draft {
	qs := s.askers(rnd)
	cloze := newClozePart
	if s.Apart {
		cloze = newGapPart
	}
	parts := []detailPart{
		cloze(qs, asker.colourDetails, limit), cloze(qs, asker.thingDetails, limit), cloze(qs, asker.garmentDetails, limit),
		newWholePart(qs, asker.handledThings, limit), newWholePart(qs, asker.deeds, limit), newWholePart(qs, asker.signMoments, limit),
	}
	parts = shuffled(parts, rnd)
	left := [2]int{limit, limit}
	var out []draft
	for asked := true; asked; {
		asked = false
		for _, p := range parts {
			for _, d := range p.take(left) {
				left[sideIndex(d.Target)]--
				out, asked = append(out, d), true
			}
		}
	}
	if len(out) > 0 {
		return out
	}
	var named []sideFacts
	for _, q := range qs {
		named = append(named, takeInTurn(byKind(q, q.misnamedEvents), maxFacts(limit)))
	}
	return chooseBalanced(named, limit, false)
}

func sideIndex(target string) int { return map[string]int{string(A): 0, string(B): 1}[target] }

// detailPart gives questions about one kind of detail, four at most, and at most so
// many about either video.
type detailPart interface{ take(left [2]int) []draft }

// byKind lists, in random order, what can be asked of each kind of event.
func byKind[T any](q asker, of func(kind string) []T) [][]T {
	var out [][]T
	for _, kind := range groundtruth.Kinds() {
		out = append(out, shuffled(of(kind), q.rnd))
	}
	return shuffled(out, q.rnd)
}

// wholePart asks for details with options of their own, as often about either video.
type wholePart struct{ drafts [2][]draft }

func newWholePart(qs []asker, of func(asker, string) []choices, limit int) detailPart {
	var facts []sideFacts
	for _, q := range qs {
		facts = append(facts, takeInTurn(byKind(q, func(kind string) []choices { return of(q, kind) }), maxFacts(limit)))
	}
	p := &wholePart{}
	for _, d := range chooseBalanced(facts, limit, true) {
		n := sideIndex(d.Target)
		p.drafts[n] = append(p.drafts[n], d)
	}
	return p
}

func (p *wholePart) take(left [2]int) (out []draft) {
	for n := range p.drafts {
		k := min(2, left[n], len(p.drafts[n]))
		out = append(out, p.drafts[n][:k]...)
		p.drafts[n] = p.drafts[n][k:]
	}
	return out
}

// newDetail asks for a detail of an event of a kind.
func (q asker) newDetail(of, kind, ask string, e schemas.Event) draft {
	d := q.askDraft(schemas.TypeContentRetention, kind, ask)
	d.Detail, d.Clues, d.Reason = of, []Moment{q.deedMoment(e)}, "The other options are true of neither video."
	return d
}

// deedMoment is the clue that says who does it.
func (q asker) deedMoment(e schemas.Event) Moment {
	return q.momentOf(e, q.scene.Style.deed(e.Kind, e.Subject, groundtruth.Value(e)))
}

// handled lists the events of a kind in which somebody of the target alone handles
// something.
func (q asker) handled(kind string) []schemas.Event {
	if wordings.Phrase(kind, "handled") == "" {
		return nil
	}
	return slices.DeleteFunc(q.target.distinctEvents(kind), func(e schemas.Event) bool {
		return e.Subject == "" || q.rival.mentions(e.Subject) || q.givesAway(e.Subject) || q.givesAway(groundtruth.Value(e))
	})
}

// handledThings asks what somebody handles; the wrong options are what others do.
func (q asker) handledThings(kind string) []choices {
	var out []choices
	events := q.handled(kind)
	for _, e := range events {
		answer, at := groundtruth.Value(e), map[string]schemas.Event{}
		var others []string
		for _, o := range shuffled(events, q.rnd) {
			if v := groundtruth.Value(o); o.Subject != e.Subject {
				others, at[v] = append(others, v), o
			}
		}
		var ds choices
		for _, wrong := range findOptionSets(q.rnd, answer, optionRequest{others, optionCount - 1}) {
			d := q.newDetail(schemas.DetailHandled, kind, q.scene.Style.phrase(kind, "handled", map[string]string{"who": e.Subject}), e)
			d.Answer, d.Fact, d.wrong = answer, []string{"deed", d.Target, kind, e.Subject, answer}, distractors(wrong)
			for _, v := range wrong {
				d.Distractors = append(d.Distractors, Moment{Side: q.side, Event: at[v]})
			}
			ds = append(ds, d)
		}
		if len(ds) > 0 {
			out = append(out, ds)
		}
	}
	return out
}

// deeds asks who handles what: two people and two things in all four combinations, of
// which one is true.
func (q asker) deeds(kind string) []choices {
	var out []choices
	events := q.handled(kind)
	people := distinctSubjects(events)
	for _, e := range events {
		var ds choices
		for _, o := range shuffled(events, q.rnd) {
			for _, who := range shuffled(people, q.rnd) {
				if o.Subject == e.Subject || who == e.Subject || who == o.Subject || len(ds) == maxSets {
					continue
				}
				said := func(who string, of schemas.Event) string { return q.scene.Style.deed(kind, who, groundtruth.Value(of)) }
				d := q.newDetail(schemas.DetailDeed, kind, wordings.Phrase(wordings.OfVideo, "deed"), e)
				d.Answer, d.Fact = said(e.Subject, e), []string{"deed", d.Target, kind, e.Subject, groundtruth.Value(e)}
				d.wrong = distractors([]string{said(e.Subject, o), said(who, e), said(who, o)})
				d.Distractors = []Moment{{Side: q.side, Event: o}}
				ds = append(ds, d)
			}
		}
		if len(ds) > 0 {
			out = append(out, ds)
		}
	}
	return out
}

func distinctSubjects(events []schemas.Event) []string {
	var out []string
	for _, e := range events {
		if !slices.Contains(out, e.Subject) {
			out = append(out, e.Subject)
		}
	}
	return out
}

// calm is how many seconds the text of a sign must stand before and after what
// happens meanwhile.
const calm = 0.5

// signMoments asks what the sign says when something happens; the wrong options are
// what it changes to at other times.
func (q asker) signMoments(kind string) []choices {
	if kind == groundtruth.SignChanges || kind == groundtruth.Shows {
		return nil
	}
	var out []choices
	for _, e := range q.target.distinctEvents(kind) {
		change, ok := q.target.signBefore(e)
		value := groundtruth.Value(e)
		if !ok || q.rival.mentions(value) || q.givesAway(value) {
			continue
		}
		answer, at := groundtruth.Value(change), map[string]schemas.Event{}
		var others []string
		for _, o := range shuffled(q.target.events(groundtruth.SignChanges), q.rnd) {
			if v := groundtruth.Value(o); v != answer && !slices.Contains(others, v) {
				others, at[v] = append(others, v), o
			}
		}
		var ds choices
		for _, wrong := range findOptionSets(q.rnd, answer, optionRequest{others, optionCount - 1}) {
			ask := q.scene.Style.phrase(wordings.OfVideo, "sign", map[string]string{"clause": q.scene.Style.statement(kind, value)})
			d := q.newDetail(schemas.DetailSign, kind, ask, e)
			d.Answer, d.Fact, d.wrong = answer, []string{"sign", d.Target, kind, value, answer}, distractors(wrong)
			d.Clues = []Moment{q.clueMoment(change), q.clueMoment(e)}
			for _, v := range wrong {
				d.Distractors = append(d.Distractors, Moment{Side: q.side, Event: at[v]})
			}
			ds = append(ds, d)
		}
		if len(ds) > 0 {
			out = append(out, ds)
		}
	}
	return out
}

// misnamedEvents asks, where no video names a detail, for the whole of what happens,
// with values of neither video beside it.
func (q asker) misnamedEvents(kind string) []choices {
	var out []choices
	for _, e := range q.target.distinctEvents(kind) {
		answer := groundtruth.Value(e)
		if q.rival.mentions(answer) || q.givesAway(answer) {
			continue
		}
		free := slices.DeleteFunc(shuffled(q.scene.Pair.Pool[kind], q.rnd), func(v string) bool { return !q.isAbsent(v) })
		var ds choices
		for _, wrong := range findOptionSets(q.rnd, answer, optionRequest{free, optionCount - 1}) {
			d := q.newDetail(schemas.DetailWhole, kind, q.scene.Style.phrase(kind, "only", nil), e)
			d.Clues = []Moment{q.clueMoment(e)}
			d.Answer, d.Fact, d.wrong = answer, happensFact(d.Target, kind, answer), distractors(wrong)
			ds = append(ds, d)
		}
		if len(ds) > 0 {
			out = append(out, ds)
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

// cloze is a question for what a sentence leaves out, without options.
type cloze struct {
	draft
	// isFalse reports whether the sentence with something else in the gap is true of
	// neither video.
	isFalse func(other string) bool
	// elsewhere is what the videos of other pairs have in the gap.
	elsewhere []string
}

// gap stands for what a sentence leaves out.
const gap = "____"

// newCloze asks for a detail of an event whose value reads fill(answer); false where
// something of the same kind has the value with another answer, or the event cannot be
// asked about.
func (q asker) newCloze(of string, e schemas.Event, answer string, fill func(string) string) (cloze, bool) {
	value := fill(answer)
	if q.givesAway(value) || q.rival.mentions(value) {
		return cloze{}, false
	}
	d := q.newDraft(schemas.TypeContentRetention, e.Kind, wordings.Gap, map[string]string{
		"video": q.name, "clause": q.scene.Style.statement(e.Kind, fill(gap)),
	})
	d.Detail, d.Answer, d.Clues, d.Reason = of, answer, []Moment{q.clueMoment(e)}, "With the other options it is true of neither video."
	d.Fact = []string{"detail", d.Target, e.Kind, value, answer}
	return cloze{draft: d, isFalse: func(other string) bool {
		return other != answer && !q.target.mentions(fill(other)) && !q.rival.mentions(fill(other))
	}}, true
}

// isPerson reports whether events of a kind have people as their values.
func isPerson(kind string) bool { return kind == groundtruth.Enters || kind == groundtruth.Leaves }

// colourDetails asks for the colour of things. People are known by their colour, so
// that another person of the colour that is offered may be meant.
func (q asker) colourDetails(kind string) []cloze {
	if isPerson(kind) {
		return nil
	}
	return q.clozes(kind, schemas.DetailColour, func(of, o groundtruth.Detail) bool { return o.EqualButColour(of) },
		func(of groundtruth.Detail) (string, func(string) string) { return of.Colour, of.WithColour })
}

// thingDetails asks which thing has a colour.
func (q asker) thingDetails(kind string) []cloze {
	if kind != groundtruth.PicksUp && kind != groundtruth.PutsDown {
		return nil
	}
	return q.namedDetails(kind, schemas.DetailThing)
}

// garmentDetails asks what somebody wears in a colour.
func (q asker) garmentDetails(kind string) []cloze {
	if !isPerson(kind) {
		return nil
	}
	return q.namedDetails(kind, schemas.DetailGarment)
}

func (q asker) namedDetails(kind, as string) []cloze {
	return q.clozes(kind, as, func(of, o groundtruth.Detail) bool { return o.Colour == of.Colour },
		func(of groundtruth.Detail) (string, func(string) string) {
			return of.After, func(other string) string { return strings.TrimSpace(of.Before + " " + of.Colour + " " + other) }
		})
}

// clozes asks for a detail of the events of a kind whose values have one, but where
// another of the kind is like it in the rest.
func (q asker) clozes(kind, as string, like func(of, o groundtruth.Detail) bool, split func(groundtruth.Detail) (string, func(string) string)) []cloze {
	var out []cloze
	var elsewhere []string
	var pool []string
	if q.scene.Apart {
		pool = shuffled(q.scene.Pair.Pool[kind], q.rnd)
	}
	for _, v := range pool {
		if of, ok := groundtruth.ParseDetail(v); ok {
			if text, _ := split(of); !slices.Contains(elsewhere, text) {
				elsewhere = append(elsewhere, text)
			}
		}
	}
	for _, e := range q.target.distinctEvents(kind) {
		of, ok := groundtruth.ParseDetail(groundtruth.Value(e))
		if !ok || countLike(q.target.all, kind, of, like) > 1 {
			continue
		}
		answer, fill := split(of)
		if c, ok := q.newCloze(as, e, answer, fill); ok {
			c.elsewhere = elsewhere
			out = append(out, c)
		}
	}
	return out
}

func countLike(events []schemas.Event, kind string, of groundtruth.Detail, like func(of, o groundtruth.Detail) bool) (n int) {
	for _, e := range events {
		if o, ok := groundtruth.ParseDetail(groundtruth.Value(e)); ok && e.Kind == kind && like(of, o) {
			n++
		}
	}
	return n
}

// clozePart asks for details in sets of four with the same four options, each of which
// is right once. So none is right more often than another one that stands beside it,
// nor a longer word than a shorter. A set asks about both videos twice, or three times
// about one where it must.
type clozePart struct{ clozes [2][]cloze }

func newClozePart(qs []asker, of func(asker, string) []cloze, limit int) detailPart {
	p := &clozePart{}
	for _, q := range qs {
		p.clozes[sideIndex(string(q.side))] = takeInTurn(byKind(q, func(kind string) []cloze { return of(q, kind) }), maxFacts(limit))
	}
	return p
}

// maxSearched bounds how many details of a video a set is looked for in.
const maxSearched = 12

func (p *clozePart) take(left [2]int) []draft {
	for _, from := range [][2]int{{2, 2}, {1, 3}, {3, 1}} {
		if from[0] > left[0] || from[1] > left[1] {
			continue
		}
		if set := completeClozeSet(nil, p.clozes, from); set != nil {
			return p.remove(set)
		}
	}
	return nil
}

func (p *clozePart) remove(set []cloze) (out []draft) {
	for _, c := range set {
		var wrong []string
		for _, o := range set {
			if o.Answer != c.Answer {
				wrong = append(wrong, o.Answer)
			}
		}
		c.wrong = distractors(wrong)
		out = append(out, c.draft)
		n := sideIndex(c.Target)
		p.clozes[n] = slices.DeleteFunc(p.clozes[n], func(o cloze) bool { return slices.Equal(o.Fact, c.Fact) })
	}
	return out
}

// completeClozeSet adds so many questions about each video to a set; nil when none fit.
func completeClozeSet(set []cloze, clozes [2][]cloze, from [2]int) []cloze {
	side := 0
	if from[0] == 0 {
		side = 1
	}
	if from[side] == 0 {
		return set
	}
	from[side]--
	cs := clozes[side]
	for i, c := range cs[:min(len(cs), maxSearched)] {
		if slices.ContainsFunc(set, func(o cloze) bool { return !o.isFalse(c.Answer) || !c.isFalse(o.Answer) }) {
			continue
		}
		rest := clozes
		rest[side] = cs[i+1:]
		if found := completeClozeSet(append(slices.Clone(set), c), rest, from); found != nil {
			return found
		}
	}
	return nil
}
