package oracle

import (
	"errors"
	"fmt"

	"github.com/memforge/memforge/schemas"
)

// solvePlace judges a question for which video something is part of, and on which
// side or in which half it is seen.
func (w *composition) solvePlace(r *solution) error {
	m, err := w.matchOne(r.said)
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

// matchOne is what a sentence tells: one thing in one of the films.
func (w *composition) matchOne(said string) (match, error) {
	var found []match
	for _, id := range w.names {
		for _, m := range w.matchSentence(w.videos[id], said) {
			if capitalise(statement(m.kind, m.value, m.noun)) == said {
				found = append(found, m)
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

// oneOf wants options that are one of those possible.
func oneOf(possible map[string]bool) func(string) (string, error) {
	return func(text string) (string, error) {
		if !possible[text] {
			return "", errors.New("it names no video and place")
		}
		return schemas.RoleDistractor, nil
	}
}

// sideOf is the side of the picture on which all of a moment is seen, empty where
// it changes.
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

// halfOf is the half of the whole in which all of a moment is seen.
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

// solveWhich judges a question for the videos in which something happens.
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
	inA, inB := w.matchQuestion(a, r.said), w.matchQuestion(b, r.said)
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
	for _, m := range r.clues {
		if !m.whole {
			return fmt.Errorf("%q is not seen to its end", m.value)
		}
	}
	return r.judgeOthers(oneOf(possible))
}

// matchQuestion lists what in a film a question could mean: what is asked in its
// words, and what has the same value in other words.
func (w *composition) matchQuestion(f *video, said string) []match {
	var meant []seenEvent
	nouns := map[string]string{}
	for _, id := range w.names {
		for _, h := range w.videos[id].events {
			for _, noun := range w.statedNouns() {
				if h.value != "" && (noun == "") == (h.kind != "shows") && askWhether(h.kind, h.value, noun) == said {
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

// findLure finds what a question asks about though it never happens: the tables must
// state it of both videos.
func (w *composition) findLure(r *solution) error {
	for _, value := range w.videos["A"].labelValues(schemas.AttributeAbsent) {
		for _, p := range phrases {
			for _, noun := range w.statedNouns() {
				if (noun == "") == (p.kind != "shows") && askWhether(p.kind, value, noun) == r.said && w.isAbsent(value) {
					r.kind, r.noun = p.kind, noun
					return nil
				}
			}
		}
	}
	return errors.New("it happens in neither video, and nothing states that")
}
