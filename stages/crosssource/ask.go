package crosssource

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/memforge/memforge/pipeline"
	"github.com/memforge/memforge/schemas"
	"github.com/memforge/memforge/stages/crosssource/placement"
)

type askStage struct{}

func newAsk(struct{}) (pipeline.Stage, error) { return askStage{}, nil }

// Spec declares the questions.
func (askStage) Spec() pipeline.Spec {
	return pipeline.Spec{
		Accepts: []string{schemas.NameEvidenceItem, namePlacement}, Emits: []string{schemas.NameQuestion}, Types: slices.Sorted(maps.Values(types())),
	}
}

// Fold asks about every item whose evidence has its place. A twin is asked only
// together with the question that it is the twin of.
func (askStage) Fold(ctx context.Context, scope *pipeline.Scope, in pipeline.Collection, emit func(pipeline.Record) error) error {
	places, err := placementsByItem(ctx, in)
	if err != nil {
		return err
	}
	return eachRecord(ctx, in, schemas.NameEvidenceItem, func(item schemas.EvidenceItem) error {
		mine := places[item.ItemID]
		at := slices.IndexFunc(mine, func(p Placement) bool { return p.Arrangement == distributed })
		if len(mine) > 0 && at < 0 {
			scope.Reject(mine[0].QuestionID, pipeline.Reject("no-twin", "the question that it would be the twin of has no place"))
			return nil
		}
		for _, p := range mine {
			q := buildQuestion(item, p, len(mine) > 1)
			r, err := pipeline.NewRecord(schemas.NameQuestion, q.QuestionID, q)
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

// placementsByItem are the placements of each item.
func placementsByItem(ctx context.Context, in pipeline.Collection) (map[string][]Placement, error) {
	out := map[string][]Placement{}
	err := eachRecord(ctx, in, namePlacement, func(p Placement) error {
		out[p.ItemID] = append(out[p.ItemID], p)
		return nil
	})
	return out, err
}

func arrangementOfTask(task string) string {
	if strings.HasSuffix(task, "-"+concentrated) {
		return concentrated
	}
	return distributed
}

// answerTexts is what the answer of a question says: the text of the right option, or the
// arguments of the call.
func answerTexts(q schemas.Question) []string {
	if q.AnswerCall == "" {
		return []string{q.AnswerText}
	}
	var call struct {
		Arguments map[string]any `json:"arguments"`
	}
	out := []string{}
	if json.Unmarshal([]byte(q.AnswerCall), &call) == nil {
		for _, k := range slices.Sorted(maps.Keys(call.Arguments)) {
			out = append(out, fmt.Sprint(call.Arguments[k]))
		}
	}
	return out
}

// buildQuestion is the question of an item in one arrangement.
func buildQuestion(item schemas.EvidenceItem, p Placement, twin bool) schemas.Question {
	q := item.Question
	q.QuestionID, q.Family, q.TaskID, q.Type, q.Split = p.QuestionID, family, p.TaskID, types()[item.Task], schemas.DefaultSplit
	q.Labels = map[string]string{
		labelTask: item.Task, labelArrangement: p.Arrangement, labelDataset: item.Dataset, schemas.LabelFact: item.ItemID,
		labelSources: strconv.Itoa(len(placementSessions(p))), labelPieces: strconv.Itoa(len(p.Pieces)), labelInterval: meanInterval(p),
	}
	for _, l := range []string{labelTheme, labelConflict, labelPreference} {
		if v := item.Question.Labels[l]; v != "" {
			q.Labels[l] = v
		}
	}
	if twin {
		q.Labels[labelTwin] = item.ItemID
	}
	q.Media = []string{}
	var handles []string
	for i, piece := range p.citedPieces() {
		at := slices.IndexFunc(item.Units, func(u schemas.EvidenceUnit) bool { return u.UnitID == piece.UnitID })
		e := pieceEvidence(piece, item.Units[at], i)
		q.Evidence = append(q.Evidence, e)
		if e.Media != "" && !slices.Contains(q.Media, e.Media) {
			q.Media = append(q.Media, e.Media)
		}
		if piece.Handle != "" {
			handles = append(handles, piece.Handle)
		}
	}
	slices.Sort(handles) // not in order of time, which is another in the twin
	q.Question = prependHandles(handles, item.Question.Question)
	if len(q.Options) > 0 {
		q.SetOptions(q.Options...)
	}
	return q
}

func placementSessions(p Placement) []string {
	var out []string
	for _, u := range p.Pieces {
		if !slices.Contains(out, u.SessionID) {
			out = append(out, u.SessionID)
		}
	}
	return out
}

// meanInterval is how many turns of the merged stream lie from a piece to the next, on
// average.
func meanInterval(p Placement) string {
	if len(p.Pieces) < 2 {
		return "0.0"
	}
	first, last := p.Pieces[0].Turns[0].Position, p.Pieces[len(p.Pieces)-1].Turns[0].Position
	return fmt.Sprintf("%.1f", float64(last-first)/float64(len(p.Pieces)-1))
}

// identifyingPicture says that a question asks about what a card shows or a programme lists. These
// show what is meant; what is asked of it stands elsewhere.
var identifyingPicture = regexp.MustCompile(` on the card\b| entry of the programme `)

// prependHandles puts the names of pictures before what is asked: "According to Fig. 8dc8ab97, ...",
// or "See Fig. 8dc8ab97: ..." where a card or programme among them shows what is meant.
func prependHandles(handles []string, question string) string {
	if len(handles) == 0 {
		return question
	}
	list := handles[0]
	if n := len(handles); n > 1 {
		list = strings.Join(handles[:n-1], ", ") + " and " + handles[n-1]
	}
	word, _, _ := strings.Cut(question, " ")
	if slices.Contains(strings.Fields("What Which Who Whose Where When Why How In On At Of The Two Is Are Was Were Do Does Did File"), word) {
		question = strings.ToLower(question[:1]) + question[1:]
	}
	if identifyingPicture.MatchString(question) {
		return "See " + list + ": " + question
	}
	return "According to " + list + ", " + question
}

// pieceEvidence is a piece as a question cites it.
func pieceEvidence(p PlacedPiece, u schemas.EvidenceUnit, n int) schemas.Evidence {
	out := schemas.Evidence{
		Kind: schemas.EvidenceTurn, Ref: p.Turns[0].TurnID, Role: p.Role, SessionID: p.SessionID, Order: int32(n + 1), Modality: schemas.ModalityText,
	}
	if u.Modality == schemas.ModalityTable {
		out.Modality = schemas.ModalityTable
	}
	turns := make([]schemas.Turn, len(p.Turns))
	for i, t := range p.Turns {
		turns[i] = schemas.Turn{Speaker: p.Speaker, Role: schemas.TurnEnvironment, Text: t.Text}
		if t.Media != "" && out.Media == "" {
			out.Media, out.Modality, out.Caption, out.TaskAwareCaption = t.Media, schemas.ModalityImage, u.Caption, u.Caption
			out.MinimalCaption = cmp.Or(u.Labels[placement.LabelMinimal], "a picture")
		}
	}
	out.Text = schemas.QuoteTurns("", turns...)
	return out
}
