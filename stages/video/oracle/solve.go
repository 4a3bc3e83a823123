package oracle

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/memforge/memforge/schemas"
)

// solveValue solves a question for what happens: which of four things does.
func (w *composition) solveValue(r *solution) error {
	f, err := w.askedVideo(r)
	if err != nil {
		return err
	}
	for _, o := range r.options {
		h, n := f.eventNamed(r.kind, o.Text)
		if n == 0 {
			continue
		}
		if r.answer != "" || n > 1 || h.value != o.Text || !h.whole {
			return fmt.Errorf("option %q: more than one option is true, or it happens %d times", o.Text, n)
		}
		r.answer, r.clues = h.value, []moment{{f, h}}
	}
	rival := w.other(f)
	switch {
	case r.answer == "":
		return errors.New("no option happens in the video")
	case rival.mentions(r.answer):
		return fmt.Errorf("%q could be meant of the other video as well", r.answer)
	}
	r.fact = []string{"happens", f.id, r.kind, r.answer}
	return w.classifyOptions(r, f, rival)
}

// askedVideo returns the video that a question names, which is its target.
func (w *composition) askedVideo(r *solution) (*video, error) {
	f, err := w.videoNamed(r.name)
	if err != nil {
		return nil, err
	}
	r.target = f.id
	return f, w.checkNoun(r.noun)
}

// eventNamed returns an event of a kind that could be meant by a text, and how many
// could.
func (f *video) eventNamed(kind, text string) (found seenEvent, n int) {
	for _, h := range f.eventsOf(kind) {
		if confusable(h.value, text) {
			found = h
			n++
		}
	}
	return found, n
}

// solveNth solves a question for the n-th thing that happens.
func (w *composition) solveNth(r *solution) error {
	f, err := w.askedVideo(r)
	if err != nil {
		return err
	}
	all, n := f.eventsOf(r.kind), r.n
	if n > len(all) || !all[n-1].whole {
		return fmt.Errorf("%d things are seen to happen", len(all))
	}
	h := all[n-1]
	if n > 1 && almostEqual(all[n-2].start, h.start) || n < len(all) && almostEqual(all[n].start, h.start) {
		return fmt.Errorf("several happen at %.2f seconds", h.start)
	}
	r.typ, r.answer, r.why = schemas.TypeOrderUnderstanding, h.value, "The other options have other places in the order."
	r.fact = []string{"nth", f.id, r.kind, ordinals[n-1], r.answer}
	for i, h := range all[:n] {
		if slices.ContainsFunc(all[:i], func(o seenEvent) bool { return confusable(o.value, h.value) }) {
			return fmt.Errorf("%q happens twice until then, so that it cannot be counted", h.value)
		}
		r.clues = append(r.clues, moment{f, h})
	}
	return w.citeOthers(r, f, "it has no place in the order")
}

// citeOthers demands that each wrong option is one thing of the kind that is asked
// about, which another event of the video shows.
func (w *composition) citeOthers(r *solution, f *video, why string) error {
	return r.judgeOthers(func(text string) (string, error) {
		var from []moment
		for _, h := range f.eventsOf(r.kindOfOptions()) {
			if h.value == text {
				from = append(from, moment{f, h})
			}
		}
		if len(from) == 0 {
			return "", errors.New(why)
		}
		r.others = append(r.others, from)
		return schemas.RoleDistractor, nil
	})
}

// kindOfOptions returns the kind of the events that the options name.
func (r *solution) kindOfOptions() string {
	if r.form == formSign {
		return "sign changes"
	}
	return r.kind
}

// handler returns the one event of a kind with a value, of somebody whom the other
// video does not show.
func (w *composition) handler(f *video, kind, value string) (seenEvent, error) {
	h, n := f.eventNamed(kind, value)
	if n != 1 || h.value != value || len(h.actors) != 1 || !h.whole {
		return h, fmt.Errorf("%q: %d events could be meant", value, n)
	}
	if w.other(f).mentions(h.actors[0]) {
		return h, fmt.Errorf("%q could be meant of the other video as well", h.actors[0])
	}
	return h, nil
}

// solveHandled solves a question for what somebody handles.
func (w *composition) solveHandled(r *solution) error {
	f, err := w.askedVideo(r)
	if err != nil {
		return err
	}
	who := r.said["who"]
	for _, o := range r.options {
		h, err := w.handler(f, r.kind, o.Text)
		switch {
		case err != nil:
			return err
		case h.actors[0] != who:
		case r.answer != "":
			return fmt.Errorf("%q and %q are both of %s", r.answer, o.Text, who)
		default:
			r.answer, r.clues = o.Text, []moment{{f, h}}
		}
	}
	r.isDetail(schemas.DetailHandled, "The other options are true of neither video.", "deed", r.target, r.kind, who, r.answer)
	return w.citeOthers(r, f, "nobody handles it")
}

// isDetail notes that a question is about a detail.
func (r *solution) isDetail(detail, why string, fact ...string) {
	r.typ, r.detail, r.why, r.fact = schemas.TypeContentRetention, detail, why, fact
}

// solveDeed solves a question for which of four deeds is one: two people and two
// things in all combinations.
func (w *composition) solveDeed(r *solution) error {
	f, err := w.askedVideo(r)
	if err != nil {
		return err
	}
	things := map[string]seenEvent{}
	people := map[string]bool{}
	for _, o := range r.options {
		h, who := f.deedSaid(o.Text)
		if who == "" {
			return fmt.Errorf("option %q: nobody and nothing of the video could be meant", o.Text)
		}
		if h, err = w.handler(f, h.kind, h.value); err != nil {
			return err
		}
		things[h.value], people[who] = h, true
		if h.actors[0] == who {
			r.answer, r.kind, r.clues = o.Text, h.kind, append(r.clues, moment{f, h})
		}
	}
	if len(r.clues) != 1 || len(people) != 2 || len(things) != 2 {
		return fmt.Errorf("%d of its options are true, of %d people and %d things", len(r.clues), len(people), len(things))
	}
	delete(things, r.clues[0].value)
	for _, h := range things {
		r.others = append(r.others, []moment{{f, h}})
	}
	r.isDetail(schemas.DetailDeed, "The other options are true of neither video.", "deed", f.id, r.kind, r.clues[0].actors[0], r.clues[0].value)
	return r.judgeOthers(func(string) (string, error) { return schemas.RoleDistractor, nil })
}

// deedSaid returns the event whose thing an option names, and the person that it names
// with it, whether that is who does it or not.
func (f *video) deedSaid(option string) (seenEvent, string) {
	for _, h := range f.events {
		for _, o := range f.events {
			if len(o.actors) == 1 && h.value != "" && deed(h.kind, o.actors[0], h.value) == option {
				return h, o.actors[0]
			}
		}
	}
	return seenEvent{}, ""
}

// solveSign solves a question for what the sign says while something happens.
func (w *composition) solveSign(r *solution) error {
	f, err := w.askedVideo(r)
	if err != nil {
		return err
	}
	m, err := w.matchOne(r)
	if err != nil || m.video != f {
		return errors.Join(err, fmt.Errorf("%q is no event of the video", r.said["clause"]))
	}
	var change seenEvent
	for _, h := range f.eventsOf("sign changes") {
		if h.end <= m.start+instant {
			change = h
		} else if h.start < m.end {
			return fmt.Errorf("the sign changes meanwhile, at %.2f seconds", h.start)
		}
	}
	if !change.whole {
		return errors.New("the sign is not seen to change before")
	}
	r.kind, r.answer, r.clues = m.kind, change.value, []moment{{f, change}, m.moment}
	r.isDetail(schemas.DetailSign, "The other options are true of neither video.", "sign", f.id, m.kind, m.value, r.answer)
	return w.citeOthers(r, f, "the sign never says it")
}

// classifyOptions finds which video the wrong options are of, and with it the
// type.
func (w *composition) classifyOptions(r *solution, f, rival *video) error {
	ofRival := 0
	err := r.judgeOthers(func(text string) (string, error) {
		var from []moment
		for _, h := range rival.eventsOf(r.kind) {
			if h.value == text && h.whole {
				from = append(from, moment{rival, h})
			}
		}
		switch {
		case f.mentions(text):
			return "", errors.New("it could be true of the video that is asked about")
		case len(from) > 0:
			ofRival++
			r.others = append(r.others, from)
			return schemas.RoleIntrusion, nil
		case w.isAbsent(text):
			return schemas.RoleUnrelated, nil
		}
		return "", errors.New("it is true of neither video, and not stated to be of neither")
	})
	if err != nil {
		return err
	}
	return w.valueType(r, ofRival)
}

// valueType returns the type of a question for what happens, of whose wrong
// options so many are of the other video.
func (w *composition) valueType(r *solution, ofRival int) error {
	r.why = "The other options are true of the other video."
	switch {
	case w.layout == layoutConcat:
		r.typ = schemas.TypeInterference
		if ofRival < len(r.options)-1 {
			r.why = "The other options are true of the other video or, one of them, of neither."
		}
		return nil
	case ofRival == len(r.options)-1:
		r.typ = schemas.TypeSourceIdentification
	case ofRival == 0:
		r.isDetail(schemas.DetailWhole, "The other options are true of neither video.", r.fact...)
	default:
		return fmt.Errorf("%d of its wrong options are of the other video and the rest of neither", ofRival)
	}
	return r.judgeOthers(func(string) (string, error) { return schemas.RoleDistractor, nil })
}

func (w *composition) solveOrder(r *solution) error {
	f, err := w.askedVideo(r)
	if err != nil {
		return err
	}
	r.typ, r.why = schemas.TypeOrderUnderstanding, "The other options are the same three in another order."
	first, err := w.eventSequence(f, r.kind, r.options[0].Text)
	if err != nil {
		return err
	}
	slices.SortStableFunc(first, func(a, b moment) int { return compareTimes(a.start, b.start) })
	var names []string
	for i, m := range first {
		if i > 0 && first[i-1].end > m.start+instant {
			return fmt.Errorf("%q begins before %q ends", m.value, first[i-1].value)
		}
		names = append(names, plainValue(r.kind, m.value))
	}
	r.answer, r.clues = strings.Join(names, ", then "), first
	r.fact = []string{"order", f.id, r.kind, r.answer}
	slices.Sort(names)
	return r.judgeOthers(func(text string) (string, error) {
		if !slices.Equal(slices.Sorted(slices.Values(strings.Split(text, ", then "))), names) {
			return "", errors.New("it lists other things")
		}
		return schemas.RoleDistractor, nil
	})
}

func compareTimes(a, b float64) int {
	if almostEqual(a, b) {
		return 0
	}
	if a < b {
		return -1
	}
	return 1
}

// eventSequence finds the events that an option lists, each of which must be
// unambiguous.
func (w *composition) eventSequence(f *video, kind, option string) ([]moment, error) {
	var out []moment
	for _, name := range strings.Split(option, ", then ") {
		var found []seenEvent
		for _, h := range f.eventsOf(kind) {
			if confusable(plainValue(kind, h.value), name) {
				found = append(found, h)
			}
		}
		if len(found) != 1 || plainValue(kind, found[0].value) != name || !found[0].whole {
			return nil, fmt.Errorf("option %q: %d things could be meant by %s", option, len(found), name)
		}
		out = append(out, moment{f, found[0]})
	}
	return out, nil
}

func plainValue(kind, value string) string {
	if kind == "sign changes" || kind == "shows" {
		return `"` + value + `"`
	}
	return value
}

// colours are the words that a sentence may leave out.
var colours = []string{"red", "blue", "yellow", "green", "orange", "purple", "pink", "white", "turquoise", "black", "brown", "grey"}

// solveGap solves a question for what a sentence leaves out.
func (w *composition) solveGap(r *solution) error {
	f, err := w.askedVideo(r)
	if err != nil {
		return err
	}
	fill := func(text string) string { return strings.Replace(r.said["clause"], hole, text, 1) }
	for _, o := range r.options {
		for _, m := range w.matchSentence(f, fill(o.Text)) {
			r.answer, r.kind, r.noun, r.clues = o.Text, m.kind, m.noun, append(r.clues, m.moment)
		}
	}
	if len(r.clues) != 1 || !r.clues[0].whole {
		return fmt.Errorf("the sentence with an option in it tells %d things that happen", len(r.clues))
	}
	detail := schemas.DetailThing
	switch {
	case slices.Contains(colours, r.answer):
		detail = schemas.DetailColour
	case r.kind == "enters" || r.kind == "leaves":
		detail = schemas.DetailGarment
	}
	r.isDetail(detail, "With the other options it is true of neither video.", "detail", f.id, r.kind, r.clues[0].value, r.answer)
	return r.judgeOthers(func(text string) (string, error) {
		if len(w.matchSentence(w.other(f), fill(text))) > 0 {
			return "", errors.New("it is true of the other video")
		}
		if slices.Contains(colours, text) != (detail == schemas.DetailColour) {
			return "", errors.New("it is of another kind than the answer")
		}
		return schemas.RoleDistractor, nil
	})
}

// match is an event that a sentence states, whatever the case of its letters.
type match struct {
	moment
	noun string
}

func (w *composition) matchSentence(f *video, sentence string) []match {
	var out []match
	for _, h := range f.events {
		if h.value == "" {
			continue
		}
		for _, noun := range w.nounsOf(h.kind) {
			if strings.EqualFold(statement(h.kind, h.value, noun), sentence) {
				out = append(out, match{moment{f, h}, noun})
			}
		}
	}
	return out
}

// solvePlace solves a question for which video something is part of, and on
// which side or in which half it is seen.
func (w *composition) solvePlace(r *solution) error {
	m, err := w.matchOne(r)
	if err != nil {
		return err
	}
	r.kind, r.noun, r.target, r.clues = m.kind, m.noun, m.video.id, []moment{m.moment}
	at, places, place := ", on the ", []string{"left", "right"}, w.sideOf(m.moment)
	r.typ = schemas.TypeSpatialGrounding
	if w.layout == layoutInterleaved {
		at, places, place = ", in the ", []string{"first half", "second half"}, w.halfOf(m.moment)
		r.typ = schemas.TypeTemporalGrounding
	}
	if place == "" {
		return errors.New("it is not seen in one place")
	}
	r.fact = []string{"place", r.target, r.kind, m.value, place}
	possible := map[string]bool{}
	for _, id := range w.names {
		name, err := w.videoName(w.videos[id])
		if err != nil {
			return err
		}
		for _, p := range places {
			possible[name+at+p] = true
		}
		if w.videos[id] == m.video {
			r.answer = name + at + place
		}
	}
	return r.judgeOthers(oneOf(possible))
}

// matchOne returns the one event, in one of the videos, that a question states.
func (w *composition) matchOne(r *solution) (match, error) {
	var found []match
	for _, id := range w.names {
		for _, h := range w.videos[id].events {
			for _, noun := range w.nounsOf(h.kind) {
				if h.value != "" && r.says(h.kind, h.value, noun) {
					found = append(found, match{moment{w.videos[id], h}, noun})
				}
			}
		}
	}
	if len(found) != 1 || !found[0].whole {
		return match{}, fmt.Errorf("%d things happen that it could mean", len(found))
	}
	m := found[0]
	for _, h := range w.other(m.video).eventsOf(m.kind) {
		if confusable(h.value, m.value) {
			return match{}, fmt.Errorf("%q could be meant of the other video as well", m.value)
		}
	}
	return m, nil
}

func oneOf(possible map[string]bool) func(string) (string, error) {
	return func(text string) (string, error) {
		if !possible[text] {
			return "", errors.New("it names no video and place")
		}
		return schemas.RoleDistractor, nil
	}
}

// sideOf returns the side of the picture on which all of a moment is seen, or
// "" where it changes.
func (w *composition) sideOf(m moment) string {
	side := ""
	for _, s := range w.spans(m) {
		first, last := int64(s.start*w.fps+1e-4), int64(s.end*w.fps-1e-4)
		here := s.region
		for _, swap := range w.swaps {
			if first < swap && swap <= last {
				return ""
			}
			if first >= swap {
				here = map[string]string{"left": "right", "right": "left"}[here]
			}
		}
		if side != "" && side != here {
			return ""
		}
		side = here
	}
	return side
}

// halfOf returns the half of the whole in which all of a moment is seen, or "".
func (w *composition) halfOf(m moment) string {
	half, middle := "", float64(w.frames)/w.fps/2
	for _, s := range w.spans(m) {
		here := ""
		switch {
		case s.end <= middle+instant:
			here = "first half"
		case s.start >= middle-instant:
			here = "second half"
		}
		if here == "" || half != "" && half != here {
			return ""
		}
		half = here
	}
	return half
}

func (w *composition) solveWhich(r *solution) error {
	a, b := w.videos["A"], w.videos["B"]
	possible := map[string]bool{"in both videos": true, "in neither video": true}
	var only [2]string
	for i, f := range []*video{a, b} {
		name, err := w.videoName(f)
		if err != nil {
			return err
		}
		only[i] = "only in " + name
		possible[only[i]] = true
	}
	inA, inB := w.matchQuestion(a, r), w.matchQuestion(b, r)
	switch {
	case len(inA)+len(inB) == 0:
		if err := w.findLure(r); err != nil {
			return err
		}
		r.typ, r.target, r.answer, r.why = schemas.TypeFalseMemory, schemas.TargetNeither, "in neither video", "It happens in neither video."
		return r.judgeOthers(oneOf(possible))
	case len(inA) > 1 || len(inB) > 1:
		return fmt.Errorf("it could mean %d things in one video", max(len(inA), len(inB)))
	case len(inA) == 1 && len(inB) == 1:
		r.target, r.answer, r.clues = schemas.TargetBoth, "in both videos", []moment{inA[0].moment, inB[0].moment}
		r.kind, r.noun = inA[0].kind, inA[0].noun
	default:
		one := append(inA, inB...)[0]
		r.target, r.clues, r.kind, r.noun = one.video.id, []moment{one.moment}, one.kind, one.noun
		r.answer = only[map[string]int{"A": 0, "B": 1}[one.video.id]]
	}
	r.typ = schemas.TypeSourceMemory
	r.fact = []string{"happens", r.target, r.kind, r.clues[0].value}
	for _, m := range r.clues {
		if !m.whole {
			return fmt.Errorf("%q is not seen to its end", m.value)
		}
	}
	return r.judgeOthers(oneOf(possible))
}

// matchQuestion lists what in a video a question could mean: what is asked in
// its words, and what has the same value in other words.
func (w *composition) matchQuestion(f *video, r *solution) []match {
	var meant []seenEvent
	nouns := map[string]string{}
	for _, id := range w.names {
		for _, h := range w.videos[id].events {
			for _, noun := range w.nounsOf(h.kind) {
				if h.value != "" && r.says(h.kind, h.value, noun) {
					meant = append(meant, h)
					nouns[h.kind] = noun
				}
			}
		}
	}
	var out []match
	for _, h := range f.events {
		for _, m := range meant {
			if h.kind == m.kind && confusable(h.value, m.value) && h.value != "" {
				out = append(out, match{moment{f, h}, nouns[h.kind]})
				break
			}
		}
	}
	return out
}

// findLure finds what a question asks about though it never happens: the tables
// must state it of both videos.
func (w *composition) findLure(r *solution) error {
	for _, value := range w.videos["A"].labelValues(schemas.AttributeAbsent) {
		for _, kind := range kinds {
			for _, noun := range w.nounsOf(kind) {
				if r.says(kind, value, noun) && w.isAbsent(value) {
					r.kind, r.noun, r.fact = kind, noun, []string{"happens", schemas.TargetNeither, kind, value}
					return nil
				}
			}
		}
	}
	return errors.New("it happens in neither video, and nothing states that")
}

// nounsOf returns the words by which a kind of event may be told: the nouns that the
// tables state for what is shown, and none for the rest.
func (w *composition) nounsOf(kind string) []string {
	return slices.DeleteFunc(w.statedNouns(), func(noun string) bool { return (noun == "") == (kind == "shows") })
}
