package crosssource_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/pipeline/testkit/testsize"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
	"github.com/memforge/memforge/stages/crosssource/basetalk"
)

// TestForgersOfFramesAreFound: a placement has all that is said around a piece and no more,
// all turns of the piece and no more, and the first units of its item.
func TestForgersOfFramesAreFound(t *testing.T) {
	t.Parallel()
	f, err := basetalk.Framed()
	if err != nil {
		t.Fatal(err)
	}
	b := family(t, 0)
	prompted := func(u crosssource.PlacedPiece) bool { return chats(u) && len(u.Around) > 1 && f.Leads(u.Around[1]) }
	twice := func(u crosssource.PlacedPiece) bool {
		return chats(u) && len(u.Around) > 1 && f.Answers(u.Around[len(u.Around)-2])
	}
	inPaper := func(u crosssource.PlacedPiece) bool { return u.Kind == schemas.KindDocument }
	for name, c := range map[string]struct {
		of    func(crosssource.PlacedPiece) bool
		forge func(*stated, *crosssource.PlacedPiece)
	}{
		"begins later":   {prompted, func(_ *stated, u *crosssource.PlacedPiece) { u.Around = u.Around[1:] }},
		"ends earlier":   {twice, func(_ *stated, u *crosssource.PlacedPiece) { u.Around = u.Around[:len(u.Around)-1] }},
		"begins earlier": {chats, func(s *stated, u *crosssource.PlacedPiece) { wider(s, u, true) }},
		"ends later":     {chats, func(s *stated, u *crosssource.PlacedPiece) { wider(s, u, false) }},
		"a turn more":    {inPaper, longer},
		"another unit": {func(crosssource.PlacedPiece) bool { return true }, func(_ *stated, u *crosssource.PlacedPiece) {
			u.UnitID = u.UnitID[:len(u.UnitID)-2] + "99"
		}},
	} {
		t.Run(name, func(t *testing.T) {
			n := 0
			for _, q := range forged(b) {
				s := statedOf(t, b, q)
				at := slices.IndexFunc(s.own().Pieces, c.of)
				if at < 0 || n >= testsize.Choose(4, 12) {
					continue
				}
				n++
				c.forge(&s, &s.own().Pieces[at])
				if got, err := s.derive(t, b); err == nil && reflect.DeepEqual(clone(t, got), clone(t, s.q)) {
					t.Errorf("it is not found: %+v", s.own().Pieces[at])
				}
			}
			if n == 0 {
				t.Error("no piece is fit to be forged")
			}
		})
	}
}

// forged are the questions that tests forge one by one: all at full size, else those of
// the tasks whose evidence is spread. The other tasks ask the same of the same items.
func forged(b built) []schemas.Question {
	if testsize.Full() {
		return b.questions
	}
	return slices.DeleteFunc(slices.Clone(b.questions), func(q schemas.Question) bool { return q.Labels["arrangement"] != "distributed" })
}

// placeOf is where a piece begins among the turns of its source.
func placeOf(s *stated, u *crosssource.PlacedPiece) (turns []schemas.Turn, first int) {
	at := slices.IndexFunc(s.sessions, func(x schemas.Session) bool { return x.SessionID == u.SessionID })
	turns = s.sessions[at].Turns
	return turns, slices.IndexFunc(turns, func(x schemas.Turn) bool { return x.TurnID == u.Turns[0].TurnID })
}

// wider adds the turn before, or after, what is said around a piece.
func wider(s *stated, u *crosssource.PlacedPiece, before bool) {
	turns, first := placeOf(s, u)
	from := first
	for n := 0; n < len(u.Around) && from > 0 && slices.Contains(u.Around, turns[from-1].Text); n++ {
		from--
	}
	if before {
		u.Around = append([]string{turns[from-1].Text}, u.Around...)
		return
	}
	u.Around = append(u.Around, turns[from+len(u.Around)+len(u.Turns)].Text)
}

// longer gives a piece the turn after it, or the one before where it is the last.
func longer(s *stated, u *crosssource.PlacedPiece) {
	turns, first := placeOf(s, u)
	at := first + len(u.Turns)
	if at == len(turns) {
		at = first - 1
	}
	t := turns[at]
	u.Turns = append(u.Turns, crosssource.PlacedTurn{TurnID: t.TurnID, Order: t.Order, Position: t.Position, Timestamp: t.Timestamp, Text: t.Text})
}

// TestTwinsAreMisledAlike: what one of two twins cites beside its evidence and the other
// does not is found, also where each citation by itself could be so.
func TestTwinsAreMisledAlike(t *testing.T) {
	t.Parallel()
	b := family(t, 3)
	told := func(u schemas.Turn) bool {
		return slices.ContainsFunc(b.questions, func(q schemas.Question) bool {
			return slices.ContainsFunc(q.Evidence, func(e schemas.Evidence) bool { return e.Ref == u.TurnID && e.Modality == schemas.ModalityText })
		})
	}
	could := map[string]int{}
	check := func(name string, s stated) {
		twin := s.twin
		s.twin = nil
		if got, err := s.derive(t, b); err != nil || !reflect.DeepEqual(clone(t, got), clone(t, s.q)) {
			return
		}
		could[name]++
		s.twin = twin
		if _, err := s.derive(t, b); err == nil {
			t.Errorf("%s: %s is not found", s.q.QuestionID, name)
		}
	}
	for _, q := range forged(b) {
		if min(could["a text of another item"], could["a thing less"]) >= testsize.Choose(2, 8) {
			break
		}
		for n := range testsize.Choose(8, 12) {
			s := statedOf(t, b, q)
			if citesNth(&s, told, n) {
				check("a text of another item", s)
			}
		}
		if s := statedOf(t, b, q); len(s.own().Misleading) > 3 {
			n := len(s.own().Pieces) + len(s.own().Misleading)
			without(&s, schemas.UnitIDOf(s.own().ItemID, n), schemas.UnitIDOf(s.own().ItemID, n-1))
			check("a thing less", s)
		}
	}
	if could["a text of another item"] == 0 || could["a thing less"] == 0 {
		t.Errorf("nothing could be so by itself: %v", could)
	}
	t.Log(could)
}
