package crosssource

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/replay"
	"github.com/memforge/memforge/stages/crosssource/worlds"
)

// holdPlacement wants a question's row of crosssource_placements to say what its
// sources say: which pieces, where, when and by whom, and what is said beside them. It
// gives the item that the row is of.
func holdPlacement(q schemas.Question, r replay.Result, p pipeline.Premises, arrangement string) (string, error) {
	row, err := placementOf(q.QuestionID, p)
	if err != nil {
		return "", err
	}
	batch := strings.TrimSuffix(strings.TrimPrefix(p.Task.TaskID, family+"/"), "-"+concentrated)
	number, ok := strings.CutPrefix(row.ItemID, dataset+"/"+batch+"/")
	switch {
	case !ok || !threeDigits.MatchString(number):
		return "", fmt.Errorf("its placement is of the item %q, which is none of %s/%s", row.ItemID, dataset, batch)
	case row.PlacementID != q.QuestionID+"/placement" || row.QuestionID != questionID(p.Task.TaskID, row.ItemID):
		return "", fmt.Errorf("its placement %s of item %s has not the names of question %s", row.PlacementID, row.ItemID, q.QuestionID)
	case row.Task != r.Task || row.Arrangement != arrangement || !slices.Equal(row.Answer, tells(q)):
		return "", fmt.Errorf("its placement is of a task %s, %s, with the answer %q", row.Task, row.Arrangement, row.Answer)
	case len(row.Pieces) != len(r.Evidence):
		return "", fmt.Errorf("its placement has %d pieces, and it rests on %d", len(row.Pieces), len(r.Evidence))
	}
	sessions, err := sessionsIn(p)
	if err != nil {
		return "", err
	}
	for i, piece := range row.Pieces {
		if err := holdPiece(row.ItemID, piece, r.Evidence[i], sessions); err != nil {
			return "", fmt.Errorf("piece %s of its placement: %w", piece.UnitID, err)
		}
	}
	return row.ItemID, holdUpdates(row.Pieces)
}

var threeDigits = regexp.MustCompile(`^\d{3}$`)

// placementOf is the one placement of a question.
func placementOf(id string, p pipeline.Premises) (out Placement, err error) {
	found := 0
	for _, rec := range p.Records[namePlacement] {
		row, err := pipeline.Decode[Placement](rec)
		if err != nil {
			return out, err
		}
		if row.QuestionID == id {
			out, found = row, found+1
		}
	}
	if found != 1 {
		return out, fmt.Errorf("%d rows of %s are of it; want one", found, tablePlacement)
	}
	return out, nil
}

// holdPiece wants a piece to be turns of its source, byte for byte.
func holdPiece(item string, p PlacedPiece, e schemas.Evidence, sessions []schemas.Session) error {
	at := slices.IndexFunc(sessions, func(s schemas.Session) bool { return s.SessionID == e.SessionID })
	if at < 0 || len(p.Turns) == 0 {
		return fmt.Errorf("%d turns, in source %s", len(p.Turns), e.SessionID)
	}
	s := sessions[at]
	first := slices.IndexFunc(s.Turns, func(t schemas.Turn) bool { return t.TurnID == e.Ref })
	n, isUnit := strings.CutPrefix(p.UnitID, item+"/E")
	switch {
	case !isUnit || len(n) != 2:
		return fmt.Errorf("it is no unit of %s", item)
	case p.SessionID != s.SessionID || p.Kind != s.Kind || !slices.Equal(p.Participants, s.Participants) || p.Role != e.Role:
		return fmt.Errorf("it is a %s in %s (%s, %q); want a %s in %s (%s, %q)", p.Role, p.SessionID, p.Kind, p.Participants, e.Role, s.SessionID, s.Kind, s.Participants)
	case first < 0 || first+len(p.Turns) > len(s.Turns):
		return fmt.Errorf("%d turns from %s on are not in %s", len(p.Turns), e.Ref, s.SessionID)
	}
	named, handle := []string{}, ""
	turns := s.Turns[first : first+len(p.Turns)]
	for i, t := range turns {
		want := PlacedTurn{TurnID: t.TurnID, Order: t.Order, Position: t.Position, Timestamp: t.Timestamp, Text: t.Text}
		for _, a := range t.Attachments {
			want.Media = a.MediaID
			named, handle = append(named, a.AttachmentID), a.AttachmentID
		}
		if p.Turns[i] != want || p.Speaker != t.Speaker {
			return fmt.Errorf("turn %s stands there as %+v, and is %+v by %q", t.TurnID, p.Turns[i], want, t.Speaker)
		}
	}
	if name, _, table := strings.Cut(turns[0].Text, " ("); table && len(turns) > 1 {
		handle = name
	}
	if p.Handle != handle || !slices.Equal(p.Named, named) {
		return fmt.Errorf("it is called %q and shows %q; want %q and %q", p.Handle, p.Named, handle, named)
	}
	return holdAround(p, s, first)
}

// holdAround wants what is said beside a piece to be what its chat says there. A piece in
// a chat has somebody before and after it; nobody says how many.
func holdAround(p PlacedPiece, s schemas.Session, first int) error {
	chat := s.Kind == schemas.KindGroupChat || s.Kind == schemas.KindPrivateChat
	if !chat && len(p.Around) == 0 {
		return nil
	}
	end := first + len(p.Turns)
	for before := 1; chat && before < len(p.Around); before++ {
		after := len(p.Around) - before
		if before > first || end+after > len(s.Turns) {
			continue
		}
		var said []string
		for _, t := range slices.Concat(s.Turns[first-before:first], s.Turns[end:end+after]) {
			said = append(said, t.Text)
		}
		if slices.Equal(said, p.Around) {
			return nil
		}
	}
	return fmt.Errorf("what is said beside it is not what %s has there", s.SessionID)
}

// holdUpdates wants each update, and nothing else, to revise other pieces. That they
// stand before it the gate placement holds.
func holdUpdates(pieces []PlacedPiece) error {
	ids := map[string]bool{}
	for _, p := range pieces {
		if ids[p.UnitID] {
			return fmt.Errorf("its placement has the piece %s twice", p.UnitID)
		}
		ids[p.UnitID] = true
	}
	for _, p := range pieces {
		if (p.Role == schemas.RoleUpdate) != (len(p.Revises) > 0) {
			return fmt.Errorf("piece %s of its placement is a %s and revises %q", p.UnitID, p.Role, p.Revises)
		}
	}
	return nil
}

// aTool is what the tools of simulated worlds say of themselves.
var aTool = regexp.MustCompile(`^Files a request with the ([A-Z]\w+ Desk) to ([a-z]+) something\.$`)

// holdTools wants the tools of two desks for two things to do each, named and with
// parameters as their desks have them.
func holdTools(tools []schemas.Tool) error {
	desks, verbs := map[string]bool{}, map[string]bool{}
	seen := map[string]bool{}
	for _, t := range tools {
		m := aTool.FindStringSubmatch(t.Description)
		if m == nil {
			return fmt.Errorf("tool %s says of itself %q", t.Name, t.Description)
		}
		var schema struct {
			Properties map[string]json.RawMessage `json:"properties"`
		}
		if err := json.Unmarshal([]byte(t.Parameters), &schema); err != nil {
			return fmt.Errorf("parameters of tool %s: %w", t.Name, err)
		}
		_, leveled := schema.Properties["priority"]
		want, err := worlds.Tool(m[1], m[2], leveled)
		if err != nil {
			return err
		}
		if t != want || seen[t.Name] {
			return fmt.Errorf("tool %s with the parameters %s is not what the %s offers, or is there twice", t.Name, t.Parameters, m[1])
		}
		desks[m[1]], verbs[m[2]], seen[t.Name] = true, true, true
	}
	if len(tools) != 4 || len(desks) != 2 || len(verbs) != 2 {
		return fmt.Errorf("%d tools of %d desks for %d things to do; want 4 of 2 for 2", len(tools), len(desks), len(verbs))
	}
	return nil
}
