package crosssource_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
)

// TestWhatMisleadsIsCited: each text of an item that its answer does not rest on stands in
// the evidence of its question as a distractor, and no picture or table does; in both
// arrangements the same.
func TestWhatMisleadsIsCited(t *testing.T) {
	t.Parallel()
	b := family(t, 1)
	cited := map[string]int{}
	for _, q := range b.questions {
		at := slices.IndexFunc(b.items, func(i schemas.EvidenceItem) bool { return i.ItemID == q.Labels[schemas.LabelFact] })
		var want, got []string
		for _, u := range b.items[at].Units {
			if u.Role == schemas.RoleDistractor && u.Text != "" {
				want = append(want, u.Text)
			}
		}
		for _, e := range q.Evidence {
			if e.Role == schemas.RoleDistractor {
				cited[q.Labels["task"]]++
				got = append(got, unquoted(e.Text))
			}
			if e.Role == schemas.RoleDistractor && (e.Media != "" || e.Kind != schemas.EvidenceTurn || e.Modality != schemas.ModalityText) {
				t.Errorf("%s: %+v is cited as a text", q.QuestionID, e)
			}
		}
		slices.Sort(want)
		if slices.Sort(got); !slices.Equal(got, want) {
			t.Errorf("%s cites %q beside its evidence, want %q", q.QuestionID, got, want)
		}
	}
	for _, task := range []string{schemas.TaskMultiHop, schemas.TaskConflict, schemas.TaskPreference, schemas.TaskFunctionCall} {
		if cited[task] == 0 {
			t.Errorf("nothing is cited beside the evidence of %s", task)
		}
	}
	if cited[schemas.TaskSingleHop] > 0 {
		t.Errorf("%d texts are cited beside single hops, which have none", cited[schemas.TaskSingleHop])
	}
}

// unquoted are the words of a quoted turn without who says them.
func unquoted(line string) string {
	for i := range line {
		if i > 1 && line[i-2:i] == ": " {
			return line[i:]
		}
	}
	return line
}

// TestForgersOfWhatMisleadsAreFound: whoever changes what a question cites as leading to
// wrong answers, or what its placement says of that, states what does not follow.
func TestForgersOfWhatMisleadsAreFound(t *testing.T) {
	t.Parallel()
	b := family(t, 2)
	misleading := func(e schemas.Evidence) bool { return e.Role == schemas.RoleDistractor }
	find := func() stated {
		for _, q := range b.questions {
			if s := statedOf(t, b, q); q.Labels["conflict"] == "time" && len(s.own().Misleading) > 3 {
				return s
			}
		}
		t.Fatal("no question is fit to be forged")
		return stated{}
	}
	for name, forge := range map[string]func(*stated){
		"text taken away":   func(s *stated) { s.own().Misleading = s.own().Misleading[1:] },
		"text twice":        func(s *stated) { p := s.own(); p.Misleading[1].UnitID = p.Misleading[0].UnitID },
		"piece's unit":      func(s *stated) { p := s.own(); p.Misleading[1].UnitID = p.Pieces[0].UnitID },
		"unit that is none": func(s *stated) { p := s.own(); p.Misleading[0].UnitID = p.ItemID + "/E99" },
		"unit of another":   func(s *stated) { s.own().Misleading[0].UnitID = "worlds/elsewhere/001/E09" },
		"source":            func(s *stated) { s.own().Misleading[0].SessionID += "0" },
		"speaker":           func(s *stated) { s.own().Misleading[0].Speaker = "Nobody" },
		"update no longer":  func(s *stated) { takes(s).Revises = nil },
		"update of another": func(s *stated) { takes(s).Revises = []string{s.own().Pieces[1].UnitID} },
		"fact as update":    func(s *stated) { p := s.own(); p.Misleading[0].Revises = []string{p.Misleading[1].UnitID} },
		"no turn":           func(s *stated) { s.own().Misleading[0].Turns = nil },
		"turn's text":       func(s *stated) { s.own().Misleading[0].Turns[0].Text = "nothing" },
		"turn's place":      func(s *stated) { s.own().Misleading[0].Turns[0].Position++ },
		"order":             func(s *stated) { p := s.own(); slices.Reverse(p.Misleading) },
		"half of a thing":   func(s *stated) { without(s, s.own().Misleading[0].UnitID) },
		"evidence's text":   func(s *stated) { s.q.Evidence[slices.IndexFunc(s.q.Evidence, misleading)].Text += "." },
		"evidence's order":  func(s *stated) { s.q.Evidence[slices.IndexFunc(s.q.Evidence, misleading)].Order++ },
		"nothing beside": func(s *stated) {
			var all []string
			for _, o := range s.own().Misleading {
				all = append(all, o.UnitID)
			}
			without(s, all...)
		},
		"clue as distractor": func(s *stated) { s.q.Evidence[slices.IndexFunc(s.q.Evidence, clue)].Role = schemas.RoleDistractor },
		"text of another item": func(s *stated) {
			cite(s, func(u schemas.Turn) bool {
				return slices.ContainsFunc(b.questions, func(q schemas.Question) bool {
					return q.Labels["task"] == schemas.TaskMultiHop && slices.ContainsFunc(q.Evidence, func(e schemas.Evidence) bool {
						return e.Ref == u.TurnID && clue(e) && e.Modality == schemas.ModalityText
					})
				})
			})
		},
		"small talk": func(s *stated) { cite(s, func(u schemas.Turn) bool { return len(u.Attachments) == 0 }) },
		"picture":    func(s *stated) { cite(s, func(u schemas.Turn) bool { return len(u.Attachments) > 0 }) },
	} {
		t.Run(name, func(t *testing.T) {
			s := find()
			forge(&s)
			if got, err := s.derive(t, b); err == nil && reflect.DeepEqual(clone(t, got), clone(t, s.q)) {
				t.Errorf("it is not found: %+v", s.q)
			}
		})
	}
}

// takes is the first text that takes the place of another.
func takes(s *stated) *crosssource.MisleadingText {
	p := s.own()
	return &p.Misleading[slices.IndexFunc(p.Misleading, func(o crosssource.MisleadingText) bool { return len(o.Revises) > 0 })]
}

// without takes texts away in a question and in its placement.
func without(s *stated, units ...string) {
	p := s.own()
	for _, o := range p.Misleading {
		if slices.Contains(units, o.UnitID) {
			s.q.Evidence = slices.DeleteFunc(s.q.Evidence, func(e schemas.Evidence) bool { return e.Ref == o.Turns[0].TurnID })
		}
	}
	p.Misleading = slices.DeleteFunc(p.Misleading, func(o crosssource.MisleadingText) bool { return slices.Contains(units, o.UnitID) })
	for i := range s.q.Evidence {
		s.q.Evidence[i].Order = int32(i + 1)
	}
}

func clue(e schemas.Evidence) bool { return e.Role == schemas.RoleClue }

// cite adds a turn of the first kind that nothing cites yet to what misleads.
func cite(s *stated, is func(schemas.Turn) bool) { citesNth(s, is, 0) }

// citesNth adds the n-th turn of those of a kind that nothing cites yet to what misleads, in
// the question and in its placement, as the next unit of the item.
func citesNth(s *stated, is func(schemas.Turn) bool, n int) bool {
	for _, session := range s.sessions {
		for _, u := range session.Turns {
			if !is(u) || slices.ContainsFunc(s.q.Evidence, func(e schemas.Evidence) bool { return e.Ref == u.TurnID }) {
				continue
			}
			if n--; n < 0 {
				citing(s, u)
				return true
			}
		}
	}
	return false
}

func citing(s *stated, u schemas.Turn) {
	p := s.own()
	p.Misleading = append(p.Misleading, crosssource.MisleadingText{
		UnitID: schemas.UnitIDOf(p.ItemID, len(p.Pieces)+len(p.Misleading)+1), SessionID: u.SessionID, Speaker: u.Speaker,
		Turns: []crosssource.PlacedTurn{{TurnID: u.TurnID, Order: u.Order, Position: u.Position, Timestamp: u.Timestamp, Text: u.Text}},
	})
	s.q.Evidence = append(s.q.Evidence, schemas.Evidence{
		Kind: schemas.EvidenceTurn, Ref: u.TurnID, Role: schemas.RoleDistractor, SessionID: u.SessionID, Modality: schemas.ModalityText, Text: schemas.QuoteTurns("", u),
	})
	at := map[string]int64{}
	for _, other := range s.sessions {
		for _, v := range other.Turns {
			at[v.TurnID] = v.Position
		}
	}
	slices.SortFunc(p.Misleading, func(a, b crosssource.MisleadingText) int { return int(a.Turns[0].Position - b.Turns[0].Position) })
	slices.SortFunc(s.q.Evidence, func(a, b schemas.Evidence) int { return int(at[a.Ref] - at[b.Ref]) })
	for i := range s.q.Evidence {
		s.q.Evidence[i].Order = int32(i + 1)
	}
}
