package crosssource

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/pipeline/model/tool"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

// Placement is a row of the table crosssource_placements: where the pieces of
// evidence of a question stand. It holds all that the gate placement looks at.
type Placement struct {
	PlacementID string `json:"placement_id"`
	QuestionID  string `json:"question_id"`
	TaskID      string `json:"task_id"`
	ItemID      string `json:"item_id"`
	// Task is the item's, one of schemas.TaskSingleHop and so on. Arrangement is
	// distributed or concentrated (SMMBench 4.3).
	Task        string `json:"task"`
	Arrangement string `json:"arrangement"`
	// Answer is what nothing around the pieces may tell: the right option's text, or the
	// arguments of the call.
	Answer []string `json:"answer"`
	// Pieces are in order of time.
	Pieces []PlacedPiece `json:"pieces"`
	// Misleading are the texts that lead to wrong answers, in order of time. The answer
	// rests on none of them; what they tell has an order of its own.
	Misleading []MisleadingText `json:"beside"`
}

// MisleadingText is a text of an item that its answer does not rest on.
type MisleadingText struct {
	UnitID    string       `json:"unit_id"`
	SessionID string       `json:"session_id"`
	Speaker   string       `json:"speaker"`
	Turns     []PlacedTurn `json:"turns"`
	// Revises are texts beside the pieces that this one takes the place of.
	Revises []string `json:"revises"`
}

func (p Placement) citedPieces() []PlacedPiece {
	out := slices.Clone(p.Pieces)
	for _, o := range p.Misleading {
		out = append(out, PlacedPiece{UnitID: o.UnitID, Role: schemas.RoleDistractor, SessionID: o.SessionID, Speaker: o.Speaker, Turns: o.Turns})
	}
	slices.SortStableFunc(out, func(a, b PlacedPiece) int { return compareTime(a.Turns, b.Turns) })
	return out
}

func compareTime(a, b []PlacedTurn) int { return cmp.Compare(a[0].Position, b[0].Position) }

// PlacedPiece is a piece of evidence in its source.
type PlacedPiece struct {
	UnitID   string   `json:"unit_id"`
	Role     string   `json:"role"`
	Modality string   `json:"modality"`
	Revises  []string `json:"revises"`
	// Speaker is who says it, Wanted who has to.
	Speaker      string   `json:"speaker"`
	Wanted       string   `json:"wanted"`
	SessionID    string   `json:"session_id"`
	Kind         string   `json:"kind"`
	Participants []string `json:"participants"`
	Handle       string   `json:"handle"`
	// Named are the handles that its turns show.
	Named []string     `json:"named"`
	Turns []PlacedTurn `json:"turns"`
	// Around is what is said right before and after it.
	Around []string `json:"around"`
}

// PlacedTurn is a turn of a piece.
type PlacedTurn struct {
	TurnID    string `json:"turn_id"`
	Order     int32  `json:"order"`
	Position  int64  `json:"position"`
	Timestamp string `json:"timestamp"`
	Text      string `json:"text"`
	Media     string `json:"media"`
}

type placeStage struct{}

func newPlace(struct{}) (pipeline.Stage, error) { return placeStage{}, nil }

// Spec declares what is given.
func (placeStage) Spec() pipeline.Spec {
	return pipeline.Spec{Accepts: []string{schemas.NameEvidenceItem, namePosition}, Emits: []string{namePlacement}}
}

// Fold brings the pieces of each item together, in each task that it stands in. It
// holds where pieces are, and reads the items a second time.
func (placeStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	spots, err := positionsByItem(ctx, in)
	if err != nil {
		return err
	}
	return eachRecord(ctx, in, schemas.NameEvidenceItem, func(item schemas.EvidenceItem) error {
		for _, p := range buildPlacements(item, spots[item.ItemID]) {
			r, err := pipeline.NewRecord(namePlacement, p.PlacementID, p)
			if err != nil {
				return err
			}
			if err := emit(r); err != nil {
				return err
			}
		}
		return nil
	})
}

func positionsByItem(ctx context.Context, in pipeline.Collection) (map[string]map[string][]PiecePosition, error) {
	out := map[string]map[string][]PiecePosition{}
	err := eachRecord(ctx, in, namePosition, func(s PiecePosition) error {
		if out[s.ItemID] == nil {
			out[s.ItemID] = map[string][]PiecePosition{}
		}
		out[s.ItemID][s.TaskID] = append(out[s.ItemID][s.TaskID], s)
		return nil
	})
	return out, err
}

// buildPlacements returns the placements of an item in each task that has all of its
// units.
func buildPlacements(item schemas.EvidenceItem, spots map[string][]PiecePosition) (out []Placement) {
	for _, task := range slices.Sorted(maps.Keys(spots)) {
		p := Placement{TaskID: task, ItemID: item.ItemID, Task: item.Task, Arrangement: arrangementOfTask(task), Answer: answerTexts(item.Question)}
		for _, u := range item.Needed() {
			at := slices.IndexFunc(spots[task], func(s PiecePosition) bool { return s.UnitID == u.UnitID })
			if at >= 0 {
				p.Pieces = append(p.Pieces, placePiece(u, spots[task][at]))
			}
		}
		if len(p.Pieces) < len(item.Needed()) {
			continue
		}
		slices.SortStableFunc(p.Pieces, func(a, b PlacedPiece) int { return compareTime(a.Turns, b.Turns) })
		p.Misleading = misleadingTexts(item, spots[task])
		p.QuestionID = questionID(task, item.ItemID)
		p.PlacementID = p.QuestionID + "/placement"
		out = append(out, p)
	}
	return out
}

// isMisleading reports texts that the answer does not rest on. Unasked pictures and
// tables do not mislead.
func isMisleading(u schemas.EvidenceUnit) bool {
	return u.Role == schemas.RoleDistractor && len(u.Rows) == 0 && len(u.Pictures()) == 0
}

func misleadingTexts(item schemas.EvidenceItem, spots []PiecePosition) []MisleadingText {
	out := []MisleadingText{}
	for _, u := range item.Units {
		at := slices.IndexFunc(spots, func(s PiecePosition) bool { return s.UnitID == u.UnitID })
		if at < 0 || !isMisleading(u) {
			continue
		}
		p := placePiece(u, spots[at])
		out = append(out, MisleadingText{UnitID: u.UnitID, SessionID: p.SessionID, Speaker: p.Speaker, Turns: p.Turns, Revises: p.Revises})
	}
	slices.SortStableFunc(out, func(a, b MisleadingText) int { return compareTime(a.Turns, b.Turns) })
	return out
}

func questionID(task, item string) string {
	return task + "/Q" + string(pipeline.DigestOf([]byte(item)))[:8]
}

func placePiece(u schemas.EvidenceUnit, s PiecePosition) PlacedPiece {
	out := PlacedPiece{
		UnitID: u.UnitID, Role: u.Role, Modality: u.Modality, Revises: withoutEmpty(u.Revises), Speaker: s.Speaker, Wanted: u.Labels[placement.LabelSpeaker], SessionID: s.SessionID, Kind: s.Kind,
		Participants: withoutEmpty(s.Participants), Handle: s.Handle, Named: []string{}, Around: withoutEmpty(s.Around),
	}
	for _, t := range s.Turns {
		p := PlacedTurn{TurnID: t.TurnID, Order: t.Order, Position: t.Position, Timestamp: t.Timestamp, Text: t.Text}
		for _, a := range t.Attachments {
			p.Media = a.MediaID
			out.Named = append(out.Named, a.AttachmentID)
		}
		out.Turns = append(out.Turns, p)
	}
	return out
}

func withoutEmpty(list []string) []string { return append([]string{}, list...) }

// checkItem returns why an item cannot be placed, or nil. Data set adapters check most of
// it; other stages and sources may not.
func checkItem(item schemas.EvidenceItem) *pipeline.Rejection {
	if item.ContentMissing() {
		return pipeline.Reject("no-content", "the content of a unit, or the question, is not here: bring it before the item is placed")
	}
	if wrong := item.Problems(); len(wrong) > 0 {
		return pipeline.Reject(wrong[0].Code, "%s", wrong[0].Text)
	}
	if strings.Contains(item.Question.Question, subject) && len(item.Profiles) != 1 {
		return pipeline.Reject("no-referent", "its question is about %q, and it names %d profiles; name the one who is meant", subject, len(item.Profiles))
	}
	if item.Task != schemas.TaskFunctionCall {
		return nil
	}
	return tool.CheckPlan(item.Question.Tools, item.Question.AnswerCall)
}
