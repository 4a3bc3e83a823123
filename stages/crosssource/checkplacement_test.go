package crosssource_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource"
)

// stated is a question with what a release says of its task.
type stated struct {
	q          schemas.Question
	sessions   []schemas.Session
	exhibits   []crosssource.RenderedPicture
	placements []crosssource.Placement
	// twin is the question that asks the same in the other arrangement, where one does.
	twin []schemas.Question
}

// derive works a question out again from what is stated.
func (s stated) derive(t *testing.T, b built) (schemas.Question, error) {
	t.Helper()
	r := pipeline.NewRegistry()
	crosssource.Register(r)
	d, ok := r.Derivation("crosssource")
	if !ok {
		t.Fatal("the family works nothing out again")
	}
	at := slices.IndexFunc(b.tasks, func(x schemas.Task) bool { return x.TaskID == s.q.TaskID })
	p := pipeline.Premises{Task: b.tasks[at], Records: map[string][]pipeline.Record{}, Related: s.twin}
	add := func(schema, id string, v any) {
		rec, err := pipeline.NewRecord(schema, id, v)
		if err != nil {
			t.Fatal(err)
		}
		p.Records[schema] = append(p.Records[schema], rec)
	}
	for _, x := range s.sessions {
		add(schemas.NameSession, x.SessionID, x)
	}
	for _, x := range s.exhibits {
		add("crosssource.exhibit", "exhibit-"+x.MediaID, x)
	}
	for i, x := range s.placements {
		add("crosssource.placement", x.PlacementID+strings.Repeat("+", i), x)
	}
	var err error
	if p.Prepared, err = d.Prepare(p); err != nil {
		return schemas.Question{}, err
	}
	out, err := d.Question(s.q, p)
	return out.Item, err
}

// statedOf is a question as the family states it, to be changed.
func statedOf(t *testing.T, b built, q schemas.Question) stated {
	t.Helper()
	out := stated{q: clone(t, q)}
	for _, s := range b.of(q.TaskID, "") {
		s.Turns, s.Participants = slices.Clone(s.Turns), slices.Clone(s.Participants)
		for i := range s.Turns {
			s.Turns[i].Attachments = slices.Clone(s.Turns[i].Attachments)
		}
		out.sessions = append(out.sessions, s)
	}
	for _, x := range b.exhibits {
		out.exhibits = append(out.exhibits, x)
	}
	for _, o := range b.questions {
		if o.Labels["twin"] == q.Labels["twin"] && o.TaskID != q.TaskID {
			out.twin = append(out.twin, clone(t, o))
		}
	}
	for _, p := range b.placements {
		if p.TaskID == q.TaskID {
			out.placements = append(out.placements, clone(t, p))
		}
	}
	return out
}

// own is the placement of the question.
func (s *stated) own() *crosssource.Placement {
	at := slices.IndexFunc(s.placements, func(p crosssource.Placement) bool { return p.QuestionID == s.q.QuestionID })
	return &s.placements[at]
}

// TestStatedQuestionsFollow: every question follows from its sources and its placement,
// with the fact that it is of and its twin.
func TestStatedQuestionsFollow(t *testing.T) {
	t.Parallel()
	b := family(t, 1)
	for _, q := range b.questions {
		got, err := statedOf(t, b, q).derive(t, b)
		if err != nil || !reflect.DeepEqual(clone(t, got), clone(t, q)) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", q.QuestionID, err, got, q)
		}
	}
}

// TestForgersOfPlacementsAreFound: whoever changes a label, a tool or what a placement
// says, and restates every digest, states what does not follow.
func TestForgersOfPlacementsAreFound(t *testing.T) {
	t.Parallel()
	b := family(t, 1)
	find := func(ok func(q schemas.Question, p crosssource.Placement) bool) stated {
		for _, q := range b.questions {
			s := statedOf(t, b, q)
			if ok(s.q, *s.own()) {
				return s
			}
		}
		t.Fatal("no question is fit to be forged")
		return stated{}
	}
	any := func(schemas.Question, crosssource.Placement) bool { return true }
	call := func(q schemas.Question, _ crosssource.Placement) bool { return len(q.Tools) > 0 }
	wanted := func(_ schemas.Question, p crosssource.Placement) bool {
		return slices.ContainsFunc(p.Pieces, func(u crosssource.PlacedPiece) bool { return u.Wanted != "" })
	}
	said := func(_ schemas.Question, p crosssource.Placement) bool { return slices.ContainsFunc(p.Pieces, chats) }
	revised := func(_ schemas.Question, p crosssource.Placement) bool {
		return slices.ContainsFunc(p.Pieces, updatePiece) && slices.ContainsFunc(p.Pieces, clues)
	}
	for name, c := range map[string]struct {
		of    func(schemas.Question, crosssource.Placement) bool
		forge func(*stated)
	}{
		"fact": {any, func(s *stated) { s.q.Labels[schemas.LabelFact] = "worlds/elsewhere/001" }},
		"twin": {any, func(s *stated) { s.q.Labels["twin"] += "1" }},
		"id":   {any, func(s *stated) { p := s.own(); s.q.QuestionID += "0"; p.QuestionID = s.q.QuestionID }},
		"fact everywhere": {any, func(s *stated) {
			s.own().ItemID = "worlds/elsewhere/001"
			s.q.Labels[schemas.LabelFact] = "worlds/elsewhere/001"
		}},
		"tool added":      {call, func(s *stated) { s.q.Tools = append(s.q.Tools, s.q.Tools[0]) }},
		"tool taken away": {call, func(s *stated) { s.q.Tools = s.q.Tools[:3] }},
		"tool renamed":    {call, func(s *stated) { s.q.Tools[0].Name = "other"; s.q.Tools[1].Name = "another" }},
		"tool told of":    {call, func(s *stated) { s.q.Tools[0].Description, s.q.Tools[1].Description = "Does it.", "Does it as well." }},
		"parameter dropped": {call, func(s *stated) {
			s.q.Tools[0].Parameters, s.q.Tools[3].Parameters = `{"type":"object"}`, `{"type":"object"}`
		}},
		"no placement":      {any, func(s *stated) { *s.own() = s.placements[len(s.placements)-1]; s.placements = s.placements[:0] }},
		"two placements":    {any, func(s *stated) { s.placements = append(s.placements, *s.own()) }},
		"answer":            {any, func(s *stated) { s.own().Answer = []string{"nothing"} }},
		"task":              {any, func(s *stated) { s.own().Task = "other" }},
		"arrangement":       {any, func(s *stated) { s.own().Arrangement = "other" }},
		"placement id":      {any, func(s *stated) { s.own().PlacementID += "0" }},
		"piece taken away":  {any, func(s *stated) { p := s.own(); p.Pieces = p.Pieces[1:] }},
		"piece twice":       {any, func(s *stated) { p := s.own(); p.Pieces[1].UnitID = p.Pieces[0].UnitID }},
		"unit of another":   {any, func(s *stated) { s.own().Pieces[0].UnitID = "worlds/elsewhere/001/E01" }},
		"role":              {any, func(s *stated) { s.own().Pieces[0].Role = "other" }},
		"source":            {any, func(s *stated) { s.own().Pieces[0].SessionID += "0" }},
		"kind":              {any, func(s *stated) { s.own().Pieces[0].Kind = "other" }},
		"participants":      {any, func(s *stated) { s.own().Pieces[0].Participants = []string{"Nobody"} }},
		"speaker":           {any, func(s *stated) { s.own().Pieces[0].Speaker = "Nobody" }},
		"handle":            {any, func(s *stated) { s.own().Pieces[0].Handle = "Fig. 00000000" }},
		"named":             {any, func(s *stated) { s.own().Pieces[0].Named = []string{"Fig. 00000000"} }},
		"turn's place":      {any, func(s *stated) { s.own().Pieces[0].Turns[0].Position++ }},
		"turn's time":       {any, func(s *stated) { s.own().Pieces[0].Turns[0].Timestamp = "2030-01-01T00:00:00Z" }},
		"turn's text":       {any, func(s *stated) { s.own().Pieces[0].Turns[0].Text = "nothing" }},
		"turn's order":      {any, func(s *stated) { s.own().Pieces[0].Turns[0].Order++ }},
		"picture":           {any, func(s *stated) { s.own().Pieces[0].Turns[0].Media = "none" }},
		"around taken away": {said, func(s *stated) { piece(s.own(), chats).Around = []string{} }},
		"around reworded":   {said, func(s *stated) { piece(s.own(), chats).Around[0] = "Nothing." }},
		"update of nothing": {revised, func(s *stated) { piece(s.own(), updatePiece).Revises = []string{} }},
		"nobody's to say": {wanted, func(s *stated) {
			piece(s.own(), func(u crosssource.PlacedPiece) bool { return u.Wanted != "" }).Wanted = ""
		}},
		"somebody's to say": {any, func(s *stated) { s.own().Pieces[0].Wanted = "Nobody" }},
		"form":              {any, func(s *stated) { s.own().Pieces[0].Modality = "other" }},
		"clue that revises": {revised, func(s *stated) { piece(s.own(), clues).Revises = []string{"x"} }},
		"source as it is not": {any, func(s *stated) {
			e := s.q.Evidence[0]
			for i := range s.sessions {
				for n := range s.sessions[i].Turns {
					if t := &s.sessions[i].Turns[n]; t.TurnID == e.Ref {
						t.Position += 100_000
					}
				}
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			s := find(c.of)
			c.forge(&s)
			if got, err := s.derive(t, b); err == nil && reflect.DeepEqual(clone(t, got), clone(t, s.q)) {
				t.Errorf("it is not found: %+v", s.q)
			}
		})
	}
}

func updatePiece(u crosssource.PlacedPiece) bool { return u.Role == schemas.RoleUpdate }

func clues(u crosssource.PlacedPiece) bool { return u.Role == schemas.RoleClue }
