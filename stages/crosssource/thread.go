package crosssource

import (
	"cmp"
	"slices"
	"strings"

	"github.com/memforge/memforge/stages/crosssource/basetalk"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// writeThread is a piece in a chat: what leads up to it, its announcement, the piece and
// what others say, none of whom tells what is in it.
func (w *writer) writeThread(v *basetalk.Voice, s placement.Slot) error {
	named := w.peopleNamed(*s.Piece)
	who := cmp.Or(s.Piece.Speaker, v.Other(append(named, w.last)...))
	if s.Rule == "quote" && slices.Contains(named, who) {
		s.Rule = "quoted"
	}
	from := len(w.session.Turns)
	given := w.scope.Rand("given", s.Name).IntN(2) == 0
	for i := range s.Before {
		speaker, rule := who, "before"
		if i < s.Before-1 || s.Before == 1 && given { // somebody gives the word to who has something
			speaker, rule, w.last = v.Other(who), "prompt", who
		} else if i > 0 {
			rule = "ready"
		}
		if err := w.addAround(v, s, rule, speaker); err != nil {
			return err
		}
	}
	if err := w.announce(v, s, who); err != nil {
		return err
	}
	w.writePiece(s, who)
	at := len(w.session.Turns) - len(s.Piece.Parts)
	if err := w.addAnswers(v, s, who); err != nil {
		return err
	}
	w.noteAround(from, at, at+len(s.Piece.Parts))
	return nil
}

// announce says what a piece is, in a turn before it or in the place of its bare name.
func (w *writer) announce(v *basetalk.Voice, s placement.Slot, who string) error {
	switch s.Rule {
	case "":
		return nil
	case "inline":
		text, err := v.Scaffold(s.Rule, who, w.last, s.Piece.Handle)
		if err == nil {
			s.Piece.Parts[0].Text = text
		}
		return err
	}
	return w.addAround(v, s, s.Rule, who)
}

// peopleNamed are who of a chat a piece speaks of by name: they do not say it of themselves where
// others can.
func (w *writer) peopleNamed(p placement.Piece) (out []string) {
	for _, who := range w.session.Participants {
		if slices.ContainsFunc(p.Parts, func(x placement.Part) bool { return strings.Contains(x.Text, who) }) {
			out = append(out, who)
		}
	}
	return out
}

// addAnswers adds what others say to who shared a piece, or said what only they can say; who
// did has the next word where nobody else is there.
func (w *writer) addAnswers(v *basetalk.Voice, s placement.Slot, who string) error {
	replied := ""
	for range s.Trail {
		speaker, rule := v.Other(replied, who), "after"
		switch {
		case speaker == who:
			rule = "welcome"
		case s.Piece.Taste && s.Piece.Speaker != "":
			rule = "heard"
		}
		if speaker != who {
			w.last = who
		}
		if err := w.addAround(v, s, rule, speaker); err != nil {
			return err
		}
		replied = speaker
	}
	return nil
}

// addAround adds what somebody says beside a piece.
func (w *writer) addAround(v *basetalk.Voice, s placement.Slot, rule, speaker string) error {
	text, err := v.Scaffold(rule, speaker, w.last, s.Piece.Handle)
	if err == nil {
		w.addLine(basetalk.Line{Speaker: speaker, Text: text})
	}
	return err
}

// noteAround notes what is said around the last piece, whose own turns are [at, end).
func (w *writer) noteAround(from, at, end int) {
	spot := &w.positions[len(w.positions)-1]
	for n, t := range w.session.Turns[from:] {
		if from+n < at || from+n >= end {
			spot.Around = append(spot.Around, t.Text)
		}
	}
}
