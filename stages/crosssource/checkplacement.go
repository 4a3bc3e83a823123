package crosssource

import (
	"cmp"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/oracle"
	"github.com/memforge/memforge/stages/crosssource/placement"
	"github.com/memforge/memforge/stages/crosssource/simulate"
)

// checkPlacementRow wants a question's row of crosssource_placements to say what its
// sources say: which pieces, where, when and by whom, and what is said beside them. The
// row of a question that was taken out is not in a release.
func checkPlacementRow(q schemas.Question, r oracle.Result, cites []schemas.Evidence, p pipeline.Premises, arrangement, item string) error {
	var rows []Placement
	for _, row := range p.Prepared.(taskPremises).placements {
		if row.QuestionID == q.QuestionID {
			rows = append(rows, row)
		}
	}
	switch {
	case len(rows) == 0 && p.Flagged:
		return nil
	case len(rows) != 1:
		return fmt.Errorf("%d rows of %s are of it; want one", len(rows), tablePlacement)
	}
	switch row := rows[0]; {
	case row.ItemID != item:
		return fmt.Errorf("its placement is of the item %q, and it asks about %s", row.ItemID, item)
	case row.PlacementID != q.QuestionID+"/placement":
		return fmt.Errorf("its placement is called %s", row.PlacementID)
	case row.Task != r.Task || row.Arrangement != arrangement || !slices.Equal(row.Answer, answerTexts(q)):
		return fmt.Errorf("its placement is of a task %s, %s, with the answer %q", row.Task, row.Arrangement, row.Answer)
	case len(row.Pieces) != len(r.Evidence):
		return fmt.Errorf("its placement has %d pieces, and it rests on %d", len(row.Pieces), len(r.Evidence))
	default:
		sessions := p.Prepared.(taskPremises).sessions
		return cmp.Or(checkUnits(row), checkPieces(row, r, sessions), checkMisleading(row, cites, sessions), checkReplaced(row, p.Prepared.(taskPremises).task))
	}
}

// turnsFrom are so many turns from where evidence stands, and its source.
func turnsFrom(sessions []schemas.Session, e schemas.Evidence, n int) (s schemas.Session, turns []schemas.Turn, err error) {
	at := slices.IndexFunc(sessions, func(s schemas.Session) bool { return s.SessionID == e.SessionID })
	if at < 0 || n == 0 {
		return s, nil, fmt.Errorf("%d turns, in source %s", n, e.SessionID)
	}
	s = sessions[at]
	first := slices.IndexFunc(s.Turns, func(t schemas.Turn) bool { return t.TurnID == e.Ref })
	if first < 0 || first+n > len(s.Turns) {
		return s, nil, fmt.Errorf("%d turns from %s on are not in %s", n, e.Ref, s.SessionID)
	}
	return s, s.Turns[first : first+n], nil
}

// checkTurns wants turns of a placement to be those of a source, and gives what their
// pictures are called.
func checkTurns(stated []PlacedTurn, turns []schemas.Turn, speaker string) (named []string, handle string, err error) {
	named = []string{}
	for i, t := range turns {
		want := PlacedTurn{TurnID: t.TurnID, Order: t.Order, Position: t.Position, Timestamp: t.Timestamp, Text: t.Text}
		for _, a := range t.Attachments {
			want.Media = a.MediaID
			named, handle = append(named, a.AttachmentID), a.AttachmentID
		}
		if stated[i] != want || speaker != t.Speaker {
			return nil, "", fmt.Errorf("turn %s stands there as %+v, and is %+v by %q", t.TurnID, stated[i], want, t.Speaker)
		}
	}
	return named, handle, nil
}

// checkPieces wants each piece of a placement to be what the sources have there.
func checkPieces(row Placement, r oracle.Result, sessions []schemas.Session) error {
	for i, piece := range row.Pieces {
		if err := checkPiece(piece, r.Evidence[i], r.Length(i), sessions); err != nil {
			return fmt.Errorf("piece %s of its placement: %w", piece.UnitID, err)
		}
	}
	return checkRevisions(row.Pieces, r)
}

// batchOfTask is the world that a task is of, in either arrangement.
func batchOfTask(task string) string {
	return strings.TrimSuffix(strings.TrimPrefix(task, family+"/"), "-"+concentrated)
}

// itemOfQuestion is the item that a question asks about, by its id: that of a world has one of
// few names.
func itemOfQuestion(q schemas.Question, task string) (string, error) {
	batch := batchOfTask(task)
	for n := range 1000 {
		item := worldItemID(batch, n)
		if questionID(task, item) == q.QuestionID {
			return item, nil
		}
	}
	return "", fmt.Errorf("its id is that of no item of %s/%s", dataset, batch)
}

// checkPiece wants a piece to be so many turns of its source, byte for byte.
func checkPiece(p PlacedPiece, e schemas.Evidence, n int, sessions []schemas.Session) error {
	s, turns, err := turnsFrom(sessions, e, n)
	switch {
	case err != nil:
		return err
	case len(p.Turns) != n:
		return fmt.Errorf("it has %d turns; want %d", len(p.Turns), n)
	case p.SessionID != s.SessionID || p.Kind != s.Kind || !slices.Equal(p.Participants, s.Participants) || p.Role != e.Role:
		return fmt.Errorf("it is a %s in %s (%s, %q); want a %s in %s (%s, %q)", p.Role, p.SessionID, p.Kind, p.Participants, e.Role, s.SessionID, s.Kind, s.Participants)
	}
	named, handle, err := checkTurns(p.Turns, turns, p.Speaker)
	if err != nil {
		return err
	}
	if name, _, table := strings.Cut(turns[0].Text, " ("); table && len(turns) > 1 {
		handle = name
	}
	if handle != "" && handle != placement.Handle(schemas.EvidenceUnit{UnitID: p.UnitID, Modality: p.Modality}) {
		return fmt.Errorf("it is called %q, which is not what a %s of that id is called", handle, p.Modality)
	}
	if p.Handle != handle || !slices.Equal(p.Named, named) {
		return fmt.Errorf("it is called %q and shows %q; want %q and %q", p.Handle, p.Named, handle, named)
	}
	return checkAround(p, s, slices.IndexFunc(s.Turns, func(t schemas.Turn) bool { return t.TurnID == e.Ref }))
}

// checkRevisions wants each piece to revise what its sources say that it takes the place of,
// to be wanted of whom it counts from, and to have the form that it has there. That updates
// stand later the gate placement holds.
func checkRevisions(pieces []PlacedPiece, r oracle.Result) error {
	for i, p := range pieces {
		var revises []string
		if at := r.Revised(i); at >= 0 {
			revises = []string{pieces[at].UnitID}
		}
		if !slices.Equal(p.Revises, revises) || p.Wanted != r.Teller(i) || p.Modality != r.Modality(i) {
			return fmt.Errorf("piece %s of its placement is a %s, revises %q and is wanted of %q; want a %s, %q and %q", p.UnitID, p.Modality, p.Revises, p.Wanted, r.Modality(i), revises, r.Teller(i))
		}
	}
	return nil
}

// toolName is what the tools of simulated worlds say of themselves.
var toolName = regexp.MustCompile(`^Files a request with the ([A-Z]\w+ Desk) to ([a-z]+) something\.$`)

// checkTools wants the tools of two desks that the sources tell of, for two things to do each,
// named and with parameters as their desks have them.
func checkTools(tools []schemas.Tool, told []string) error {
	desks, verbs := map[string]bool{}, map[string]bool{}
	seen := map[string]bool{}
	for _, t := range tools {
		m := toolName.FindStringSubmatch(t.Description)
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
		want, err := simulate.Tool(m[1], m[2], leveled)
		if err != nil {
			return err
		}
		if !slices.Contains(told, m[1]) {
			return fmt.Errorf("tool %s is of the %s, of which the sources tell nothing", t.Name, m[1])
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
